"""Say whether a tournament is over, and name its format, from its stored pairing plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from arena.config import PairingPlan
from arena.schedule import gauntlet, multiplayer, roundrobin
from arena.schedule.swiss import rounds as swiss
from referee import game
from referee.errors import RefereeError

__all__ = ["format_text", "games_planned", "is_over"]

_TITLES: Final = {"knockout": "knock-out", "swiss": "Swiss"}


def format_text(plan: PairingPlan | None) -> str:
    """Return the format in words; "" if it is not known."""
    if plan is None:
        return ""
    title = _TITLES.get(plan.format, plan.format)
    return f"{title}, {plan.rounds} rounds" if plan.format == "swiss" else title


def games_planned(plan: PairingPlan, game_id: str) -> int | None:
    """Return the number of games of one id; None if it is not known before they are played."""
    names, each = plan.entrants[game_id], plan.games_per_pairing
    match plan.format:
        case "gauntlet":
            seeds = sum(name in plan.seeds for name in names)
            return gauntlet.total(seeds, len(names) - seeds, each)
        case "round-robin":
            try:
                seats = game(game_id).info.players
            except RefereeError:  # a plug-in that is not installed any more
                return None
            return (
                roundrobin.total(len(names), each)
                if seats == 2
                else multiplayer.total(len(names), seats, each)
            )
        case "swiss":
            return swiss.total(len(names), plan.rounds, each)
        case "match" | "ladder":
            return plan.max_games
    return None


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
