"""The types of the values of options and arguments, with their bounds.

Numbers have the bounds of the same keys of a tournament file. A text has no
control characters, because no name, move or position has any, and it is UTF-8, as all texts in the database.
A path may have any characters that the system allows. Some types also know what a shell can offer.
"""

from __future__ import annotations

import errno
import math
import os
from collections.abc import Callable, Sequence
from contextlib import closing
from glob import escape, glob
from pathlib import Path
from typing import Any, Final

import click
from click.shell_completion import CompletionItem

from arena.address import DEFAULT_DATABASE, ServerAddress, is_url, web_origin
from protocol.words import cut

_LARGEST_SHOWN: Final = 1_000_000
"""The largest bound that the help shows."""


def _quoted(value: str) -> str:
    return ascii(cut(value))


class Number(click.FloatRange):
    """A whole number between two bounds, or a number that may have a fraction; ``nan`` is no number."""

    def __init__(self, least: float, most: float, read: type[int] | Callable[[str], float] = int) -> None:
        super().__init__(least, most)
        self._read = read
        self.name = "n"  # which the help shows as N
        self._kind = "a whole number" if read is int else "a number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # noqa: ANN401 - click's own signature
        """Convert a text to a number within the bounds."""
        assert self.min is not None
        assert self.max is not None
        try:
            number: float = self._read(value)
        except ValueError:  # also for a whole number of thousands of digits
            number = math.nan
        if not self.min <= number <= self.max:
            bounds = self._describe_range() if math.isnan(number) else f"{self.min} to {self.max}"
            words = f"{self._kind} from {bounds}" if bounds else self._kind
            self.fail(f"this must be {words}, not {_quoted(str(value))}", param, ctx)
        return number

    def _describe_range(self) -> str:
        """Return the bounds for the help, unless they are only what the database can store."""
        assert self.max is not None
        return f"{self.min} to {self.max}" if self.max <= _LARGEST_SHOWN else ""


class Text(click.types.StringParamType):
    """A text with a largest number of characters, and without control characters.

    With ``paths`` it may have paths in it, and so any characters that a path can have, or words of a game,
    which refuses wrong ones itself, with the reason. ``check`` may raise a ValueError, and ``complete`` gives
    a shell the values that start with a text.
    """

    def __init__(
        self,
        longest: int,
        *,
        name: str = "text",
        paths: bool = False,
        check: Callable[[str], str] = str,
        complete: Callable[[click.Context, str], list[CompletionItem]] | None = None,
    ) -> None:
        self.name = name  # which the help shows in capitals
        self._longest = longest
        self._paths = paths
        self._check = check
        self._complete = complete

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ANN401 - click's own signature
        """Check a text."""
        text = str(value)
        if len(text) > self._longest:
            self.fail(f"this must have at most {self._longest} characters, not {len(text)}", param, ctx)
        if "\0" in text and self._paths:
            self.fail("this must not have a null character", param, ctx)
        wrong = "" if self._paths else next((char for char in text if not char.isprintable()), "")
        if "\udc80" <= wrong <= "\udcff":
            self.fail(f"this must be UTF-8 text, and {_quoted(text)} is not", param, ctx)
        if wrong:
            self.fail(f"this must have no control characters, but is {_quoted(text)}", param, ctx)
        try:
            return self._check(text)
        except ValueError as error:
            self.fail(f"this {error}", param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Offer values to a shell."""
        return self._complete(ctx, incomplete) if self._complete else []


def _not_empty(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text


def _games(_ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    from referee import game_ids

    return [CompletionItem(name) for name in game_ids() if name.startswith(incomplete)]


def _tournaments(ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    """Return the names of the tournaments in the database, and tournament files."""
    names = [name for name in _names(ctx.params.get("database")) if name.startswith(incomplete)]
    return [*map(CompletionItem, names), *_toml_files(incomplete)]


def _names(database: object) -> list[str]:
    """Return the names of the tournaments of a file; a shell does not wait for a server."""
    import sqlite3
    from urllib.parse import quote

    address = str(database or os.environ.get("ARENA_DB") or DEFAULT_DATABASE)
    mode = "mode=ro" if Path(f"{address}-wal").exists() else "immutable=1"  # which makes no files beside it
    try:  # `Store.open` would update a database of an earlier version
        with closing(sqlite3.connect(f"file:{quote(address)}?{mode}", uri=True)) as connection:
            return [name for (name,) in connection.execute("SELECT name FROM tournament ORDER BY id")]
    except sqlite3.Error:
        return []


def _toml_files(incomplete: str) -> list[CompletionItem]:
    """Return the ``*.toml`` files whose names start like this, and the folders, in which more can be."""
    paths = sorted(glob(f"{escape(incomplete)}*"))  # noqa: PTH207 - a Path loses a ./ at the start
    folders = [f"{path}/" for path in paths if Path(path).is_dir()]
    files = [path for path in paths if path.endswith(".toml") and f"{path}/" not in folders]
    if not files:  # the shell completes folders without a space after them
        return [CompletionItem(incomplete, type="dir")] if folders else []
    return [*map(CompletionItem, sorted([*folders, *files]))]


_HOPELESS: Final = frozenset({errno.ENAMETOOLONG, errno.ELOOP, errno.EACCES})
"""Errors of a path at which no file can be read or written."""


class PathValue(click.Path):
    """A path that the system can have, and that the user may reach; it need not exist.

    With ``address`` it may also be an address on a server, which this function reads. It may raise a
    ValueError. A ``toml`` file is completed by a shell only with such files, if there are any.
    """

    def __init__(
        self, *, address: Callable[[str], object] | None = None, toml: bool = False, **kinds: bool
    ) -> None:
        super().__init__(path_type=Path, **kinds)
        self._address = address
        self._toml = toml

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:  # noqa: ANN401 - click's own signature
        """Check a path or an address."""
        if isinstance(value, ServerAddress):
            return value
        text = os.fspath(value)
        if self._address is not None and is_url(text):
            try:
                return self._address(text)
            except ValueError as error:
                self.fail(str(error), param, ctx)
        try:
            if not text:
                self.fail("this must be the name of a file or folder", param, ctx)
            os.stat(text)  # noqa: PTH116 - Path.exists hides some errors
        except ValueError:
            self.fail(f"{_quoted(text)} has a character that no path can have", param, ctx)
        except OSError as error:
            if error.errno in _HOPELESS:
                self.fail(f"{_quoted(text)}: {str(error.strerror).lower()}", param, ctx)
        return super().convert(value, param, ctx)

    def split_envvar_value(self, rv: str) -> Sequence[str]:
        """Split paths at colons, but not an address on a server."""
        return [rv] if self._address is not None and is_url(rv) else super().split_envvar_value(rv)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Offer files and folders."""
        files = _toml_files(incomplete) if self._toml else []
        return files or super().shell_complete(ctx, param, incomplete)


def _scheduler(text: str) -> str:
    from arena.config.tournament_keys import check_address

    return check_address(text)


ORIGIN = Text(300, check=web_origin)
"""The address under which others reach a server."""

FILE = PathValue(dir_okay=False)
FILE_OR_STREAM = PathValue(dir_okay=False, allow_dash=True)
"""A file, or ``-`` for a standard stream."""

SCHEDULER_OR_ORDERS = PathValue(address=_scheduler, dir_okay=False, allow_dash=True)
"""The address of a scheduler, or a file of orders; ``-`` is standard input."""

TOURNAMENT_FILE = PathValue(toml=True, dir_okay=False)
FOLDER = PathValue(file_okay=False)
EXISTING_PATH = PathValue(exists=True)
"""A file or folder that exists."""

DATABASE = PathValue(address=ServerAddress, dir_okay=False)
"""The file of a database, or an address on a server."""

NUMBER = Number(1, 2**63 - 1)
"""The number of a game in a database."""

INT64 = Number(-(2**63), 2**63 - 1)
"""A seed."""

COUNT = Number(1, 1_000_000)
LARGEST_COUNT = Number(0, 1_000_000_000)
OPENING_PLIES = Number(1, 1000)
DEPTH = Number(0, 100)
CONCURRENCY = Number(1, 10_000)
CORES = Number(1, 1024)
PORT = Number(0, 65_535)
PLAYED_GAMES = Number(0, 1000)
CENTIPAWNS = Number(0, 1_000_000)
SECONDS = Number(0.1, 600, float)
ELO = Number(1, 1000, float)

PERCENT = Number(0.001, 100, lambda text: float(text.removesuffix("%")))
"""A number with or without a percent sign."""

DATE = click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"])
"""A date, with or without a time, in local time."""

NAME = Text(200, name="name")
"""The name of an engine, or an address to listen on."""

GAME = Text(200, name="id", complete=_games)
"""The id of a game. `referee.game` says whether there is one."""

TITLE = Text(200, name="name", check=_not_empty)
"""The name of a tournament that may be new."""

LINE = Text(10_000)
"""A time control or a setting."""

POSITION = Text(10_000, paths=True)
MOVES = Text(1_000_000, paths=True)

TOURNAMENT = Text(5000, name="name", paths=True, complete=_tournaments)
"""The name of a tournament, or the path of its file."""

PATH = Text(5000, paths=True)
"""The path of a folder or file that an engine may use."""

COMMAND = Text(100_000, paths=True)
"""The command of an engine, or one word of it."""
