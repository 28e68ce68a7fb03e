"""Quoridor, with two players or four: rules and a search of its own, for speed."""

from __future__ import annotations

from quoridor_board import STARTS, Board, move_text, read_move
from quoridor_search import WIN, Found, Search

from protocol.engine import Turn


class QuoridorPlayer:
    """Plays one game.

    Args:
        entries: positions that the transposition table holds at most.
    """

    def __init__(self, entries: int) -> None:
        self._search = Search(entries)

    def choose(self, turn: Turn, *, shuffle: bool) -> str:
        """The move; by chance among equals if ``shuffle`` says so."""

        def report(found: Found) -> None:
            mate = WIN - abs(found.value) if abs(found.value) > WIN - 1000 else None
            turn.info(
                depth=found.depth,
                score_cp=found.value,
                score_mate=mate if mate is None or found.value > 0 else -mate,
                nodes=found.nodes,
                pv=map(move_text, found.line),
            )

        board, seen = self._replay(turn)
        return move_text(self._search.run(board, seen, turn, report, shuffle=shuffle))

    def _replay(self, turn: Turn) -> tuple[Board, frozenset[int]]:
        """The position now, and the keys of all since the start; none where repeating is no sure draw."""
        start = turn.start or STARTS[4 if turn.game == "quoridor4" else 2]
        board = Board.parse(start, self._search.known)
        seen = {board.key}
        for word in turn.moves:
            board = board.remove(int(word[1:]) - 1) if word[0] == "!" else board.play(read_move(word))
            seen.add(board.key)
        for seat in turn.removed - board.out:
            board = board.remove(seat)
        return board, frozenset(seen) if len(board.pawns) == 2 else frozenset()
