"""An alpha-beta search for two players, with the rules of the referee.

It uses iterative deepening and a transposition table. To *expand* a position, the search plays all moves and
evaluates the results. These static values order the moves. In games with hundreds of moves, the search leaves
out the moves with low static values. On the last ply, the search takes the static value, unless
`wins_this_turn` finds a win of the opponent. Values are for the seat to move.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable
from operator import itemgetter

from iteration import DECIDED, WIN, Iteration, OutOfTimeError
from knowledge import Knowledge

from protocol.engine import Turn
from referee import Move, Position

_INFINITE = 10 * WIN
_EXACT, _LOWER, _UPPER = 0, 1, 2
_DEEPEST = 40
_MAX_CACHED = 200_000  # children of expanded positions in memory, about 0.3 kB each

Child = tuple[int, Move, Position]
"""The static value of a move for the seat that makes it, the move, and the position after it."""

_static_value = itemgetter(0)


class Search:
    """A search for one game.

    Args:
        knowledge: the evaluation and the search widths of the game.
        entries: the maximum number of positions in the transposition table.
    """

    def __init__(self, knowledge: Knowledge, entries: int) -> None:
        self._knowledge = knowledge
        self._entries = entries
        self._table: dict[Hashable, tuple[int, int, int, Move]] = {}
        self._expanded: dict[Hashable, list[Child]] = {}
        self._cached = 0
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
        *,
        shuffle: bool,
    ) -> Move | None:
        """The best move of a position.

        Args:
            position: an unfinished position.
            seen: the keys of the game's positions so far; the search counts a repetition of one as a draw.
            turn: the request of the hub, which says when to stop and gets reports.
            shuffle: whether to choose at random among moves of equal value.
        """
        self._table.clear()  # its wins count plies from the root, so they are wrong for a new root
        self._expanded.clear()
        self._cached = self._nodes = 0
        self._path = set(seen)
        self._max_nodes, self._out_of_time = turn.nodes, turn.out_of_time
        children = self._expand(position, position.key())
        if shuffle:
            random.shuffle(children)
            children.sort(key=_static_value, reverse=True)
        self._best = children[0][1]
        if len(children) == 1 or children[0][0] == WIN:
            return self._best
        try:
            for depth in turn.depths(_DEEPEST):
                children, value = self._search_root(children, depth)
                Iteration(depth, value, self._nodes, self._line(children[0], depth)).report(turn)
                if abs(value) >= DECIDED:
                    break
        except OutOfTimeError:
            pass
        return self._best

    def _search_root(self, children: list[Child], depth: int) -> tuple[list[Child], int]:
        """The children with the best child first, and its value."""
        alpha, best = -_INFINITE, children[0]
        width = self._knowledge.width(depth)
        for number, child in enumerate(children):
            if alpha > -DECIDED and (number >= width or (depth == 1 and child[0] <= alpha)):
                break
            value = self._value_of(child, depth, alpha, _INFINITE, 1, first=number == 0)
            if value > alpha:
                alpha, best = value, child
                self._best = child[1]  # playable even if this iteration does not finish
        return [best, *(child for child in children if child is not best)], alpha

    def _value_of(self, child: Child, depth: int, alpha: int, beta: int, ply: int, *, first: bool) -> int:
        """The value of a move for the seat that makes it.

        Args:
            child: the move.
            depth: the plies to search, including this move.
            alpha, beta: the search window.
            ply: the plies from the root, including this move.
            first: whether the move is first in order. Other moves are first searched with a null window.
        """
        static_value, _, position = child
        if static_value >= WIN or static_value <= -WIN:
            return _delayed(static_value, ply)
        key = position.key()
        if key in self._path:
            return 0
        if depth == 1:
            wins = self._knowledge.wins_this_turn
            return _delayed(-WIN, ply + 1) if wins is not None and wins(position) else static_value
        if not first:
            value = -self._search(position, key, depth - 1, -alpha - 1, -alpha, ply)
            if not alpha < value < beta:
                return value
        return -self._search(position, key, depth - 1, -beta, -alpha, ply)

    def _search(self, position: Position, key: Hashable, depth: int, alpha: int, beta: int, ply: int) -> int:
        entry = self._table.get(key)
        hint = None
        if entry is not None:
            entry_depth, bound, value, hint = entry
            if entry_depth >= depth and (
                bound == _EXACT or (bound == _LOWER and value >= beta) or (bound == _UPPER and value <= alpha)
            ):
                return value
        children = self._expand(position, key)
        if not children:  # a draw: `_value_of` handles games that have a winner
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
        """The value of the best move, and the move. It searches ``hint``, the earlier best move, first."""
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
        """The best move of the last ply, with its value.

        It has the best static value of all moves after which the opponent cannot win immediately.
        """
        wins = self._knowledge.wins_this_turn
        best, move, _ = children[0]
        if wins is None or abs(best) >= WIN:
            return _delayed(best, ply), move
        for static_value, move, position in children:
            if static_value <= -WIN:
                break
            if not wins(position):
                return static_value, move
        return _delayed(-WIN, ply + 1), move

    def _expand(self, position: Position, key: Hashable) -> list[Child]:
        """All moves, sorted by static value, the best one first."""
        cached = self._expanded.get(key)
        if cached is not None:
            return cached
        out_of_nodes = self._max_nodes is not None and self._nodes > self._max_nodes
        if self._nodes and (out_of_nodes or self._out_of_time()):  # the root needs its moves in any case
            raise OutOfTimeError
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
        children.sort(key=_static_value, reverse=True)
        self._nodes += len(children)
        if self._cached < _MAX_CACHED:
            self._cached += len(children)
            self._expanded[key] = children
        return children

    def _line(self, child: Child, depth: int) -> list[str]:
        """The principal variation, from the transposition table."""
        _, move, position = child
        line = [str(move)]
        while len(line) < depth and (entry := self._table.get(position.key())) is not None:
            line.append(str(entry[3]))
            position = position.play(entry[3])
        return line


def _delayed(value: int, ply: int) -> int:
    """The value of a win or a loss at ``ply``: early wins and late losses are better."""
    if value >= WIN:
        return value - ply
    return value + ply if value <= -WIN else value
