"""Schedules: what a tournament wants played, in which order. Pure: functions of the file and the results.

A game's key is its id, the engines in seat order and how many games with exactly this seating come before:
``quoridor:alpha|beta:0``. It names no other engine, so what was played counts on when a tournament grows.

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
from arena.schedule import gauntlet, knockout, match, roundrobin, swiss
from arena.schedule import multiplayer as tables
from arena.schedule.adaptive import AdaptiveSchedule, FormatRule
from arena.schedule.contest import Contest
from arena.schedule.seating import Entrants
from arena.schedule.state import Next, ScheduleState
from arena.schedule.static import StaticContest, StaticSchedule
from referee import game

__all__ = ["Next", "Schedule", "ScheduleState", "schedule"]


class Schedule(Protocol):
    """What is to be played."""

    @property
    def total(self) -> int | None:
        """How many games there are in all; None when that is not known."""
        ...

    def pending(self, state: ScheduleState) -> Iterator[Next]:
        """The games that ``state`` does not know, in schedule order.

        Each game is handed out once, and must have a result, be running or be passed over in ``state`` before
        the next is asked for. None means that there is nothing to play until a running game has ended; when
        none is running, there is nothing to play at all until a game that was passed over is played. A
        `Stage` says what the games behind it belong to; ask again at once.

        Raises:
            OpeningError: a random opening cannot be found.
        """
        ...


def schedule(spec: TournamentSpec) -> Schedule:
    """The schedule of a tournament."""
    outline = spec.outline()
    parts = tuple(_part(spec, game_id) for game_id in spec.games)
    if outline.format in ("round-robin", "gauntlet"):
        return StaticSchedule(tuple(_fixed(outline, part) for part in parts))
    parts = tuple(replace(part, share=share, shares=len(parts)) for share, part in enumerate(parts))
    return _dynamic(outline, parts)


def _part(spec: TournamentSpec, game_id: str) -> Contest:
    rules = game(game_id)
    return Contest(
        entrants=Entrants(game_id, tuple(entry.spec.name for entry in spec.entrants(game_id))),
        players=rules.info.players,
        book=OpeningBook(
            spec.openings, rules, spec.setup.get(game_id), spec.adjudication.for_game(rules.info)
        ),
    )


def _fixed(outline: PairingPlan, part: Contest) -> StaticContest:
    count, each = len(part.entrants.names), outline.games_per_pairing
    if outline.format == "gauntlet":
        seeds = [part.entrants.names.index(name) for name in outline.seeds if name in part.entrants.names]
        field = [place for place in range(count) if place not in seeds]
        total = gauntlet.total(len(seeds), len(field), each)
        return StaticContest(part, total, partial(gauntlet.seatings, seeds, field, each))
    if part.players == 2:
        return StaticContest(part, roundrobin.total(count, each), partial(roundrobin.seatings, count, each))
    seats = part.players
    return StaticContest(part, tables.total(count, seats, each), partial(tables.seatings, count, seats, each))


def _dynamic(outline: PairingPlan, parts: tuple[Contest, ...]) -> AdaptiveSchedule:
    each = outline.games_per_pairing
    rule: FormatRule
    total = None
    if outline.format == "swiss":
        rule = partial(swiss.pending, rounds=outline.rounds, games=each)
        total = sum(swiss.total(len(part.entrants.names), outline.rounds, each) for part in parts)
    elif outline.format == "knockout":
        rule = partial(knockout.pending, games=each)
    elif outline.format == "match":
        rule = partial(match.pending, sprt=outline.sprt, max_games=outline.max_games)
        if outline.sprt is None and outline.max_games is not None:
            total = outline.max_games * len(parts)
    else:
        from arena.schedule import ladder

        rule = partial(ladder.pending, max_games=outline.max_games)
        if outline.max_games is not None:
            total = outline.max_games * len(parts)
    return AdaptiveSchedule(parts, rule, total)
