"""What the levels of each game are worth, as `benchmarks/level_strengths.py` measured it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import msgspec

from arena import samples


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


def check_level(command: Sequence[str], game_id: str) -> None:
    """Raise a ValueError if a command is a level that a game does not have."""
    if not command[0].startswith(samples.LEVEL):
        return
    scale = scales().get(game_id)
    if scale is None:
        raise ValueError(f"{game_id} has no levels; take a sample engine, such as {samples.PREFIX}greedy")
    level, most = command[0].removeprefix(samples.LEVEL), len(scale.elo)
    if level not in map(str, range(1, most + 1)):
        raise ValueError(f"{game_id} has no level {level!a}; use {samples.LEVEL}1 to {samples.LEVEL}{most}")
