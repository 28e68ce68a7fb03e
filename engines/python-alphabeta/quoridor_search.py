"""An alpha-beta search for Quoridor, with iterative deepening and a transposition table.

Values are for the seat that searches. It maximises and all other seats minimise (paranoid search). A step is
worth 100.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from iteration import DECIDED, WIN, Iteration, OutOfTimeError
from quoridor_board import ACROSS, BIT, GOALS, MAX_CACHED, PASS, Board, Walls, move_text

from protocol.engine import Turn

INFINITE = 10 * WIN
_EXACT, _LOWER, _UPPER = 0, 1, 2
_DEEPEST = 40
_WALL = 120  # a wall in hand, which will cost a rival a step or two
_TEMPO = 50  # the right to move
_RACE = 600  # the player who is ahead cannot be delayed, because no rival has walls


class Search:
    """A search for one game. It keeps sets of walls with their paths for the next moves.

    Args:
        entries: the maximum number of positions in the transposition table.

    Attributes:
        cache: the sets of walls by key, for `Board.parse`.
    """

    def __init__(self, entries: int) -> None:
        self.cache: dict[int, Walls] = {}
        self._entries = entries
        self._table: dict[int, tuple[int, int, int, int]] = {}
        self._killers: list[int] = []
        self._seen: frozenset[int] = frozenset()
        self._seat = 0
        self._rivals: list[int] = []
        self._partial = -1
        self._nodes = 0
        self._max_nodes: int | None = None
        self._out_of_time: Callable[[], bool] = bool

    def run(
        self,
        board: Board,
        seen: frozenset[int],
        turn: Turn,
        *,
        shuffle: bool,
    ) -> int:
        """The best move of a position.

        Args:
            board: the position.
            seen: the keys of the game's positions so far; the value of a repetition is 0.
            turn: the request of the hub, which says when to stop and gets reports.
            shuffle: whether to choose at random among moves of equal value.
        """
        if len(self.cache) > MAX_CACHED // 2:
            self.cache.clear()
        self._table.clear()  # its wins count plies from the root, so they are wrong for a new root
        self._seat, self._seen = board.turn, seen
        self._rivals = [
            seat for seat in range(len(board.pawns)) if seat != board.turn and seat not in board.out
        ]
        self._nodes, self._max_nodes, self._out_of_time = 0, turn.nodes, turn.out_of_time
        self._killers = [-1] * (_DEEPEST + 1)
        moves = self._root_moves(board)
        best = moves[0]
        if len(moves) == 1:
            return best
        if shuffle:
            tail = moves[1:]
            random.shuffle(tail)
            moves = [best, *tail]
        for level in turn.depths(_DEEPEST):
            try:
                moves, value = self._search_root(board, moves, level)
            except OutOfTimeError:
                return self._partial if self._partial >= 0 else best
            best = moves[0]
            Iteration(level, value, self._nodes, self._line(board, best, level)).report(turn)
            if abs(value) >= DECIDED:
                break
        return best

    def _root_moves(self, board: Board) -> list[int]:
        """The promising moves that are legal, the best one first."""
        moves = [
            move
            for move in board.moves(self._rivals, wide=True)
            if move < ACROSS or board.play(move).connected()
        ]
        return moves or [PASS]

    def _search_root(self, board: Board, moves: list[int], depth: int) -> tuple[list[int], int]:
        """The moves with the best move first, and its value."""
        alpha = -INFINITE
        best = -1
        self._partial = -1
        for move in moves:
            value = self._value_after(board, move, depth - 1, alpha, INFINITE, 1)
            if value > alpha:
                alpha = value
                best = move
                self._partial = move  # playable even if this iteration does not finish
        return [best, *(move for move in moves if move != best)], alpha

    def _value_after(self, board: Board, move: int, depth: int, alpha: int, beta: int, ply: int) -> int:
        """The value of a legal move."""
        seat = board.turn
        if move < ACROSS and BIT[move] & GOALS[len(board.pawns)][seat]:
            return WIN - ply if seat == self._seat else ply - WIN
        return self._search(board.play(move), depth, alpha, beta, ply)

    def _search(self, board: Board, depth: int, alpha: int, beta: int, ply: int) -> int:
        self._nodes += 1
        if not self._nodes & 127 and self._out_of_time():
            raise OutOfTimeError
        if self._max_nodes is not None and self._nodes > self._max_nodes:
            raise OutOfTimeError
        if board.key in self._seen:
            return 0
        if depth <= 0:
            return self._evaluate(board)

        entry = self._table.get(board.key)
        first = -1
        if entry is not None:
            entry_depth, bound, value, first = entry
            if entry_depth >= depth and (
                bound == _EXACT or (bound == _LOWER and value >= beta) or (bound == _UPPER and value <= alpha)
            ):
                return value
        if board.turn == self._seat:
            best, move = self._maximise(board, first, depth, alpha, beta, ply)
        else:
            best, move = self._minimise(board, first, depth, alpha, beta, ply)
        bound = _UPPER if best <= alpha else _LOWER if best >= beta else _EXACT
        if entry is not None or len(self._table) < self._entries:
            self._table[board.key] = (depth, bound, best, move)
        return best

    def _maximise(
        self, board: Board, first: int, depth: int, alpha: int, beta: int, ply: int
    ) -> tuple[int, int]:
        best, best_move = -INFINITE, PASS
        for move in self._ordered(board, self._rivals, first, depth, ply):
            if ACROSS <= move < PASS and not board.play(move).connected():
                continue
            value = self._value_after(board, move, depth - 1, alpha, beta, ply + 1)
            if value > best:
                best, best_move = value, move
                alpha = max(alpha, best)
                if best >= beta:
                    self._killers[ply] = move
                    break
        if best == -INFINITE:
            best = self._value_after(board, PASS, depth - 1, alpha, beta, ply + 1)
        return best, best_move

    def _minimise(
        self, board: Board, first: int, depth: int, alpha: int, beta: int, ply: int
    ) -> tuple[int, int]:
        best, best_move = INFINITE, PASS
        for move in self._ordered(board, [self._seat], first, depth, ply):
            if ACROSS <= move < PASS and not board.play(move).connected():
                continue
            value = self._value_after(board, move, depth - 1, alpha, beta, ply + 1)
            if value < best:
                best, best_move = value, move
                beta = min(beta, best)
                if best <= alpha:
                    self._killers[ply] = move
                    break
        if best == INFINITE:
            best = self._value_after(board, PASS, depth - 1, alpha, beta, ply + 1)
        return best, best_move

    def _ordered(self, board: Board, rivals: list[int], first: int, depth: int, ply: int) -> list[int]:
        """The promising moves: the earlier best move, the killer move, then the others."""
        moves = board.moves(rivals, wide=depth > 2)
        for hint in (self._killers[ply], first):
            if hint in moves:
                moves.remove(hint)
                moves.insert(0, hint)
        return moves

    def _evaluate(self, board: Board) -> int:
        """The static value: path lengths, walls in hand, the turn, and whether the race is decided."""
        me, hands = self._seat, board.hands
        mine = board.distance(me)
        theirs = min([board.distance(seat) for seat in self._rivals])
        their_hands = max([hands[seat] for seat in self._rivals])
        to_move = board.turn == me
        value = 100 * (theirs - mine) + _WALL * (hands[me] - their_hands)
        value += _TEMPO if to_move else -_TEMPO
        if not their_hands and (mine < theirs or (mine == theirs and to_move)):
            value += _RACE
        elif not hands[me] and (theirs < mine or (theirs == mine and not to_move)):
            value -= _RACE
        return value

    def _line(self, board: Board, move: int, depth: int) -> list[str]:
        """The principal variation, from the transposition table."""
        line = [move_text(move)]
        while len(line) < depth:
            if move < ACROSS and BIT[move] & GOALS[len(board.pawns)][board.turn]:
                break
            board = board.play(move)
            entry = self._table.get(board.key)
            if entry is None:
                break
            move = entry[3]
            line.append(move_text(move))
        return line
