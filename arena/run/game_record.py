"""A game of a tournament: the order to play it, and its record with names, points and forfeits."""

from __future__ import annotations

import time
from dataclasses import dataclass

from arena.config import EngineEntry, TournamentSpec
from arena.ended_games import points
from arena.model import GameRecord, GameResult, Pairing, PlayerRecord
from referee.match.job import Job, JobFinished, JobSeat, SeatResult
from referee.outcome import Termination
from referee.ply import count_moves


@dataclass(frozen=True, slots=True)
class RunningGame:
    """A game that a referee plays.

    Attributes:
        pairing: the game.
        spec: the tournament as it was when the game started, because its file may change.
    """

    pairing: Pairing
    spec: TournamentSpec


def new_job(spec: TournamentSpec, pairing: Pairing, entries: list[EngineEntry]) -> Job:
    """Return the order to play a game; ``entries`` are its engines in seat order."""
    return Job(
        id=str(pairing.number + 1),
        game=pairing.game,
        seats=tuple(JobSeat(entry.spec, str(entry.time_control)) for entry in entries),
        position=pairing.opening.position,
        moves=pairing.opening.moves,
        adjudication=spec.adjudication,
        log=None if spec.log is None else str(spec.log),
    )


def played_game_record(
    spec: TournamentSpec, pairing: Pairing, finished: JobFinished, worker: str = "", scale: float = 1.0
) -> GameRecord:
    """Return the record of a game that a referee has played.

    Args:
        spec: the tournament.
        pairing: the game.
        finished: its result.
        worker: as in `GameRecord`.
        scale: as in `GameRecord`.
    """
    entries = _entries(spec, pairing)
    ranks = tuple(seat.rank for seat in finished.seats)
    known_ranks = tuple(rank for rank in ranks if rank is not None)
    scores = (
        points(known_ranks, tuple(seat.forfeit for seat in finished.seats))
        if len(known_ranks) == len(ranks)
        else (0.0,) * len(ranks)
    )
    result = GameResult(
        id=None,
        tournament=spec.name,
        number=pairing.number,
        key=pairing.key,
        game=pairing.game,
        termination=finished.termination,
        reason=finished.reason,
        detail=finished.detail,
        plies=count_moves(finished.record),
        players=tuple(
            _player_record(entry, seat, score)
            for entry, seat, score in zip(entries, finished.seats, scores, strict=True)
        ),
    )
    return GameRecord(
        result,
        pairing.opening,
        finished.record,
        finished.final_position,
        finished.started,
        finished.duration,
        worker,
        scale,
    )


def _player_record(entry: EngineEntry, seat: SeatResult, score: float) -> PlayerRecord:
    return PlayerRecord(
        name=entry.spec.name,
        version=entry.version or seat.version,
        rank=seat.rank,
        points=score,
        forfeit=seat.forfeit,
        time_control=str(entry.time_control),
        margin=entry.spec.margin,
        time_used=seat.time_used,
        program=entry.program,
        options=entry.spec.options,
    )


def unplayed_game_record(spec: TournamentSpec, pairing: Pairing, disabled: frozenset[str]) -> GameRecord:
    """Return the record of a game that disabled engines lose without a move."""
    termination = Termination.DISABLED
    forfeits = tuple(termination if name in disabled else None for name in pairing.seats)
    winners = sum(forfeit is None for forfeit in forfeits)
    ranks = tuple(1 if forfeit is None or winners == 0 else winners + 1 for forfeit in forfeits)
    scores = points(ranks, forfeits)
    players = tuple(
        PlayerRecord(
            entry.spec.name,
            entry.version,
            rank,
            score,
            forfeit,
            str(entry.time_control),
            entry.spec.margin,
            0,
            options=entry.spec.options,
        )
        for entry, rank, score, forfeit in zip(_entries(spec, pairing), ranks, scores, forfeits, strict=True)
    )
    names = ", ".join(sorted(set(pairing.seats) & disabled))
    result = GameResult(
        None,
        spec.name,
        pairing.number,
        pairing.key,
        pairing.game,
        termination,
        termination.value,
        f"not played: {names} was disabled",
        0,
        players,
    )
    return GameRecord(result, pairing.opening, (), "", time.time(), 0)


def _entries(spec: TournamentSpec, pairing: Pairing) -> list[EngineEntry]:
    by_name = {entry.spec.name: entry for entry in spec.engines}
    return [by_name[name] for name in pairing.seats]
