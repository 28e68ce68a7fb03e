"""The application: its addresses, and the answers to wrong requests."""

from __future__ import annotations

from collections.abc import Collection

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp

from arena.errors import ArenaError
from arena.web.server.answers import NotFound, WrongRequest
from arena.web.server.api import Api
from arena.web.server.broadcast import Broadcast
from arena.web.server.databases import Databases
from arena.web.server.door.desk import Desk
from arena.web.server.door.routes import DOOR, DoorRoutes
from arena.web.server.pages import Pages
from arena.web.server.play.club import Club
from arena.web.server.play.routes import CHANGING, PlayRoutes
from arena.web.server.security import Compressed, Guarded

__all__ = ["application"]


def application(
    databases: Databases,
    broadcast: Broadcast,
    hosts: Collection[str],
    club: Club | None = None,
    desk: Desk | None = None,
) -> ASGIApp:
    """Return the application.

    Args:
        databases: what it shows.
        broadcast: the running tournaments.
        hosts: the names under which it answers; empty for any.
        club: the games that people play; None if they cannot.
        desk: the door of a tournament; None if there is none.
    """
    api = Api(databases, broadcast)
    door = [] if desk is None else DoorRoutes(desk, databases).routes()
    doors = {} if desk is None else {desk.spec.name: DOOR}
    app = Starlette(
        routes=[*api.routes(), *door, *PlayRoutes(club).routes(), *Pages(api, doors).routes()],
        exception_handlers={
            NotFound: _refused,
            WrongRequest: _refused,
            ArenaError: _refused,
            HTTPException: _refused,
        },
    )
    forms = () if desk is None else (DOOR,)
    return Guarded(Compressed(app), hosts, () if club is None else CHANGING, forms)


async def _refused(request: Request, error: Exception) -> Response:
    """Answer a request that failed with one sentence that says why."""
    text = str(error)
    match error:
        case HTTPException(status_code=status):
            text = error.detail
        case NotFound():
            status = 404
        case WrongRequest():
            status = 400
        case _:  # the database is damaged, or another program has locked it
            status = 503
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": text}, status)
    return PlainTextResponse(f"{text}\n", status)
