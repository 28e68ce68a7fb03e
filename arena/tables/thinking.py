"""How fast and how deep engines searched, by what they reported of their moves."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from arena.model import PlayerRecord
from arena.tables.text_table import TextTable, numbered
from protocol.wire.messages import Thought
from referee.ply import Ply

_SPANS: Final = (10**7, 10**8, 10**9, 10**10)
"""The times in nanoseconds that part moves into spans."""

_COLUMNS: Final = ("<0.01 s", "<0.1 s", "<1 s", "<10 s", "longer")

_NOTE: Final = (
    "Order: name. Engines that report nothing of their searches are not listed. Moves: those with a report."
    " Depth: the mean; after the speed, the mean of moves that took less than this time. nodes/s: by the"
    " clock."
)


@dataclass(slots=True)
class Thinking:
    """What one engine reported: sums over its moves."""

    moves: int = 0  # with a depth or nodes
    nodes: int = 0
    time: int = 0  # nanoseconds of the moves with nodes
    depths: list[int] = field(default_factory=lambda: [0] * len(_COLUMNS))  # by the span of the time
    deep: list[int] = field(default_factory=lambda: [0] * len(_COLUMNS))  # the moves with a depth, likewise

    def add(self, ply: Ply) -> None:
        """Count a move with a report."""
        self.moves += 1
        if ply.depth is not None:
            span = bisect_right(_SPANS, ply.time)
            self.depths[span] += ply.depth
            self.deep[span] += 1
        if ply.thought is not None and ply.thought.nodes is not None and ply.time:
            self.nodes += ply.thought.nodes
            self.time += ply.time

    @property
    def depth(self) -> float | None:
        """The mean depth; None without one."""
        moves = sum(self.deep)
        return sum(self.depths) / moves if moves else None

    @property
    def speed(self) -> float | None:
        """Nodes a second of the clock; None without nodes."""
        return self.nodes / self.time * 1e9 if self.time else None

    @property
    def by_time(self) -> list[float | None]:
        """The mean depth of the moves in each span of time."""
        return [total / moves if moves else None for total, moves in zip(self.depths, self.deep, strict=True)]


class ThinkingCollector:
    """Collects what engines reported, by the name of the engine."""

    def __init__(self) -> None:
        self.engines: defaultdict[str, Thinking] = defaultdict(Thinking)

    def add(self, players: tuple[PlayerRecord, ...], moves: Iterable[Ply]) -> None:
        """Count the moves of one game."""
        for ply in moves:
            usage = "" if ply.thought is None else ply.thought.usage
            if ply.depth is not None or ply.thought not in (None, Thought(usage=usage)):
                self.engines[players[ply.seat].name].add(ply)

    def table(self, game: str) -> TextTable:
        """Return the table; ``game`` is the game id of the games, or ""."""
        rows = [
            (
                name,
                str(thinking.moves),
                _mean(thinking.depth),
                "" if thinking.speed is None else f"{thinking.speed:.0f}",
                *map(_mean, thinking.by_time),
            )
            for name, thinking in sorted(self.engines.items())
        ]
        return numbered(game, "thinking", ("engine", "moves", "depth", "nodes/s", *_COLUMNS), rows, _NOTE)

    def data(self) -> list[dict[str, object]]:
        """Return the engines for programs; ``below`` is the end of a span of time in nanoseconds."""
        return [
            {
                "engine": name,
                "moves": thinking.moves,
                "depth": thinking.depth,
                "nodes": thinking.nodes,
                "nps": thinking.speed,
                "depths": [
                    {"below": end, "moves": moves, "depth": depth}
                    for end, moves, depth in zip(
                        (*_SPANS, None), thinking.deep, thinking.by_time, strict=True
                    )
                ],
            }
            for name, thinking in sorted(self.engines.items())
        ]


def _mean(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"


_USAGE_NOTE: Final = (
    "Order: engine, then the order of its reports. What moves took by the engine's own report, which counts"
    " only moves that were played."
)


class UsageCollector:
    """Collects what moves took, such as tokens, by the name of the engine and the word for it."""

    def __init__(self) -> None:
        self.totals: defaultdict[tuple[str, str], float] = defaultdict(float)
        self.moves: Counter[tuple[str, str]] = Counter()
        self.games: Counter[tuple[str, str]] = Counter()

    def add(self, players: tuple[PlayerRecord, ...], moves: Iterable[Ply]) -> None:
        """Count the moves of one game."""
        keys: dict[tuple[str, str], None] = {}
        for ply in moves:
            if ply.thought is None or not ply.thought.usage:
                continue
            words = ply.thought.usage.split()
            for name, number in zip(words[::2], words[1::2], strict=True):
                key = players[ply.seat].name, name
                keys[key] = None
                self.totals[key] += float(number)
                self.moves[key] += 1
        self.games.update([*keys])

    def table(self, game: str) -> TextTable:
        """Return the table; ``game`` is the game id of the games, or ""."""
        rows = [
            (row["engine"], row["what"], *(f"{row[column]:.6g}" for column in ("total", "a_game", "a_move")))
            for row in self.data()
        ]
        return numbered(game, "usage", ("engine", "what", "total", "a game", "a move"), rows, _USAGE_NOTE)

    def data(self) -> list[dict[str, Any]]:
        """Return the sums and the means of games and moves with a report, for programs."""
        keys = sorted(self.totals, key=lambda key: key[0])
        return [
            {
                "engine": key[0],
                "what": key[1],
                "games": self.games[key],
                "moves": self.moves[key],
                "total": self.totals[key],
                "a_game": self.totals[key] / self.games[key],
                "a_move": self.totals[key] / self.moves[key],
            }
            for key in keys
        ]
