"""Copy a whole database to another place: from a file to a server, back, or between two of a kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, zip_longest
from typing import Any, TypeAlias

from sqlalchemy import Table, delete, insert, select
from sqlalchemy.exc import IntegrityError

from arena.address import full_name
from arena.errors import StoreError
from arena.model import RatingListRecord, TournamentRecord
from arena.store.mapping import storable
from arena.store.queries import GAMES_AT_ONCE
from arena.store.rows import DOOR_TABLES
from arena.store.store import DatabaseContents, Store

DoorRow: TypeAlias = tuple[Table, Mapping[str, Any]]
"""A table of the door and the values of one of its rows, by column."""


@dataclass(frozen=True, slots=True)
class CopySummary:
    """How many games were copied, and how many an earlier copy had copied."""

    copied: int
    existing: int


def copy_database(source: Store, target: Store, show: Callable[[str, int], None]) -> CopySummary:
    """Copy tournaments, settings of rating lists, games and doors, and compare the copy with the source.

    Games keep their numbers, and a copy continues one that was interrupted. Doors change, so all their rows
    are copied again.
    """
    if full_name(source.address) == full_name(target.address):
        raise StoreError(f"{target.address}: is the database to copy; name another one")
    contents, there = source.contents(), target.contents()
    _check_continues(source, target, contents, there)
    fill(target, contents.tournaments, contents.rating_lists)
    copied = 0
    games = source.finder.records(after=there.last, last=contents.last, verify=True)
    while batch := list(islice(games, GAMES_AT_ONCE)):
        target.add_games(batch, numbered=True)
        copied += len(batch)
        show("copied", copied)
    existing = _compare(source, target, contents, show) - copied
    doors = list(door_rows(source))
    replace_doors(target, doors)
    if list(door_rows(target)) != doors:
        raise _different(source, target, "participants or submissions of a door")
    return CopySummary(copied, existing)


def fill(
    target: Store, tournaments: Iterable[TournamentRecord], rating_lists: Iterable[RatingListRecord]
) -> None:
    """Store tournaments and settings of rating lists."""
    for tournament in tournaments:
        target.begin_tournament(tournament.name, tournament.settings, tournament.outline, tournament.created)
    for record in rating_lists:
        target.rating_lists.set(record.game, record.settings)


def door_rows(store: Store) -> Iterator[DoorRow]:
    """Yield all rows of doors, table by table, as they are at one moment. Null characters are replaced."""
    with store.database.reading() as session:
        for table in DOOR_TABLES:
            for row in session.execute(select(table).order_by(table.c.id)).mappings():
                texts = {name: storable(value) for name, value in row.items() if isinstance(value, str)}
                yield table, {**row, **texts}


def replace_doors(store: Store, rows: Iterable[DoorRow], refused: list[str] | None = None) -> None:
    """Store these rows, in the order of `DOOR_TABLES`, instead of all that are stored, in one transaction.

    Rows that contradict earlier ones are left out and named in ``refused``; without it, nothing is stored
    then.
    """
    with store.database.writing() as session:
        for table in reversed(DOOR_TABLES):
            session.execute(delete(table))
        for table, values in rows:
            try:
                with session.begin_nested():
                    session.execute(insert(table).values(values))
            except IntegrityError as error:
                if refused is None:
                    raise
                refused.append(f"{name_of(table, values)} is lost: {error.orig}")


def name_of(table: Table, values: Mapping[str, Any]) -> str:
    """Return the name of a row in messages."""
    return f"{table.name.replace('_', ' ')} {values['id']!a}"


def _check_continues(
    source: Store, target: Store, contents: DatabaseContents, there: DatabaseContents
) -> None:
    """Check that the target has nothing but the first tournaments and games of the source."""
    ours, theirs = (
        [(record.name, record.created) for record in each.tournaments] for each in (contents, there)
    )
    lists = {record.game for record in there.rating_lists} - {record.game for record in contents.rating_lists}
    same = theirs == ours[: len(theirs)] and not lists and there.last <= contents.last
    if same and there.last:
        last = there.last - 1
        mine, others = (list(store.finder.records(after=last, last=there.last)) for store in (source, target))
        same = mine == others
    if not same:
        raise StoreError(
            f"{target.address}: has other tournaments or games than {source.address}; copy into an empty"
            " database, or continue an earlier copy of the same one"
        )


def _compare(
    source: Store, target: Store, contents: DatabaseContents, show: Callable[[str, int], None]
) -> int:
    """Compare the copy with the source, and return the number of games."""
    there = target.contents()
    if there != contents:
        raise _different(source, target, "tournaments or settings of rating lists")
    count = 0
    games = (store.finder.records(last=contents.last, verify=True) for store in (source, target))
    for ours, theirs in zip_longest(*games):
        if ours != theirs:
            game = ours or theirs
            raise _different(source, target, f"game {None if game is None else game.result.id}")
        count += 1
        if count % GAMES_AT_ONCE == 0:
            show("compared", count)
    return count


def _different(source: Store, target: Store, what: str) -> StoreError:
    return StoreError(
        f"{target.address}: the copy differs from {source.address}: {what}; remove the copy and make it again"
    )
