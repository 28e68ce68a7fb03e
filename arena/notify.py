"""Messages out: tell a web hook that a run begins and ends, who leads, and which engine is disabled.

A thread sends the messages with the standard library, so a server that is slow, refuses or dies never holds
up a game. The end of a run waits for a few seconds until all is sent.
"""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from html import escape
from importlib.metadata import version
from math import inf
from queue import Empty, SimpleQueue
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

import trio

from arena import events
from arena.config import TournamentSpec
from arena.config.tournament_keys import NotifyKeys
from arena.errors import ArenaError
from arena.formats.duel import number_of_games
from arena.formats.plan import Schedule
from arena.run.tournament import run_tournament
from arena.scoring import EndedGame, GameScoreCounts
from protocol.words import counted

_LOOK: Final = 60.0  # seconds between two looks at who leads
_END: Final = 10.0  # seconds that the end of a run waits; a fifth of it after an interruption
_ANSWER: Final = 10.0  # seconds until a server takes a connection, or sends its next bytes
_PAUSES: Final = (1.0, 2.0, 4.0, 8.0)  # seconds between two attempts to send a message
_LONGEST_PAUSE: Final = 60.0  # that a server may ask for
_MOST_WAITING: Final = 20  # messages
_LONGEST_TEXT: Final = 1500  # characters: Discord takes 2000

_Message: TypeAlias = dict[str, Any]
Begin: TypeAlias = Callable[[Schedule, GameScoreCounts, Mapping[str, EndedGame]], None]
Observe: TypeAlias = Callable[[events.RunEvent], None]

_FORMS: Final[dict[str, Callable[[_Message], _Message]]] = {
    "json": lambda message: message,
    "discord": lambda message: {"content": message["text"], "allowed_mentions": {"parse": []}},
    "slack": lambda message: {"text": escape(message["text"], quote=False)},
    "matrix": lambda message: {"text": message["text"]},
}
"""Make the body that a web hook of this form takes."""


class Notifier:
    """Sends the messages of a run. It passes on what the run tells to ``begin`` and ``observe``."""

    def __init__(self, spec: TournamentSpec, keys: NotifyKeys, begin: Begin, observe: Observe) -> None:
        self._spec, self._keys, self._begin, self._observe = spec, keys, begin, observe
        self._host = urlsplit(self._keys.url).hostname
        self._most: int | None = None  # games, as in `number_of_games`
        self._exact = True
        self._began = self._stopped = False
        self._played = self._seen = 0  # stored games: now, and at the last look at who leads
        self._leaders: dict[str, tuple[str, ...]] = {}  # by game id
        self._waiting: SimpleQueue[_Message | None] = SimpleQueue()
        self._closing, self._deadline = threading.Event(), inf
        self._problems: dict[str, bool] = {}  # sentences, and whether the user knows them
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def begin(self, plan: Schedule, stored: GameScoreCounts, results: Mapping[str, EndedGame]) -> None:
        """Note how many games there will be and are."""
        self._most, self._exact = plan.most, plan.total is not None
        self._played = self._seen = stored.total()
        self._begin(plan, stored, results)

    def observe(self, event: events.RunEvent) -> None:
        """Handle an event of the run. This never waits."""
        self._observe(event)
        match event:
            case events.GameBegan() | events.GameEnded():
                if not self._began:
                    self._began = True
                    names = [entry.spec.name for entry in self._spec.engines]
                    self._put("start", f"a run of {counted(len(names), 'engine')} begins", engines=names)
                self._played += isinstance(event, events.GameEnded)
            case events.EngineDisabled(engine, text):
                said = f"{engine} is disabled, because it failed three times in a row"
                self._put("disabled", said, engines=[engine], detail=text)
            case events.Stopping():
                self._stopped = True
        self._tell_problems()

    def close(self, error: BaseException | None) -> None:
        """Tell that the run has ended, or which error has ended it, and wait for what is not sent yet."""
        hasty = error is not None and not isinstance(error, Exception)
        self._deadline = time.monotonic() + (_END / 5 if hasty else _END)
        if self._began:
            state = "stopped" if hasty or self._stopped else "failed" if error else "ended"
            self._put("end", f"the run has {state}", state=state)
        self._waiting.put(None)
        self._closing.set()
        self._thread.join(max(self._deadline - time.monotonic(), 0.0))
        if self._thread.is_alive():
            self._problems.setdefault(f"not all messages were sent: {self._host} takes too long", False)
        self._tell_problems()

    def _put(self, event: str, text: str, **more: object) -> None:
        if self._waiting.qsize() < _MOST_WAITING:
            games = number_of_games(self._played, self._most, self._exact)
            text = f"{self._spec.name}: {text}; {games} played"
            self._waiting.put({"event": event, "tournament": self._spec.name, "text": text, **more})
        else:
            self._problems.setdefault(f"messages are left out, because {self._host} is too slow", False)

    def _tell_problems(self) -> None:
        for problem, known in list(self._problems.items()):  # the thread adds some
            if not known:
                self._problems[problem] = True
                self._observe(events.Notice(self._spec.name, problem))

    # --- in the thread

    def _work(self) -> None:
        due = time.monotonic() + _LOOK
        while True:
            try:
                message = self._waiting.get(timeout=max(due - time.monotonic(), 0.0))
            except Empty:
                due = time.monotonic() + _LOOK
                self._tell_new_leaders()
                continue
            if message is None:
                return
            if message["event"] == "start":
                self._leaders = self._look()
            if message["event"] == "end":
                message["leaders"] = self._look()
                message["text"] += "".join(_first(game, names) for game, names in message["leaders"].items())
            self._send(message)

    def _tell_new_leaders(self) -> None:
        if self._seen == self._played:
            return
        self._seen, before, self._leaders = self._played, self._leaders, self._look()
        for game, names in self._leaders.items():
            if names != before.get(game):
                self._put("leader", f"a new leader{_first(game, names)}", game=game, engines=names)

    def _look(self) -> dict[str, tuple[str, ...]]:
        """Return who leads by what decides the format; what is known if the database cannot be read now."""
        from arena.ratings.lists import rating_list
        from arena.store import Store
        from arena.web.pages.standings import decisive_places, leaders, stored_standings

        found = {}
        try:
            with closing(Store.open(self._spec.database, create=False)) as store:
                for game in store.tally(tournament=self._spec.name):
                    view, table = stored_standings(store, self._spec.name, game)
                    rated = view.decided_by == "ratings"
                    ratings = rating_list(store, game, store.tally(game=game)[game]) if rated else None
                    found[game] = leaders(decisive_places(view, table, ratings))
        except ArenaError:
            return self._leaders
        return found

    def _send(self, message: _Message) -> None:
        message["text"] = message["text"][:_LONGEST_TEXT]
        body = json.dumps(_FORMS[self._keys.form](message)).encode()
        problem = ""
        for pause in (*_PAUSES, inf):
            seconds = min(_ANSWER, max(self._deadline - time.monotonic(), 0.1))
            problem, wanted = _post(self._keys.url, body, seconds)
            if not problem:
                return
            if not self._wait(max(pause, wanted)):
                break
        self._problems.setdefault(f"a message was not sent: {self._host} {problem}", False)

    def _wait(self, seconds: float) -> bool:
        """Wait before the next attempt; return False if there is none, or none before the deadline."""
        until = time.monotonic() + seconds
        if until < self._deadline:
            self._closing.wait(seconds)
        if until >= self._deadline:  # which is there since the run ends
            return False
        time.sleep(max(until - time.monotonic(), 0.0))
        return True


def _first(game: str, names: tuple[str, ...]) -> str:
    return f"; first in {game}: {', '.join(names)}"


def _post(url: str, body: bytes, seconds: float) -> tuple[str, float]:
    """Send a body. Return the problem, "" for none, and the least seconds before the next attempt."""
    import http.client  # most runs send nothing
    import urllib.error
    import urllib.request

    class NoRedirects(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_: object) -> None:
            """Refuse: after a redirect `urllib` would send a GET without the body."""

    agent = f"leapfrog-arena/{version('leapfrog-arena')}"  # Discord refuses that of `urllib`
    headers = {"content-type": "application/json", "user-agent": agent}
    request = urllib.request.Request(url, body, headers)  # noqa: S310 - the key allows http and https only
    try:
        with urllib.request.build_opener(NoRedirects).open(request, timeout=seconds):
            return "", 0.0
    except urllib.error.HTTPError as error:
        with error:
            if error.code not in (408, 425, 429) and error.code < 500:
                return f"answers {error.code}", inf
            asked = error.headers.get("retry-after", "")  # seconds, or a date
            wanted = float(asked) if re.fullmatch(r"[0-9]{1,9}(\.[0-9]+)?", asked) else 0.0
            return f"answers {error.code}", min(wanted, _LONGEST_PAUSE)
    except (OSError, http.client.HTTPException) as error:
        return f"cannot be reached: {getattr(error, 'reason', None) or error}", 0.0


async def run_and_notify(
    spec: TournamentSpec,
    begin: Begin,
    observe: Observe,
    **options: Any,  # noqa: ANN401 - as `run_tournament` has them
) -> events.RunSummary:
    """Do the same as `run_tournament` of `arena.run`, and tell the web hook of the tournament, if any."""
    if spec.notify is None:
        return await run_tournament(spec, begin, observe, **options)
    notifier = Notifier(spec, spec.notify, begin, observe)
    try:
        return await run_tournament(spec, notifier.begin, notifier.observe, **options)
    finally:
        error = sys.exception()
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(notifier.close, error)
