"""The record of a game that was played outside a tournament."""

from __future__ import annotations

from arena.ended_games import points
from arena.model import GameRecord, GameResult, Opening, PlayerRecord
from referee import game as find_game
from referee.match.job import Job, JobFinished
from referee.ply import count_moves

__all__ = ["single_record"]


def single_record(job: Job, finished: JobFinished, tournament: str = "") -> GameRecord:
    """Return the record of a finished job. It is the first game of its tournament.

    Args:
        job: the job.
        finished: how it ended.
        tournament: the name of the tournament of the record.
    """
    ranks = tuple(seat.rank for seat in finished.seats if seat.rank is not None)
    scores = points(ranks, tuple(seat.forfeit for seat in finished.seats))
    players = tuple(
        PlayerRecord(
            seat.engine.name,
            result.version,
            result.rank,
            score,
            result.forfeit,
            seat.time_control,
            seat.engine.margin,
            result.time_used,
        )
        for seat, result, score in zip(job.seats, finished.seats, scores, strict=True)
    )
    result = GameResult(
        None,
        tournament,
        0,
        job.id,
        job.game,
        finished.termination,
        finished.reason,
        finished.detail,
        count_moves(finished.record),
        players,
    )
    position = job.position
    if position is None and job.setup is not None:
        position = str(find_game(job.game).start(job.setup))
    opening = Opening(position, tuple(job.moves))
    return GameRecord(
        result, opening, finished.record, finished.final_position, finished.started, finished.duration
    )
