"""Positions to ask an engine about, drawn from the rules of any game; a seed fixes them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from protocol.plurals import counted
from protocol.wire.codec import format_removal
from referee.errors import MoveError
from referee.game import Game, Position
from referee.outcome import Outcome

__all__ = ["PositionBook", "ReachedPosition", "refusal"]

_WALKS = 60  # random games that are searched for rare positions
_EFFORT = 300_000  # legal moves that such a search lists: seconds, also where a position has a thousand


@dataclass(frozen=True, slots=True)
class ReachedPosition:
    """A position, and how to tell an engine of it.

    Attributes:
        moves: texts of the moves that lead to it from ``start``; removals (``!3``) included.
        position: the position.
        start: the position string that ``moves`` begin at; None for the game's own start.
    """

    moves: tuple[str, ...]
    position: Position
    start: str | None = None

    def legal(self) -> tuple[str, ...]:
        """The texts of all legal moves."""
        return tuple(str(move) for move in self.position.legal_moves())

    def __str__(self) -> str:
        """Where it is, for people: the last moves only, as lists grow long."""
        begin = "the start" if self.start is None else f"'{self.start}'"
        if not self.moves:
            return begin
        shown = self.moves[-8:]
        dots = "… " if len(shown) < len(self.moves) else ""
        moves = f"{counted(len(self.moves), 'move')} ({dots}{' '.join(shown)})"
        return f"{begin} and {moves}, which is '{self.position}'"


@dataclass(slots=True)
class _SearchBudget:
    """What one search may still list."""

    moves: int


class PositionBook:
    """Positions of one game, drawn with a seed; what is costly is drawn once and kept."""

    def __init__(self, game: Game, seed: int) -> None:
        self.game = game
        self._seed = seed
        self._drawn: dict[tuple[str, int, int, int], tuple[ReachedPosition, ...]] = {}

    @cached_property
    def start(self) -> ReachedPosition:
        """The game's start."""
        return ReachedPosition((), self.game.start())

    def play(self, spot: ReachedPosition, text: str) -> ReachedPosition | None:
        """The position after a move that is known to be legal; None when it ends the game."""
        position = spot.position.play(spot.position.parse_move(text))
        return (
            None
            if position.outcome() is not None
            else ReachedPosition((*spot.moves, text), position, spot.start)
        )

    def until_turn(self, spot: ReachedPosition | None, seat: int) -> ReachedPosition | None:
        """Random moves of the others until ``seat`` is to move; None when the game ends before."""
        rng = random.Random(f"{self._seed}:{spot}")
        while spot is not None and spot.position.turn != seat:
            spot = self._step(spot, rng)
        return spot

    def without_seat(self, out: int, count: int) -> tuple[ReachedPosition, ...]:
        """Positions of a game with the first seat to move from which another one was removed at its start."""
        rng = random.Random(f"{self._seed}:without")
        spot: ReachedPosition | None = ReachedPosition((format_removal(out),), self.start.position)
        found: list[ReachedPosition] = []
        while spot is not None and len(found) < count:
            if spot.position.turn == out:
                spot = ReachedPosition(spot.moves, spot.position.skip_turn())
            if spot.position.turn == 0:
                found.append(spot)
            spot = self._step(spot, rng)
        return tuple(found)

    def walk(self, name: str, plies: int, effort: _SearchBudget | None = None) -> Iterator[ReachedPosition]:
        """A random game that does not end within ``plies`` if that can be avoided ply by ply.

        It is broken off when it has taken all of ``effort``.
        """
        rng = random.Random(f"{self._seed}:{name}")
        spot = self.start
        for _ in range(plies):
            following = self._step(spot, rng, effort)
            if following is None or (effort is not None and effort.moves < 0):
                return
            yield following
            spot = following

    def _step(
        self, spot: ReachedPosition, rng: random.Random, effort: _SearchBudget | None = None
    ) -> ReachedPosition | None:
        moves = list(spot.position.legal_moves())
        if effort is not None:
            effort.moves -= len(moves)
        rng.shuffle(moves)
        for move in moves:
            position = spot.position.play(move)
            if position.outcome() is None:
                return ReachedPosition((*spot.moves, str(move)), position, spot.start)
        return None

    def random(self, name: str, count: int, seat: int, plies: int = 40) -> tuple[ReachedPosition, ...]:
        """``count`` positions from different random games in which ``seat`` has a choice."""
        key = name, count, seat, plies
        if key not in self._drawn:
            self._drawn[key] = self._draw(name, count, seat, plies)
        return self._drawn[key]

    def _draw(self, name: str, count: int, seat: int, plies: int) -> tuple[ReachedPosition, ...]:
        rng = random.Random(f"{self._seed}:{name}")
        found: list[ReachedPosition] = []
        for number in range(4 * count):
            spots = [
                spot
                for spot in self.walk(f"{name}:{number}", rng.randint(2, plies))
                if spot.position.turn == seat and not _only_move(spot)
            ]
            found += spots[-1:]
            if len(found) == count:
                break
        return tuple(found)

    @cached_property
    def long(self) -> ReachedPosition:
        """The longest of some random games, a thousand plies if the rules let games last that long."""
        best, effort = self.start, _SearchBudget(_EFFORT)
        for number in range(5):
            *_, last = (self.start, *self.walk(f"long:{number}", 1000, effort))
            best = max(best, last, key=lambda spot: len(spot.moves))
            if len(best.moves) == 1000:
                break
        return best

    @cached_property
    def forced(self) -> tuple[ReachedPosition, ...]:
        """Positions with exactly one legal move, forced passes among them if there are any."""
        found: dict[str, ReachedPosition] = {}
        effort = _SearchBudget(_EFFORT)
        for number in range(_WALKS):
            for spot in self.walk(f"forced:{number}", 150, effort):
                only = _only_move(spot)
                if only:
                    found.setdefault(only, spot)
            if len(found) >= 6:
                break
        return tuple(found.values())

    @cached_property
    def ended(self) -> tuple[tuple[ReachedPosition, Outcome], ...]:
        """Finished games, each with its end."""
        found, effort = [], _SearchBudget(_EFFORT)
        for number in range(_WALKS):
            for spot in self.walk(f"ended:{number}", 80, effort):
                for move in spot.position.legal_moves():
                    position = spot.position.play(move)
                    ending = position.outcome()
                    if ending is not None:
                        found.append((ReachedPosition((*spot.moves, str(move)), position), ending))
                        break
                if len(found) > number:
                    break
            if len(found) >= 6:
                break
        return tuple(found)

    @cached_property
    def strangers(self) -> tuple[tuple[ReachedPosition, ReachedPosition], ...]:
        """Pairs of positions with the first seat to move that have few legal moves in common."""
        pool = [(spot, frozenset(spot.legal())) for spot in self.random("strangers", 16, 0, 120)]
        pairs = [
            (len(mine & theirs) / min(len(mine), len(theirs)), number, one, other)
            for number, (one, mine) in enumerate(pool)
            for other, theirs in pool[number + 1 :]
        ]
        pairs.sort(key=lambda pair: pair[:2])
        return tuple((one, other) for share, _, one, other in pairs[:6] if share < 1)


def _only_move(spot: ReachedPosition) -> str:
    """The text of the only legal move; "" where there are several."""
    moves = spot.position.legal_moves()
    only, another = next(moves, None), next(moves, None)
    return str(only) if another is None and only is not None else ""


def refusal(position: Position, text: str) -> str:
    """Why a text is no legal move of a position, in one sentence; "" if it is one."""
    try:
        position.parse_move(text)
    except MoveError as error:
        return str(error)
    return ""
