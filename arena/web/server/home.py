"""The first page of a server: what it shows of all databases. `arena.web.pages.home` is the page itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from arena.address import name_of
from arena.model import game_title
from arena.ratings.lists import rating_list
from arena.store import Store
from arena.tables.engine_list import engine_list
from arena.tables.ratings import ranking_rows
from arena.tables.standings import standings
from arena.web.figures import grouped, moment, number
from arena.web.pages.games import thumbnail
from arena.web.pages.home import (
    BestEngines,
    EngineRow,
    HomeRow,
    HomeView,
    RatedEngine,
    hero,
    shelf,
    titles_text,
)
from arena.web.server.databases import ServedDatabase, ServedTournament
from arena.web.server.shown import ShownTournaments
from arena.web.server.winners import Winners
from protocol.plurals import counted

_BEST: Final = 5
"""The number of engines of a rating list."""

_MOST_ENGINES: Final = 100
_REST: Final = 3.0
"""See `arena.web.server.databases.ServedDatabase.computed`."""


def home_view(
    tournaments: Sequence[ServedTournament],
    states: Mapping[str, str],
    shown: ShownTournaments,
    winners: Winners,
) -> HomeView:
    """Return what the page shows. Blocks.

    Args:
        tournaments: the tournaments in the order of the page.
        states: ``running``, ``open`` or ``finished``, by id.
        shown: the pages of the tournaments.
        winners: the winners of the finished ones.
    """
    newest = max(
        (one for one in tournaments if one.row["played"]), key=lambda one: one.row["begun"], default=None
    )
    databases = list(dict.fromkeys(one.database for one in tournaments))
    until = max((database.deadline() for database in databases), default=0.0)
    found, parts, totals, first = None, [], [], {}
    for wait in (0.0, until):  # the first round only starts all computations
        found = None if newest is None else shown.soon(newest, wait)
        parts = [database.soon("home", _rated, until=wait, rest=_REST) for database in databases]
        first = {database.number: winners.soon(database, wait) for database in databases}
        totals = [database.soon("totals", _totals, until=wait, rest=_REST) for database in databases]
    view = None if found is None else found.view
    rows, top = [], None
    for one in tournaments:
        known = first[one.database.number].get(one.name, ())
        row = _row(one, states[one.id], view.leaders if view is not None and one is newest else known)
        rows.append(row)
        if view is not None and one is newest and view.sections:
            top = hero(row, view)
    names = _names(databases)
    pairs = [(name, part) for name, part in zip(names, parts, strict=True) if part is not None]
    ratings = [replace(best, database=name) for name, (lists, _) in pairs for best in lists]
    engines = [_engine(one, name) for name, (_, found_) in pairs for one in found_][:_MOST_ENGINES]
    computing = None in parts or None in totals or (newest is not None and view is None)
    all_totals = sum(filter(None, totals), Counter[str]())
    tiles = shelf((game_title(game), thumbnail(game), number_) for game, number_ in all_totals.items())
    return HomeView(rows, top, tiles, "/api/events", ratings, engines, computing)


def _names(databases: Sequence[ServedDatabase]) -> list[str]:
    """Return what tells databases apart on the page: nothing for one, else the names of their files."""
    if len(databases) < 2:
        return [""] * len(databases)
    names = [Path(name_of(database.store.address)).name for database in databases]
    return [
        name if names.count(name) == 1 else f"{name} ({database.number})"
        for name, database in zip(names, databases, strict=True)
    ]


def _row(tournament: ServedTournament, state: str, winners: tuple[str, ...]) -> HomeRow:
    row = tournament.row
    return HomeRow(
        f"/tournaments/{tournament.id}/",
        tournament.name,
        moment(row["begun"]),
        titles_text([game_title(game_id) for game_id in row["games"]]),
        grouped(row["played"]) + (f" of {grouped(row['total'])}" if row["total"] else ""),
        row["format"] or "",
        row["engines"] or 0,
        "live" if state == "running" else state,
        winners,
    )


def _rated(store: Store) -> tuple[list[BestEngines], list[dict[str, Any]]]:
    """Return the best engines of each rating list, and the engines."""
    lists = []
    for game_id, tally in store.tally().items():
        rated = rating_list(store, game_id, tally)
        groups = rated.groups()
        rows = ranking_rows(standings(tally), rated.ratings, groups=groups)
        best = tuple(
            RatedEngine(
                row["rank"],
                row["engine"],
                "–" if row["conservative"] is None else number(row["conservative"]),
                row["games"],
            )
            for row in rows[:_BEST]
        )
        more = counted(len(rows) - _BEST, "other") if len(rows) > _BEST else ""
        lists.append(BestEngines(game_title(game_id), best, more, len(groups.groups) > 1))
    return lists, engine_list(store)


def _engine(row: Mapping[str, Any], database: str) -> EngineRow:
    return EngineRow(
        row["engine"],
        ", ".join(filter(None, row["versions"])),
        grouped(sum(row["games"].values())),
        titles_text([game_title(game_id) for game_id in row["games"]]),
        database,
    )


def _totals(store: Store) -> Counter[str]:
    """Return the number of games of each game id."""
    return Counter({game_id: tally.total() for game_id, tally in store.tally().items()})
