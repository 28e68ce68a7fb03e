"""Write tournaments as a folder of web pages, with tables, plots and a page for each game.

Games are read a few hundred at a time, and written one by one. Only a game's line in the list of games stays
in memory. A new report is written beside the earlier one and replaces it at the end; unchanged files are
linked from the earlier one, so a program that copies the folder copies only changes.
"""

from __future__ import annotations

import os
import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, combinations, pairwise
from pathlib import Path
from typing import TypeVar

from arena.errors import ArenaError
from arena.formats.plan import Plan
from arena.model import GameRecord, game_title
from arena.scoring import GameScoreCounts
from arena.scratch import scratch_folder
from arena.store import GameSearch, Meeting, Store
from arena.store.values import TournamentInfo
from arena.tables.text_table import heading
from arena.web.figures import grouped
from arena.web.glossary import words_page
from arena.web.links import FolderLinks, game_file, list_page, pair_file
from arena.web.pages.engine import engine_page, engine_view
from arena.web.pages.game import Neighbours, game_page, game_view
from arena.web.pages.games import GameLine, GamesPage, game_line, games_page
from arena.web.pages.home import HomeRow, HomeView, hero, home_page, latest, shelf, titles_text
from arena.web.pages.pair import PairView, pair_page, pair_scores
from arena.web.pages.section import GameResults, ratings_of, read_results
from arena.web.pages.tournament import TournamentCollector, TournamentView, tournament_page, tournament_view
from arena.web.templating import ASSETS, asset, made_now

GAMES_PER_PAGE = 500
"""The number of games on one page of a list."""

_LONGEST_NAME = 40
"""The most characters of a tournament's name in the name of its folder."""

_MARKER_FILE = "arena-report.txt"
"""The file that marks a folder as a report. A folder without it is never overwritten."""

_MARKER_TEXT = "Made by arena report, which may replace this whole folder.\n"
_SUBJECT = "Subject: "


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
        progress: called after each game with the number of games of its tournament read so far.

    Raises:
        ArenaError: the folder has other files in it or cannot be written, or no such game has ended.
    """
    tournaments = [info for info in store.tournaments() if tournament in (None, info.name)]
    tallies = {info.name: store.tally(tournament=info.name, game=game) for info in tournaments}
    if not any(tallies.values()):
        no_game = f"no game of {game}" if game else "no game"
        where = "" if tournament is None else f" in the {heading(tournament)}"
        raise ArenaError(f"{store.address}: {no_game} has ended{where} yet")
    with _replace_folder(target, heading(tournament)) as folder:
        if tournament is not None:
            links = FolderLinks(engines=_numbered(tallies[tournament]))
            writer = _TournamentWriter(store, tournament, folder, last_games, progress, links)
            writer.write(tallies[tournament])
        else:
            written = []
            for number, info in enumerate(tournaments, 1):
                if tally := tallies[info.name]:
                    inside = f"{number}-{plain_name(info.name)}"
                    links = FolderLinks("", "../index.html", _numbered(tally))
                    writer = _TournamentWriter(
                        store, info.name, folder.inside(inside), last_games, progress, links
                    )
                    seen = FolderLinks(f"{inside}/", "../index.html", _numbered(tally))
                    written.append((f"{inside}/index.html", info, writer.write(tally), seen))
            _write_home(folder, written)
    return target / "index.html"


def plain_name(tournament: str) -> str:
    """Return the name of a tournament as a part of the name of a folder; two may have the same."""
    return re.sub(r"[^\w-]", "_", tournament, flags=re.ASCII)[:_LONGEST_NAME]


def subject_of(target: Path) -> str:
    """Return what the report in a folder is about, as `arena.tables.text_table.heading`; "" if unknown."""
    try:
        lines = (target / _MARKER_FILE).read_text(encoding="utf-8", errors="replace").splitlines()
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        raise ArenaError(f"{error.filename}: cannot be read: {error.strerror}") from error
    return next((line.removeprefix(_SUBJECT) for line in lines if line.startswith(_SUBJECT)), "")


@dataclass(slots=True)
class _TournamentWriter:
    """Writes the pages of one tournament."""

    _store: Store
    _tournament: str
    _folder: _Folder
    _last_games: int | None
    _progress: Callable[[int], None]
    _links: FolderLinks
    _collected: TournamentCollector = field(default_factory=TournamentCollector)
    _meetings: dict[str, list[Meeting]] = field(default_factory=dict)  # by game id
    _last_without: Counter[str] = field(default_factory=Counter)  # the last game without a page

    def write(self, tallies: Mapping[str, GameScoreCounts]) -> TournamentView:
        """Write all files, and return what the page of the tournament shows."""
        self._folder.save_assets()
        last = self._store.archive.contents().last
        plan = Plan.stored(self._store.outline(self._tournament))
        found = read_results(self._store, self._tournament, plan, tallies)
        for results in found:
            self._write_lists(results, list(self._write_games(results, last)))
        view = tournament_view(self._tournament, plan, found, self._collected, self._links)
        self._folder.save("index.html", tournament_page(view, self._links, made_now()))
        inside = replace(self._links, root="../")
        games = chain.from_iterable(self._meetings.values())
        by_engine = grouped_by(games, lambda one: {seat.name for seat in one.score})
        for name, number in self._links.engines.items():
            engine = engine_view(self._store, name, self._tournament, by_engine[name], self._has_page)
            text = engine_page(engine, ratings_of(name, view.sections), inside)
            self._folder.save(f"engines/{number}.html", text)
        self._folder.save("words.html", words_page(self._tournament, self._links))
        return view

    def _write_games(self, results: GameResults, last: int) -> Iterator[GameLine]:
        """Count every game, write the pages of the last games, and yield a line for each game."""
        records = self._store.archive.games(last, tournament=self._tournament, game=results.game)
        skipped = 0 if self._last_games is None else max(results.tally.total() - self._last_games, 0)
        links = replace(self._links, root="../")
        counting = 0
        previous: int | None = None
        for number, (record, following) in enumerate(pairwise(chain(records, (None,)))):
            assert record is not None
            counting += record.result.counts
            has_page = counting > skipped
            if not has_page:
                self._last_without[results.game] = record.result.id or 0
            if has_page:
                games = "../" + list_page(results.game, number // GAMES_PER_PAGE + 1)
                after = None if following is None else following.result.id
                neighbours = Neighbours(results.anchor, games, previous, after)
                id_ = record.result.id or 0
                self._folder.save(game_file(id_), game_page(game_view(record), links, neighbours))
                previous = id_
            line = game_line(record, has_page=has_page)
            self._collected.add(record, line)
            yield line
            self._progress(self._collected.read)

    def _has_page(self, record: GameRecord) -> bool:
        return (record.result.id or 0) > self._last_without[record.result.game]

    def _write_lists(self, results: GameResults, lines: list[GameLine]) -> None:
        """Write the list of all games and the page of each pair."""
        meetings = self._store.finder.meetings(GameSearch(self._tournament, results.game))
        self._meetings[results.game] = meetings
        self._write_list(results, f"Games of {results.game}", partial(list_page, results.game), lines)
        if not results.has_pairs:
            return
        pairs: defaultdict[tuple[int, int], list[GameLine]] = defaultdict(list)
        places = {name: place for place, name in enumerate(results.table.names, 1)}
        for line in lines:
            seated = sorted({places[name] for name in line.names if name in places})
            for pair in combinations(seated, 2):
                pairs[pair].append(line)
        met = grouped_by(
            meetings, lambda one: combinations(sorted({places[seat.name] for seat in one.score}), 2)
        )
        for (row, column), pair_lines in pairs.items():
            names = results.table.names[row - 1], results.table.names[column - 1]
            points, scores = pair_scores(names, results.game, met[row, column])
            files = partial(pair_file, results.game, (row, column))
            pages = [files(number) for number in range(1, _pages(pair_lines) + 1)]
            for number, here in enumerate(pages):
                view = PairView(
                    self._tournament,
                    results.game,
                    game_title(results.game),
                    results.anchor,
                    names,
                    points,
                    scores,
                    pair_lines[number * GAMES_PER_PAGE : (number + 1) * GAMES_PER_PAGE],
                    every="",
                    pages=pages,
                    here=number,
                )
                self._folder.save(here, pair_page(view, self._links))

    def _write_list(
        self, results: GameResults, title: str, file: Callable[[int], str], lines: list[GameLine]
    ) -> None:
        pages = [file(number) for number in range(1, _pages(lines) + 1)]
        for number, here in enumerate(pages):
            first = number * GAMES_PER_PAGE
            view = GamesPage(
                tournament=self._tournament,
                game=results.game,
                anchor=results.anchor,
                title=title,
                lines=lines[first : first + GAMES_PER_PAGE],
                first=first + 1,
                total=len(lines),
                pages=pages,
                here=number,
            )
            self._folder.save(here, games_page(view, self._links))


def _pages(lines: Sequence[GameLine]) -> int:
    return -(-len(lines) // GAMES_PER_PAGE)


_Key = TypeVar("_Key", bound=Hashable)


def grouped_by(
    meetings: Iterable[Meeting], keys: Callable[[Meeting], Iterable[_Key]]
) -> defaultdict[_Key, list[Meeting]]:
    """Group games by all of their keys."""
    found: defaultdict[_Key, list[Meeting]] = defaultdict(list)
    for one in meetings:
        for key in keys(one):
            found[key].append(one)
    return found


def _numbered(tallies: Mapping[str, GameScoreCounts]) -> dict[str, int]:
    """Return the number of each engine's page, in the order of the names."""
    names = {seat.name for tally in tallies.values() for game_score in tally for seat in game_score}
    return {name: number for number, name in enumerate(sorted(names), 1)}


# --- the page of all tournaments ---------------------------------------------------------------------------


def _write_home(
    folder: _Folder, written: Sequence[tuple[str, TournamentInfo, TournamentView, FolderLinks]]
) -> None:
    """Write the first page, the newest tournament first; each has its page, what it shows, and links."""
    folder.save_assets()
    views = [view for _, _, view, _ in written]
    written = sorted(written, key=lambda one: one[1].created, reverse=True)
    rows = [_row(to, info, view) for to, info, view, _ in written]
    sections = {section.results.game: section for view in views for section in view.sections}
    totals: Counter[str] = Counter()
    for section in (one for view in views for one in view.sections):
        totals[section.results.game] += section.results.tally.total()
    tiles = shelf((one.title, one.picture, totals[game]) for game, one in sections.items())
    results = latest([(rows[0].name, written[0][3], written[0][2].recent)])
    home = HomeView(rows, hero(rows[0], written[0][2], written[0][3]), tiles, results)
    folder.save("index.html", home_page(home, FolderLinks("", "index.html"), made_now()))


def _row(to: str, info: TournamentInfo, view: TournamentView) -> HomeRow:
    return HomeRow(
        to,
        info.name,
        info.created,
        titles_text([section.results.game for section in view.sections]),
        grouped(view.facts.games),
        view.facts.format,
        view.facts.engines,
        view.facts.state,
        view.leaders,
    )


# --- the folder --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Folder:
    """A report while it is written: the folder to write to, and that of the report to replace."""

    new: Path
    earlier: Path

    def save(self, name: str, text: str) -> None:
        """Write a file, or link it from the earlier report if it has not changed."""
        file, old = self.new / name, self.earlier / name
        raw = text.encode()
        file.parent.mkdir(parents=True, exist_ok=True)
        if old.is_file() and old.stat().st_size == len(raw) and old.read_bytes() == raw:
            try:
                os.link(old, file)
            except OSError:  # a file system without links
                shutil.copy2(old, file)
        else:
            file.write_bytes(raw)

    def save_assets(self) -> None:
        """Write the files that pages load."""
        for name in ASSETS:
            self.save(name, asset(name))

    def inside(self, name: str) -> _Folder:
        """Return a folder inside this one."""
        return _Folder(self.new / name, self.earlier / name)


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
