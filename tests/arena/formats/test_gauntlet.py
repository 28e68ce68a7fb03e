"""Gauntlets: games between the seeds and the field."""

from collections import Counter
from dataclasses import replace
from itertools import islice, product

from hypothesis import given
from hypothesis import strategies as st

from arena.formats import gauntlet
from arena.formats.contest import ScheduleState, Seating
from arena.formats.gauntlet import GauntletKeys
from tests.arena.formats.playing import by_strength, keys, names, play, tournament
from tests.seeds import examples

steady = examples(12)


@st.composite
def gauntlets(draw):
    count = draw(st.integers(2, 14))
    seeds = draw(st.permutations(names(count)))[: draw(st.integers(1, count - 1))]
    return tournament(names(count), "gauntlet", draw(st.integers(1, 5)), seeds=tuple(seeds))


def games(spec):
    return list(spec.schedule().pending(ScheduleState()))


@steady
@given(gauntlets())
def test_each_seed_plays_everybody_else_and_nobody_else_plays(spec) -> None:
    field = {entry.spec.name for entry in spec.engines} - set(spec.format_keys.seeds)
    met = Counter(frozenset(game.seats) for game in games(spec))
    assert met == {
        frozenset(pair): spec.format_keys.games_per_pairing for pair in product(spec.format_keys.seeds, field)
    }
    assert spec.schedule().total == met.total()


@steady
@given(gauntlets())
def test_seats_are_balanced_exactly_for_even_and_within_one_for_odd(spec) -> None:
    first = Counter(game.seats[0] for game in games(spec))
    second = Counter(game.seats[1] for game in games(spec))
    allowed = spec.format_keys.games_per_pairing % 2
    assert all(abs(first[name] - second[name]) <= allowed for name in first | second)


@steady
@given(gauntlets())
def test_an_engine_added_at_the_end_only_adds_its_own_games(spec) -> None:
    count = len(spec.engines)
    more = tournament(
        names(count + 1), "gauntlet", spec.format_keys.games_per_pairing, seeds=spec.format_keys.seeds
    )
    new = keys(games(more)) - keys(games(spec))
    assert keys(games(spec)) <= keys(games(more))
    assert len(new) == len(spec.format_keys.seeds) * spec.format_keys.games_per_pairing


@steady
@given(gauntlets(), st.integers(0, 40))
def test_a_run_that_goes_on_from_anywhere_plays_what_is_missing(spec, until) -> None:
    _, stored = play(spec, by_strength({}), at_once=3, seed=until, until=until)
    rest, results = play(spec, by_strength({}), stored)
    assert keys(results) == keys(games(spec))
    assert len(rest) == len(games(spec)) - len(stored)


def test_pairs_are_the_round_robins() -> None:
    spec = tournament(names(5), "round-robin", 2)
    assert keys(
        games(replace(spec, format="gauntlet", format_keys=GauntletKeys(seeds=("e3", "e1"))))
    ) <= keys(games(spec))


def test_two_seeds_start_against_different_engines() -> None:
    spec = tournament(names(6), "gauntlet", 2, seeds=("e0", "e1"))
    first = [set(game.seats) for game in islice(spec.schedule().pending(ScheduleState()), 4)]
    assert first == [{"e0", "e2"}] * 2 + [{"e1", "e3"}] * 2


def test_seeds_go_through_the_field_side_by_side_and_sit_first_by_turns() -> None:
    games = list(gauntlet.seatings([0, 1], [2, 3, 4], 3, 0))
    begun = [(0, 2), (1, 3), (3, 0), (4, 1), (0, 4), (2, 1)]
    first = [seats for pair in begun for seats in (pair, pair[::-1])]
    assert [game.seats for game in games] == first + begun
    assert [game.repeat for game in games] == [0] * 12 + [1] * 6
    assert games[0] == Seating((0, 2), 0, 0)
    assert len(games) == 2 * 3 * 3


def test_more_seeds_than_others_go_round() -> None:
    games = gauntlet.seatings([4, 5, 6], [0, 1], 1, 0)
    assert [game.seats for game in games] == [(4, 0), (5, 1), (6, 0), (1, 4), (0, 5), (1, 6)]


def test_two_that_play_often_play_each_opening_twice_and_the_last_of_an_odd_number_once() -> None:
    games = list(gauntlet.seatings([0], [1], 5, 0))
    assert [(game.seats[0], game.repeat) for game in games] == [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2)]
