"""The configuration of an engine: command, options, timeouts, limits and sandbox."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

from protocol.wire.codec import Dialect

__all__ = ["MARGIN", "EngineSpec", "ResourceLimits", "Sandbox", "Sync", "Timeouts"]

MARGIN: Final = 100
"""The default margin: how many milliseconds a move may exceed the clock without a loss on time."""

Sync = Literal["move", "game"]
Sandbox = Literal["none", "folder", "bwrap"]


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long each state may last, in seconds (docs/reference/protocol.md, States and time-outs).

    A timeout counts for the whole state, not for each line.

    Raises:
        ValueError: a timeout is not positive.
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
            if not getattr(self, name) > 0:
                raise ValueError(f"timeout {name} must be a positive number of seconds")


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
        ValueError: a limit is below 1 (``core``: below 0).
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


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """The configuration of one engine.

    Attributes:
        name: its name in tables and messages; unique in a tournament.
        command: program and arguments, run without a shell.
        cwd: its working directory; None for the referee's own.
        env: environment variables to add.
        dialect: ``ugi``, or ``uci`` for a chess engine that speaks UCI.
        options: values to set by ``setoption`` before the first ``isready``, if the engine advertises them.
        sync: ``move`` sends ``isready`` before every ``go``; ``game`` only at the start of a game.
        margin: how many milliseconds a move may exceed the clock without a loss on time.
        timeouts: time limits of the states outside a search.
        limits: its resource limits.
        sandbox: ``none`` for no sandbox; ``folder`` for an empty folder of its own and a minimal environment;
            ``bwrap`` for both under bubblewrap, which hides files, processes and the network.
        readable: folders and files that an engine under bubblewrap sees beside its program's folder.

    Raises:
        ValueError: the name or the command is empty, the name has control characters, or the margin is
            negative.
    """

    name: str
    command: tuple[str, ...]
    cwd: str | None = None
    env: dict[str, str] = field(default_factory=dict)
    dialect: Dialect = "ugi"
    options: dict[str, str] = field(default_factory=dict)
    sync: Sync = "move"
    margin: int = MARGIN
    timeouts: Timeouts = field(default_factory=Timeouts)
    limits: ResourceLimits = field(default_factory=ResourceLimits)
    sandbox: Sandbox = "none"
    readable: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.name or not self.name.isprintable():
            raise ValueError("an engine's name must be printable and not empty")
        if not self.command or not self.command[0]:
            raise ValueError(f"engine {self.name}: the command is empty")
        if self.margin < 0:
            raise ValueError(f"engine {self.name}: the margin must not be negative")
