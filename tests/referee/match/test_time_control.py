import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.errors import RefereeError, TimeControlError
from referee.match.time_control import MAX_COUNT, MAX_TIME_NS, NS_PER_MS, TimeControl

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
    ],
)
def test_other_spellings_become_canonical(text: str, canonical: str):
    assert str(TimeControl.parse(text)) == canonical


def test_a_tenth_is_exact():
    assert TimeControl.parse("0.1+0.3").increment_ns == 300_000_000


@settings(deadline=None, derandomize=True)
@given(controls)
def test_the_text_of_any_control_reads_back_as_itself(control: TimeControl):
    assert TimeControl.parse(str(control)) == control


@settings(deadline=None, derandomize=True)
@given(st.text("0123456789.+/=-enox ", max_size=12) | st.text(max_size=8))
def test_any_text_is_a_control_or_an_error_that_quotes_it(text: str):
    message, control = "", None
    try:
        control = TimeControl.parse(text)
    except TimeControlError as error:
        message = str(error)
    assert repr(text) in message or TimeControl.parse(str(control)) == control


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no plain number of seconds"),
        ("-5", "'-5' is no plain number of seconds"),
        ("10+-1", "'-1' is no plain number"),
        ("+5", "'' is no plain number"),
        ("10+", "'' is no plain number"),
        ("/60", "'' is no plain whole number"),
        ("40/", "'' is no plain number of seconds"),
        ("1/2/3", "'1/2' is no plain whole number"),
        ("1+2+3", "'2+3' is no plain number"),
        ("1e3", "'1e3' is no plain number"),
        ("nan", "'nan' is no plain number"),
        ("inf", "'inf' is no plain number"),
        ("infinite", "'infinite' is no plain number"),
        (" 60", "' 60' is no plain number"),
        ("60\n", "no plain number"),
        ("60s", "'60s' is no plain number"),
        ("1_000", "'1_000' is no plain number"),
        ("٣", "no plain number"),
        (".5", "'.5' is no plain number"),
        ("5.", "'5.' is no plain number"),
        ("None", "'None' is no plain number"),
        ("0", "needs an increment"),
        ("0+0.000", "needs an increment"),
        ("40/0+0.1", "a session of moves needs more than 0 seconds"),
        ("0/60", "moves must be from 1"),
        ("4.5/60", "'4.5' is no plain whole number"),
        ("0.0005", "finer than 0.001"),
        ("10+0.00099999999999999999999999999999", "finer than 0.001"),
        ("1.000000000000000000000000000000000000000001", "finer than 0.001"),
        ("2592000.001", "longer than 30 days"),
        ("99999999999999999999999999", "longer than 30 days"),
        ("1+9999999", "longer than 30 days"),
        ("movetime=0", "more than 0 seconds"),
        ("movetime=", "'' is no plain number"),
        ("movetime=-1", "'-1' is no plain number"),
        ("movetime=9999999", "longer than 30 days"),
        ("depth=0", "depth must be from 1"),
        ("depth=3.5", "'3.5' is no plain whole number"),
        ("depth=2147483648", "depth must be from 1 to 2147483647"),
        ("nodes=1e6", "'1e6' is no plain whole number"),
        ("nodes=0", "nodes must be from 1"),
        ("=5", "no limit called ''"),
        ("none=1", "no limit called 'none'"),
        ("Depth=6", "no limit called 'Depth'"),
        ("deep=6", "no limit called 'deep'"),
        ("10=5", "no limit called '10'"),
    ],
)
def test_a_bad_control_is_refused_with_its_text_the_problem_and_the_forms(text: str, problem: str):
    with pytest.raises(TimeControlError) as caught:
        TimeControl.parse(text)
    message = str(caught.value)
    assert repr(text) in message
    assert problem in message
    for form in ("10+0.1", "60", "40/60+0.5", "movetime=0.5", "depth=6", "nodes=10000", "none"):
        assert form in message
    assert "\n" not in message


def test_a_very_long_text_is_refused_in_a_short_message():
    with pytest.raises(TimeControlError, match="too long") as caught:
        TimeControl.parse("9" * 100_000)
    assert len(str(caught.value)) < 400


def test_a_bad_control_is_an_error_of_the_referee():
    assert issubclass(TimeControlError, RefereeError)


@pytest.mark.parametrize(
    "fields",
    [
        {"base_ns": SECOND, "movetime_ns": SECOND},
        {"depth": 3, "nodes": 3},
        {"increment_ns": SECOND},
        {"moves": 40},
        {"movetime_ns": SECOND, "increment_ns": SECOND},
        {"base_ns": 0},
        {"base_ns": -SECOND},
        {"base_ns": SECOND, "increment_ns": -NS_PER_MS},
        {"base_ns": SECOND + 1},
        {"movetime_ns": NS_PER_MS // 2},
        {"movetime_ns": MAX_TIME_NS + NS_PER_MS},
        {"base_ns": SECOND, "moves": 0},
        {"depth": -1},
    ],
)
def test_no_control_can_be_made_that_no_text_gives(fields: dict[str, int]):
    with pytest.raises(ValueError, match=r"must|needs|exclude|go with"):
        TimeControl(**fields)
