"""What engines thought at each ply, as pages show it: their lines, and how far these agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

import msgspec

from arena.web.figures import grouped, speed_text, written
from protocol.wire.messages import Thought
from referee import MoveError, Position
from referee.follower import Follower
from referee.game import Notated, foreign_parser
from referee.ply import Ply

_MOVES_CHECKED: Final = 20
"""The most moves of a line: the rules check each."""

_LINE_PLIES: Final = 8
"""The plies of the lines beside a large board."""

_LONGEST_WORD: Final = 20  # the characters of a word that is no move


class Line(msgspec.Struct, frozen=True, omit_defaults=True):
    """The moves that an engine expected, its own first, as far as they are legal."""

    moves: tuple[str, ...] = ()
    illegal: str = ""  # the word after them that is no legal move; "" if there is none
    written: tuple[str, ...] = ()  # the moves as people write them; () if they write their texts


class ShownThought(msgspec.Struct, frozen=True, omit_defaults=True):
    """A `Thought` as texts, also for ``replay.js``; "" for what the engine did not report."""

    depth: str = ""
    nodes: str = ""
    speed: str = ""
    hash: str = ""
    line: Line = Line()

    def values(self) -> tuple[tuple[str, str], ...]:
        """Return the values before the line, with their names."""
        return ("depth", self.depth), ("nodes", self.nodes), ("speed", self.speed), ("hash", self.hash)


NO_THOUGHT: Final = ShownThought()


def shown_thoughts(
    players: int, plies: Sequence[Ply], positions: Sequence[Position] | None
) -> list[ShownThought]:
    """Return what was thought at each ply; ``positions`` has the position before each, None if unknown."""
    shown = []
    removed: dict[int, int] = {}
    for number, ply in enumerate(plies):
        line = Line()
        if positions is not None and ply.thought is not None and ply.thought.pv:
            line = checked_line(ply.thought.pv, _follower(positions[number], players, removed))
        if ply.is_removal:
            removed[ply.seat] = len(removed)
        shown.append(_shown(ply.depth, ply.thought or Thought(), line))
    return shown


def _follower(position: Position, players: int, removed: dict[int, int]) -> Follower:
    follower = Follower(position, players)
    follower.removed = removed.copy()
    return follower


def checked_line(pv: str, follower: Follower) -> Line:
    """Play a principal variation as far as its moves are legal, and return these in the game's own form."""
    parse = foreign_parser(follower.position)
    notated = isinstance(follower.position, Notated)
    moves: list[str] = []
    shown: list[str] = []
    for word in pv.split()[:_MOVES_CHECKED]:
        try:
            if follower.outcome is not None:
                raise MoveError("the game is over")
            before = follower.position
            move = parse(before, word)
            follower.play_parsed(move)
        except MoveError:
            return Line(tuple(moves), word[:_LONGEST_WORD], tuple(shown))
        moves.append(str(move))
        if notated:
            shown.append(written(before, move))
    return Line(tuple(moves), "", tuple(shown))


def _shown(depth: int | None, thought: Thought, line: Line) -> ShownThought:
    deepest = "" if thought.seldepth is None else f" / {thought.seldepth}"
    return ShownThought(
        "" if depth is None else f"{depth}{deepest}",
        "" if thought.nodes is None else grouped(thought.nodes),
        "" if thought.nps is None else speed_text(thought.nps),
        "" if thought.hashfull is None else f"{thought.hashfull / 10:.0f}\u202f%",
        line,
    )


@dataclass(frozen=True, slots=True)
class LineTable:
    """The last lines of all players under the same plies."""

    plies: range
    rows: tuple[tuple[str, ...], ...]  # of each seat; "" where it has no move
    looks: tuple[str, ...]  # of each ply: "same", "differs" at the first one that differs, or ""

    @property
    def same(self) -> int:
        """For how many plies the lines agree."""
        return self.looks.count("same")


def line_table(players: int, plies: Sequence[Ply], thoughts: Sequence[ShownThought]) -> LineTable | None:
    """Return the table; None without a line."""
    lines: dict[int, tuple[int, Line]] = {}
    for number, (ply, thought) in enumerate(zip(plies, thoughts, strict=True), 1):
        if ply.is_move:
            lines[ply.seat] = number, thought.line
    starts = [start for start, line in lines.values() if line.moves]
    if not starts:
        return None
    shown = range(min(starts), min(starts) + _LINE_PLIES)
    rows = [[""] * len(shown) for _ in range(players)]
    for seat, (start, line) in lines.items():
        for number, move in enumerate(line.written or line.moves, start):
            if number in shown:
                rows[seat][number - shown.start] = move
    looks: list[str] = []
    for moves in zip(*rows, strict=True):
        equal = len(set(moves)) == 1
        look = "" if "" in moves or "differs" in looks else "same" if equal else "differs"
        looks.append(look)
    return LineTable(shown, tuple(map(tuple, rows)), tuple(looks))


def agreements(players: int, plies: Sequence[Ply], thoughts: Sequence[ShownThought]) -> Iterator[str]:
    """Yield after each ply until which ply the last lines of all players have the same moves.

    It is "" as long as not every player has a line.
    """
    last: dict[int, tuple[int, int, Sequence[str]]] = {}  # of each seat: its ply, the moves before, the line
    moves = 0
    for number, (ply, thought) in enumerate(zip(plies, thoughts, strict=True), 1):
        if ply.is_move:
            last[ply.seat] = number, moves, thought.line.moves
            moves += 1
        yield _agreement(list(last.values())) if len(last) == players else ""


def _agreement(lines: Sequence[tuple[int, int, Sequence[str]]]) -> str:
    number, first, _ = max(lines)
    rests = [line[first - before :] for _, before, line in lines]
    if not all(rests):
        return ""
    same = len([*takewhile(lambda moves: len(set(moves)) == 1, zip(*rests, strict=False))])
    return f"They agree until ply {number + same - 1}." if same else f"They do not agree on ply {number}."
