"""The damaged games of a database as data for ``--json``."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["games_as_data"]


def games_as_data(reasons: Mapping[int, str]) -> list[dict[str, object]]:
    """Return a list of the games; ``reasons`` says what is wrong with each, by its number."""
    return [{"game": number, "reason": reason} for number, reason in sorted(reasons.items())]
