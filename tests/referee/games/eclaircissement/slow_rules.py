"""A second implementation of Éclaircissement, with a dictionary of squares and all paths. It shares no code.

The tests compare the fast rules with it. It is slow, but short enough to compare with the text of the rules.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

COLUMNS = "abcde"
ROWS = "12345"
SQUARES = [column + row for row in ROWS for column in COLUMNS]
BORDER = [square for square in SQUARES if square[0] in "ae" or square[1] in "15"]
CENTRE = "c3"
ORTHOGONAL = [(0, 1), (0, -1), (1, 0), (-1, 0)]
EIGHT = [*ORTHOGONAL, (1, 1), (1, -1), (-1, 1), (-1, -1)]
SPECIAL = {
    "eclaircissement": [
        "rrrrr/r3w/r3w/r3w/wwwww w",  # the set-up `halves`
        "wrwrw/r3r/w1w1w/r3r/wrw1r w",  # a dark pawn on the centre, with steps alone
        "wrwrw/r3r/wr1r1/w4/wrwrw w",  # through the centre
        "wrwrw/rr2w/1w2w/R1r2/wr1wr w",  # the lit path is longer than the dark one; back to the start
        "wr1rw/rwrwr/w1w1r/4r/w2rw w",  # from the centre and back to it
        "wr1rw/rwrwr/w1W1r/4r/w2rw w",  # the same with a lit pawn: it may not come back
        "r1R2/w1wwr/wrw1w/Wr1r1/1wr1r w",  # a long path to a lit pawn, and back again
        "2wr1/RwrRr/1Wr2/rWWwr/1w1w1 w",  # a canonical text of 31 characters
        "1r1w1/rWwWr/2rWw/rRRW1/1r1W1 w",
        "RRRRw/rRrWr/wwwW1/wW3/5 r",  # two moves
        "wWr2/WrR2/WwrR1/wrr2/WWr2 w",
        "rW1W1/1Wrr1/rW1wr/1rrW1/1w1wr r",  # 84 moves
        "r1r1r/WWWWW/1r1r1/Wrwrw/2r2 r",
        "WrWrW/r3r/W2W1/r3r/WrWrW w",  # one step from the win
        "WrWrW/r3W/3rW/R3r/wrWrW w",  # one jump from the win
        "WrWrW/r3W/1w2W/r2rr/1rWrW w",  # the last pawn can be lit, but not on the border
        "wRwRw/R3R/w3w/R2R1/wRwRw r",
        "WrWrW/r3r/W3W/r3r/WrWrW r",  # won
        "WrWrW/r3r/W3W/r3r/WrWrW w",
        "WRWRW/R3R/W3W/R3R/WRWRW w",  # both at home
        "WRWRW/R3R/W3W/R3R/WRWRW r",
        "wwwww/www2/5/2rrr/rrrrr w",
        "WWWWW/1WWW1/5/1RRR1/RRRRR r",
        "wrwrw/r3r/w3w/r3r/wrwrw w",
        "wrwrw/r3r/w3w/rr2r/www1r w",
        "wrwrw/r3r/4w/r2wr/wrwrw w",
        "wrwrw/r3r/wr2w/4r/wrwrw r",
        "wrwrw/r3r/wwr2/r4/wrwrw w",
        "wrwrw/r3r/wr2w/4r/wrwrw w",
        "wrwrw/r3r/ww2w/r3r/1rwrw w",
        "wrwrw/r3r/w3w/r1w1r/wR1rw w",
        "wrwrw/r3r/w3w/r1r1r/wW1rw w",
        "wRwRw/R3R/w3w/R3R/wRwRw w",
        "wRwRw/R3R/w3w/R3R/wRwRw r",
    ]
}
ANY_WALK = 4  # every path with up to this many jumps is tried; longer paths only while they reach new states


def away(square: str, across: int, up: int) -> str | None:
    """The square at this distance, or None if it is off the board."""
    column, row = COLUMNS.index(square[0]) + across, ROWS.index(square[1]) + up
    return COLUMNS[column] + ROWS[row] if 0 <= column < 5 and 0 <= row < 5 else None


class Slow:
    """A position: the letter of each pawn by square, upper case if lit; and the player to move."""

    def __init__(self, pawns: dict[str, str], turn: str) -> None:
        self.pawns, self.turn = pawns, turn

    @classmethod
    def read(cls, _game_id: str, text: str) -> Slow:
        board, turn = text.split()
        pawns = {}
        for row, line in zip(reversed(ROWS), board.split("/"), strict=True):
            cells = "".join("." * int(letter) if letter.isdigit() else letter for letter in line)
            pawns |= {column + row: letter for column, letter in zip(COLUMNS, cells, strict=True)}
        return cls({square: letter for square, letter in pawns.items() if letter != "."}, turn)

    def __str__(self) -> str:
        lines = []
        for row in reversed(ROWS):
            line = "".join(self.pawns.get(column + row, ".") for column in COLUMNS)
            for gap in range(5, 0, -1):
                line = line.replace("." * gap, str(gap))
            lines.append(line)
        return f"{'/'.join(lines)} {self.turn}"

    def other(self) -> str:
        return "r" if self.turn == "w" else "w"

    def winner(self) -> str | None:
        """The player whose pawns are all lit and on the border. If both are, the one who has just moved."""
        for player in (self.other(), self.turn):
            own = [(square, letter) for square, letter in self.pawns.items() if letter.lower() == player]
            if all(letter.isupper() and square in BORDER for square, letter in own):
                return player
        return None

    def result(self) -> tuple[tuple[int, int], str] | None:
        winner = self.winner()
        return None if winner is None else ((1, 2) if winner == "w" else (2, 1), "border")

    def successors(self) -> dict[str, Slow]:
        """Legal texts, each with its successor: every step, and very many chains."""
        if self.winner() is not None:
            return {}
        positions = {}
        for square in SQUARES:
            if self.pawns.get(square, ".").lower() != self.turn:
                continue
            dark = self.pawns[square].islower()
            for path, may_be_lit in [*self.steps(square), *self.walks(square)]:
                text = "".join(path)
                if path[-1] != square:
                    positions[text] = self.after(square, path[-1], lit=False)
                if dark and may_be_lit:
                    positions[f"{text}+"] = self.after(square, path[-1], lit=True)
        return positions or {"pass": Slow(self.pawns, self.other())}

    def steps(self, start: str) -> Iterator[tuple[list[str], bool]]:
        """The paths of one step, each with whether the pawn may be lit."""
        for across, up in EIGHT:
            target = away(start, across, up)
            if target is not None and target not in self.pawns:
                yield [start, target], target == CENTRE

    def walks(self, start: str) -> list[tuple[list[str], bool]]:
        """The paths of one jump or more, each with whether the pawn may be lit."""
        others = {square: letter for square, letter in self.pawns.items() if square != start}
        paths = []
        waiting = [([start], False, {(start, False)})]
        while waiting:
            path, light, seen = waiting.pop()
            for across, up in ORTHOGONAL:
                over, landing = away(path[-1], across, up), away(path[-1], 2 * across, 2 * up)
                if over not in others or landing is None or landing in others:
                    continue
                light_now = light or landing == CENTRE or others[over].isupper()
                if (landing, light_now) in seen and len(path) > ANY_WALK:
                    continue
                paths.append(([*path, landing], light_now))
                waiting.append(([*path, landing], light_now, seen | {(landing, light_now)}))
        return paths

    def after(self, start: str, target: str, *, lit: bool) -> Slow:
        """The position after the move. ``lit`` says whether the move lights the pawn."""
        pawns = dict(self.pawns)
        letter = pawns.pop(start)
        pawns[target] = letter.upper() if lit else letter
        return Slow(pawns, self.other())


def random_position(rng: random.Random) -> str:
    """A random position string. Pawns are anywhere or mostly on the border; some are lit."""
    light = rng.choice([0.0, 0.1, 0.5, 0.9])
    border = rng.choice([0, 4, 12, 16])
    places = rng.sample(BORDER, border)
    places += rng.sample([square for square in SQUARES if square not in places], 16 - border)
    rng.shuffle(places)
    pawns = {}
    for number, square in enumerate(places):
        letter = "wr"[number % 2]
        pawns[square] = letter.upper() if rng.random() < light else letter
    return str(Slow(pawns, rng.choice("wr")))
