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

_KNOWN: Final = frozenset({*BUILT_IN, "chess", "chess960"})
"""The games that all of them play. The random one also plays the games of plug-ins."""

PREFIX: Final = "sample:"  # before the name, at the start of a command


def expanded(command: tuple[str, ...]) -> tuple[str, ...]:
    """Replace the name of a sample engine at the start of a command; ValueError: there is no such engine."""
    if not command or not command[0].startswith(PREFIX):
        return command
    name = command[0].removeprefix(PREFIX)
    if name not in NAMES:
        advice = did_you_mean(name, NAMES)
        raise ValueError(f"there is no sample engine {name!a}{advice or '; use ' + ', '.join(NAMES)}")
    return (PYTHON, str(folder() / f"python-{name}" / "engine.py"), *command[1:])


def players(game_id: str) -> tuple[str, ...]:
    """Return the names of the sample engines that play a game, from the weakest to the strongest."""
    return NAMES if game_id in _KNOWN else NAMES[:1]


def folder() -> Path:
    """Return the folder of the engines."""
    return PACKAGED if PACKAGED.is_dir() else IN_CHECKOUT
