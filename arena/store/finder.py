"""Find games by who played them and how they went, and count them.

Of 100,000 games a search reads all rows of ``game`` in 15 ms, those of ``player`` in 20 ms and those of
``record``, which are wide, in 50 ms, so an index would only make storing slower.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

import msgspec
from sqlalchemy import (
    ColumnElement,
    Select,
    String,
    and_,
    case,
    cast,
    false,
    func,
    literal,
    or_,
    select,
    tuple_,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from arena.model import GameRecord, GameResult
from arena.store import mapping, queries
from arena.store.database import Database
from arena.store.errors import InvalidRow
from arena.store.queries import Condition
from arena.store.rows import ENGINE, GAME, PLAYER, RECORD
from arena.store.values import UPSET, Facets, GameSearch, Meeting
from referee.outcome import Termination

_BATCH: Final = 200
_NEAR: Final = 2_000
"""The games that are asked one by one, before all games that meet a condition are looked up."""

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
        rare = [*_rare(search)]
        direction = (GAME.c.plies, GAME.c.id) if order in ("longest", "shortest") else (GAME.c.id,)
        if after is not None:
            ids = ids.where(_beyond(direction, after, descending=order in ("newest", "longest")))
        ordered = [one.desc() if order in ("newest", "longest") else one for one in direction]
        ids = ids.order_by(*ordered)
        one_by_one = [_is_among(games) for games in rare]
        near = select(GAME.c.id).where(GAME.c.id.in_(ids.limit(_NEAR)), *one_by_one).order_by(*ordered)
        with self._database.reading() as session:

            def first(query: Select[Any]) -> Sequence[int]:
                return session.connection().execute(query.limit(most)).scalars().all()

            one_step = bool(search.engines) or not rare  # few games are left to ask, or nothing is
            found = [] if one_step else first(near)
            if len(found) < most:  # if some are near, enough are not far
                some = one_step or 10 * len(found) > most
                found = first(ids.where(*(one_by_one if some else _among(rare))))
            by_number = {one.result.id: one for one in queries.games(session, [GAME.c.id.in_(found)])}
        return [by_number[number] for number in found if number in by_number]

    def count(self, search: GameSearch) -> int:
        """Return the number of games."""
        with self._database.reading() as session:
            query = select(func.count(GAME.c.id)).where(*_conditions(search), *_among(_rare(search)))
            number: int = session.connection().execute(query).scalar_one()
        return number

    def records(self, search: GameSearch) -> Iterator[GameRecord]:
        """Yield the whole games in the order of their numbers, with few of them in memory."""
        done = 0
        while True:
            ids = select(GAME.c.id).where(
                GAME.c.id > done, *_conditions(search), *map(_is_among, _rare(search))
            )
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
    """Return the conditions of a search but the `_rare` ones."""
    conditions = [*queries.game_conditions(search.tournament, search.game), *_seated(search)]
    if search.result == "void":
        conditions.append(~queries.SCORED)
    if search.reason:
        conditions.append(GAME.c.reason == search.reason)
    if search.least:
        conditions.append(GAME.c.plies >= search.least)
    if search.most is not None:
        conditions.append(GAME.c.plies <= search.most)
    return conditions


def _rare(search: GameSearch) -> Iterator[Select[Any]]:
    """Yield the conditions that are slow to test for each game, each as a query of all games that meet it."""
    if search.result == "forfeited" and not search.engines:
        yield select(PLAYER.c.game_id).where(PLAYER.c.forfeit.in_(_FAULTS))
    elif search.result == "decided" or (search.result not in ("", "void") and not search.engines):
        number = func.count()
        firsts = select(PLAYER.c.game_id).where(PLAYER.c.rank == 1).group_by(PLAYER.c.game_id)
        yield firsts.having(number > 1 if search.result == "drawn" else number == 1)
    if search.opening:
        yield _opened(search.opening)
    if search.upset is not None:
        yield _upsets(search.upset)


def _among(found: Iterable[Select[Any]]) -> list[Condition]:
    """Return the conditions that all queries find the game; each finds its games only once."""
    return [GAME.c.id.in_(games) for games in found]


def _is_among(games: Select[Any]) -> Condition:
    """Return the condition that a query finds the game, which is tested for one game at a time."""
    return games.where(games.selected_columns[0] == GAME.c.id).correlate(GAME).exists()


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


def _opened(opening: str) -> Select[Any]:
    """Select the games whose line begins with these words."""
    words = opening.split()
    moves = msgspec.json.encode(words).decode()[:-1]
    start, given = RECORD.c.opening_position, _Compact(cast(RECORD.c.opening_moves, String))
    early = _Compact(func.substr(cast(RECORD.c.moves, String), 1, 2 * len(moves)))
    wanted, long = literal(moves, String), func.length(given)
    plain: ColumnElement[str] = case((given == "[]", early), else_=func.replace(given + early, "][", ","))
    for mark, written in (('["', ""), ('"]', ""), ('","', " ")):
        plain = func.replace(plain, mark, written)
    line, text = start + " " + plain + " ", " ".join(words) + " "
    begins = case(
        (start.is_not(None), func.substr(line, 1, len(text)) == text),
        (given == "[]", func.substr(early, 1, len(moves)) == wanted),
        (long > len(moves), func.substr(given, 1, len(moves)) == wanted),
        else_=and_(  # the given moves are the first words, and those that were played the others
            func.substr(given, 1, long - 1) == func.substr(wanted, 1, long - 1),
            func.substr(early, 2, len(moves) - long) == func.substr(wanted, long + 1),
        ),
    )
    return select(RECORD.c.game_id).where(begins)


class _Compact(FunctionElement[str]):
    """An array of texts without blanks: a server writes one after each comma."""

    inherit_cache = True
    type = String()


@compiles(_Compact)
def _on_server(element: _Compact, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401 - SQLAlchemy's own signature
    return f"""replace({compiler.process(element.clauses, **options)}, '", "', '","')"""


@compiles(_Compact, "sqlite")
def _in_file(element: _Compact, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401 - as above
    return compiler.process(element.clauses, **options)


def _upsets(strengths: Mapping[str, float]) -> Select[Any]:
    """Select the games whose winner is far weaker than an engine that it beat."""
    if not strengths:
        return select(_SEAT.c.game_id).where(false())
    elo = case(dict(strengths), value=ENGINE.c.name).label("elo")
    rated = select(ENGINE.c.id, elo).cte("rated")
    strong, weak = rated.alias("strong"), rated.alias("weak")
    pairs = select(weak.c.id, strong.c.id).join_from(weak, strong, strong.c.elo - weak.c.elo >= UPSET)
    return (
        select(_SEAT.c.game_id)
        .join(_OTHER, _OTHER.c.game_id == _SEAT.c.game_id)
        .where(_SEAT.c.rank == 1, _OTHER.c.rank > 1)
        .where(_SEAT.c.engine_id.in_(pairs.with_only_columns(weak.c.id)))  # few engines or none
        .where(tuple_(_SEAT.c.engine_id, _OTHER.c.engine_id).in_(pairs))
    )


def _groups(conditions: list[Condition]) -> Select[Any]:
    """Group games with equal seats, reasons and opening lines; select the seats of one game of each group."""
    given, moves = _Compact(cast(RECORD.c.opening_moves, String)), cast(RECORD.c.moves, String)
    first, second = (func.coalesce(RECORD.c.moves[ply].as_string(), "") for ply in (0, 1))
    odd = [one.like(mark) for one in (first, second) for mark in ("?%", "!%")]  # a fault, or a removal
    early = case(
        (or_(RECORD.c.opening_position.is_not(None), given != "[]"), ""),
        (or_(*odd), moves),
        else_=first + " " + second,
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

    ``early`` has the first moves if no opening was given, or all as an array if some are none.
    """
    if early.startswith("["):
        early = " ".join([text for text in mapping.move_texts(early) if text[:1] not in "?!"][:2])
    return " ".join(filter(None, [start, *mapping.move_texts(given), early.strip()]))
