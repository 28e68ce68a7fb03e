"""Compare SQLModel's models with SQLAlchemy's Core for many games at once, for which `arena.store` uses Core.

.venv/bin/python benchmarks/store_models.py [--games 20000] [--rounds 7]

Both ways give the same values. They run in turn in one process, without the garbage collector. The table
shows the best processor time of each, and the median of the ratios.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from sqlmodel import Session, SQLModel, select
from store import records, tournament

from arena.config import load
from arena.ended_games import tally
from arena.model import GameRecord, GameResult, PlayerRecord
from arena.store import Store, queries
from arena.store.file.database import FileDatabase
from arena.store.inserts import insert_games
from arena.store.mapping import game_rows
from arena.store.rows import EngineRow, GameRow, PlayerRow, RecordRow, TournamentRow
from arena.store.writer import BATCH
from referee.outcome import Termination

_Row = TypeVar("_Row", bound=SQLModel)


def results_by_models(session: Session) -> list[GameResult]:
    """Do the same as `queries.results` for all games."""
    engines = {row.id: row for row in session.exec(select(EngineRow))}
    tournaments = {row.id: row.name for row in session.exec(select(TournamentRow))}
    players: dict[int, dict[int, PlayerRecord]] = {}
    for seat in session.exec(select(PlayerRow)):
        engine = engines[seat.engine_id]
        players.setdefault(seat.game_id, {})[seat.seat] = PlayerRecord(
            engine.name,
            engine.version,
            seat.rank,
            seat.points,
            None if seat.forfeit is None else Termination(seat.forfeit),
            seat.time_control,
            seat.margin,
            seat.time_used,
            engine.program,
        )
    results = []
    for row in session.exec(select(GameRow)):
        assert row.id is not None
        results.append(
            GameResult(
                row.id,
                tournaments[row.tournament_id],
                row.number,
                row.key,
                row.game,
                Termination(row.termination),
                row.reason,
                row.detail,
                row.plies,
                tuple(player for _, player in sorted(players[row.id].items())),
            )
        )
    return sorted(results, key=lambda result: (result.tournament, result.number, result.key))


def make_row(kind: type[_Row], values: Mapping[str, Any]) -> _Row:
    """Return a row of a table from its columns."""
    return kind(**values)


def insert_by_models(database: FileDatabase, batch: Sequence[GameRecord], first: int) -> None:
    """Do the same as `insert_games`, for known engines, the first tournament, and numbers from ``first``."""
    with database.writing() as session:
        rows = session.exec(select(EngineRow))
        engines = {
            (row.name, row.version, row.program, row.options): row.id for row in rows if row.id is not None
        }
        for number, record in enumerate(batch, first):
            session.add(make_row(GameRow, game_rows.game_values(record, number, 1)))
            session.add_all(
                make_row(PlayerRow, values) for values in game_rows.player_values(record, number, engines)
            )
            session.add(make_row(RecordRow, game_rows.record_values(record, number)))


def compare(title: str, core: Callable[[], object], models: Callable[[], object], rounds: int) -> None:
    """Print the processor times of both ways, and their ratio."""
    times: list[tuple[float, float]] = []
    for _ in range(rounds):
        pair = []
        for way in (core, models):
            gc.collect()
            gc.disable()
            begun = time.process_time()
            way()
            pair.append(time.process_time() - begun)
            gc.enable()
        times.append((pair[0], pair[1]))
    best = [min(way_times) for way_times in zip(*times, strict=True)]
    ratio = statistics.median(slow / quick for quick, slow in times)
    print(f"{title:24} {best[0] * 1000:10.1f} ms {best[1] * 1000:10.1f} ms {ratio:8.1f}", flush=True)


def main() -> None:
    """Create a database, and compare both ways."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        spec = load(tournament(Path(name), "round-robin", options.games))
        store = Store.open(spec.database, create=True)
        store.begin_tournament(spec.name, spec.settings())
        games = list(records(Path(name) / "round-robin.toml"))
        for first in range(0, len(games), BATCH):
            store.add_games(games[first : first + BATCH])
        store.close()
        assert isinstance(spec.database, Path)
        database = FileDatabase(spec.database)

        def results() -> list[GameResult]:
            with database.reading() as session:
                return queries.results(session, ())

        def model_results() -> list[GameResult]:
            with database.reading() as session:
                return results_by_models(session)

        def tallies() -> object:
            with database.reading() as session:
                return queries.tallies(session, ())["quoridor"]

        def model_tallies() -> object:
            with database.reading() as session:
                return tally(results_by_models(session))

        assert results() == model_results()
        assert tallies() == model_tallies()
        print(f"{len(games):,} games {'Core':>21} {'models':>13} {'ratio':>8}")
        compare("results of all games", results, model_results, options.rounds)
        compare("tally of all games", tallies, model_tallies, options.rounds)

        numbers = itertools.count(len(games) + 1, BATCH)

        def batch() -> tuple[list[GameRecord], int]:
            first = next(numbers)
            return [
                replace(game, result=replace(game.result, key=f"again {first + number}"))
                for number, game in enumerate(games[:BATCH])
            ], first

        waiting = [batch() for _ in range(2 * options.rounds)]
        compare(
            f"{BATCH} games stored",
            lambda: insert_games(database, waiting.pop(0)[0]),
            lambda: insert_by_models(database, *waiting.pop(0)),
            options.rounds,
        )
        database.close()


if __name__ == "__main__":
    main()
