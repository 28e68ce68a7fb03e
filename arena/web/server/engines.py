"""The pages of engines: of one in a tournament, of one in all tournaments, and of all."""

from __future__ import annotations

from collections.abc import Sequence
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
    ListedEngines,
    engine_page,
    engine_view,
    engines_page,
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

_MOST: Final = 100
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
        for database, name, found in zip(databases, names, lists, strict=True):
            for number, listed in enumerate(found or ()):
                id_ = f"{database.number}-{number}"
                first = after if wanted == id_ else 0
                lines = listed.engines[first : first + _MOST]
                after_it = urlencode({"list": id_, "after": first + _MOST})
                more = f"/engines?{after_it}" if first + _MOST < len(listed.engines) else ""
                if wanted in (None, id_):
                    parts.append(EnginesPart(listed, name, self._beside(database), first, lines, more))
        if wanted is not None and not parts and None not in lists:
            raise NotFound("there is no such list of engines; /engines has all")
        return html(request, engines_page(parts, links_of(request), computing=None in lists))

    def _beside(self, database: ServedDatabase) -> str:
        """Return the id of the oldest tournament of a database; "" if there is one database."""
        own = [one for one in self._databases.tournaments() if one.database is database]
        return own[-1].id if own and len(self._databases.all) > 1 else ""

    def _everywhere(self, request: Request) -> Response:
        """Answer with the page of an engine in all tournaments of the first database that has it."""
        name = request.query_params.get("name", "")
        beside = request.query_params.get("beside", "")
        links = links_of(request)
        tournaments = {(one.database.number, one.name): one for one in self._databases.tournaments()}
        near = {one.database.number for one in tournaments.values() if one.id == beside}
        for database in sorted(self._databases.all, key=lambda one: one.number not in near):
            if database.store.finder.find(GameSearch(engines=(name,)), 1):
                break
        else:
            raise NotFound("no such engine has played")
        view = view_of(database, name, None)
        lists: Sequence[ListedEngines] = (
            database.soon("lists", listed_engines, until=database.deadline()) or ()
        )
        ratings: dict[str, EngineRating] = {}
        for listed in lists:
            rating = listed.rating_of(name)
            if rating is not None:
                ratings.setdefault(listed.game, rating)

        def links_to(tournament: str) -> Links | None:
            found = tournaments.get((database.number, tournament))
            return None if found is None else Links(found.id)

        playing = [
            one
            for tournament in tournaments.values()
            if tournament.database is database
            for one in self._playing(tournament, name)
        ]
        text = engine_page(
            view,
            ratings,
            links,
            links_to,
            playing=playing,
            rivals=self._rivals(view, links),
            beside=self._beside(database),
        )
        return html(request, text)

    def _engine(self, request: Request) -> Response:
        tournament = self._databases.find(request)
        name = request.query_params.get("name", "")
        links = links_of(request, tournament.id)
        view = view_of(tournament.database, name, tournament.name)
        ratings = ratings_of(name, tournament.view(tournament.database.deadline()).sections)
        records = downloads(links, {"engine": name}, [one.game for one in view.games])
        playing = self._playing(tournament, name)
        beside = self._beside(tournament.database)
        rivals = self._rivals(view, links)
        text = engine_page(
            view, ratings, links, records=records, playing=playing, rivals=rivals, beside=beside
        )
        return html(request, text)

    def _rivals(self, view: EngineView, links: Links) -> dict[str, str]:
        """Return where people play against the engine, by game id."""
        offer = self._offer
        if offer is None:
            return {}
        games = [one.game for one in view.games if offer.has(one.game, view.name)]
        return {game: links.play(game, engine=view.name) for game in games}

    def _playing(self, tournament: ServedTournament, name: str) -> list[tuple[str, str]]:
        links = Links(tournament.id)
        running, _ = self._broadcast.pairings(tournament)
        return [(" – ".join(one.seats), links.running(one.number)) for one in running if name in one.seats]
