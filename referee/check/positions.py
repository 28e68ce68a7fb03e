"""Random positions of a game, for tests of an engine. The same seed gives the same positions."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property, partial

from protocol.wire.codec import format_removal
from protocol.words import counted
from referee.errors import MoveError
from referee.game import CountingGame, Game, Move, Position
from referee.outcome import Outcome

_WALKS = 60  # random games in a search for rare positions
_EFFORT = 300_000  # legal moves that such a search may list, which limits its time to seconds


@dataclass(frozen=True, slots=True)
class ReachedPosition:
    """A position, and the moves that lead to it."""

    moves: tuple[str, ...]  # the texts of the moves from `start`, with removals such as !3
    position: Position
    start: str | None = None  # the position string before `moves`; None for the game's own start
    as_string: bool = False  # whether it is sent as a position string, without its moves

    def legal(self) -> tuple[str, ...]:
        """Return the texts of all legal moves."""
        return tuple(str(move) for move in self.position.legal_moves())

    def __str__(self) -> str:
        """Describe the position for people, with at most the last eight moves."""
        start = "the start" if self.start is None else f"'{self.start}'"
        if not self.moves:
            return start
        last = self.moves[-8:]
        dots = "… " if len(last) < len(self.moves) else ""
        moves = f"{counted(len(self.moves), 'move')} ({dots}{' '.join(last)})"
        return f"{start} and {moves}, which is '{self.position}'"


@dataclass(slots=True)
class _SearchBudget:
    """The number of legal moves that one search may still list."""

    moves: int


class PositionBook:
    """Random positions of one game. Expensive ones are drawn once and kept."""

    def __init__(self, game: Game, seed: int) -> None:
        self.game = game
        self._seed = seed
        self.random = cache(self._random)

    @cached_property
    def start(self) -> ReachedPosition:
        """The game's start position."""
        return ReachedPosition((), self.game.start())

    def play(self, spot: ReachedPosition, text: str) -> ReachedPosition | None:
        """Return the position after a legal move; None if the game is over."""
        position = spot.position.play(spot.position.parse_move(text))
        if position.outcome() is not None:
            return None
        return ReachedPosition((*spot.moves, text), position, spot.start)

    def until_turn(self, spot: ReachedPosition | None, seat: int) -> ReachedPosition | None:
        """Play random moves until ``seat`` is to move; return None if the game ends before that."""
        rng = random.Random(f"{self._seed}:{spot}")
        while spot is not None and spot.position.turn != seat:
            spot = self._step(spot, rng)
        return spot

    def without_seat(self, removed: int, count: int) -> tuple[ReachedPosition, ...]:
        """Return positions with the first seat to move, of a game that starts with the removal of a seat."""
        rng = random.Random(f"{self._seed}:without")
        spot: ReachedPosition | None = ReachedPosition((format_removal(removed),), self.start.position)
        spots: list[ReachedPosition] = []
        while spot is not None and len(spots) < count:
            if spot.position.turn == removed:
                spot = ReachedPosition(spot.moves, spot.position.skip_turn())
            if spot.position.turn == 0:
                spots.append(spot)
            spot = self._step(spot, rng)
        return tuple(spots)

    def walk(
        self, name: str, plies: int, effort: _SearchBudget | None = None, eager: int | None = None
    ) -> Iterator[ReachedPosition]:
        """Yield the positions of a random game that avoids moves that end it, the same for the same name.

        After ``eager`` plies the players choose moves with the highest count, if the game has one.
        """
        rng = random.Random(f"{self._seed}:{name}")
        spot = self.start
        for ply in range(plies):
            following = self._step(spot, rng, effort, eager=eager is not None and ply >= eager)
            if following is None or (effort is not None and effort.moves < 0):
                return
            yield following
            spot = following

    def _step(
        self,
        spot: ReachedPosition,
        rng: random.Random,
        effort: _SearchBudget | None = None,
        *,
        eager: bool = False,
    ) -> ReachedPosition | None:
        moves = list(spot.position.legal_moves())
        if effort is not None:
            effort.moves -= len(moves)
        rng.shuffle(moves)
        if eager and isinstance(self.game, CountingGame):
            moves.sort(key=partial(_count_after, self.game, spot.position), reverse=True)
        for move in moves:
            position = spot.position.play(move)
            if position.outcome() is None:
                return ReachedPosition((*spot.moves, str(move)), position, spot.start)
        return None

    def _random(self, name: str, count: int, seat: int, plies: int = 40) -> tuple[ReachedPosition, ...]:
        """Return up to ``count`` positions of different random games where ``seat`` has several moves."""
        rng = random.Random(f"{self._seed}:{name}")
        drawn: list[ReachedPosition] = []
        for number in range(4 * count):
            candidates = [
                spot
                for spot in self.walk(f"{name}:{number}", rng.randint(2, plies))
                if spot.position.turn == seat and not only_move(spot)
            ]
            drawn += candidates[-1:]
            if len(drawn) == count:
                break
        return tuple(drawn)

    def near_ends(self, seat: int) -> tuple[ReachedPosition, ...]:
        """Return the last position of each finished game where ``seat`` has several moves.

        In some of them it can end the game, in others the next player threatens to.
        """
        spots: dict[ReachedPosition, None] = {}
        for walk, _, _ in self.ended:
            choices = [spot for spot in walk if spot.position.turn == seat and not only_move(spot)]
            spots.update(dict.fromkeys(choices[-1:]))
        return tuple(spots)

    @cached_property
    def narrow(self) -> tuple[ReachedPosition, ...]:
        """Positions of random games where the first seat has several moves, the one with the fewest first."""
        return tuple(sorted(self.random("again", 12, 0, 120), key=lambda spot: len(spot.legal())))

    @cached_property
    def long(self) -> ReachedPosition:
        """The last position of the longest of some random games, with at most a thousand plies."""
        best, effort = self.start, _SearchBudget(_EFFORT)
        for number in range(5):
            *_, last = (self.start, *self.walk(f"long:{number}", 1000, effort))
            best = max(best, last, key=lambda spot: len(spot.moves))
            if len(best.moves) == 1000:
                break
        return best

    @cached_property
    def forced(self) -> tuple[ReachedPosition, ...]:
        """Positions with exactly one legal move, which can be a pass. No two have the same move."""
        by_move: dict[str, ReachedPosition] = {}
        effort = _SearchBudget(_EFFORT)
        for number in range(_WALKS):
            for spot in self.walk(f"forced:{number}", 150, effort):
                only = only_move(spot)
                if only:
                    by_move.setdefault(only, spot)
            if len(by_move) >= 6:
                break
        return tuple(by_move.values())

    @cached_property
    def ended(self) -> tuple[tuple[list[ReachedPosition], ReachedPosition, Outcome], ...]:
        """Finished games: the positions but the start and the last one, the last one, and its outcome.

        After more and more random moves, which may use up what the players have, they play for the count.
        """
        finished, effort = [], _SearchBudget(_EFFORT)
        for number in range(_WALKS):
            walk = []
            for spot in self.walk(f"ended:{number}", 100, effort, eager=12 * (number % 6)):
                walk.append(spot)
                for move in spot.position.legal_moves():
                    position = spot.position.play(move)
                    ending = position.outcome()
                    if ending is not None:
                        final = ReachedPosition((*spot.moves, str(move)), position)
                        finished.append(([*walk], final, ending))
                        break
                if len(finished) > number:
                    break
            if len(finished) >= 6:
                break
        return tuple(finished)

    @cached_property
    def dissimilar(self) -> tuple[tuple[ReachedPosition, ReachedPosition], ...]:
        """Pairs of positions with the first seat to move that have few legal moves in common."""
        pool = [(spot, frozenset(spot.legal())) for spot in self.random("strangers", 16, 0, 120)]
        pairs = [
            (len(moves & other_moves) / min(len(moves), len(other_moves)), number, first, second)
            for number, (first, moves) in enumerate(pool)
            for second, other_moves in pool[number + 1 :]
        ]
        pairs.sort(key=lambda pair: pair[:2])
        return tuple((first, second) for share, _, first, second in pairs[:6] if share < 1)


def _count_after(game: CountingGame, position: Position, move: Move) -> int:
    """Return the count of the seat to move after its move; 0 if the move ends the game."""
    following = position.play(move)
    return 0 if following.outcome() is not None else game.count(following)[position.turn]


def only_move(spot: ReachedPosition) -> str:
    """Return the text of the only legal move; "" if there are several."""
    moves = spot.position.legal_moves()
    only, another = next(moves, None), next(moves, None)
    return str(only) if another is None and only is not None else ""


def why_illegal(position: Position, text: str) -> str:
    """Return why a text is not a legal move, in one sentence; "" if it is legal."""
    try:
        position.parse_move(text)
    except MoveError as error:
        return str(error)
    return ""
