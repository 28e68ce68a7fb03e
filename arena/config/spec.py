"""A tournament as its file describes it, with all defaults filled in and absolute paths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from typing import Self

from arena.config.tournament_keys import PlainKeys, TournamentFile
from arena.formats.contest import Past, ScheduleState
from arena.formats.format import LengthKeys, PairingKeys, find_format
from arena.formats.plan import Plan, Schedule
from arena.model import REMOTE_LIST, GameResult
from arena.openings.book import OpeningBook, OpeningSpec
from protocol.hub.transcript import newest_transcript, own_folder, transcript_file
from protocol.keys import Change, KeyTable
from protocol.spec import EngineSpec
from protocol.words import counted
from referee import game
from referee.match.time_control import TimeControl


@dataclass(frozen=True, slots=True)
class EngineEntry:
    """An engine that enters the tournament."""

    spec: EngineSpec
    time_control: TimeControl
    games: tuple[str, ...]
    version: str = ""  # "" for the version that the engine reports
    program: str = ""  # the identity of its program, from `arena.run.engines`; "" before it is known
    build: tuple[str, ...] = ()  # the shell commands that make its program, in its ``cwd``


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentSpec(PlainKeys):
    """A tournament; the attributes of `PlainKeys` are the keys of the file with the same names."""

    path: Path
    format_keys: KeyTable
    games: tuple[str, ...]  # the ids, in the order of the file
    setup: Mapping[str, str]  # of games that do not start at their usual position, as in `Game.start`
    openings: OpeningSpec
    engines: tuple[EngineEntry, ...]  # in the order of the file
    overridden: frozenset[str] = frozenset()  # the keys whose values are not from the file
    past: Mapping[str, Past] = field(default_factory=dict)  # as in `Plan.past`; the database knows it

    @property
    def label(self) -> str:
        """What messages about its keys start with: its file, or a name if it has none."""
        return str(self.path) if self.path.exists() else self.path.name

    def override(self, **values: object) -> Self:
        """Return the tournament with other values of some keys; None keeps the value of the file."""
        given = {key: value for key, value in values.items() if value is not None}
        return replace(self, **given, overridden=self.overridden | given.keys())  # type: ignore[arg-type]  # the keys have their types

    def transcript(self, result: GameResult, seat: int) -> Path | None:
        """The file with the dialogue between the referee and an engine in a game; None if it is not kept."""
        if self.log is None:
            return None
        name = result.players[seat].name
        folders = [self.log]
        if self.log_lost:  # an earlier run may have kept all
            folders = [own_folder(self.log, name), self.log]
        files = (transcript_file(folder, str(result.number + 1), seat, name) for folder in folders)
        return next(filter(None, map(newest_transcript, files)), None)

    def entrants(self, game: str) -> tuple[EngineEntry, ...]:
        """The engines that enter ``game``, in the order of the file."""
        return tuple(engine for engine in self.engines if game in engine.games)

    def settings(self) -> dict[str, str]:
        """The keys that must not change between two runs of the tournament, with their values as text.

        Engines, games, and the numbers of games and rounds are not among them: a tournament may grow.
        """
        plain = {key: _as_text(getattr(self, key)) for key in keys_that_change(Change.NEVER)}
        declared_keys = self.format_keys.declarations().items()
        if self.door is not None and self.door.bots == "remote":
            plain["rated"] = REMOTE_LIST
        if self.plan.format.sides:
            plain["rated"] = "no"
        return plain | {
            key: _as_text(getattr(self.format_keys, key))
            for key, declared in declared_keys
            if declared.key.change is Change.NEVER
        }

    @property
    def plan(self) -> Plan:
        """Everything that decides which engines meet."""
        names = {game: tuple(entry.spec.name for entry in self.entrants(game)) for game in self.games}
        return Plan(find_format(self.format), self.format_keys, names, self.past)

    @property
    def programs(self) -> dict[str, str]:
        """What tells each engine's program from others, as in `ScheduleState`."""
        return {entry.spec.name: entry.version or entry.program for entry in self.engines}

    def after(self, outline: str, state: ScheduleState) -> Self:
        """Continue a stored tournament, whose plan is ``outline``: what has been played stays."""
        stored = Plan.stored(outline)
        return self if stored is None else replace(self, past=self.plan.after(stored, state).past)

    def schedule(self) -> Schedule:
        """The games of the tournament, in the order in which they are played."""
        return Schedule(self.plan, self.books())

    def books(self) -> dict[str, OpeningBook]:
        """The openings of each game id."""
        return {
            id_: OpeningBook(self.openings, game(id_), self.setup.get(id_), self.adjudication)
            for id_ in self.games
        }

    def repeats(self) -> str:
        """A warning if two engines play more games than they can play different ones; "" if they do not."""
        keys, games = self.format_keys, 0.0
        if isinstance(keys, PairingKeys):
            games = keys.games_per_pairing
        elif isinstance(keys, LengthKeys) and find_format(self.format).two_players:
            games = keys.max_games or inf
        if games <= 2:  # one opening is enough; to count random ones takes long
            return ""
        for id_, book in self.books().items():
            most = book.most if game(id_).info.players == 2 else None
            if most is None or games <= 2 * most:
                continue
            many = "without a limit of games" if games == inf else f"{games} games with each other"
            return (
                f"two engines play {many}, but with {counted(most, 'opening')} and two seats at most"
                f" {2 * most} of them are different if the engines are deterministic; use more openings, or"
                " fewer games"
            )
        return ""


def keys_that_change(*when: Change) -> list[str]:
    """The keys of the file with one of these values of `Key.change`."""
    return [name for name, declared in TournamentFile.declarations().items() if declared.key.change in when]


def games_key(games: Sequence[str]) -> str:
    """The key of the file that names these games."""
    return "game" if len(games) == 1 else "games"


def _as_text(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {text}" for name, text in value.items()) or "default"
    if isinstance(value, tuple):
        return "; ".join(map(str, value))
    return str(value)
