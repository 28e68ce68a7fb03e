"""Play stored games again, and find those that differ: forged ones, or ones of an engine that draws lots.

An engine whose search ends after a number of nodes, or at a depth, plays the same game again, if it starts in
the same state. So each game has new processes of its engines, and is played from its start: a single turn
differs more often, because an engine remembers the turns before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from math import ceil, comb

import trio

from arena.config import EngineEntry, TournamentSpec
from arena.errors import ArenaError
from arena.model import GameRecord, GameResult, Pairing, PlayerRecord
from arena.run.upcoming import new_job
from arena.scoring import was_played
from referee.match.job import Job, JobFinished, SeatResult
from referee.match.play import RefereedGame
from referee.match.pool import EnginePool
from referee.match.time_control import TimeControl
from referee.ply import Ply


@dataclass(frozen=True, slots=True)
class Difference:
    """The first difference between a stored game and the same game played again."""

    game: int  # its number in the database
    ply: int  # from 1; the end of the game counts as the ply after its last one
    stored: str
    now: str


def can_repeat(result: GameResult) -> bool:
    """Return whether a game counts, and its engines played here or on workers and had no clock."""
    controls = [TimeControl.parse(player.time_control) for player in result.players]
    timed = any(control.base_ns is not None or control.movetime_ns is not None for control in controls)
    return result.counts and not timed and not result.remote and was_played(result.players)


def sample_size(games: int, percent: float) -> int:
    """Return how many games of a number are this share, at least one."""
    return min(max(ceil(games * percent / 100), 1), games)


def escape(games: int, sample: int, forged: int) -> float:
    """Return the probability that a random sample of some games has none of those that are forged."""
    return comb(games - forged, sample) / comb(games, sample)


def job_of(spec: TournamentSpec, record: GameRecord) -> Job:
    """Return the order to play a stored game again, with its time controls, margins and options.

    ArenaError: the tournament has no engine with the name of one that played.
    """
    result = record.result
    entries = {entry.spec.name: entry for entry in spec.engines}
    missing = [player.name for player in result.players if player.name not in entries]
    if missing:
        raise ArenaError(
            f"game {result.id}: the tournament file has no engine {missing[0]!a}, which played it"
        )
    names = result.names
    pairing = Pairing(result.number, result.key, result.game, names, record.opening)
    seats = [_as_it_played(entries[player.name], player) for player in result.players]
    return new_job(replace(spec, log=None, log_lost=None), pairing, seats)


def _as_it_played(entry: EngineEntry, player: PlayerRecord) -> EngineEntry:
    options = entry.spec.options if player.options is None else player.options
    spec = replace(entry.spec, margin=player.margin, options=dict(options))
    return replace(entry, spec=spec, time_control=TimeControl.parse(player.time_control))


async def verify(
    games: Mapping[int, tuple[GameRecord, Job]],
    at_once: int,
    on_game: Callable[[], None],
    warn: Callable[[str, str], None],
) -> list[Difference]:
    """Play games again, some at the same time; return the differences in the order of the games' numbers.

    ``on_game`` is called after each game. A group has an ArenaError if a game has no result this time.
    """
    differences: list[Difference] = []
    limit = trio.CapacityLimiter(at_once)

    async def play(number: int, record: GameRecord, job: Job) -> None:
        async with limit:
            finished = await _played(job, warn)
        if finished.void is not None:
            raise ArenaError(f"game {number} had no result this time: {finished.detail}")
        differences.extend(_difference(number, record, finished))
        on_game()

    async with trio.open_nursery() as nursery:
        for number, (record, job) in games.items():
            nursery.start_soon(play, number, record, job)
    return sorted(differences, key=lambda difference: difference.game)


async def _played(job: Job, warn: Callable[[str, str], None]) -> JobFinished:
    """Play one game with new processes of its engines."""
    async with trio.open_nursery() as nursery:
        pool = EnginePool(nursery, 0, warn)
        try:
            return await RefereedGame(job, pool, lambda: None).play()
        finally:
            pool.close()


def _difference(number: int, record: GameRecord, finished: JobFinished) -> Iterable[Difference]:
    before = _texts(record.record, record.result.reason, record.result.players)
    now = _texts(finished.record, finished.reason, finished.seats)
    for ply, (stored, new) in enumerate(zip_longest(before, now, fillvalue="nothing"), 1):
        if stored != new:
            return [Difference(number, ply, stored, new)]
    return []


def _texts(plies: Sequence[Ply], reason: str, seats: Sequence[PlayerRecord | SeatResult]) -> list[str]:
    """Return what must be equal: the plies, and the end with the places."""
    places = ", ".join(str(seat.rank) for seat in seats)
    return [*(ply.text for ply in plies), f"the end by {reason} with the places {places}"]
