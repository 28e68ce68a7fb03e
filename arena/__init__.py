"""Tournaments for engines of board games: play games, run tournaments, check engines, read the results.

``__all__`` is the whole interface for programs; ``docs/howto/use-from-python.md`` explains it. A name is
imported from `arena.api` when it is used, so ``import arena`` costs nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False  # to import typing takes longer than all else before Ctrl-C is handled
if TYPE_CHECKING:
    from arena.api import (
        Database,
        RatedEngine,
        board,
        check_engine,
        check_engine_async,
        open_database,
        play_game,
        play_game_async,
        run_tournament,
        run_tournament_async,
    )
    from arena.errors import ArenaError, ConfigError, StoreError
    from arena.events import RunSummary
    from arena.model import GameRecord, GameResult, Opening, PlayerRecord
    from arena.notebook import Board, progress
    from arena.scoring import Versus
    from arena.store.store import TournamentInfo
    from arena.tables.standings import Standing
    from referee.check.catalogue import CheckReport, CheckResult
    from referee.ply import Ply

__all__ = [
    "ArenaError",
    "Board",
    "CheckReport",
    "CheckResult",
    "ConfigError",
    "Database",
    "GameRecord",
    "GameResult",
    "Opening",
    "PlayerRecord",
    "Ply",
    "RatedEngine",
    "RunSummary",
    "Standing",
    "StoreError",
    "TournamentInfo",
    "Versus",
    "board",
    "check_engine",
    "check_engine_async",
    "open_database",
    "play_game",
    "play_game_async",
    "progress",
    "run_tournament",
    "run_tournament_async",
]

_HOMES = {  # of the names that are not in `arena.api`
    "arena.errors": ("ArenaError", "ConfigError", "StoreError"),
    "arena.notebook": ("Board", "progress"),
    "arena.model": ("GameRecord", "GameResult", "Opening", "PlayerRecord"),
    "arena.events": ("RunSummary",),
    "arena.store.store": ("TournamentInfo",),
    "arena.scoring": ("Versus",),
    "arena.tables.standings": ("Standing",),
    "referee.check.catalogue": ("CheckReport", "CheckResult"),
    "referee.ply": ("Ply",),
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'arena' has no attribute {name!r}")
    from importlib import import_module

    home = next((module for module, names in _HOMES.items() if name in names), "arena.api")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return __all__
