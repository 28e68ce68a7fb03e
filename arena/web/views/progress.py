"""Say whether a tournament is over, and name its format, from its stored pairing plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from arena.config import PairingPlan
from arena.formats.schedule import planned_games

__all__ = ["format_text", "games_planned", "is_over"]

_TITLES: Final = {"knockout": "knock-out", "swiss": "Swiss"}


def format_text(plan: PairingPlan | None) -> str:
    """Return the format in words; "" if it is not known."""
    if plan is None:
        return ""
    title = _TITLES.get(plan.format, plan.format)
    return f"{title}, {plan.rounds} rounds" if plan.format == "swiss" else title


def games_planned(plan: PairingPlan, game_id: str) -> int | None:
    """Return the number of games of one id; with an SPRT, the largest one possible. None if not known yet."""
    return planned_games(replace(plan, entrants={game_id: plan.entrants[game_id]}, sprt=None))


def is_over(plan: PairingPlan | None, game_id: str, played: int, data: Mapping[str, Any]) -> bool:
    """Return whether the games of one id are all played.

    Args:
        plan: the plan; None if it is not known, and then every tournament counts as over.
        game_id: the game id.
        played: the number of its games that count.
        data: the data of the format, as `arena.tables.format_tables.FormatView` has it.
    """
    if plan is None or game_id not in plan.entrants:
        return True
    if plan.format == "knockout":
        return bool(data.get("bracket")) and data["bracket"][-1][-1]["winner"] is not None
    if (data.get("match") or {}).get("sprt", {}).get("accepted") is not None:
        return True
    planned = games_planned(plan, game_id)
    return planned is not None and played >= planned
