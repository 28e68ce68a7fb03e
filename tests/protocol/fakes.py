"""Fakes: two joined sessions, and a scripted engine without a process."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from signal import Signals

import trio

from protocol.wire.codec import Dialect
from protocol.wire.messages import Command, Reply
from protocol.wire.session import Role, Session


class ScriptError(AssertionError):
    """The hub said something that the script does not expect."""


class SessionPair:
    """A hub's session and an engine's session. Each message arrives at the other side immediately."""

    def __init__(self, dialect: Dialect = "ugi") -> None:
        self.hub = Session(Role.HUB, dialect)
        self.engine = Session(Role.ENGINE, dialect)

    def hub_says(self, *messages: Command) -> None:
        """Send messages from the hub, and check that the engine receives the same."""
        self._carry(self.hub, self.engine, messages)

    def engine_says(self, *messages: Reply) -> None:
        """Send messages from the engine, and check that the hub receives the same."""
        self._carry(self.engine, self.hub, messages)

    @staticmethod
    def _carry(sender: Session, receiver: Session, messages: tuple[Command | Reply, ...]) -> None:
        for message in messages:
            receiver.receive_data(sender.send(message))
            received = receiver.next_event()
            assert received == message, f"{message} arrived as {received}"
        assert receiver.next_event() is None
        assert sender.state is receiver.state, (sender.state, receiver.state)


class ScriptedEngine:
    r"""A fake engine that follows a script: a transport for `protocol.hub.client.EngineClient`.

    Each line of the script is one step:

    - ``> text``: the hub must send this line next.
    - ``< text``: the engine prints this line; ``<- text`` prints it without a newline.
    - ``~ seconds``: a pause.
    - ``! text``: the engine prints this line to standard error.
    - ``= text``: the process ends with this exit text, for example ``= exit code 0``.

    Empty lines are ignored. ``deaf_after`` is how many bytes the engine reads before it stops reading.
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
        assert not self._script, f"the script stopped before {self._script[0]!r}"

    # --- the transport

    def write_now(self, data: bytes) -> int:
        if self.exit_text:
            raise BrokenPipeError
        if self._room is not None:
            data = data[: self._room]
            self._room -= len(data)
        *lines, self._partial = (self._partial + data).split(b"\n")
        for line in lines:
            expected = self._script.popleft() if self._script else "the end"
            if expected != f"> {line.decode()}":
                raise ScriptError(f"the hub sent {line.decode()!r}, but the script has {expected!r}")
            self._wake.set()
        return len(data)

    async def wait_writable(self) -> None:
        await trio.sleep_forever()

    async def read(self) -> bytes:
        while True:
            await trio.lowlevel.checkpoint()
            if self._script and not self._script[0].startswith("> "):
                output = await self._perform(self._script.popleft())
                if output is not None:
                    return output
            elif self.exit_text:
                return b""
            else:
                self._wake = trio.Event()
                await self._wake.wait()

    def read_soon(self, seconds: float) -> bytes | None:
        return None  # a script takes its time

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
        note(self._stderr)

    @property
    def stderr_tail(self) -> str:
        return self._stderr.decode()

    def set_alarm(self, alarm: trio.CancelScope, seconds: float) -> None:
        alarm.deadline = trio.current_time() + seconds

    excused = None  # a script has no lag

    def shortage(self, *, greeted: bool) -> None:
        pass

    async def wait_exit(self) -> None:
        await self._exited.wait()

    def close_stdin(self) -> None:
        pass

    def signal_group(self, number: Signals) -> None:
        self.signals.append(number)
        if number is Signals.SIGKILL:
            self.exit_text = self.exit_text or "signal SIGKILL"
            self._exited.set()

    def dispose(self) -> None:
        self.disposed = True
