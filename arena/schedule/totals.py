"""How many games a tournament has, as far as its pairing plan alone decides that."""

from __future__ import annotations

from arena.config import PairingPlan
from arena.schedule import gauntlet, multiplayer, roundrobin
from arena.schedule.swiss import rounds as swiss
from referee import game
from referee.errors import RefereeError

__all__ = ["planned_games"]


def planned_games(plan: PairingPlan) -> int | None:
    """Return the number of games of a tournament.

    It is None if results decide it, if it takes too long to count them, or if a game is not installed.
    """
    totals = [_games(plan, game_id, names) for game_id, names in plan.entrants.items()]
    return None if None in totals else sum(total for total in totals if total is not None)


def _games(plan: PairingPlan, game_id: str, names: tuple[str, ...]) -> int | None:
    try:
        return _contest_games(plan, names, game(game_id).info.players)
    except RefereeError:
        return None


def _contest_games(plan: PairingPlan, names: tuple[str, ...], players: int) -> int | None:
    """Return the number of games of one game id; None as for `planned_games`.

    Args:
        plan: the pairing plan.
        names: the engines that play this id.
        players: the number of its seats.
    """
    games, count = plan.games_per_pairing, len(names)
    match plan.format:
        case "gauntlet":
            seeds = sum(name in names for name in plan.seeds)
            return gauntlet.total(seeds, count - seeds, games)
        case "round-robin":
            return (
                roundrobin.total(count, games) if players == 2 else multiplayer.total(count, players, games)
            )
        case "swiss":
            return swiss.total(count, plan.rounds, games)
    return plan.max_games if plan.sprt is None else None  # a knockout has no such number
