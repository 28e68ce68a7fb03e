"""The pages of the server: home, a tournament, its games, and a game."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache, partial
from threading import Lock
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import Match, Route

from arena import manual
from arena.events import LiveGame
from arena.model import game_title
from arena.ratings.lists import rating_list
from arena.store import ALL_GAMES, REMOTE_GAMES, Store
from arena.tables.ratings import ranking_rows
from arena.tables.standings import standings
from arena.tables.tournament_list import EngineRow, engine_list
from arena.web.boards import draw
from arena.web.casual_game import Offer
from arena.web.figures import grouped
from arena.web.glossary import words_page
from arena.web.links import Links, slug
from arena.web.pages import home
from arena.web.pages.game import Neighbours, game_page, game_view, running_view
from arena.web.pages.games import thumbnail
from arena.web.pages.manual import manual_page, page_of_manual
from arena.web.pages.tournament import LIVE, TournamentView, tournament_page
from arena.web.server.answers import HTML, NotFound, WrongRequest, html, json, links_of, tagged
from arena.web.server.api import Api
from arena.web.server.databases import (
    Databases,
    ServedTournament,
    ShownTournaments,
    coming_view,
    database_names,
    winners,
)
from arena.web.server.engines import Engines
from arena.web.server.finding import Finding, downloads, game_downloads
from arena.web.server.live import Broadcast
from arena.web.server.sharing import Sharing
from arena.web.templating import asset, assets
from protocol.words import counted
from referee import RefereeError, game
from referee.follower import Follower

_TYPES: Final = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
_MOST_RUNNING: Final = 64
"""The most pages of running games in memory."""

_MOST_MOVES: Final = 30
"""The most moves whose boards are drawn in one answer."""

_BEST: Final = 5
"""The number of engines of a rating list."""

_MOST_ENGINES: Final = 100
_MOST_LIVE: Final = 4
"""The most running tournaments whose results are on the first page."""


class Pages:
    """The pages.

    ``doors`` are the addresses at which engines are handed in, by tournament; ``offer`` is what people can
    play here.
    """

    def __init__(self, api: Api, doors: Mapping[str, str], offer: Offer | None) -> None:
        self._api = api
        self._doors = doors
        self._offer = offer
        self._shown = ShownTournaments()
        self._drawing = Lock()
        self._made: dict[str, tuple[TournamentView, object, bytes]] = {}

    def routes(self) -> list[Route]:
        """Return the addresses."""
        return [
            Route("/", self._home),
            Route("/words", self._words),
            Route("/boards", _boards),
            Route("/favicon.ico", partial(self._file, "icon.svg")),
            Route("/docs/", self._manual),
            Route("/docs/{name}", self._page_of_manual),
            Route("/tournaments/{id}/", self._tournament),
            Route("/tournaments/{id}", self._with_slash),
            Route("/tournaments/{id}/words", self._words_of),
            Route("/tournaments/{id}/games/{number:number}.html", self._game),
            Route("/tournaments/{id}/running/{number:number}", self._running),
            *Sharing(self._api, self._shown).routes(),
            *Engines(self._api, self._shown, self._offer).routes(),
            *Finding(self._api, self._shown).routes(),
            *(Route(f"/{name}", partial(self._file, name)) for name in assets()),
        ]

    async def _file(self, name: str, request: Request) -> Response:
        return tagged(request, asset(name).encode(), _TYPES[name.rpartition(".")[2]])

    def _with_slash(self, request: Request) -> Response:
        return RedirectResponse(Links(self._api.find(request).id).tournament(), 308)

    def _home(self, request: Request) -> Response:
        """Answer with the first page; the running tournaments come first, then the newest."""
        tournaments = self._api.databases.tournaments()
        states = {one.id: self._api.state(one) for one in tournaments}
        tournaments.sort(key=lambda one: states[one.id] not in LIVE)
        live = [one for one in tournaments if states[one.id] in LIVE]
        played = [one for one in tournaments if one.row["played"]]
        newest = max(live or played, key=lambda one: one.row["begun"], default=None)
        databases = list(dict.fromkeys(one.database for one in tournaments))
        until = max((database.deadline() for database in databases), default=0.0)
        seen = {one.id: one for one in (newest, *live[:_MOST_LIVE]) if one is not None}
        found, parts, first = {}, [], {}
        for wait in (0.0, until):  # the first round only starts all computations
            found = {id_: self._shown.soon(one, wait) for id_, one in seen.items()}
            parts = [database.soon("home", _part, until=wait) for database in databases]
            first = {one.number: one.soon("winners", winners, until=wait) or {} for one in databases}
        rows, top = [], None
        for one in tournaments:
            shown = found.get(one.id)
            known = first[one.database.number].get(one.name, ())
            row = _row(one, states[one.id], known, shown)
            rows.append(row)
            if one is newest and (live or (shown is not None and shown.sections)):
                seats = max(self._api.boards(one), default=2)
                top = home.hero(row, shown, Links(one.id), seats)
        names = database_names(databases)
        pairs = [(name, part) for name, part in zip(names, parts, strict=True) if part is not None]
        ratings = [replace(best, database=name) for name, (lists, _, _) in pairs for best in lists]
        engines = [(one, name) for name, (_, found_, _) in pairs for one in found_][:_MOST_ENGINES]
        computing = None in parts or None in found.values()
        results = home.latest(
            (seen[id_].name, Links(id_), shown.recent) for id_, shown in found.items() if shown
        )
        all_totals = sum((totals for _, (_, _, totals) in pairs), Counter[str]())
        tiles = home.shelf(
            (game_title(game), thumbnail(game), number_) for game, number_ in all_totals.items()
        )
        links = links_of(request)
        events = "" if links.made else "/api/events"
        page = home.HomeView(rows, top, tiles, results, events, ratings, engines, computing)
        return html(request, home.home_page(page, links))

    def _manual(self, request: Request) -> Response:
        return html(request, manual_page(links_of(request)))

    def _page_of_manual(self, request: Request) -> Response:
        name, files = request.path_params["name"], manual.pages()
        if name == manual.SMALLEST:  # a whole program is no page
            return FileResponse(files["tiny"].with_name(name), media_type="text/plain; charset=utf-8")
        if name not in files:
            raise NotFound("the documentation has no such page; /docs/ lists them")
        return html(request, page_of_manual(name, links_of(request)))

    def _words(self, request: Request) -> Response:
        return html(request, words_page("", links_of(request)))

    def _words_of(self, request: Request) -> Response:
        tournament = self._api.find(request)
        return html(request, words_page(tournament.name, links_of(request, tournament.id)))

    def _tournament(self, request: Request) -> Response:
        """Answer with the page, which is made once for all its readers."""
        tournament = self._api.find(request)
        links = links_of(request, tournament.id)
        shown = self._shown.soon(tournament, tournament.database.deadline())
        door, boards = self._doors.get(tournament.name, ""), self._api.boards(tournament)
        if shown is None:
            coming = replace(coming_view(tournament), door=door, boards=boards, events=links.events())
            return html(request, tournament_page(coming, links))
        known = self._made.get(tournament.id)
        if known is None or known[0] is not shown or known[1] != (links, boards):
            view = replace(shown, door=door, boards=boards, events="" if links.made else links.events())
            games = [section.results.game for section in view.sections]
            records = downloads(links, {}, games) if games else {}
            text = tournament_page(view, links, records=records).encode()
            known = self._made[tournament.id] = shown, (links, boards), text
        return tagged(request, known[2], HTML)

    def _running(self, request: Request) -> Response:
        """The page of a running game; of the stored one when it has ended."""
        tournament = self._api.find(request)
        number = request.path_params["number"] - 1
        links = links_of(request, tournament.id)
        live = self._api.running_game(tournament, number)
        if live is not None:
            with self._drawing:  # it has every position of its game, so all readers share one
                text = _running_page(tournament.name, live, links)
            return html(request, text)
        stored = tournament.database.store.stored_game(tournament.name, number)
        if stored is None:
            raise NotFound(f"game {number + 1} of the schedule is neither running nor stored")
        return RedirectResponse(links.game(stored), 303)

    def _game(self, request: Request) -> Response:
        tournament = self._api.find(request)
        record = tournament.game(request.path_params["number"])
        links = links_of(request, tournament.id)
        beside = tournament.database.store.finder.neighbours(record.result)
        game_id = record.result.game
        neighbours = Neighbours(f"game-{slug(game_id)}", links.games(game_id), *beside)
        records = game_downloads(links, record.result)
        return html(request, game_page(game_view(record), links, neighbours, records=records))


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


def _boards(request: Request) -> Response:
    """Answer with the board after each of some moves from a position."""
    game_id, position, line = (request.query_params.get(name, "") for name in ("game", "position", "moves"))
    moves = line.split()
    if len(moves) > _MOST_MOVES:
        raise WrongRequest(f"moves must be at most {_MOST_MOVES} moves")
    boards = []
    try:
        rules = game(game_id)
        follower = Follower(rules.parse_position(position), rules.info.players)
        for move in moves:
            follower.follow(move)
            drawing = draw(game_id, follower.position, move)
            boards.append({"items": "".join(drawing.items), "caption": drawing.caption})
    except RefereeError as error:
        raise WrongRequest(str(error)) from None
    return json(request, {"boards": boards})


@lru_cache(_MOST_RUNNING)
def _running_page(tournament: str, live: LiveGame, links: Links) -> str:
    return game_page(running_view(tournament, live), links, Neighbours("main", "../"), links.events())


# --- the first page


def _row(
    tournament: ServedTournament, state: str, winners: tuple[str, ...], shown: TournamentView | None
) -> home.HomeRow:
    """Return the row; that of a running tournament has the numbers of what is ``shown`` of it."""
    row = tournament.row
    played = row["played"] if shown is None else shown.facts.games
    return home.HomeRow(
        Links(tournament.id).tournament(),
        tournament.name,
        row["begun"],
        home.titles_text(row["games"]),
        grouped(played) + (f" of {grouped(row['total'])}" if row["total"] else ""),
        row["format"] or "",
        row["engines"] or 0,
        "live" if state == "running" else state,
        winners if shown is None else shown.leaders,
    )


def _part(store: Store) -> tuple[list[home.BestEngines], list[EngineRow], Counter[str]]:
    """Return the best engines of each rating list, the engines, and the number of games of each game id."""
    lists = []
    for only in (ALL_GAMES, REMOTE_GAMES):
        for game_id, tally in store.tally(only=only).items():
            rated = rating_list(store, game_id, tally, only)
            rows = ranking_rows(standings(tally), rated.ratings, groups=rated.groups())
            more = counted(len(rows) - _BEST, "other") if len(rows) > _BEST else ""
            title = f"{game_title(game_id)}, remote bots" if only.remote else game_title(game_id)
            lists.append(home.BestEngines(title, rows[:_BEST], more))
    totals = {game_id: tally.total() for game_id, tally in store.tally().items()}
    return lists, engine_list(store), Counter(totals)
