"""A tournament as its file describes it: every default filled in, every path absolute."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from arena.config.key import Change
from arena.config.pairing_plan import PairingPlan
from arena.config.tournament_keys import PlainKeys, TournamentFile
from arena.opening_book import OpeningSpec
from protocol.spec import EngineSpec
from referee.match.time_control import TimeControl

__all__ = ["EngineEntry", "TournamentSpec", "keys_that_change"]


@dataclass(frozen=True, slots=True)
class EngineEntry:
    """One entrant.

    Attributes:
        spec: how the engine is started and spoken to.
        time_control: its own, or the tournament's.
        games: the ids of the tournament's games that it enters.
        version: what the file calls its version; "" to take what the engine tells.
        program: what `arena.run.identity` says of its program; "" before anybody has looked.
    """

    spec: EngineSpec
    time_control: TimeControl
    games: tuple[str, ...]
    version: str = ""
    program: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentSpec(PlainKeys):
    """One tournament.

    Attributes:
        path: its file.
        games: ids, in the order in which they are played.
        setup: where the games begin that do not begin as usual: game id to an argument of `Game.start`.
        openings: where games start.
        engines: in the order of the file.

    The other attributes are the keys of the file that have the same names.
    """

    path: Path
    games: tuple[str, ...]
    setup: Mapping[str, str]
    openings: OpeningSpec
    engines: tuple[EngineEntry, ...]

    def entrants(self, game: str) -> tuple[EngineEntry, ...]:
        """The engines that enter ``game``, in the order of the file."""
        return tuple(engine for engine in self.engines if game in engine.games)

    def settings(self) -> dict[str, str]:
        """What must stay as it is for two runs to be one tournament: keys of the file and texts.

        Engines, games, and how many games or rounds there are, are not among them: a tournament may grow.
        """
        return {key: _as_text(getattr(self, key)) for key in keys_that_change(Change.NEVER)}

    def outline(self) -> PairingPlan:
        """What decides who meets whom."""
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
    """The keys of the file that may change then."""
    return [name for name, declared in TournamentFile.declarations().items() if declared.key.change in when]


def _as_text(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {text}" for name, text in value.items()) or "default"
    return str(value)
