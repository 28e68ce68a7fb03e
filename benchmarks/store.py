"""Databases with many made-up games, for other benchmarks."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from arena.config import load
from arena.formats.contest import ScheduleState
from arena.model import GameRecord, GameResult, PlayerRecord, Stage
from arena.scoring import points
from arena.store import Store
from arena.store.queries import GAMES_AT_ONCE
from referee.outcome import Termination
from referee.ply import Ply

PLIES = tuple(Ply(number % 2, "e2", 1_000_000 * number, "cp 12", 5) for number in range(60))


def records(file: Path) -> Iterator[GameRecord]:
    """Yield the games of a tournament with random results; the earlier engines are stronger."""
    spec, chance, state = load(file), random.Random(1), ScheduleState()
    engines = len(spec.engines)
    for pairing in spec.schedule().pending(state):
        if isinstance(pairing, Stage):
            continue
        assert pairing is not None, "no game is running"
        edge = 0.4 * (int(pairing.seats[1][7:]) - int(pairing.seats[0][7:])) / engines
        if engines == 2:
            edge = 0.0  # so that the test does not end early
        (ranks,) = chance.choices(((1, 2), (2, 1), (1, 1)), (0.45 + edge, 0.45 - edge, 0.1))
        players = tuple(
            PlayerRecord(name, "1.0", rank, score, None, "10+0.1", 100, chance.randrange(10**10))
            for name, rank, score in zip(pairing.seats, ranks, points(ranks, (None, None)), strict=True)
        )
        result = GameResult(
            None,
            spec.name,
            pairing.number,
            pairing.key,
            pairing.game,
            Termination.NORMAL,
            "goal",
            "",
            60,
            players,
        )
        state.results[pairing.key] = result
        yield GameRecord(result, pairing.opening, PLIES, "/ / e2 e8 / 10 10 / 1", time.time(), 10**9)


def add(folder: Path, games: Iterable[GameRecord], database: Path | None = None) -> None:
    """Store games in the database of the tournament in a folder, or in another one."""
    spec = load(folder / "t.toml")
    store = Store.open(database or spec.database, create=True)
    waiting = iter(games)
    while batch := list(itertools.islice(waiting, GAMES_AT_ONCE)):
        for name in {game.result.tournament for game in batch}:
            store.begin_tournament(name, spec.settings(), spec.plan.encode())
        store.add_games(batch)
    store.close()


def delete_checkpoints(file: Path) -> None:
    """Delete the checkpoints of the ratings."""
    spec = load(file)
    store = Store.open(spec.database, create=False)
    for game in spec.games:
        store.rating_lists.set(game, {})
    store.close()
