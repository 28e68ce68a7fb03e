"""The sample engine greedy-py, which tells as its score how many microseconds it took for its move."""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "engines" / "python-greedy"))
from engine import Greedy  # type: ignore[import-not-found]  # it is found by the path above

from protocol.engine import Turn, run


class Timed(Greedy):  # type: ignore[misc]  # see above
    """An engine that measures itself from the order to move until it has chosen."""

    def choose(self, turn: Turn) -> str:
        """Return a move, and say as its score how long it took."""
        began = time.monotonic_ns()
        move: str = super().choose(turn)
        turn.info(depth=1, score_cp=(time.monotonic_ns() - began) // 1000)
        return move


if __name__ == "__main__":
    run(Timed())
