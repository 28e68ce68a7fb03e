"""An alpha-beta engine for Quoridor, with two players or four: reads the protocol, shares out the clock."""

from __future__ import annotations

import gc
from collections.abc import Mapping

from board import STARTS, Board, move_text, read_move
from search import WIN, Found, Search

from protocol.engine import Check, Engine, Spin, Turn, run

_DEEPEST = 40
_ENTRIES_PER_MB = 4000


class AlphaBeta(Engine):
    name = "alphabeta-py"
    author = "Leapfrog Arena"
    games = ("quoridor", "quoridor4")
    capabilities = ("delta",)
    options = (Spin("Hash", 32, 1, 1024), Check("Variety", True))

    def prepare(self) -> None:
        self._search = Search()
        gc.disable()  # nothing here that dies is in a cycle, and looking for some takes a tenth of the time

    def new_game(self, info: Mapping[str, str]) -> None:
        self._search.forget()
        self._search.entries = self.settings["Hash"] * _ENTRIES_PER_MB

    def choose(self, turn: Turn) -> str:
        board, seen = self._replay(turn)
        budget = turn.budget_ms()

        def report(found: Found) -> bool:
            mate = WIN - abs(found.value) if abs(found.value) > WIN - 1000 else None
            turn.info(
                depth=found.depth,
                score_cp=found.value,
                score_mate=mate if mate is None or found.value > 0 else -mate,
                nodes=found.nodes,
                pv=map(move_text, found.line),
            )
            return (
                budget is None or turn.elapsed_ms() < budget * 0.6
            )  # an iteration takes several times the last

        move = self._search.run(
            board,
            seen,
            depth=min(turn.depth or _DEEPEST, _DEEPEST),
            nodes=turn.nodes,
            out_of_time=turn.out_of_time,
            report=report,
            shuffle=self.settings["Variety"],
        )
        return move_text(move)

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


if __name__ == "__main__":
    run(AlphaBeta())
