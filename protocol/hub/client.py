"""The hub's half of a conversation, on trio: one engine, total deadlines, every failure an `EngineError`.

A client reads only while it waits for an answer: no second task and no queue stand between the pipe and
the game (they would cost more than the rules). An engine that talks out of turn fills its own pipe, and what
it said counts towards its next turn.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from signal import SIGKILL, SIGTERM
from textwrap import shorten
from typing import TypeVar

import trio
import trio.lowlevel

from protocol.errors import (
    EngineCrashed,
    EngineError,
    EngineFlooded,
    EngineStalled,
    EngineStartError,
    EngineTimedOut,
    HubFault,
    RemoteProtocolError,
)
from protocol.hub.process_exit import ended_within, how_it_ended
from protocol.hub.search import PositionWriter, SearchRequest, SearchResult
from protocol.hub.transcript import Transcript
from protocol.hub.transport import Transport
from protocol.printable import left_behind
from protocol.spec import EngineSpec
from protocol.wire import messages as m
from protocol.wire.options import nearest_option
from protocol.wire.session import CAPABILITIES, VERSION, Role, Session, State

__all__ = ["MAX_TURN_OUTPUT", "EngineClient"]

MAX_TURN_OUTPUT = 8 * 1024 * 1024
"""Bytes that an engine may print in one turn (PROTOCOL, Limits)."""

_GRACE = 0.02
"""Seconds that we go on listening past a deadline, so that the time stamps decide and not the scheduler."""

_REAPED = 10.0
"""Seconds that a killed process may take to disappear before we wait for it without patience."""

_CHOICES_LENGTH = 300
"""How much is quoted of the games that an engine plays: characters."""

_SENT_LINES, _SENT_LENGTH = 3, 40
"""How much of what was sent last a report quotes: lines, and characters of each."""


R = TypeVar("R", bound=m.Reply)


class EngineClient:
    """One engine, from its handshake to its end.

    Attributes:
        spec: its configuration.
        session: the conversation: identity, level, capabilities, counters.
        warnings: sentences for the user, e.g. of an option that it does not have.
        games: how many games it has been asked to play.
    """

    def __init__(
        self,
        spec: EngineSpec,
        transport: Transport,
        *,
        now: Callable[[], int] = time.monotonic_ns,
        transcript: Transcript | None = None,
    ) -> None:
        """Speak to ``transport``; what is said until the end of the first game goes to ``transcript``."""
        self.spec = spec
        self.session = Session(Role.HUB, spec.dialect, keep_info=False)
        self.warnings: list[str] = []
        self.games = 0
        self._transport = transport
        self._now = now
        self._turn_bytes = 0
        self._read_at = 0
        self._teller = PositionWriter(self.session)
        self._ready_before = False
        self._transcript = transcript
        self._sent = b""

    @property
    def identity(self) -> Mapping[str, str]:
        """The engine's ``id`` lines by key."""
        return self.session.identity

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return not self._transport.exit_text

    # --- states outside a search

    async def handshake(self, game: str | None) -> None:
        """Greet the engine, choose the game and set its options: the clock of no game runs.

        Args:
            game: the game's id, set by ``UGI_Game`` where the engine offers that option.

        Raises:
            EngineStartError: it does not play that game.
            EngineStalled, EngineCrashed, EngineFlooded: it did not come through.
        """
        limits = self.spec.timeouts
        await self._send(m.Hello())
        await self._expect(m.HelloOk, limits.handshake, f"did not answer '{self.spec.dialect}'")
        session = self.session
        if session.level > 0:
            used = tuple(word for word in CAPABILITIES if word in session.announced)
            await self._send(m.Acknowledge(VERSION, used))
        for option in self._choose_options(game):
            await self._send(option)

    def _choose_options(self, game: str | None) -> list[m.SetOption]:
        """The options to set; a sentence on each that the engine cannot be set to goes to `warnings`."""
        options = self.session.options
        chosen: list[m.SetOption] = []
        if game is not None and "ugi_game" in options:
            offered = options["ugi_game"]
            if game not in offered.choices:
                choices = shorten(", ".join(offered.choices), _CHOICES_LENGTH, placeholder=" ...")
                raise EngineStartError(f"does not play {game}, only {choices}")
            chosen.append(m.SetOption(offered.name, game))
        for name, value in self.spec.options.items():
            option = options.get(name.lower())
            try:
                if option is None:
                    hint = nearest_option(name, tuple(options.values()))
                    raise ValueError(f"it has no option {name!r}: {hint}")
                chosen.append(m.SetOption(option.name, option.check(value)))
            except ValueError as error:
                self.warnings.append(str(error))
        return chosen

    async def new_game(self, items: Sequence[tuple[str, str]], transcript: Transcript | None = None) -> None:
        """Tell the engine that a game begins, and wait until it is ready.

        Args:
            items: key and value pairs for ``gameinfo``, sent to engines that asked for it.
            transcript: where this game's dialogue is written down; the caller closes it.

        Raises:
            EngineStalled, EngineCrashed, EngineFlooded: it did not come through.
        """
        limits = self.spec.timeouts
        self.games += 1
        self._transcript = transcript
        self._turn_bytes = 0
        self._teller = PositionWriter(self.session)
        if not self._ready_before:
            await self._sync(limits.first_ready)
            self._ready_before = True
        await self._send(m.NewGame())
        if "seat" in self.session.capabilities:
            await self._send(m.GameInfoLine(tuple(items)))
        await self._sync(limits.new_game)

    async def game_over(self, over: m.GameOver) -> None:
        """Tell the result to an engine that wants to know; failures show in the next game."""
        if self.session.state is State.IDLE and "result" in self.session.capabilities:
            await self._send(over)
        self._transcript = None

    async def report_error(self, code: str, text: str) -> None:
        """Tell an engine that wants to know what the referee made of its last line."""
        if self.session.state is State.IDLE and "errors" in self.session.capabilities:
            await self._send(m.ErrorReport(code, text))

    async def _sync(self, limit: float) -> None:
        await self._send(m.IsReady())
        await self._expect(m.ReadyOk, limit, "did not answer 'isready'")

    # --- a search

    async def think(self, turn: SearchRequest, go: m.Go, budget: int) -> SearchResult:
        """Ask for a move.

        Args:
            turn: the position.
            go: the limits to send.
            budget: nanoseconds after which the clock and its margin have run out.

        Raises:
            EngineTimedOut: it did not answer in time; it may still be searching: `drain` it.
            EngineStalled, EngineCrashed, EngineFlooded: it did not come through.
        """
        with trio.CancelScope() as alarm:
            return await self.think_until(alarm, turn, go, budget)
        raise self.late()

    async def think_until(
        self, alarm: trio.CancelScope, turn: SearchRequest, go: m.Go, budget: int
    ) -> SearchResult:
        """As `think`, but the deadline is that of a scope which the caller has entered.

        One scope can serve a whole game, as long as it has not been cancelled: entering one before every wait
        costs more than the rules of the game do. When it is cancelled by its deadline, `late` says why.
        """
        session = self.session
        self._turn_bytes = 0
        question = b""
        if self.spec.sync == "move":
            alarm.deadline = trio.current_time() + self.spec.timeouts.ready
            if session.level > 0:
                question = self._teller.send_position(turn) + self._teller.send_legal(turn)
            await self._write(question + session.send(m.IsReady()), alarm)
            await self._answer(m.ReadyOk)
            question = b"" if session.level > 0 else self._teller.send_position(turn)
        else:
            question = self._teller.send_position(turn) + self._teller.send_legal(turn)
        session.forget_lines()  # an answer that came before the question is none
        await self._write(question + session.send(go), alarm)
        started = self._now()
        alarm.deadline = trio.current_time() + budget / 1e9 + _GRACE
        best = await self._answer(m.BestMove)
        # What came while the question was still being written was read before the clock started.
        return SearchResult(best.move, started, max(started, self._read_at), session.take_info())

    def late(self) -> EngineError:
        """What an engine did that let the deadline of `think_until` pass."""
        if self.session.state is State.SYNC:
            return self._stalled("did not answer 'isready'", self.spec.timeouts.ready)
        return EngineTimedOut(f"did not answer before its time was up{left_behind(self.session.unfinished)}")

    async def drain(self) -> bool:
        """After a forfeit on time: ask the engine to stop; whether it may play on (else: replace it)."""
        try:
            await self._send(m.Stop())
            with trio.move_on_after(self.spec.timeouts.drain):
                await self._answer(m.BestMove)
                self.session.take_info()
                return True
        except EngineError:
            pass
        return False

    # --- bytes

    async def _send(self, message: m.Command) -> None:
        await self._write(self.session.send(message))

    async def _write(self, data: bytes, alarm: trio.CancelScope | None = None) -> None:
        """Write all of ``data``; an engine that does not read stalls, whatever ``alarm`` was set to."""
        transcript = self._transcript
        if transcript is not None:
            transcript.note(">", data)
        self._sent = data
        try:
            count = self._transport.write_now(data)
            if count == len(data):
                return
            if alarm is not None:
                alarm.deadline = math.inf
            with trio.move_on_after(self.spec.timeouts.write):
                await self._write_rest(data[count:])
                return
        except BrokenPipeError:
            await self._raise_crash()
        raise EngineStalled(f"did not read its input for {self.spec.timeouts.write:g} s")

    async def _write_rest(self, data: bytes) -> None:
        """Write while reading: an engine that prints more than a pipe holds would never read on."""

        async def read_on() -> None:
            while chunk := await self._transport.read():
                self._take(chunk)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(read_on)
            while data:
                await self._transport.wait_writable()
                data = data[self._transport.write_now(data) :]
            nursery.cancel_scope.cancel()

    async def _next_event(self) -> m.Command | m.Reply:
        """The next message of the engine, however long it takes."""
        session = self.session
        while True:
            try:
                event = session.next_event()
            except RemoteProtocolError as error:
                if self._transcript is not None:
                    self._transcript.note("#", f"ignored: {error}")
                continue
            if event is not None:
                return event
            data = await self._transport.read()
            self._read_at = self._now()
            if not data:
                await self._raise_crash()
            self._take(data)

    def _take(self, data: bytes) -> None:
        if self._transcript is not None:
            self._transcript.note("<", data)
        self._turn_bytes += len(data)
        if self._turn_bytes > MAX_TURN_OUTPUT:
            raise EngineFlooded(f"printed more than {MAX_TURN_OUTPUT >> 20} MiB in one turn")
        self.session.receive_data(data)

    async def _expect(self, kind: type[R], limit: float, complaint: str) -> R:
        """Read until a message of ``kind`` comes; ``limit`` is seconds in total."""
        with trio.move_on_after(limit):
            return await self._answer(kind)
        raise self._stalled(complaint, limit)

    async def _answer(self, kind: type[R]) -> R:
        """Read until a message of ``kind`` comes."""
        while type(event := await self._next_event()) is not kind:
            pass
        return event

    def _stalled(self, complaint: str, limit: float) -> EngineStalled:
        return EngineStalled(f"{complaint} within {limit:g} s{self._diagnosis()}")

    def _diagnosis(self) -> str:
        return left_behind(self.session.unfinished, self._transport.stderr_tail)

    def _asked(self) -> str:
        """What was sent last, each line shortened: what an engine that crashed was probably busy with."""
        lines = self._sent.decode(errors="replace").splitlines()[-_SENT_LINES:]
        return ", ".join(f"'{shorten(line, _SENT_LENGTH, placeholder=' ...')}'" for line in lines)

    async def _raise_crash(self) -> None:
        """Say how the engine ended: it closed its input or its output."""
        how = await how_it_ended(self._transport)
        if shortage := self._transport.shortage():
            raise HubFault(f"this machine cannot start another process: {shortage}")
        what = f"ended with {how}" if how else "closed its input or output"
        after = f" after {self._asked()}" if self._sent else ""
        raise EngineCrashed(f"{what}{after}{self._diagnosis()}")

    # --- the end

    async def supervise(self) -> None:
        """Run this beside the client for as long as it lives: keeps standard error flowing."""
        await self._transport.drain_stderr(self._note_stderr)

    def _note_stderr(self, data: bytes) -> None:
        if self._transcript is not None:
            self._transcript.note("!", data)

    async def close(self) -> None:
        """End the engine: ``quit``, then SIGTERM and SIGKILL to its group; bounded, never cancelled."""
        with trio.CancelScope(shield=True):
            limits = self.spec.timeouts
            try:
                self._transport.write_now(self.session.send(m.Quit()))
            except BrokenPipeError:
                pass
            self._transport.close_stdin()
            if not await ended_within(self._transport, limits.quit):
                self._transport.signal_group(SIGTERM)
                await ended_within(self._transport, limits.terminate)
            await self._kill()

    def kill_soon(self, nursery: trio.Nursery) -> None:
        """End the engine at once, with all that is in its group; the nursery waits until it is gone."""
        self._transport.signal_group(SIGKILL)
        nursery.start_soon(self._kill)

    async def _kill(self) -> None:
        """Kill what is left, and reap it when the system has taken it apart, which can take a while."""
        with trio.CancelScope(shield=True):
            self._transport.signal_group(SIGKILL)
            await ended_within(self._transport, _REAPED)
            self._transport.dispose()
