"""Where results are kept: SQLite, by SQLModel tables. All SQL is in this package."""

from arena.store.store import Store, TournamentInfo

__all__ = ["Store", "TournamentInfo"]
