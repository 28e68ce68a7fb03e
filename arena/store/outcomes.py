"""Games without anything but who fared how: a `Result` for each would take too long."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from operator import itemgetter
from sys import intern
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, String, cast, func, literal_column, select, tuple_

from arena.scoring import Ending, Outcome, Share, Tally
from arena.store.tables import ENGINE, GAME, PLAYER
from referee.outcome import Termination

__all__ = ["SCORED", "Place", "Scored", "endings", "place_in", "scored", "tallies"]

# As the partial index has it, word for word: SQLite uses the index for nothing else.
SCORED: Final = GAME.c.termination != literal_column("'void'")


class Place(NamedTuple):
    """A game's place in schedule order: tournaments as they were begun, number, key."""

    tournament: int
    number: int
    key: str


@dataclass(frozen=True, slots=True)
class Scored:
    """A game that counts.

    Attributes:
        place: in schedule order.
        duration: nanoseconds.
        outcome: how everybody fared.
    """

    place: Place
    duration: int
    outcome: Outcome


_PLACE = (GAME.c.tournament_id, GAME.c.number, GAME.c.key)
_SEAT = (PLAYER.c.engine_id, PLAYER.c.rank, PLAYER.c.points, PLAYER.c.forfeit)


def place_in(place: Place) -> ColumnElement[bool]:
    """Whether a row of ``game`` is at this place or before it."""
    return tuple_(*_PLACE) <= tuple_(*place)


def tallies(connection: Connection, which: Collection[ColumnElement[bool]]) -> dict[str, Tally]:
    """The outcomes of the games for which all of ``which`` holds, by game id in schedule order."""
    found: defaultdict[str, Tally] = defaultdict(Counter)
    names = _names(connection)
    for (_, count, game), rows in groupby(connection.execute(_kinds(which)), itemgetter(0, 1, 2)):
        # Two versions of an engine are one engine here.
        found[game][_outcome([row[3:] for row in rows], names)] += count
    if len(found) < 2:
        return dict(found)
    first = (GAME.c.tournament_id, func.min(GAME.c.number))
    parts = select(GAME.c.game).where(SCORED, *which).group_by(GAME.c.game, GAME.c.tournament_id)
    return {game: found[game] for game in connection.execute(parts.order_by(*first)).scalars()}


def _kinds(which: Collection[ColumnElement[bool]]) -> Select[Any]:
    """The seats of one game of every kind, and how many of a kind there are; the database counts them."""
    seat: ColumnElement[str] = func.coalesce(PLAYER.c.forfeit, "")
    for column in (PLAYER.c.seat, PLAYER.c.engine_id, PLAYER.c.rank):  # points follow from all ranks
        seat = seat + " " + cast(column, String)
    line = (
        select(GAME.c.id, GAME.c.game, func.aggregate_strings(seat, ",").label("seats"))
        .join_from(GAME, PLAYER)
        .where(SCORED, *which)
        .group_by(GAME.c.id, GAME.c.game)
        .subquery()
    )
    kind = (
        select(func.min(line.c.id).label("id"), func.count().label("games"), line.c.game)
        .group_by(line.c.game, line.c.seats)
        .subquery()
    )
    return (
        select(kind.c.id, kind.c.games, kind.c.game, *_SEAT)
        .join(PLAYER, PLAYER.c.game_id == kind.c.id)
        .order_by(kind.c.id, PLAYER.c.seat)
    )


def scored(connection: Connection, game: str, after: Place | None) -> list[Scored]:
    """The games of one id that count, in schedule order; only those behind a place if one is given."""
    which = [SCORED, GAME.c.game == game]
    if after is not None:
        which.append(~place_in(after))
    query = (
        select(*_PLACE, GAME.c.duration, *_SEAT)
        .join_from(GAME, PLAYER)
        .where(*which)
        .order_by(GAME.c.id, PLAYER.c.seat)
    )
    names = _names(connection)
    games = [
        Scored(Place(*head[:3]), head[3], _outcome([row[4:] for row in rows], names))
        for head, rows in groupby(connection.execute(query), itemgetter(0, 1, 2, 3))
    ]
    return sorted(games, key=_place)


def endings(connection: Connection, which: Collection[ColumnElement[bool]]) -> list[Ending]:
    """The games that count for which all of ``which`` holds, by number; equal outcomes are one value."""
    seat: ColumnElement[str] = cast(PLAYER.c.seat, String)
    for column in (PLAYER.c.engine_id, PLAYER.c.rank, func.quote(PLAYER.c.points)):  # to the last digit
        seat = seat + " " + cast(column, String)
    seats = func.aggregate_strings(seat + " " + func.coalesce(PLAYER.c.forfeit, ""), ",")
    query = (
        select(GAME.c.number, GAME.c.key, GAME.c.game, GAME.c.termination, seats)
        .join_from(GAME, PLAYER)
        .where(SCORED, *which)
        .group_by(GAME.c.id)
    )
    names = _names(connection)
    outcome = cache(lambda text: _written(text, names))
    word = cache(Termination)
    games = [
        Ending(number, key, intern(game), word(termination), outcome(text))
        for number, key, game, termination, text in connection.execute(query)
    ]
    return sorted(games, key=itemgetter(0, 1))


def _written(text: str, names: dict[int, str]) -> Outcome:
    """The seats of a game from one text, in which their order is the database's own affair."""
    rows = sorted((int(seat), rest) for seat, rest in (part.split(" ", 1) for part in text.split(",")))
    seats = (rest.split(" ") for _, rest in rows)
    return _outcome(
        ((int(engine), int(rank), float(points), forfeit or None) for engine, rank, points, forfeit in seats),
        names,
    )


def _place(game: Scored) -> Place:
    return game.place


def _names(connection: Connection) -> dict[int, str]:
    return dict(connection.execute(select(ENGINE.c.id, ENGINE.c.name)).all())


def _outcome(seats: Iterable[Sequence[Any]], names: dict[int, str]) -> Outcome:
    """One game's seats in order.

    Raises:
        KeyError: a row holds an engine's id that there isn't.
        ValueError: or a word.
    """
    return tuple(
        Share(names[engine], rank, points, None if forfeit is None else Termination(forfeit))
        for engine, rank, points, forfeit in seats
    )
