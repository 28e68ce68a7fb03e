"""Make damaged copies of a database: a seed chooses the damage."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

from arena.model import GameRecord
from arena.store import Store
from tests.sample_games import autumn, spring

VALUES = (
    "'abc'",
    "''",
    "NULL",
    "-1",
    "3",
    "0.25",
    "1e308",
    "9e999",
    "9223372036854775807",
    "x'ff00'",
    "cast(x'5b22ff225d' as text)",
    "'[1'",
    "'[1]'",
    "'{}'",
    "'[\"e2\"]'",
    "'void'",
    "'crash'",
)
"""SQL of values, most of which arena never writes."""


def games(count: int) -> list[GameRecord]:
    """Return games that the rules accept, of two tournaments in turn."""
    known = [*spring(), *autumn()]
    return [
        replace(game, result=replace(game.result, number=number, key=f"{game.result.game}:{number}"))
        for number, game in ((number, known[number % len(known)]) for number in range(count))
    ]


def sample(folder: Path, count: int, *, open_log: bool) -> Path:
    """Make a database with games; with ``open_log`` the last half of them is only in its log."""
    path = folder / "sample.db"
    store = Store.open(path, create=True)
    all_games = games(count)
    for name in ("spring", "autumn"):
        store.begin_tournament(name, {"time_control": "10+0.1"})
    store.rating_lists.set("quoridor", {"draw_probability": "0.5"})
    store.add_games(all_games[: count // 2])
    store.close()
    store = Store.open(path, create=True)
    store.add_games(all_games[count // 2 :])
    if not open_log:
        store.close()
        return path
    copy = folder / "copy.db"
    for end in ("", "-wal"):
        shutil.copyfile(f"{path}{end}", f"{copy}{end}")
    store.close()
    return copy


def damaged_copy(seed: int, whole: Path, with_log: Path, folder: Path) -> tuple[Path, str]:
    """Make a damaged copy; return its path and what was damaged."""
    chance = random.Random(seed)
    path = folder / "arena.db"
    kind = chance.choice((_header, _page, _page, _page, _blank, _truncated, _sql, _sql, _sql, _log))
    source = with_log if kind is _log else whole
    for end in ("", "-wal", "-shm"):
        Path(f"{path}{end}").unlink(missing_ok=True)
        if Path(f"{source}{end}").exists() and end != "-shm":
            shutil.copyfile(f"{source}{end}", f"{path}{end}")
    return path, kind(path, chance)


def _flip(path: Path, chance: random.Random, first: int, last: int, count: int) -> str:
    content = bytearray(path.read_bytes())
    places = [chance.randrange(first, min(last, len(content))) for _ in range(count)]
    for place in places:
        content[place] ^= 1 << chance.randrange(8)
    path.write_bytes(content)
    return f"bits of {path.name} at {places}"


def _header(path: Path, chance: random.Random) -> str:
    return _flip(path, chance, 0, 100, chance.choice((1, 1, 3)))


def _page(path: Path, chance: random.Random) -> str:
    page = chance.randrange(path.stat().st_size // 4096)
    return _flip(path, chance, 4096 * page, 4096 * page + 4096, chance.choice((1, 4, 40)))


def _blank(path: Path, chance: random.Random) -> str:
    content = bytearray(path.read_bytes())
    page = chance.randrange(len(content) // 4096)
    content[4096 * page : 4096 * page + 4096] = chance.choice((bytes(4096), chance.randbytes(4096)))
    path.write_bytes(content)
    return f"page {page}"


def _truncated(path: Path, chance: random.Random) -> str:
    length = chance.randrange(1, path.stat().st_size)
    with path.open("r+b") as file:
        file.truncate(length)
    return f"cut off at {length}"


def _log(path: Path, chance: random.Random) -> str:
    log = path.with_name(f"{path.name}-wal")
    return _flip(log, chance, 0, log.stat().st_size, chance.choice((1, 40)))


def _sql(path: Path, chance: random.Random) -> str:
    done: list[str] = []
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        tables = [
            name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        while not done:
            table = chance.choice(tables)
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            column, key = chance.choice(columns), columns[0]
            nth = f"SELECT {key} FROM {table} ORDER BY {key} LIMIT 1 OFFSET {chance.randrange(9)}"
            row = f"WHERE {key} = ({nth})"
            statement = chance.choice(
                (
                    *[f"UPDATE {table} SET {column} = {chance.choice(VALUES)} {row}"] * 8,
                    f"UPDATE {table} SET {column} = {chance.choice(VALUES)}",
                    f"DROP TABLE {table}",
                    f"ALTER TABLE {table} DROP COLUMN {column}",
                    f"DELETE FROM player WHERE game_id = {chance.randrange(1, 9)}",
                    f"DELETE FROM record WHERE game_id = {chance.randrange(1, 9)}",
                    f"DELETE FROM {chance.choice(('engine', 'tournament', 'alembic_version'))}",
                )
            )
            with suppress(sqlite3.Error):
                before = connection.total_changes
                connection.execute(statement)
                connection.commit()
                if connection.total_changes > before or statement.startswith(("DROP", "ALTER")):
                    done.append(statement)
    return done[0]
