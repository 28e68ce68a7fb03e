"""Lists of games on a server: the address has the search and the order; records of the games."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from typing import Final

import anyio
import msgspec
from anyio import CapacityLimiter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from arena.model import GameRecord, GameResult
from arena.records import pgn
from arena.records.files import FORMATS
from arena.store import Facets, GameSearch, Meeting, Store
from arena.store.finder import ORDERS, RESULTS
from arena.web.figures import points_text
from arena.web.links import LONGEST_NAME, RECORDS, Links, slug
from arena.web.pages.games import game_line, list_heads
from arena.web.pages.scores import pair_scores
from arena.web.server.answers import LARGEST, After, Count, WrongRequest, html, links_of, query_of
from arena.web.server.databases import REST, Databases, ServedTournament
from arena.web.server.live import Broadcast

PER_PAGE: Final = 100
PER_FILE: Final = 500
"""The games on a page of a report, which cannot be searched as a whole."""

_PAIR_GAMES: Final = 50
"""The games on the page of a pair."""

_LONGEST_OPENING: Final = 400
"""The most characters of an opening that is searched for."""

_GAMES_A_PART: Final = 50


class ListParameters(msgspec.Struct, frozen=True):
    """The parameters of a list, in the order of its form."""

    game: str = ""
    engine: str = ""
    opponent: str = ""
    seat: str = ""
    result: str = ""
    reason: str = ""
    opening: str = ""
    least: Count = 0
    most: Count = LARGEST
    upset: str = ""
    order: str = ""


@dataclass(frozen=True, slots=True)
class ListQuery:
    """What a list shows, and its parameters."""

    search: GameSearch
    order: str
    wants_upsets: bool  # then the search still lacks the strengths
    given: Mapping[str, str]


def list_query(request: Request, tournament: str, facets: Facets) -> ListQuery:
    """Read the parameters of a list; an empty one counts as none. Raise `WrongRequest` for a wrong value."""
    query = query_of(request, ListParameters)
    choices = {"seat": [*map(str, range(1, 9))], "result": RESULTS, "upset": ("1",), "order": ORDERS}
    for name, values in choices.items():
        if getattr(query, name) not in ("", *values):
            raise WrongRequest(f"{name} must be one of: {', '.join(values)}")
    for name, values, what in (
        ("engine", facets.engines, "game of the engine"),
        ("opponent", facets.engines, "game of the engine"),
        ("game", facets.games, "game of the id"),
        ("reason", facets.reasons, "game that ended by"),
    ):
        if getattr(query, name) not in ("", *values):
            raise WrongRequest(f"{name}: this tournament has no {what} {getattr(query, name)[:60]!a}")
    if (query.opponent or query.seat) and not query.engine:
        raise WrongRequest("opponent and seat need engine, too")
    if query.result in ("won", "lost") and not query.engine:
        raise WrongRequest(f"result={query.result} needs engine, too")
    if len(query.opening) > _LONGEST_OPENING:
        raise WrongRequest(f"opening must have at most {_LONGEST_OPENING} characters")
    given = _given(request)
    search = GameSearch(
        tournament,
        query.game or None,
        tuple(filter(None, (query.engine, query.opponent))),
        int(query.seat) - 1 if query.seat else None,
        query.result,
        query.reason,
        query.opening,
        query.least,
        query.most if "most" in given else None,
    )
    return ListQuery(search, query.order or ORDERS[0], bool(query.upset), given)


class Finding:
    """The lists of games, and their records."""

    def __init__(self, databases: Databases, broadcast: Broadcast) -> None:
        self._databases = databases
        self._broadcast = broadcast
        self._writing = CapacityLimiter(1)  # so that files of records keep at most one processor busy

    def routes(self) -> list[Route]:
        """Return the addresses."""
        return [
            Route("/tournaments/{id}/games", self._list),
            Route("/tournaments/{id}/pair", self._pair),
            *(
                Route(f"/tournaments/{{id}}/{path}.{kind}", partial(self._download, kind, find))
                for path, find in (("games", self._records), ("games/{number:number}", self._record))
                for kind in RECORDS
            ),
        ]

    def _query(self, request: Request, tournament: ServedTournament) -> tuple[ListQuery, Facets]:
        """Read the parameters; blocks."""
        facets = tournament.database.computed(
            ("facets", tournament.name), lambda store: store.finder.facets(tournament.name), rest=REST
        )
        return list_query(request, tournament.name, facets), facets

    def _search(self, query: ListQuery, tournament: ServedTournament) -> GameSearch:
        """Add the strengths, if the search is for upsets."""
        if not query.wants_upsets:
            return query.search
        sections = tournament.view().sections
        games = {section.results.game: section.results.elo for section in sections}
        if query.search.game is None and len(games) > 1:
            raise WrongRequest("upset needs game, too, because strengths differ between games")
        elo = games.get(query.search.game) if query.search.game else next(iter(games.values()), None)
        return replace(query.search, upset=elo or {})

    def _list(self, request: Request) -> Response:
        tournament = self._databases.find(request)
        if "" in request.query_params.values():  # a form sends its empty fields, too
            return RedirectResponse(Links(tournament.id).list(**_given(request)), 303)
        query, facets = self._query(request, tournament)
        search = self._search(query, tournament)
        after = query_of(request, After).after or None
        store, links = tournament.database.store, links_of(request, tournament.id)
        most = PER_FILE if links.made else PER_PAGE
        with store.database.snapshot():
            records = store.finder.find(search, most + 1, order=query.order, after=after)
            more = len(records) > most
            total = len(records) if not more and after is None else None
            if total is None and search.is_quick:
                total = store.finder.count(search)
        lines = [game_line(record) for record in records[:most]]
        return html(
            request,
            "games.html.j2",
            links=links,
            tournament=tournament.name,
            facets=facets,
            given=query.given,
            lines=lines,
            total=total,  # None if that takes too long
            following=links.list(**query.given, after=lines[-1].number) if more else "",
            first=links.list(**query.given) if after is not None else "",
            records=downloads(links, query.given, facets.games),
            heads=list_heads(query.given, links),
            results=RESULTS,
            orders=ORDERS,
        )

    def _pair(self, request: Request) -> Response:
        tournament = self._databases.find(request)
        query, _ = self._query(request, tournament)
        search = GameSearch(tournament.name, query.search.game, query.search.engines)
        if search.game is None or len(set(search.engines)) != 2:
            raise WrongRequest("a pair needs game, engine and opponent, which is another engine")
        names, game = search.engines, search.game

        def read(store: Store) -> tuple[list[Meeting], list[GameRecord]]:
            return store.finder.meetings(search), store.finder.find(search, _PAIR_GAMES + 1)

        meetings, records = tournament.database.computed(("pair", search), read, rest=REST)
        points, scores = pair_scores((names[0], names[1]), game, meetings)
        links = links_of(request, tournament.id)
        given = {"game": game, "engine": names[0], "opponent": names[1]}
        running, following = (
            [pairing for pairing in pairings if pairing.game == game and {*names} <= {*pairing.seats}]
            for pairings in self._broadcast.pairings(tournament)
        )
        return html(
            request,
            "pair.html.j2",
            links=links,
            tournament=tournament.name,
            game=game,
            names=names,
            result="–".join(map(points_text, points or ())) or "–",
            scores_of_first=scores,
            lines=[game_line(record) for record in records[:_PAIR_GAMES]],
            every=links.list(**given) if len(records) > _PAIR_GAMES or not links.made else "",
            running=running,
            following=following,
            records=downloads(links, given, [game]),
        )

    def _records(self, kind: str, request: Request) -> _File:
        tournament = self._databases.find(request)
        query, _facets = self._query(request, tournament)
        search = self._search(query, tournament)
        store = tournament.database.store
        return _file(kind, store, tournament.name, lambda: store.finder.records(search))

    def _record(self, kind: str, request: Request) -> _File:
        tournament = self._databases.find(request)
        number = request.path_params["number"]
        record = tournament.game(number)
        store = tournament.database.store
        return _file(kind, store, tournament.name, lambda: iter([record]), f"-{number}")

    async def _download(self, kind: str, find: Callable[[str, Request], _File], request: Request) -> Response:
        """Answer with a file, which is written while it is sent."""
        name, parts = await anyio.to_thread.run_sync(find, kind, request)
        following = partial(anyio.to_thread.run_sync, next, parts, b"", limiter=self._writing)
        first = await following()  # an error here still gets an answer

        async def whole() -> AsyncIterator[bytes]:
            part = first
            while part:
                yield part
                part = await following()

        headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-cache"}
        return StreamingResponse(whole(), media_type="text/plain; charset=utf-8", headers=headers)


_File = tuple[str, Iterator[bytes]]
"""The name of a file of records, and its content, a few games at a time."""


def _file(
    kind: str, store: Store, tournament: str, find: Callable[[], Iterator[GameRecord]], suffix: str = ""
) -> _File:
    return f"{slug(tournament)[:LONGEST_NAME]}{suffix}.{kind}", _written(kind, store, tournament, find)


def _written(
    kind: str, store: Store, tournament: str, find: Callable[[], Iterator[GameRecord]]
) -> Iterator[bytes]:
    writer = FORMATS[kind]
    about = (entry for entry in store.contents().tournaments if entry.name == tournament)
    written = chain([writer.HEADER], filter(None, map(writer.write, chain(about, find()))))
    while part := "".join(islice(written, _GAMES_A_PART)):
        yield part.encode()


def downloads(links: Links, given: Mapping[str, str], games: Collection[str]) -> dict[str, str]:
    """Return the files of a list's records, by what they are called."""
    return {name: links.records(kind, **given) for kind, name in _kinds(games)}


def game_downloads(links: Links, result: GameResult) -> dict[str, str]:
    """Return the files of a game's record, by what they are called."""
    return {name: links.record(result.id or 0, kind) for kind, name in _kinds([result.game])}


def _kinds(games: Collection[str]) -> list[tuple[str, str]]:
    writable = pgn.can_write(games)
    return [(kind, name) for kind, name in RECORDS.items() if kind != "pgn" or writable]


def _given(request: Request) -> dict[str, str]:
    """Return the parameters that have a value."""
    names = ListParameters.__struct_fields__
    return {name: value for name in names if (value := request.query_params.get(name, ""))}
