"""What a tournament file says, resolved: every default filled in, every path absolute."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from arena.config.outline import Outline, Sprt
from arena.openings import OpeningSpec
from protocol.spec import EngineSpec
from referee.game import GameInfo
from referee.match.adjudication import Adjudication, DrawRule, ResignRule
from referee.match.time_control import TimeControl

__all__ = ["AdjudicationSpec", "EngineEntry", "TournamentSpec"]


@dataclass(frozen=True, slots=True)
class AdjudicationSpec:
    """What ``[adjudication]`` says, for all games of the tournament.

    Attributes:
        repetition: as in `Adjudication`; None = off.
        plies: as in `Adjudication`; None = off, ``game`` = each game's own ply limit.
        seconds, resign, draw: as in `Adjudication`; None = off.
    """

    repetition: int | None = 3
    plies: int | Literal["game"] | None = "game"
    seconds: int | None = None
    resign: ResignRule | None = None
    draw: DrawRule | None = None

    def for_game(self, info: GameInfo) -> Adjudication:
        """What holds in the games of one id."""
        plies = info.ply_limit if self.plies == "game" else self.plies
        return Adjudication(self.repetition, plies, self.seconds, self.resign, self.draw)

    def __str__(self) -> str:
        plies = "the game's own" if self.plies == "game" else self.plies or "off"
        parts = [f"repetition {self.repetition or 'off'}", f"plies {plies}"]
        if self.seconds is not None:
            parts.append(f"max_time {self.seconds}")
        if self.resign is not None:
            sides = "both" if self.resign.both else "one"
            parts.append(f"resign {self.resign.score} for {self.resign.moves} moves, {sides}")
        if self.draw is not None:
            parts.append(f"draw {self.draw.score} for {self.draw.moves} moves after {self.draw.after}")
        return ", ".join(parts)


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


@dataclass(frozen=True, slots=True)
class TournamentSpec:
    """One tournament file.

    Attributes:
        name: by which the database knows the tournament.
        path: the file.
        database: where results go.
        games: ids, in the order in which they are played.
        format: one of `FORMATS`.
        games_per_pairing: as in `Outline`.
        time_control: of the engines that have none of their own, in canonical form.
        concurrency: games at once.
        affinity: whether a game's referee and engines are pinned to one core.
        seed: of everything random.
        disabled: what becomes of a disabled engine's remaining games: lost, or not played.
        openings: where games start.
        adjudication: when games are drawn by length or repetition.
        engines: in the order of the file.
        setups: where the games begin that do not begin as usual: game id to an argument of `Game.start`.
        log: the folder for transcripts of what engines were told and said; None for none.
        seeds, rounds, max_games, sprt: as in `Outline`.
    """

    name: str
    path: Path
    database: Path
    games: tuple[str, ...]
    format: str
    games_per_pairing: int
    time_control: str
    concurrency: int
    affinity: bool
    seed: int
    disabled: Literal["lose", "skip"]
    openings: OpeningSpec
    adjudication: AdjudicationSpec
    engines: tuple[EngineEntry, ...]
    setups: Mapping[str, str]
    log: Path | None
    seeds: tuple[str, ...] = ()
    rounds: int = 0
    max_games: int | None = None
    sprt: Sprt | None = None

    def entrants(self, game: str) -> tuple[EngineEntry, ...]:
        """The engines that enter ``game``, in the order of the file."""
        return tuple(engine for engine in self.engines if game in engine.games)

    def settings(self) -> dict[str, str]:
        """What must stay as it is for two runs to be one tournament, by the names that the file uses.

        Engines, games, and how many games or rounds there are, are not among them: a tournament may grow.
        """
        return {
            "format": self.format,
            "sprt": str(self.sprt or "none"),
            "time_control": self.time_control,
            "seed": str(self.seed),
            "setup": ", ".join(f"{game}: {setup}" for game, setup in self.setups.items()) or "default",
            "openings": str(self.openings),
            "adjudication": str(self.adjudication),
        }

    def outline(self) -> Outline:
        """What decides who meets whom."""
        return Outline(
            format=self.format,
            entrants={game: tuple(entry.spec.name for entry in self.entrants(game)) for game in self.games},
            games_per_pairing=self.games_per_pairing,
            seeds=self.seeds,
            rounds=self.rounds,
            max_games=self.max_games,
            sprt=self.sprt,
        )
