"""A run that goes on plays on the openings that come next, and no other, in every format."""

from __future__ import annotations

from collections import defaultdict
from itertools import chain
from typing import Any

import pytest

from arena.formats.stages import StageKeys
from arena.openings.book import OpeningSpec
from tests.arena.formats.playing import by_strength, keys, names, play, tournament

STAGES = (
    StageKeys(name="pools", format="round-robin", pools=2, games_per_pairing=4),
    StageKeys(name="final", format="knockout", engines=2),
)


@pytest.mark.parametrize(
    ("form", "count", "more"),
    [
        ("round-robin", 4, {}),
        ("gauntlet", 4, {}),
        ("swiss", 4, {"rounds": 3}),
        ("knockout", 4, {}),
        ("match", 2, {"max_games": 12}),
        ("ladder", 3, {"max_games": 24}),
        ("stages", 4, {"stages": STAGES}),
    ],
)
def test_two_engines_play_an_opening_from_both_seats_and_none_again_wherever_a_run_was_cut_off(
    form: str, count: int, more: dict[str, Any]
) -> None:
    openings = OpeningSpec(kind="random", plies=2, seed=1)
    spec = tournament(names(count), form, 6, openings=openings, **more)
    judge = by_strength({}, draws=1.0)
    whole = {game.key: game.opening for game in play(spec, judge)[0]}
    for until in range(1, len(whole), 2):
        first, stored = play(spec, judge, until=until, at_once=2)
        rest, results = play(spec, judge, stored, at_once=2)
        opening_of = {game.key: game.opening for game in chain(first, rest)}
        played = {key: opening_of[key] for key in keys(results)}
        if form != "ladder":  # whose games depend on what runs
            assert played == whole
        encounters = defaultdict(set)
        for key, opening in played.items():
            pair, _, repeat = key.rpartition(":")
            encounters[frozenset(pair.removeprefix("quoridor:").split("|")), repeat].add(opening)
        assert {len(found) for found in encounters.values()} == {1}
        of_pair = defaultdict(list)
        for (pair_, _), (opening,) in encounters.items():
            of_pair[pair_].append(opening)
        assert all(len(set(found)) == len(found) for found in of_pair.values())
