"""The addresses of play: its pages, and the part of the API that changes something."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from io import BytesIO
from typing import Any, Final

import anyio
import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from arena.model import TournamentRecord
from arena.records.files import FORMATS, write_records
from arena.web.links import ServerLinks
from arena.web.play.casual_game import Unplayable
from arena.web.play.offer import CASUAL, UNRATED, WrongOrder
from arena.web.play.view import legal_moves
from arena.web.server.answers import NotFound, WrongRequest, events, html, json
from arena.web.server.play.club import Club, ClubGame, TooMany
from arena.web.templating import page

__all__ = ["CHANGING", "PlayRoutes"]

CHANGING: Final = ("/api/play/",)
"""The addresses below which a POST changes something."""

_LONGEST_BODY: Final = 16_384

_Change = Callable[[ClubGame, dict[str, Any]], Awaitable[None]]


class PlayRoutes:
    """The answers.

    Args:
        club: the games; None if the user has listed no engines.
    """

    def __init__(self, club: Club | None) -> None:
        self._maybe_club = club

    def routes(self) -> list[Route]:
        """Return the addresses."""
        changes: dict[str, _Change] = {
            "move": self._move,
            "takeback": self._take_back,
            "hint": self._hint,
            "end": self._end,
            "store": self._store,
        }
        return [
            Route("/play/", self._page),
            Route("/play/{id}/", self._game_page),
            Route("/api/play/offer", self._offer),
            Route("/api/play/games", self._begin, methods=["POST"]),
            Route("/api/play/games/{id}", self._state),
            Route("/api/play/games/{id}/moves", self._moves),
            Route("/api/play/games/{id}/events", self._events),
            Route("/api/play/games/{id}/record", self._record),
            *(
                Route(f"/api/play/games/{{id}}/{word}", partial(self._changed, change), methods=["POST"])
                for word, change in changes.items()
            ),
        ]

    @property
    def _club(self) -> Club:
        """The games.

        Raises:
            NotFound: the user has listed no engines.
        """
        if self._maybe_club is None:
            raise NotFound("nothing can be played here: start `arena serve` with --engines FILE.toml")
        return self._maybe_club

    def _found(self, request: Request) -> ClubGame:
        found = self._club.find(request.path_params["id"])
        if found is None:
            raise NotFound("there is no such game, or the server has forgotten it")
        return found

    # --- pages

    async def _page(self, request: Request) -> Response:
        club = self._maybe_club
        values = {
            "place": "play",
            "tournament": "",
            "links": ServerLinks(),
            "offer": [] if club is None else club.offer.games(),
        }
        return html(request, page("served_play.html.j2", values))

    async def _game_page(self, request: Request) -> Response:
        found = self._found(request)
        info = found.game.order.rules.info
        values = {
            "place": "play",
            "tournament": "",
            "links": ServerLinks(),
            "id": found.game.id,
            "title": info.title,
            "game": info.id,
            "players": info.players,
        }
        return html(request, page("served_play_game.html.j2", values))

    # --- the API

    async def _offer(self, request: Request) -> Response:
        return json(request, self._club.offer.games())

    async def _state(self, request: Request) -> Response:
        return json(request, self._found(request).state())

    async def _moves(self, request: Request) -> Response:
        game = self._found(request).game
        data = await anyio.to_thread.run_sync(legal_moves, game)
        return json(request, data)

    async def _events(self, request: Request) -> Response:
        found = self._found(request)
        return events(request, found.log, found.state)

    async def _record(self, request: Request) -> Response:
        found = self._found(request)
        try:
            record = found.game.record()
        except Unplayable as error:
            raise NotFound(str(error)) from None
        format_name = request.query_params.get("format", "text")
        if format_name not in FORMATS:
            raise WrongRequest(f"format must be one of: {', '.join(FORMATS)}")
        out = BytesIO()
        write_records([TournamentRecord(CASUAL, record.started, UNRATED), record], format_name, out)
        ending = "txt" if format_name == "text" else format_name
        name = f"{record.result.game}-{record.result.key}.{ending}"
        headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
        return Response(out.getvalue(), media_type="text/plain; charset=utf-8", headers=headers)

    async def _begin(self, request: Request) -> Response:
        wish = await _body(request)
        try:
            found = await self._club.begin(wish)
        except TooMany as error:
            return _plain({"error": str(error)}, 409)
        except WrongOrder as error:
            raise WrongRequest(str(error)) from None
        return _plain({"id": found.game.id, "url": f"/play/{found.game.id}/"}, 201)

    async def _changed(self, change: _Change, request: Request) -> Response:
        found = self._found(request)
        wish = await _body(request)
        try:
            await change(found, wish)
        except (Unplayable, TooMany) as error:
            return _plain({"error": str(error)}, 409)
        except WrongOrder as error:
            raise WrongRequest(str(error)) from None
        return _plain({})

    async def _move(self, found: ClubGame, wish: dict[str, Any]) -> None:
        move, ply = wish.get("move"), wish.get("ply")
        if not isinstance(move, str) or not isinstance(ply, int):
            raise WrongRequest("a move needs move, a text, and ply, the number of moves before it")
        await self._club.move(found, move.strip(), ply)

    async def _take_back(self, found: ClubGame, wish: dict[str, Any]) -> None:
        await self._club.take_back(found)

    async def _hint(self, found: ClubGame, wish: dict[str, Any]) -> None:
        await self._club.hint(found, str(wish.get("engine") or ""))

    async def _end(self, found: ClubGame, wish: dict[str, Any]) -> None:
        await self._club.end(found, "you ended it")

    async def _store(self, found: ClubGame, wish: dict[str, Any]) -> None:
        await self._club.keep(found)


def _plain(data: dict[str, Any], status: int = 200) -> Response:
    return Response(msgspec.json.encode(data) + b"\n", status, media_type="application/json")


async def _body(request: Request) -> dict[str, Any]:
    """Return the JSON object of a request.

    Raises:
        WrongRequest: the body is no JSON object, is too long, or ends too early.
    """
    body = b""
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > _LONGEST_BODY:
                raise WrongRequest(f"a request has at most {_LONGEST_BODY} bytes")
    except ClientDisconnect:
        raise WrongRequest("the request is not complete") from None
    try:
        wish = msgspec.json.decode(body or b"{}")
    except (ValueError, RecursionError):  # msgspec.DecodeError is a ValueError, and so is wrong UTF-8
        wish = None
    if not isinstance(wish, dict):
        raise WrongRequest("a request must be a JSON object")
    return wish
