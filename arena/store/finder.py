"""Find games by who played them and how they went, and count them.

Of 100,000 games a search reads all rows of ``game`` in 15 ms and those of ``player`` in 20 ms, so an index
would only make storing slower. Only openings are in the wide rows of ``record``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

import msgspec
from sqlalchemy import ColumnElement, FromClause, Select, String, case, cast, func, literal, or_, select

from arena.model import GameRecord, GameResult
from arena.store import mapping, queries
from arena.store.database import Database
from arena.store.errors import InvalidRow
from arena.store.queries import Condition
from arena.store.rows import ENGINE, GAME, PLAYER, RECORD
from arena.store.values import UPSET, Facets, GameSearch, Meeting
from referee.outcome import Termination

_BATCH: Final = 200
_FORFEITS: Final = [kind.value for kind in Termination if kind.is_forfeit]
_FAULTS: Final = [kind.value for kind in Termination if kind.is_fault]
_SEAT: Final = PLAYER.alias("own")
_OTHER: Final = PLAYER.alias("other")


class Finder:
    """Finds games."""

    __slots__ = ("_database",)

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(
        self, search: GameSearch, most: int, *, order: str = "newest", after: int | None = None
    ) -> list[GameRecord]:
        """Return at most ``most`` games in one of `ORDERS`; ``after`` is the last number already seen."""
        ids = select(GAME.c.id).where(*_conditions(search))
        direction = (GAME.c.plies, GAME.c.id) if order in ("longest", "shortest") else (GAME.c.id,)
        if after is not None:
            ids = ids.where(_beyond(direction, after, descending=order in ("newest", "longest")))
        ordered = [one.desc() if order in ("newest", "longest") else one for one in direction]
        with self._database.reading() as session:
            found = list(session.connection().execute(ids.order_by(*ordered).limit(most)).scalars())
            by_number = {one.result.id: one for one in queries.games(session, [GAME.c.id.in_(found)])}
        return [by_number[number] for number in found if number in by_number]

    def count(self, search: GameSearch) -> int:
        """Return the number of games."""
        with self._database.reading() as session:
            query = select(func.count(GAME.c.id)).where(*_conditions(search))
            number: int = session.connection().execute(query).scalar_one()
        return number

    def records(self, search: GameSearch) -> Iterator[GameRecord]:
        """Yield the whole games in the order of their numbers, with few of them in memory."""
        done = 0
        while True:
            ids = select(GAME.c.id).where(GAME.c.id > done, *_conditions(search))
            with self._database.reading() as session:
                page = session.connection().execute(ids.order_by(GAME.c.id).limit(_BATCH))
                numbers = list(page.scalars())
                batch = queries.games(session, [GAME.c.id.in_(numbers)]) if numbers else []
            if not numbers:
                return
            yield from batch
            done = numbers[-1]

    def neighbours(self, result: GameResult) -> tuple[int | None, int | None]:
        """Return the numbers of the games before and after one, among those of its tournament and game id."""
        same = queries.game_conditions(result.tournament, result.game)
        with self._database.reading() as session:

            def first(condition: Condition, order: ColumnElement[int]) -> int | None:
                query = select(GAME.c.id).where(condition, *same).order_by(order).limit(1)
                return session.connection().execute(query).scalar()

            before = first(GAME.c.id < result.id, GAME.c.id.desc())
            return before, first(GAME.c.id > result.id, GAME.c.id)

    def facets(self, tournament: str) -> Facets:
        """Return what games of a tournament can be searched for."""
        here = queries.game_conditions(tournament, None)
        texts = (
            select(GAME.c.game).where(*here),
            select(ENGINE.c.name).join(PLAYER, PLAYER.c.engine_id == ENGINE.c.id).join(GAME).where(*here),
            select(GAME.c.reason).where(*here),
        )
        with self._database.reading() as session:
            found = [
                tuple(sorted(text for (text,) in queries.checked_rows(session.connection(), one.distinct())))
                for one in texts
            ]
        return Facets(*found)

    def versions(self, search: GameSearch) -> list[tuple[str, float]]:
        """Return the versions of the first engine, and when the first game of each began, in this order."""
        began = func.min(GAME.c.started)
        query = (
            select(ENGINE.c.version, began)
            .join_from(ENGINE, PLAYER, PLAYER.c.engine_id == ENGINE.c.id)
            .join(GAME, GAME.c.id == PLAYER.c.game_id)
            .where(ENGINE.c.name == search.engines[0], *_conditions(search))
            .group_by(ENGINE.c.version)
            .order_by(began)
        )
        with self._database.reading() as session:
            return [tuple(row) for row in queries.checked_rows(session.connection(), query)]

    def meetings(self, search: GameSearch) -> list[Meeting]:
        """Return the games that count in groups, see `Meeting`."""
        with self._database.reading() as session:
            connection = session.connection()
            names = queries.stored_names(connection)
            engines = {number: name for number, (name, *_) in names.engines.items()}
            rows = queries.checked_rows(connection, _groups([*_conditions(search), queries.SCORED]))
            try:
                return [
                    Meeting(
                        names.tournaments[tournament],
                        game,
                        mapping.game_score([row[-4:] for row in seats], engines),
                        reason,
                        _line(start, moves, early),
                        games,
                    )
                    for (_, games, tournament, game, reason, start, moves, early), seats in groupby(
                        rows, itemgetter(*range(8))
                    )
                ]
            except KeyError as error:
                raise InvalidRow(f"tournament {error} of a game is missing") from error

    def faulty(self, search: GameSearch, most: int) -> list[GameRecord]:
        """Return the newest games in which the first engine forfeited, or any fault was forgiven."""
        engine = _versions(search.engines[0])
        forgiven = select(RECORD.c.game_id).where(
            RECORD.c.game_id == _SEAT.c.game_id, cast(RECORD.c.moves, String).like('%"?%')
        )
        faulty = select(_SEAT.c.game_id).where(
            _SEAT.c.engine_id.in_(engine), _SEAT.c.forfeit.in_(_FAULTS) | forgiven.exists()
        )
        where = [*_conditions(search), GAME.c.id.in_(faulty)]
        ids = select(GAME.c.id).where(*where).order_by(GAME.c.id.desc()).limit(most)
        with self._database.reading() as session:
            numbers = list(session.connection().execute(ids).scalars())
            return queries.games(session, [GAME.c.id.in_(numbers)])[::-1]


def _conditions(search: GameSearch) -> list[Condition]:
    """Return the conditions of a search."""
    conditions = [*queries.game_conditions(search.tournament, search.game), *_seated(search)]
    if search.result == "void":
        conditions.append(~queries.SCORED)
    elif search.result == "forfeited" and not search.engines:
        forfeited = select(PLAYER.c.seat).where(PLAYER.c.game_id == GAME.c.id, PLAYER.c.forfeit.in_(_FAULTS))
        conditions.append(forfeited.correlate(GAME).exists())
    elif search.result == "decided" or (search.result and not search.engines):
        firsts = select(func.count()).where(PLAYER.c.game_id == GAME.c.id, PLAYER.c.rank == 1)
        number: ColumnElement[int] = firsts.correlate(GAME).scalar_subquery()
        conditions.append(number > 1 if search.result == "drawn" else number == 1)
    if search.reason:
        conditions.append(GAME.c.reason == search.reason)
    if search.least:
        conditions.append(GAME.c.plies >= search.least)
    if search.most is not None:
        conditions.append(GAME.c.plies <= search.most)
    if search.opening:
        conditions.append(_begins(search.opening))
    if search.upset is not None:
        conditions.append(_is_upset(search.upset))
    return conditions


def _seated(search: GameSearch) -> Iterator[Condition]:
    """Yield the conditions that the engines play, and how the first one does."""
    for place, name in enumerate(search.engines):
        own: list[Condition] = [_SEAT.c.engine_id.in_(_versions(name))]
        if place == 0 and search.seat is not None:
            own.append(_SEAT.c.seat == search.seat)
        if place == 0 and search.result not in ("", "decided", "void"):
            own.append(_ended(search.result))
        seats = select(_SEAT.c.game_id).where(*own)
        if place:  # of the few games that are left
            yield seats.where(_SEAT.c.game_id == GAME.c.id).correlate(GAME).exists()
        else:
            yield GAME.c.id.in_(seats)


def _versions(name: str) -> Select[Any]:
    return select(ENGINE.c.id).where(ENGINE.c.name == name)


def _ended(result: str) -> Condition:
    """Return the condition that the first engine's seat ended a game so, as `arena.scoring.seat_endings`."""
    forfeited = func.coalesce(_SEAT.c.forfeit, "").in_(_FORFEITS)
    if result == "forfeited":
        return _SEAT.c.forfeit.in_(_FAULTS)
    if result == "lost":
        return (_SEAT.c.rank > 1) | forfeited
    shared = select(_OTHER.c.seat).where(
        _OTHER.c.game_id == _SEAT.c.game_id, _OTHER.c.seat != _SEAT.c.seat, _OTHER.c.rank == 1
    )
    others = shared.correlate(_SEAT).exists()
    return (_SEAT.c.rank == 1) & ~forfeited & (~others if result == "won" else others)


def _beyond(order: tuple[ColumnElement[int], ...], number: int, *, descending: bool) -> Condition:
    """Return the condition that a game comes after one with a number, in an order by one or two columns."""
    last = GAME.alias("last")
    seen: ColumnElement[int] = literal(number)
    if len(order) == 1:
        return order[0] < seen if descending else order[0] > seen
    plies = select(last.c.plies).where(last.c.id == number).scalar_subquery()
    first = order[0] < plies if descending else order[0] > plies
    second = order[1] < seen if descending else order[1] > seen
    return first | ((order[0] == plies) & second)


def _begins(opening: str) -> Condition:
    """Return the condition that the line of a game begins with these words."""
    words = opening.split()
    moves = msgspec.json.encode(words).decode()[:-1]
    start, given = RECORD.c.opening_position, _compact(cast(RECORD.c.opening_moves, String))
    early = _compact(func.substr(cast(RECORD.c.moves, String), 1, 2 * len(moves)))
    joined = case((given == "[]", early), else_=func.replace(given + early, "][", ","))
    plain: ColumnElement[str] = joined
    for mark, written in (('["', ""), ('"]', ""), ('","', " ")):
        plain = func.replace(plain, mark, written)
    line, text = start + " " + plain + " ", " ".join(words) + " "
    begins = case(
        (start.is_not(None), func.substr(line, 1, len(text)) == text),
        (func.length(given) > len(moves), func.substr(given, 1, len(moves)) == moves),
        else_=func.substr(joined, 1, len(moves)) == moves,
    )
    # Most games of an opening that few have differ in the first word already, and this is seen quickly.
    first = moves.partition(",")[0]
    texts = [cast(column, String) for column in (RECORD.c.opening_moves, RECORD.c.moves)]
    near = or_(start.is_not(None), *(func.substr(text, 1, len(first)) == first for text in texts))
    record = select(RECORD.c.game_id).where(RECORD.c.game_id == GAME.c.id, near, begins)
    return record.correlate(GAME).exists()


def _compact(moves: ColumnElement[str]) -> ColumnElement[str]:
    """Return an array of texts without blanks: a server writes one after each comma."""
    return func.replace(moves, '", "', '","', type_=String)


def _is_upset(strengths: Mapping[str, float]) -> Condition:
    """Return the condition that the winner is far weaker than an engine that it beat."""

    def strength(seat: FromClause) -> ColumnElement[float]:
        names = select(ENGINE.c.name).where(ENGINE.c.id == seat.c.engine_id).scalar_subquery()
        return case(dict(strengths), value=names)

    beaten = (
        select(_SEAT.c.game_id)
        .join(_OTHER, _OTHER.c.game_id == _SEAT.c.game_id)
        .where(_SEAT.c.game_id == GAME.c.id, _SEAT.c.rank == 1, _OTHER.c.rank > 1)
        .where(strength(_OTHER) - strength(_SEAT) >= UPSET)
    )
    return beaten.correlate(GAME).exists()


def _groups(conditions: list[Condition]) -> Select[Any]:
    """Group games with equal seats, reasons and opening lines; select the seats of one game of each group."""
    given, moves = _compact(cast(RECORD.c.opening_moves, String)), cast(RECORD.c.moves, String)
    first, second = (func.coalesce(RECORD.c.moves[ply].as_string(), "") for ply in (0, 1))
    odd = [one.like(mark) for one in (first, second) for mark in ("?%", "!%")]  # a fault, or a removal
    early = case(
        (given.like('%","%'), ""),
        (or_(*odd), moves),
        (given == "[]", first + " " + second),
        else_=first,
    )
    seats = (
        select(
            GAME.c.id,
            GAME.c.tournament_id,
            GAME.c.game,
            GAME.c.reason,
            RECORD.c.opening_position.label("start"),
            given.label("given"),
            early.label("early"),
            queries.SEATS.label("seats"),
        )
        .join_from(GAME, PLAYER)
        .join(RECORD, RECORD.c.game_id == GAME.c.id)
        .where(*conditions)
        .group_by(GAME.c.id, RECORD.c.game_id)
        .subquery()
    )
    same = [seats.c[name] for name in ("tournament_id", "game", "reason", "start", "given", "early")]
    group = (
        select(func.min(seats.c.id).label("id"), func.count().label("games"), *same)
        .group_by(seats.c.seats, *same)
        .subquery()
    )
    return (
        select(group, *queries.SEAT)
        .join(PLAYER, PLAYER.c.game_id == group.c.id)
        .order_by(group.c.id, PLAYER.c.seat)
    )


def _line(start: str | None, given: str, early: str) -> str:
    """Return the opening line of a game, as `arena.tables.statistics.opening_line`.

    ``early`` has the moves after the given ones that it lacks, or all as an array if some are none.
    """
    moves = mapping.move_texts(given)
    if early.startswith("["):
        played = [text for text in mapping.move_texts(early) if text[:1] not in "?!"]
        early = " ".join(played[: max(2 - len(moves), 0)])
    return " ".join(filter(None, [start, *moves, early.strip()]))
