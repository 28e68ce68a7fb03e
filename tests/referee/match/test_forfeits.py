"""Tests of forfeits: their terminations, and what they say about the player."""

import pytest

from protocol import errors
from referee import MoveError, Termination
from referee.match.forfeits import Forfeit, failure, illegal_move, late_move


@pytest.mark.parametrize(
    ("error", "termination"),
    [
        (errors.EngineTimedOut, Termination.TIME),
        (errors.EngineStalled, Termination.STALL),
        (errors.EngineFlooded, Termination.FLOOD),
        (errors.EngineCrashed, Termination.CRASH),
        (errors.EngineStartError, Termination.CRASH),
        (errors.EngineError, Termination.CRASH),
    ],
)
def test_a_failure_ends_the_game_by_its_kind_and_keeps_its_words(error, termination):
    assert failure(error("exited with status 3")) == Forfeit(termination, "exited with status 3")


def test_a_late_move_is_a_forfeit_on_time_in_tenths_of_a_millisecond():
    assert late_move(12_340_000) == Forfeit(Termination.TIME, "was 12.3 ms over its time and margin")
    assert late_move(600_000_000_000).detail == "was 600000.0 ms over its time and margin"


def test_an_illegal_move_is_quoted_up_to_60_characters_with_what_the_rules_say():
    assert illegal_move("e" * 60, MoveError("why")).detail == f"played '{'e' * 60}': why"
    assert illegal_move("e" * 61, MoveError("why")) == Forfeit(
        Termination.ILLEGAL, f"played '{'e' * 60}': why"
    )
