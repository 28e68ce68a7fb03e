"""How an engine is started and spoken to: the part of its configuration that the client needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

__all__ = ["EngineSpec", "Timeouts"]


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

    Raises:
        ValueError: for an empty name or command, a name with control characters, a negative margin.
    """

    name: str
    command: tuple[str, ...]
    cwd: str | None = None
    env: dict[str, str] = field(default_factory=dict)
    dialect: Literal["ugi", "uci"] = "ugi"
    options: dict[str, str] = field(default_factory=dict)
    sync: Literal["move", "game"] = "move"
    margin: int = 100
    timeouts: Timeouts = field(default_factory=Timeouts)

    def __post_init__(self) -> None:
        if not self.name or not self.name.isprintable():
            raise ValueError("an engine's name must be printable and not empty")
        if not self.command or not self.command[0]:
            raise ValueError(f"engine {self.name}: the command is empty")
        if self.margin < 0:
            raise ValueError(f"engine {self.name}: the margin must not be negative")
