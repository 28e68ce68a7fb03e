"""A game that a referee plays, and the order to play it."""

from __future__ import annotations

from dataclasses import dataclass

from arena.config import EngineEntry, TournamentSpec
from arena.model import Pairing
from referee import game as find_game
from referee.match.job import Job, JobSeat

__all__ = ["RunningGame", "new_job"]


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
        adjudication=spec.adjudication.for_game(find_game(pairing.game).info),
        log=None if spec.log is None else str(spec.log),
    )
