"""Fakes for tests of whatever speaks the protocol: no process, no clock but trio's.

>>> from protocol.wire.messages import Hello, HelloOk, Id
>>> pair = SessionPair()
>>> pair.hub_says(Hello())
>>> pair.engine_says(Id("name", "sample"), HelloOk())
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from signal import Signals

import trio

from protocol.wire.codec import Dialect
from protocol.wire.messages import Command, Reply
from protocol.wire.session import Role, Session

__all__ = ["ScriptError", "ScriptedEngine", "SessionPair"]


class ScriptError(AssertionError):
    """The hub said something that the script does not expect."""


class SessionPair:
    """A hub's and an engine's session joined by a wire that carries everything at once.

    Attributes:
        hub, engine: the two sessions.
    """

    def __init__(self, dialect: Dialect = "ugi") -> None:
        self.hub = Session(Role.HUB, dialect)
        self.engine = Session(Role.ENGINE, dialect)

    def hub_says(self, *messages: Command) -> None:
        """The hub sends; the engine must see the same.

        Raises:
            ProtocolError: one side may not say that now.
            AssertionError: the other side saw something else.
        """
        self._carry(self.hub, self.engine, messages)

    def engine_says(self, *messages: Reply) -> None:
        """The engine sends; the hub must see the same. Raises as `hub_says`."""
        self._carry(self.engine, self.hub, messages)

    @staticmethod
    def _carry(sender: Session, receiver: Session, messages: tuple[Command | Reply, ...]) -> None:
        for message in messages:
            receiver.receive_data(sender.send(message))
            seen = receiver.next_event()
            assert seen == message, f"{message} arrived as {seen}"
        assert receiver.next_event() is None
        assert sender.state is receiver.state, (sender.state, receiver.state)


class ScriptedEngine:
    r"""An engine that says its lines: a transport for `protocol.hub.client.EngineClient`.

    The script is text, a line each: ``> text`` is what the hub must say next, ``< text`` what the engine
    answers, ``~ seconds`` a pause, ``! text`` standard error, ``= text`` the end of the
    process with that status (``= exit code 0``). ``<- text`` answers without a newline. Empty lines count
    for nothing.

    Args:
        script: the dialogue.
        deaf_after: bytes after which nothing more can be written to it; None: it always reads.

    Attributes:
        signals: what its group was sent.
        disposed: whether it was given back.
    """

    def __init__(self, script: str, *, deaf_after: int | None = None) -> None:
        self._script = deque(line.strip() for line in script.splitlines() if line.strip())

        self._exited = trio.Event()
        self._wake = trio.Event()
        self._room = deaf_after
        self._stderr = b""
        self._partial = b""
        self.exit_text = ""
        self.signals: list[Signals] = []
        self.disposed = False

    def assert_done(self) -> None:
        """Check that the whole script was played."""
        assert not self._script, f"never came to {self._script[0]!r}"

    # --- the transport

    def write_now(self, data: bytes) -> int:
        """Compare what the hub says with the script."""
        if self.exit_text:
            raise BrokenPipeError
        if self._room is not None:
            data = data[: self._room]
            self._room -= len(data)
        *lines, self._partial = (self._partial + data).split(b"\n")
        for line in lines:
            expected = self._script.popleft() if self._script else "the end"
            if expected != f"> {line.decode()}":
                raise ScriptError(f"the hub said {line.decode()!r}, the script has {expected!r}")
            self._wake.set()
        return len(data)

    async def wait_writable(self) -> None:
        """A deaf engine never gets room."""
        await trio.sleep_forever()

    async def read(self) -> bytes:
        """Say the next line when its turn has come."""
        while True:
            await trio.lowlevel.checkpoint()
            if self._script and not self._script[0].startswith("> "):
                said = await self._perform(self._script.popleft())
                if said is not None:
                    return said
            elif self.exit_text:
                return b""
            else:
                self._wake = trio.Event()
                await self._wake.wait()

    async def _perform(self, line: str) -> bytes | None:
        kind, _, text = line.partition(" ")
        match kind:
            case "<":
                return text.encode() + b"\n"
            case "<-":
                return text.encode()
            case "~":
                await trio.sleep(float(text))
            case "!":
                self._stderr += text.encode() + b"\n"
            case "=":
                self.exit_text = text
                self._exited.set()
                return b""
            case _:
                raise ScriptError(f"not a line of a script: {line!r}")
        return None

    async def drain_stderr(self, note: Callable[[bytes], None]) -> None:
        """There is nothing to drain: `stderr_tail` has it all."""
        note(self._stderr)

    @property
    def stderr_tail(self) -> str:
        """What ``!`` lines said so far."""
        return self._stderr.decode()

    def shortage(self) -> str:
        """A script is never short of anything."""
        return ""

    async def wait_exit(self) -> None:
        """Wait for ``=``."""
        await self._exited.wait()

    def close_stdin(self) -> None:
        """The script says whether that ends the engine."""

    def signal_group(self, number: Signals) -> None:
        """Note the signal; SIGKILL ends it."""
        self.signals.append(number)
        if number is Signals.SIGKILL:
            self.exit_text = self.exit_text or "signal SIGKILL"
            self._exited.set()

    def dispose(self) -> None:
        """Note it."""
        self.disposed = True
