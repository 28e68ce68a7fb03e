"""The pages of engines: of one in a tournament, of one in all tournaments, and of all."""

from __future__ import annotations

from functools import partial
from typing import Final
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.store import GameSearch
from arena.web.links import Links
from arena.web.offer import Offer
from arena.web.pages.engine import (
    EnginesPart,
    EngineView,
    engine_view,
    listed_engines,
)
from arena.web.pages.section import EngineRating, ratings_of
from arena.web.server.answers import After, NotFound, html, links_of, query_of
from arena.web.server.databases import (
    REST,
    Databases,
    ServedDatabase,
    ServedTournament,
    database_names,
)
from arena.web.server.finding import downloads
from arena.web.server.live import Broadcast

_LIST_PAGE: Final = 100
"""The engines of a list on one page."""


def view_of(database: ServedDatabase, name: str, tournament: str | None) -> EngineView:
    """Return what an engine did, or raise `NotFound`. Blocks."""
    store = database.store
    if not store.finder.find(GameSearch(tournament, database.only, engines=(name,)), 1):
        raise NotFound("no such engine has played" + ("" if tournament is None else " in this tournament"))
    compute = partial(engine_view, name=name, tournament=tournament, game=database.only)
    return database.computed(("engine", name, tournament), compute, rest=REST)


class Engines:
    """The pages of engines."""

    def __init__(self, databases: Databases, broadcast: Broadcast, offer: Offer | None) -> None:
        self._databases = databases
        self._broadcast = broadcast
        self._offer = offer

    def routes(self) -> list[Route]:
        """Return the addresses."""
        return [
            Route("/engines", self._engines),
            Route("/engine", self._everywhere),
            Route("/tournaments/{id}/engine", self._engine),
        ]

    def _engines(self, request: Request) -> Response:
        after = query_of(request, After).after
        wanted = request.query_params.get("list")
        databases = self._databases.all
        lists = [database.soon("lists", listed_engines, until=database.deadline()) for database in databases]
        parts = []
        names = database_names(databases)
        for database, name, ratings in zip(databases, names, lists, strict=True):
            beside = self._databases.beside(database)
            for number, listed in enumerate(ratings or ()):
                id_ = f"{database.number}-{number}"
                first = after if wanted == id_ else 0
                lines = listed.ranking.lines[first : first + _LIST_PAGE]
                after_it = urlencode({"list": id_, "after": first + _LIST_PAGE})
                more = f"/engines?{after_it}" if first + _LIST_PAGE < len(listed.ranking.lines) else ""
                if wanted in (None, id_):
                    parts.append(EnginesPart(listed, name, beside, first, lines, more))
        if wanted is not None and not parts and None not in lists:
            raise NotFound("there is no such list of engines; /engines has all")
        return html(request, "engines.html.j2", parts=parts, computing=None in lists)

    def _everywhere(self, request: Request) -> Response:
        """Answer with the page of an engine in all tournaments of the first database that has it."""
        name = request.query_params.get("name", "")
        beside = request.query_params.get("beside", "")
        links, tournaments = links_of(request), self._databases.tournaments()
        near = {tournament.database for tournament in tournaments if tournament.id == beside}
        for database in sorted(self._databases.all, key=lambda database: database not in near):
            if database.store.finder.find(GameSearch(engines=(name,)), 1):
                break
        else:
            raise NotFound("no such engine has played")
        view = view_of(database, name, None)
        ratings: dict[str, EngineRating] = {}
        for listed in database.soon("lists", listed_engines, until=database.deadline()) or ():
            rating = listed.rating_of(name)
            if rating is not None:
                ratings.setdefault(listed.game, rating)
        here = [tournament for tournament in tournaments if tournament.database is database]
        return html(
            request,
            "engine.html.j2",
            view=view,
            ratings=ratings,
            others={tournament.name: Links(tournament.id) for tournament in here},
            records={},
            playing=[game for tournament in here for game in self._playing(tournament, name)],
            rivals=self._rivals(view, links),
            beside=self._databases.beside(database),
        )

    def _engine(self, request: Request) -> Response:
        tournament = self._databases.find(request)
        name = request.query_params.get("name", "")
        links = links_of(request, tournament.id)
        view = view_of(tournament.database, name, tournament.name)
        ratings = ratings_of(name, tournament.view(tournament.database.deadline()).sections)
        return html(
            request,
            "engine.html.j2",
            links=links,
            tournament=tournament.name,
            view=view,
            ratings=ratings,
            others={},
            records=downloads(links, {"engine": name}, [scores.game for scores in view.games]),
            playing=self._playing(tournament, name),
            rivals=self._rivals(view, links),
            beside=self._databases.beside(tournament.database),
        )

    def _rivals(self, view: EngineView, links: Links) -> dict[str, str]:
        """Return where people play against the engine, by game id."""
        offer = self._offer
        if offer is None:
            return {}
        games = [scores.game for scores in view.games if offer.has(scores.game, view.name)]
        return {game: links.play(game, engine=view.name) for game in games}

    def _playing(self, tournament: ServedTournament, name: str) -> list[tuple[str, str]]:
        links = Links(tournament.id)
        running, _ = self._broadcast.pairings(tournament)
        return [
            (" – ".join(pairing.seats), links.running(pairing.number))
            for pairing in running
            if name in pairing.seats
        ]
