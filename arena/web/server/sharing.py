"""What the server gives to other programs and sites: link cards, films, feeds, boards in frames."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final
from uuid import NAMESPACE_URL, uuid5

import anyio
import msgspec
from anyio import CapacityLimiter
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.model import GameRecord, GameResult, game_title
from arena.store import GameSearch
from arena.tables.result_text import verdict
from arena.web.cards import Card, draw_card, engine_card, game_card, pair_card, tournament_card
from arena.web.film import Film, film_of
from arena.web.links import Links
from arena.web.pages.game import game_view
from arena.web.pages.games import last_board, score_of
from arena.web.pages.scores import pair_scores
from arena.web.pages.section import ratings_of
from arena.web.pages.tournament import LIVE
from arena.web.server.answers import NotFound, WrongRequest, html, links_of, tagged
from arena.web.server.databases import Databases, ServedTournament
from arena.web.server.engines import view_of
from arena.web.server.live import Broadcast
from arena.web.templating import page
from protocol.words import counted

_CARD_TOURNAMENTS: Final = 4
_FILMS_KEPT: Final = 16  # in memory
_FILMS_WAITING: Final = 4  # requests for films
_LAST_PLIES: Final = 10  # in a film that is drawn immediately
_LONGEST_DRAWING: Final = 600  # seconds for a film on a busy machine
_FEED_ENTRIES: Final = 50
_CARD_PATIENCE: Final = 5  # seconds for leaders: who previews a link asks once


class Sharing:
    """The link cards, films, feeds and boards in frames."""

    def __init__(self, databases: Databases, broadcast: Broadcast) -> None:
        self._databases = databases
        self._broadcast = broadcast
        self._drawing = CapacityLimiter(1)  # a picture takes a tenth of a second of a processor
        self._finding = CapacityLimiter(4)  # so that pages get threads, too, while tables are computed
        self._filming = CapacityLimiter(1)
        self._films: dict[Film, bytes] = {}

    def routes(self) -> list[Route]:
        """Return the addresses."""
        return [
            Route("/picture.png", partial(self._card, self._of_home)),
            Route("/tournaments/{id}/picture.png", partial(self._card, self._of_tournament)),
            Route("/tournaments/{id}/engine.png", partial(self._card, self._of_engine)),
            Route("/tournaments/{id}/pair.png", partial(self._card, self._of_pair)),
            Route(
                "/tournaments/{id}/games/{number:number}.png",
                partial(self._card, lambda request: game_card(self._game(request))),
            ),
            Route("/tournaments/{id}/games/{number:number}.gif", self._film),
            Route("/tournaments/{id}/embed", self._framed_tournament),
            Route("/tournaments/{id}/games/{number:number}/embed", self._framed_game),
            Route("/tournaments/{id}/results.atom", self._feed),
            Route("/tournaments/{id}/engine.atom", self._feed_of_engine),
        ]

    async def _card(self, find: Callable[[Request], Card], request: Request) -> Response:
        card = await anyio.to_thread.run_sync(find, request, limiter=self._finding)
        data = await anyio.to_thread.run_sync(draw_card, card, limiter=self._drawing)
        return tagged(request, data, "image/png")

    async def _film(self, request: Request) -> Response:
        last = _LAST_PLIES if "last" in request.query_params else None
        film = film_of(await anyio.to_thread.run_sync(self._game, request), last)
        data = self._films.get(film)
        if data is None:
            if self._filming.statistics().tasks_waiting >= _FILMS_WAITING:
                raise HTTPException(503, "other films are being made; try again later", {"retry-after": "10"})
            async with self._filming:
                data = self._films.get(film) or await _drawn(film)
            self._films[film] = data
            if len(self._films) > _FILMS_KEPT:
                del self._films[next(iter(self._films))]
        return tagged(request, data, "image/gif")

    def _game(self, request: Request) -> GameRecord:
        return self._databases.find(request).game(request.path_params["number"])

    def _framed_tournament(self, request: Request) -> Response:
        """The running games; when none is played, the newest game."""
        tournament = self._databases.find(request)
        newest = _newest(tournament) if self._rests(tournament) else None
        if newest is None:
            links = links_of(request, tournament.id)
            return html(request, "embed_live.html.j2", links=links, tournament=tournament.name)
        return self._frame(request, tournament, newest)

    def _framed_game(self, request: Request) -> Response:
        tournament = self._databases.find(request)
        return self._frame(request, tournament, tournament.game(request.path_params["number"]))

    def _frame(self, request: Request, tournament: ServedTournament, record: GameRecord) -> Response:
        links, view = links_of(request, tournament.id), game_view(record)
        return html(request, "embed_game.html.j2", links=links, tournament=tournament.name, view=view)

    def _feed_of_engine(self, request: Request) -> Response:
        engine = request.query_params.get("name", "")
        if not engine:
            raise WrongRequest("name must be the name of an engine")
        return self._feed(request, engine)

    def _feed(self, request: Request, engine: str = "") -> Response:
        tournament = self._databases.find(request)
        links = links_of(request, tournament.id)
        store = tournament.database.store
        search = GameSearch(tournament.name, engines=(engine,) if engine else ())
        results = store.finder.results(search, _FEED_ENTRIES)
        if engine and not results:
            raise NotFound("no such engine has played in this tournament")
        began = store.started(tournament.name, since=min((result.id or 0 for result in results), default=0))
        text = results_feed(tournament.name, engine, results, began, links)
        return tagged(request, text.encode(), "application/atom+xml; charset=utf-8")

    # --- cards

    def _of_home(self, _request: Request) -> Card:
        tournaments = sorted(self._databases.tournaments(), key=self._rests)
        rows = tuple(
            (tournament.name, self._state(tournament)) for tournament in tournaments[:_CARD_TOURNAMENTS]
        )
        played = sum(tournament.row["played"] for tournament in tournaments)
        event = f"{counted(len(tournaments), 'tournament')}, {counted(played, 'game')}"
        newest = next((_newest(tournament) for tournament in tournaments if tournament.row["played"]), None)
        return Card(event, ("Tournaments",), rows=rows, board=last_board(newest))

    def _of_tournament(self, request: Request) -> Card:
        tournament = self._databases.find(request)
        view = tournament.view(time.monotonic() + _CARD_PATIENCE)
        card = tournament_card(view, self._state(tournament))
        return card if card.board else replace(card, board=last_board(_newest(tournament)))

    def _of_engine(self, request: Request) -> Card:
        tournament = self._databases.find(request)
        name = request.query_params.get("name", "")
        view = view_of(tournament.database, name, tournament.name)
        record = tournament.game(view.recent[0][1].number) if view.recent else None
        ratings = ratings_of(name, tournament.view().sections)
        return engine_card(tournament.name, view, ratings, last_board(record))

    def _of_pair(self, request: Request) -> Card:
        tournament = self._databases.find(request)
        game, first, second = (request.query_params.get(key, "") for key in ("game", "engine", "opponent"))
        finder, search = tournament.database.store.finder, GameSearch(tournament.name, game, (first, second))
        records = [] if first == second else finder.find(search, 1)
        if not records:
            raise NotFound("there is no game of these two engines")
        meetings = finder.meetings(search)
        points, _ = pair_scores((first, second), game, meetings)
        return pair_card(records[0], (first, second), points, sum(meeting.games for meeting in meetings))

    def _rests(self, tournament: ServedTournament) -> bool:
        return self._broadcast.status(tournament) not in LIVE

    def _state(self, tournament: ServedTournament) -> str:
        state = self._broadcast.status(tournament)
        return {"running": "live", "unknown": ""}.get(state, state)


def _newest(tournament: ServedTournament) -> GameRecord | None:
    records = tournament.database.store.finder.find(GameSearch(tournament.name), 1)
    return records[0] if records else None


async def _drawn(film: Film) -> bytes:
    """Draw a film in another process, so that streams go on."""
    command = [sys.executable, "-m", "arena.web.film"]
    try:
        with anyio.fail_after(_LONGEST_DRAWING):
            done = await anyio.run_process(command, input=msgspec.json.encode(film), check=False)
    except TimeoutError:
        raise HTTPException(
            503, "the machine is too busy for a film; try again later", {"retry-after": "60"}
        ) from None
    if done.returncode:
        lines = done.stderr.decode(errors="replace").splitlines()
        raise NotFound(lines[-1] if lines else "there is no film of this game")
    return done.stdout


# --- feeds, as Atom (RFC 4287): readers of news and other programs ask for them now and then


def results_feed(
    tournament: str,
    engine: str,
    results: Sequence[GameResult],
    began: Mapping[int, float],
    links: Links,
) -> str:
    """Return the feed of a tournament, or of an engine in it if ``engine`` is not "".

    ``results`` are the newest first, and ``began`` has the start of each game, in seconds since the epoch.
    """
    entries = [
        {
            "id": _id(links.id, str(result.id)),
            "title": _title(result),
            "summary": f"{game_title(result.game)}: {verdict(result)},"
            f" {counted(result.plies, 'ply', 'plies')}",
            "updated": _time(began.get(result.id or 0, 0.0)),
            "link": links.full(links.game(result.id or 0)),
        }
        for result in results
    ]
    return page(
        "feed.atom.j2",
        id=_id(links.id, "engine", engine) if engine else _id(links.id),
        title=f"{engine} in {tournament}" if engine else tournament,
        updated=max((entry["updated"] for entry in entries), default=_time(0.0)),
        here=links.full(links.feed(engine)),
        about=links.full(links.engine(engine) if engine else links.tournament()),
        entries=entries,
    )


def _id(*parts: str) -> str:
    """Return an id that does not depend on the server; parts of two things differ."""
    return f"urn:uuid:{uuid5(NAMESPACE_URL, 'leapfrog-arena:' + '/'.join(parts))}"


def _title(result: GameResult) -> str:
    names = result.names
    return f"{names[0]} {score_of(result)} {names[1]}" if len(names) == 2 else verdict(result)


def _time(seconds: float) -> str:
    try:
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
    except (ValueError, OverflowError, OSError):  # an early import accepted any number
        return "1970-01-01T00:00:00Z"
