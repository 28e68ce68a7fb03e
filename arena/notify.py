"""Messages out: tell a web hook that a run starts and ends, who leads, and which engine is disabled.

A task beside the run sends the messages, so a server that is slow, refuses or dies never holds up a game. The
end of a run waits for a few seconds until all is sent.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from contextlib import closing
from html import escape
from importlib.metadata import version
from math import inf
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

import trio

from arena import events
from arena.config import TournamentSpec
from arena.config.tournament_keys import NotifyKeys
from arena.formats.match_progress import number_of_games
from arena.run.tournament import Run
from protocol.words import counted

_LEADERS_SECONDS: Final = 60.0  # seconds between two looks at who leads
_END_SECONDS: Final = 10.0  # seconds that the end of a run waits; a fifth of it after an interruption
_ANSWER_SECONDS: Final = 10.0  # seconds until a server takes a connection, or sends its next bytes
_PAUSES: Final = (1.0, 2.0, 4.0, 8.0)  # seconds between two attempts to send a message
_LONGEST_PAUSE: Final = 60.0  # that a server may ask for
_MESSAGES_WAITING: Final = 20  # messages
_LONGEST_TEXT: Final = 1500  # characters: Discord takes 2000

_Message: TypeAlias = dict[str, Any]

_FORMS: Final[dict[str, Callable[[_Message], _Message]]] = {
    "json": lambda message: message,
    "discord": lambda message: {"content": message["text"], "allowed_mentions": {"parse": []}},
    "slack": lambda message: {"text": escape(message["text"], quote=False)},
    "matrix": lambda message: {"text": message["text"]},
}
"""Make the body that a web hook of this form takes."""


class Notifier:
    """Sends the messages of a run, which it observes."""

    def __init__(self, run: Run, keys: NotifyKeys, nursery: trio.Nursery) -> None:
        self._run, self._spec, self._keys = run, run.spec, keys
        self._nursery = nursery
        self._host = urlsplit(self._keys.url).hostname
        self._most: int | None = None  # games, as in `number_of_games`
        self._exact = True
        self._started = self._stopped = False
        self._played = 0  # stored games
        self._leaders: dict[str, tuple[str, ...]] = {}  # by game id
        self._messages, self._waiting = trio.open_memory_channel[_Message](_MESSAGES_WAITING)
        self._sending = trio.CancelScope(shield=True)
        self._problem = "takes too long"  # what the server does instead of taking a message
        self._warned: set[str] = set()

    def observe(self, event: events.RunEvent) -> None:
        """Handle an event of the run. This never waits."""
        match event:
            case events.Planned(total, most, stored):
                self._most, self._exact, self._played = most, total is not None, stored
            case events.GameBegan() | events.GameEnded():
                if not self._started:
                    self._started = True
                    names = [entry.spec.name for entry in self._spec.engines]
                    self._put("start", f"a run of {counted(len(names), 'engine')} starts", engines=names)
                    self._nursery.start_soon(self._tell_new_leaders)
                self._played += isinstance(event, events.GameEnded)
            case events.EngineDisabled(engine, text):
                why = "it failed three times in a row"
                self._put("disabled", f"{engine} is disabled, because {why}", engines=[engine], detail=text)
            case events.Stopping():
                self._stopped = True

    def close(self, error: BaseException | None) -> None:
        """Send that the run has ended, or which error has ended it, and set the deadline of `send_all`."""
        hasty = error is not None and not isinstance(error, Exception)
        if self._started:
            state = "stopped" if hasty or self._stopped else "failed" if error else "ended"
            if state == "ended" and not self._exact:
                self._most = None  # a match or a bracket was decided by fewer games
            self._put("end", f"the run has {state}", state=state)
        self._messages.close()
        self._sending.deadline = trio.current_time() + (_END_SECONDS / 5 if hasty else _END_SECONDS)

    def _put(self, event: str, text: str, **more: object) -> None:
        games = number_of_games(self._played, self._most, self._exact)
        text = f"{self._spec.name}: {text}; {games} played"
        message = {"event": event, "tournament": self._spec.name, "text": text, **more}
        try:
            self._messages.send_nowait(message)
        except trio.WouldBlock:
            self._warn(f"messages are left out, because {self._host} is too slow")
        except trio.ClosedResourceError:
            pass  # a look at who leads ended together with the run

    def _warn(self, problem: str) -> None:
        """Show the user a problem once."""
        if problem not in self._warned:
            self._warned.add(problem)
            self._run.notice(self._spec.name, problem)

    async def send_all(self) -> None:
        """Send all messages until `close`, and go on until its deadline, also if this is cancelled."""
        with self._sending:
            async for message in self._waiting:
                if message["event"] == "end":
                    await self._look()
                    message["leaders"] = self._leaders
                    message["text"] += "".join(_first(game, names) for game, names in self._leaders.items())
                await self._send(message)
        if self._sending.cancelled_caught:
            self._warn(f"not all messages were sent: {self._host} {self._problem}")

    async def _tell_new_leaders(self) -> None:
        seen = self._played
        await self._look()
        while True:
            await trio.sleep(_LEADERS_SECONDS)
            if seen != self._played:
                seen, before = self._played, self._leaders
                await self._look()
                for game, names in self._leaders.items():
                    if names != before.get(game):
                        self._put("leader", f"a new leader{_first(game, names)}", game=game, engines=names)

    async def _look(self) -> None:
        """Note who leads. Nothing changes if it cannot be read now."""
        try:
            self._leaders = await trio.to_thread.run_sync(_leaders, self._spec, abandon_on_cancel=True)
        except Exception as error:  # a format of a package may raise anything, and games must go on
            self._warn(f"the leaders are not known: {error}")

    async def _send(self, message: _Message) -> None:
        message["text"] = message["text"][:_LONGEST_TEXT]
        body = json.dumps(_FORMS[self._keys.form](message)).encode()
        for pause in (*_PAUSES, inf):
            problem, wanted = await trio.to_thread.run_sync(
                _post, self._keys.url, body, abandon_on_cancel=True
            )
            if not problem:
                return
            self._problem = problem
            if max(pause, wanted) == inf:
                self._warn(f"a message was not sent: {self._host} {problem}")
                return
            await trio.sleep(max(pause, wanted))


def _leaders(spec: TournamentSpec) -> dict[str, tuple[str, ...]]:
    """Return who leads by what decides the format, by game id."""
    from arena.ratings.lists import rating_list
    from arena.store import Store
    from arena.tables.places import decisive_places, leaders, stored_standings

    leading = {}
    with closing(Store.open(spec.database, create=False)) as store:
        list_ = store.list_of(spec.name)
        for game in store.tally(tournament=spec.name):
            view, table = stored_standings(store, spec.name, game)
            ratings = None
            if view.decided_by == "ratings":
                ratings = rating_list(store, game, store.tally(game=game, only=list_)[game], list_)
            leading[game] = leaders(decisive_places(view, table, ratings))
    return leading


def _first(game: str, names: tuple[str, ...]) -> str:
    return f"; first in {game}: {', '.join(names)}"


def _post(url: str, body: bytes) -> tuple[str, float]:
    """Send a body. Return the problem, "" for none, and the least seconds before the next attempt."""
    import http.client  # most runs send nothing
    import urllib.error
    import urllib.request

    class NoRedirects(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_: object) -> None:
            """Refuse: after a redirect `urllib` would send a GET without the body."""

    agent = f"leapfrog-arena/{version('leapfrog-arena')}"  # Discord refuses the name `urllib`
    headers = {"content-type": "application/json", "user-agent": agent}
    request = urllib.request.Request(url, body, headers)  # noqa: S310 - the key allows http and https only
    try:
        with urllib.request.build_opener(NoRedirects).open(request, timeout=_ANSWER_SECONDS):
            return "", 0.0
    except urllib.error.HTTPError as error:
        with error:
            if error.code not in (408, 425, 429) and error.code < 500:
                return f"answers {error.code}", inf
            asked = error.headers.get("retry-after", "")  # seconds, or a date
            wanted = float(asked) if re.fullmatch(r"[0-9]{1,9}(\.[0-9]+)?", asked) else 0.0
            return f"answers {error.code}", min(wanted, _LONGEST_PAUSE)
    except (OSError, ValueError, http.client.HTTPException) as error:
        return f"cannot be reached: {getattr(error, 'reason', None) or error}", 0.0


async def play_and_notify(run: Run) -> events.RunSummary:
    """Play a run, and tell the web hook of its tournament, if any."""
    if run.spec.notify is None:
        return await run.play()
    async with trio.open_nursery() as nursery:
        notifier = Notifier(run, run.spec.notify, nursery)
        run.observers.append(notifier.observe)
        nursery.start_soon(notifier.send_all)
        try:
            return await run.play()
        finally:
            notifier.close(sys.exception())
            nursery.cancel_scope.cancel()
