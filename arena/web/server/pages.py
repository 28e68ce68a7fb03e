"""The pages of the server: home, a tournament, its games, and a game."""

from __future__ import annotations

import time
from functools import partial
from typing import Any, Final

import anyio
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from arena.errors import ArenaError
from arena.store import Store
from arena.tables.tournament_tables import tournament_tables
from arena.web.glossary import GLOSSARY
from arena.web.pages.game import Neighbours, game_page
from arena.web.server.answers import NotFound, html, number_of, tagged
from arena.web.server.api import Api
from arena.web.server.databases import ServedTournament
from arena.web.server.links import ServerLinks
from arena.web.templating import ASSETS, asset, tables_page
from arena.web.views.game import game_view
from arena.web.views.results import FEED_LENGTH, GameLine, game_line

__all__ = ["Pages"]

_TYPES: Final = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
_FILES: Final = {
    name: _TYPES[name.rpartition(".")[2]]
    for name in (*ASSETS, "live.js", "choose.js", "builder.js", "play-board.js", "play.js")
}
_PER_PAGE: Final = 200
_LARGEST: Final = 2**63 - 1


class Pages:
    """The pages.

    Args:
        api: finds what the addresses name.
    """

    def __init__(self, api: Api) -> None:
        self._api = api

    def routes(self) -> list[Route]:
        """Return the addresses."""
        return [
            Route("/", self._home),
            Route("/words", self._words),
            Route("/tournaments/{id}/", self._tournament),
            Route("/tournaments/{id}", self._with_slash),
            Route("/tournaments/{id}/tables", self._tables),
            Route("/tournaments/{id}/words", self._words_of),
            Route("/tournaments/{id}/games", self._games),
            Route("/tournaments/{id}/games/{number:int}.html", self._game),
            *(Route(f"/{name}", partial(self._file, name)) for name in _FILES),
        ]

    async def _file(self, name: str, request: Request) -> Response:
        return tagged(request, asset(name).encode(), _FILES[name])

    async def _with_slash(self, request: Request) -> Response:
        tournament = await self._api.find(request)
        return RedirectResponse(f"/tournaments/{tournament.id}/", 308)

    async def _home(self, request: Request) -> Response:
        found = await anyio.to_thread.run_sync(self._api.tournaments)
        rows = [self._api.tournament_data(tournament) for tournament in found]
        rows.sort(key=lambda row: row["status"] != "running")  # running ones first
        values = {"place": "home", "tournament": "", "links": ServerLinks(), "rows": list(map(_line, rows))}
        return html(request, "served_home.html.j2", values)

    async def _words(self, request: Request) -> Response:
        values = {"place": "words", "tournament": "", "links": ServerLinks(), "glossary": GLOSSARY}
        return html(request, "words.html.j2", values)

    async def _words_of(self, request: Request) -> Response:
        values = _common(await self._api.find(request), "words")
        return html(request, "words.html.j2", {**values, "glossary": GLOSSARY})

    async def _tournament(self, request: Request) -> Response:
        tournament = await self._api.find(request)
        values = {
            **_common(tournament, "tournament"),
            **await anyio.to_thread.run_sync(_newest_and_tables, tournament),
            "row": _line(self._api.tournament_data(tournament)),
        }
        return html(request, "served_tournament.html.j2", values)

    async def _tables(self, request: Request) -> Response:
        """The part of a tournament's page that changes when a game ends."""
        tournament = await self._api.find(request)
        values = await anyio.to_thread.run_sync(_newest_and_tables, tournament)
        return html(request, "served_tables.html.j2", {**_common(tournament, "tournament"), **values})

    async def _games(self, request: Request) -> Response:
        tournament = await self._api.find(request)
        before = number_of(request, "before", 0, _LARGEST)
        lines = await anyio.to_thread.run_sync(_newest, tournament, _PER_PAGE, before)
        older = lines[-1].number if len(lines) == _PER_PAGE else None
        values = {**_common(tournament, "games"), "feed_lines": lines, "older": older}
        return html(request, "served_games.html.j2", values)

    async def _game(self, request: Request) -> Response:
        tournament = await self._api.find(request)
        number = min(request.path_params["number"], _LARGEST)
        text = await anyio.to_thread.run_sync(_game_page, tournament, number)
        return tagged(request, text.encode(), "text/html; charset=utf-8")


def _common(tournament: ServedTournament, place: str) -> dict[str, Any]:
    """Return what every page of a tournament needs."""
    links = ServerLinks(tournament.id)
    return {"links": links, "tournament": tournament.name, "place": place, "id": tournament.id}


def _line(row: dict[str, Any]) -> dict[str, Any]:
    """Add the words of a tournament's line."""
    begun = time.strftime("%Y-%m-%d %H:%M", time.localtime(row["begun"]))
    return {**row, "begun": begun, "games": ", ".join(row["games"])}


def _newest_and_tables(tournament: ServedTournament) -> dict[str, Any]:
    name = tournament.name

    def compute(store: Store) -> str:
        return tables_page(tournament_tables(store, name, wide=False).renderables)

    tables = tournament.database.computed(("tables page", name), compute)
    return {"tables": tables, "feed_lines": _newest(tournament, FEED_LENGTH, 0)}


def _newest(tournament: ServedTournament, most: int, before: int) -> list[GameLine]:
    found = tournament.database.store.newest(most, tournament=tournament.name, before=before)
    return [game_line(result, has_page=True) for result in found]


def _game_page(tournament: ServedTournament, number: int) -> str:
    """Return a game's page.

    Raises:
        NotFound: the tournament has no such game.
    """
    try:
        record = tournament.database.store.game(number)
    except ArenaError as error:
        raise NotFound(str(error).partition(": ")[2]) from None
    if record.result.tournament != tournament.name:
        raise NotFound(f"game {number} is a game of another tournament")
    links = ServerLinks(tournament.id)
    return game_page(game_view(record), links, Neighbours("main", "../games", None, None), served=True)
