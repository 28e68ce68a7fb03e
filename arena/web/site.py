"""Write tournaments as a folder of web pages, with tables, plots and a page for each game.

Games are read a few hundred at a time, and written one by one. Only a game's line in the list of games stays
in memory.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path

from arena.config.pairing_plan import stored_plan
from arena.ended_games import GameScoreCounts
from arena.errors import ArenaError
from arena.model import GameRecord
from arena.store import Store
from arena.tables.titled_table import heading
from arena.web.glossary import GLOSSARY
from arena.web.index_section import IndexSection, ratings_of
from arena.web.links import PICTURE, FolderLinks, game_file, game_picture, list_page, pair_page
from arena.web.pages.engine import engine_page
from arena.web.pages.game import Neighbours, game_page
from arena.web.pages.home import HomeLine, write_home
from arena.web.pages.tournament import TournamentView, tournament_page
from arena.web.site_folder import SiteFolder, replace_folder
from arena.web.templating import ASSETS, asset, made_now, page
from arena.web.tournament_collector import TournamentCollector
from arena.web.tournament_view import read_section, tournament_view
from arena.web.views.game import game_view
from arena.web.views.preview import preview
from arena.web.views.results import GameLine, game_line

__all__ = ["write_site"]

GAMES_PER_PAGE = 500
"""The number of games on one page of a list."""


def write_site(
    store: Store,
    tournament: str | None,
    target: Path,
    game: str | None = None,
    last_games: int | None = None,
    progress: Callable[[int], None] = lambda count: None,
    url: str = "",
) -> Path:
    """Write a report and return the path of its index page.

    Args:
        store: the database.
        tournament: the name of a tournament in the database; None for all, each in a folder of its own.
        target: the folder: an empty one, an earlier report, or one that does not exist yet.
        game: a game id, to write only its games; ``None`` for all.
        last_games: the number of last games of each game id that get a page; ``None`` for all games.
        progress: called after each game with the number of games of its tournament read so far.
        url: the full address at which the folder will be, without a slash at the end. The pages then have
            pictures for programs that preview links. "" if it is not known.

    Raises:
        ArenaError: the folder has other files in it or cannot be written, or no such game has ended.
    """
    tournaments = [info for info in store.tournaments() if tournament in (None, info.name)]
    tallies = {info.name: store.tally(tournament=info.name, game=game) for info in tournaments}
    if not any(tallies.values()):
        no_game = f"no game of {game}" if game else "no game"
        where = "" if tournament is None else f" in the {heading(tournament)}"
        raise ArenaError(f"{store.address}: {no_game} has ended{where} yet")
    with replace_folder(target, heading(tournament)) as folder:
        if tournament is not None:
            tally = tallies[tournament]
            links = FolderLinks(engines=_numbered(tally), origin=url)
            writer = _SiteWriter(store, tournament, folder, last_games, progress, links)
            writer.write(tally)
        else:
            lines = [
                HomeLine(number, info, tallies[info.name])
                for number, info in enumerate(tournaments, 1)
                if tallies[info.name]
            ]
            written = []
            for line in lines:
                inside = folder.inside(line.folder)
                links = FolderLinks(
                    "", "../index.html", _numbered(line.tallies), f"{url}/{line.folder}" if url else ""
                )
                writer = _SiteWriter(store, line.info.name, inside, last_games, progress, links)
                written.append((line, writer.write(line.tallies)))
            write_home(folder, written, url)
    return target / "index.html"


class _SiteWriter:
    """Writes the pages of a report."""

    def __init__(
        self,
        store: Store,
        tournament: str,
        folder: SiteFolder,
        last_games: int | None,
        progress: Callable[[int], None],
        links: FolderLinks,
    ) -> None:
        self._store = store
        self._tournament = tournament
        self._folder = folder
        self._last_games = last_games
        self._progress = progress
        self._links = links
        self._collected = TournamentCollector()
        self._last = store.archive.contents().last
        self._newest: GameRecord | None = None

    def write(self, tallies: dict[str, GameScoreCounts]) -> TournamentView:
        """Write all files, and return what the page of the tournament shows."""
        for name in ASSETS:
            self._folder.save(name, asset(name))
        sections = [
            read_section(self._store, self._tournament, game, tally) for game, tally in tallies.items()
        ]
        for section in sections:
            self._write_lists(section, list(self._write_games(section)))
        plan = stored_plan(self._store.outline(self._tournament))
        view = tournament_view(self._tournament, plan, sections, self._collected, self._links, made_now())
        links = self._links if self._newest is None else self._previewed(PICTURE, self._newest)
        self._folder.save("index.html", tournament_page(view, links))
        inside = replace(self._links, root="../")
        for name, number in self._links.engines.items():
            ratings = ratings_of(name, sections, view.sections)
            engine = self._collected.engines[name].view()
            self._folder.save(
                f"engines/{number}.html", engine_page(self._tournament, engine, ratings, inside)
            )
        self._page("words.html", "words.html.j2", place="words", glossary=GLOSSARY)
        return view

    def _write_games(self, section: IndexSection) -> Iterator[GameLine]:
        """Count every game, write the pages of the last games, and yield a line for each game."""
        records = self._store.archive.games(self._last, tournament=self._tournament, game=section.game)
        skipped = 0 if self._last_games is None else max(section.tally.total() - self._last_games, 0)
        counting = 0
        previous: int | None = None
        for number, (record, following) in enumerate(_with_next(records)):
            counting += record.result.counts
            has_page = counting > skipped
            if has_page:
                games = "../" + list_page(section.game, number // GAMES_PER_PAGE + 1)
                neighbours = Neighbours(section.anchor, games, previous, following)
                id_ = record.result.id or 0
                links = replace(self._previewed(game_picture(id_), record), root="../")
                self._folder.save(game_file(id_), game_page(game_view(record), links, neighbours))
                previous = id_
            if self._newest is None or (record.result.id or 0) > (self._newest.result.id or 0):
                self._newest = record
            line = game_line(record.result, has_page=has_page)
            self._collected.add(record, line)
            yield line
            self._progress(self._collected.read)

    def _previewed(self, file: str, record: GameRecord) -> FolderLinks:
        """Write the picture of a game, and return the links of the page that shows it.

        The links have no origin if the page gets no preview.
        """
        if not self._links.origin:
            return self._links
        picture = preview(record)
        if picture is None:
            return replace(self._links, origin="")
        self._folder.save(file, picture)
        return self._links

    def _write_lists(self, section: IndexSection, lines: list[GameLine]) -> None:
        """Write the list of all games and the list of the games of each pair."""
        self._write_list(section, f"Games of {section.game}", partial(list_page, section.game), lines)
        if not section.has_pairs:
            return
        pairs: defaultdict[tuple[int, int], list[GameLine]] = defaultdict(list)
        places = {name: place for place, name in enumerate(section.table.names, 1)}
        for line in lines:
            seated = sorted({places[name] for name in line.names if name in places})
            for pair in combinations(seated, 2):
                pairs[pair].append(line)
        for (row, column), pair_lines in pairs.items():
            names = section.table.names[row - 1], section.table.names[column - 1]
            title = f"{names[0]} and {names[1]}: games of {section.game}"
            self._write_list(section, title, partial(pair_page, section.game, (row, column)), pair_lines)

    def _write_list(
        self, section: IndexSection, title: str, file: Callable[[int], str], lines: list[GameLine]
    ) -> None:
        pages = [file(number // GAMES_PER_PAGE + 1) for number in range(0, len(lines), GAMES_PER_PAGE)]
        for number, here in enumerate(pages):
            first = number * GAMES_PER_PAGE
            page_lines = lines[first : first + GAMES_PER_PAGE]
            self._page(
                here,
                "list.html.j2",
                title=title,
                game=section.game,
                anchor=section.anchor,
                heading=f"Games {first + 1} to {first + len(page_lines)} of {len(lines)}.",
                lines=page_lines,
                pages=pages,
                here=here,
                previous=pages[number - 1] if number else None,
                next=pages[number + 1] if number + 1 < len(pages) else None,
            )

    def _page(self, name: str, template: str, **values: object) -> None:
        common = {"links": self._links, "tournament": self._tournament, "place": ""}
        self._folder.save(name, page(template, common | values))


def _numbered(tallies: dict[str, GameScoreCounts]) -> dict[str, int]:
    """Return the number of each engine's page, in the order of the names."""
    names = {seat.name for tally in tallies.values() for game_score in tally for seat in game_score}
    return {name: number for number, name in enumerate(sorted(names), 1)}


def _with_next(games: Iterable[GameRecord]) -> Iterator[tuple[GameRecord, int | None]]:
    """Yield each game with the number of the next game."""
    current: GameRecord | None = None
    for following in games:
        if current is not None:
            yield current, following.result.id
        current = following
    if current is not None:
        yield current, None
