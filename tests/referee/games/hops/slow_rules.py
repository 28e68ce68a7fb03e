"""A second implementation of HOPS, with sets of coordinates and recursion. It shares no code.

The tests compare the fast rules with it. It is slow, but short enough to compare with the text of the rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

Square = tuple[int, int]  # column and row, both from 0

EIGHT = [(across, up) for across in (-1, 0, 1) for up in (-1, 0, 1) if (across, up) != (0, 0)]
BOARD = [(column, row) for row in range(7) for column in range(7)]
GOAL = {"b": 6, "r": 0}  # the opponent's home row
AHEAD = {"b": 1, "r": -1}


def name(square: Square) -> str:
    return "abcdefg"[square[0]] + str(square[1] + 1)


def on_board(square: Square) -> bool:
    return 0 <= square[0] < 7 and 0 <= square[1] < 7


class Action(NamedTuple):
    text: str
    end: Square | None  # None if the pawn has carried the ball out
    ball: Square | None  # the ball after the action


@cache
def shortened(cells: str) -> str:
    for gap in range(7, 0, -1):
        cells = cells.replace("." * gap, str(gap))
    return cells


class Slow:
    """An immutable position."""

    def __init__(self, pawns: dict[Square, str], ball: Square | None, side: str) -> None:
        self.pawns, self.ball, self.side = pawns, ball, side
        self.other = "r" if side == "b" else "b"

    @classmethod
    def read(cls, game_id: str, text: str) -> Slow:
        assert game_id == "hops"
        board, side = text.split(" ")
        pawns = {}
        ball = None
        for down, row in enumerate(board.split("/")):
            column = 0
            for letter in row:
                if letter.isdigit():
                    column += int(letter)
                    continue
                pawns[column, 6 - down] = letter.lower()
                if letter.isupper():
                    ball = (column, 6 - down)
                column += 1
        return cls(pawns, ball, side)

    def __str__(self) -> str:
        rows = [["."] * 7 for _ in range(7)]
        for (column, row), letter in self.pawns.items():
            rows[6 - row][column] = letter.upper() if (column, row) == self.ball else letter
        return "/".join([shortened("".join(row)) for row in rows]) + " " + self.side

    def own(self) -> list[Square]:
        return [square for square, letter in self.pawns.items() if letter == self.side]

    def actions(self, pawn: Square) -> Iterator[Action]:
        """Every action of a pawn of the player to move, with or without the ball."""
        around = self.pawns.keys() - {pawn}
        has_ball = pawn == self.ball
        for across, up in EIGHT:
            target = (pawn[0] + across, pawn[1] + up)
            if on_board(target) and target not in around:
                yield Action(name(pawn) + name(target), target, target if has_ball else self.ball)
        if has_ball and pawn[1] == GOAL[self.side]:
            yield Action(name(pawn) + "#", None, None)
        yield from self.jumps(name(pawn), pawn, has_ball, pawn, {(pawn, has_ball)}, set(), again=1)

    def jumps(
        self,
        text: str,
        here: Square,
        has_ball: bool,
        pawn: Square,
        visited: set[tuple[Square, bool]],
        made: set[tuple[Square, Square]],
        again: int,
    ) -> Iterator[Action]:
        """Every path of one jump or more from ``here`` that visits squares again at most ``again`` times."""
        around = self.pawns.keys() - {pawn}
        for across, up in EIGHT:
            over = (here[0] + across, here[1] + up)
            target = (here[0] + 2 * across, here[1] + 2 * up)
            if over not in around:
                continue
            could_take = over == self.ball and not has_ball
            if target[1] == GOAL[self.side] + AHEAD[self.side]:
                if has_ball:
                    yield Action(text + "#", None, None)
                if could_take:
                    yield Action(text + "*#", None, None)
                continue
            if not on_board(target) or target in around or (target, here) in made:
                continue
            for taken in (False, True) if could_take else (False,):
                now = has_ball or taken
                left = again - ((target, now) in visited)
                if left < 0:
                    continue
                longer = text + "*" * taken + name(target)
                if target != pawn or (now and pawn != self.ball):
                    yield Action(longer, target, target if now else self.ball)
                yield from self.jumps(
                    longer, target, now, pawn, visited | {(target, now)}, made | {(here, target)}, left
                )

    def after(self, pawn: Square, action: Action, side: str) -> Slow:
        pawns = {square: letter for square, letter in self.pawns.items() if square != pawn}
        if action.end is not None:
            pawns[action.end] = self.side
        return Slow(pawns, action.ball, side)

    def turns(self) -> Iterator[tuple[str, Slow]]:
        """The turns, each with its successor. Only some of the texts of each action are used."""
        attacks = self.pawns[self.ball] == self.side
        for pawn in self.own():
            for first in some(self.actions(pawn)):
                if first.end is None:
                    yield first.text, self.after(pawn, first, self.other)
                    continue
                between = self.after(pawn, first, self.side)
                for other in between.own():
                    if other == first.end:
                        continue
                    for second in some(between.actions(other)):
                        changes = (first.ball != self.ball) + (second.ball != between.ball)
                        if changes == 1 or (changes == 0 and not attacks):
                            yield f"{first.text},{second.text}", between.after(other, second, self.other)

    def successors(self) -> dict[str, str]:
        if self.ball is None:
            return {}
        return {text: str(after) for text, after in self.turns() if len(text) <= 200}

    def result(self) -> tuple[tuple[int, int], str] | None:
        lost = (2, 1) if self.side == "b" else (1, 2)
        if self.ball is None:
            return lost, "goal"
        if next(self.turns(), None) is None:
            return lost, "blocked"
        return None


def some(actions: Iterable[Action]) -> list[Action]:
    """For each result, the two best texts and the worst text."""
    ways: dict[tuple[Square | None, Square | None], list[Action]] = {}
    for action in actions:
        ways.setdefault((action.end, action.ball), []).append(action)
    chosen_actions = []
    for same in ways.values():
        same.sort(key=lambda action: (len(action.text), action.text))
        chosen_actions += same[:2] + same[2:][-1:]
    return chosen_actions


SPECIAL = {
    "hops": [
        "rrrrrrr/7/7/7/7/7/bbbBbbb b",
        "r1rr1rr/7/1r5/1B5/2b4/4r2/bbb1b1b r",
        "rr1rr1r/7/7/4Br1/2r4/7/b1bbbbb r",
        "rr1rr1r/7/7/4Rr1/2b4/7/b1bbbbb r",
        "rrrrrrr/7/7/7/7/7/bbb1bbb r",
        "rrrrrr1/7/7/7/7/7/bbbbbbb b",
        "rrrrrr1/Br5/7/7/7/7/bbbbbb1 b",
        "rrrrrrB/7/7/7/7/5b1/bbbbbr1 b",
        "1rrrrrr/7/7/7/7/1r5/Bbbbbbb r",
        "1r1r1rR/5b1/7/7/7/1r1r1r1/bbb1bbb b",
        "7/7/b1b1b2/1b1b3/r1r4/rr2b2/Brr3r b",
        "Rbb4/bb2r2/brb4/r6/7/1r2r1b/2r4 r",
        "2b2r1/7/7/2b4/2b1rrr/2b2rr/3brbB b",
        "7/7/7/b1br3/brrr3/brb4/bBrr3 b",
        "7/7/7/rrrr3/rbbr3/Bbr4/bbb4 b",
        "3brbb/3rrbb/3Rrrb/4r1b/7/7/7 b",
        "3Rbbb/3brbr/4rrb/4rrb/7/7/7 b",
        "4rrr/3brbb/3rBbb/4brr/7/7/7 b",
        "3rbrr/3brbr/3Brbb/4r1b/7/7/7 b",
        "7/7/7/7/rrbRbbb/rbb3b/4rrr b",
        "7/7/7/3rbbb/3R2r/3bbbr/3rrrb r",
        "7/7/7/7/1b4r/rBbbb1r/1brrbrr b",
        "7/7/7/rbbb3/r3r2/rr1Bb2/rr2bb1 r",
        "6r/4bbb/4b1b/4r1r/4Rbr/6r/4r1b b",
        "7/3Rrbb/4rrb/4rbr/3bbbr/7/7 r",
        "rr1rrr1/7/2R4/1r5/1b5/7/bb1bbbb b",
        "rrrrrrr/7/7/7/2bB3/7/bb2bbb b",
        "7/3brrr/3Rbrr/5br/3bbbb/7/7 b",
        "1r1rrrr/1rr4/7/7/1b5/7/b1bBbbb r",
        "1rrrrrr/B6/7/7/7/6r/bbbbbb1 b",
        "b1rrrrr/B6/7/7/7/5rr/bbbbb2 b",
        "rrrrrrr/1B5/7/7/7/7/bbbbbb1 b",
        "7/7/b1b1b2/1b1b3/r1r4/rr4b/Brr3r b",
        "3r3/1b1b3/b1b1b2/7/4r1r/5rr/b3rrB b",
        "7/7/b1b1b2/1b1b3/r6/rr2br1/Brr3r b",
        "7/7/b1b1b2/1b1b3/r1r4/rr1b3/1rrB2r b",
        "7/7/b1b1b2/1b1b3/r1r4/rr2b2/Brr3r r",
    ]
}
