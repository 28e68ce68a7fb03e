"""How an engine is started and spoken to: the part of its configuration that the client needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

from protocol.wire.codec import Dialect

__all__ = ["MARGIN", "EngineSpec", "ResourceLimits", "Sandbox", "Sync", "Timeouts"]

MARGIN: Final = 100
"""Milliseconds past a clock that are forgiven when nobody says how many."""

Sync = Literal["move", "game"]
Sandbox = Literal["none", "folder", "bwrap"]


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long each state may last, in seconds, in total and not per line (PROTOCOL, States and time-outs).

    Raises:
        ValueError: for a limit that is not positive.
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
    """What an engine may use; None for no limit. Every process that it starts has the same limits for itself.

    Attributes:
        memory: bytes of private memory that can be written to, a process.
        address_space: bytes of address space, a process; runtimes that reserve much (Java, Go, Node) fail.
        processes: processes and threads together.
        file_size: bytes of the largest file that it may write.
        cpu: seconds of computing in the life of a process, all its games together.
        core: bytes of a core dump; unlike the others it has a limit by default.

    Raises:
        ValueError: for a limit below 1 (``core``: below 0).
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
    """One engine as its user configured it.

    Attributes:
        name: what the tables call it; unique in a tournament.
        command: program and arguments; no shell.
        cwd: the directory it is started in; None for the referee's own.
        env: added to the environment.
        dialect: ``ugi``, or ``uci`` for engines of that family.
        options: set by ``setoption`` before the first ``isready``, when the engine advertises them.
        sync: ``move`` sends ``isready`` before every ``go``; ``game`` only at the start of a game.
        margin: milliseconds past its clock that are forgiven.
        timeouts: limits of the states outside a search.
        limits: what it may use.
        sandbox: ``none``: it runs as we do; ``folder``: in an empty folder of its own and with the least
            environment; ``bwrap``: also behind the walls of bubblewrap.
        readable: folders and files that an engine under bubblewrap sees beside its program's folder.

    Raises:
        ValueError: for an empty name or command, a name with control characters, a negative margin.
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
