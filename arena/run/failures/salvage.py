"""Write finished games that the database could not store to a file of records, for `arena import`."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import BinaryIO

from arena.address import Address, folder_of, name_of
from arena.errors import StoreError
from arena.model import GameRecord, TournamentRecord
from protocol.plurals import counted

__all__ = ["with_saved_games"]


def with_saved_games(
    error: StoreError, database: Address, tournament: TournamentRecord, games: Sequence[GameRecord]
) -> StoreError:
    """Save the games, and return the error with a message that also says where they are.

    The file is written beside the database, else in the current folder, else in the folder for temporary
    files. It never replaces another file.

    Args:
        error: why they are not stored.
        database: the database.
        tournament: the tournament of the games.
        games: the games that are not stored.
    """
    if not games:
        return error
    verb, them = ("is", "it") if len(games) == 1 else ("are", "them")
    number = f"{counted(len(games), 'finished game')} {verb} not stored"
    path = _save(database, tournament, games)
    if path is None:
        return type(error)(f"{error}; {number}, could be saved nowhere, and will be played again")
    command = f"arena import {shlex.quote(str(path))} --db {shlex.quote(str(database))}"
    return type(error)(f"{error}; {number} but saved in {path}; add {them} later with: {command}")


def _save(database: Address, tournament: TournamentRecord, games: Sequence[GameRecord]) -> Path | None:
    # The current folder may have been deleted, too.
    folders: tuple[Callable[[], Path], ...] = (lambda: folder_of(database), Path.cwd, _temporary)
    for folder in folders:
        try:
            return _save_in(folder(), name_of(database), tournament, games)
        except OSError:
            continue
    return None


def _temporary() -> Path:
    return Path(tempfile.gettempdir())


def _save_in(folder: Path, name: str, tournament: TournamentRecord, games: Sequence[GameRecord]) -> Path:
    """Write the file to the end, or remove it again."""
    from arena.records import write_records

    path, file = _new_file(folder, name)
    try:
        with file:
            write_records((tournament, *games), "text", file)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return path


def _new_file(folder: Path, name: str) -> tuple[Path, BinaryIO]:
    for path in _names(folder, name):
        try:
            return path, path.open("xb")
        except FileExistsError:
            continue
    raise AssertionError("there are always more names")


def _names(folder: Path, name: str) -> Iterator[Path]:
    for number in count(1):
        yield folder / f"{name}-not-stored-{number}.txt"
