"""A tournament as its file describes it, with all defaults filled in and absolute paths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from arena.config.pairing_plan import PairingPlan
from arena.config.tournament_keys import PlainKeys, TournamentFile
from arena.openings.book import OpeningSpec
from protocol.keys import Change
from protocol.spec import EngineSpec
from referee.match.time_control import TimeControl

__all__ = ["EngineEntry", "TournamentSpec", "keys_that_change"]


@dataclass(frozen=True, slots=True)
class EngineEntry:
    """An engine that enters the tournament.

    Attributes:
        spec: how the engine is started, and which protocol it speaks.
        time_control: its own time control, or that of the tournament.
        games: the ids of the tournament's games that it enters.
        version: its version according to the file; "" for the version that the engine reports.
        program: the identity of its program, from `arena.run.engines`; "" before it is known.
        build: the shell commands that make its program, in its ``cwd``.
    """

    spec: EngineSpec
    time_control: TimeControl
    games: tuple[str, ...]
    version: str = ""
    program: str = ""
    build: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentSpec(PlainKeys):
    """One tournament.

    The attributes that are not listed here are the keys of the file with the same names.

    Attributes:
        path: its file.
        games: the game ids, in the order of the file.
        setup: set-ups by game id, as in `Game.start`, for games that do not begin at their usual start
            position.
        openings: its openings.
        engines: its engines, in the order of the file.
        overridden: the keys whose values are not those of the file.
    """

    path: Path
    games: tuple[str, ...]
    setup: Mapping[str, str]
    openings: OpeningSpec
    engines: tuple[EngineEntry, ...]
    overridden: frozenset[str] = frozenset()

    def override(self, **values: object) -> Self:
        """Return the tournament with other values of some keys; None keeps the value of the file."""
        given = {key: value for key, value in values.items() if value is not None}
        return replace(self, **given, overridden=self.overridden | given.keys())  # type: ignore[arg-type]  # the types are those of the keys

    def entrants(self, game: str) -> tuple[EngineEntry, ...]:
        """The engines that enter ``game``, in the order of the file."""
        return tuple(engine for engine in self.engines if game in engine.games)

    def settings(self) -> dict[str, str]:
        """The keys that must not change between two runs of the tournament, with their values as text.

        Engines, games, and the numbers of games and rounds are not among them: a tournament may grow.
        """
        return {key: _as_text(getattr(self, key)) for key in keys_that_change(Change.NEVER)}

    def pairing_plan(self) -> PairingPlan:
        """Everything that decides which engines meet."""
        return PairingPlan(
            format=self.format,
            entrants={game: tuple(entry.spec.name for entry in self.entrants(game)) for game in self.games},
            games_per_pairing=self.games_per_pairing,
            seeds=self.seeds,
            rounds=self.rounds or 0,
            max_games=self.max_games,
            sprt=self.sprt,
        )


def keys_that_change(*when: Change) -> list[str]:
    """The keys of the file with one of these values of `Key.change`."""
    return [name for name, declared in TournamentFile.declarations().items() if declared.key.change in when]


def _as_text(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {text}" for name, text in value.items()) or "default"
    return str(value)
