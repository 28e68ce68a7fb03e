"""Which openings the pairings of a tournament play."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, islice
from typing import Any

import pytest

from arena.formats.contest import Entrants
from arena.formats.format import FixedFormat, Setting, find_format
from arena.openings.book import OpeningSpec
from referee import game
from tests.arena.formats.playing import by_strength, names, play, tournament
from tests.arena.openings.listed import listed


def openings(form: str, engines: int, each: int, **keys: Any) -> dict[frozenset[int], list[int]]:
    """The openings of each pair of engines, in the order of its games."""
    found = find_format(form)
    assert isinstance(found, FixedFormat)
    entrants = Entrants("quoridor", tuple(names(engines)))
    table = found.checked(found.keys(games_per_pairing=each, **keys), Setting({"quoridor": entrants.names}))
    played: dict[frozenset[int], list[int]] = {}
    for seating in found.seatings(table, entrants):
        played.setdefault(frozenset(seating.seats), []).append(seating.opening)
    return played


def shared(each: int) -> list[int]:
    """The openings of a pairing that plays from the first one."""
    return [index // 2 for index in range(each)]


def windows(played: Mapping[frozenset[Any], Sequence[int]], each: int) -> list[int]:
    """All openings of pairings that each play theirs one after the other, in order."""
    assert all([number - found[0] for number in found] == shared(each) for found in played.values())
    return sorted(chain.from_iterable(map(set, played.values())))


@pytest.mark.parametrize("each", range(1, 7))
def test_in_a_round_robin_each_pairing_has_openings_of_its_own(each: int) -> None:
    for engines in range(2, 9):
        played = openings("round-robin", engines, each)
        pairs = engines * (engines - 1) // 2
        assert windows(played, each) == list(range(pairs * ((each + 1) // 2)))
        assert played.items() <= openings("round-robin", engines + 1, each).items()
        same = openings("round-robin", engines, each, pairing_openings="same")
        assert list(same.values()) == [shared(each)] * pairs


@pytest.mark.parametrize("each", range(1, 7))
@pytest.mark.parametrize("seeds", [("e0",), ("e2",), ("e0", "e1"), ("e3", "e1")])
def test_in_a_gauntlet_every_opponent_gets_the_same_openings_in_the_same_order(
    seeds: tuple[str, ...], each: int
) -> None:
    for engines in range(5, 9):
        pairs = len(seeds) * (engines - len(seeds))
        assert list(openings("gauntlet", engines, each, seeds=seeds).values()) == [shared(each)] * pairs
        own = openings("gauntlet", engines, each, seeds=seeds, pairing_openings="own")
        assert windows(own, each) == list(range(pairs * ((each + 1) // 2)))
        more = openings("gauntlet", engines + 1, each, seeds=seeds, pairing_openings="own")
        assert own.items() <= more.items()


def places(form: str, each: int, count: int, **keys: Any) -> dict[frozenset[str], list[int]]:
    """The openings of the pairings of a tournament, as places in a list of so many."""
    moves = [str(move) for move in islice(game("quoridor").start().legal_moves(), count)]
    spec = tournament(names(8), form, each, openings=OpeningSpec("list", listed(*moves)), **keys)
    strengths = {name: 9.0 * place for place, name in enumerate(names(8))}
    played: dict[frozenset[str], list[int]] = {}
    for pairing in play(spec, by_strength(strengths))[0]:
        played.setdefault(frozenset(pairing.seats), []).append(moves.index(pairing.opening.moves[0]))
    return played


@pytest.mark.parametrize("each", [2, 4, 5])
@pytest.mark.parametrize(("form", "keys"), [("swiss", {"rounds": 3}), ("knockout", {})])
def test_two_pairings_of_a_swiss_or_a_knockout_share_no_opening(
    form: str, keys: dict[str, int], each: int
) -> None:
    used = windows(places(form, each, 28 * 3, **keys), each)
    assert len(used) == len(set(used))


def test_pairings_behind_the_end_of_a_short_list_start_it_again() -> None:
    found = places("round-robin", 4, 5)
    assert found[frozenset({"e0", "e1"})] == [0, 0, 1, 1]
    assert found[frozenset({"e1", "e2"})] == [4, 4, 0, 0]
    assert found[frozenset({"e0", "e3"})] == [1, 1, 2, 2]
