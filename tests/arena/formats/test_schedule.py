"""Schedules: pairings, seats, openings, keys and order of the games, for round-robins and in general."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, islice, pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.config import EngineEntry, TournamentSpec
from arena.formats import round_robin
from arena.formats.contest import Contest, Entrants, Next, ScheduleState, Seating, duel, first_opening
from arena.formats.format import AdaptiveFormat, FixedFormat, OpeningsKeys
from arena.formats.gauntlet import GauntletKeys
from arena.formats.round_robin import ROUND_ROBIN
from arena.model import GameResult, Opening, Pairing, Stage
from arena.openings.book import OpeningSpec
from arena.ratings.sprt import Sprt
from protocol.keys import KeyTable
from protocol.spec import EngineSpec
from referee import Termination
from referee import game as rules_of
from referee.match.adjudication import Adjudication
from referee.match.time_control import TimeControl
from tests.arena.formats.playing import tournament as any_tournament
from tests.seeds import examples

steady = examples(12)
engines = st.integers(2, 14)
table_engines = st.integers(4, 20)
per_pairing = st.integers(1, 6)


def tournament(
    names: list[str],
    games: tuple[str, ...] = ("quoridor",),
    each: int = 2,
    enters: dict[str, tuple[str, ...]] | None = None,
    openings: OpeningSpec | None = None,
) -> TournamentSpec:
    entries = tuple(
        EngineEntry(EngineSpec(name, ("engine",)), TimeControl.parse("10"), (enters or {}).get(name, games))
        for name in names
    )
    return TournamentSpec(
        name="t",
        path=Path("/t.toml"),
        database=Path("/arena.db"),
        games=games,
        format="round-robin",
        format_keys=OpeningsKeys(games_per_pairing=each),
        time_control="10",
        concurrency=1,
        affinity=False,
        seed=1,
        disabled="lose",
        openings=openings or OpeningSpec(),
        adjudication=Adjudication(),
        engines=entries,
        setup={},
        log=None,
    )


def names(count: int) -> list[str]:
    return [f"e{number}" for number in range(count)]


def total(engines: int, players: int, each: int) -> int | None:
    entrants = Entrants("quoridor", tuple(names(engines)), players)
    return ROUND_ROBIN.most_games(OpeningsKeys(games_per_pairing=each), entrants)


def pairings(spec: TournamentSpec) -> list[Pairing]:
    return list(spec.schedule().pending(ScheduleState()))


# -- two players ---------------------------------------------------------------------------------------------


@steady
@given(engines, per_pairing)
def test_every_two_engines_play_games_per_pairing_games(count: int, each: int) -> None:
    met = Counter(frozenset(game.seats) for game in round_robin.pairs(count, each, 3))
    assert met == {frozenset(pair): each for pair in combinations(range(count), 2)}
    assert met.total() == total(count, 2, each)


@steady
@given(engines, per_pairing)
def test_seats_are_balanced_exactly_for_even_and_within_one_for_odd(count: int, each: int) -> None:
    games = list(round_robin.pairs(count, each, 3))
    first = Counter(game.seats[0] for game in games)
    second = Counter(game.seats[1] for game in games)
    allowed = 0 if each % 2 == 0 else 1
    assert all(abs(first[engine] - second[engine]) <= allowed for engine in range(count))


@steady
@given(engines, per_pairing)
def test_an_opening_is_played_twice_in_a_row_with_seats_exchanged(count: int, each: int) -> None:
    games = list(round_robin.pairs(count, each, 3))
    for one, other in pairwise(games):
        if frozenset(one.seats) == frozenset(other.seats) and one.repeat == other.repeat:
            assert one.seats == other.seats[::-1]
            assert one.opening == other.opening
    played = Counter((frozenset(game.seats), game.opening) for game in games)
    single = sum(times == 1 for times in played.values())
    assert set(played.values()) <= {1, 2}
    assert single == (count * (count - 1) // 2 if each % 2 else 0)


@steady
@given(engines, per_pairing)
def test_all_pairs_complete_an_opening_before_any_starts_its_next(count: int, each: int) -> None:
    repeats = [game.repeat for game in round_robin.pairs(count, each, 3)]
    assert repeats == sorted(repeats)


@steady
@given(engines)
def test_nobody_waits_for_a_first_game_longer_than_one_round_of_the_circle(count: int) -> None:
    early = islice(round_robin.pairs(count, 2, 3), 2 * (count // 2))
    seen = {engine for game in early for engine in game.seats}
    assert len(seen) == count - count % 2


@steady
@given(engines, per_pairing)
def test_an_engine_added_at_the_end_changes_no_other_pairs_game(count: int, each: int) -> None:
    before = set(round_robin.pairs(count, each, 3))
    after = set(round_robin.pairs(count + 1, each, 3))
    assert before <= after
    assert all(count in game.seats for game in after - before)


@steady
@given(engines, per_pairing)
def test_more_games_per_pairing_keep_the_games_there_were(count: int, each: int) -> None:
    assert set(round_robin.pairs(count, each, 3)) <= set(round_robin.pairs(count, each + 1, 3))


def test_a_cycle_is_played_twice_with_seats_exchanged_and_the_last_of_an_odd_number_once() -> None:
    assert list(round_robin.pairs(2, 5, 3)) == [
        Seating((0, 1), 0, 0),
        Seating((1, 0), 0, 0),
        Seating((0, 1), 1, 1),
        Seating((1, 0), 1, 1),
        Seating((0, 1), 2, 2),
    ]
    assert [game.seats for game in round_robin.pairs(3, 2, 1)] == [
        *((1, 2), (2, 1)),
        *((2, 0), (0, 2)),
        *((0, 1), (1, 0)),
    ]
    assert str([total(engines, 2, 3) for engines in (2, 3, 4, 5)]) == "[3, 9, 18, 30]"


def test_the_earlier_of_two_neighbours_starts_and_the_later_of_the_next_two() -> None:
    """Stored games depend on this: otherwise a tournament with an odd number of games could not go on."""
    assert {game.seats for game in round_robin.pairs(5, 1, 1)} == {
        *((0, 1), (1, 2), (2, 3), (3, 4)),
        *((2, 0), (3, 1), (4, 2)),
        *((0, 3), (1, 4)),
        (4, 0),
    }


# -- tables --------------------------------------------------------------------------------------------------


def meetings(count: int, each: int) -> Counter[tuple[int, int]]:
    met = Counter(dict.fromkeys(combinations(range(count), 2), 0))
    for game in round_robin.tables(count, 4, each):
        met.update(combinations(sorted(game.seats), 2))
    return met


@steady
@given(table_engines, per_pairing)
def test_every_two_engines_meet_at_tables_as_often_as_they_must_and_all_within_two_games(
    count: int, each: int
) -> None:
    met = meetings(count, each)
    assert len(met) == count * (count - 1) // 2
    assert each <= min(met.values())
    assert max(met.values()) - min(met.values()) <= 2


@steady
@given(table_engines, per_pairing)
def test_everybody_plays_every_opening_once_from_every_seat(count: int, each: int) -> None:
    played = Counter(
        (game.opening, engine, seat)
        for game in round_robin.tables(count, 4, each)
        for seat, engine in enumerate(game.seats)
    )
    assert set(played.values()) == {1}


@steady
@given(table_engines, per_pairing)
def test_the_number_of_table_games_is_known_and_near_the_least_possible(count: int, each: int) -> None:
    games = list(round_robin.tables(count, 4, each))
    least = each * count * (count - 1) / 12  # a table has six pairs
    assert total(count, 4, each) == len(games)
    assert len(games) <= 1.5 * least + count  # and rounds are whole


@steady
@given(table_engines, per_pairing)
def test_more_games_per_pairing_only_append_tables(count: int, each: int) -> None:
    fewer = list(round_robin.tables(count, 4, each))
    more = list(round_robin.tables(count, 4, each + 1))
    assert more[: len(fewer)] == fewer


def test_the_orders_round_a_table_are_each_followed_by_their_reverse() -> None:
    assert round_robin.orders(1) == [(0,)]
    assert round_robin.orders(2) == [(0, 1)]
    assert round_robin.orders(3) == [(0, 1, 2), (0, 2, 1)]
    assert round_robin.orders(4) == [
        *((0, 1, 2, 3), (0, 3, 2, 1)),
        *((0, 1, 3, 2), (0, 2, 3, 1)),
        *((0, 2, 1, 3), (0, 3, 1, 2)),
    ]
    assert len(round_robin.orders(5)) == len(set(round_robin.orders(5))) == 24


@pytest.mark.parametrize(
    ("engines", "seats", "patterns"),
    [
        (4, 4, [(0, 1, 2, 3)] * 3),
        (5, 4, [(0, 1, 2, 3)] * 3),
        (6, 4, [(0, 2, 3, 4), (0, 1, 2, 3), (0, 1, 3, 4), (0, 1, 2, 3)]),
        (7, 3, [(0, 1, 3)] * 3),
        (8, 3, [(0, 1, 3), (0, 1, 4), (0, 2, 3), (0, 2, 4)]),
        (9, 4, [(0, 1, 4, 6), (0, 2, 3, 4), (0, 1, 4, 6)]),
    ],
)
def test_a_round_brings_together_those_who_have_met_least(
    engines: int, seats: int, patterns: list[tuple[int, ...]]
) -> None:
    """Stored games depend on this, because a game's key names all engines at its table."""
    assert list(islice(round_robin._patterns(engines, seats, 100), len(patterns))) == patterns


def test_a_table_that_comes_again_is_counted() -> None:
    games = list(round_robin.tables(4, 4, 50))
    assert len(games) == total(4, 4, 50) == 52
    assert games[0] == Seating((0, 1, 2, 3), 0, 0)
    assert games[5] == Seating((1, 0, 3, 2), 0, 1)
    assert [games[24], games[48]] == [Seating((0, 1, 2, 3), 1, 6), Seating((0, 1, 2, 3), 2, 12)]


def test_the_page_tells_how_many_table_games_there_are() -> None:
    page = (Path(__file__).parents[3] / "docs/reference/formats/round-robin.md").read_text()
    rows = [
        [int(cell) for cell in row.split("|")[1:-1]] for row in page.splitlines() if re.match(r"\| \d", row)
    ]
    assert len(rows) == 6
    for engines, *games in rows:
        assert [total(engines, 4, each) for each in (2, 4, 8)] == games


def test_too_many_table_games_are_not_counted_beforehand(monkeypatch: pytest.MonkeyPatch) -> None:
    assert round_robin._QUICK == 1_000_000
    monkeypatch.setattr(round_robin, "_QUICK", 32)
    assert total(4, 4, 2) == 4
    assert total(4, 4, 3) is None
    assert total(5, 4, 2) is None


# -- seats, openings and contests ----------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_every_table_starts_with_an_opening_of_its_own_which_no_engine_behind_it_changes(seats: int) -> None:
    for engines in range(seats, 9):
        found = [first_opening(places) for places in combinations(range(engines), seats)]
        assert sorted(found) == list(range(len(found)))
    assert first_opening((3, 1)) == first_opening((1, 3))
    assert first_opening((1, 3), 5) == 5 * first_opening((1, 3))


def test_a_key_names_the_game_the_engines_in_seat_order_and_how_often_they_sat_so() -> None:
    assert Entrants("hops", ("a", "b", "c")).key(Seating((2, 0), 7, 3)) == "hops:c|a:7"


def test_two_games_share_an_opening_with_seats_exchanged() -> None:
    assert [duel(5, 2, index, 12) for index in range(5)] == [
        Seating((5, 2), 0, 12),
        Seating((2, 5), 0, 12),
        Seating((5, 2), 1, 13),
        Seating((2, 5), 1, 13),
        Seating((5, 2), 2, 14),
    ]


class Book:
    """A book whose openings are their own numbers."""

    def opening(self, number: int) -> Opening:
        return Opening(None, (str(number),))

    def name(self, number: int) -> str:
        return ""


def part(share: int = 0, shares: int = 1, game: str = "quoridor") -> Contest:
    return Contest(Entrants(game, ("a", "b", "c")), Book(), share, shares)  # type: ignore[arg-type]


def test_the_games_of_an_id_have_numbers_with_the_same_distance() -> None:
    pairing = part(1, 3).pairing(4, "key", Seating((2, 0), 0, 5))
    assert pairing == Pairing(13, "key", "quoridor", ("c", "a"), Opening(None, ("5",)))
    assert part().pairing(4, "key", Seating((0, 1), 0, 0)).number == 4


def test_a_fixed_schedule_counts_through_all_its_games_and_leaves_out_what_is_known() -> None:
    class TwoGames(FixedFormat[KeyTable]):
        def seatings(self, keys: KeyTable, entrants: Entrants) -> Iterator[Seating]:
            return (duel(0, 1, index, 0) for index in range(2))

    def games(state: ScheduleState) -> list[Pairing]:
        parts = [part(game=id_) for id_ in ("quoridor", "hops")]
        return list(TwoGames().games(KeyTable(), parts, state))

    keys = ["quoridor:a|b:0", "quoridor:b|a:0", "hops:a|b:0", "hops:b|a:0"]
    assert [(game.number, game.key) for game in games(ScheduleState())] == list(enumerate(keys))
    assert [game.number for game in games(ScheduleState(skipped={keys[1], keys[2]}))] == [0, 3]


class Scripted(AdaptiveFormat[KeyTable]):
    """The numbers of the games of each game id; None to wait."""

    def __init__(self, scripts: Mapping[str, Sequence[int | None]]) -> None:
        self._scripts = scripts

    def next_games(self, keys: KeyTable, contest: Contest, state: ScheduleState) -> Iterator[Next]:
        for number in self._scripts[contest.entrants.game]:
            yield None if number is None else contest.pairing(number, "", Seating((0, 1), 0, 0))


@pytest.mark.parametrize(
    ("scripts", "expected"),
    [
        ({"a": [1, 2], "b": [3], "c": [4, 5]}, ["a1", "b3", "c4", "a2", "c5"]),
        ({"a": [None, 1], "b": [2]}, ["b2", "a1"]),
        ({"a": [None, None, 1], "b": [None, 2]}, [None, "b2", "a1"]),
        ({"a": [1, None, None], "b": [None, 2, 3]}, ["a1", None, "b2", "b3"]),
        (
            {"a": [1, 2, None, None, 5], "b": [1, None, 3], "c": [1]},
            ["a1", "b1", "c1", "a2", None, "b3", "a5"],
        ),
        ({}, []),
    ],
)
def test_parts_take_turns_and_wait_only_when_all_of_them_do(
    scripts: dict[str, list[int | None]], expected: list[str | None]
) -> None:
    games = Scripted(scripts).games(KeyTable(), [part(game=game) for game in scripts], ScheduleState())
    # With several parts, each has every so many-th number.
    parts = len(scripts)
    found = [game and f"{game.game}{game.number // parts}" for game in games if not isinstance(game, Stage)]
    assert found == expected


def test_one_part_that_cannot_tell_waits_as_often_as_it_is_asked() -> None:
    games = Scripted({"quoridor": [None, None]}).games(KeyTable(), [part()], ScheduleState())
    assert list(games) == [None, None]


def ending(key: str, termination: Termination = Termination.NORMAL) -> GameResult:
    return GameResult(None, "t", 0, key, "quoridor", termination, "goal", "", 9, ())


def test_a_state_knows_what_was_stored_has_ended_runs_or_was_passed_over() -> None:
    state = ScheduleState.of([ending("one"), ending("void", Termination.VOID)])
    assert state.results == {"one": ending("one")}
    state = ScheduleState(
        results=state.results,
        running={"two": Pairing(0, "two", "", ())},
        skipped={"three"},
        stored=frozenset({"four"}),
    )
    assert [key in state for key in ("one", "two", "three", "four", "void", "")] == [True] * 4 + [False] * 2


# -- formats -------------------------------------------------------------------------------------------------

SPRT = Sprt(0, 5)


@pytest.mark.parametrize(
    ("form", "keys", "total", "begins"),
    [
        ("round-robin", {}, 24, ["0 quoridor a|d", "1 quoridor d|a", "2 quoridor b|c"]),
        ("gauntlet", {"seeds": ("c",)}, 12, ["0 quoridor c|a", "1 quoridor a|c", "2 quoridor b|c"]),
        ("swiss", {"rounds": 2}, 16, ["0 quoridor a|c", "1 hops a|c", "2 quoridor c|a"]),
        ("knockout", {}, None, ["0 quoridor a|d", "1 hops a|d", "2 quoridor d|a"]),
        ("ladder", {}, None, ["0 quoridor a|b", "1 hops c|d", "2 quoridor b|a"]),
        ("ladder", {"max_games": 3}, 6, ["0 quoridor a|b", "1 hops c|d", "2 quoridor b|a"]),
    ],
)
def test_each_format_has_its_number_of_games_and_its_first_ones(
    form: str, keys: dict[str, Any], total: int | None, begins: list[str]
) -> None:
    spec = any_tournament("abcd", form, games=("quoridor", "hops"), **keys)
    plan, state, handed = spec.schedule(), ScheduleState(), []
    games = (found for found in plan.pending(state) if not isinstance(found, Stage))
    for game in islice(games, 3):
        assert game is not None
        state.running[game.key] = game
        handed.append(f"{game.number} {game.game} {'|'.join(game.seats)}")
    assert handed == begins
    assert plan.total == total


def test_a_seed_runs_the_gauntlet_in_the_games_that_it_enters() -> None:
    spec = tournament(names(3), ("quoridor", "hops"), enters={"e0": ("quoridor",)})
    games = pairings(replace(spec, format="gauntlet", format_keys=GauntletKeys(seeds=("e0", "e1"))))
    assert [game.key for game in games if game.game == "hops"] == ["hops:e1|e2:0", "hops:e2|e1:0"]
    assert len(games) == 4 + 2


def test_a_games_openings_go_by_its_own_setup_and_adjudication(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    monkeypatch.setattr("arena.config.spec.OpeningBook", lambda *given: made.append(given))
    openings = OpeningSpec(kind="random", plies=2)
    spec = replace(tournament(names(2), ("rodeurs", "hops"), openings=openings), setup={"hops": "far"})
    spec.schedule()
    assert made == [
        (openings, rules, setup, spec.adjudication)
        for rules, setup in ((rules_of("rodeurs"), None), (rules_of("hops"), "far"))
    ]


# -- keys, numbers and finished games ------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["quoridor", "quoridor4"])
@pytest.mark.parametrize("count", [4, 5, 6, 9])
@pytest.mark.parametrize("each", [1, 2, 5])
def test_keys_are_unique_and_numbers_count_up(game: str, count: int, each: int) -> None:
    games = pairings(tournament(names(count), (game,), each))
    assert len({pairing.key for pairing in games}) == len(games)
    assert [pairing.number for pairing in games] == list(range(len(games)))
    assert tournament(names(count), (game,), each).schedule().total == len(games)
    assert games == pairings(tournament(names(count), (game,), each))


@steady
@given(st.data())
def test_what_is_done_is_skipped_and_nothing_else(data: st.DataObject) -> None:
    plan = tournament(names(5), ("quoridor", "quoridor4"), 3).schedule()
    everything = list(plan.pending(ScheduleState()))
    done = data.draw(st.frozensets(st.sampled_from([pairing.key for pairing in everything])))
    left = list(plan.pending(ScheduleState(skipped=set(done))))
    assert left == [pairing for pairing in everything if pairing.key not in done]


def test_each_game_has_a_round_robin_of_those_who_enter_it_one_after_the_other() -> None:
    spec = tournament(
        names(5), ("quoridor4", "quoridor"), 2, enters={"e0": ("quoridor",), "e4": ("quoridor4", "quoridor")}
    )
    games = pairings(spec)
    assert [pairing.game for pairing in games] == ["quoridor4"] * 4 + ["quoridor"] * 20
    assert {name for pairing in games[:4] for name in pairing.seats} == {"e1", "e2", "e3", "e4"}
