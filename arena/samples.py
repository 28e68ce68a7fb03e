"""The sample engines by name: ``sample:greedy`` is a command, from a wheel and a checkout alike."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from protocol.process.program import PYTHON
from protocol.words import did_you_mean
from referee.registry import BUILT_IN

PACKAGED: Final = Path(__file__).parent / "sample_engines"
"""Where a wheel has the engines."""

IN_CHECKOUT: Final = Path(__file__).parents[1] / "engines"

NAMES: Final = ("random", "greedy", "alphabeta")
"""From the weakest to the strongest. They need nothing but the Python of arena."""

_PROGRAMS: Final = (*NAMES, "llm")
"""With the one that needs an endpoint of a language model."""

_KNOWN: Final = frozenset({*BUILT_IN, "chess", "chess960"})
"""The games that all of them play. The random one also plays the games of plug-ins."""

PREFIX: Final = "sample:"  # before the name, at the start of a command
LEVEL: Final = "level:"  # the same before the number of a level
HIGHEST_LEVEL: Final = 8


def is_sample(program: str) -> bool:
    """Return whether the first word of a command names an engine of arena."""
    return program.startswith((PREFIX, LEVEL))


def expanded(command: tuple[str, ...]) -> tuple[str, ...]:
    """Replace the name of a sample engine or a level at the start of a command; ValueError: it is unknown."""
    if not command or not is_sample(command[0]):
        return command
    if command[0].startswith(LEVEL):
        level = command[0].removeprefix(LEVEL)
        if level not in map(str, range(1, HIGHEST_LEVEL + 1)):
            raise ValueError(f"there is no level {level!a}; use {LEVEL}1 to {LEVEL}{HIGHEST_LEVEL}")
        return (PYTHON, _levels(), level, *command[1:])
    name = command[0].removeprefix(PREFIX)
    if name not in _PROGRAMS:
        advice = did_you_mean(name, _PROGRAMS)
        raise ValueError(f"there is no sample engine {name!a}{advice or '; use ' + ', '.join(_PROGRAMS)}")
    return (PYTHON, str(folder() / f"python-{name}" / "engine.py"), *command[1:])


def level_of(command: tuple[str, ...]) -> int | None:
    """Return the number of the level that an expanded command starts; None if it starts another program."""
    return int(command[2]) if command[1:2] == (_levels(),) else None


def _levels() -> str:
    """Return the path of the program of all levels."""
    return str(folder() / "python-alphabeta/levels.py")


def players(game_id: str) -> tuple[str, ...]:
    """Return the names of the sample engines that play a game, from the weakest to the strongest."""
    return NAMES if game_id in _KNOWN else NAMES[:1]


def folder() -> Path:
    """Return the folder of the engines."""
    return PACKAGED if PACKAGED.is_dir() else IN_CHECKOUT
