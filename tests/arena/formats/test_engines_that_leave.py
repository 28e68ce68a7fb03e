"""Tournaments whose games are known from the start, when engines come and go: no game is played again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

import pytest

from arena.config import TournamentSpec
from arena.formats.contest import ScheduleState
from arena.formats.format import Played
from arena.formats.plan import Plan
from arena.model import GameResult, Opening
from arena.openings.book import OpeningSpec
from tests.arena.formats.playing import by_strength, names, play, tournament
from tests.seeds import seeds

DRAWS = by_strength({}, draws=100)
RANDOM = OpeningSpec(kind="random", plies=1)


def changed(
    old: TournamentSpec, results: Sequence[GameResult], engines: Sequence[str], **keys: object
) -> TournamentSpec:
    each = old.format_keys.games_per_pairing
    new = tournament(engines, old.format, each, games=old.games, openings=old.openings, **keys)
    return new.after(old.plan.encode(), ScheduleState.of(results))


def is_over(spec: TournamentSpec, results: Sequence[GameResult]) -> bool | None:
    return spec.plan.finished(lambda game: spec.plan.is_over(game, played(game, results)))


def played(game: str, results: Sequence[GameResult]) -> Played:
    games = [result for result in results if result.game == game]
    return Played(len(games), lambda: games)


@pytest.mark.parametrize("form", ["round-robin", "gauntlet"])
@pytest.mark.parametrize("games", [("quoridor",), ("hops", "quoridor")])
@pytest.mark.parametrize("seed", seeds(10))
def test_each_pair_plays_its_games_once_with_its_openings_when_engines_come_and_go(
    form: str, games: tuple[str, ...], seed: int
) -> None:
    rng = Random(seed)
    each = rng.randint(1, 3)
    keys = {"seeds": ("e0", "e1")} if form == "gauntlet" else {}
    engines = names(6)
    spec = tournament(engines, form, each, games=games, openings=RANDOM, **keys)
    results: list[GameResult] = []
    openings: dict[str, Opening] = {}
    for _ in range(3):
        more, results = play(spec, DRAWS, results, at_once=2, seed=seed, until=rng.randint(0, 20))
        openings |= {game.key: game.opening for game in more}
        others = [name for name in names(12) if name not in ("e0", "e1")]
        engines = ["e0", "e1", *rng.sample(others, rng.randint(2, 6))]
        rng.shuffle(engines)
        spec = changed(spec, results, engines, **keys)
        assert Plan.stored(spec.plan.encode()) == spec.plan
    assert is_over(spec, results) is not True or not play(spec, DRAWS, results)[0]
    handed, results = play(spec, DRAWS, results, at_once=3)
    assert all(set(game.seats) <= set(engines) for game in handed)
    assert spec.plan.total == len(results)
    assert is_over(spec, results)
    meetings = Counter((result.game, *sorted(p.name for p in result.players)) for result in results)
    assert max(meetings.values()) == each
    for first in engines:
        for second in engines:
            seeded = (first in ("e0", "e1")) != (second in ("e0", "e1"))
            if first < second and (form == "round-robin" or seeded):
                assert all(meetings[(game, first, second)] == each for game in games)
    openings |= {game.key: game.opening for game in handed}
    for key, opening in openings.items():  # both games of an opening have it, also if engines left meanwhile
        game, seats, repeat = key.split(":")
        other = f"{game}:{'|'.join(reversed(seats.split('|')))}:{repeat}"
        assert openings.get(other, opening) == opening


def test_games_that_a_smaller_number_leaves_out_are_counted_on_both_sides() -> None:
    begun = tournament("abc", "round-robin", 4)
    _, results = play(begun, DRAWS, until=12)
    spec = tournament("abcd", "round-robin", 2).after(begun.plan.encode(), ScheduleState.of(results))
    _, results = play(spec, DRAWS, results)
    assert spec.plan.total == len(results) == 12 + 6
    again = tournament("abcd", "round-robin", 4).after(spec.plan.encode(), ScheduleState.of(results))
    assert again.plan.total == 24


def test_an_engine_that_leaves_a_round_robin_does_not_end_it_for_the_others() -> None:
    begun = tournament("abcd", "round-robin")
    handed, _ = play(begun, DRAWS)
    of_d = {game.key for game in handed if "d" in game.seats}
    results = [result for result in play(begun, DRAWS)[1] if result.key in of_d]
    spec = changed(begun, results, "abc")
    assert len(results) == 6
    assert not is_over(spec, results)  # as many games as three engines play
    assert spec.plan.total == spec.plan.most_games("quoridor") == 12
    _, results = play(spec, DRAWS, results)
    assert len(results) == 12
    assert is_over(spec, results)
    back = changed(spec, results, "abcd")
    assert is_over(back, results)
    assert back.plan.total == 12


def test_tables_of_four_are_made_of_the_engines_that_are_there() -> None:
    begun = tournament(names(6), "round-robin", games=("quoridor4",))
    _, results = play(begun, DRAWS, until=9)
    spec = changed(begun, results, names(5))
    handed, after = play(spec, DRAWS, results)
    assert not any("e5" in game.seats for game in handed)
    assert is_over(spec, after)
    assert spec.plan.total == len(after)


def test_a_match_whose_engine_is_replaced_starts_again() -> None:
    begun = tournament("ab", "match", max_games=6)
    _, results = play(begun, DRAWS)
    new = tournament("ac", "match", max_games=6).after(begun.plan.encode(), ScheduleState.of(results))
    assert not is_over(new, results)
    handed, after = play(new, DRAWS, results)
    assert len(handed) == 6
    assert is_over(new, after)
    assert new.plan.total == 12
