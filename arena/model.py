"""The values that cross boundaries inside arena: what was scheduled, what was played."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from referee.outcome import Termination
from referee.ply import Ply

__all__ = [
    "GameRecord",
    "GameResult",
    "Opening",
    "Pairing",
    "PlayerRecord",
    "RatingListRecord",
    "Stage",
    "TournamentRecord",
]


@dataclass(frozen=True, slots=True)
class Opening:
    """Where a game starts: a position string (None: the game's own start) and moves played from there."""

    position: str | None = None
    moves: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pairing:
    """One game that a schedule wants played.

    Attributes:
        number: its place in the schedule, from 0; ratings are fed in this order.
        key: identifies it for good, also when engines are added to the tournament later: a tournament holds
            at most one scored game for each key.
        game: the game's id.
        seats: the engines' names in seat order.
        opening: where it starts.
    """

    number: int
    key: str
    game: str
    seats: tuple[str, ...]
    opening: Opening = field(default_factory=Opening)


@dataclass(frozen=True, slots=True)
class Stage:
    """How far the games of one id have come, where that is more than a number of games.

    Attributes:
        game: the id.
        text: for people: ``round 2 of 5``.
    """

    game: str
    text: str


@dataclass(frozen=True, slots=True)
class PlayerRecord:
    """One seat's share in a game that was played.

    Attributes:
        name: the engine's name in the tournament.
        version: the version that it told, or "".
        rank: 1 = best, ties share; None in a void game.
        points: what it scored: (players - mean place) / (players - 1), so 1, 1/2, 0 for two; 0 for a forfeit.
        forfeit: why the referee removed this seat; None for a seat that it didn't.
        time_control: as written, e.g. ``10+0.1``.
        margin: milliseconds forgiven past the clock.
        time_used: nanoseconds on the clock in the whole game.
        program: what `arena.run.identity` says of the program that played, or "".
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


@dataclass(frozen=True, slots=True)
class GameResult:
    """How a game ended: all that standings and ratings need.

    Attributes:
        id: the number by which people ask for the game; None until it is stored.
        tournament: the tournament's name.
        number, key, game: as in its `Pairing`.
        termination: why play stopped.
        reason: one word: the rules' own (``goal``), ``repetition``, ``length``, or the termination's.
        detail: a sentence for people, e.g. what an engine did wrong; may be empty.
        plies: moves played, without the opening's.
        players: in seat order.
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
        """Whether it is scored: a void game is not, and is played again."""
        return self.termination is not Termination.VOID


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A finished game, whole.

    Attributes:
        result: how it ended.
        opening: where it started.
        record: every ply after the opening, in order.
        final_position: the position string at the end.
        started: seconds since the epoch.
        duration: nanoseconds from the first ``go`` to the end.
    """

    result: GameResult
    opening: Opening
    record: tuple[Ply, ...]
    final_position: str
    started: float
    duration: int


@dataclass(frozen=True, slots=True)
class TournamentRecord:
    """A tournament without its games.

    Attributes:
        name: by this it is known.
        created: when it was begun, seconds since the epoch.
        settings: what must stay as it is, by the names of the tournament file.
        outline: who meets whom, as `arena.config.PairingPlan` writes it; "" for nothing.
    """

    name: str
    created: float
    settings: Mapping[str, str]
    outline: str = ""


@dataclass(frozen=True, slots=True)
class RatingListRecord:
    """How a rating list is set where that isn't as usual.

    Attributes:
        game: the game id that the list is for.
        settings: what it was told, as in ``arena ratings --set``.
    """

    game: str
    settings: Mapping[str, str]
