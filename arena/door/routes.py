"""The addresses of the door.

Somebody comes in by a link with a token. The page behind it has one button, and only this button gives the
cookie: a program that opens links by itself, or another site with such a link, changes no cookie. Programs
such as `arena submit` send the token itself with each request, and get JSON.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from functools import partial
from typing import IO, Any, Final
from urllib.parse import quote, urlsplit

import anyio
import msgspec
from anyio import CapacityLimiter
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import Message
from starlette.websockets import WebSocket

from arena.door.asking import RequestView, tournament_of
from arena.door.desk import COOKIE_SECONDS, Desk, SubmissionView
from arena.door.register import LOST_GAME, Participant, RequestState, State, Submission
from arena.door.switchboard import Switchboard
from arena.door.upload import titles
from arena.engine_templates import LANGUAGES
from arena.errors import ArenaError, StoreError
from arena.web.links import Links
from arena.web.pages.section import ratings_of
from arena.web.server.answers import HTML, NotFound
from arena.web.server.app import LOOPBACK, ServedDoor
from arena.web.server.databases import Databases, ServedTournament
from arena.web.templating import page
from protocol.remote.line import REFUSES

DOOR: Final = "/door/"  # all addresses of the door start with it
_NO_LINK: Final = "this link does not work, or works no more; ask the organiser for a new one"
_COOKIE: Final = "arena_door"
_BEARER: Final = "bearer "
_PRIVATE: Final = {"cache-control": "no-store"}
_TEXT: Final = "text/plain; charset=utf-8"
_UNPACKERS: Final = 2
_CONNECTING: Final = 2
"""How many threads connect bots, which so need not wait behind pages."""
_HEX: Final = re.compile(r"[0-9a-f]{16,80}")
_DISABLED: Final = "disabled"
_ACTIONS: Final = ("pause", "open", "remove", "roll-back", "note")

_FORM_SECONDS: Final = 120.0
_FORM_BYTES: Final = 10_000  # the most bytes of a form without its file
_DISCARDED_BYTES: Final = 100_000_000
_DISCARD_SECONDS: Final = 20.0  # how much of a refused upload the server still reads, and for how long


class DoorRoutes:
    """The addresses of a door on a server."""

    def __init__(self, desk: Desk, databases: Databases, switchboard: Switchboard) -> None:
        self._desk = desk
        self._switchboard = switchboard
        self._databases = databases
        self._uploading: set[int] = set()
        self._unpackers = CapacityLimiter(_UNPACKERS)
        self._connecting = CapacityLimiter(_CONNECTING)

    def routes(self) -> list[BaseRoute]:
        """Return the addresses."""
        return [
            WebSocketRoute("/door/connect", self._connect),
            Route("/door", self._with_slash),
            Route("/door/", self._home),
            Route("/door/enter/{token}", self._link),
            Route("/door/enter/{token}", self._enter, methods=["POST"]),
            Route("/door/leave", self._leave, methods=["POST"]),
            Route("/door/hand-in", self._hand_in, methods=["POST"]),
            Route("/door/submissions/{number:number}", self._submission),
            Route("/door/submissions/{number:number}/game-{line:number}.jsonl", self._game),
            Route("/door/transcripts/{number:number}", self._transcript),
            Route("/door/ask", self._asked),
            self._form("/door/ask", self._who, self._ask),
            self._form("/door/asked/{number:number}/clear", self._who, self._clear),
            Route("/door/marks.csv", self._marks),
            *(
                self._form(f"/door/organiser/{action}", self._organiser, partial(self._act, action))
                for action in _ACTIONS
            ),
        ]

    # --- coming in

    async def _with_slash(self, _request: Request) -> Response:
        return RedirectResponse(DOOR, 308)

    def _link(self, request: Request) -> Response:
        who = self._desk.enter(request.path_params["token"])
        return self._closed(404) if who is None else _page("door_enter.html.j2", self._values(who))

    def _enter(self, request: Request) -> Response:
        who = self._desk.enter(request.path_params["token"])
        if who is None:
            raise NotFound(_NO_LINK)
        answer = RedirectResponse(DOOR, 303)
        answer.set_cookie(
            _COOKIE,
            self._desk.cookie(who),
            max_age=COOKIE_SECONDS,
            path="/door",
            httponly=True,
            samesite="lax",
            secure=request.url.scheme == "https",
        )
        return answer

    async def _leave(self, _request: Request) -> Response:
        answer = RedirectResponse(DOOR, 303)
        answer.delete_cookie(_COOKIE, path="/door", httponly=True, samesite="lax")
        return answer

    def _with_token(self, request: HTTPConnection) -> Participant | None:
        """Return whose token is in a header; None if there is none. HTTPException: it is nobody's."""
        authorization = request.headers.get("authorization", "")
        if authorization[: len(_BEARER)].lower() != _BEARER:
            return None
        who = self._desk.enter(authorization[len(_BEARER) :])
        if who is None:
            raise HTTPException(401, _NO_LINK)
        return who

    def _who(self, request: Request) -> Participant:
        """Return who sends a request; raise an HTTPException if the sender may not come in."""
        who = self._with_token(request) or self._desk.participant(request.cookies.get(_COOKIE, ""))
        if who is None:
            raise HTTPException(401, "open the link that the organiser has given you")
        return who

    # --- participants

    def _home(self, request: Request) -> Response:
        try:
            who = self._who(request)
        except HTTPException:
            return self._closed(401)
        if _wants_json(request):
            return _json(self._desk.state(who, self._tournament()))
        return self._own_page(request, who)

    def _closed(self, status: int) -> Response:
        """Return the page for somebody who is not in (401), or whose link does not work (404)."""
        return _page("door_enter.html.j2", {**self._values(None), "wrong_link": status == 404}, status)

    def _own_page(self, request: Request, who: Participant, fault: str = "", status: int = 200) -> Response:
        desk = self._desk
        tournament, asked = self._tournament(), self._tournament(tournament_of(desk.spec))
        submissions = desk.submissions(who)
        remarks = desk.register.remarks(submissions)
        values = {
            **self._values(who),
            "fault": fault,
            "notes": desk.notes(),
            "submissions": submissions,
            "remarks": remarks,
            "home": None if tournament is None else Links(tournament.id),
            "queue": desk.asking.queue(),
            "asked": [] if who.organiser else desk.asking.ended(who),
            "asked_home": None if asked is None else Links(asked.id),
        }
        if who.organiser:
            query = request.query_params
            values["shown"] = _filtered(submissions, remarks, query)
            values["wanted"] = {key: query.get(key, "") for key in ("who", "state")}
            values["participants"] = desk.participants()
            values["played"] = {name for name, _ in desk.register.store.versions()}
            return _page("door_organiser.html.j2", values, status)
        values["guides"] = desk.guides()
        values["example"] = desk.example()
        sections = () if tournament is None else tournament.view().sections
        values["places"] = ratings_of(who.name, sections).values()
        values["last_games"] = desk.last_games(who.name)
        values["lost"] = desk.lost_games(who.name, tournament)
        values["opponents"] = desk.asking.opponents(who)
        return _page("door_own.html.j2", values, status)

    async def _hand_in(self, request: Request) -> Response:
        async with _read_to_end(request) as whole:
            who = await anyio.to_thread.run_sync(self._who, whole)
            try:
                submission = await self._received(whole, who)
            except ArenaError as error:
                return await anyio.to_thread.run_sync(self._refused, whole, who, error)
        if _wants_json(request):
            return _json({"submission": submission.id, "version": submission.version}, 201)
        return RedirectResponse(f"/door/submissions/{submission.id}", 303)

    def _refused(self, request: Request, who: Participant, error: ArenaError) -> Response:
        """Answer a request that the rules of the door refuse; a fault of the database is raised."""
        if isinstance(error, StoreError):
            raise error
        if _wants_json(request):
            return _json({"error": str(error)}, 400)
        return self._own_page(request, who, str(error), 400)

    async def _received(self, request: Request, who: Participant) -> Submission:
        """Read an upload and store it; an ArenaError says why it is refused."""
        await anyio.to_thread.run_sync(self._desk.check_open, who)
        if who.id in self._uploading:
            raise ArenaError("another upload of yours has not ended yet")
        self._uploading.add(who.id)
        try:
            async with _read_upload(request, self._desk.door.upload) as (name, data):
                hand_in = partial(self._desk.hand_in, who, name, data)
                return await anyio.to_thread.run_sync(hand_in, limiter=self._unpackers)
        finally:
            self._uploading.discard(who.id)

    async def _connect(self, socket: WebSocket) -> None:
        """Connect a bot. The token is in a header, which no page in a browser can send."""
        asked = socket.query_params
        session, digest = asked.get("session", ""), asked.get("files", "")
        client = asked.get("client", session)
        try:
            in_thread = partial(anyio.to_thread.run_sync, limiter=self._connecting)
            who = await in_thread(self._with_token, socket)
            if who is None or not all(map(_HEX.fullmatch, (session, client, digest))):
                raise HTTPException(400, "a bot connects by `arena connect`")
            is_new, plays = "first" in asked, "again" in asked
            connect = partial(self._desk.connect, who, digest, is_new=is_new, plays=plays)
            version = await in_thread(connect)
            limit = await in_thread(self._desk.limit)
            home = self._switchboard.enter(socket, who.name, session, client, again=plays)
        except (ArenaError, HTTPException) as error:
            refusal = error if isinstance(error, HTTPException) else HTTPException(400, str(error))
            if isinstance(error, StoreError):
                refusal = HTTPException(503, "the database of the door cannot be used now")
            final = {} if refusal.status_code in (429, 503) else {REFUSES: "yes"}
            text = f"{refusal.detail}\n"
            await socket.send_denial_response(PlainTextResponse(text, refusal.status_code, final))
            return
        without = f", without a game: {limit}" if limit else ""
        twice = (
            "; another `arena connect` with your link is connected, too"
            if self._switchboard.others(home)
            else ""
        )
        title = quote(f"{who.name}, version {version}, in {self._desk.spec.name}{without}{twice}")
        if is_new:
            await self._switchboard.tell_others(home)
        await self._switchboard.carry(home, [(b"x-arena-bot", title.encode())])

    def _submission(self, request: Request) -> Response:
        who = self._who(request)
        view = self._view(request, who)
        if not _wants_json(request):
            return _page("door_submission.html.j2", {**self._values(who), "view": view, "file": LOST_GAME})
        submission, lines = view.submission, [{"kind": line.kind, "text": line.text} for line in view.lines]
        return _json({"state": submission.state, "problem": submission.problem, "lines": lines})

    def _view(self, request: Request, who: Participant) -> SubmissionView:
        """Return the submission that an address names, if the participant may see it."""
        submission = self._desk.submission(request.path_params["number"], who)
        if submission is None:
            raise NotFound("you have handed in no such version")
        return self._desk.view(submission)

    def _game(self, request: Request) -> Response:
        """Answer with the game that a version lost when it was tried."""
        game = self._view(request, self._who(request)).game
        if game is None or game.id != request.path_params["line"]:
            raise NotFound("there is no such game")
        return _private(game.text, _TEXT, file=LOST_GAME)

    def _transcript(self, request: Request) -> Response:
        """Answer with the dialogue between the participant's engine and the referee in a game."""
        pieces = self._desk.transcript(request.path_params["number"], self._who(request))
        if pieces is None:
            raise NotFound("there is no transcript of your engine in this game")
        return StreamingResponse(pieces, headers=_PRIVATE, media_type=_TEXT)

    # --- asking for games

    def _form(
        self,
        path: str,
        admitted: Callable[[Request], Participant],
        act: Callable[[Request, Participant, Mapping[str, str]], Response],
    ) -> Route:
        """Return an address that takes a small form from somebody who is ``admitted``."""

        def answer(request: Request, who: Participant, values: Mapping[str, str]) -> Response:
            try:
                return act(request, who, values)
            except ArenaError as error:
                return self._refused(request, who, error)

        async def take(request: Request) -> Response:
            who = await anyio.to_thread.run_sync(admitted, request)
            return await anyio.to_thread.run_sync(answer, request, who, await _read_form(request))

        return Route(path, take, methods=["POST"])

    def _ask(self, request: Request, who: Participant, values: Mapping[str, str]) -> Response:
        number = self._desk.asking.ask(who, values.get("opponent", ""), values.get("game", ""))
        return _json({"request": number}, 201) if _wants_json(request) else _asked_part()

    def _asked(self, request: Request) -> Response:
        """Answer with the queue, and with what the participant has asked for, for programs."""
        who = self._who(request)
        if not _wants_json(request):
            return _asked_part()
        asking = self._desk.asking
        queue, ended = asking.queue(), [] if who.organiser else asking.ended(who)
        return _json({"queue": list(map(_ask_values, queue)), "ended": list(map(_ask_values, ended))})

    def _clear(self, request: Request, who: Participant, _values: Mapping[str, str]) -> Response:
        self._desk.asking.clear(request.path_params["number"], who)
        return _asked_part()

    # --- the organiser

    def _organiser(self, request: Request) -> Participant:
        who = self._who(request)
        if not who.organiser:
            raise HTTPException(403, "only the organiser may do this")
        return who

    def _act(self, action: str, _request: Request, _who: Participant, values: Mapping[str, str]) -> Response:
        self._desk.act(action, values)
        return RedirectResponse(DOOR, 303)

    def _marks(self, request: Request) -> Response:
        self._organiser(request)
        text = self._desk.marks(self._tournament())
        content = text.encode("utf-8-sig")  # the mark by which spreadsheets know that it is UTF-8
        return _private(content, "text/csv; charset=utf-8", file="marks.csv")

    # --- pages

    def _tournament(self, name: str = "") -> ServedTournament | None:
        wanted = name or self._desk.spec.name
        tournaments = self._databases.tournaments()
        return next((tournament for tournament in tournaments if tournament.name == wanted), None)

    def _values(self, who: Participant | None) -> dict[str, Any]:
        spec, door = self._desk.spec, self._desk.door
        return {
            "links": Links(),
            "tournament": "",
            "place": "door",
            "event": spec.name,
            "who": who,
            "door": door,
            "games": spec.games,
            "languages": titles(door.languages or tuple(LANGUAGES)),
            "State": State,
            "states": [*State, _DISABLED],
            "state_of": _state_of,
        }


@asynccontextmanager
async def _read_to_end(request: Request) -> AsyncIterator[Request]:
    """Give a request, and read the rest of its body at the end of the block.

    Browsers say that the server is not there if the connection ends before they have sent everything.
    """
    ended = False

    async def receive() -> Message:
        nonlocal ended
        message = await request.receive()
        ended = not message.get("more_body", False)
        return message

    try:
        yield Request(request.scope, receive)
    finally:
        left = _DISCARDED_BYTES
        with anyio.move_on_after(_DISCARD_SECONDS):
            while not ended and left > 0:
                left -= len((await receive()).get("body", b""))


@asynccontextmanager
async def _read_upload(request: Request, most: int) -> AsyncIterator[tuple[str, IO[bytes]]]:
    """Give the name and the bytes of the file in a form, until the end of the block."""
    form = None
    with anyio.move_on_after(_FORM_SECONDS):
        limited = _limited(request, most + _FORM_BYTES, most)
        try:
            async with aclosing(limited.stream()) as body:
                form = await MultiPartParser(limited.headers, body, max_files=1, max_fields=5).parse()
        except MultiPartException as error:
            raise HTTPException(400, f"the form cannot be read: {error.message}") from None
        except KeyError:
            raise HTTPException(400, "the form has no boundary") from None
        except ClientDisconnect:
            raise HTTPException(400, "the upload ended early") from None
    if form is None:
        raise HTTPException(408, f"the upload took more than {_FORM_SECONDS:.0f} seconds")
    try:
        upload = form.get("file")
        if not isinstance(upload, UploadFile) or not upload.filename:
            raise HTTPException(400, "choose a file first")
        yield upload.filename, upload.file
    finally:
        await form.close()


async def _read_form(request: Request) -> dict[str, str]:
    """Return the texts of a small form."""
    with anyio.move_on_after(_FORM_SECONDS):
        request = _limited(request, _FORM_BYTES, _FORM_BYTES)
        async with request.form(max_files=0, max_fields=10) as form:
            return {key: value for key, value in form.items() if isinstance(value, str)}
    raise HTTPException(408, f"the form took more than {_FORM_SECONDS:.0f} seconds")


def _limited(request: Request, most: int, named: int) -> Request:
    """Return the request with a body that raises an error, which names ``named``, after ``most`` bytes."""
    too_large = HTTPException(413, f"the upload is larger than {named} bytes")
    length = request.headers.get("content-length", "0")
    if not length.isdecimal() or len(length) > len(str(most)) or int(length) > most:
        raise too_large
    left = most

    async def receive() -> Message:
        nonlocal left
        message = await request.receive()
        left -= len(message.get("body", b""))
        if left < 0:
            raise too_large
        return message

    return Request(request.scope, receive)


def _filtered(
    submissions: list[Submission], remarks: Mapping[int, str], query: Mapping[str, str]
) -> list[Submission]:
    """Return the submissions that the filter of the organiser's page lets through."""
    who, state = query.get("who", ""), query.get("state", "")
    return [
        submission
        for submission in submissions
        if who in ("", submission.name) and state in ("", _state_of(submission, remarks[submission.id]))
    ]


def _state_of(submission: Submission, remark: str) -> str:
    """Return the state that pages show: what plays is disabled if there is a remark on it."""
    return _DISABLED if submission.state is State.PLAYS and remark else submission.state


def _asked_part() -> Response:
    return RedirectResponse(f"{DOOR}#asked", 303)


def _ask_values(view: RequestView) -> dict[str, Any]:
    request = view.request
    return {
        "request": request.id,
        "game": request.game,
        "seats": request.seats,
        "state": request.state,
        "before": None if request.state is RequestState.ENDED else view.before,
        "problem": request.problem,
        "games": [{"number": game.number, "verdict": game.verdict} for game in view.games],
    }


def _wants_json(request: Request) -> bool:
    return "application/json" in request.headers.get("accept", "")


def _page(template: str, values: dict[str, Any], status: int = 200) -> Response:
    return _private(page(template, **values), HTML, status)


def _json(values: Any, status: int = 200) -> Response:  # noqa: ANN401 - any plain value
    return _private(msgspec.json.encode(values) + b"\n", "application/json", status)


def _private(content: str | bytes, media_type: str, status: int = 200, *, file: str = "") -> Response:
    """Return an answer for one person, which no cache may keep; a browser saves it as ``file``."""
    headers = _PRIVATE | ({"content-disposition": f'attachment; filename="{file}"'} if file else {})
    return Response(content, status, headers, media_type)


def served(desk: Desk) -> ServedDoor:
    """Return a door as a server serves it."""
    url = desk.door.url
    if urlsplit(url).hostname in LOOPBACK:  # the default leads to this machine, which nobody else can open
        url = ""
    most = desk.spec.concurrency + 3

    def note(present: frozenset[str]) -> str:
        desk.register.set_present(present)
        return desk.limit()

    board = Switchboard(desk.socket, desk.door.remote.grace, most, note)

    def routes(databases: Databases) -> list[BaseRoute]:
        return DoorRoutes(desk, databases, board).routes()

    return ServedDoor(desk.spec.name, DOOR, url, routes, None if desk.door.bots == "uploaded" else board.run)
