"""The facts about a tournament that stand below its name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from arena.config import PairingPlan
from arena.ended_games import GameScoreCounts
from arena.web.figures import date_text
from arena.web.views.progress import format_text, games_planned
from arena.web.views.results import RecentGames

__all__ = ["TournamentFacts", "tournament_facts"]

_MOST_CONTROLS = 3


@dataclass(frozen=True, slots=True)
class TournamentFacts:
    """What a tournament is.

    Attributes:
        engines: the number of engines that have played, or that are to play if none has.
        format: the format in words; "" if it is not known.
        controls: the most frequent time controls.
        games: the number of games that count.
        planned: the number of all games; None if it is not known.
        dates: the first and last day; "" before the first game.
        forfeits, void: the number of forfeits, and of games that do not count.
        over: whether all games are played.
    """

    engines: int
    format: str
    controls: tuple[str, ...]
    games: int
    planned: int | None
    dates: str
    forfeits: int
    void: int
    over: bool


def tournament_facts(
    plan: PairingPlan | None, tallies: Mapping[str, GameScoreCounts], recent: RecentGames, *, over: bool
) -> TournamentFacts:
    """Return the facts.

    Args:
        plan: the tournament's plan; None if it is not known.
        tallies: the scores of its games, by game id; empty before the first game.
        recent: all its games.
        over: whether the games of all ids are played.
    """
    known = {} if plan is None else plan.entrants
    planned = [
        None if plan is None or game not in known else games_planned(plan, game) for game in tallies or known
    ]
    days = (
        []
        if recent.first is None
        else list(dict.fromkeys(map(date_text, (recent.first, recent.last or 0.0))))
    )
    played = {seat.name for tally in tallies.values() for game_score in tally for seat in game_score}
    return TournamentFacts(
        len(played or {name for names in known.values() for name in names}),
        format_text(plan),
        tuple(control for control, _ in recent.controls.most_common(_MOST_CONTROLS)),
        sum(tally.total() for tally in tallies.values()),
        None if None in planned else sum(filter(None, planned)),
        " – ".join(days),
        recent.forfeits,
        recent.void,
        over,
    )
