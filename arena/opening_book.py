"""Openings: where the games of a tournament start, numbered from 0.

A game's n-th opening is the same on every machine and in every run: lists are taken in order or shuffled by
the seed, random ones drawn by ``random()`` of a generator seeded with text, whose sequence Python guarantees.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from random import Random
from typing import Literal

from arena.errors import OpeningError
from arena.model import Opening
from referee.errors import MoveError, PositionError
from referee.game import Game, Position
from referee.match.adjudication import Adjudication, RepetitionTracker

__all__ = ["OpeningBook", "OpeningKind", "OpeningOrder", "OpeningSpec"]

OpeningKind = Literal["start", "list", "random", "setups"]
OpeningOrder = Literal["sequential", "random"]

_ATTEMPTS = 200
"""About how many random lines are tried for one opening before the number of plies is called too high."""

_FAR = (1_000_003, 100_003, 10_007, 1_009)
"""Where to look on when a line cannot be used: as far beyond all numbers in use as there are lines."""

_FEW = 2_000
"""Lines up to which those that can be used are counted one by one: none comes twice before all have come."""

_SHOWN = 80  # characters of an opening in a message


@dataclass(frozen=True, slots=True)
class OpeningSpec:
    """What ``[openings]`` says.

    Attributes:
        kind: ``start`` = every game from the start position; ``list`` = from `entries`; ``random`` = after
            `plies` random moves; ``setups`` = each from another random set-up of the game's own.
        entries: move sequences (separated by spaces), set-ups and position strings.
        plies: of a random opening.
        seed: of random openings and of a random order.
        order: in which a list is used.
    """

    kind: OpeningKind = "start"
    entries: tuple[str, ...] = ()
    plies: int = 0
    seed: int = 1
    order: OpeningOrder = "sequential"

    def __str__(self) -> str:
        match self.kind:
            case "start":
                return "start"
            case "random":
                return f"random, {self.plies} plies, seed {self.seed}"
            case "setups":
                return f"random set-ups, seed {self.seed}"
        digest = hashlib.sha256("\n".join(self.entries).encode()).hexdigest()[:12]
        order = f"random order, seed {self.seed}" if self.order == "random" else "sequential"
        return f"list of {len(self.entries)} ({digest}), {order}"


class OpeningBook:
    """The openings of one game.

    Args:
        spec: what the tournament file says.
        game: whose rules judge the openings.
        setup: where the game begins, for `Game.start`; None for its usual start.
        adjudication: what else must not end a game in its opening; None for what is usual in the game.

    Raises:
        PositionError: the game has no such set-up.
    """

    def __init__(
        self,
        spec: OpeningSpec,
        game: Game,
        setup: str | None = None,
        adjudication: Adjudication | None = None,
    ) -> None:
        self._spec = spec
        self._game = game
        self._adjudication = adjudication or Adjudication.for_game(game.info)
        self._start = game.start(setup)
        self._base = None if self._start == game.start() else str(self._start)
        self._order = list(range(len(spec.entries)))
        if spec.order == "random":
            rng = Random(f"{spec.seed}:order")
            self._order.sort(key=lambda _: rng.random())
        self._usable: list[tuple[str, ...]] = []  # of the few lines, as far as they were looked at
        self._looked_at = 0
        # The games of one opening follow each other in a schedule: a short memory is enough.
        self._remembered = lru_cache(maxsize=64)(self._opening)

    def opening(self, number: int) -> Opening:
        """The opening with this number, from 0 without end; a list starts again when it is used up.

        Raises:
            OpeningError: the rules refuse it, or chance finds none.
        """
        return self._remembered(number)

    def check(self) -> None:
        """Judge every entry of a list, and the first random opening or set-up.

        Raises:
            OpeningError: the first that the rules refuse.
        """
        match self._spec.kind:
            case "list":
                for entry in range(len(self._spec.entries)):
                    self._entry(entry)
            case "random":
                self._random(0)
            case "setups":
                self._set_up(0)

    def _opening(self, number: int) -> Opening:
        match self._spec.kind:
            case "list":
                return self._entry(self._order[number % len(self._order)])
            case "random":
                return self._random(number)
            case "setups":
                return self._set_up(number)
        return Opening(self._base)

    def _entry(self, index: int) -> Opening:
        text = self._spec.entries[index]
        for read in (self._game.parse_position, self._game.start):
            try:
                position = read(text)
            except PositionError as error:
                if "/" in text:
                    raise OpeningError(f"opening {_quote(text)}: {error}", index) from None
            else:
                if position.outcome() is not None:
                    raise OpeningError(f"opening {_quote(text)}: the game is over in this position", index)
                return Opening(str(position))
        return Opening(self._base, self._moves(text, index))

    def _moves(self, text: str, index: int) -> tuple[str, ...]:
        line = [self._start]
        moves = []
        for number, word in enumerate(text.split(), 1):
            what = f"opening {_quote(text)}: move {number}, {_quote(word)}"
            try:
                move = line[-1].parse_move(word)
            except MoveError as error:
                raise OpeningError(f"{what}: {error}", index) from None
            line.append(line[-1].play(move))
            if line[-1].outcome() is not None or self._is_adjudicated(line):
                raise OpeningError(f"{what}, ends the game", index)
            moves.append(str(move))
        return tuple(moves)

    def _set_up(self, number: int) -> Opening:
        # The seed's openings must not be the next seed's, one later: hence a draw, and not a sum.
        seed = int(Random(f"{self._spec.seed}:set-up:{number}").random() * 1_000_000_000)
        try:
            return Opening(str(self._game.start(f"random:{seed}")))
        except PositionError:
            raise OpeningError(f"{self._game.info.id} has no random set-ups") from None

    def _random(self, number: int) -> Opening:
        if self._few is not None:
            return Opening(self._base, self._nth_of_few(number))
        for candidate in (
            number,
            *(number + far * step for far in _FAR for step in range(1, _ATTEMPTS // 4)),
        ):
            moves = self._random_moves(candidate)
            if moves is not None:
                return Opening(self._base, moves)
        raise self._too_long()

    def _nth_of_few(self, number: int) -> tuple[str, ...]:
        """The usable line with this number, where there are few; after the last comes the first again."""
        few = self._few or ()
        while len(self._usable) <= number and self._looked_at < len(few):
            moves = self._random_moves(few[self._looked_at])
            self._looked_at += 1
            if moves is not None:
                self._usable.append(moves)
        if not self._usable:
            raise self._too_long()
        return self._usable[number % len(self._usable)]

    @cached_property
    def _few(self) -> tuple[int, ...] | None:
        """The numbers of all lines, in order; None when there are too many to look at each."""
        nodes: list[tuple[int, int, tuple[str, ...], Position]] = [(0, 1, (), self._start)]
        for _ in range(self._spec.plies):
            before, nodes = nodes, []
            for number, weight, moves, position in before:
                choices = self._branches(position, moves)
                if len(nodes) + len(choices) > _FEW:
                    return None
                for branch, move in enumerate(choices):
                    after = position.play(position.parse_move(move))
                    nodes.append((number + weight * branch, weight * len(choices), (*moves, move), after))
        return tuple(sorted(number for number, *_ in nodes))

    def _too_long(self) -> OpeningError:
        return OpeningError(
            f"plies = {self._spec.plies}: no random opening of {self._game.info.id} as long as this leaves a "
            "game to play, as far as was tried; use fewer"
        )

    def _branches(self, position: Position, moves: Sequence[str]) -> list[str]:
        """All moves in a position, shuffled; sorted first, as the rules' own order may change."""
        choices = sorted(str(move) for move in position.legal_moves())
        rng = Random(f"{self._spec.seed}:{self._game.info.id}:{' '.join(moves)}")
        choices.sort(key=lambda _: rng.random())
        return choices

    def _random_moves(self, number: int) -> tuple[str, ...] | None:
        """The line with this number; None when there is none, or it leaves no game that is open.

        The tree of all lines is shuffled at every node, and the number says which branch to take at each: its
        remainder by the number of branches, then that of the quotient. What is left over at the end must be
        0: so no two numbers give the same moves, and none depends on any other.
        """
        line = [self._start]
        moves: list[str] = []
        for _ in range(self._spec.plies):
            choices = self._branches(line[-1], moves)
            if not choices:
                return None
            number, branch = divmod(number, len(choices))
            moves.append(choices[branch])
            line.append(line[-1].play(line[-1].parse_move(moves[-1])))
        last = line[-1]
        if number or last.outcome() is not None or self._is_adjudicated(line):
            return None
        if any(last.play(move).outcome() is not None for move in last.legal_moves()):
            return None
        return tuple(moves)

    def _is_adjudicated(self, line: list[Position]) -> bool:
        """Whether this much of a game, from its first position, is a draw by length or repetition."""
        plies, repetition = self._adjudication.plies, self._adjudication.repetition
        if plies is not None and len(line) > plies:
            return True
        if repetition is None:
            return False
        tracker = RepetitionTracker(repetition)
        return any(tracker.update(position.key()) for position in line)


def _quote(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")
