"""An engine of a stated strength: ``levels.py 3`` is level 3. It errs by design, and less on higher levels.

The level, the option ``Seed`` and the moves of a game decide the answer, and no clock does.
"""

from __future__ import annotations

import random
import sys

from engine import AlphaBeta

from protocol.engine import Spin, Turn, run
from referee import game

HIGHEST = 8
ONE_PLY = 0  # instead of nodes: a search of one ply

LEVELS: dict[str, tuple[tuple[int, int], ...]] = {
    "quoridor": ((100, 0), (58, 0), (35, 0), (8, 0), (8, 100), (0, 100)),
    "quoridor4": ((100, 0), (58, 0), (30, 0), (8, 0), (0, 100)),
    "movers-hoppers": ((100, 0), (81, 0), (58, 0), (24, 0), (0, 150), (0, 4000)),
    "movers-hoppers-expert": ((100, 0), (81, 0), (66, 0), (41, 0), (9, 0), (0, 400), (0, 6000)),
    "rampants": ((100, 0), (44, 0), (0, 100), (0, 1000)),
    "eclaircissement": ((100, 0), (91, 0), (76, 0), (58, 0), (30, 0), (0, 100), (0, 1500)),
    "quatre-en-ligne": ((100, 0), (86, 0), (60, 0), (20, 0), (0, 300)),
    "rodeurs": ((100, 0), (66, 0), (26, 0), (0, 250), (0, 2500)),
    "rodeurs-diagonal": ((100, 0), (66, 0), (26, 0), (0, 200), (0, 1700)),
    "hops": ((100, 0), (88, 0), (50, 0), (2, 0)),
}
"""Each level of a game from level 1: the random moves in a hundred, and the nodes of the search for others.
`benchmarks/level_strengths.py` measures them."""


class Level(AlphaBeta):
    """Plays on one level those games that have it."""

    author = "Leapfrog Arena"
    options = (*AlphaBeta.options, Spin("Seed", 1, 0, 1_000_000))

    def __init__(self, level: int) -> None:
        super().__init__()
        self.name = f"level {level}"
        self.games = tuple(game_id for game_id, levels in LEVELS.items() if level <= len(levels))
        self._level = level

    def choose(self, turn: Turn) -> str:
        mistakes, nodes = LEVELS[turn.game][self._level - 1]
        random.seed(f"{self.settings['Seed']} {turn.start} {' '.join(turn.moves)}")
        if random.randrange(100) < mistakes:
            return str(random.choice(list(turn.replay(game(turn.game)).legal_moves())))
        limits = "depth 1" if nodes == ONE_PLY else f"nodes {nodes}"
        without_clock = Turn(
            turn.game, turn.start, turn.moves, limits, seat=turn.seat, send=lambda _line: None
        )
        return super().choose(without_clock)


if __name__ == "__main__":
    run(Level(int(sys.argv[1])))
