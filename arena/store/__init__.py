"""Where results are kept: SQLite, by SQLModel. All SQL is in this package."""

from arena.store.store import Store
from arena.store.values import Checkpoint, Place, Scored, TournamentInfo

__all__ = ["Checkpoint", "Place", "Scored", "Store", "TournamentInfo"]
