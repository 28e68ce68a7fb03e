"""The client through which the hub talks to one engine.

Each wait has one deadline in total, and every failure of the engine raises an `EngineError`.

A client reads only while it waits for an answer, and it reads the pipe directly. A second task or a queue
would take more time per move than the rules of the game take. Output that an engine prints at another time
stays in its pipe, and counts towards the output of its next turn.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from signal import SIGKILL, SIGTERM
from typing import TypeVar

import trio
import trio.lowlevel

from protocol.errors import (
    EngineCrashed,
    EngineError,
    EngineFlooded,
    EngineStalled,
    EngineTimedOut,
    RemoteProtocolError,
)
from protocol.hub.capability_words import misspelt_capabilities
from protocol.hub.handshake_options import choose_options
from protocol.hub.last_words import (
    ASKED,
    XBOARD_ANSWERS,
    last_sent,
    left_behind,
    said_before_its_end,
    said_instead,
)
from protocol.hub.process_exit import ended_within, how_it_ended
from protocol.hub.search import PositionWriter, SearchRequest, SearchResult
from protocol.hub.transcript import Transcript
from protocol.hub.transport import Transport
from protocol.spec import EngineSpec
from protocol.wire import messages as m
from protocol.wire.session import CAPABILITIES, VERSION, Role, Session, State
from protocol.wire.xboard import FEATURE_WAIT, XboardSession

__all__ = ["MAX_TURN_OUTPUT", "EngineClient"]

MAX_TURN_OUTPUT = 8 * 1024 * 1024
"""The most bytes that an engine may print in one turn (docs/reference/protocol.md, Limits)."""

_GRACE = 0.02
"""Seconds to wait after a deadline. The time stamp of an answer decides whether it is late."""

_REAPED = 10.0
"""Seconds to wait for the exit of a killed process before `Transport.dispose`, which blocks."""


R = TypeVar("R", bound=m.Reply)


def _session(spec: EngineSpec) -> Session:
    if spec.dialect == "xboard":
        return XboardSession(any_option=spec.force_options)
    return Session(Role.HUB, spec.dialect, keep_info=False, any_option=spec.force_options)


class EngineClient:
    """The client of one engine, from the handshake to the engine's end.

    Attributes:
        spec: the engine's configuration.
        session: the state of the conversation, with the engine's identity, level and capabilities.
        games: the number of games that the engine was asked to play.
        warnings: sentences for the user, for example about a misspelt capability.
    """

    def __init__(
        self,
        spec: EngineSpec,
        transport: Transport,
        *,
        now: Callable[[], int] = time.monotonic_ns,
        transcript: Transcript | None = None,
    ) -> None:
        """Create a client that talks to an engine through ``transport``.

        Args:
            spec: the engine's configuration.
            transport: carries the bytes.
            now: the clock, in nanoseconds.
            transcript: records the dialogue until the first `new_game`.
        """
        self.spec = spec
        self.session = _session(spec)
        self.games = 0
        self.warnings: list[str] = []
        self._transport = transport
        self._now = now
        self._turn_bytes = 0
        self._read_at = 0
        self._writer = PositionWriter(self.session, spec.position)
        self._ready_before = False
        self._transcript = transcript
        self._sent = b""

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
        """Greet the engine, choose the game and set its options. No game's clock runs yet.

        Args:
            game: the game's id. It is set as ``UGI_Game`` if the engine has that option.

        Raises:
            EngineStartError: the engine does not play that game.
            EngineOptionError: the engine does not take its options.
            EngineStalled, EngineCrashed, EngineFlooded: the handshake failed.
        """
        await self._send(m.Hello())
        session = self.session
        if isinstance(session, XboardSession):
            await self._await_features(session)
        else:
            await self._expect(m.HelloOk, f"{self.spec.dialect}ok", self.spec.timeouts.handshake)
        if session.level > 0:
            used = tuple(word for word in CAPABILITIES if word in session.announced)
            await self._send(m.Acknowledge(VERSION, used))
        for word, capability in misspelt_capabilities(session.announced).items():
            self.warnings.append(f"it announces {word!r}, which is no capability: is {capability!r} meant?")
        options, force = self.spec.options, self.spec.force_options
        for option in choose_options(session.options, game, options, force=force):
            await self._send(option)

    async def _await_features(self, session: XboardSession) -> None:
        limit = self.spec.timeouts.handshake
        with trio.move_on_after(limit):
            while True:
                with trio.move_on_after(FEATURE_WAIT):
                    await self._answer(m.HelloOk)
                    return
                line = session.urge()
                if not line:
                    return
                await self._write(line)
        raise self._stalled("xboardok", limit)

    async def new_game(self, items: Sequence[tuple[str, str]], transcript: Transcript | None = None) -> None:
        """Announce a new game to the engine, and wait until it is ready.

        Args:
            items: key and value pairs for ``gameinfo``, sent to engines with the capability ``seat``.
            transcript: records this game's dialogue; the caller closes it.

        Raises:
            EngineStalled, EngineCrashed, EngineFlooded: the engine did not become ready.
        """
        limits = self.spec.timeouts
        self.games += 1
        self._transcript = transcript
        self._turn_bytes = 0
        self._writer = PositionWriter(self.session, self.spec.position)
        if not self._ready_before:
            await self._sync(limits.first_ready)
            self._ready_before = True
        await self._send(m.NewGame())
        if "seat" in self.session.capabilities:
            await self._send(m.GameInfoLine(tuple(items)))
        await self._sync(limits.new_game)

    async def game_over(self, over: m.GameOver) -> None:
        """Send the result to an engine with the capability ``result``.

        If the engine fails now, the next game reports it.
        """
        if self.session.state is State.IDLE and "result" in self.session.capabilities:
            await self._send(over)
        self._transcript = None

    async def report_error(self, code: str, text: str) -> None:
        """Report a rejected or repaired line to an engine with the capability ``errors``."""
        if self.session.state is State.IDLE and "errors" in self.session.capabilities:
            await self._send(m.ErrorReport(code, text))

    async def _sync(self, limit: float) -> None:
        self.session.odd_lines.clear()
        await self._send(m.IsReady())
        await self._expect(m.ReadyOk, "readyok", limit)

    # --- a search

    async def think(self, turn: SearchRequest, go: m.Go, budget: int) -> SearchResult:
        """Ask for a move.

        Args:
            turn: the position.
            go: the limits to send.
            budget: nanoseconds after which the clock and its margin have run out.

        Raises:
            EngineTimedOut: the engine did not answer in time. It may still be searching, so `drain` it.
            EngineStalled, EngineCrashed, EngineFlooded: the engine failed.
        """
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
        session = self.session
        self._turn_bytes = 0
        if session.odd_lines:
            session.odd_lines.clear()
        question = b""
        if self.spec.sync == "move":
            alarm.deadline = trio.current_time() + self.spec.timeouts.ready
            if session.level > 0:
                question = self._writer.send_position(turn) + self._writer.send_legal(turn)
            await self._write(question + session.send(m.IsReady()), alarm)
            await self._answer(m.ReadyOk)
            question = b"" if session.level > 0 else self._writer.send_position(turn)
        else:
            question = self._writer.send_position(turn) + self._writer.send_legal(turn)
        session.forget_lines()  # a line that came before `go` cannot be its answer
        await self._write(question + session.send(go), alarm)
        started = self._now()
        alarm.deadline = trio.current_time() + budget / 1e9 + _GRACE
        best = await self._answer(m.BestMove)
        # An answer that came while `go` was still being written was read before the clock started.
        return SearchResult(best.move, started, max(started, self._read_at), session.take_info())

    def late(self) -> EngineError:
        """Return the error for a deadline of `think_until` that has passed."""
        if self.session.state is State.SYNC:
            return self._stalled("readyok", self.spec.timeouts.ready)
        said = said_instead(self._called("bestmove"), self.session.odd_lines)
        unfinished = left_behind(self.session.unfinished)
        return EngineTimedOut(f"did not answer before its time was up{said}{unfinished}")

    async def drain(self) -> bool:
        """Ask an engine to stop after it lost on time.

        Returns:
            True if the engine answered and may play on; False if it must be replaced.
        """
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
        """Write all of ``data``. If the pipe is full, the write timeout replaces the alarm's deadline."""
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
        """Write and read at the same time: an engine whose output pipe is full does not read its input.

        Raises:
            BrokenPipeError: the engine closed its standard input.
            EngineFlooded: the engine printed too much.
        """
        errors: list[BrokenPipeError | EngineFlooded] = []  # a nursery would raise a group of them

        async def read_on(scope: trio.CancelScope) -> None:
            try:
                while chunk := await self._transport.read():
                    self._take(chunk)
            except EngineFlooded as error:
                errors.append(error)
                scope.cancel()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(read_on, nursery.cancel_scope)
            try:
                while data:
                    await self._transport.wait_writable()
                    data = data[self._transport.write_now(data) :]
            except BrokenPipeError as error:
                errors.append(error)
            nursery.cancel_scope.cancel()
        if errors:
            raise errors[0]

    async def _next_event(self) -> m.Command | m.Reply:
        """Return the engine's next message, however long it takes."""
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

    async def _expect(self, kind: type[R], word: str, limit: float) -> R:
        """Return the first message of ``kind``, and skip all others.

        Args:
            kind: the type of the message.
            word: its first word, for the error.
            limit: how many seconds to wait in total.
        """
        with trio.move_on_after(limit):
            return await self._answer(kind)
        raise self._stalled(word, limit)

    async def _answer(self, kind: type[R]) -> R:
        """Return the first message of ``kind``, and skip all others."""
        while type(event := await self._next_event()) is not kind:
            pass
        return event

    def _stalled(self, word: str, limit: float) -> EngineStalled:
        word = self._called(word)
        said = said_instead(word, self.session.odd_lines)
        return EngineStalled(f"did not answer '{ASKED[word]}' within {limit:g} s{said}{self._diagnosis()}")

    def _called(self, word: str) -> str:
        return XBOARD_ANSWERS.get(word, word) if self.spec.dialect == "xboard" else word

    def _diagnosis(self) -> str:
        return left_behind(self.session.unfinished, self._transport.stderr_tail)

    async def _raise_crash(self) -> None:
        """Raise the error for an engine that closed its input or output, with its exit status."""
        exit_text = await how_it_ended(self._transport)
        if shortage := self._transport.shortage():
            raise shortage
        event = f"ended with {exit_text}" if exit_text else "closed its input or output"
        after = f" after {last_sent(self._sent)}" if self._sent else ""
        said = said_before_its_end(self.session.odd_lines)
        raise EngineCrashed(f"{event}{after}{said}{self._diagnosis()}")

    # --- the end

    async def supervise(self) -> None:
        """Read the engine's standard error until its end. Run this in a task of its own beside the client."""
        await self._transport.drain_stderr(self._note_stderr)

    def _note_stderr(self, data: bytes) -> None:
        if self._transcript is not None:
            self._transcript.note("!", data)

    async def close(self) -> None:
        """End the engine with ``quit``, then SIGTERM, then SIGKILL to its process group.

        The time is bounded, and cancellation does not interrupt it.
        """
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
        """Kill the engine and its process group at once; a task in ``nursery`` waits for the exit."""
        self._transport.signal_group(SIGKILL)
        nursery.start_soon(self._kill)

    async def _kill(self) -> None:
        """Kill the process group, wait for the exit, which can take a while, and free the resources."""
        with trio.CancelScope(shield=True):
            self._transport.signal_group(SIGKILL)
            await ended_within(self._transport, _REAPED)
            self._transport.dispose()
