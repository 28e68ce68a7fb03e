"""Tests of turns, limits, time plans and options of the engine library, without processes."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.engine import Button, Combo, Engine, Spin, String, Turn
from protocol.engine.turn import Limits, plan
from referee import game


def a_turn(go: str, *, seat: int | None = 0, start: str | None = None, moves: tuple[str, ...] = ()) -> Turn:
    return Turn("quoridor", start, moves, Limits(go), seat=seat)


def test_limits_are_read_in_any_order_and_what_is_no_number_is_skipped():
    limits = Limits(
        "p2inc 4 p1time 100 p2time -5 p1inc x movestogo 7 novelty 3 movetime depth 3 nodes 99999999999999999"
    )
    assert limits.clocks == (100, 0)
    assert limits.increments == (0, 4)
    assert (limits.moves_to_go, limits.movetime, limits.depth, limits.nodes) == (7, None, 3, None)


def test_the_own_clock_belongs_to_the_own_seat():
    go = "p1time 100 p2time 200 p1inc 1 p2inc 2"
    assert (a_turn(go, seat=1).time, a_turn(go, seat=1).increment) == (200, 2)
    assert a_turn(go, seat=None, moves=("e2", "e8", "e3")).time == 200  # by the seat to move
    unsure = a_turn(go, seat=None, start="/ / e2 e9 / 10 10 / 2")
    assert (unsure.seat, unsure.time, unsure.increment) == (None, 100, 1)


def test_time_is_planned_with_clocks_and_movetime_only():
    assert a_turn("movetime 500").budget_ms() == a_turn("movetime 500").limit_ms() == 495
    for go in ("depth 3", "nodes 10", "infinite", ""):
        assert a_turn(go).budget_ms() is None
        assert not a_turn(go).out_of_time()
    assert 0 < a_turn("p1time 10000 p2time 1 p1inc 100 p2inc 0").budget_ms() < 1000


def test_a_search_is_out_of_time_when_stopped_or_past_its_limit():
    turn = a_turn("depth 3")
    turn.stop()
    assert turn.stopped()
    assert turn.out_of_time()
    late = a_turn("movetime 1")
    time.sleep(0.002)
    assert late.out_of_time()
    assert not late.stopped()


def test_a_turn_for_a_test_needs_little():
    turn = Turn("quoridor", legal=["e2", "e3"], limits="movetime 500")
    assert (turn.legal, turn.movetime, turn.start, turn.moves, turn.seat) == (("e2", "e3"), 500, None, (), 0)


def test_depths_go_on_while_another_is_worth_starting():
    assert list(Turn("quoridor", limits="depth 3").depths()) == [1, 2, 3]
    assert list(Turn("quoridor", limits="depth 30").depths(4)) == [1, 2, 3, 4]
    assert list(Turn("quoridor", limits="nodes 5").depths()) == list(range(1, 101))
    short = Turn("quoridor", limits="p1time 1 p2time 1 p1inc 0 p2inc 0")
    time.sleep(0.002)
    assert list(short.depths()) == [1]
    long = Turn("quoridor", limits="movetime 1000000")
    assert list(long.depths(5)) == [1, 2, 3, 4, 5]


def test_depths_end_with_a_stop_but_give_the_first_one_all_the_same():
    turn = Turn("quoridor")
    turn.stop()
    assert list(turn.depths()) == [1]
    seen = []
    turn = Turn("quoridor")
    for depth in turn.depths():
        seen.append(depth)
        if depth == 3:
            turn.stop()
    assert seen == [1, 2, 3]


@given(
    st.integers(0, 10**8),
    st.integers(0, 10**6),
    st.one_of(st.none(), st.integers(0, 200)),
    st.integers(0, 1000),
)
def test_the_plan_never_goes_beyond_the_clock(left, increment, moves_to_go, overhead):
    share, limit = plan(left, increment, moves_to_go, overhead=overhead)
    assert 1 <= share <= limit <= max(1, left - overhead)


def test_the_last_move_before_the_clock_is_filled_may_take_all_that_is_left():
    assert plan(1020, 0, 1) == (1000, 1000)
    assert plan(1020, 0, 2) == (500, 500)


def test_a_game_played_by_the_plan_never_runs_out():
    left = 10_000
    for _ in range(500):
        _, limit = plan(left, 100)
        left += 100 - limit
        assert left > 0


def test_a_long_game_settles_with_a_reserve_of_25_increments():
    left = 10_000
    for _ in range(500):
        share, _ = plan(left, 100, overhead=0)
        left += 100 - share
    assert 2400 <= left <= 2600


def test_moves_are_replayed_by_the_rules_and_removed_seats_are_passed_over():
    rules = game("quoridor4")
    turn = a_turn("depth 1", moves=("e2", "b5", "!3", "h5", "!1", "c5"))
    position = turn.replay(rules)
    assert str(position) == "/ / e2 c5 e9 h5 / 5 5 5 5 / 4"
    assert turn.removed == {0, 2}
    from_string = a_turn("depth 1", start="/ / e2 e9 / 10 10 / 2", moves=("e8",))
    assert str(from_string.replay(game("quoridor"))) == "/ / e2 e8 / 10 10 / 1"


def test_a_report_has_what_was_given_and_the_time():
    said: list[str] = []
    turn = Turn("", None, (), Limits("depth 3"), send=said.append)
    turn.info(depth=3, score_cp=-12, nodes=0, pv=["e2", "e8"], string="two\nlines")
    turn.info(score_mate=-4)
    assert [re.sub(r"time \d+", "time T", line) for line in said] == [
        "info depth 3 score cp -12 nodes 0 nps 0 time T pv e2 e8 string two lines",
        "info score mate -4 time T",
    ]


def test_legal_moves_that_never_came_are_missed_with_a_reason():
    with pytest.raises(RuntimeError, match="sent no legal moves"):
        _ = Turn("quoridor", None, (), Limits("depth 1")).legal


# --- options


@pytest.mark.parametrize(
    "declare",
    [
        lambda: Spin("Depth", 10, 1, 9),
        lambda: Combo("Style", "odd", ("calm", "wild")),
        lambda: Button(""),
        lambda: Button("Two  Spaces"),
        lambda: String("the value of it"),
    ],
)
def test_an_option_that_the_wire_cannot_carry_cannot_be_declared(declare):
    with pytest.raises(ValueError, match="option"):
        declare()


def test_settings_have_their_defaults_before_anything_was_set():
    class Typed(Engine):
        options = (Spin("Depth", 3, 1, 9), String("Book"))

        def __init__(self, extra: int) -> None:
            self.depth = self.settings["Depth"] + extra

    assert Typed(4).depth == 7
    assert Typed(4).settings == {"Depth": 3, "Book": ""}
