"""What a search finds in one iteration, which both searches report in the same way."""

from __future__ import annotations

from typing import NamedTuple

from protocol.engine import Turn

WIN = 1_000_000
DECIDED = WIN - 10_000  # a larger value is a forced win: WIN minus the plies until the end


class OutOfTimeError(Exception):
    """Ends the search."""


class Iteration(NamedTuple):
    """The result of a finished iteration. ``line`` has the expected moves."""

    depth: int
    value: int
    nodes: int
    line: list[str]

    def report(self, turn: Turn) -> None:
        """Report the iteration to the hub."""
        plies = WIN - abs(self.value)
        mate = plies if self.value > 0 else -plies
        turn.info(
            depth=self.depth,
            score_cp=self.value,
            score_mate=mate if abs(self.value) >= DECIDED else None,
            nodes=self.nodes,
            pv=self.line,
        )
