"""Openings of a tournament's games, numbered from 0: the same on every machine and in every run.

All random choices use ``Random.random()`` with a seed that is a text: Python promises not to change its
numbers.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import islice
from random import Random
from typing import Literal

from msgspec import UNSET

from arena.errors import OpeningError
from arena.model import Opening
from arena.openings.file import OpeningFile
from protocol.words import cut
from referee.errors import MoveError, PositionError
from referee.game import CountsProgress, Game, Position
from referee.match.adjudication import USUAL, Adjudication, RepetitionTracker

OpeningKind = Literal["start", "list", "random", "setups"]
OpeningOrder = Literal["sequential", "random"]

_ATTEMPTS = 200
"""About how many random lines are tried for one opening before the number of plies counts as too high."""

_STRIDES = (1_000_003, 100_003, 10_007, 1_009)
"""Steps to other numbers if a line cannot be used. Large steps avoid the numbers of other openings."""

_MAX_LISTED = 2_000
"""With at most this many lines, the book lists the usable ones, and repeats none before it has used all."""

_CHECKED = 100
"""How many openings of a list are checked before the first game. A hundred take a tenth of a second."""


@dataclass(frozen=True, slots=True)
class OpeningSpec:
    """The table ``[openings]`` of a tournament file."""

    kind: OpeningKind = "start"
    file: OpeningFile | None = None  # with positions, set-ups, moves, or `POSITION moves MOVES`
    plies: int = 0  # random moves
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
        order = f"random order, seed {self.seed}" if self.order == "random" else "sequential"
        return f"list of {len(self.list)} ({self.list.digest}), {order}"

    @property
    def list(self) -> OpeningFile:
        """The openings of the kind ``list``."""
        assert self.file is not None
        return self.file


class OpeningBook:
    """The openings for the games of one id; the limits of ``adjudication`` must not end a game in one.

    Attributes:
        opening: returns the opening with a number, from 0; a list starts again after its end. It raises
            `OpeningError`.
    """

    def __init__(
        self,
        spec: OpeningSpec,
        game: Game,
        setup: str | None = None,
        adjudication: Adjudication = USUAL,
    ) -> None:
        self._spec = spec
        self._game = game
        self._repetition = adjudication.repetition
        self._ply_limit = adjudication.ply_limit(game.info)
        self._no_progress = game.info.no_progress
        self._start = game.start(setup)
        self._base = None if self._start == game.start() else str(self._start)
        self._usable: list[tuple[str, ...]] = []  # the usable ones of the first `_tried` listed lines
        self._tried = 0
        # A schedule plays the games of one opening soon after each other, so a small cache is enough.
        self.opening = lru_cache(maxsize=64)(self._opening)

    @property
    def most(self) -> int | None:
        """The largest number of different openings; None if that is not known, or too large to count."""
        match self._spec.kind:
            case "start":
                return 1
            case "list":
                return len(self._spec.list)
            case "random":
                return None if self._all_lines is None else len(self._all_lines)
        return None

    def check(self) -> None:
        """Check the first 100 of a list, or the first random one; raise `OpeningError`."""
        match self._spec.kind:
            case "list":
                for index in range(min(_CHECKED, len(self._spec.list))):
                    self.entry(index)
            case "random":
                self._random(0)
            case "setups":
                self._set_up(0)

    def _opening(self, number: int) -> Opening:
        match self._spec.kind:
            case "list":
                place = self._place(number)
                return replace(self.entry(place), name=self._spec.list.name(place) or UNSET)
            case "random":
                return self._random(number)
            case "setups":
                return self._set_up(number)
        return Opening(self._base)

    def _place(self, number: int) -> int:
        place = number % len(self._spec.list)
        if self._spec.order == "random":
            place = _shuffled(f"{self._spec.seed}:order", len(self._spec.list))[place]
        return place

    def entry(self, index: int) -> Opening:
        """The opening of an entry of the list, by its index; an `OpeningError` names the line."""
        entries = self._spec.list
        text = ""
        try:
            text = entries[index]
            return self._read(text)
        except OpeningError as error:
            problem = str(error)
            if text:
                problem = f"{self._game.info.id} refuses it: opening {_quote(text)}: {problem}"
            raise OpeningError(f"{entries.place(index)}: {problem}") from None

    def _read(self, text: str) -> Opening:
        text = " ".join(text.split())
        before, word, moves = text.partition(" moves ")
        position = self._position(before, needed=bool(word) or "/" in before)
        if position is None:
            return Opening(self._base, self._moves(self._start, text))
        if position.outcome() is not None or self._is_adjudicated([position]):
            raise OpeningError("the game is over in this position")
        return Opening(str(position), self._moves(position, moves))

    def _position(self, text: str, *, needed: bool) -> Position | None:
        """The position that a text describes. If it describes none: an error if ``needed``, else None."""
        problem = None
        for read in (self._game.parse_position, self._game.start):
            try:
                return read(text)
            except PositionError as error:
                problem = error
        if needed:
            raise OpeningError(str(problem))
        return None

    def _moves(self, start: Position, text: str) -> tuple[str, ...]:
        line = [start]
        moves = []
        for number, word in enumerate(text.split(), 1):
            label = f"move {number}, {_quote(word)}"
            try:
                move = line[-1].parse_move(word)
            except MoveError as error:
                raise OpeningError(f"{label}: {error}") from None
            line.append(line[-1].play(move))
            if line[-1].outcome() is not None or self._is_adjudicated(line):
                raise OpeningError(f"{label}, ends the game")
            moves.append(str(move))
        return tuple(moves)

    def _set_up(self, number: int) -> Opening:
        # A random number, not the sum of the seed and the number: two seeds must not have the same set-ups.
        seed = int(Random(f"{self._spec.seed}:set-up:{number}").random() * 1_000_000_000)
        try:
            return Opening(str(self._game.start(f"random:{seed}")))
        except PositionError:
            raise OpeningError(f"{self._game.info.id} has no random set-ups") from None

    def _random(self, number: int) -> Opening:
        if number == 0 and (moves := self._random_moves(0)) is not None:
            return Opening(self._base, moves)  # the first of all lines, which need not be listed for it
        if self._all_lines is not None:
            return Opening(self._base, self._usable_line(number, self._all_lines))
        for candidate in (
            number,
            *(number + stride * step for stride in _STRIDES for step in range(1, _ATTEMPTS // 4)),
        ):
            moves = self._random_moves(candidate)
            if moves is not None:
                return Opening(self._base, moves)
        if number == 0:
            raise self._too_long()
        return self.opening(number // 2)  # the game has no more openings, so they repeat

    def _usable_line(self, number: int, lines: Sequence[int]) -> tuple[str, ...]:
        """The usable line with this place among all usable lines. After the last line comes the first."""
        while len(self._usable) <= number and self._tried < len(lines):
            moves = self._random_moves(lines[self._tried])
            self._tried += 1
            if moves is not None:
                self._usable.append(moves)
        if not self._usable:
            raise self._too_long()
        return self._usable[number % len(self._usable)]

    @cached_property
    def _all_lines(self) -> tuple[int, ...] | None:
        """The numbers of all lines, in ascending order; None if there are more than `_MAX_LISTED`."""
        nodes: list[tuple[int, int, tuple[str, ...], Position]] = [(0, 1, (), self._start)]
        for _ in range(self._spec.plies):
            parents, nodes = nodes, []
            for number, weight, moves, position in parents:
                choices = self._branches(position, moves)
                if len(nodes) + len(choices) > _MAX_LISTED:
                    return None
                for branch, move in enumerate(choices):
                    after = position.play(position.parse_move(move))
                    nodes.append((number + weight * branch, weight * len(choices), (*moves, move), after))
        return tuple(sorted(number for number, *_ in nodes))

    def _too_long(self) -> OpeningError:
        return OpeningError(
            f"plies = {self._spec.plies}: no random opening of {self._game.info.id} was found after which the"
            " game is still open; use fewer plies"
        )

    def _branches(self, position: Position, moves: Sequence[str]) -> list[str]:
        """All moves in a position, shuffled."""
        # Sorted first: another version of the rules may generate them in another order.
        choices = sorted(str(move) for move in position.legal_moves())
        rng = Random(f"{self._spec.seed}:{self._game.info.id}:{' '.join(moves)}")
        choices.sort(key=lambda _: rng.random())
        return choices

    def _random_moves(self, number: int) -> tuple[str, ...] | None:
        """The line with this number; None if there is none, or if the game is not open after it.

        At each node of the tree of shuffled moves, the number modulo the number of branches selects one, and
        the quotient goes on. The last quotient must be 0, so no two numbers give the same line.
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
        """Whether these positions, from the start of a game, make it a draw that the referee adjudicates."""
        limit, last = self._no_progress, line[-1]
        if limit is not None and isinstance(last, CountsProgress) and last.plies_without_progress >= limit:
            return True
        if self._ply_limit is not None and len(line) > self._ply_limit:
            return True
        if self._repetition is None:
            return False
        tracker = RepetitionTracker(self._repetition)
        return any(tracker.update(position.key()) for position in line)


def _quote(text: str) -> str:
    return repr(cut(text))


@lru_cache(maxsize=2)  # a tournament makes several books of one list
def _shuffled(seed: str, count: int) -> Sequence[int]:
    """The numbers below ``count`` in the order of random keys, which the seed gives them."""
    import numpy as np  # imported late, because few tournaments shuffle a list

    keys = np.fromiter(islice(iter(Random(seed).random, None), count), float, count)
    return array("q", keys.argsort(kind="stable").tobytes())
