"""Register a tournament in the database, and check that its settings never change."""

from __future__ import annotations

from collections.abc import Mapping

from sqlmodel import Session, select

from arena.address import Address
from arena.errors import ChangedSettings
from arena.model import TournamentRecord
from arena.store.checksums import store_rows
from arena.store.dialects import from_table
from arena.store.errors import InvalidRow
from arena.store.mapping import whole_rows
from arena.store.rows import TOURNAMENT, TournamentRow

__all__ = ["begin", "check_settings", "tournament"]


def begin(session: Session, address: Address, record: TournamentRecord) -> TournamentRecord:
    """Register a tournament, or add settings and the new outline to the stored one; return what is stored.

    Raises:
        ChangedSettings: a setting has another value than at the beginning.
    """
    row = session.exec(
        select(TournamentRow).where(from_table(TOURNAMENT.c.name) == record.name)
    ).one_or_none()
    if row is None:
        row = whole_rows.tournament_row(record)
        session.add(row)
    else:
        stored = check_settings(address, row, record.settings)
        row.settings = whole_rows.tournament_settings({**stored, **record.settings}, record.outline)
    session.flush()
    store_rows(session.connection(), TOURNAMENT, TOURNAMENT.c.id == row.id)
    return whole_rows.tournament_record(row)


def check_settings(address: Address, row: TournamentRow, settings: Mapping[str, str]) -> Mapping[str, str]:
    """Compare settings with those of a stored tournament, and return the stored ones.

    Raises:
        ChangedSettings: a setting has another value.
    """
    stored = whole_rows.tournament_record(row).settings
    for key, value in settings.items():
        if stored.get(key, value) != value:
            raise ChangedSettings(
                f"{address}: tournament {row.name!r} was begun with {key} = {stored[key]}, and now"
                f" it is {value}; set it back, or give the tournament another name"
            )
    return stored


def tournament(session: Session, name: str) -> TournamentRow:
    """Return the row of a stored tournament.

    Raises:
        InvalidRow: there is none of this name.
    """
    row = session.exec(select(TournamentRow).where(from_table(TOURNAMENT.c.name) == name)).one_or_none()
    if row is None:
        raise InvalidRow(f"there is no tournament {name!a}")
    return row
