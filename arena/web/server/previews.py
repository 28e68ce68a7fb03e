"""The pictures of boards that other programs show beside a link to a page."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

import anyio
from anyio import CapacityLimiter
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.errors import ArenaError
from arena.model import GameRecord
from arena.web.server.answers import NotFound, tagged
from arena.web.server.api import Api
from arena.web.server.databases import ServedTournament
from arena.web.views.preview import preview

__all__ = ["Previews", "origin"]

_LARGEST: Final = 2**63 - 1


def origin(request: Request) -> str:
    """Return the beginning of the addresses of this server as a client sees it, behind a proxy, too."""
    secure = "https" in (request.url.scheme, request.headers.get("x-forwarded-proto", ""))
    return f"{'https' if secure else 'http'}://{request.headers.get('host', '')}"


class Previews:
    """The addresses of the pictures.

    Args:
        api: finds what the addresses name.
    """

    def __init__(self, api: Api) -> None:
        self._api = api
        self._drawing: CapacityLimiter | None = None

    def routes(self) -> list[Route]:
        """Return the addresses."""
        return [
            Route("/tournaments/{id}/picture.png", self._tournament),
            Route("/tournaments/{id}/games/{number:int}.png", self._game),
        ]

    async def _tournament(self, request: Request) -> Response:
        """Answer with the last position of the newest game."""
        tournament = await self._api.find(request)
        return await self._answer(request, partial(_newest, tournament))

    async def _game(self, request: Request) -> Response:
        """Answer with the last position of a game."""
        tournament = await self._api.find(request)
        number = min(request.path_params["number"], _LARGEST)
        return await self._answer(request, partial(_record, tournament, number))

    async def _answer(self, request: Request, find: Callable[[], GameRecord]) -> Response:
        if self._drawing is None:
            self._drawing = CapacityLimiter(1)  # a picture takes a tenth of a second of a processor
        data = await anyio.to_thread.run_sync(lambda: _picture(find()), limiter=self._drawing)
        return tagged(request, data, "image/png")


def _newest(tournament: ServedTournament) -> GameRecord:
    for result in tournament.database.store.newest(1, tournament=tournament.name):
        return _record(tournament, result.id or 0)
    raise NotFound("no game has ended yet")


def _record(tournament: ServedTournament, number: int) -> GameRecord:
    try:
        record = tournament.database.store.game(number)
    except ArenaError as error:
        raise NotFound(str(error).partition(": ")[2]) from None
    if record.result.tournament != tournament.name:
        raise NotFound(f"game {number} is a game of another tournament")
    return record


def _picture(record: GameRecord) -> bytes:
    found = preview(record)
    if found is None:
        raise NotFound(f"{record.result.game} has no drawing of its own, or its rules are not installed")
    return found
