"""Ties: what decides between engines with equal points, in the order that the file gives."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import groupby
from math import inf
from typing import Final

from arena.model import PlayerRecord
from arena.scoring import EndedGame, was_played

TIES: Final = {
    "direct": "direct encounter",
    "sonneborn-berger": "Sonneborn-Berger",
    "time": "time used",
    "game": "deciding game",
    "lot": "lot",
}
"""The tie-breaks: their words in the file, and in tables."""

SEED: Final = "seed"
"""What decides in the end: the order in which the engines entered."""

TieValues = Callable[[str, list[str]], Mapping[str, float] | None]
"""Returns a tie-break's values of tied engines, the larger the better; None while a game is missing.

Each is at most one division of whole numbers, so that equal values are equal floats.
"""


def settle(tied: Sequence[str], ties: Sequence[str], values: TieValues) -> list[tuple[str, str]]:
    """Order engines with equal points, best first, each with what decided, in words; "" for a single one.

    They are given in the order of their seeds.
    """
    if len(tied) == 1:
        return [(tied[0], "")]
    for index, tie in enumerate(ties):
        of_name = values(tie, list(tied))
        if of_name is None:
            return [(name, f"{TIES[tie]} to come") for name in tied]
        if len(set(of_name.values())) > 1:
            order = sorted(tied, key=lambda name: -of_name[name])
            groups = [(value, list(names)) for value, names in groupby(order, key=of_name.__getitem__)]
            return [
                (name, by or _words(tie, value))
                for value, names in groups
                for name, by in settle(names, ties[index:], values)  # the direct encounter counts anew
            ]
    return [(name, SEED) for name in tied]


def _words(tie: str, value: float) -> str:
    if tie == "lot":
        return TIES[tie]
    if tie == "time":
        return "no game played" if value == -inf else f"{TIES[tie]} {abs(value):.3f} s a game"
    return f"{TIES[tie]} {value:g}"


def common_values(tie: str, tied: Iterable[str], results: Iterable[EndedGame], lots: str) -> dict[str, float]:
    """Return the values of the time used in games, or of lots; 0 for any other tie-break.

    That of the time is the negated mean of the seconds in games that were played; ``lots`` is what lots
    depend on, besides the name.
    """
    if tie == "lot":
        return {name: int.from_bytes(sha256(f"{lots}:{name}".encode()).digest()[:6]) + 0.0 for name in tied}
    times: defaultdict[str, list[int]] = defaultdict(list)
    for result in results if tie == "time" else ():
        if was_played(result.players):
            for player in result.players:
                if isinstance(player, PlayerRecord):  # see `Plan.games`
                    times[player.name].append(player.time_used)
    none = -inf if tie == "time" else 0.0
    return {name: -sum(times[name]) / (len(times[name]) * 10**9) if times[name] else none for name in tied}
