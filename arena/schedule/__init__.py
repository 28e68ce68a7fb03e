"""Schedules: the games of a tournament, in the order in which they are played.

A schedule depends only on the tournament file and the results, and does no I/O.

A game's key consists of its game id, the engines in seat order, and the number of earlier games with exactly
this seating: ``quoridor:alpha|beta:0``. The key names no other engine. So a game still counts when an engine
is added to the tournament.

A schedule is an iterator over games. It reads a `ScheduleState`, which its caller keeps up to date, and never
changes it. A schedule that knows all games from the start yields them once. A schedule whose games depend on
results, as in a Swiss, yields None while it waits for a result; its caller asks again when a game has ended.
It also yields a `Stage` when, for example, a round begins.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Protocol

from arena.config import PairingPlan, TournamentSpec
from arena.opening_book import OpeningBook
from arena.schedule import gauntlet, knockout, match, multiplayer, roundrobin
from arena.schedule.adaptive import AdaptiveSchedule, FormatRule
from arena.schedule.contest import Contest
from arena.schedule.seating import Entrants
from arena.schedule.state import Next, ScheduleState
from arena.schedule.static import StaticContest, StaticSchedule
from arena.schedule.swiss import rounds as swiss
from arena.schedule.totals import planned_games
from referee import game

__all__ = ["Next", "Schedule", "ScheduleState", "planned_games", "schedule"]


class Schedule(Protocol):
    """The games of a tournament."""

    @property
    def total(self) -> int | None:
        """The number of games; None when it is not known."""
        ...

    def pending(self, state: ScheduleState) -> Iterator[Next]:
        """Yield the games that ``state`` does not know, in schedule order.

        Each game is yielded once. Add it to the results, the running games or the skipped games of ``state``
        before you ask for the next one. None means that the next game depends on the result of a running
        game. If no game is running, it depends on a skipped game, and there is nothing to play. A `Stage`
        describes the games that follow it; ask again at once.

        Raises:
            OpeningError: a random opening cannot be found.
        """
        ...


def schedule(spec: TournamentSpec) -> Schedule:
    """The schedule of a tournament."""
    plan = spec.pairing_plan()
    contests = tuple(_contest(spec, game_id) for game_id in spec.games)
    if plan.format in ("round-robin", "gauntlet"):
        games = tuple(_static_contest(plan, contest) for contest in contests)
        return StaticSchedule(games, planned_games(plan))
    contests = tuple(
        replace(contest, offset=offset, stride=len(contests)) for offset, contest in enumerate(contests)
    )
    return AdaptiveSchedule(contests, _rule(plan), planned_games(plan))


def _contest(spec: TournamentSpec, game_id: str) -> Contest:
    rules = game(game_id)
    return Contest(
        entrants=Entrants(game_id, tuple(entry.spec.name for entry in spec.entrants(game_id))),
        players=rules.info.players,
        book=OpeningBook(
            spec.openings, rules, spec.setup.get(game_id), spec.adjudication.for_game(rules.info)
        ),
    )


def _static_contest(plan: PairingPlan, contest: Contest) -> StaticContest:
    names, games = contest.entrants.names, plan.games_per_pairing
    count = len(names)
    if plan.format == "gauntlet":
        seeds = [names.index(name) for name in plan.seeds if name in names]
        field = [place for place in range(count) if place not in seeds]
        seatings = partial(gauntlet.seatings, seeds, field, games)
    elif contest.players == 2:
        seatings = partial(roundrobin.seatings, count, games)
    else:
        seatings = partial(multiplayer.seatings, count, contest.players, games)
    return StaticContest(contest, seatings)


def _rule(plan: PairingPlan) -> FormatRule:
    games = plan.games_per_pairing
    match plan.format:
        case "swiss":
            return partial(swiss.pending, rounds=plan.rounds, games=games)
        case "knockout":
            return partial(knockout.pending, games=games)
        case "match":
            return partial(match.pending, sprt=plan.sprt, max_games=plan.max_games)
    from arena.schedule import ladder

    return partial(ladder.pending, max_games=plan.max_games)
