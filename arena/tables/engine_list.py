"""The engines of a database as plain values."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from arena.store import Store


class EngineRow(TypedDict):
    """An engine of a database: its name, its versions, and the number of its games by game id."""

    engine: str
    versions: list[str]
    games: dict[str, int]


def engine_list(store: Store) -> list[EngineRow]:
    """Return the engines, sorted by name."""
    games: dict[str, dict[str, int]] = {}
    for game_id, tally in store.tally().items():
        for game_score, number in tally.items():
            for name in {seat_score.name for seat_score in game_score}:
                counts = games.setdefault(name, {})
                counts[game_id] = counts.get(game_id, 0) + number
    versions: dict[str, list[str]] = {}
    for name, version in store.programs():
        versions.setdefault(name, []).append(version)
    return [
        {"engine": name, "versions": sorted(versions.get(name, [])), "games": counts}
        for name, counts in sorted(games.items())
    ]
