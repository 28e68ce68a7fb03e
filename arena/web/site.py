"""A tournament as a folder of pages that need nothing else: tables, plots, every game.

Games are read and written one by one; what is kept of each is a line of the list.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import combinations
from pathlib import Path
from sys import intern
from typing import Any, NamedTuple

from arena.errors import ArenaError
from arena.model import GameRecord
from arena.ratings.fit import fit
from arena.ratings.history import history
from arena.ratings.lists import rating_list
from arena.scoring import GameScoreCounts
from arena.store import Store
from arena.tables import statistics_tables as overview
from arena.tables.crosstable import CROSSTABLE_NOTE, WIDEST, crosstable, crosstable_view
from arena.tables.format_tables import format_view
from arena.tables.standings import POINTS_NOTE, points_table, standings
from arena.tables.statistics import StatisticsCollector
from arena.tables.verdict import verdict
from arena.web.game_page import Neighbours, game_page
from arena.web.glossary import WORDS
from arena.web.index_section import IndexSection, section
from arena.web.site_folder import SiteFolder, replaced
from arena.web.templating import asset, page
from protocol.plurals import counted

__all__ = ["write_site"]

LISTED = 500
"""Games on one page of a list."""


class GameLine(NamedTuple):
    """A game in a list.

    Attributes:
        number: of the game.
        names: who played, in seat order.
        verdict: who won, and why.
        plies: how many were played.
        has_page: whether it can be replayed.
    """

    number: int | None
    names: tuple[str, ...]
    verdict: str
    plies: int
    has_page: bool


def write_site(
    store: Store,
    tournament: str,
    target: Path,
    game: str | None = None,
    replayed: int | None = None,
    progress: Callable[[int], None] = lambda count: None,
) -> Path:
    """Write a report and say where it begins.

    Args:
        store: the database.
        tournament: there is one of this name.
        target: a folder that is empty, or holds a report, or is made.
        game: only this id.
        replayed: how many games of each id have a page of their own, the last ones; None for all.
        progress: is told after each game how many have been read.

    Raises:
        ArenaError: there is something else in the folder, it cannot be written, or there are no such games.
    """
    tallies = store.tally(tournament=tournament, game=game)
    if not tallies:
        which = f"no game of {game}" if game else "no game"
        raise ArenaError(f"{store.path}: {which} has ended in the tournament {tournament!a} yet")
    with replaced(target) as folder:
        site = _Site(store, tournament, folder, replayed, progress)
        site.write(tallies)
    return target / "index.html"


class _Site:
    """A folder that is being filled."""

    def __init__(
        self,
        store: Store,
        tournament: str,
        folder: SiteFolder,
        replayed: int | None,
        progress: Callable[[int], None],
    ) -> None:
        self._store = store
        self._tournament = tournament
        self._folder = folder
        self._replayed = replayed
        self._progress = progress
        self._last = store.archive.contents().last
        self._read = 0

    def write(self, tallies: dict[str, GameScoreCounts]) -> None:
        """All of it."""
        for name in ("style.css", "replay.js"):
            self._folder.save(name, asset(name))
        everything = StatisticsCollector()
        sections = []
        for game, tally in tallies.items():
            part = self._part(game, tally)
            found = StatisticsCollector()
            self._lists(part, list(self._write_games(part, [found, everything])))
            sections.append(section(part, found))
        self._page(
            "index.html",
            "index.html.j2",
            made=time.strftime("on %Y-%m-%d at %H:%M"),
            sections=sections,
            overall=_overall(tallies, everything) if len(tallies) > 1 else None,
            words=WORDS,
        )

    def _part(self, game: str, tally: GameScoreCounts) -> IndexSection:
        store = self._store
        ratings = rating_list(store, game, store.tally(game=game)[game])
        results = (result for result in store.results(tournament=self._tournament, game=game))
        return IndexSection(
            game,
            tally,
            crosstable(tally),
            ratings,
            fit(ratings.tally, ratings.model, ratings.settings.anchor),
            history([one.outcome for one in store.scored(game)], ratings.model),
            format_view(store.outline(self._tournament), game, results),
        )

    def _write_games(self, part: IndexSection, counters: Iterable[StatisticsCollector]) -> Iterator[GameLine]:
        """Count every game, write the pages of those to be replayed, and pass their lines on."""
        games = self._store.archive.games(self._last, tournament=self._tournament, game=part.game)
        skipped = 0 if self._replayed is None else max(part.tally.total() - self._replayed, 0)
        known = 0
        before: int | None = None
        for number, (record, after) in enumerate(_with_next(games)):
            for counter in counters:
                counter.add(record)
            known += record.result.counts
            has_page = known > skipped
            if has_page:
                here = part.list_page(number // LISTED + 1)
                around = Neighbours(part.anchor, here, before, after)
                self._folder.save(f"games/{record.result.id}.html", game_page(record, around))
                before = record.result.id
            yield _line(record, has_page=has_page)
            self._read += 1
            self._progress(self._read)

    def _lists(self, part: IndexSection, lines: list[GameLine]) -> None:
        """All games, and those of every pair."""
        self._list(part, f"Games of {part.game}", part.list_page, lines)
        if not part.has_pairs:
            return
        pairs: defaultdict[tuple[int, int], list[GameLine]] = defaultdict(list)
        places = {name: place for place, name in enumerate(part.table.names, 1)}
        for line in lines:
            seated = sorted({places[name] for name in line.names if name in places})
            for pair in combinations(seated, 2):
                pairs[pair].append(line)
        for (one, other), met in pairs.items():
            names = part.table.names[one - 1], part.table.names[other - 1]
            title = f"{names[0]} and {names[1]}: games of {part.game}"
            self._list(part, title, partial(part.pair_page, one, other), met)

    def _list(
        self, part: IndexSection, title: str, file: Callable[[int], str], lines: list[GameLine]
    ) -> None:
        pages = [file(number // LISTED + 1) for number in range(0, len(lines), LISTED)]
        for number, here in enumerate(pages):
            first = number * LISTED
            shown = lines[first : first + LISTED]
            self._page(
                here,
                "list.html.j2",
                title=title,
                game=part.game,
                anchor=part.anchor,
                heading=f"Games {first + 1} to {first + len(shown)} of {len(lines)}.",
                lines=shown,
                pages=pages,
                here=here,
                previous=pages[number - 1] if number else None,
                next=pages[number + 1] if number + 1 < len(pages) else None,
            )

    def _page(self, name: str, template: str, **values: object) -> None:
        usual = {"root": "", "tournament": self._tournament}
        self._folder.save(name, page(template, usual | values))


def _overall(tallies: dict[str, GameScoreCounts], everything: StatisticsCollector) -> dict[str, Any]:
    together = GameScoreCounts()
    for tally in tallies.values():
        together.update(tally)
    table = crosstable(together)
    return {
        "played": f"{counted(everything.games, 'game')} of {counted(len(tallies), 'kind')}",
        "summary": overview.summary(everything) if everything.games else "",
        "standings": points_table(standings(together)),
        "standings_note": POINTS_NOTE,
        "crosstable": crosstable_view(table).whole() if len(table.names) <= WIDEST else None,
        "crosstable_note": CROSSTABLE_NOTE,
        "seats": overview.seats_table(everything, None),
        "seats_note": overview.ALL_SEATS_NOTE,
        "forfeits": overview.forfeits_table(together),
        "forfeits_note": overview.FORFEITS_NOTE,
        "ends": overview.ends_table(everything),
        "ends_note": overview.ENDS_NOTE,
        "times": overview.times_table(everything),
        "times_note": overview.TIMES_NOTE,
    }


def _line(record: GameRecord, *, has_page: bool) -> GameLine:
    result = record.result
    names = tuple(intern(player.name) for player in result.players)
    return GameLine(result.id, names, intern(verdict(result)), result.plies, has_page)


def _with_next(games: Iterable[GameRecord]) -> Iterator[tuple[GameRecord, int | None]]:
    """Each game with the number of the one after it."""
    current: GameRecord | None = None
    for after in games:
        if current is not None:
            yield current, after.result.id
        current = after
    if current is not None:
        yield current, None
