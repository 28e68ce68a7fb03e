"""Chomp: players eat a bar of chocolate from its upper right corner. The player who eats a1 loses."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from referee import Game, GameInfo, IllegalMove, MoveSyntaxError, Outcome, PositionError
from referee.drawn_board import Decision, Piece, Scene, Squares

COLUMNS = "abcde"
ROWS = 4


@dataclass(frozen=True, slots=True)
class Bite:
    """A move: the player eats this square and all squares above it, to its right, or both."""

    column: int
    row: int

    def __str__(self) -> str:
        return f"{COLUMNS[self.column]}{self.row + 1}"


@dataclass(frozen=True, slots=True)
class Bar:
    """A position: the number of remaining squares in each row, from the bottom, and the seat to move."""

    rows: tuple[int, ...]
    turn: int

    def legal_moves(self) -> Iterator[Bite]:
        """All remaining squares. The first one is the smallest bite."""
        for row in reversed(range(ROWS)):
            for column in reversed(range(self.rows[row])):
                yield Bite(column, row)

    def parse_move(self, text: str) -> Bite:
        """Read a move, or raise an error with the reason."""
        if not re.fullmatch("[a-e][1-4]", text):
            raise MoveSyntaxError("a move is a square from a1 to e4, such as b3")
        bite = Bite(COLUMNS.index(text[0]), int(text[1]) - 1)
        if bite.column >= self.rows[bite.row]:
            raise IllegalMove(f"{text} has been eaten")
        return bite

    def play(self, move: Bite) -> Bar:
        """The position after a move. This position does not change."""
        below, above = self.rows[: move.row], self.rows[move.row :]
        return Bar((*below, *(min(length, move.column) for length in above)), 1 - self.turn)

    def outcome(self) -> Outcome | None:
        """If nothing is left, the other player has eaten a1, and the seat to move wins."""
        return None if self.rows[0] else Outcome.win(self.turn, 2, "poison")

    def key(self) -> Hashable:
        """Two positions with the same key count as a repetition."""
        return self

    def skip_turn(self) -> Bar:
        """The same position with the next seat to move. Only games of more than two use it."""
        return Bar(self.rows, 1 - self.turn)

    def diagram(self, *, ascii_only: bool = False) -> str:
        """Draw the board for people."""
        square = " #" if ascii_only else " ■"
        rows = [f"{row + 1}{square * self.rows[row]}" for row in reversed(range(ROWS))]
        return "\n".join([*rows, f"  {' '.join(COLUMNS)}", f"player {self.turn + 1} to move"])

    def scene(self) -> Scene:
        """What is on the drawn board."""
        left = [
            f"{COLUMNS[column]}{row}" for row, length in enumerate(self.rows, 1) for column in range(length)
        ]
        pieces = {square: "poison" if square == "a1" else "chocolate" for square in left}
        decision = None if left else Decision(losing=("a1",))
        return Scene(pieces, "the player who eats the cross loses", decision=decision)

    def __str__(self) -> str:
        return f"{'/'.join(str(length) for length in reversed(self.rows))} {self.turn + 1}"


class Chomp:
    """The rules. The class has no state."""

    info = GameInfo(
        id="chomp",
        title="Chomp",
        players=2,
        board="5x4",
        ply_limit=None,  # the ply at which the game is a draw; None because the game always ends
        draw_prior=0.0,
        sheet="F. Schuh 1952, D. Gale 1974",
        rulings=(),
        drawn=Squares(
            look="lane",
            columns=len(COLUMNS),
            rows=ROWS,
            pieces={
                "chocolate": Piece("chocolate", (("block", "ember"),)),
                "poison": Piece("poison", (("block", "red"), ("cross", "red"))),
            },
        ),
    )

    def start(self, setup: str | None = None) -> Bar:
        """The whole bar. There is no other set-up."""
        if setup is not None:
            raise PositionError("setup", "chomp has no set-ups")
        return Bar((len(COLUMNS),) * ROWS, 0)

    def parse_position(self, text: str) -> Bar:
        """Read a position string. It must be written exactly as it is printed."""
        rows, _, player = text.partition(" ")
        if not re.fullmatch("[0-5](/[0-5]){3}", rows):
            raise PositionError("rows", "4 numbers from 0 to 5 were expected, with / between them")
        if player not in ("1", "2"):
            raise PositionError("player to move", "1 or 2 was expected")
        lengths = tuple(int(length) for length in reversed(rows.split("/")))
        if any(above > below for below, above in pairwise(lengths)):
            raise PositionError("rows", "no row is longer than the one below it")
        return Bar(lengths, int(player) - 1)


CHOMP: Game = Chomp()
