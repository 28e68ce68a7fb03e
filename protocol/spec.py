"""The configuration of an engine: command, options, timeouts, limits and sandbox."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

from protocol.wire.codec import Dialect

MARGIN: Final = 100
"""The default margin: how many milliseconds a move may exceed the clock without a loss on time."""

MIN_TIMEOUT: Final = 0.001
MAX_SECONDS: Final = 30 * 24 * 3600
"""The longest timeout and margin: 30 days. In nanoseconds it fits into 64 bits."""

MAX_BYTES: Final = 2**63 - 1
MAX_PROCESSES: Final = 2**22
"""The most processes on Linux."""

MAX_CPU_SECONDS: Final = 2**31 - 1
MAX_NAME: Final = 200
"""The most characters of an engine's name."""

Sync = Literal["move", "game"]
PositionForm = Literal["moves", "short", "fen"]
Sandbox = Literal["none", "folder", "bwrap"]


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long each state may last, in seconds (docs/reference/protocol.md, States and time-outs).

    A timeout counts for the whole state, not for each line.

    Raises:
        ValueError: a timeout is not from `MIN_TIMEOUT` to `MAX_SECONDS`.
    """

    handshake: float = 10.0
    first_ready: float = 60.0
    new_game: float = 20.0
    ready: float = 10.0
    write: float = 5.0
    drain: float = 2.0
    quit: float = 1.0
    terminate: float = 1.0

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if not MIN_TIMEOUT <= getattr(self, name) <= MAX_SECONDS:  # nan is not, either
                raise ValueError(
                    f"timeout {name} must be a positive number of seconds, from {MIN_TIMEOUT} to"
                    f" {MAX_SECONDS}"
                )


@dataclass(frozen=True, slots=True)
class ResourceLimits:
    """The resource limits of an engine; None for no limit.

    All limits except ``processes`` hold for each process that the engine starts.

    Attributes:
        memory: bytes of private writable memory per process.
        address_space: bytes of address space per process. Runtimes that reserve much (Java, Go, Node) fail.
        processes: number of processes and threads together.
        file_size: bytes of the largest file that it may write.
        cpu: seconds of processor time per process, for all its games together.
        core: bytes of a core dump. Unlike the others, it has a limit by default.

    Raises:
        ValueError: a limit is below 1 (``core``: below 0), or too large.
    """

    memory: int | None = None
    address_space: int | None = None
    processes: int | None = None
    file_size: int | None = None
    cpu: int | None = None
    core: int | None = 0

    def __post_init__(self) -> None:
        for name in self.__slots__:
            value = getattr(self, name)
            if value is not None and value < (name != "core"):
                raise ValueError(f"limit {name} is too small: {value}")
            if value is not None and value > _MOST.get(name, MAX_BYTES):
                raise ValueError(f"limit {name} is more than {_MOST.get(name, MAX_BYTES)}")


_MOST: Final = {"processes": MAX_PROCESSES, "cpu": MAX_CPU_SECONDS}
"""The largest values of limits that are not bytes."""


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """The configuration of one engine.

    Attributes:
        name: its name in tables and messages; unique in a tournament.
        command: program and arguments, run without a shell.
        cwd: its working directory; None for the referee's own.
        env: environment variables to add.
        dialect: ``ugi``; ``uci`` for a chess engine that speaks UCI; ``uai`` for an engine of
            Ataxx; ``xboard`` for a chess engine that speaks CECP.
        options: values to set by ``setoption`` before the first ``isready``. Each must be an option that the
            engine advertises, with a value that it takes.
        force_options: send the options as they are, whatever the engine advertises.
        position: what is sent for a position, unless the engine announces ``fen`` or ``delta``: ``moves`` for
            the start and all moves; ``short`` for the position after the last irreversible move, and the
            moves since; ``fen`` for the position alone.
        sync: ``move`` sends ``isready`` before every ``go``; ``game`` only at the start of a game.
        margin: how many milliseconds a move may exceed the clock without a loss on time.
        timeouts: time limits of the states outside a search.
        limits: its resource limits.
        sandbox: ``none`` for no sandbox; ``folder`` for an empty folder of its own and a minimal environment;
            ``bwrap`` for both under bubblewrap, which hides files, processes and the network.
        readable: folders and files that an engine under bubblewrap sees besides its program's folder.

    Raises:
        ValueError: the name is empty, longer than `MAX_NAME` or has control characters; the command is empty;
            the margin is negative or longer than `MAX_SECONDS`; a variable of the environment has an
            impossible name; or there is a null character somewhere.
    """

    name: str
    command: tuple[str, ...]
    cwd: str | None = None
    env: dict[str, str] = field(default_factory=dict)
    dialect: Dialect = "ugi"
    options: dict[str, str] = field(default_factory=dict)
    force_options: bool = False
    position: PositionForm = "short"
    sync: Sync = "move"
    margin: int = MARGIN
    timeouts: Timeouts = field(default_factory=Timeouts)
    limits: ResourceLimits = field(default_factory=ResourceLimits)
    sandbox: Sandbox = "none"
    readable: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.name or not self.name.isprintable():
            raise ValueError("an engine's name must be printable and not empty")
        if len(self.name) > MAX_NAME:
            raise ValueError(f"an engine's name must have at most {MAX_NAME} characters")
        if not self.command or not self.command[0]:
            raise ValueError(f"engine {self.name}: the command is empty")
        if self.margin < 0:
            raise ValueError(f"engine {self.name}: the margin must not be negative")
        if self.margin > MAX_SECONDS * 1000:
            raise ValueError(
                f"engine {self.name}: the margin must be at most {MAX_SECONDS * 1000} milliseconds"
            )
        if any(not name or "=" in name for name in self.env):
            raise ValueError(f"engine {self.name}: an environment variable has no name, or a name with =")
        for text in (*self.command, self.cwd or "", *self.env, *self.env.values(), *self.readable):
            if "\0" in text:
                raise ValueError(f"engine {self.name}: a null character cannot be in {text[:80]!a}")
        for text in (word for option in self.options.items() for word in option):
            if not text.isprintable():
                raise ValueError(f"engine {self.name}: the option {text[:80]!a} is not one printable line")
