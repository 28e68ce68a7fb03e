"""The rating over several games, as a table for people and as data."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from arena.tables.ratings import error_cell
from arena.tables.text_table import TextTable, numbered

if TYPE_CHECKING:
    from arena.ratings.overall import Overall

_NOTE = (
    "Order: Elo, then name; the mean is 0. Worst and best: the game in which the engine has the lowest and"
    " the highest Elo, and this Elo."
)


def overall_table(rated: Overall) -> TextTable:
    """Return the engines, with the worst game beside the best one."""
    rows = []
    for strength in rated.strengths:
        (worst, in_worst), *_, (best, in_best) = strength.by_game
        elo, error = str(round(strength.together.elo)), error_cell(strength.together.error)
        ends = worst, str(round(in_worst.elo)), best, str(round(in_best.elo))
        rows.append((strength.together.name, elo, error, *ends))
    headers = ("engine", "Elo", "+-95%", "worst game", "worst Elo", "best game", "best Elo")
    return numbered("", "overall", headers, rows, _NOTE)


def overall_data(rated: Overall, counted: object) -> dict[str, object]:
    """Return what `arena ratings --overall --json` prints; ``counted`` says which games were counted."""
    return {
        "counted": counted,
        "games": rated.games,
        "overall": [
            {
                **asdict(strength.together),
                "games": [
                    {"game": game, "elo": in_game.elo, "error": in_game.error}
                    for game, in_game in strength.by_game
                ],
            }
            for strength in rated.strengths
        ],
    }
