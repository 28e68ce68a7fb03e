"""Read what can be read of the doors of a damaged database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from sqlalchemy import JSON

from arena.store.checksums import covered
from arena.store.damage.salvage import Salvage
from arena.store.database import decoded
from arena.store.door_copies import TABLES, DoorRow, sound_rows
from arena.store.errors import InvalidRow

__all__ = ["door_rows"]


def door_rows(salvage: Salvage) -> list[DoorRow]:
    """Return the rows that can be stored again. `Salvage.problems` says what cannot."""
    return list(sound_rows(_rows(salvage), salvage.problems))


def _rows(salvage: Salvage) -> Iterator[DoorRow]:
    for table in TABLES:
        arrays = [column.name for column in table.columns if isinstance(column.type, JSON)]
        names = [column.name for column in covered(table)]
        for row in salvage.small_rows(table.name, names):
            values = dict(zip(names, row, strict=True))
            for name in arrays:
                with suppress(InvalidRow, TypeError):  # then it stays a text, which is not sound
                    values[name] = decoded(values[name])
            yield table, values
