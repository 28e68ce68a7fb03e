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
from arena.model import GameResult
from arena.tables.result_text import verdict
from arena.tables.tournament_tables import tournament_tables
from arena.web.game_page import Neighbours, game_page
from arena.web.server.answers import NotFound, html, number_of, tagged
from arena.web.server.api import Api
from arena.web.server.databases import ServedTournament
from arena.web.templating import asset, tables_page

__all__ = ["Pages"]

_FILES: Final = {
    "style.css": "text/css; charset=utf-8",
    "replay.js": "text/javascript; charset=utf-8",
    "live.js": "text/javascript; charset=utf-8",
}
_NEWEST: Final = 10
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
        """Return the addresses. A tournament's addresses are those of its files in a report."""
        return [
            Route("/", self._home),
            Route("/tournaments/{id}/", self._tournament),
            Route("/tournaments/{id}", self._with_slash),
            Route("/tournaments/{id}/index.html", self._with_slash),
            Route("/tournaments/{id}/tables", self._tables),
            Route("/tournaments/{id}/games", self._games),
            Route("/tournaments/{id}/games/{number:int}.html", self._game),
            *(Route(f"/{name}", partial(self._file, name)) for name in _FILES),
            *(Route(f"/tournaments/{{id}}/{name}", partial(self._file, name)) for name in _FILES),
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
        return html(request, "served_home.html.j2", {"root": "/", "tournaments": list(map(_line, rows))})

    async def _tournament(self, request: Request) -> Response:
        tournament = await self._api.find(request)
        values = {
            "root": "/",
            "tournament": tournament.name,
            "id": tournament.id,
            "row": _line(self._api.tournament_data(tournament)),
            "tables": await anyio.to_thread.run_sync(_tables, tournament),
            "newest": await anyio.to_thread.run_sync(_newest, tournament, _NEWEST, 0),
        }
        return html(request, "served_tournament.html.j2", values)

    async def _tables(self, request: Request) -> Response:
        """The part of a tournament's page that changes when a game ends."""
        tournament = await self._api.find(request)
        values = {
            "tables": await anyio.to_thread.run_sync(_tables, tournament),
            "newest": await anyio.to_thread.run_sync(_newest, tournament, _NEWEST, 0),
        }
        return html(request, "served_tables.html.j2", values)

    async def _games(self, request: Request) -> Response:
        tournament = await self._api.find(request)
        before = number_of(request, "before", 0, _LARGEST)
        lines = await anyio.to_thread.run_sync(_newest, tournament, _PER_PAGE, before)
        values = {
            "root": "/",
            "tournament": tournament.name,
            "id": tournament.id,
            "newest": lines,
            "older": lines[-1]["number"] if len(lines) == _PER_PAGE else None,
        }
        return html(request, "served_games.html.j2", values)

    async def _game(self, request: Request) -> Response:
        tournament = await self._api.find(request)
        number = min(request.path_params["number"], _LARGEST)
        text = await anyio.to_thread.run_sync(_game_page, tournament, number)
        return tagged(request, text.encode(), "text/html; charset=utf-8")


def _line(row: dict[str, Any]) -> dict[str, Any]:
    """Add the words of a tournament's line."""
    begun = time.strftime("%Y-%m-%d %H:%M", time.localtime(row["begun"]))
    return {**row, "begun": begun, "games": ", ".join(row["games"])}


def _tables(tournament: ServedTournament) -> str:
    name = tournament.name
    return tournament.database.computed(
        ("tables page", name),
        lambda store: tables_page(tournament_tables(store, name, wide=False).renderables),
    )


def _newest(tournament: ServedTournament, most: int, before: int) -> list[dict[str, Any]]:
    found = tournament.database.store.newest(most, tournament=tournament.name, before=before)
    return [_result_line(result) for result in found]


def _result_line(result: GameResult) -> dict[str, Any]:
    return {
        "number": result.id,
        "names": [player.name for player in result.players],
        "verdict": verdict(result),
        "plies": result.plies,
    }


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
    return game_page(record, Neighbours("main", "games", None, None), served=True)
