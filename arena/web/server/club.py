"""The games that people play on the server, their referee process, and the addresses of play."""

from __future__ import annotations

import hmac
import secrets
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from io import BytesIO
from typing import Final

import anyio
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.model import GameRecord, TournamentRecord
from arena.records.files import FORMATS, write_records
from arena.run.executor import JobLost
from arena.run.local_referees import LocalReferees
from arena.store import Store
from arena.strength.levels import scales
from arena.strength.person import GAMES_NEEDED, PersonPlace, person_place
from arena.web.links import Links, tournament_id
from arena.web.offer import NewGame, Offer, OfferedGame, WrongOrder
from arena.web.pages.games import thumbnail
from arena.web.server.answers import NotFound, WrongRequest, events, html
from arena.web.server.casual_game import (
    CASUAL,
    UNRATED,
    CasualGame,
    Client,
    Hint,
    JobEvent,
    Moves,
    PlayState,
    Status,
    Unplayable,
    game_state,
    legal_moves,
    refusal,
)
from arena.web.server.openapi import (
    STREAM,
    Address,
    Done,
    HintWish,
    NewMove,
    OfPart,
    OfRecord,
    OfStream,
    StartedGame,
    Why,
)
from referee.match.job import EngineWarning, Job, JobFinished, OrderRefused, TurnBegan

_LOOK_SECONDS: Final = 1.0
_IDLE_MINUTES: Final = 30
"""A game ends if a person who is to move does nothing for this time."""

_LEFT_MINUTES: Final = 5
"""A game ends if an engine thinks and nobody looks at the game for this time."""

_GAMES_OF_CLIENT: Final = 5
"""The most games of a client at the same time; one address has at most half of all games, or five."""

_COOKIE: Final = "player"
_COOKIE_SECONDS: Final = 30 * 24 * 3600
_SPEEDS: Final = {"movetime=1": "1 s a move", "movetime=5": "5 s a move", "300+3": "5 minutes and 3 s a move"}
"""Time controls that people can choose, with their words."""

_GAMES_KEPT: Final = 200
"""The most games that are over and can still be looked at."""


class Club:
    """All games of a server, played by one referee process.

    ``warn`` is called with an engine's name and a sentence for the user of the server; ``store`` takes games.
    """

    def __init__(
        self,
        offer: Offer,
        referees: LocalReferees,
        most_games: int,
        warn: Callable[[str, str], None],
        store: Store | None = None,
    ) -> None:
        self.offer = offer
        self._store = store
        self._most_games = most_games
        self._referees = referees
        self._warn = warn
        self._games: dict[str, CasualGame] = {}
        self._jobs: dict[str, CasualGame] = {}

    def find(self, id_: str) -> CasualGame | None:
        """Return the game with an id, at which somebody looks; None if there is none."""
        game = self._games.get(id_)
        if game is not None:
            game.seen = time.monotonic()
        return game

    def running(self, name: str) -> list[CasualGame]:
        """Return the running games of the client with a name, the newest first."""
        return [game for game in reversed(self._running()) if game.client.name == name]

    def place(self, name: str, game_id: str) -> tuple[int, PersonPlace | None]:
        """Return how many games against levels the client with a name has ended, and what they say.

        Games with a hint, a turn that was taken back or another start than the usual one do not count.
        """
        games = Counter(
            played
            for game in self._games.values()
            if game.client.name == name and game.order.rules.info.id == game_id
            if (played := game.against_level()) is not None
        )
        scale = scales().get(game_id)
        return games.total(), None if scale is None else person_place(scale, games)

    def _running(self) -> list[CasualGame]:
        return [game for game in self._games.values() if game.status is not Status.OVER]

    async def start(self, wish: NewGame, client: Client) -> CasualGame:
        """Start the game that a request of a client asks for."""
        order = self.offer.order(wish)
        self._make_room(client)
        game = CasualGame(secrets.token_urlsafe(12), order, client, can_store=self._store is not None)
        self._games[game.id] = game
        await self._play_on(game)
        return game

    def _make_room(self, client: Client) -> None:
        running = self._running()
        count = len(self.running(client.name))
        if count >= _GAMES_OF_CLIENT:
            raise Unplayable(f"you play {count} games already, which is the most: end one of them first")
        near = sum(game.client.address == client.address for game in running)
        if near >= max(self._most_games // 2, _GAMES_OF_CLIENT):
            raise Unplayable(f"{near} games are played from your address, which is the most; try again later")
        if len(running) >= self._most_games:
            raise Unplayable(f"{len(running)} games are being played, which is the most; try again later")
        over = [id_ for id_, game in self._games.items() if game.status is Status.OVER]
        for id_ in over[: max(0, len(over) - _GAMES_KEPT)]:
            del self._games[id_]

    async def _play_on(self, game: CasualGame) -> None:
        """Let a new job play a game on; another job of it ends."""
        earlier = (game.hint_job, game.job)
        job = self._new_job(game)
        game.start(job)  # before anything is awaited: a game has one job, also if two requests take back
        order = game.order.job(job, game.texts())
        for ended in earlier:
            await self._drop(ended)
        await self._submit(order)

    async def _submit(self, order: Job) -> None:
        if order.id in self._jobs:  # it was not dropped meanwhile
            await self._referees.submit(order)

    def _new_job(self, game: CasualGame) -> str:
        job = secrets.token_hex(8)
        self._jobs[job] = game
        return job

    async def move(self, game: CasualGame, text: str, ply: int) -> None:
        """Play a move of a person."""
        move = game.checked_move(text, ply)
        game.touch()
        await self._referees.answer(game.job, ply, move)

    async def take_back(self, game: CasualGame) -> None:
        """Go back to the position before the last move of a person."""
        if not game.job:
            self._make_room(game.client)
        game.take_back()
        await self._play_on(game)

    async def hint(self, game: CasualGame, name: str) -> None:
        """Let an engine look for the best move of the person whose turn it is; "" is the first opponent."""
        if game.status is not Status.YOURS:
            raise Unplayable("it is not your turn")
        if game.hint is not None and not game.hint.failed:
            return
        rules = game.order.rules.info.id
        entrants = self.offer.spec.entrants(rules)
        wanted = name or next((entry.spec.name for entry in game.order.seats if entry is not None), "")
        engine = next((entry for entry in entrants if entry.spec.name == wanted or not wanted), None)
        if engine is None:
            raise WrongOrder(f"no engine {wanted!a} plays {rules}")
        game.hint, earlier = Hint(), game.hint_job
        game.touch()
        job = game.hint_job = self._new_job(game)
        order = game.order.job(job, game.texts(), engine)
        await self._drop(earlier)
        await self._submit(order)
        game.log.renew()

    async def keep(self, game: CasualGame) -> None:
        """Store a finished game in the tournament of casual games, which is never rated."""
        store, record = self._store, game.record()
        if store is None:
            raise Unplayable("this server has no database: name one after `arena serve`")
        if game.stored is None:
            game.stored = 0  # so that a second request does not store it twice
            finished = game.finished
            stored: tuple[int | None, str] = (None, "")
            try:
                stored = await anyio.to_thread.run_sync(_store_game, store, record)
            finally:
                if game.finished is finished:  # nothing was taken back meanwhile
                    game.stored, game.page = stored
                    game.log.renew()

    async def end(self, game: CasualGame, why: str) -> None:
        """End a game without a result."""
        job = game.job
        if job:
            game.end(why)
            await self._drop(game.hint_job)
            await self._drop(job)

    async def _drop(self, job: str) -> None:
        """End a job, whose events do not matter any more."""
        if self._jobs.pop(job, None) is not None:
            await self._referees.abandon(job)

    async def close(self) -> None:
        """End all games and searches, so that the referee can end."""
        for job in [*self._jobs]:
            await self._drop(job)

    def end_streams(self) -> None:
        """End the streams of all games, because the server ends."""
        for game in self._games.values():
            game.log.end()

    async def run(self) -> None:
        """Take the events of the referee, and end idle games, until this is cancelled."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._end_idle)
            async for event in self._referees.events:
                match event:
                    case TurnBegan(running):
                        await self._pass_on(running.id, event)
                    case JobFinished(id_) | OrderRefused(id_) | JobLost(id_):
                        await self._pass_on(id_, event)
                        self._jobs.pop(id_, None)
                    case EngineWarning(name, text):
                        self._warn(name, text)
                    case _:
                        pass

    async def _pass_on(self, job: str, event: JobEvent) -> None:
        game = self._jobs.get(job)
        if game is not None and job != game.hint_job:
            game.hear(event)
        elif game is not None and game.hear_hint(event) and isinstance(event, TurnBegan):
            await self._drop(job)

    async def _end_idle(self) -> None:
        while True:
            await anyio.sleep(_LOOK_SECONDS)
            now = time.monotonic()
            for game in self._running():
                if game.log.listeners:
                    game.seen = now
                engine_thinks = game.status is not Status.YOURS or game.hint == Hint()
                if game.status is Status.YOURS and now - game.touched > _IDLE_MINUTES * 60:
                    await self.end(game, f"nothing happened for {_IDLE_MINUTES} minutes")
                elif engine_thinks and now - game.seen > _LEFT_MINUTES * 60:
                    await self.end(game, f"an engine thought, and nobody looked for {_LEFT_MINUTES} minutes")


def _store_game(store: Store, record: GameRecord) -> tuple[int, str]:
    """Store a casual game as the last of its tournament; return its number and the address of its page."""
    tournament = store.begin_tournament(CASUAL, UNRATED)
    stored = store.append(record).result.id or 0
    return stored, Links(tournament_id(CASUAL, tournament.created)).game(stored)


CHANGING: Final = ("/api/play/",)
"""The addresses below which a POST changes something."""


class PlayRoutes:
    """The answers; without a club, only the first page is found."""

    def __init__(self, club: Club | None, *, behind_proxy: bool) -> None:
        self._maybe_club = club
        self._behind_proxy = behind_proxy
        self._key = secrets.token_bytes(
            16
        )  # signs cookies: a client that invents one is known by its address

    def pages(self) -> list[Route]:
        """Return the addresses of pages."""
        return [Route("/play/", self._page), Route("/play/{id}/", self._game_page)]

    def addresses(self) -> list[Address]:
        """Return the addresses of the API."""
        games, game = "/api/play/games", "/api/play/games/{id}"
        change = partial(Address, method="POST")
        return [
            Address("/api/play/offer", self._offer),
            change(games, self._start, status=201),
            Address(game, self._state),
            Address(f"{game}/events", self._events, media_type=STREAM),
            Address(f"{game}/moves", self._moves),
            Address(f"{game}/why", self._why),
            Address(f"{game}/record", self._record, media_type="text/plain"),
            change(f"{game}/move", self._move),
            change(f"{game}/takeback", self._take_back),
            change(f"{game}/hint", self._hint),
            change(f"{game}/store", self._store),
            change(f"{game}/end", self._end),
        ]

    @property
    def _club(self) -> Club:
        """The games."""
        if self._maybe_club is None:
            raise NotFound("nothing can be played here: start `arena serve` with --engines FILE.toml")
        return self._maybe_club

    def _game(self, request: Request) -> CasualGame:
        game = self._club.find(request.path_params["id"])
        if game is None:
            raise NotFound("there is no such game, or the server has forgotten it")
        return game

    # --- pages

    async def _page(self, request: Request) -> Response:
        club = self._maybe_club
        offer = [] if club is None else club.offer.games()
        query = request.query_params
        asked = next((offered for offered in offer if offered["id"] == query.get("game")), None)
        chosen = asked or (offer[0] if offer else None)
        usual = "" if chosen is None else chosen["time_control"]
        cookie, levels, ended, place = self._cookie(request), {}, 0, None
        if club is not None and chosen is not None:
            levels = club.offer.levels(chosen["id"])
            ended, place = club.place(cookie, chosen["id"])
        next_level = "" if place is None else levels.get(place.next, "")
        answer = html(
            request,
            "served_play.html.j2",
            offer=offer,
            chosen=chosen,
            pictures={offered["id"]: thumbnail(offered["id"]) for offered in offer},
            speeds={usual: f"{usual}, as the server has it", **_SPEEDS},
            start=query.get("start", "") if asked else "",
            rival=query.get("engine", next_level) if asked else next_level,
            running=[] if club is None else club.running(cookie),
            levels=levels,
            ended=ended,
            needed=GAMES_NEEDED,
            stands=place,
            next_level=next_level,
        )
        answer.headers["cache-control"] = "private, no-store"
        if club is not None and not cookie:
            cookie = self._signed(secrets.token_urlsafe(12))
            answer.set_cookie(_COOKIE, cookie, _COOKIE_SECONDS, path="/", httponly=True, samesite="strict")
        return answer

    async def _game_page(self, request: Request) -> Response:
        game = self._game(request)
        info, box = game.order.rules.info, game_state(game)["board"]["box"]
        return html(
            request, "served_play_game.html.j2", id=game.id, info=info, box=box, rematch=game.order.rematch
        )

    # --- the API

    async def _offer(self, _request: Request) -> list[OfferedGame]:
        """The games and engines that people can play with."""
        return self._club.offer.games()

    async def _state(self, request: Request) -> PlayState:
        """The state of a game of people."""
        return game_state(self._game(request))

    async def _moves(self, request: Request) -> Moves:
        """The parts of the legal moves."""
        game = self._game(request)
        return await anyio.to_thread.run_sync(legal_moves, game, game.ply, game.follower.position)

    async def _why(self, request: Request, query: OfPart) -> Why:
        """Why a place cannot follow."""
        game = self._game(request)
        ply, position = game.ply, game.follower.position
        why = await anyio.to_thread.run_sync(refusal, game, position, query.chosen, query.place)
        return {"ply": ply, "why": why}

    async def _events(self, request: Request, query: OfStream) -> Response:
        """The state of the game after each change."""
        game = self._game(request)
        return events(request, game.log, partial(game_state, game), query.last)

    async def _record(self, request: Request, query: OfRecord) -> Response:
        """The record of a finished game."""
        game = self._game(request)
        try:
            record = game.record()
        except Unplayable as error:
            raise NotFound(str(error)) from None
        if query.format not in FORMATS:
            raise WrongRequest(f"format must be one of: {', '.join(FORMATS)}")
        out = BytesIO()
        write_records([TournamentRecord(CASUAL, record.started, UNRATED), record], query.format, out)
        name = f"{record.result.game}-{record.result.key}.{query.format}"
        headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
        return Response(out.getvalue(), media_type="text/plain; charset=utf-8", headers=headers)

    def _cookie(self, request: Request) -> str:
        """Return what the first page of play has given to a browser; "" if it has none."""
        cookie = request.cookies.get(_COOKIE, "")
        signed = self._signed(cookie.partition(".")[0])
        return cookie if hmac.compare_digest(cookie.encode(), signed.encode()) else ""

    def _signed(self, name: str) -> str:
        """Return the cookie with a name: nobody else can make it."""
        return f"{name}.{hmac.new(self._key, name.encode(), sha256).hexdigest()}"

    def _client(self, request: Request) -> Client:
        """Return who asks; a proxy adds the address at the end of the header."""
        address = request.client.host if request.client else "here"
        if self._behind_proxy:
            address = request.headers.get("x-forwarded-for", address).rpartition(",")[2].strip()
        return Client(self._cookie(request) or f"from {address}", address)

    async def _start(self, request: Request, content: NewGame) -> StartedGame:
        """Start a game."""
        game = await self._club.start(content, self._client(request))
        return {"id": game.id, "url": f"/play/{game.id}/"}

    async def _move(self, request: Request, content: NewMove) -> Done:
        """Play a move, or resign."""
        await self._club.move(self._game(request), content.move.strip(), content.ply)
        return {}

    async def _take_back(self, request: Request) -> Done:
        """Go back to before a person's last move."""
        await self._club.take_back(self._game(request))
        return {}

    async def _hint(self, request: Request, content: HintWish) -> Done:
        """Let an engine look for a move."""
        await self._club.hint(self._game(request), content.engine)
        return {}

    async def _store(self, request: Request) -> Done:
        """Store the finished game, never rated."""
        await self._club.keep(self._game(request))
        return {}

    async def _end(self, request: Request) -> Done:
        """End the game without a result."""
        await self._club.end(self._game(request), "you ended it")
        return {}
