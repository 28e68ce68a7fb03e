"""The pages of the server: home, a tournament, its games, and a game."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from threading import Lock
from typing import Any, Final, NamedTuple

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import Match, Route

from arena import manual
from arena.config import schema
from arena.errors import ArenaError
from arena.events import LiveGame
from arena.model import Pairing, game_title
from arena.replay import positions
from arena.scoring import versus
from arena.store import GameSearch, Store
from arena.web.boards import draw
from arena.web.boards.svg import Drawing
from arena.web.figures import grouped, points_text, titles_text
from arena.web.glossary import GLOSSARY
from arena.web.links import Links
from arena.web.offer import Offer
from arena.web.pages import home
from arena.web.pages.engine import EnginesPart, listed_engines
from arena.web.pages.game import (
    GameView,
    game_plots,
    game_view,
    lines_of,
    running_view,
    watched_view,
)
from arena.web.pages.games import thumbnail
from arena.web.pages.manual import manual_html, manual_sections
from arena.web.pages.tournament import LIVE, TournamentView
from arena.web.server.answers import HTML, NotFound, WrongRequest, html, json, links_of, tagged
from arena.web.server.databases import Databases, Finish, ServedTournament, database_names, finishes
from arena.web.server.engines import Engines
from arena.web.server.finding import Finding, downloads, game_downloads
from arena.web.server.live import Broadcast
from arena.web.server.search import Search
from arena.web.server.sharing import Sharing
from arena.web.templating import asset, assets, page
from referee import RefereeError, game
from referee.follower import Follower

_TYPES: Final = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
_RUNNING_KEPT: Final = 64
"""The most pages of running games in memory."""

_BOARDS_DRAWN: Final = 30
"""The most moves whose boards are drawn in one answer."""

_BEST_ENGINES: Final = 5
"""The engines of a rating list on the first page."""

_PLAYING: Final = b'<noscript id="playing"></noscript>'
_GAMES_LINKED: Final = 8  # of those that run
_LIVE_VIEWED: Final = 4
"""The most running tournaments whose results are on the first page."""


class Pages:
    """The pages.

    ``doors`` are the addresses at which engines are handed in, by tournament; ``offer`` is what people can
    play here.
    """

    def __init__(
        self, databases: Databases, broadcast: Broadcast, doors: Mapping[str, str], offer: Offer | None
    ) -> None:
        self._databases = databases
        self._broadcast = broadcast
        self._doors = doors
        self._offer = offer
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
            *Sharing(self._databases, self._broadcast).routes(),
            *Engines(self._databases, self._broadcast, self._offer).routes(),
            *Finding(self._databases, self._broadcast).routes(),
            *Search(self._databases).routes(),
            *(Route(f"/{name}", partial(self._file, name)) for name in assets()),
        ]

    async def _file(self, name: str, request: Request) -> Response:
        return tagged(request, asset(name).encode(), _TYPES[name.rpartition(".")[2]])

    def _with_slash(self, request: Request) -> Response:
        return RedirectResponse(Links(self._databases.find(request).id).tournament(), 308)

    def _home(self, request: Request) -> Response:
        """Answer with the first page; the running tournaments come first, then the newest."""
        databases = self._databases.all
        states = {
            tournament: self._broadcast.status(tournament) for tournament in self._databases.tournaments()
        }
        tournaments = sorted(states, key=lambda tournament: states[tournament] not in LIVE)
        live = [tournament for tournament in tournaments if states[tournament] in LIVE]
        played = [tournament for tournament in tournaments if tournament.row["played"]]
        newest = max(live or played, key=lambda tournament: tournament.row["started"], default=None)
        deadline = max((database.deadline() for database in databases), default=0.0)
        views, parts, lists = {}, [], []
        for until in (0.0, deadline):  # the first round only starts all computations
            views = {
                shown: shown.view(until) for shown in (newest, *live[:_LIVE_VIEWED]) if shown is not None
            }
            parts = [database.soon("home", _part, until=until) for database in databases]
            lists = [database.soon("lists", listed_engines, until=until) for database in databases]
        rows, hero = [], None
        for tournament in tournaments:
            part, view = parts[tournament.database.number - 1], views.get(tournament)
            row = _row(tournament, states[tournament], part, view)
            rows.append(row)
            if tournament is newest and view is not None and (live or view.sections):
                seats = max(self._broadcast.boards(tournament), default=2)
                hero = home.hero(row, view, Links(tournament.id), seats)
        known = [part for part in parts if part]
        totals = sum((part.totals for part in known), Counter[str]())
        ratings, highlights, found = [], [], []
        links = {(shown.database, shown.name): Links(shown.id) for shown in tournaments}
        for database, name, part, listed in zip(
            databases, database_names(databases), parts, lists, strict=True
        ):
            beside = self._databases.beside(database)
            ratings += [
                EnginesPart(one, name, beside, 0, one.ranking.lines[:_BEST_ENGINES], "/engines")
                for one in listed or ()
            ]
            if part is not None and listed is not None:
                races = {ended: finish.standings for ended, finish in part.finishes.items()}
                compute = partial(home.highlights, lists=listed, races=races)
                found.append(database.soon("highlights", compute, until=deadline))
                highlights += [
                    (highlight, links[database, highlight.tournament]) for highlight in found[-1] or ()
                ]
        return html(
            request,
            "home.html.j2",
            rows=rows,
            hero=hero,
            door="" if newest is None else self._doors.get(newest.name, ""),
            highlights=highlights,
            tiles=self._tiles(links_of(request), totals, known),
            results=home.latest((shown.name, Links(shown.id), view.recent) for shown, view in views.items()),
            events="" if links_of(request).made else "/api/events",
            ratings=ratings,
            computing=None in (*parts, *lists, *found) or any(view.computing for view in views.values()),
        )

    def _tiles(self, links: Links, totals: Counter[str], parts: Sequence[_Part]) -> list[home.Tile]:
        """Return the games that were played, and those that people can play here."""
        offered = () if self._offer is None or links.made else self._offer.spec.games
        pictures = {id_: picture for part in reversed(parts) for id_, picture in part.pictures.items()}
        return [
            home.Tile(
                game_title(id_),
                pictures.get(id_) or thumbnail(id_),
                totals[id_],
                links.play(id_) if id_ in offered else "",
            )
            for id_ in dict.fromkeys((*totals, *offered))
        ]

    def _manual(self, request: Request) -> Response:
        return html(request, "manual.html.j2", title="Documentation", text="", listed=manual_sections())

    def _page_of_manual(self, request: Request) -> Response:
        name, files = request.path_params["name"], manual.pages()
        if name in schema.SCHEMAS:
            return json(request, schema.SCHEMAS[name]())
        if name == manual.SMALLEST:  # a whole program is no page
            return FileResponse(files["tiny"].with_name(name), media_type="text/plain; charset=utf-8")
        if name not in files:
            raise NotFound("the documentation has no such page; /docs/ lists them")
        title = manual.title(files[name])
        return html(request, "manual.html.j2", title=title, text=manual_html(name), listed={})

    def _words(self, request: Request) -> Response:
        return html(request, "words.html.j2", glossary=GLOSSARY)

    def _words_of(self, request: Request) -> Response:
        tournament = self._databases.find(request)
        links = links_of(request, tournament.id)
        return html(request, "words.html.j2", links=links, tournament=tournament.name, glossary=GLOSSARY)

    def _tournament(self, request: Request) -> Response:
        """Answer with the page, which is made once for all its readers."""
        tournament = self._databases.find(request)
        links = links_of(request, tournament.id)
        view = tournament.view(tournament.database.deadline())
        door, boards = self._doors.get(tournament.name, ""), self._broadcast.boards(tournament)
        status = self._broadcast.status(tournament)
        live = {"running": "live", "resting": "resting"}.get(status, "")
        known = self._made.get(tournament.id)
        if known is None or known[0] is not view or known[1] != (links, boards, live):
            events = "" if links.made else links.events()
            games = [section.results.game for section in view.sections]
            records = downloads(links, {}, games) if games else {}
            shown = replace(view, door=door, boards=boards, events=events)
            text = page(
                "tournament.html.j2",
                links=links,
                tournament=view.name,
                records=records,
                view=shown,
                words=GLOSSARY,
                live=live,
            )
            known = self._made[tournament.id] = view, (links, boards, live), text.encode()
        playing, _ = self._broadcast.pairings(tournament)
        return tagged(request, known[2].replace(_PLAYING, _playing(links, playing)), HTML)

    def _running(self, request: Request) -> Response:
        """The page of a running game; of the stored one when it has ended."""
        tournament = self._databases.find(request)
        number = request.path_params["number"] - 1
        links = links_of(request, tournament.id)
        run = self._broadcast.run_of(tournament)
        games = () if run is None else run.running()
        live = next((game for game in games if game.pairing.number == number), None)
        if "watch" in request.query_params:
            return tagged(request, self._watched(tournament, number, live, links), HTML)
        if live is not None:
            with self._drawing:  # it has every position of its game, so all readers share one
                text = _running_page(tournament.name, live, links)
            return tagged(request, text.encode(), HTML)
        return RedirectResponse(links.game(_stored(tournament, number)), 303)

    def _watched(
        self, tournament: ServedTournament, number: int, live: LiveGame | None, links: Links
    ) -> bytes:
        """Return what is beside the large board of a game, also when the game has just ended."""
        address = links.running(number)
        if live is not None:
            points = _match_points(tournament, live.pairing.game, live.pairing.seats)
            with self._drawing:  # all readers share one
                return _beside_live_board(tournament.name, live, links, address, points).encode()
        view = game_view(tournament.game(_stored(tournament, number)), boards=False)
        points = _match_points(tournament, view.game, tuple(strip.name for strip in view.strips))
        return _beside_board(view, links, address, points).encode()

    def _game(self, request: Request) -> Response:
        tournament = self._databases.find(request)
        record = tournament.game(request.path_params["number"])
        links = links_of(request, tournament.id)
        view = game_view(record)
        return html(
            request,
            "game.html.j2",
            links=links,
            tournament=tournament.name,
            view=view,
            plots=game_plots(view),
            neighbours=tournament.database.store.finder.neighbours(record.result),
            events="",
            records=game_downloads(links, record.result),
        )


class FrozenServer:
    """Answers with the pages of a database, of one game id if it is given, with the links of a report.

    ``ids`` has the id of each tournament in addresses, by its name.
    """

    def __init__(self, store: Store, game: str | None, links: Links) -> None:
        databases = Databases([store], math.inf, game)
        self.ids = {tournament.name: tournament.id for tournament in databases.tournaments()}
        self._routes = Pages(databases, Broadcast(databases), {}, None).routes()
        self._links = links

    def page(self, address: str) -> str:
        """Return the page at an address. Raises the errors of the database."""
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
            match, more = route.matches(scope)
            if match is Match.FULL:
                response: Response = route.endpoint(Request({**scope, **more}))
                return bytes(response.body).decode()
        raise NotFound(f"there is no page {address}")


def _playing(links: Links, pairings: Sequence[Pairing]) -> bytes:
    """Return how a reader without JavaScript comes to the running games."""
    games = Markup(", ").join(
        Markup('<a href="{}">{}</a>').format(links.running(pairing.number), " – ".join(pairing.seats))
        for pairing in pairings[:_GAMES_LINKED]
    )
    words = Markup('<noscript><p class="facts"><span>Playing now: {}</span></p></noscript>')
    return words.format(games).encode() if games else b""


def _stored(tournament: ServedTournament, number: int) -> int:
    stored = tournament.database.store.stored_game(tournament.name, number)
    if stored is None:
        raise NotFound(f"game {number + 1} of the schedule is neither running nor stored")
    return stored


def _boards(request: Request) -> Response:
    """Answer with the board after each of some moves from a position."""
    game_id, position, line = (request.query_params.get(name, "") for name in ("game", "position", "moves"))
    moves = line.split()
    if len(moves) > _BOARDS_DRAWN:
        raise WrongRequest(f"moves must be at most {_BOARDS_DRAWN} moves")
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


@lru_cache(_RUNNING_KEPT)
def _running_page(tournament: str, live: LiveGame, links: Links) -> str:
    view = running_view(tournament, live)
    return page(
        "game.html.j2",
        links=links,
        tournament=tournament,
        view=view,
        plots=game_plots(view),
        neighbours=(None, None),
        events=links.events(),
        records={},
    )


@lru_cache(_RUNNING_KEPT)
def _beside_live_board(
    tournament: str, live: LiveGame, links: Links, address: str, points: MatchPoints
) -> str:
    return _beside_board(watched_view(tournament, live), links, address, points)


class MatchPoints(NamedTuple):
    """The engines of a game in the order of the tournament file, and their points against each other."""

    names: tuple[str, ...]
    score: str  # "" if they have not met, or are not two


def _match_points(tournament: ServedTournament, game_id: str, seats: tuple[str, ...]) -> MatchPoints:
    view = tournament.view(0.0)
    entrants = (*view.facts.entrants.get(game_id, ()), *seats)
    names = tuple(sorted(seats, key=entrants.index))
    results = (section.results for section in view.sections)
    tally = next((result.tally for result in results if result.game == game_id), Counter())
    pair = versus(tally).get(names[:2]) if len(names) == 2 else None
    points = () if pair is None else (pair.points, pair.games - pair.points)
    return MatchPoints(names, "–".join(map(points_text, points)))


def _beside_board(view: GameView, links: Links, address: str, points: MatchPoints) -> str:
    players = sorted(view.strips, key=lambda strip: points.names.index(strip.name))
    return page(
        "watch.html.j2",
        links=links,
        view=view,
        players=players,
        plots=game_plots(view, watched=True),
        lines=lines_of(view),
        score=points.score,
        address=address,
    )


# --- the first page


class _Part(NamedTuple):
    """What the first page shows of a database."""

    totals: Counter[str]  # the games of each game id
    finishes: dict[str, Finish]
    pictures: dict[str, Drawing | None]  # of each game id, in the middle of its newest game


def _part(store: Store) -> _Part:
    totals = {game_id: tally.total() for game_id, tally in store.tally().items()}
    pictures = {game_id: _middle(store, game_id) for game_id in totals}
    return _Part(Counter(totals), finishes(store), pictures)


def _middle(store: Store, game_id: str) -> Drawing | None:
    """Draw the middle of the newest game of an id; None if its rules refuse it."""
    try:
        (newest,) = store.finder.find(GameSearch(game=game_id), 1)
        shown = [*positions(game(game_id), newest)]
    except (ArenaError, RefereeError, ValueError):
        return None
    return thumbnail(game_id, str(shown[len(shown) // 2]))


def _row(
    tournament: ServedTournament, state: str, part: _Part | None, view: TournamentView | None
) -> home.HomeRow:
    """Return the row; the row of a running tournament has the numbers of its ``view``."""
    row = tournament.row
    finish = None if part is None else part.finishes.get(tournament.name)
    played = row["played"] if view is None else view.facts.games
    return home.HomeRow(
        Links(tournament.id).tournament(),
        tournament.name,
        row["started"],
        titles_text(row["games"]),
        grouped(played) + (f" of {grouped(row['total'])}" if row["total"] else ""),
        row["format"] or "",
        row["engines"] or 0,
        "live" if state == "running" else state,
        (view and view.leaders) or (finish.winners if finish else ()),
    )
