"""Write tournaments as a folder of web pages: the pages of `arena serve`, with links to their files.

Pages are asked for and written one by one. A new report is written beside the earlier one and replaces it at
the end; unchanged files are linked from the earlier one, so a program that copies the folder copies only
changes.
"""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from heapq import heappop, heappush
from html import escape, unescape
from pathlib import Path
from posixpath import dirname, relpath
from typing import Final
from urllib.parse import parse_qsl, urlencode, urljoin

from arena.errors import ArenaError
from arena.model import GameResult
from arena.store import Store
from arena.tables.text_table import heading
from arena.web.figures import moment
from arena.web.links import LONGEST_NAME, Links, slug
from arena.web.server.pages import FrozenServer
from arena.web.templating import ASSETS, asset
from protocol.process.machine import scratch_folder

_MARKER_FILE = "arena-report.txt"
"""The file that marks a folder as a report. A folder without it is never overwritten."""

_MARKER_TEXT = "Made by arena report, which may replace this whole folder.\n"
_SUBJECT = "Subject: "

_CHARSET: Final = '<meta charset="utf-8" />'
_POLICY: Final = (
    f'{_CHARSET}\n<meta http-equiv="Content-Security-Policy" content="default-src \'none\';'
    " script-src 'self' file:; style-src 'self' file:; img-src 'self' file: data:\" />"
)
"""What a server says in headers. A file has none."""

_ANCHOR: Final = re.compile(r'<a (?![^>]*href="#)([^>]*)>(.*?)</a>', re.DOTALL)
_LOADED: Final = re.compile(r'<(?:script|link) [^>]*(?:src|href)="([^"]*)"[^>]*>(?:</script>)?\n?')
_ADDRESS: Final = re.compile(r'href="([^"]*)"')
_WAY_ON: Final = re.compile(r'\b(?:rel|class)="(?:button|prev|next|up|search)\b')
"""An anchor whose text is nothing without its link."""


def write_report(
    store: Store,
    tournament: str | None,
    target: Path,
    game: str | None = None,
    last_games: int | None = None,
    progress: Callable[[int], None] = lambda count: None,
) -> Path:
    """Write a report about a tournament or about all (None), and return the path of its index page.

    Args:
        store: the database.
        tournament: the name of a tournament; None for all, each in a folder of its own.
        target: the folder: an empty one, an earlier report, or one that does not exist yet.
        game: a game id, to write only its games.
        last_games: the number of last games of each game id that get a page; None for all games.
        progress: called after each page of a game with the number of such pages so far.

    Raises:
        ArenaError: the folder has other files in it or cannot be written, or no such game has ended.
    """
    server = FrozenServer(store, game, Links(made=moment(time.time()), alone=tournament is not None))
    tournaments = []
    for number, info in enumerate(store.tournaments(), 1):
        if tournament in (None, info.name) and store.tally(tournament=info.name, game=game):
            results = store.results(tournament=info.name, game=game)
            names = {player.name for result in results for player in result.players}
            frozen = _Frozen(
                f"/tournaments/{server.ids[info.name]}/",
                "" if tournament else f"{number}-{plain_name(info.name)}/",
                {name: place for place, name in enumerate(sorted(names), 1)},
                None if last_games is None else _last(results, last_games),
            )
            tournaments.append(frozen)
    if not tournaments:
        no_game = f"no game of {game}" if game else "no game"
        where = "" if tournament is None else f" in the {heading(tournament)}"
        raise ArenaError(f"{store.address}: {no_game} has ended{where} yet")
    with _replace_folder(target, heading(tournament)) as folder:
        for name in ASSETS:
            folder.save(name, asset(name))
        _Freezer(server, tournaments, folder, progress).write(tournaments[0].address if tournament else "/")
    return target / "index.html"


def plain_name(tournament: str) -> str:
    """Return the name of a tournament as a part of the name of a folder; two may have the same."""
    return re.sub(r"[^\w-]", "_", tournament, flags=re.ASCII)[:LONGEST_NAME]


def subject_of(target: Path) -> str:
    """Return what the report in a folder is about, as `arena.tables.text_table.heading`; "" if unknown."""
    try:
        lines = (target / _MARKER_FILE).read_text(encoding="utf-8", errors="replace").splitlines()
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        raise ArenaError(f"{error.filename}: cannot be read: {error.strerror}") from error
    return next((line.removeprefix(_SUBJECT) for line in lines if line.startswith(_SUBJECT)), "")


def _last(results: Sequence[GameResult], count: int) -> frozenset[int]:
    """Return the numbers of the last games of each game id that count, and of void ones among them."""
    counted: Counter[str] = Counter()
    last = set()
    for result in sorted(results, key=lambda result: -(result.id or 0)):
        if counted[result.game] < count:
            last.add(result.id or 0)
            counted[result.game] += result.counts
    return frozenset(last)


# --- the pages


@dataclass(frozen=True, slots=True)
class _Frozen:
    """A tournament of a report: which of its addresses become which files."""

    address: str
    folder: str  # of its files, with a slash at the end; "" for the folder of the report
    engines: dict[str, int]  # the number of each engine's page
    games: frozenset[int] | None  # those that get a page; None for all

    def file(self, address: str) -> tuple[str, str]:
        """Return the file of a page and the address to ask for; of a list, the file lacks its number.

        Both are "" if the report has no such page.
        """
        path, _, query = address.removeprefix(self.address).partition("?")
        values = dict(parse_qsl(query))
        names = sorted({values.pop(key) for key in ("engine", "opponent") if key in values})
        pair = "v".join(str(self.engines[name]) for name in names if name in self.engines)
        match path.split("/"):
            case ["" | "words" as name]:
                return f"{name or 'index'}.html", address
            case ["games", page] if page.endswith(".html"):
                shown = self.games is None or int(page.removesuffix(".html")) in self.games
                return (f"games/{page}", address) if shown else ("", "")
            case ["engine"] if values["name"] in self.engines:
                return f"engines/{self.engines[values['name']]}.html", address
            case ["pair"]:
                wanted = {"game": values["game"], "engine": names[0], "opponent": names[1]}
                return f"{slug(values['game'])}-{pair}.html", f"{self.address}pair?{urlencode(wanted)}"
            case ["games"] if (
                "game" in values and len(names) != 1 and values.keys() <= {"game", "order", "after"}
            ):
                if values.setdefault("order", "oldest") == "oldest":
                    values |= dict(zip(("engine", "opponent"), names, strict=False))
                    stem = f"{slug(values['game'])}-{pair}" if pair else slug(values["game"])
                    return f"{stem}-", f"{self.address}games?{urlencode(sorted(values.items()))}"
        return "", ""


class _Freezer:
    """Asks for the first page and all that it links to, and writes each with links to the files."""

    def __init__(
        self,
        server: FrozenServer,
        tournaments: list[_Frozen],
        folder: _Folder,
        progress: Callable[[int], None],
    ) -> None:
        self._server = server
        self._tournaments = {tournament.address: tournament for tournament in tournaments}
        self._folder = folder
        self._progress = progress
        several = any(tournament.folder for tournament in tournaments)
        self._of_all = {"/": "index.html", "/words": "words.html"} if several else {}
        self._files: dict[str, str] = {}  # by address
        # The number of a game (else 0: games come last and in order), a count, an address and its file.
        self._waiting: list[tuple[int, int, str, str]] = []
        self._lists: Counter[str] = Counter()  # the pages of each list

    def write(self, first: str) -> None:
        """Write the first page, and all others to which links lead from it."""
        self._file(first)
        games = 0
        while self._waiting:
            number, _, address, file = heappop(self._waiting)
            self._folder.save(file, self._frozen(self._server.page(address), address, file))
            if number:
                games += 1
                self._progress(games)

    def _frozen(self, text: str, address: str, file: str) -> str:
        """Return a page as a file of the report. What is not in it has no link."""
        here = dirname(file)

        def link(match: re.Match[str]) -> str:
            to, mark, anchor = unescape(match[1]).partition("#")
            there = self._file(urljoin(address, to)) if to else file
            return f'href="{escape(relpath(there, here or "."))}{mark}{escape(anchor)}"' if there else ""

        def linked(match: re.Match[str]) -> str:
            attributes, text = match.groups()
            attributes = _ADDRESS.sub(link, attributes)
            if "href=" in attributes:
                return f"<a {attributes}>{text}</a>"
            return "" if _WAY_ON.search(attributes) else text

        def loaded(match: re.Match[str]) -> str:
            name = match[1].removeprefix("/")
            return match[0].replace(match[1], relpath(name, here or ".")) if name in ASSETS else ""

        return _ANCHOR.sub(linked, _LOADED.sub(loaded, text.replace(_CHARSET, _POLICY, 1)))

    def _file(self, address: str) -> str:
        """Return the file of a page, which waits to be written from now on; "" if the report has none."""
        if address not in self._files:
            id_ = "/".join(address.split("/", 3)[:3]) + "/"
            if id_ in self._tournaments:
                tournament = self._tournaments[id_]
                file, asked = tournament.file(address)
                folder = tournament.folder
            else:
                file, asked, folder = self._of_all.get(address, ""), address, ""
            if file and asked not in self._files:
                if file.endswith("-"):
                    self._lists[folder + file] += 1
                    file += f"{self._lists[folder + file]}.html"
                self._files[asked] = folder + file
                game = re.fullmatch(r"games/(\d+)\.html", file)
                heappush(self._waiting, (int(game[1]) if game else 0, len(self._files), asked, folder + file))
            self._files[address] = self._files.get(asked, "")
        return self._files[address]


# --- the folder --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Folder:
    """A report while it is written: the folder to write to, and the report to replace."""

    new: Path
    earlier: Path

    def save(self, name: str, text: str) -> None:
        """Write a file, or link it from the earlier report if it has not changed."""
        file, old = self.new / name, self.earlier / name
        raw = text.encode()
        file.parent.mkdir(parents=True, exist_ok=True)
        if old.is_file() and old.read_bytes() == raw:
            with suppress(OSError):  # a file system may have no links
                os.link(old, file)
                return
        file.write_bytes(raw)


@contextmanager
def _replace_folder(target: Path, subject: str) -> Iterator[_Folder]:
    """Yield a new folder to write to. It replaces ``target`` at the end, but not after an error."""
    target = target.resolve()
    _check(target)
    try:
        with scratch_folder(target.parent) as scratch:
            new = scratch / "report"
            new.mkdir()
            (new / _MARKER_FILE).write_text(f"{_MARKER_TEXT}{_SUBJECT}{subject}\n", encoding="utf-8")
            yield _Folder(new, target)
            _swap(new, target, scratch / "old")
    except OSError as error:
        raise ArenaError(f"{error.filename or target}: cannot write the report: {error.strerror}") from error


def _check(target: Path) -> None:
    if target.is_dir():
        if (target / _MARKER_FILE).exists() or not any(target.iterdir()):
            return
        problem = "the folder has files in it and is not a report"
    elif target.exists() or target.is_symlink():
        problem = "it is not a folder"
    else:
        return
    raise ArenaError(f"{target}: {problem}; name an empty folder or one that does not exist yet")


def _swap(new: Path, target: Path, old: Path) -> None:
    if not target.exists():
        new.rename(target)
        return
    target.rename(old)
    try:
        new.rename(target)
    except OSError:
        old.rename(target)
        raise
