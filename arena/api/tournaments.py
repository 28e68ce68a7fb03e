"""Run a tournament."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path

import trio

from arena.address import absolute, read_address
from arena.api.calls import blocking, plain_errors
from arena.config import TournamentSpec, load, load_values
from arena.events import EngineDisabled, GameEnded, GameVoid, Notice, RunEvent, RunSummary
from arena.model import GameResult
from arena.run.tournament import run_tournament as run

__all__ = ["run_tournament", "run_tournament_async"]


async def run_tournament_async(
    tournament: str | PathLike[str] | Mapping[str, object],
    *,
    database: str | PathLike[str] | None = None,
    on_game: Callable[[GameResult], object] | None = None,
    on_warning: Callable[[str], object] | None = None,
) -> RunSummary:
    """Play the missing games of a tournament.

    If the caller is cancelled, the running games end without a result. The games before them are stored, and
    the same call continues the tournament.

    Args:
        tournament: the path of a tournament file, or its keys and values. Relative paths start in the folder
            of the file, or in the current folder.
        database: its file or ``postgresql://USER@HOST/NAME``, instead of the key ``database``.
        on_game: called with each result when it is stored.
        on_warning: called with each sentence about the tournament or an engine that a user should read.

    Returns:
        How many games were played now, and which engines are disabled.

    Raises:
        ConfigError: a key of the tournament is wrong. The message names it.
        StoreError: the database cannot be used, or the tournament was begun with other settings.
        ArenaError: anything else that the caller can correct.
    """

    def observe(event: RunEvent) -> None:
        if isinstance(event, GameEnded) and on_game is not None:
            on_game(event.result)
        text = _warning(event)
        if text and on_warning is not None:
            on_warning(text)

    with plain_errors():
        spec = await trio.to_thread.run_sync(_spec, tournament, database)
        return await run(spec, lambda plan, stored, results: None, observe, signals=False)


run_tournament = blocking(run_tournament_async)


def _spec(
    tournament: str | PathLike[str] | Mapping[str, object], database: str | PathLike[str] | None
) -> TournamentSpec:
    spec = load_values(tournament) if isinstance(tournament, Mapping) else load(Path(tournament))
    return spec if database is None else spec.override(database=absolute(read_address(database)))


def _warning(event: RunEvent) -> str:
    """Return what a user should know of an event; "" for nothing."""
    match event:
        case Notice(name, text, warning=True) | EngineDisabled(name, text):
            return f"{name}: {text}"
        case GameVoid(pairing, text):
            return f"game {pairing.number + 1}: {text}"
        case _:
            return ""
