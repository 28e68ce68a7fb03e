from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.adjudication import Adjudication, RepetitionTracker
from referee.game import GameInfo


def info(ply_limit: int | None) -> GameInfo:
    return GameInfo("g", "G", 2, "3x3", ply_limit, 0.1, "sheet", ())


@pytest.mark.parametrize("limit", [400, None])
def test_a_game_is_adjudicated_at_the_third_time_and_at_its_own_length(limit: int | None):
    assert Adjudication.for_game(info(limit)) == Adjudication(repetition=3, plies=limit)


def test_both_can_be_off():
    assert Adjudication(repetition=None, plies=None).repetition is None


@pytest.mark.parametrize("repetition", [1, 0, -3])
def test_a_position_must_be_allowed_once(repetition: int):
    with pytest.raises(ValueError, match=f"at least 2, or off; not {repetition}"):
        Adjudication(repetition=repetition)
    with pytest.raises(ValueError, match="at least 2"):
        RepetitionTracker(repetition)


@pytest.mark.parametrize("plies", [0, -1])
def test_a_game_must_be_allowed_a_ply(plies: int):
    with pytest.raises(ValueError, match=f"at least 1, or off; not {plies}"):
        Adjudication(plies=plies)


def test_the_third_time_counts_and_no_earlier_one():
    tracker = RepetitionTracker(3)
    assert [tracker.update(key) for key in "abababb"] == [False, False, False, False, True, True, True]


@settings(deadline=None, derandomize=True)
@given(st.integers(2, 5), st.lists(st.integers(0, 6), max_size=40))
def test_a_tracker_counts_like_counting(limit: int, keys: list[int]):
    tracker = RepetitionTracker(limit)
    seen: Counter[int] = Counter()
    for key in keys:
        seen[key] += 1
        assert tracker.update(key) == (seen[key] >= limit)


def test_equal_keys_are_one_position_though_not_the_same_object():
    tracker = RepetitionTracker(2)
    assert not tracker.update(("e2", *["e8"]))
    assert tracker.update(("e2", *["e8"]))


def test_after_a_reset_nothing_has_been_seen():
    tracker = RepetitionTracker(2)
    tracker.update("a")
    tracker.reset()
    assert not tracker.update("a")
    assert tracker.update("a")


def test_memory_is_one_entry_a_position():
    tracker = RepetitionTracker(3)
    for ply in range(1000):
        tracker.update(ply % 10)
    assert len(tracker._counts) == 10
