"""The client through which the hub talks to one engine.

Each wait has one deadline in total, and every failure of the engine raises an `EngineError`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from signal import SIGKILL
from textwrap import shorten

import trio

from protocol.disguise import OPTION
from protocol.errors import EngineError, EngineOptionError, EngineStartError
from protocol.hub.dialogue import Dialogue, Patience
from protocol.hub.ending import end, kill
from protocol.hub.search import SearchRequest, SearchResult, SearchWriter
from protocol.hub.transcript import Transcript
from protocol.hub.transport import Transport
from protocol.spec import EngineSpec
from protocol.wire import messages as m
from protocol.wire.options import AdvertisedOption, nearest_option
from protocol.wire.session import VERSION, Role, Session
from protocol.wire.states import State
from protocol.wire.xboard import CLAIM_WAIT, FEATURE_WAIT, XboardSession

_GRACE = 0.02
"""Seconds to wait after a deadline. The time stamp of an answer decides whether it is late."""

_DRAIN_SECONDS = 2.0  # how long an engine that lost on time, or that ponders, may take to answer `stop`


def _session(spec: EngineSpec) -> Session:
    if spec.dialect == "xboard":
        return XboardSession(any_option=spec.force_options)
    return Session(Role.HUB, spec.dialect, keep_info=False, any_option=spec.force_options)


def _writer(spec: EngineSpec, session: Session) -> SearchWriter:
    """Return the writer for a game. An engine of CECP always gets moves: a position string has no history."""
    return SearchWriter(session, "moves" if spec.dialect == "xboard" else spec.position)


class EngineClient:
    """The client of one engine, from the handshake to its end."""

    def __init__(
        self,
        spec: EngineSpec,
        transport: Transport,
        *,
        now: Callable[[], int] = time.monotonic_ns,
        transcript: Transcript | None = None,
        patience: Patience | None = None,
    ) -> None:
        """Talk to an engine through ``transport``; a transcript records until the first `new_game`."""
        self.spec = spec
        self.session = _session(spec)
        self.games = 0
        self._transport = transport
        self._excused = transport.excused
        self._now = now
        self._dialogue = Dialogue(self.session, transport, now, transcript, patience or Patience())
        self._writer = _writer(spec, self.session)
        self._expected: tuple[int, str] | None = None  # while it ponders: the number and the text of a move
        self._ready_before = False
        self._sync_word = "ping" if spec.dialect == "xboard" else "isready"
        self._unsynchronized = spec.sync == "game" or spec.dialect == "xboard"  # no `readyok` before `go`

    @property
    def identity(self) -> Mapping[str, str]:
        """The texts of the engine's ``id`` lines, by key."""
        return self.session.identity

    @property
    def alive(self) -> bool:
        """Whether the engine's process is still running."""
        return not self._transport.exit_text

    # --- states outside a search

    async def handshake(self, game: str | None) -> None:
        """Greet the engine, choose the game and set its options.

        No game's clock runs yet. The game is set as ``UGI_Game`` if the engine has that option.
        EngineStartError: it does not play that game. EngineOptionError: it does not take its options.
        EngineStalled, EngineCrashed, EngineFlooded: the handshake failed.
        """
        await self._dialogue.send(m.Hello())
        session = self.session
        if isinstance(session, XboardSession):
            await self._await_features(session)
        else:
            await self._dialogue.expect(m.HelloOk, self.spec.dialect, self.spec.timeouts.handshake)
        for message in introduction(session, self.spec, game):
            await self._dialogue.send(message)

    async def _await_features(self, session: XboardSession) -> None:
        limit = self.spec.timeouts.handshake
        with trio.move_on_after(limit):
            while True:
                with trio.move_on_after(FEATURE_WAIT):
                    await self._dialogue.answer(m.HelloOk)
                    return
                line = session.urge()
                if not line:
                    return
                await self._dialogue.write(line)
        raise self._dialogue.stalled("protover 2", limit)

    async def new_game(self, items: Sequence[tuple[str, str]], transcript: Transcript | None = None) -> None:
        """Announce a new game to the engine, and wait until it is ready.

        ``items`` are pairs for ``gameinfo``, sent to engines with the capability ``seat``. The caller closes
        the transcript. The errors are EngineStalled, EngineCrashed and EngineFlooded.
        """
        self.games += 1
        self._dialogue.transcript = transcript
        self._dialogue.begin_turn()
        self._writer = _writer(self.spec, self.session)
        if not self._ready_before:
            await self._sync(self.spec.timeouts.first_ready)
            self._ready_before = True
        await self._dialogue.send(m.NewGame())
        if "seat" in self.session.capabilities:
            await self._dialogue.send(m.GameInfoLine(tuple(items)))
        await self._sync(self.spec.timeouts.ready)

    async def game_over(self, over: m.GameOver) -> None:
        """Send the result to an engine that uses ``result``; if it fails now, the next game reports it."""
        await self._end_pondering()
        if self.session.state is State.IDLE and "result" in self.session.capabilities:
            await self._dialogue.send(over)
        self._dialogue.transcript = None

    async def report_error(self, code: str, text: str) -> None:
        """Report an answer that was not played to an engine with the capability ``errors``."""
        if isinstance(self.session, XboardSession):
            self.session.forget_board()  # the move is on the engine's board
        if self.session.state is State.IDLE and "errors" in self.session.capabilities:
            await self._dialogue.send(m.ErrorReport(code, text))

    async def _sync(self, limit: float) -> None:
        self.session.odd_lines.clear()
        await self._dialogue.send(m.IsReady())
        await self._dialogue.expect(m.ReadyOk, self._sync_word, limit)

    # --- a search

    async def think(self, turn: SearchRequest, go: m.Go, budget: int) -> SearchResult:
        """Ask for a move within ``budget`` nanoseconds. After EngineTimedOut, `drain` the engine."""
        with trio.CancelScope() as alarm:
            return await self.think_until(alarm, turn, go, budget)
        raise self.late()

    async def think_until(
        self, alarm: trio.CancelScope, turn: SearchRequest, go: m.Go, budget: int
    ) -> SearchResult:
        """Do the same as `think`, but set the deadline of ``alarm``, a scope that the caller has entered.

        One scope can serve a whole game until it is cancelled. A new scope for every wait would take more
        time than the rules of the game take. When the deadline cancels the scope, `late` returns the error.
        """
        dialogue = self._dialogue
        dialogue.begin_turn()
        if self._expected == (len(turn.moves), turn.moves[-1] if turn.moves else ""):
            self._expected = None
            await dialogue.write(self.session.send(m.PonderHit()), alarm)
        else:
            if self._expected is not None:
                alarm.deadline = math.inf
                await self._end_pondering()
            await self._start_search(alarm, turn, go)
        session, started = self.session, self._now()
        best = await dialogue.answer_by(m.BestMove, alarm, budget / 1e9 + _GRACE)
        if session.state is State.SEARCH and isinstance(session, XboardSession):
            with trio.move_on_after(CLAIM_WAIT):
                best = await dialogue.answer(m.BestMove)
            session.end_search()
        # An answer that came while `go` was still being written was read before the clock started.
        ended = dialogue.read_at
        if self._excused is not None:
            ended -= self._excused()
        return SearchResult(best.move, started, max(started, ended), session.take_info(), best.ponder)

    async def _start_search(self, alarm: trio.CancelScope, turn: SearchRequest, go: m.Go) -> None:
        """Send the position and ``go``, when the engine is ready for them."""
        session, dialogue, writer = self.session, self._dialogue, self._writer
        positioned = False
        if self.spec.sync == "move":
            positioned = session.level > 0  # so that the engine reads its position before its clock runs
            position = writer.position(turn) if positioned else b""
            await dialogue.write(position + session.send(m.IsReady()), alarm)
            await dialogue.answer_by(m.ReadyOk, alarm, self.spec.timeouts.ready)
        if self._unsynchronized or session.hasty:
            await dialogue.drop_output(alarm)
        else:
            session.forget_lines()  # a line that came before `go` cannot be its answer
        await dialogue.write(session.send(go) if positioned else writer.search(turn, go), alarm)

    async def ponder(self, alarm: trio.CancelScope, turn: SearchRequest, go: m.Go) -> None:
        """Let an engine that can ponder search on while its opponent thinks.

        The last move of ``turn`` is the expected one, which nobody has played yet. If the opponent plays it,
        the next `think_until` continues this search, otherwise it ends it; neither takes the engine's time.
        """
        if "ponder" not in self.session.capabilities and "ponder" not in self.session.options:
            return
        self._expected = len(turn.moves), turn.moves[-1]
        position = _writer(self.spec, self.session).position(turn)
        await self._dialogue.write(position + self.session.send(m.Ponder(go)), alarm)
        self._writer = _writer(self.spec, self.session)  # what it has written is not on the board

    async def _end_pondering(self) -> None:
        if self._expected is None:
            return
        self._expected = None
        await self._dialogue.send(m.Stop())
        await self._dialogue.expect(m.BestMove, "stop", _DRAIN_SECONDS)
        self.session.take_info()

    def late(self) -> EngineError:
        """Return the error for a deadline of `think_until` that has passed."""
        if self.session.state is State.SYNC:
            return self._dialogue.stalled(self._sync_word, self.spec.timeouts.ready)
        return self._dialogue.timed_out()

    async def drain(self) -> bool:
        """Ask an engine to stop after it lost on time. Return whether it answered, and may play on."""
        try:
            await self._dialogue.send(m.Stop())
            with trio.move_on_after(_DRAIN_SECONDS):
                await self._dialogue.answer(m.BestMove)
                self.session.take_info()
                return True
        except EngineError:
            pass
        return False

    # --- the end

    async def supervise(self) -> None:
        """Read the engine's standard error until its end. Run this in a task of its own beside the client."""
        await self._transport.drain_stderr(self._dialogue.note_stderr)

    async def close(self) -> None:
        """End the engine with ``quit``, then SIGTERM, then SIGKILL, even if this is cancelled."""
        await end(self._transport, self.session.send(m.Quit()))

    def kill_soon(self, nursery: trio.Nursery) -> None:
        """Kill the engine and its process group now; a task in ``nursery`` waits for the exit."""
        self._transport.signal_group(SIGKILL)
        nursery.start_soon(kill, self._transport)


# --- in the handshake ------------------------------------------------------------------------------------

_GAME_OPTION = "ugi_game"

_CHOICES_LENGTH = 300  # the most characters of an engine's list of games in an error message


def introduction(session: Session, spec: EngineSpec, game: str | None) -> Iterator[m.Command]:
    """Yield what the hub says after the greeting. Raises as `choose_options`."""
    if session.level > 0:
        yield m.Acknowledge(VERSION, session.usable)
    if spec.disguise is not None and OPTION.lower() in session.options:
        yield m.SetOption(OPTION, str(spec.disguise))
    options = {"Ponder": "true"} if spec.ponder and "ponder" in session.options else {}
    yield from choose_options(session.options, game, options | spec.options, force=spec.force_options)


def choose_options(
    advertised: Mapping[str, AdvertisedOption], game: str | None, wanted: Mapping[str, str], *, force: bool
) -> list[m.SetOption]:
    """Return the options to set: the game, if the engine has ``UGI_Game``, and the wanted ones.

    With ``force`` these are sent as they are written, also if the engine did not advertise them.
    EngineStartError: the engine does not play the game. EngineOptionError: it lacks an option, or does not
    take its value.
    """
    settings: list[m.SetOption] = []
    if game is not None and _GAME_OPTION in advertised:
        settings.append(_choose_game(advertised[_GAME_OPTION], game))
    if force:
        return settings + [m.SetOption(name, value or None) for name, value in wanted.items()]
    problems: list[str] = []
    for name, value in wanted.items():
        option = advertised.get(name.lower())
        try:
            if option is None:
                hint = nearest_option(name, tuple(advertised.values()))
                raise ValueError(f"it has no option {name!r}: {hint}")
            settings.append(m.SetOption(option.name, option.check(value)))
        except ValueError as error:
            problems.append(str(error))
    if problems:
        raise EngineOptionError(f"does not take its options: {'; '.join(problems)}")
    return settings


def _choose_game(option: AdvertisedOption, game: str) -> m.SetOption:
    if game not in option.choices:
        choices = shorten(", ".join(option.choices), _CHOICES_LENGTH, placeholder=" ...")
        raise EngineStartError(f"does not play {game}, only {choices}")
    return m.SetOption(option.name, game)
