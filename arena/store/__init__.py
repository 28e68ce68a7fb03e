"""The database of tournaments, in SQLite or PostgreSQL, through SQLModel and SQLAlchemy.

Here is all SQL but the door's. Every transaction is a SQLModel session. Rows that are read or written as a
whole are models (`arena.store.rows`). Thousands of games, and parts of rows, go through the tables of
SQLAlchemy's Core: with models, storing took 4.5 times as long, reading results 4 times, and counting
12 times. Rows never leave this package: `arena.store.mapping` converts them to values, checked, and back.

Each game has one checksum: the CRC-32 of its line in an export as JSON lines (`arena.model.export_line`).
"""

from arena.store.finder import Facets, GameSearch, Meeting
from arena.store.queries import ALL_GAMES, REMOTE_GAMES, GameFilter, ScheduleOrder
from arena.store.rating_lists import Checkpoint, RatedGame
from arena.store.store import EngineUse, Store, TournamentInfo

__all__ = [
    "ALL_GAMES",
    "REMOTE_GAMES",
    "Checkpoint",
    "EngineUse",
    "Facets",
    "GameFilter",
    "GameSearch",
    "Meeting",
    "RatedGame",
    "ScheduleOrder",
    "Store",
    "TournamentInfo",
]
