"""The database of tournaments, in SQLite or PostgreSQL, through SQLModel and SQLAlchemy.

All SQL is in this package.

Every transaction is a SQLModel session (`arena.store.database`). Two ways of reading and writing share it:

- **Models** (`arena.store.rows`), for rows that are read or written as a whole: tournaments, rating lists
  and their checkpoints, engines, and the record of a game when it is read.
- **SQLAlchemy's Core**, on ``session.connection()``, for thousands of games at once: storing them
  (`arena.store.inserts`), reading and counting results (`arena.store.queries`). With models, storing takes
  4.5 times as long and reading results 4 times as long. Counting takes 12 times as long, because with Core
  the database counts (``benchmarks/store_models.py``, 20,000 games). Statements that read or change parts of
  rows use Core, too.

`arena.store.mapping` converts rows to values and back, and checks the values that it reads. Rows never
leave this package.
"""

from arena.store.store import Store
from arena.store.values import ALL_GAMES, Checkpoint, GameFilter, RatedGame, ScheduleOrder, TournamentInfo

__all__ = ["ALL_GAMES", "Checkpoint", "GameFilter", "RatedGame", "ScheduleOrder", "Store", "TournamentInfo"]
