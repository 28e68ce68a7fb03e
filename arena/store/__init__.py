"""The database of tournaments, in SQLite or PostgreSQL, through SQLModel and SQLAlchemy.

All SQL is in this package, but for that of the door (`arena.door.register`).

Every transaction is a SQLModel session (`arena.store.database`). Two ways of reading and writing share it:

- **Models** (`arena.store.rows`), for rows that are read or written as a whole: tournaments, rating lists
  and their checkpoints, engines, and the record of a game when it is read.
- **SQLAlchemy's Core**, on ``session.connection()``, for thousands of games at once (`arena.store.changes`,
  `arena.store.queries`), and for statements that read or change parts of rows. With models, storing took 4.5
  times as long, reading results 4 times, and counting 12 times, because with Core the database counts.

`arena.store.mapping` converts rows to values and back, and checks the values that it reads. Rows never
leave this package.

Each game has one checksum: the CRC-32 of its line in an export as JSON lines (`arena.model.export_line`).
"""

from arena.store.store import Store
from arena.store.values import ALL_GAMES, Checkpoint, GameFilter, RatedGame, ScheduleOrder, TournamentInfo

__all__ = ["ALL_GAMES", "Checkpoint", "GameFilter", "RatedGame", "ScheduleOrder", "Store", "TournamentInfo"]
