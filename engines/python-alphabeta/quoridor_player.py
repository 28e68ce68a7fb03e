"""The player for Quoridor with two or four players, which has its own rules and search for speed."""

from __future__ import annotations

from quoridor_board import STARTS, Board, move_text, read_move
from quoridor_search import Search

from protocol.engine import Turn


class QuoridorPlayer:
    """Plays one game of Quoridor.

    Args:
        entries: the maximum number of positions in the transposition table.
    """

    def __init__(self, entries: int) -> None:
        self._search = Search(entries)

    def choose(self, turn: Turn, *, shuffle: bool) -> str:
        """The move to play; with ``shuffle``, a random one of equally good moves."""
        board, seen = self._replay(turn)
        return move_text(self._search.run(board, seen, turn, shuffle=shuffle))

    def _replay(self, turn: Turn) -> tuple[Board, frozenset[int]]:
        """The current position, and the keys of all positions since the start.

        With more than two players there are no keys, because a repetition need not end in a draw.
        """
        start = turn.start or STARTS[4 if turn.game == "quoridor4" else 2]
        board = Board.parse(start, self._search.cache)
        seen = {board.key}
        for word in turn.moves:
            board = board.remove(int(word[1:]) - 1) if word[0] == "!" else board.play(read_move(word))
            seen.add(board.key)
        for seat in turn.removed - board.out:
            board = board.remove(seat)
        return board, frozenset(seen) if len(board.pawns) == 2 else frozenset()
