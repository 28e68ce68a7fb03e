"""What the levels of each game are worth, as `benchmarks/level_strengths.py` measured it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import msgspec


@dataclass(frozen=True, slots=True)
class Scale:
    """The Elo of each level of a game, level 1 first and 0, and the share of draws among all their games."""

    elo: tuple[float, ...]
    draws: float


@cache
def scales() -> dict[str, Scale]:
    """Return the measured scales by game id."""
    text = Path(__file__).with_name("levels.json").read_bytes()
    return msgspec.json.decode(text, type=dict[str, Scale])
