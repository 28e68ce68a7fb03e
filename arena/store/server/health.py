"""Check a database on a server: its tables, and the checksum of every row. Change nothing.

The server itself knows whether its files are sound; see ``pg_amcheck`` and data checksums in its manual.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import or_, select
from sqlmodel import Session

from arena.address import ServerAddress
from arena.errors import DamagedDatabase, MissingDatabase, StoreError
from arena.store import checksums, queries
from arena.store.checksums import game_checksum, result_sum
from arena.store.errors import ChangedRow, InvalidRow
from arena.store.rows import GAME
from arena.store.schema.migrations import HEAD
from arena.store.schema.shape import missing_part_of
from arena.store.server.database import ServerDatabase
from arena.store.server.errors import what_is_damaged
from arena.store.server.schema import columns, revision_of
from arena.store.values import Health

__all__ = ["check_server"]

_BATCH = 200
"""The most games in one read."""


def check_server(address: ServerAddress) -> Health:
    """Read the whole database in one transaction.

    Raises:
        StoreError: there is no database of arena, its schema is older or newer, or the server has a fault.
    """
    database = ServerDatabase(address)
    try:
        with database.reading() as session:
            return _check(address, session)
    finally:
        database.close()


def _check(address: ServerAddress, session: Session) -> Health:
    connection = session.connection()
    try:
        revision = revision_of(address, connection)
    except DamagedDatabase as error:
        return Health(0, (what_is_damaged(address, error),), {}, verified=False)
    if not revision:
        raise MissingDatabase(f"{address}: the database is empty")
    if revision != HEAD:
        raise StoreError(
            f"{address}: has the schema {revision}, and only {HEAD} can be checked; other commands bring"
            " an older one up to date"
        )
    if missing := missing_part_of(columns(connection)):
        return Health(0, (f"it has no {missing}",), {}, verified=False)
    problems = [f"{row} is not as arena stored it" for row in checksums.changed_rows(connection)]
    wrong = or_(
        GAME.c.checksum.is_distinct_from(game_checksum()), GAME.c.result_sum.is_distinct_from(result_sum())
    )
    changed = connection.execute(select(GAME.c.id).where(wrong)).scalars()
    damaged = dict.fromkeys(changed, "it is not as arena stored it")
    sound = 0
    for numbers in _batches(session):
        intact = [number for number in numbers if number not in damaged]
        damaged |= _unreadable(session, intact)
        sound += sum(number not in damaged for number in numbers)
    return Health(sound, tuple(problems), dict(sorted(damaged.items())), verified=True)


def _batches(session: Session) -> Iterator[list[int]]:
    """Yield the numbers of all games, some at a time."""
    done = 0
    while True:
        page = select(GAME.c.id).where(GAME.c.id > done).order_by(GAME.c.id).limit(_BATCH)
        numbers = list(session.connection().execute(page).scalars())
        if not numbers:
            return
        yield numbers
        done = numbers[-1]


def _unreadable(session: Session, numbers: list[int]) -> dict[int, str]:
    """Return why games cannot be read, by their numbers."""
    try:
        queries.games(session, [GAME.c.id.in_(numbers)])
    except (InvalidRow, ChangedRow) as error:
        if len(numbers) == 1:
            return {numbers[0]: f"it holds a value that arena never writes ({error})"}
        return {key: why for number in numbers for key, why in _unreadable(session, [number]).items()}
    return {}
