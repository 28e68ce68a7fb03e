"""Convert the rows that are read or written as a whole: tournaments, rating lists, checkpoints.

msgspec converts a row that is read. It compares each value with the declared type of the dataclass.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeVar

import msgspec

from arena.model import RatingListRecord, TournamentRecord
from arena.store.errors import InvalidRow
from arena.store.rows import CheckpointRow, RatingListRow, TournamentRow
from arena.store.values import Checkpoint

__all__ = [
    "checked",
    "checkpoint",
    "checkpoint_row",
    "rating_list_from",
    "rating_list_record",
    "tournament_from",
    "tournament_record",
    "tournament_row",
    "tournament_settings",
]

_OUTLINE: Final = "outline"
"""The only key of `TournamentRow.settings` whose value may change: the pairing plan."""

_T = TypeVar("_T")


def checked(value: object, kind: type[_T]) -> _T:
    """Return the value, converted to the type ``kind``; every part must have the declared type.

    Raises:
        InvalidRow: a part has another type.
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise InvalidRow(str(error)) from error


def tournament_row(record: TournamentRecord) -> TournamentRow:
    """Return the row of a new tournament."""
    settings = tournament_settings(record.settings, record.outline)
    return TournamentRow(name=record.name, created=record.created, settings=settings)


def tournament_settings(settings: Mapping[str, str], outline: str) -> dict[str, str]:
    """Return the value of `TournamentRow.settings`."""
    return {**settings, _OUTLINE: outline}


def tournament_record(row: TournamentRow) -> TournamentRecord:
    """Return the tournament in a row.

    Raises:
        InvalidRow: a value is of another type than arena writes.
    """
    return tournament_from(row.name, row.created, row.settings)


def tournament_from(name: str, created: float, settings: object) -> TournamentRecord:
    """Return a tournament from the columns of its row.

    Raises:
        InvalidRow: a value is of another type than arena writes.
    """
    texts = checked(settings, dict[str, str])
    outline = texts.pop(_OUTLINE, "")
    return checked(
        {"name": name, "created": created, "settings": texts, "outline": outline}, TournamentRecord
    )


def rating_list_record(row: RatingListRow) -> RatingListRecord:
    """Return the settings of a rating list in a row.

    Raises:
        InvalidRow: a value is of another type than arena writes.
    """
    return rating_list_from(row.game, row.settings)


def rating_list_from(game: str, settings: object) -> RatingListRecord:
    """Return the settings of a rating list from the columns of its row.

    Raises:
        InvalidRow: a value is of another type than arena writes.
    """
    return checked({"game": game, "settings": settings}, RatingListRecord)


def checkpoint_row(game: str, model: str, value: Checkpoint) -> CheckpointRow:
    """Return the row of a checkpoint of the rating list of ``game`` with the settings ``model``."""
    return CheckpointRow(
        game=game,
        model=model,
        games=value.games,
        tournament_id=value.place.tournament,
        number=value.place.number,
        key=value.place.key,
        duration=value.duration,
        ratings=dict(value.ratings),
    )


def checkpoint(row: CheckpointRow) -> Checkpoint:
    """Return the checkpoint in a row.

    Raises:
        InvalidRow: a value is of another type than arena writes.
    """
    values = {
        "games": row.games,
        "place": (row.tournament_id, row.number, row.key),
        "duration": row.duration,
        "ratings": row.ratings,
    }
    return checked(values, Checkpoint)
