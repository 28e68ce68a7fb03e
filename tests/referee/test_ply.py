"""Tests of `Ply`, which the referee and the database share."""

import json

from protocol.wire.messages import Thought
from referee.match.job import JobFinished, SeatResult, decode_event, encode
from referee.outcome import Termination
from referee.ply import Ply, count_moves
from tests.referee.match.test_arbiter import arbiter

MOVE, REMOVAL = Ply(0, "e2", 1_500, "cp -3", 7, Thought(12, 34, 9, None, "e2 e8")), Ply(1, "!2", 0)


def test_a_ply_is_an_array_on_the_wire_as_the_reference_has_it():
    seat = SeatResult("", "", 1, None, 0, 0)
    finished = JobFinished(
        "7", Termination.CRASH, "crash", "", (seat, seat), (MOVE, REMOVAL), "/ / e2", 0.5, 9
    )
    line = encode(finished)
    assert json.loads(line)["record"] == [
        [0, "e2", 1500, "cp -3", 7, [12, 34, 9, None, "e2 e8", ""]],
        [1, "!2", 0, "", None, None],
    ]
    assert decode_event(line) == finished


def test_removals_are_no_moves():
    assert [ply.is_removal for ply in (MOVE, REMOVAL)] == [False, True]
    assert count_moves([MOVE, REMOVAL, MOVE]) == 2


def test_the_arbiter_records_what_the_engine_reported_and_the_clock_measured():
    judge = arbiter("quoridor4")
    judge.budget()
    judge.on_move("e2", 0, 2_000_000, "depth 4 nodes 9 score cp 31 pv e2 e8")
    judge.budget()
    judge.on_move("zz", 0, 1_000, "depth 5 score cp 1")
    assert judge.record == [Ply(0, "e2", 2_000_000, "cp 31", 4, Thought(9, pv="e2 e8")), Ply(1, "!2", 0)]
