"""``[adjudication]`` of a tournament file."""

from __future__ import annotations

from arena.config.schema import AdjudicationTable, DrawTable, ResignTable
from arena.config.source import Key, Source
from arena.config.spec import AdjudicationSpec
from arena.config.values import at_least, chosen
from referee.match.adjudication import DrawRule, ResignRule

__all__ = ["read_adjudication"]

_TABLE = ("adjudication",)
_SIDES = ("both", "one")


def read_adjudication(source: Source, table: AdjudicationTable) -> AdjudicationSpec:
    """Read the table.

    Raises:
        ConfigError: a number that makes no sense, or one that is missing.
    """
    plies = _off_or(source, (*_TABLE, "plies"), table.plies, 1)
    repetition = _off_or(source, (*_TABLE, "repetition"), table.repetition, 2)
    return AdjudicationSpec(
        repetition=3 if repetition is None else repetition or None,
        plies="game" if plies is None else plies or None,
        seconds=_off_or(source, (*_TABLE, "max_time"), table.max_time, 1) or None,
        resign=None if table.resign is None else _resign(source, table.resign),
        draw=None if table.draw is None else _draw(source, table.draw),
    )


def _off_or(source: Source, key: Key, value: int | None, least: int) -> int | None:
    """``value`` when it is 0, for off, or at least ``least``; None when it isn't given."""
    if value is not None and value != 0 and value < least:
        raise source.error(key, f"this must be {least} or more, or 0 for off, not {value}")
    return value


def _resign(source: Source, table: ResignTable) -> ResignRule:
    key = (*_TABLE, "resign")
    return ResignRule(
        score=at_least(source, (*key, "score"), table.score, 1, 0),
        moves=at_least(source, (*key, "moves"), table.moves, 1, 4),
        both=chosen(source, (*key, "sides"), table.sides, _SIDES) == "both",
    )


def _draw(source: Source, table: DrawTable) -> DrawRule:
    key = (*_TABLE, "draw")
    return DrawRule(
        score=at_least(source, (*key, "score"), table.score, 0, 0),
        moves=at_least(source, (*key, "moves"), table.moves, 1, 8),
        after=at_least(source, (*key, "after"), table.after, 0, 0),
    )
