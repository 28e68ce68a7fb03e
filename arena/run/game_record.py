"""From a referee's verdict to the record that is stored: names, points, forfeits."""

from __future__ import annotations

import time

from arena.config import EngineEntry, TournamentSpec
from arena.model import GameRecord, GameResult, Pairing, PlayerRecord
from arena.scoring import points
from referee.match.job import JobFinished, SeatResult
from referee.outcome import Termination
from referee.ply import count_moves

__all__ = ["played", "unplayed"]


def played(spec: TournamentSpec, pairing: Pairing, finished: JobFinished) -> GameRecord:
    """The record of a game that a referee has played."""
    entries = _entries(spec, pairing)
    ranks = tuple(seat.rank for seat in finished.seats)
    scored = [rank for rank in ranks if rank is not None]
    scores = (
        points(tuple(scored), tuple(seat.forfeit for seat in finished.seats))
        if len(scored) == len(ranks)
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
            _player(entry, seat, score)
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
    )


def _player(entry: EngineEntry, seat: SeatResult, score: float) -> PlayerRecord:
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
    )


def unplayed(spec: TournamentSpec, pairing: Pairing, disabled: frozenset[str]) -> GameRecord:
    """The record of a game that is not played as one of its engines is disabled: that engine loses it."""
    out = tuple(Termination.DISABLED if name in disabled else None for name in pairing.seats)
    left = sum(forfeit is None for forfeit in out)
    ranks = tuple(1 if forfeit is None or left == 0 else left + 1 for forfeit in out)
    scores = points(ranks, out)
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
        )
        for entry, rank, score, forfeit in zip(_entries(spec, pairing), ranks, scores, out, strict=True)
    )
    names = ", ".join(sorted(set(pairing.seats) & disabled))
    result = GameResult(
        None,
        spec.name,
        pairing.number,
        pairing.key,
        pairing.game,
        Termination.DISABLED,
        Termination.DISABLED.value,
        f"not played: {names} was disabled",
        0,
        players,
    )
    return GameRecord(result, pairing.opening, (), "", time.time(), 0)


def _entries(spec: TournamentSpec, pairing: Pairing) -> list[EngineEntry]:
    by_name = {entry.spec.name: entry for entry in spec.engines}
    return [by_name[name] for name in pairing.seats]
