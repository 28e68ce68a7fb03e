"""Tests of the clock: what a move costs, when a seat has lost on time, and what `go` tells engines."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.wire.codec import format_command
from protocol.wire.messages import Go
from referee.match.clock import HARD_CAP_NS, NOMINAL_NS, Clock
from referee.match.time_control import NS_PER_MS, TimeControl

MS = NS_PER_MS
SECOND = 1000 * MS
MARGIN = 100 * MS
PAGE = Path(__file__).parents[3] / "docs/reference/time-controls.md"


def make(*texts: str) -> Clock:
    return Clock([TimeControl.parse(text) for text in texts], [MARGIN] * len(texts))


# --- charging


def test_the_margin_is_forgiven_and_not_owed_and_a_nanosecond_more_flags():
    clock = make("1+0.1", "1")
    assert clock.charge(0, SECOND + MARGIN) == 0
    assert clock.budget(0) == 100 * MS + MARGIN
    assert clock.charge(0, 100 * MS + MARGIN + 1) == 1
    assert clock.left_ns(0) == 0


def test_without_increment_a_used_up_clock_has_only_the_margin():
    clock = make("1", "1")
    assert clock.charge(0, SECOND) == 0
    assert clock.budget(0) == MARGIN
    assert clock.go(0).times == (1, 1000)


def test_each_seat_has_its_own_margin():
    clock = Clock([TimeControl.parse("1")] * 2, [0, 5 * MS])
    assert (clock.budget(0), clock.budget(1)) == (SECOND, SECOND + 5 * MS)


def test_a_clock_of_zero_starts_with_one_increment():
    clock = make("0+0.5", "0+0.5")
    assert clock.left_ns(0) == 500 * MS
    clock.charge(0, 400 * MS)
    assert clock.left_ns(0) == 600 * MS


def test_a_session_adds_the_base_again_and_keeps_what_was_left():
    clock = make("3/10+1", "10")
    to_go = []
    for _ in range(7):
        to_go.append(clock.go(0).moves_to_go)
        clock.charge(0, 2 * SECOND)
    assert to_go == [3, 2, 1, 3, 2, 1, 3]
    assert clock.left_ns(0) == 10 * SECOND - 7 * SECOND + 2 * 10 * SECOND


def test_the_last_move_of_a_session_may_not_use_the_next_one():
    clock = make("1/1", "1")
    assert clock.budget(0) == SECOND + MARGIN
    clock.charge(0, SECOND + MARGIN)
    assert clock.left_ns(0) == SECOND
    assert clock.charge(0, SECOND + MARGIN + 1) == 1


def test_a_clock_that_is_opened_again_takes_back_what_the_move_earned():
    clock = make("2/10+1", "10")
    clock.charge(0, 2 * SECOND)
    for used, shown in ((SECOND, 8000), (8 * SECOND - MS // 2, 1)):
        clock.charge(0, used)  # the last move of a session
        clock.reopen(0, used, 0)
        assert (clock.go(0).times[0], clock.go(0).moves_to_go) == (shown, 1)


def test_movestogo_counts_only_the_movers_own_moves():
    clock = make("40/60", "40/60")
    clock.charge(0, MS)
    assert (clock.go(0).moves_to_go, clock.go(1).moves_to_go) == (39, 40)


def test_movetime_is_the_same_before_every_move():
    clock = make("movetime=0.5", "10")
    for _ in range(3):
        assert clock.charge(0, 600 * MS) == 0
        assert clock.left_ns(0) == 500 * MS
    assert clock.charge(0, 600 * MS + 1) == 1


@pytest.mark.parametrize("text", ["depth=6", "nodes=10000", "none"])
def test_without_a_time_limit_the_hard_cap_flags_and_has_no_margin(text: str):
    clock = make(text, text)
    assert clock.budget(0) == HARD_CAP_NS == 600 * SECOND
    assert clock.charge(0, HARD_CAP_NS) == 0
    assert clock.left_ns(0) == HARD_CAP_NS
    assert clock.charge(0, HARD_CAP_NS + 1) == 1


@given(
    st.integers(0, 3000),
    st.integers(0, 500),
    st.integers(1, 4) | st.none(),
    st.lists(st.integers(0, 4 * SECOND), max_size=20),
)
def test_the_clock_agrees_with_the_written_rule(
    base: int, increment: int, session: int | None, uses: list[int]
):
    if base == 0:
        increment, session = increment or 1, None
    control = TimeControl(base_ns=base * MS, increment_ns=increment * MS, moves=session)
    clock = Clock([control, control], [MARGIN, MARGIN])
    left = (base or increment) * MS
    for done, used in enumerate(uses, start=1):
        assert clock.budget(0) == left + MARGIN
        over = clock.charge(0, used)
        assert over == max(0, used - left - MARGIN)
        if over:
            return
        left = max(0, left - used) + increment * MS
        if session is not None and done % session == 0:
            left += base * MS
        assert clock.left_ns(0) == left
        assert clock.go(1).times == (max(1, left // MS), max(1, base or increment))


# --- the limits sent to engines


def test_times_are_rounded_down_to_milliseconds():
    clock = make("10+0.1", "10+0.1")
    clock.charge(0, 1)
    clock.charge(0, MS)
    go = clock.go(1)
    assert go == Go((10_198, 10_000), (100, 100))
    assert {type(number) for number in (*go.times, *go.incs)} == {int}


def test_a_seat_in_the_game_is_never_shown_with_less_than_a_millisecond():
    clock = make("1", "1")
    clock.charge(0, SECOND - MS + 1)
    assert clock.left_ns(0) == MS - 1
    assert clock.go(0).times == (1, 1000)


def test_an_engine_under_none_sees_a_minute_before_every_move():
    clock = make("none", "none")
    for _ in range(2):
        assert clock.go(0) == Go((60_000, 60_000), (0, 0))
        clock.charge(0, 90 * SECOND)
    assert NOMINAL_NS == 60 * SECOND


def test_a_seat_without_a_clock_follows_the_movers_time():
    clock = make("10+0.1", "depth=3", "60")
    clock.charge(0, 4 * SECOND)
    assert clock.go(0) == Go((6100, 6100, 60_000), (100, 100, 0))
    assert clock.go(2) == Go((6100, 60_000, 60_000), (100, 0, 0))


def test_four_seats_are_in_seat_order_and_removed_ones_have_nothing():
    clock = make("10+0.1", "20+0.2", "none", "40+0.4")
    clock.remove(1)
    assert clock.go(3) == Go((10_000, 0, 40_000, 40_000), (100, 0, 400, 400))
    clock.remove(2)
    assert clock.go(0) == Go((10_000, 0, 0, 40_000), (100, 0, 0, 400))
    assert (clock.left_ns(1), clock.left_ns(2)) == (0, 0)


def test_a_seat_that_flagged_can_be_removed_and_the_others_play_on():
    clock = make("1", "1", "1", "1")
    assert clock.charge(2, 2 * SECOND) == 900 * MS
    assert clock.go(0).times == (1000, 1000, 1, 1000)
    clock.remove(2)
    assert clock.charge(3, MS) == 0
    assert clock.go(0).times == (1000, 1000, 0, 999)


def table(heading: str) -> list[list[str]]:
    """Return the words in code style in the table under a heading of the reference page."""
    section = PAGE.read_text().split(f"\n## {heading}\n")[1].split("\n## ")[0]
    rows = [re.findall(r"`([^`]+)`", line) for line in section.splitlines() if line.startswith("| `")]
    assert rows
    return rows


def test_the_page_names_only_controls_that_can_be_written():
    for row in table("How to write a time control"):
        control = TimeControl.parse(row[0])
        assert TimeControl.parse(str(control)) == control


@pytest.mark.parametrize(("text", "line"), table("What the hub tells the engine"))
def test_the_page_tells_what_is_sent(text: str, line: str):
    assert format_command(make(text, text).go(0)) == line


@pytest.mark.parametrize(
    ("first", "second", "to_first", "to_second"), table("Different controls in one game")
)
def test_the_page_tells_what_is_sent_under_different_controls(
    first: str, second: str, to_first: str, to_second: str
):
    clock = make(first, second)
    assert [format_command(clock.go(seat)) for seat in (0, 1)] == [to_first, to_second]


# --- invalid calls


def test_time_does_not_run_backwards():
    with pytest.raises(ValueError, match=r"^seat 0 cannot stop before it started$"):
        make("1", "1").charge(0, -1)


@pytest.mark.parametrize("seat", [1, -1, 4])
def test_a_seat_that_is_not_in_the_game_has_no_clock(seat: int):
    clock = make("1", "1", "1", "1")
    clock.remove(1)
    for call in (clock.budget, clock.go, clock.remove, lambda seat: clock.charge(seat, 0)):
        with pytest.raises(ValueError, match=rf"^seat {seat} is not in the game$"):
            call(seat)
    assert clock.charge(0, 0) == 0


ONE_EACH = "a game's clock needs one time control and one margin for each seat"
NEGATIVE = "a margin must not be negative"


@pytest.mark.parametrize(
    ("texts", "margins", "problem"),
    [
        ([], [], ONE_EACH),
        (["1", "1"], [0], ONE_EACH),
        (["1"], [0, 0], ONE_EACH),
        (["1"], [-1], NEGATIVE),
        (["1", "1"], [5, -1], NEGATIVE),
    ],
)
def test_a_clock_wants_sensible_settings(texts: list[str], margins: list[int], problem: str):
    with pytest.raises(ValueError, match=f"^{problem}$"):
        Clock([TimeControl.parse(text) for text in texts], margins)
