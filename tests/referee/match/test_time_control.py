"""Tests of time controls: the forms that are read and written, and the errors about all others."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.errors import TimeControlError
from referee.match.time_control import ACCEPTED_FORMS, MAX_COUNT, MAX_TIME_NS, NS_PER_MS, TimeControl

SECOND = 1000 * NS_PER_MS

times = st.integers(1, MAX_TIME_NS // NS_PER_MS).map(lambda ms: ms * NS_PER_MS)
short_times = st.integers(0, 20_000).map(lambda ms: ms * NS_PER_MS)
counts = st.integers(1, MAX_COUNT)
controls = st.one_of(
    st.just(TimeControl()),
    st.builds(TimeControl, base_ns=times, increment_ns=short_times, moves=st.none() | counts),
    st.builds(TimeControl, base_ns=st.just(0), increment_ns=times),
    st.builds(TimeControl, movetime_ns=times),
    st.builds(TimeControl, depth=counts),
    st.builds(TimeControl, nodes=counts),
)


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("10+0.1", TimeControl(base_ns=10 * SECOND, increment_ns=SECOND // 10)),
        ("60", TimeControl(base_ns=60 * SECOND)),
        ("0.05", TimeControl(base_ns=50 * NS_PER_MS)),
        ("0+0.1", TimeControl(base_ns=0, increment_ns=SECOND // 10)),
        ("40/60", TimeControl(base_ns=60 * SECOND, moves=40)),
        ("40/60+0.5", TimeControl(base_ns=60 * SECOND, increment_ns=SECOND // 2, moves=40)),
        ("movetime=0.5", TimeControl(movetime_ns=SECOND // 2)),
        ("depth=6", TimeControl(depth=6)),
        ("nodes=10000", TimeControl(nodes=10_000)),
        ("none", TimeControl()),
        ("2592000", TimeControl(base_ns=MAX_TIME_NS)),
    ],
)
def test_each_form_is_read_and_written_back(text: str, control: TimeControl):
    assert TimeControl.parse(text) == control
    assert str(control) == text


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("010.50+0", "10.5"),
        ("60+0.000", "60"),
        ("1.1000000", "1.1"),
        ("007/3", "7/3"),
        ("movetime=2.0", "movetime=2"),
        ("depth=06", "depth=6"),
        ("1:30+1", "90+1"),
        ("40/1:05", "40/65"),
        ("0:00.5", "0.5"),
        ("0:0+0.1", "0+0.1"),
        ("43200:00", "2592000"),
        ("inf", "none"),
        ("infinite", "none"),
    ],
)
def test_other_spellings_become_canonical(text: str, canonical: str):
    assert str(TimeControl.parse(text)) == canonical


@given(controls)
def test_the_text_of_any_control_reads_back_as_itself(control: TimeControl):
    assert TimeControl.parse(str(control)) == control


@given(st.text("0123456789.+/:=-enox ", max_size=12) | st.text(max_size=8))
def test_any_text_is_a_control_or_an_error_that_quotes_it(text: str):
    message, control = "", None
    try:
        control = TimeControl.parse(text)
    except TimeControlError as error:
        message = str(error)
    assert repr(text) in message or TimeControl.parse(str(control)) == control


def no_seconds(text: str) -> str:
    return f"{text!r} is not a number of seconds such as 10 or 0.5"


def no_count(text: str) -> str:
    return f"{text!r} is not a whole number"


def no_limit(word: str) -> str:
    return f"there is no limit called {word!r}"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", no_seconds("")),
        ("-5", no_seconds("-5")),
        ("10+-1", no_seconds("-1")),
        ("+5", no_seconds("")),
        ("10+", no_seconds("")),
        ("/60", no_count("")),
        ("40/", no_seconds("")),
        ("1/2/3", no_count("1/2")),
        ("1+2+3", no_seconds("2+3")),
        ("1e3", no_seconds("1e3")),
        ("nan", no_seconds("nan")),
        ("Inf", no_seconds("Inf")),
        ("inf+1", no_seconds("inf")),
        ("40/inf", no_seconds("inf")),
        ("1:60", "'1:60' has more than 59 seconds after its colon"),
        ("1:-5", no_seconds("-5")),
        ("1:", no_seconds("")),
        (":30", no_count("")),
        ("1.5:30", no_count("1.5")),
        ("-1:30", no_count("-1")),
        ("1:30:00", no_seconds("30:00")),
        ("0:00", "a clock that starts with 0 seconds needs an increment"),
        ("43200:00.001", "a time must not be longer than 30 days"),
        ("1+0:05", no_seconds("0:05")),
        ("movetime=0:05", no_seconds("0:05")),
        (" 60", no_seconds(" 60")),
        ("60\n", no_seconds("60\n")),
        ("60s", no_seconds("60s")),
        ("1_000", no_seconds("1_000")),
        ("٣", no_seconds("٣")),
        (".5", no_seconds(".5")),
        ("5.", no_seconds("5.")),
        ("None", no_seconds("None")),
        ("0", "a clock that starts with 0 seconds needs an increment"),
        ("0+0.000", "a clock that starts with 0 seconds needs an increment"),
        ("40/0+0.1", "a session of moves needs more than 0 seconds"),
        ("0/60", "moves must be from 1 to 2147483647"),
        ("4.5/60", no_count("4.5")),
        ("0.0005", "a time must not be finer than 0.001 seconds"),
        ("10+0.00099999999999999999999999999999", "a time must not be finer than 0.001 seconds"),
        ("1.000000000000000000000000000000000000000001", "a time must not be finer than 0.001 seconds"),
        ("2592000.001", "a time must not be longer than 30 days"),
        ("99999999999999999999999999", "a time must not be longer than 30 days"),
        ("1+9999999", "a time must not be longer than 30 days"),
        ("movetime=0", "the time for a move must be more than 0 seconds"),
        ("movetime=", no_seconds("")),
        ("movetime=-1", no_seconds("-1")),
        ("movetime=9999999", "a time must not be longer than 30 days"),
        ("depth=0", "depth must be from 1 to 2147483647"),
        ("depth=3.5", no_count("3.5")),
        ("depth=1=2", no_count("1=2")),
        ("depth=2147483648", "depth must be from 1 to 2147483647"),
        ("nodes=1e6", no_count("1e6")),
        ("nodes=0", "nodes must be from 1 to 2147483647"),
        ("=5", no_limit("")),
        ("none=1", no_limit("none")),
        ("Depth=6", no_limit("Depth")),
        ("deep=6", no_limit("deep")),
        ("10=5", no_limit("10")),
    ],
)
def test_a_bad_control_is_refused_with_its_text_the_problem_and_the_forms(text: str, problem: str):
    with pytest.raises(TimeControlError) as caught:
        TimeControl.parse(text)
    message = str(caught.value)
    assert message == f"time control {text!r}: {problem}; write {ACCEPTED_FORMS}"
    assert "\n" not in message


def test_the_forms_in_the_message_can_be_read():
    forms = re.findall(r"[a-z0-9:/+.=]*[0-9=][a-z0-9:/+.=]*|none|inf", ACCEPTED_FORMS)
    others = ["40/60", "40/60+0.5", "movetime=0.5", "depth=6", "nodes=10000", "none"]
    assert forms == ["10+0.1", "60", "1:30+1", *others, "inf"]
    assert [str(TimeControl.parse(form)) for form in forms] == ["10+0.1", "60", "90+1", *others, "none"]


def test_a_very_long_text_is_refused_in_a_short_message():
    assert TimeControl.parse("60." + "0" * 97) == TimeControl(base_ns=60 * SECOND)
    for text in ("60." + "0" * 98, "9" * 100_000):
        with pytest.raises(TimeControlError) as caught:
            TimeControl.parse(text)
        assert str(caught.value) == f"time control {text[:100]!r}: too long; write {ACCEPTED_FORMS}"


KINDS = "only one of a clock, a time per move, a depth and a number of nodes can be set"
CLOCK = "an increment and a number of moves need a clock"
FINE = "a time must not be finer than 0.001 seconds"


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"base_ns": SECOND, "movetime_ns": SECOND}, KINDS),
        ({"base_ns": SECOND, "depth": 3}, KINDS),
        ({"movetime_ns": SECOND, "nodes": 3}, KINDS),
        ({"depth": 3, "nodes": 3}, KINDS),
        ({"increment_ns": SECOND}, CLOCK),
        ({"moves": 40}, CLOCK),
        ({"movetime_ns": SECOND, "increment_ns": SECOND}, CLOCK),
        ({"depth": 3, "moves": 40}, CLOCK),
        ({"base_ns": 0}, "a clock that starts with 0 seconds needs an increment"),
        ({"base_ns": 0, "increment_ns": SECOND, "moves": 3}, "a session of moves needs more than 0 seconds"),
        ({"movetime_ns": 0}, "the time for a move must be more than 0 seconds"),
        ({"base_ns": -NS_PER_MS}, "a time must not be negative"),
        ({"base_ns": SECOND, "increment_ns": -NS_PER_MS}, "a time must not be negative"),
        ({"movetime_ns": -NS_PER_MS}, "a time must not be negative"),
        ({"base_ns": SECOND + 1}, FINE),
        ({"base_ns": SECOND, "increment_ns": 1}, FINE),
        ({"movetime_ns": NS_PER_MS // 2}, FINE),
        ({"base_ns": MAX_TIME_NS + NS_PER_MS}, "a time must not be longer than 30 days"),
        ({"base_ns": 0, "increment_ns": MAX_TIME_NS + NS_PER_MS}, "a time must not be longer than 30 days"),
        ({"movetime_ns": MAX_TIME_NS + NS_PER_MS}, "a time must not be longer than 30 days"),
        ({"base_ns": SECOND, "moves": 0}, "moves must be from 1 to 2147483647"),
        ({"base_ns": SECOND, "moves": MAX_COUNT + 1}, "moves must be from 1 to 2147483647"),
        ({"depth": -1}, "depth must be from 1 to 2147483647"),
        ({"nodes": 0}, "nodes must be from 1 to 2147483647"),
    ],
)
def test_no_control_can_be_made_that_no_text_gives(fields: dict[str, int], problem: str):
    with pytest.raises(ValueError, match=f"^{problem}$"):
        TimeControl(**fields)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        (
            {"base_ns": MAX_TIME_NS, "increment_ns": MAX_TIME_NS, "moves": MAX_COUNT},
            "2147483647/2592000+2592000",
        ),
        ({"base_ns": NS_PER_MS, "moves": 1}, "1/0.001"),
        ({"base_ns": 0, "increment_ns": NS_PER_MS}, "0+0.001"),
        ({"movetime_ns": MAX_TIME_NS}, "movetime=2592000"),
        ({"movetime_ns": NS_PER_MS}, "movetime=0.001"),
        ({"depth": 1}, "depth=1"),
        ({"nodes": MAX_COUNT}, "nodes=2147483647"),
        ({"base_ns": 1010 * NS_PER_MS}, "1.01"),
    ],
)
def test_the_longest_and_the_shortest_control_can_be_made_and_written(fields: dict[str, int], text: str):
    control = TimeControl(**fields)
    assert str(control) == text
    assert TimeControl.parse(text) == control
