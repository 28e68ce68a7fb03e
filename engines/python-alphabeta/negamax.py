"""Alpha-beta for two players, on the referee's positions: iterative deepening, a transposition table.

A position that is opened has all its moves played and valued at sight. The best at sight are searched first;
in games that have hundreds of moves the others are left out; and on the last ply the value at sight is the
value. Values are for the seat to move.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable
from operator import itemgetter
from typing import NamedTuple

from knowledge import Knowledge

from protocol.engine import Turn
from referee import Move, Position

WIN = 1_000_000
DECIDED = WIN - 10_000  # beyond it a value is a forced win, less the plies until then
_INFINITE = 10 * WIN
_EXACT, _LOWER, _UPPER = 0, 1, 2
_DEEPEST = 40
_MOST_OPENED = 200_000  # children kept, about 0.3 kB each

Child = tuple[int, Move, Position]
"""Its value at sight for the seat that moves there, the move, the position after it."""

_at_sight = itemgetter(0)


class Found(NamedTuple):
    """What a finished iteration knows: the value, and the moves expected."""

    depth: int
    value: int
    nodes: int
    line: list[str]


class _OutOfTimeError(Exception):
    """Unwinds the search."""


class Search:
    """A search of one game.

    Args:
        knowledge: what is known of the game.
        entries: positions that the transposition table holds at most.
    """

    def __init__(self, knowledge: Knowledge, entries: int) -> None:
        self._knowledge = knowledge
        self._entries = entries
        self._table: dict[Hashable, tuple[int, int, int, Move]] = {}
        self._opened: dict[Hashable, list[Child]] = {}
        self._kept = 0
        self._path: set[Hashable] = set()
        self._nodes = 0
        self._max_nodes: int | None = None
        self._out_of_time: Callable[[], bool] = bool
        self._best: Move | None = None

    def run(
        self,
        position: Position,
        seen: set[Hashable],
        turn: Turn,
        report: Callable[[Found], None],
        *,
        shuffle: bool,
    ) -> Move | None:
        """The best move.

        Args:
            position: one in which the game goes on.
            seen: keys of the game's positions up to now; to come back to one is taken for a draw.
            turn: what the hub has asked; says when to stop.
            report: told of each finished iteration.
            shuffle: choose by chance among equals.
        """
        self._table.clear()  # wins are counted from the position that is searched: another one's are wrong
        self._opened.clear()
        self._kept = self._nodes = 0
        self._path = set(seen)
        self._max_nodes, self._out_of_time = turn.nodes, turn.out_of_time
        children = self._open(position, position.key())
        if shuffle:
            random.shuffle(children)
            children.sort(key=_at_sight, reverse=True)
        self._best = children[0][1]
        if len(children) == 1 or children[0][0] == WIN:
            return self._best
        try:
            for depth in turn.depths(_DEEPEST):
                children, value = self._search_root(children, depth)
                report(Found(depth, value, self._nodes, self._line(children[0], depth)))
                if abs(value) >= DECIDED:
                    break
        except _OutOfTimeError:
            pass
        return self._best

    def _search_root(self, children: list[Child], depth: int) -> tuple[list[Child], int]:
        """The children with the best one in front, and its value."""
        alpha, best = -_INFINITE, children[0]
        width = self._knowledge.width(depth)
        for number, child in enumerate(children):
            if alpha > -DECIDED and (number >= width or (depth == 1 and child[0] <= alpha)):
                break
            value = self._value_of(child, depth, alpha, _INFINITE, 1, first=number == 0)
            if value > alpha:
                alpha, best = value, child
                self._best = child[1]  # the first is the best of the iteration before: safe to play
        return [best, *(child for child in children if child is not best)], alpha

    def _value_of(self, child: Child, depth: int, alpha: int, beta: int, ply: int, *, first: bool) -> int:
        """What a move is worth to the seat that makes it.

        Args:
            child: the move.
            depth: plies to search, this one included.
            alpha, beta: the window.
            ply: how many there are from the root, this one included.
            first: whether it is expected to be the best; others only have to be proved worse.
        """
        at_sight, _, position = child
        if at_sight >= WIN or at_sight <= -WIN:
            return _later(at_sight, ply)
        key = position.key()
        if key in self._path:
            return 0
        if depth == 1:
            wins = self._knowledge.wins_at_once
            return _later(-WIN, ply + 1) if wins is not None and wins(position) else at_sight
        if not first:
            value = -self._search(position, key, depth - 1, -alpha - 1, -alpha, ply)
            if not alpha < value < beta:
                return value
        return -self._search(position, key, depth - 1, -beta, -alpha, ply)

    def _search(self, position: Position, key: Hashable, depth: int, alpha: int, beta: int, ply: int) -> int:
        entry = self._table.get(key)
        hint = None
        if entry is not None:
            known_depth, bound, value, hint = entry
            if known_depth >= depth and (
                bound == _EXACT or (bound == _LOWER and value >= beta) or (bound == _UPPER and value <= alpha)
            ):
                return value
        children = self._open(position, key)
        if not children:  # a game that has ended with a winner never gets here, so it is a draw
            return 0
        if depth == 1:
            best, move = self._last_ply(children, ply + 1)
        else:
            self._path.add(key)
            try:
                best, move = self._best_of(children, hint, depth, alpha, beta, ply + 1)
            finally:
                self._path.discard(key)
        bound = _UPPER if best <= alpha else _LOWER if best >= beta else _EXACT
        if entry is not None or len(self._table) < self._entries:
            self._table[key] = (depth, bound, best, move)
        return best

    def _best_of(
        self, children: list[Child], hint: Move | None, depth: int, alpha: int, beta: int, ply: int
    ) -> tuple[int, Move]:
        """The value of the best move, and the move; ``hint``, which was the best before, is tried first."""
        best, best_move = -_INFINITE, children[0][1]
        if hint is not None and children[0][1] != hint:
            front = [child for child in children if child[1] == hint]
            children = front + [child for child in children if child[1] != hint]
        width = self._knowledge.width(depth)
        for number, child in enumerate(children):
            if number >= width and best > -DECIDED:
                break
            value = self._value_of(child, depth, alpha, beta, ply, first=number == 0)
            if value > best:
                best, best_move = value, child[1]
                if best >= beta:
                    break
                alpha = max(alpha, best)
        return best, best_move

    def _last_ply(self, children: list[Child], ply: int) -> tuple[int, Move]:
        """The same for the last ply: the best at sight after which the opponent does not win at once."""
        wins = self._knowledge.wins_at_once
        best, move, _ = children[0]
        if wins is None or abs(best) >= WIN:
            return _later(best, ply), move
        for at_sight, move, position in children:
            if at_sight <= -WIN:
                break
            if not wins(position):
                return at_sight, move
        return _later(-WIN, ply + 1), move

    def _open(self, position: Position, key: Hashable) -> list[Child]:
        """All moves, the best at sight first."""
        known = self._opened.get(key)
        if known is not None:
            return known
        out_of_nodes = self._max_nodes is not None and self._nodes > self._max_nodes
        if self._nodes and (out_of_nodes or self._out_of_time()):  # the root's moves are needed in any case
            raise _OutOfTimeError
        evaluate, mover = self._knowledge.evaluate, position.turn
        sign = -1 if mover else 1
        children = []
        for move in position.legal_moves():
            after = position.play(move)
            outcome = after.outcome()
            if outcome is None:
                children.append((sign * evaluate(after), move, after))
            else:
                winner = outcome.winner
                children.append((0 if winner is None else WIN if winner == mover else -WIN, move, after))
        children.sort(key=_at_sight, reverse=True)
        self._nodes += len(children)
        if self._kept < _MOST_OPENED:
            self._kept += len(children)
            self._opened[key] = children
        return children

    def _line(self, child: Child, depth: int) -> list[str]:
        """The moves that the table expects."""
        _, move, position = child
        line = [str(move)]
        while len(line) < depth and (entry := self._table.get(position.key())) is not None:
            line.append(str(entry[3]))
            position = position.play(entry[3])
        return line


def _later(value: int, ply: int) -> int:
    """A win is worth the less the later it comes, a loss the more."""
    if value >= WIN:
        return value - ply
    return value + ply if value <= -WIN else value
