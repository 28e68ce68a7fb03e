"""A tournament as a folder of pages that need nothing else: tables, plots, every game.

Games are read and written one by one; what is kept of each is a line of the list.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from arena.errors import ArenaError
from arena.model import GameRecord
from arena.ratings.fit import fit
from arena.ratings.lists import rating_list
from arena.report import overview
from arena.report.folder import replaced
from arena.report.formats import format_view
from arena.report.gamepage import Neighbours, game_page
from arena.report.history import history
from arena.report.pages import asset, page
from arena.report.section import Part, section
from arena.report.statistics import Gatherer
from arena.report.tables import POINTS_NOTE, points_table
from arena.report.verdict import verdict
from arena.standings import standings
from arena.store import Store
from arena.tally import Tally

__all__ = ["write_site"]

LISTED = 500
"""Games on one page of a list."""


def write_site(
    store: Store,
    tournament: str,
    target: Path,
    game: str | None = None,
    progress: Callable[[int], None] = lambda count: None,
) -> Path:
    """Write a report and say where it begins.

    Args:
        store: the database.
        tournament: there is one of this name.
        target: a folder that is empty, or holds a report, or is made.
        game: only this id.
        progress: is told after each game how many are written.

    Raises:
        ArenaError: there is something else in the folder, it cannot be written, or there are no such games.
    """
    tallies = store.tally(tournament=tournament, game=game)
    if not tallies:
        which = f"no game of {game}" if game else "no game"
        raise ArenaError(f"{store.path}: {which} has ended in the tournament {tournament!a} yet")
    with replaced(target) as folder:
        site = _Site(store, tournament, folder, progress)
        site.write(tallies)
    return target / "index.html"


class _Site:
    """A folder that is being filled."""

    def __init__(self, store: Store, tournament: str, folder: Path, progress: Callable[[int], None]) -> None:
        self._store = store
        self._tournament = tournament
        self._folder = folder
        self._progress = progress
        self._made = time.strftime("on %Y-%m-%d at %H:%M")
        self._last = store.archive.contents().last
        self._written = 0

    def write(self, tallies: dict[str, Tally]) -> None:
        """All of it."""
        (self._folder / "games").mkdir()
        for name in ("style.css", "replay.js"):
            self._save(name, asset(name))
        everything = Gatherer()
        sections = []
        for game, tally in tallies.items():
            part = self._part(game, tally)
            counted = Gatherer()
            rows = []
            for record in self._games(part):
                counted.add(record)
                everything.add(record)
                rows.append(_line(record))
            self._lists(part, rows)
            sections.append(section(part, counted))
        overall = _overall(tallies, everything) if len(tallies) > 1 else None
        summary = f"{everything.games} games of {len(tallies)} kinds" if overall else ""
        self._page("index.html", "index.html.j2", sections=sections, overall=overall, summary=summary)

    def _part(self, game: str, tally: Tally) -> Part:
        store = self._store
        ratings = rating_list(store, game, store.tally(game=game)[game])
        results = (result for result in store.results(tournament=self._tournament, game=game))
        return Part(
            game,
            tally,
            ratings,
            fit(ratings.tally, ratings.model, ratings.settings.anchor),
            history([one.outcome for one in store.scored(game)], ratings.model),
            format_view(store.outline(self._tournament), game, results),
        )

    def _games(self, part: Part) -> Iterator[GameRecord]:
        """Write a page for each game, and pass the game on."""
        games = self._store.archive.games(self._last, tournament=self._tournament, game=part.game)
        for number, (before, record, after) in enumerate(_with_neighbours(games)):
            around = Neighbours(
                part.anchor, part.list_page(number // LISTED + 1), _number(before), _number(after)
            )
            self._save(f"games/{record.result.id}.html", game_page(record, around, self._made))
            yield record
            self._written += 1
            self._progress(self._written)

    def _lists(self, part: Part, rows: list[dict[str, Any]]) -> None:
        pages = [part.list_page(number // LISTED + 1) for number in range(0, len(rows), LISTED)]
        for number, here in enumerate(pages):
            first = number * LISTED
            shown = rows[first : first + LISTED]
            self._page(
                here,
                "list.html.j2",
                game=part.game,
                anchor=part.anchor,
                heading=f"Games {first + 1} to {first + len(shown)} of {len(rows)}.",
                rows=shown,
                pages=pages,
                here=here,
                previous=pages[number - 1] if number else None,
                next=pages[number + 1] if number + 1 < len(pages) else None,
            )

    def _page(self, name: str, template: str, **values: object) -> None:
        usual = {"root": "", "made": self._made, "tournament": self._tournament}
        self._save(name, page(template, usual | values))

    def _save(self, name: str, text: str) -> None:
        (self._folder / name).write_text(text, encoding="utf-8")


def _overall(tallies: dict[str, Tally], everything: Gatherer) -> dict[str, Any]:
    together = Tally()
    for tally in tallies.values():
        together.update(tally)
    return {
        "standings": points_table(standings(together)),
        "standings_note": POINTS_NOTE,
        "ends": overview.ends_table(everything),
        "ends_note": overview.ENDS_NOTE,
        "times": overview.times_table(everything),
        "times_note": overview.TIMES_NOTE,
    }


def _line(record: GameRecord) -> dict[str, Any]:
    result = record.result
    return {
        "number": result.id,
        "players": " – ".join(player.name for player in result.players),
        "verdict": verdict(result),
        "plies": result.plies,
    }


def _number(record: GameRecord | None) -> int | None:
    return None if record is None else record.result.id


def _with_neighbours(
    games: Iterable[GameRecord],
) -> Iterator[tuple[GameRecord | None, GameRecord, GameRecord | None]]:
    before: GameRecord | None = None
    current: GameRecord | None = None
    for after in chain(games, [None]):
        if current is not None:
            yield before, current, after
        before, current = current, after
