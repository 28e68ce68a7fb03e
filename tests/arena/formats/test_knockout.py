"""Knock-outs: brackets, byes and tied matches."""

import io
from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from arena.formats.contest import Entrants, ScheduleState, Seating
from arena.formats.format import Played
from arena.formats.knockout import EXTRA_PAIRS, KNOCKOUT, KnockoutMatch, _lines, _stages, bracket
from arena.model import Pairing, Stage
from arena.tables.tournament_tables import BracketView
from tests.arena.formats.playing import (
    Judge,
    by_strength,
    check_that_it_goes_on,
    ended,
    keys,
    names,
    play,
    tournament,
)
from tests.seeds import examples

steady = examples(10)


def rounds(spec, results):
    entrants = Entrants("quoridor", tuple(entry.spec.name for entry in spec.engines))
    return bracket(entrants, spec.format_keys, {result.key: result for result in results})


def matches(spec, results):
    return [match for played in rounds(spec, results) for match in played]


@st.composite
def knockouts(draw):
    count = draw(st.integers(2, 20))
    rng = Random(draw(st.integers(0, 999)))
    judge = by_strength({name: rng.gauss(0, 1) for name in names(count)}, draws=0.8)
    return tournament(names(count), "knockout", draw(st.integers(1, 4))), judge


def favourites(pairing: Pairing) -> list[int]:
    return [1, 2] if int(pairing.seats[0][1:]) < int(pairing.seats[1][1:]) else [2, 1]


def level(pairing: Pairing) -> list[int]:
    return [1, 1]


@steady
@given(knockouts())
def test_everybody_but_one_loses_one_match(made) -> None:
    spec, judge = made
    _, results = play(spec, judge, at_once=3)
    played = [match for match in matches(spec, results) if match.reason != "bye"]
    losers = Counter(side for match in played for side in match.sides if side != match.winner)
    assert len(played) == len(spec.engines) - 1
    assert set(losers.values()) <= {1}
    assert len(losers) == len(played)


@steady
@given(knockouts())
def test_a_match_is_whole_with_seats_exchanged_and_nothing_is_played_twice(made) -> None:
    spec, judge = made
    handed, results = play(spec, judge)
    assert len(keys(handed)) == len({game.number for game in handed}) == len(handed)
    for match in matches(spec, results):
        if match.reason == "bye":
            continue
        assert match.played == len(match.games)
        extra = match.played - spec.format_keys.games_per_pairing
        assert extra in range(0, 2 * EXTRA_PAIRS + 1, 2)
        assert (extra > 0) == (match.reason != "points")
        first = Counter(seating.seats[0] for _, _, seating in match.games)
        assert max(first.values()) - min(first.values() if len(first) > 1 else [0]) <= 1


@steady
@given(knockouts(), st.integers(1, 5), st.integers(0, 99), st.integers(0, 60))
def test_a_run_that_goes_on_from_anywhere_plays_the_same_games(made, at_once, seed, until) -> None:
    check_that_it_goes_on(*made, at_once=at_once, seed=seed, until=until)


def test_every_match_has_numbers_of_its_own_for_all_games_that_it_may_need() -> None:
    handed, _ = play(tournament(names(4), "knockout", 4), favourites)
    assert [game.number for game in handed] == [0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23]


@pytest.mark.parametrize("count", [2, 3, 5, 6, 8, 11, 16])
def test_favourites_meet_as_late_as_they_can_and_the_first_ones_have_the_byes(count: int) -> None:
    spec = tournament(names(count), "knockout")
    _, results = play(spec, favourites)
    every = rounds(spec, results)
    for number, played in enumerate(every, 1):
        best = 2 ** (len(every) - number)
        assert sorted(match.winner for match in played) == list(range(best))
    byes = [match.winner for match in every[0] if match.reason == "bye"]
    assert sorted(byes) == list(range(2 ** len(every) - count))


@pytest.mark.parametrize(
    ("count", "lines"),
    [
        (1, [0]),
        (2, [0, 1]),
        (3, [0, 3, 2, 1]),
        (4, [0, 3, 2, 1]),
        (5, [0, 7, 4, 3, 2, 5, 6, 1]),
        (8, [0, 7, 4, 3, 2, 5, 6, 1]),
    ],
)
def test_the_first_and_the_second_are_at_the_ends_of_the_bracket(count: int, lines: list[int]) -> None:
    assert list(_lines(count)) == lines


def test_extra_games_are_three_pairs_with_openings_of_their_own() -> None:
    assert EXTRA_PAIRS == 3
    assert list(_stages(2)) == [range(2), range(2, 4), range(4, 6), range(6, 8)]
    assert list(_stages(3)) == [range(3), range(4, 6), range(6, 8), range(8, 10)]


def test_matches_are_numbered_so_that_all_their_games_find_room() -> None:
    spec = tournament(names(5), "knockout", 3)
    every = rounds(spec, [])
    assert [[match.number for match in played] for played in every] == [[0, 0, 10, 10], [10, 20], [30]]
    assert [match.winner for match in every[0]] == [0, None, 2, 1]
    assert every[1][1] == KnockoutMatch(
        20,
        (2, 1),
        games=tuple(
            (index, f"quoridor:{key}", seating)
            for index, key, seating in (
                (0, "e1|e2:0", Seating((1, 2), 0, 4)),
                (1, "e2|e1:0", Seating((2, 1), 0, 4)),
                (2, "e1|e2:1", Seating((1, 2), 1, 5)),
            )
        ),
    )
    assert every[2][0] == KnockoutMatch(30, (None, None))


def test_points_are_in_the_order_of_the_sides() -> None:
    spec = tournament(names(4), "knockout")
    _, results = play(spec, favourites)
    first, final = rounds(spec, results)
    assert [(match.sides, match.points, match.winner) for match in (*first, *final)] == [
        ((0, 3), (2.0, 0.0), 0),
        ((2, 1), (0.0, 2.0), 1),
        ((0, 1), (2.0, 0.0), 0),
    ]
    assert {match.reason for match in (*first, *final)} == {"points"}


def test_a_match_that_is_under_way_is_open_whichever_engine_leads() -> None:
    spec = tournament(names(2), "knockout", 4)
    _, results = play(spec, favourites, until=3)
    (match,) = matches(spec, results)
    assert (match.points, match.played, match.winner, match.reason) == ((3.0, 0.0), 3, None, "")


def test_nothing_is_to_be_played_until_a_match_that_is_under_way_has_ended() -> None:
    spec = tournament(names(3), "knockout", 1)
    state = ScheduleState()
    pending = spec.schedule().pending(state)
    assert next(pending) == Stage("quoridor", "round 1 of 2")
    game = next(pending)
    assert (game.number, game.seats) == (0, ("e1", "e2"))
    state.running[game.key] = game
    assert [next(pending), next(pending)] == [None, None]
    del state.running[game.key]
    state.results[game.key] = ended(game, [1, 2])
    assert next(pending) == Stage("quoridor", "round 2 of 2")
    game = next(pending)
    assert (game.number, game.seats) == (8, ("e0", "e1"))
    state.results[game.key] = ended(game, [2, 1])
    assert list(pending) == []


def test_a_level_match_is_prolonged_by_pairs_and_in_the_end_the_file_decides() -> None:
    spec = tournament(names(2), "knockout", 3)
    _, results = play(spec, level)
    (match,) = matches(spec, results)
    assert (match.played, match.winner, match.reason) == (3 + 2 * EXTRA_PAIRS, 0, "seed")
    assert len({seating.opening for _, _, seating in match.games[3:5]}) == 1


def test_a_pair_that_is_decided_ends_a_level_match() -> None:
    def second_pair(pairing: Pairing) -> list[int]:
        return [1, 2] if pairing.key == "quoridor:e1|e0:2" else [1, 1]

    spec = tournament(names(2), "knockout", 2)
    _, results = play(spec, second_pair)
    (match,) = matches(spec, results)
    assert (match.played, match.winner, match.reason) == (6, 1, "extra games")


def test_a_match_whose_sides_are_known_need_not_wait_for_the_others() -> None:
    spec = tournament(names(4), "knockout", 1)
    handed, _ = play(spec, favourites, at_once=2, until=1)
    assert len(handed) == 2
    finals = [match for match in matches(spec, []) if None in match.sides]
    assert len(finals) == 1


# -- the bracket as text -------------------------------------------------------------------------------------


def shown(spec, judge: Judge, until: int | None = None, width: int = 60, encoding: str = "utf-8") -> str:
    _, results = play(spec, judge, until=until)
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    console = Console(file=out, width=width, highlight=False)
    view = spec.plan.view("quoridor", Played(len(results), lambda: results))
    console.print(BracketView(view.bracket))
    out.flush()
    assert isinstance(out.buffer, io.BytesIO)
    return out.buffer.getvalue().decode(encoding)


def test_the_bracket_is_drawn_with_points_and_without_empty_byes() -> None:
    assert shown(tournament(names(3), "knockout"), favourites).splitlines() == [
        "         e0 2 ─┐",
        "               │",
        "               ├─ e0",
        "e2 0 ─┐        │",
        "      ├─ e1 0 ─┘",
        "e1 2 ─┘",
    ]


def test_a_bracket_that_is_too_wide_is_cut_in_the_names_and_never_in_the_points() -> None:
    long = tournament([f"an engine with a long name {number}" for number in range(4)], "knockout")
    text = shown(long, level, width=50)
    assert max(map(len, text.splitlines())) <= 50
    assert "… 4" in text
    assert shown(long, level, until=0, width=50, encoding="ascii").isascii()


def test_for_programs_the_bracket_has_names_and_what_is_not_known_yet_is_null() -> None:
    spec = tournament(names(3), "knockout")
    _, results = play(spec, favourites, until=1)
    first, final = spec.plan.view("quoridor", Played(len(results), lambda: results)).bracket
    assert first[0] == {"engines": ["e0", None], "points": [0, 0], "games": 0, "winner": "e0", "by": "bye"}
    assert (first[1]["engines"], first[1]["games"], first[1]["winner"]) == (["e2", "e1"], 1, None)
    assert final[0]["engines"] == ["e0", None]


def test_a_plan_says_when_the_cup_is_over_who_stands_where_and_whom_the_file_put_through() -> None:
    spec = tournament(names(5), "knockout", 2)
    _, results = play(spec, level)
    keys = spec.format_keys
    entrants = Entrants("quoridor", tuple(names(5)))

    def asked(count: int) -> Played:
        return Played(count, lambda: results[:count])

    assert [KNOCKOUT.is_over(keys, entrants, asked(count)) for count in range(len(results) + 1)] == [
        *[False] * len(results),
        True,
    ]
    assert KNOCKOUT.is_over(keys, Entrants("quoridor", ()), asked(0))
    view = KNOCKOUT.view(keys, entrants, asked(len(results)))
    assert (view.title, view.note) == ("Knock-out", "Order: the last round that the engine reached.")
    assert view.bracket is not None
    assert view.data == {"bracket": view.bracket}
    final = view.bracket[-1][0]
    assert final == {
        "engines": ["e0", "e1"],
        "points": [1 + EXTRA_PAIRS, 1 + EXTRA_PAIRS],
        "games": 2 + 2 * EXTRA_PAIRS,
        "winner": "e0",
        "by": "seed",
    }
    assert view.remark == (
        "Still tied after 3 extra pairs, so the order of the file decided for: e3, e0, e1, e0"
    )
    assert view.places == [(1, "e0"), (2, "e1"), (3, "e2"), (3, "e3"), (5, "e4")]
    _, results = play(spec, favourites)
    assert KNOCKOUT.view(keys, entrants, asked(len(results))).remark == ""
