"""A second implementation of Movers & Hoppers, with a dictionary of squares. It shares no code.

The tests compare the fast rules with it. It is slow, but short enough to compare with the text of the rules.
"""

from __future__ import annotations

from itertools import product

BASIC, EXPERT, RAMPANTS = "movers-hoppers", "movers-hoppers-expert", "rampants"

Square = tuple[int, int]  # column from 0, row from 1

DIRECTIONS = [(across, up) for across in (-1, 0, 1) for up in (-1, 0, 1) if (across, up) != (0, 0)]
ON_BOARD = {(column, row) for column in range(3) for row in range(1, 9)}
HOME = {"w": [1, 2], "r": [8, 7]}  # rows from the player's edge inwards
OTHER = {"w": "r", "r": "w"}


def name(square: Square) -> str:
    return "abc"[square[0]] + str(square[1])


def camp(player: str) -> set[Square]:
    return {square for square in ON_BOARD if square[1] in HOME[player]}


def go(square: Square, direction: Square) -> Square:
    return (square[0] + direction[0], square[1] + direction[1])


class Slow:
    """An immutable position."""

    def __init__(self, game_id: str, pieces: dict[Square, str], turn: str) -> None:
        self.game_id, self.pieces, self.turn = game_id, pieces, turn

    @classmethod
    def read(cls, game_id: str, text: str) -> Slow:
        board, turn = text.split(" ")
        pieces = {}
        for row, line in zip(range(8, 0, -1), board.split("/"), strict=True):
            column = 0
            for letter in line:
                if letter.isdigit():
                    column += int(letter)
                else:
                    pieces[column, row] = letter
                    column += 1
        return cls(game_id, pieces, turn)

    def __str__(self) -> str:
        rows = []
        for row in range(8, 0, -1):
            line = "".join(self.pieces.get((column, row), " ") for column in range(3))
            for gap in (3, 2, 1):
                line = line.replace(" " * gap, str(gap))
            rows.append(line)
        return f"{'/'.join(rows)} {self.turn}"

    def places_of(self, player: str) -> set[Square]:
        return {square for square, piece in self.pieces.items() if piece.isupper() == (player == "w")}

    def has_won(self, player: str) -> bool:
        own, goal = self.places_of(player), camp(OTHER[player])
        if len(own) == 6 and own <= goal:
            return True
        return self.game_id != RAMPANTS and own & goal != set() and goal <= set(self.pieces)

    def winner(self) -> str | None:
        mover = OTHER[self.turn]
        for player in (mover, self.turn):
            if self.has_won(player):
                return player
        return None

    def result(self) -> tuple[tuple[int, int], str] | None:
        winner = self.winner()
        if winner is None:
            return None
        reason = "camp" if self.places_of(winner) <= camp(OTHER[winner]) else "full"
        return ((1, 2) if winner == "w" else (2, 1)), reason

    def targets(self, square: Square) -> set[Square]:
        """The squares to which the piece on a square may go."""
        squares = set()
        for direction in DIRECTIONS:
            there = go(square, direction)
            if self.pieces[square] in "Mm":
                if there in ON_BOARD and there not in self.pieces:
                    squares.add(there)
            elif there in self.pieces:
                while there in self.pieces:
                    there = go(there, direction)
                if there in ON_BOARD:
                    squares.add(there)
        return squares

    def setups(self) -> dict[str, Slow]:
        squares = [(column, row) for row in HOME[self.turn] for column in range(3)]
        positions = {}
        for letters in product("mh", repeat=6):
            if letters.count("m") == 3 or self.game_id == EXPERT:
                text = "".join(letters)
                pieces = text.upper() if self.turn == "w" else text
                placed = {**self.pieces, **dict(zip(squares, pieces, strict=True))}
                positions[text] = Slow(self.game_id, placed, OTHER[self.turn])
        return positions

    def successors(self) -> dict[str, Slow]:
        if self.winner() is not None:
            return {}
        if not self.places_of(self.turn):
            return self.setups()
        positions = {}
        turned = {"M": "H", "H": "M", "m": "h", "h": "m"}
        for square in self.places_of(self.turn):
            for target in self.targets(square):
                pieces = {where: piece for where, piece in self.pieces.items() if where != square}
                pieces[target] = turned[self.pieces[square]]
                positions[name(square) + name(target)] = Slow(self.game_id, pieces, OTHER[self.turn])
        return positions or {"pass": Slow(self.game_id, self.pieces, OTHER[self.turn])}


IN_PLAY = [
    "hhh/mmm/3/3/3/3/MMM/HHH w",
    "hhh/mmm/3/3/3/3/MMM/HHH r",
    "mmm/hhh/3/3/3/3/HHH/MMM w",  # neither player can move, so both must pass
    "mmm/hhh/3/3/3/3/HHH/MMM r",
    "mmh/hhm/3/3/3/3/HHH/MMM w",  # only White must pass
    "H2/m2/M2/h2/m2/M1h/hH1/HMh w",  # jumps up and down column a, over lines of two colours
    "1hh/m2/M2/h2/m2/M1H/hHM/H2 w",  # from a1 over six pieces to a8
    "2h/m2/M2/h2/m2/M1H/hHM/H1h w",
    "MHM/hmh/3/mhm/3/H2/M1H/3 w",
    "MHh/M1m/1M1/3/1Hm/3/2m/Hhh w",  # all squares of the upper camp but b7 are occupied
    "MHh/MH1/m2/2m/1H1/3/2m/Hhh w",
    "MHh/mHm/3/3/H2/M2/2h/Mhh r",  # full, with White in it
    "MHh/mHm/3/3/H2/M2/2h/Mhh w",  # the same, after Red has moved back into its own camp
    "mhh/hhm/3/3/HHM/MMH/3/3 w",  # full, without White in it
    "MHM/HMH/3/mm1/hh1/3/3/mh1 r",  # all six
    "MHM/HMH/3/mm1/hh1/3/3/mh1 w",
    "M1M/HMH/1H1/mm1/hh1/3/3/mh1 w",  # one step before that, but a hopper cannot step
    "M1M/HMH/1M1/mm1/hh1/3/3/mh1 w",
    "M1M/HMm/1H1/1m1/hh1/1H1/3/mh1 w",
    "MHM/HMH/3/3/3/3/mhm/hmh w",  # both
    "MHM/HMH/3/3/3/3/mhm/hmh r",
    "MHM/mHM/3/3/3/3/hHm/hmh w",
    "MHM/mHM/3/3/3/3/hHm/hmh r",
    "MMm/HHM/3/mm1/3/h2/mm1/2H r",  # full, but not with all six pieces
    "3/1M1/M1H/3/mHh/3/HhM/mhm w",
    "hMh/HmH/hHh/MmM/3/3/3/3 w",
    "3/3/3/3/hmh/MHM/hmh/MHM r",
    "3/3/mmm/HHH/MMM/hhh/3/3 r",
    "3/3/HHH/HHH/hhh/hhh/3/3 w",
    "mhm/2h/3/1Hm/HM1/M1h/1HM/3 w",
    "hmh/hm1/M2/3/1H1/3/HmM/M1M w",
    "hmm/1m1/M2/3/h2/M2/HHh/1MM w",
    "hhm/1H1/1H1/mM1/3/mh1/3/HMM w",
    "MHh/m1m/1m1/3/HH1/M2/3/Mhh r",
    "MHM/H1H/1M1/mm1/hh1/3/3/mh1 w",
    "MH1/3/3/MM1/HH1/1h1/hmh/m1m r",
    "MH1/3/3/MM1/HH1/1m1/h1h/mmm r",
    "MH1/mHm/3/3/H2/M1m/2h/Mhh r",
]
SETTING_UP = ["3/3/3/3/3/3/3/3 w", "3/3/3/3/3/3/MMM/HHH r", "3/3/3/3/3/3/HHH/MMM r", "3/3/3/3/3/3/HMH/MHM r"]
FREE = ["3/3/3/3/3/3/MMM/MMM r", "3/3/3/3/3/3/HHH/HHH r", "hhh/hhh/3/3/3/3/MMM/MMM w"]

SPECIAL = {
    BASIC: [*SETTING_UP, *IN_PLAY],
    EXPERT: [*SETTING_UP, *FREE, *IN_PLAY],
    RAMPANTS: [*SETTING_UP, *IN_PLAY],
}
