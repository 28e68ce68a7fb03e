"""Where results are kept: SQLite, by SQLModel tables. All SQL is in this package."""

from arena.store.outcomes import Place, Scored
from arena.store.rating_lists import Checkpoint
from arena.store.store import Store, TournamentInfo

__all__ = ["Checkpoint", "Place", "Scored", "Store", "TournamentInfo"]
