"""Damages databases, and checks what `arena db check` and `arena db rescue` make of them."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from tests.soak.ledger import games
from tests.soak.play import Arena

__all__ = ["check_damage", "damage"]

_STATEMENTS = (
    "UPDATE record SET moves = cast(x'5b22ff225d' AS text)",
    "UPDATE tournament SET settings = '[1'",
    "UPDATE player SET points = 'abc' WHERE game_id % 3 = 0",
    "UPDATE player SET points = 1 - points WHERE game_id % 3 = 1",
    "DELETE FROM alembic_version",
    "DELETE FROM record WHERE game_id % 2 = 0",
    "DROP TABLE checkpoint",
    "ALTER TABLE game DROP COLUMN detail",
)


def damage(file: Path, draw: random.Random) -> str:
    """Damage a database that no program uses; return how, in words."""
    kind = draw.choice(("bytes", "bytes", "page", "end", "statement"))
    if kind == "statement":
        statement = draw.choice(_STATEMENTS)
        try:
            with closing(sqlite3.connect(file)) as connection, connection:
                connection.execute(statement)
        except sqlite3.Error as error:
            return f"{statement} ({error})"
        return statement
    size = file.stat().st_size
    with file.open("r+b") as opened:
        if kind == "end":
            opened.truncate(draw.randrange(size))
            return "cut off"
        if kind == "page":
            opened.seek(draw.randrange(max(1, size // 4096)) * 4096)
            opened.write(draw.randbytes(4096))
            return "a page"
        count = draw.choice((1, 4, 30))
        for _ in range(count):
            opened.seek(draw.randrange(size))
            opened.write(draw.randbytes(1))
    return f"{count} bytes"


def check_damage(
    folder: Path, database: Path, arena: Arena, draw: random.Random
) -> tuple[Path | None, list[str]]:
    """Damage a copy of a database, check it and rescue its games.

    Args:
        folder: an empty folder for the copy.
        database: the database. No program uses it.
        arena: runs the commands.
        draw: chooses the damage.

    Returns:
        The database with the saved games, if there is one, and what is wrong, in sentences.
    """
    file, saved = folder / "damaged.db", folder / "saved.db"
    with closing(sqlite3.connect(database)) as source, closing(sqlite3.connect(file)) as copy:
        source.backup(copy)  # with the games that are only in the log
    shutil.chown(file, database.stat().st_uid, database.stat().st_gid)
    how = damage(file, draw)
    content = file.read_bytes()
    before = set(games(database))
    checked = arena.call("db", "check", str(file), allowed=(0, 1, 2))
    faults = []
    if checked.returncode == 0 and set(games(file)) != before:
        faults.append(f"{how}: arena db check does not notice it: {checked.stdout}")
    rescued = arena.call("db", "rescue", str(file), "-o", str(saved), allowed=(0, 1, 2))
    if file.read_bytes() != content:
        faults.append(f"{how}: arena has changed the damaged database")
    if not saved.exists():
        if rescued.returncode != 2:
            faults.append(f"{how}: arena db rescue has saved nothing: {rescued.stdout}{rescued.stderr}")
        return None, faults
    if arena.call("db", "check", str(saved), allowed=(0, 1, 2)).returncode:
        faults.append(f"{how}: what arena db rescue has saved is damaged")
    wrong = _without_engines(set(games(saved))) - _without_engines(before)
    if wrong:
        faults.append(f"{how}: arena db rescue has saved games that never were: {wrong}")
    return saved, faults


def _without_engines(rows: set[tuple[object, ...]]) -> set[tuple[object, ...]]:
    """Return the games without the names of their engines, which may be lost."""
    return {(*row[:4], ",".join(part.partition(":")[2] for part in str(row[4]).split(","))) for row in rows}
