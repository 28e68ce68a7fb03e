"""Play the levels of games against each other, and write what they are worth.

Each level plays `PAIRS` pairs of games against the level below it, from one opening with the seats exchanged.
The 95 % interval of its lead must be above `LEAST` Elo:

    .venv/bin/python benchmarks/level_strengths.py hops rodeurs

The command writes the table of the game's page and the strengths that `arena place --against levels` takes,
and ends with exit code 1 if two neighbours are not so far apart. The levels play in this process: they look
at no clock, so they play the same moves as in any other. In a game of four, the two levels sit in turn.
"""

from __future__ import annotations

import json
import random
import re
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from arena.ratings.match_elo import EloEstimate, estimate, quantile, score_is_at_most
from arena.ratings.sprt import Counts
from protocol.engine import Turn
from referee import game
from referee.match.adjudication import Adjudication
from referee.match.arbiter import Arbiter
from referee.match.clock import Clock
from referee.match.time_control import TimeControl

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "engines/python-alphabeta"))

# The folder of an engine is no package.
from levels import LEVELS, Level  # type: ignore[import-not-found]  # noqa: E402

LEAST = 120
PAIRS = 24
OPENING_PLIES = 4
STRENGTHS = ROOT / "arena/strength/levels.json"
START, END = "<!-- levels -->", "<!-- end of levels -->"


@dataclass(slots=True)
class Step:
    """How one level did against the level below."""

    pairs: list[int] = field(default_factory=lambda: [0] * 5)  # by half points of the upper level
    draws: int = 0
    times: list[float] = field(default_factory=list)  # seconds of each move of the upper level

    @property
    def counts(self) -> Counts:
        """The pairs as the estimate takes them."""
        return tuple(self.pairs)

    @property
    def games(self) -> int:
        """The games of all pairs."""
        return 2 * sum(self.pairs)

    @property
    def points(self) -> float:
        """The points of the upper level."""
        return sum(half_points * pairs for half_points, pairs in enumerate(self.pairs)) / 2

    def estimate(self) -> EloEstimate | None:
        """The lead of the upper level."""
        return estimate(self.counts)

    @property
    def elo(self) -> float:
        """The middle of the posterior, which is finite if the upper level wins all games."""
        middle = quantile(lambda score: score_is_at_most(self.counts, score), 0.5)
        assert middle is not None
        return middle

    def is_sure(self) -> bool:
        """Whether the lead is certainly large enough."""
        lead = self.estimate()
        return lead is not None and lead.low is not None and lead.low >= LEAST


@cache
def engine(level: int, seat: int) -> Level:
    """Return a prepared engine; each seat has its own."""
    made = Level(level)
    made.prepare()
    return made


def play(
    game_id: str, levels: Sequence[int], opening: Sequence[str], times: dict[int, list[float]]
) -> Arbiter:
    """Play one game of the levels, in seat order."""
    rules = game(game_id)
    controls = [TimeControl.parse("none")] * rules.info.players
    arbiter = Arbiter(rules, rules.start(), opening, Clock(controls, [0] * len(controls)), Adjudication())
    for seat, level in enumerate(levels):
        engine(level, seat).new_game({})
    while not arbiter.over:
        level = levels[arbiter.seat]
        began = time.process_time()
        move = engine(level, arbiter.seat).choose(Turn(game_id, None, arbiter.line, send=lambda _: None))
        times[level].append(time.process_time() - began)
        arbiter.on_move(move, 0, 0, "")
    return arbiter


def opening(game_id: str, number: int) -> list[str]:
    """Return random moves that do not end the game."""
    draw = random.Random(f"{game_id} {number}")
    while True:
        position, moves = game(game_id).start(), list[str]()
        while len(moves) < OPENING_PLIES and position.outcome() is None:
            move = draw.choice(list(position.legal_moves()))
            moves.append(str(move))
            position = position.play(move)
        if position.outcome() is None:
            return moves


def half_points(arbiter: Arbiter, seats: Sequence[int]) -> int:
    """Return 2 if one of these seats won alone, 1 if it shared the first place, and 0 if it did not win."""
    assert arbiter.verdict is not None and arbiter.verdict.ranks is not None
    first = [seat for seat, rank in enumerate(arbiter.verdict.ranks) if rank == 1]
    ours = [seat in seats for seat in first]
    return 2 if all(ours) else 1 if any(ours) else 0


def step(game_id: str, upper: int) -> Step:
    """Play a level against the one below."""
    result = Step()
    players = game(game_id).info.players
    times: dict[int, list[float]] = {upper: result.times, upper - 1: []}
    for number in range(PAIRS):
        points = 0
        for seats in (range(0, players, 2), range(1, players, 2)):
            levels = [upper if seat in seats else upper - 1 for seat in range(players)]
            half = half_points(play(game_id, levels, opening(game_id, number), times), seats)
            result.draws += half == 1
            points += half
        result.pairs[points] += 1
    return result


def row(level: int, settings: tuple[int, int], elo: float, result: Step | None) -> str:
    """Return a row of the table of a page."""
    mistakes, nodes = settings
    search = f"{nodes} nodes" if nodes else "ply"
    if result is None:
        return f"| {level} | {mistakes}% | | 0 | | |"
    lead = result.estimate()
    assert lead is not None
    low = "" if lead.low is None else f"{lead.low:.0f}"
    return f"| {level} | {mistakes}% | {search} | {elo:.0f} | {result.points:g} | {low} |"


def measure(game_id: str) -> bool:
    """Measure the levels of a game, and write them down; return whether all neighbours are far apart."""
    rows, elos, games, draws = [row(1, LEVELS[game_id][0], 0, None)], [0.0], 0, 0
    are_sure = True
    for level in range(2, len(LEVELS[game_id]) + 1):
        result = step(game_id, level)
        elos.append(elos[-1] + result.elo)
        games, draws = games + result.games, draws + result.draws
        are_sure &= result.is_sure()
        rows.append(row(level, LEVELS[game_id][level - 1], elos[-1], result))
        slowest = f"slowest move {1000 * max(result.times):.0f} ms"
        print(game_id, rows[-1], slowest, "" if result.is_sure() else "TOO NEAR", flush=True)
    table = [
        f"| level | random | others | Elo | points of {2 * PAIRS} | lead |",
        "|---|---|---|---|---|---|",
        *rows,
    ]
    page = ROOT / f"docs/games/{game_id}.md"
    text = page.read_text()
    page.write_text(
        re.sub(f"{START}.*?{END}", "\n".join([START, "", *table, "", END]), text, flags=re.DOTALL)
    )
    stored: dict[str, Any] = json.loads(STRENGTHS.read_text()) if STRENGTHS.exists() else {}
    stored[game_id] = {"elo": [round(elo) for elo in elos], "draws": round(draws / games, 3)}
    STRENGTHS.write_text(json.dumps(dict(sorted(stored.items())), indent=1) + "\n")
    return are_sure


if __name__ == "__main__":
    results = [measure(game_id) for game_id in sys.argv[1:] or LEVELS]
    sys.exit(0 if all(results) else 1)
