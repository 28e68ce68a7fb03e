"""The pages of a server without the server: a report asks for them, one after another, in its thread."""

from __future__ import annotations

import math
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match

from arena.store import Store
from arena.web.links import Links
from arena.web.server.answers import NotFound
from arena.web.server.api import Api
from arena.web.server.databases import Databases
from arena.web.server.live import Broadcast
from arena.web.server.pages import Pages


class FrozenServer:
    """Answers with the pages of a database, of one game id if it is given, with the links of a report."""

    def __init__(self, store: Store, game: str | None, links: Links) -> None:
        databases = Databases([store], math.inf, game)
        self._ids = {one.name: one.id for one in databases.tournaments()}
        self._routes = Pages(Api(databases, Broadcast(databases)), {}, None).routes()
        self._links = links

    def id_of(self, tournament: str) -> str:
        """Return the id of a tournament in addresses."""
        return self._ids[tournament]

    def page(self, address: str) -> str:
        """Return the page at an address. Errors are those of the database."""
        path, _, query = address.partition("?")
        scope: dict[str, Any] = {
            "type": "http",
            "method": "GET",
            "path": path,
            "query_string": query.encode(),
            "headers": [],
            "report": self._links,
        }
        for route in self._routes:
            match, found = route.matches(scope)
            if match is Match.FULL:
                response: Response = route.endpoint(Request({**scope, **found}))
                return bytes(response.body).decode()
        raise NotFound(f"there is no page {address}")
