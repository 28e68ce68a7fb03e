"""Where results are kept: SQLite, by SQLModel and SQLAlchemy. All SQL is in this package.

Every transaction is a SQLModel session (`arena.store.database`). Two ways of reading and writing share it:

- **Models** (`arena.store.rows`), for rows that are read or written as a whole: tournaments, rating lists
  and their checkpoints, engines, and the record of a game when it is read.
- **SQLAlchemy's Core**, on ``session.connection()``, where games come by the thousand: storing them
  (`arena.store.inserts`), reading and counting results (`arena.store.queries`). By models the same takes 4.5
  times as long for storing, 4 times for results and 12 times for a tally, which the database counts
  (``benchmarks/store_models.py``, 20,000 games). Statements that give or change parts of rows are Core, too.

`arena.store.mapping` converts rows to values and back, and checks what was read. Rows never leave this
package.
"""

from arena.store.store import Store
from arena.store.values import Checkpoint, RatedGame, ScheduleOrder, TournamentInfo

__all__ = ["Checkpoint", "RatedGame", "ScheduleOrder", "Store", "TournamentInfo"]
