"""Games and tournaments as values: pairings, results and records, which all packages of arena share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec
from msgspec.structs import asdict

from referee.outcome import Termination
from referee.ply import Ply

REMOTE_LIST: Final = "remote"
"""The setting ``rated`` of a tournament of remote bots, whose games have a rating list of their own."""

REMOTE_PROGRAM: Final = "remote"
"""In the place of its hash, for a program that stays on the machine of its author."""


@dataclass(frozen=True, slots=True)
class Opening:
    """The opening of a game.

    Attributes:
        position: a position string; None for the game's usual start position.
        moves: the moves played from there.
        name: its name in the book; not in records without one.
    """

    position: str | None = None
    moves: tuple[str, ...] = ()
    name: str | msgspec.UnsetType = field(default=msgspec.UNSET, compare=False)


@dataclass(frozen=True, slots=True)
class Pairing:
    """A game of a schedule.

    Its key identifies it in its tournament, even after engines were added. A tournament has at most one
    scored game for each key.
    """

    number: int  # its place in the schedule, from 0; games are rated in this order
    key: str
    game: str
    seats: tuple[str, ...]  # the engines' names
    opening: Opening = field(default_factory=Opening)
    options: tuple[Mapping[str, str], ...] = ()  # of each seat, beside what the file sets


class Stage(msgspec.Struct, frozen=True, tag="stage"):
    """The stage of a tournament to which the next games of one id belong."""

    game: str
    text: str  # for users, such as "round 2 of 5"
    rests: bool = False  # no game follows until an engine comes in or changes, or until the text says


@dataclass(frozen=True, slots=True)
class PlayerRecord:
    """One seat in a game that was played.

    Attributes:
        name: the engine's name in the tournament.
        version: the version that the engine reported, or "".
        rank: its place: 1 is the best, and tied seats share a place. None in a void game.
        points: (players - mean place) / (players - 1), so 1, 1/2 or 0 for two players; 0 for a forfeit.
        forfeit: why the referee removed the seat; None if it did not.
        time_control: the time control as text, e.g. ``10+0.1``.
        margin: milliseconds by which a move may exceed the clock.
        time_used: nanoseconds on the clock in the whole game.
        program: the identity of the program, from `arena.run.engines`, or "".
        options: the options that arena set, by name; None if they are not known.
    """

    name: str
    version: str
    rank: int | None
    points: float
    forfeit: Termination | None
    time_control: str
    margin: int
    time_used: int
    program: str = ""
    options: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class GameResult:
    """The result of a game, with everything that standings and ratings use.

    Attributes:
        id: the number of the game in the database; None until it is stored.
        tournament: the tournament's name.
        number, key, game: as in its `Pairing`.
        termination: why play stopped.
        reason: a second word with more detail: a word of the rules, such as ``goal``; a word of the
            adjudication, such as ``length``; otherwise the same word as the termination.
        detail: a sentence for users, e.g. about an engine's error; may be empty.
        plies: the number of moves, without the moves of the opening.
        players: the seats, in seat order.
    """

    id: int | None
    tournament: str
    number: int
    key: str
    game: str
    termination: Termination
    reason: str
    detail: str
    plies: int
    players: tuple[PlayerRecord, ...]

    @property
    def counts(self) -> bool:
        """Whether the game is scored. A void game is not scored, and it is played again."""
        return self.termination is not Termination.VOID

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the engines, in seat order."""
        return tuple(player.name for player in self.players)

    @property
    def remote(self) -> bool:
        """Whether an engine played from the machine of its author."""
        return any(player.program == REMOTE_PROGRAM for player in self.players)


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A finished game with its moves.

    Attributes:
        result: its result.
        opening: its opening.
        record: every ply after the opening, in order.
        final_position: the position string at the end.
        started: when it started, in seconds since the epoch.
        duration: nanoseconds from the first ``go`` to the end.
        worker: the name of the worker that played it; "" for the machine of ``arena run``.
    """

    result: GameResult
    opening: Opening
    record: tuple[Ply, ...]
    final_position: str
    started: float
    duration: int
    worker: str = ""


@dataclass(frozen=True, slots=True)
class TournamentRecord:
    """A tournament without its games."""

    name: str  # unique in a database
    created: float  # seconds since the epoch
    settings: Mapping[str, str]  # the keys of the tournament file that must not change
    outline: str = ""  # its pairing plan, encoded by `arena.formats.format.Plan`; "" if it has none


@dataclass(frozen=True, slots=True)
class RatingListRecord:
    """The settings of a rating list that differ from the defaults."""

    game: str
    settings: Mapping[str, str]  # by their names in ``arena ratings --store``


def game_title(game_id: str) -> str:
    """Return the title of a game; its id if its rules are not installed."""
    from referee import game
    from referee.errors import RefereeError

    try:
        return game(game_id).info.title
    except RefereeError:
        return game_id


class NamedPly(msgspec.Struct, frozen=True):
    """A ply as a JSON object. It has the fields of a `Thought` only if the engine reported one of them."""

    seat: int
    text: str
    time: int
    score: str = ""
    depth: int | None = None
    nodes: int | None = None
    nps: int | None = None
    seldepth: int | None = None
    hashfull: int | None = None
    pv: str = ""
    usage: str = ""


def _named(ply: Ply) -> dict[str, Any]:
    """Return the fields of a `NamedPly`."""
    values = asdict(ply)
    thought = values.pop("thought")
    if thought is not None:
        values |= asdict(thought)
        if not thought.usage:
            del values["usage"]
    return values


_encode: Final = msgspec.json.Encoder().encode


def export_line(game: GameRecord) -> bytes:
    """Return the line of a game in an export as JSON lines. The database stores its CRC-32."""
    values = {name: getattr(game, name) for name in _GAME_FIELDS}
    values["record"] = list(map(_named, game.record))
    return _encode({"game": values})


_GAME_FIELDS: Final = tuple(GameRecord.__dataclass_fields__)
