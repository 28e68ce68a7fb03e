"""The games that people play on the server, their referee process, and the addresses of play."""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from io import BytesIO
from typing import Any, Final, NamedTuple

import anyio
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.model import GameRecord, TournamentRecord
from arena.records.files import FORMATS, write_records
from arena.run.executor import JobLost
from arena.run.local_referees import LocalReferees
from arena.store import Store
from arena.web.casual_game import (
    CASUAL,
    UNRATED,
    CasualGame,
    Hint,
    Moves,
    NewGame,
    Offer,
    OfferedGame,
    PlayState,
    Status,
    Unplayable,
    WrongOrder,
    game_state,
    legal_moves,
    refusal,
)
from arena.web.links import Links, tournament_id
from arena.web.pages.games import thumbnail
from arena.web.server.answers import EventLog, NotFound, WrongRequest, events, html, links_of
from arena.web.server.openapi import (
    STREAM,
    Address,
    Begun,
    Done,
    HintWish,
    NewMove,
    OfPart,
    OfRecord,
    OfStream,
    Why,
)
from arena.web.templating import page
from referee.match.job import EngineWarning, Job, JobFinished, OrderRefused, TurnBegan

_LOOK_SECONDS: Final = 1.0
_IDLE_MINUTES: Final = 30
"""A game ends if a person who is to move does nothing for this time."""

_LEFT_MINUTES: Final = 5
"""A game ends if an engine thinks and nobody looks at the game for this time."""

_MOST_OF_ONE: Final = 5
"""The most games that one client plays at once; those of one address together have half of all, or five."""

_COOKIE: Final = "player"
_COOKIE_SECONDS: Final = 30 * 24 * 3600
_SPEEDS: Final = {"movetime=1": "1 s a move", "movetime=5": "5 s a move", "300+3": "5 minutes and 3 s a move"}
"""Time controls that people can choose, with their words."""

_MOST_KEPT: Final = 200
"""The most games that are over and can still be looked at."""


_JobEvent = TurnBegan | JobFinished | OrderRefused | JobLost


class Client(NamedTuple):
    """Who plays: the cookie of a browser, or the address of another program; and the address."""

    name: str
    address: str


class ClubGame:
    """A game that a client began, with the people who look at it: ``log`` tells them what changes."""

    def __init__(self, game: CasualGame, client: Client, *, can_store: bool) -> None:
        self.game = game
        self.client = client
        self.seen = time.monotonic()  # when somebody last looked at it
        self.can_store = can_store
        self.hint_job = ""  # that of the last search for a hint, which an engine plays in a person's place
        self.log = EventLog()

    def state(self) -> PlayState:
        """Return the whole state."""
        return game_state(self.game, can_store=self.can_store)

    def hear(self, event: _JobEvent) -> None:
        """Take an event of the game's job."""
        match event:
            case TurnBegan(running, said):
                self.game.on_turn(running, said)
            case JobFinished():
                self.game.on_finished(event)
            case OrderRefused(_, text) | JobLost(_, text):
                self.game.end(text)
        self.log.renew()

    def hear_hint(self, event: _JobEvent) -> bool:
        """Take an event of the search for a hint; return whether it tells a move, or why there is none."""
        match event:
            case TurnBegan(running) if running.plies:
                hint = Hint(running.plies[0].text)
            case JobFinished(detail=text, record=record):
                hint = Hint(record[0].text) if record else Hint(failed=text)
            case OrderRefused(_, text) | JobLost(_, text):
                hint = Hint(failed=text)
            case _:
                return False
        if self.game.hint == Hint():  # the position has not changed meanwhile
            self.game.hint = hint
            self.log.renew()
        return True


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
        self._games: dict[str, ClubGame] = {}
        self._jobs: dict[str, ClubGame] = {}

    def find(self, id_: str) -> ClubGame | None:
        """Return the game with an id, at which somebody looks; None if there is none."""
        found = self._games.get(id_)
        if found is not None:
            found.seen = time.monotonic()
        return found

    def running(self, name: str) -> list[ClubGame]:
        """Return the running games of the client with a name, the newest first."""
        return [one for one in reversed(self._running()) if one.client.name == name]

    def _running(self) -> list[ClubGame]:
        return [one for one in self._games.values() if one.game.status is not Status.OVER]

    async def begin(self, wish: NewGame, client: Client) -> ClubGame:
        """Begin the game that a request of a client asks for."""
        order = self.offer.order(wish)
        self._make_room(client)
        game = CasualGame(secrets.token_urlsafe(12), order)
        found = ClubGame(game, client, can_store=self._store is not None)
        self._games[found.game.id] = found
        await self._start(found)
        return found

    def _make_room(self, client: Client) -> None:
        own, running = len(self.running(client.name)), self._running()
        if own >= _MOST_OF_ONE:
            raise Unplayable(f"you play {own} games already, which is the most: end one of them first")
        near = sum(one.client.address == client.address for one in running)
        if near >= max(self._most_games // 2, _MOST_OF_ONE):
            raise Unplayable(f"{near} games are played from your address, which is the most; try again later")
        if len(running) >= self._most_games:
            raise Unplayable(f"{len(running)} games are being played, which is the most; try again later")
        over = [id_ for id_, one in self._games.items() if one.game.status is Status.OVER]
        for id_ in over[: max(0, len(over) - _MOST_KEPT)]:
            del self._games[id_]

    async def _start(self, found: ClubGame) -> None:
        game, before = found.game, (found.hint_job, found.game.job)
        job = self._new_job(found)
        game.begin(job)  # before anything is awaited: a game has one job, whoever takes back meanwhile
        order = game.order.job(job, tuple(ply.text for ply in game.played))
        for ended in before:
            await self._drop(ended)
        await self._submit(order)
        found.log.renew()

    async def _submit(self, order: Job) -> None:
        if order.id in self._jobs:  # it was not dropped meanwhile
            await self._referees.submit(order)

    def _new_job(self, found: ClubGame) -> str:
        job = secrets.token_hex(8)
        self._jobs[job] = found
        return job

    async def move(self, found: ClubGame, text: str, ply: int) -> None:
        """Play a move of a person."""
        move = found.game.checked_move(text, ply)
        found.game.touch()
        await self._referees.answer(found.game.job, ply, move)

    async def take_back(self, found: ClubGame) -> None:
        """Go back to the position before the last move of a person."""
        if not found.game.job:
            self._make_room(found.client)
        found.game.take_back()
        await self._start(found)

    async def hint(self, found: ClubGame, name: str) -> None:
        """Let an engine look for the best move of the person whose turn it is; "" is the first opponent."""
        game = found.game
        if game.status is not Status.YOURS:
            raise Unplayable("it is not your turn")
        if game.hint is not None and not game.hint.failed:
            return
        rules = game.order.rules.info.id
        entrants = self.offer.spec.entrants(rules)
        wanted = name or next((one.spec.name for one in game.order.seats if one is not None), "")
        engine = next((one for one in entrants if one.spec.name == wanted or not wanted), None)
        if engine is None:
            raise WrongOrder(f"no engine {wanted!a} plays {rules}")
        game.hint, before = Hint(), found.hint_job
        game.touch()
        job = found.hint_job = self._new_job(found)
        order = game.order.job(job, tuple(game.texts), engine)
        await self._drop(before)
        await self._submit(order)
        found.log.renew()

    async def keep(self, found: ClubGame) -> None:
        """Store a finished game in the tournament of casual games, which is never rated."""
        game, store = found.game, self._store
        record = game.record()
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
                    found.log.renew()

    async def end(self, found: ClubGame, why: str) -> None:
        """End a game without a result."""
        job = found.game.job
        if job:
            found.game.end(why)
            found.log.renew()
            await self._drop(found.hint_job)
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

    async def _pass_on(self, job: str, event: _JobEvent) -> None:
        found = self._jobs.get(job)
        if found is not None and job != found.hint_job:
            found.hear(event)
        elif found is not None and found.hear_hint(event) and isinstance(event, TurnBegan):
            await self._drop(job)

    async def _end_idle(self) -> None:
        while True:
            await anyio.sleep(_LOOK_SECONDS)
            now = time.monotonic()
            for found in self._running():
                game = found.game
                if found.log.listeners:
                    found.seen = now
                if game.status is Status.YOURS and now - game.touched > _IDLE_MINUTES * 60:
                    await self.end(found, f"nothing happened for {_IDLE_MINUTES} minutes")
                elif (game.status is not Status.YOURS or game.hint == Hint()) and (
                    now - found.seen > _LEFT_MINUTES * 60
                ):
                    await self.end(found, f"an engine thought, and nobody looked for {_LEFT_MINUTES} minutes")


def _store_game(store: Store, record: GameRecord) -> tuple[int, str]:
    """Store a casual game as the last of its tournament; return its number and the address of its page."""
    tournament = store.begin_tournament(CASUAL, UNRATED)
    stored = store.append(record).result.id or 0
    return stored, Links(tournament_id(CASUAL, tournament.created)).game(stored)


CHANGING: Final = ("/api/play/",)
"""The addresses below which a POST changes something."""


class PlayRoutes:
    """The answers; without a club, if the user has listed no engines, only the first page is found."""

    def __init__(self, club: Club | None, *, behind_proxy: bool) -> None:
        self._maybe_club = club
        self._behind_proxy = behind_proxy
        self._key = secrets.token_bytes(16)  # signs cookies: whoever invents one is known by an address

    def pages(self) -> list[Route]:
        """Return the addresses of pages."""
        return [Route("/play/", self._page), Route("/play/{id}/", self._game_page)]

    def addresses(self) -> list[Address]:
        """Return the addresses of the API."""
        games, game = "/api/play/games", "/api/play/games/{id}"
        change = partial(Address, method="POST")
        return [
            Address("/api/play/offer", self._offer, (404,)),
            change(games, self._begin, (409,), status=201),
            Address(game, self._state, (404,)),
            Address(f"{game}/events", self._events, (404,), media_type=STREAM),
            Address(f"{game}/moves", self._moves, (404,)),
            Address(f"{game}/why", self._why, (404,)),
            Address(f"{game}/record", self._record, (400, 404), media_type="text/plain"),
            change(f"{game}/move", self._move, (404, 409)),
            change(f"{game}/takeback", self._take_back, (404, 409)),
            change(f"{game}/hint", self._hint, (404, 409)),
            change(f"{game}/store", self._store, (404, 409, 503)),
            change(f"{game}/end", self._end, (404,)),
        ]

    @property
    def _club(self) -> Club:
        """The games."""
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
        offer = [] if club is None else club.offer.games()
        wanted = request.query_params
        chosen = next((one for one in offer if one["id"] == wanted.get("game")), offer[0] if offer else None)
        asked = chosen is not None and chosen["id"] == wanted.get("game")
        usual = (
            {}
            if chosen is None
            else {chosen["time_control"]: f"{chosen['time_control']}, as the server has it"}
        )
        values = {
            "place": "play",
            "tournament": "",
            "links": links_of(request),
            "offer": offer,
            "chosen": chosen,
            "pictures": {one["id"]: thumbnail(one["id"]) for one in offer},
            "speeds": {**usual, **_SPEEDS},
            "start": wanted.get("start", "") if asked else "",
            "rival": wanted.get("engine", "") if asked else "",
            "running": [] if club is None else [*map(_running_row, club.running(self._cookie(request)))],
        }
        answer = html(request, page("served_play.html.j2", **values))
        answer.headers["cache-control"] = "private, no-cache"
        if club is not None and not self._cookie(request):
            answer.set_cookie(
                _COOKIE,
                self._signed(secrets.token_urlsafe(12)),
                _COOKIE_SECONDS,
                path="/",
                httponly=True,
                samesite="strict",
            )
        return answer

    async def _game_page(self, request: Request) -> Response:
        found = self._found(request)
        info = found.game.order.rules.info
        values = {
            "place": "play",
            "tournament": "",
            "links": links_of(request),
            "id": found.game.id,
            "title": info.title,
            "game": info.id,
            "players": info.players,
            "box": found.state()["board"]["box"],
        }
        return html(request, page("served_play_game.html.j2", **values))

    # --- the API

    async def _offer(self, _request: Request) -> list[OfferedGame]:
        """The games and engines that people can play with."""
        return self._club.offer.games()

    async def _state(self, request: Request) -> PlayState:
        """The state of a game of people."""
        return self._found(request).state()

    async def _moves(self, request: Request) -> Moves:
        """The parts of the legal moves."""
        game = self._found(request).game
        return await anyio.to_thread.run_sync(legal_moves, game, game.ply, game.follower.position)

    async def _why(self, request: Request, query: OfPart) -> Why:
        """Why a place cannot follow."""
        game = self._found(request).game
        ply, position = game.ply, game.follower.position
        why = await anyio.to_thread.run_sync(refusal, game, position, query.chosen, query.place)
        return {"ply": ply, "why": why}

    async def _events(self, request: Request, query: OfStream) -> Response:
        """The state of the game after each change."""
        found = self._found(request)
        return events(request, found.log, found.state, query.last)

    async def _record(self, request: Request, query: OfRecord) -> Response:
        """The record of a finished game."""
        found = self._found(request)
        try:
            record = found.game.record()
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
        """Return who asks; a proxy adds the address at the end of what it was told."""
        address = request.client.host if request.client else "here"
        if self._behind_proxy:
            address = request.headers.get("x-forwarded-for", address).rpartition(",")[2].strip()
        return Client(self._cookie(request) or f"from {address}", address)

    async def _begin(self, request: Request, content: NewGame) -> Begun:
        """Begin a game."""
        game = (await self._club.begin(content, self._client(request))).game
        return {"id": game.id, "url": f"/play/{game.id}/"}

    async def _move(self, request: Request, content: NewMove) -> Done:
        """Play a move, or resign."""
        await self._club.move(self._found(request), content.move.strip(), content.ply)
        return {}

    async def _take_back(self, request: Request) -> Done:
        """Go back to before a person's last move."""
        await self._club.take_back(self._found(request))
        return {}

    async def _hint(self, request: Request, content: HintWish) -> Done:
        """Let an engine look for a move."""
        await self._club.hint(self._found(request), content.engine)
        return {}

    async def _store(self, request: Request) -> Done:
        """Store the finished game, never rated."""
        await self._club.keep(self._found(request))
        return {}

    async def _end(self, request: Request) -> Done:
        """End the game without a result."""
        await self._club.end(self._found(request), "you ended it")
        return {}


def _running_row(found: ClubGame) -> dict[str, Any]:
    """Return what the list of a client's games shows of one."""
    game = found.game
    rivals = [entry.spec.name for entry in game.order.seats if entry is not None]
    return {
        "url": f"/play/{game.id}/",
        "title": game.order.rules.info.title,
        "rivals": ", ".join(rivals) or "nobody else",
        "ply": game.ply,
        "yours": game.status is Status.YOURS,
    }
