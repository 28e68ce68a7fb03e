"""Find games by who played them and how they went, and count them.

Of 100,000 games a search reads all rows of ``game`` in 15 ms, of ``player`` in 20 ms and of
``record``, which are wide, in 50 ms, so an index would only make storing slower.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Select,
    String,
    case,
    cast,
    false,
    func,
    literal,
    or_,
    select,
    tuple_,
)
from sqlmodel import Session

from arena.model import GameRecord, GameResult
from arena.scoring import GameScore
from arena.store import mapping, queries
from arena.store.database import Database
from arena.store.errors import InvalidRow
from arena.store.queries import GAMES_AT_ONCE, Condition
from arena.store.rows import ENGINE, GAME, PLAYER, RECORD, TOURNAMENT
from referee.outcome import Termination

_NEAR: Final = 2_000
"""The games that are asked one by one, before all games that meet a condition are looked up."""

_FORFEITS: Final = [kind.value for kind in Termination if kind.is_forfeit]
_FAULTS: Final = [kind.value for kind in Termination if kind.is_fault]
_SEAT: Final = PLAYER.alias("own")
_OTHER: Final = PLAYER.alias("other")


@dataclass(frozen=True, slots=True)
class GameSearch:
    """The games to find: those that meet all conditions; "", None and an empty tuple are none."""

    tournament: str | None = None
    game: str | None = None  # the id
    engines: tuple[str, ...] = ()  # all of them play in the game
    seat: int | None = None  # of the first engine, from 0
    result: str = ""  # one of `RESULTS`; "won" and "lost" need an engine
    reason: str = ""  # for the end: a reason, a termination, or the forfeit of a player
    opening: str = ""  # how its moves start; a start position comes before them
    least: int = 0  # of its plies
    most: int | None = None
    upset: Mapping[str, float] | None = None  # strengths: the winner is by `UPSET` weaker than one it beat
    worker: str | None = None  # that played it; "" is the machine of `arena run`

    @property
    def is_quick(self) -> bool:
        """Whether its games can be counted in one statement, even among a hundred thousand."""
        seats = self.result == "decided" or (self.result not in ("", "void") and not self.engines)
        return not self.opening and self.upset is None and not seats


RESULTS: Final = ("won", "lost", "drawn", "decided", "forfeited", "void")
"""How the first engine ended a game, or how it ended: drawn is a shared first place, decided another end."""

UPSET: Final = 100.0
"""In Elo."""

ORDERS: Final = ("newest", "oldest", "longest", "shortest")
"""The orders of games that are found."""


class Facets(NamedTuple):
    """What games can be searched for: their ids, their engines, and the reasons for their ends, sorted."""

    games: tuple[str, ...]
    engines: tuple[str, ...]
    reasons: tuple[str, ...]


class Meeting(NamedTuple):
    """Games of a tournament that count, with the same score, reason for the end and opening line."""

    tournament: str
    game: str
    score: GameScore
    reason: str
    opening: str  # at least two plies; "" without a move
    games: int


EVERY_GAME: Final = GameSearch()


@dataclass(frozen=True, slots=True)
class Finder:
    """Finds games."""

    database: Database

    def find(
        self, search: GameSearch, most: int, *, order: str = "newest", after: int | None = None
    ) -> list[GameRecord]:
        """Return at most ``most`` games in one of `ORDERS`; ``after`` is the last number already seen."""
        with self.database.reading() as session:
            numbers = _numbers(session, search, most, order, after)
            games = {game.result.id: game for game in queries.games(session, [GAME.c.id.in_(numbers)])}
        return [games[number] for number in numbers if number in games]

    def results(
        self, search: GameSearch, most: int | None = None, *, after: int | None = None
    ) -> list[GameResult]:
        """Return the results of at most ``most`` games (None: of all), the newest first, without moves."""
        with self.database.reading() as session:
            numbers = _numbers(session, search, most, "newest", after)
            results = queries.results(session, [GAME.c.id.in_(numbers)])
        return sorted(results, key=lambda result: -(result.id or 0))

    def count(self, search: GameSearch) -> int:
        """Return the number of games."""
        query = select(func.count(GAME.c.id)).where(*_conditions(search), *_among(_rare(search)))
        number: int = self.database.value(query)
        return number

    def records(
        self,
        search: GameSearch = EVERY_GAME,
        *,
        after: int = 0,
        last: int | None = None,
        verify: bool = False,
    ) -> Iterator[GameRecord]:
        """Yield the whole games in the order of their numbers, with few of them in memory.

        Their numbers are above ``after``, and at most ``last``. With ``verify`` each is compared with its
        checksum.
        """
        conditions = [*_conditions(search), *map(_is_among, _rare(search))]
        if last is not None:
            conditions.append(GAME.c.id <= last)
        while True:
            ids = select(GAME.c.id).where(GAME.c.id > after, *conditions)
            with self.database.reading() as session:
                page = session.execute(ids.order_by(GAME.c.id).limit(GAMES_AT_ONCE))
                numbers = list(page.scalars())
                if not numbers:
                    return
                batch = queries.games(session, [GAME.c.id.in_(numbers)], verify=verify)
            yield from batch
            after = numbers[-1]

    def with_keys(self, tournament: str | None, keys: Collection[str], *, counts: bool) -> list[GameRecord]:
        """Return the games that have one of the keys: those that count, or the void ones.

        None for the tournament means any one.
        """
        counting = queries.SCORED_BY_INDEX if counts else ~queries.SCORED
        conditions = [*queries.game_conditions(tournament), GAME.c.key.in_(keys), counting]
        if tournament is None:  # so that the index can be used
            conditions.append(GAME.c.tournament_id.in_(select(TOURNAMENT.c.id)))
        with self.database.reading() as session:
            return queries.games(session, conditions)

    def has_keys(self, start: str) -> bool:
        """Return whether the key of a game starts like this."""
        return self.database.value(select(GAME.c.id).where(GAME.c.key.startswith(start)).limit(1)) is not None

    def neighbours(self, result: GameResult) -> tuple[int | None, int | None]:
        """Return the numbers of the games before and after a game, in its tournament and of its game id."""
        same = queries.game_conditions(result.tournament, result.game)
        with self.database.reading() as session:

            def first(condition: Condition, order: ColumnElement[int]) -> int | None:
                query = select(GAME.c.id).where(condition, *same).order_by(order).limit(1)
                return session.execute(query).scalar()

            before = first(GAME.c.id < result.id, GAME.c.id.desc())
            return before, first(GAME.c.id > result.id, GAME.c.id)

    def facets(self, tournament: str | None) -> Facets:
        """Return what games of a tournament, or of all, can be searched for."""
        here = queries.game_conditions(tournament)
        texts = (
            select(GAME.c.game).where(*here),
            select(ENGINE.c.name).join(PLAYER, PLAYER.c.engine_id == ENGINE.c.id).join(GAME).where(*here),
            select(GAME.c.reason).where(*here),
        )
        sorted_texts = (sorted(text for (text,) in self.database.rows(query.distinct())) for query in texts)
        return Facets(*map(tuple, sorted_texts))

    def versions(self, search: GameSearch) -> list[tuple[str, float]]:
        """Return the versions of the first engine, and when the first game of each started, in this order."""
        # A tuned engine has thousands of rows: the games are read once, and not for each of them.
        uses = (
            select(PLAYER.c.engine_id, func.min(GAME.c.started).label("started"))
            .join_from(PLAYER, GAME, GAME.c.id == PLAYER.c.game_id)
            .where(PLAYER.c.engine_id.in_(_versions(search.engines[0])), *_conditions(search))
            .group_by(PLAYER.c.engine_id)
            .subquery()
        )
        first = func.min(uses.c.started)
        query = (
            select(ENGINE.c.version, first)
            .join_from(uses, ENGINE, ENGINE.c.id == uses.c.engine_id)
            .group_by(ENGINE.c.version)
            .order_by(first)
        )
        return list(map(tuple, self.database.rows(query)))

    def meetings(self, search: GameSearch) -> list[Meeting]:
        """Return the games that count in groups, see `Meeting`."""
        columns = (GAME.c.tournament_id, GAME.c.game, GAME.c.reason, GAME.c.opening, _first_moves())
        with self.database.reading() as session:
            tournaments = queries.stored_tournaments(session)
            groups = queries.scores(session, columns, _conditions(search), counted=True, course=True)
            try:
                return [
                    Meeting(tournaments[tournament], game, score, reason, opening or _played(moves), games)
                    for tournament, game, reason, opening, moves, score, games in groups
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
        ids = select(GAME.c.id).where(*_conditions(search), GAME.c.id.in_(faulty))
        with self.database.reading() as session:
            numbers = list(session.execute(ids.order_by(GAME.c.id.desc()).limit(most)).scalars())
            return queries.games(session, [GAME.c.id.in_(numbers)])[::-1]


def _numbers(
    session: Session, search: GameSearch, most: int | None, order: str, after: int | None
) -> Sequence[int]:
    """Return the numbers of the games that are found, in their order."""
    ids = select(GAME.c.id).where(*_conditions(search))
    rare = [*_rare(search)]
    direction = (GAME.c.plies, GAME.c.id) if order in ("longest", "shortest") else (GAME.c.id,)
    descending = order in ("newest", "longest")
    if after is not None:
        ids = ids.where(_beyond(direction, after, descending=descending))
    ordered = [column.desc() if descending else column for column in direction]
    ids = ids.order_by(*ordered)
    one_by_one = [_is_among(games) for games in rare]
    near = select(GAME.c.id).where(GAME.c.id.in_(ids.limit(_NEAR)), *one_by_one).order_by(*ordered)

    def first(query: Select[Any]) -> Sequence[int]:
        return session.execute(query.limit(most)).scalars().all()

    if search.engines or not rare:  # few games are left to ask, or nothing is
        return first(ids.where(*one_by_one))
    if most is None:
        return first(ids.where(*_among(rare)))
    numbers = first(near)
    if len(numbers) < most:  # if some are near, enough are not far
        numbers = first(ids.where(*(one_by_one if 10 * len(numbers) > most else _among(rare))))
    return numbers


def _conditions(search: GameSearch) -> list[Condition]:
    """Return the conditions of a search but the `_rare` ones."""
    conditions = [*queries.game_conditions(search.tournament, search.game), *_seated(search)]
    if search.result == "void":
        conditions.append(~queries.SCORED)
    if search.reason:
        faults = select(PLAYER.c.game_id).where(PLAYER.c.forfeit == search.reason)
        words = (GAME.c.reason, GAME.c.termination)
        conditions.append(or_(*(word == search.reason for word in words), GAME.c.id.in_(faults)))
    if search.worker is not None:
        conditions.append(GAME.c.worker == search.worker)
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


def _among(selects: Iterable[Select[Any]]) -> list[Condition]:
    """Return the conditions that all queries find the game; each finds its games only once."""
    return [GAME.c.id.in_(games) for games in selects]


def _is_among(games: Select[Any]) -> Condition:
    """Return the condition that a query finds the game, which is tested for one game at a time."""
    return games.where(games.selected_columns[0] == GAME.c.id).correlate(GAME).exists()


def _seated(search: GameSearch) -> Iterator[Condition]:
    """Yield the conditions that the engines play, and how the first one does."""
    for place, name in enumerate(search.engines):
        conditions: list[Condition] = [_SEAT.c.engine_id.in_(_versions(name))]
        if place == 0 and search.seat is not None:
            conditions.append(_SEAT.c.seat == search.seat)
        if place == 0 and search.result not in ("", "decided", "void"):
            conditions.append(_ended(search.result))
        seats = select(_SEAT.c.game_id).where(*conditions)
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
    """Return the condition that a game comes after one with a number, in an order by its plies and number."""
    last = GAME.alias("last")
    plies = select(last.c.plies).where(last.c.id == number).scalar_subquery()
    place, seen = tuple_(*order), tuple_(*(plies, literal(number))[-len(order) :])
    return place < seen if descending else place > seen


def _opened(opening: str) -> Select[Any]:
    """Select the games whose opening and moves start with these words."""
    text = " ".join(opening.split()) + " "
    moves: ColumnElement[str] = func.substr(cast(RECORD.c.moves, String), 1, 6 * len(text))
    for mark, written in (('", "', " "), ('","', " "), ('["', ""), ('"]', "")):  # a server writes blanks
        moves = func.replace(moves, mark, written)
    line = func.ltrim(GAME.c.opening + " " + moves + " ")
    starts = func.substr(line, 1, len(text)) == text
    return select(RECORD.c.game_id).join(GAME).where(starts)


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


def _first_moves() -> ColumnElement[str]:
    """Return the first two moves of a game that was given no opening; all as an array if one is no move."""
    first, second = (func.coalesce(RECORD.c.moves[ply].as_string(), "") for ply in (0, 1))
    odd = [move.like(mark) for move in (first, second) for mark in ("?%", "!%")]  # a fault, or a removal
    return case(
        (GAME.c.opening != "", ""),
        (or_(*odd), cast(RECORD.c.moves, String)),
        else_=first + " " + second,
    )


def _played(moves: str) -> str:
    """Return the first two moves, without faults and removals, from what `_first_moves` selects."""
    if not moves.startswith("["):
        return moves.strip()
    return " ".join([text for text in mapping.decoded(moves, list[str]) if text[:1] not in "?!"][:2])
