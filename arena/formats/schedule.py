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

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from arena.config import PairingPlan, TournamentSpec
from arena.formats import gauntlet, knockout, match, multiplayer, round_robin, swiss
from arena.formats.contest import Contest, Entrants, Next, ScheduleState, Seating
from arena.model import Pairing, Stage
from arena.openings.book import OpeningBook
from referee import game
from referee.errors import RefereeError


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
        book=OpeningBook(spec.openings, rules, spec.setup.get(game_id), spec.adjudication),
    )


def _static_contest(plan: PairingPlan, contest: Contest) -> StaticContest:
    names, games = contest.entrants.names, plan.games_per_pairing
    count = len(names)
    if plan.format == "gauntlet":
        seeds = [names.index(name) for name in plan.seeds if name in names]
        field = [place for place in range(count) if place not in seeds]
        seatings = partial(gauntlet.seatings, seeds, field, games)
    elif contest.players == 2:
        seatings = partial(round_robin.seatings, count, games)
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
    from arena.formats import ladder

    return partial(ladder.pending, max_games=plan.max_games)


@dataclass(frozen=True, slots=True)
class StaticContest:
    """The games of one game id, which are known from the start.

    Attributes:
        contest: the game id with its entrants and openings.
        seatings: returns a new iterator over the seatings of all games, in order.
    """

    contest: Contest
    seatings: Callable[[], Iterator[Seating]]


class StaticSchedule:
    """A schedule that finishes the games of one game id before it begins those of the next.

    Args:
        contests: the games of each id.
        total: the number of games; None when it takes too long to count them.
    """

    def __init__(self, contests: tuple[StaticContest, ...], total: int | None) -> None:
        self._contests = contests
        self.total = total

    def pending(self, state: ScheduleState) -> Iterator[Pairing]:
        """Yield the missing games, see `Schedule.pending`. It never yields None or a stage."""
        number = -1
        for games in self._contests:
            for seating in games.seatings():
                number += 1
                key = games.contest.entrants.key(seating)
                if key not in state:
                    yield games.contest.pairing(number, key, seating)


FormatRule = Callable[[Contest, ScheduleState], Iterator[Next]]
"""A format, applied to one game id. It yields what `Schedule.pending` yields."""


class AdaptiveSchedule:
    """A schedule that takes the next game of each game id in turn.

    Args:
        contests: one for each game id.
        rule: the format.
        total: the number of games; None when it is not known.
    """

    def __init__(self, contests: tuple[Contest, ...], rule: FormatRule, total: int | None) -> None:
        self._contests = contests
        self._rule = rule
        self.total = total

    def pending(self, state: ScheduleState) -> Iterator[Next]:
        """Yield the missing games, see `Schedule.pending`."""
        queue = deque(self._rule(contest, state) for contest in self._contests)
        waiting = 0
        while queue:
            games = queue.popleft()
            try:
                item = next(games)
                while isinstance(item, Stage):
                    yield item
                    item = next(games)
            except StopIteration:
                continue
            queue.append(games)
            if item is not None:
                waiting = 0
                yield item
                continue
            waiting += 1
            if waiting >= len(queue):
                waiting = 0
                yield None


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
                round_robin.total(count, games) if players == 2 else multiplayer.total(count, players, games)
            )
        case "swiss":
            return swiss.total(count, plan.rounds, games)
    return plan.max_games if plan.sprt is None else None  # a knockout has no such number
