"""The values that a bot can get: a property of a class each, under its name in the options."""

from __future__ import annotations

import json
import re
from argparse import ArgumentTypeError
from collections.abc import Collection, Mapping
from functools import cached_property
from typing import Final

from arena.bridges.spelling import Spelling
from protocol.engine import Turn
from referee.drawn_board import Scene, Tiles, square_name
from referee.game import Drawable, Game, Position

NAME: Final = re.compile(r"\{(\w+)\}")
_DAY: Final = 86_400_000  # milliseconds for a move if there is no clock


class Seat:
    """What is known when a game starts."""

    def __init__(self, rules: Game, seat: int, color: str, spelling: Spelling) -> None:
        self.rules, self.seat, self.color, self.spelling = rules, seat, color, spelling

    @property
    def game(self) -> str:
        """The id of the game."""
        return self.rules.info.id

    @property
    def size(self) -> int:
        """The number of rows of the board; 0 if the board has no rows."""
        return getattr(self.rules.info.drawn, "rows", 0)

    @property
    def player(self) -> int:
        """The seat, from 1."""
        return self.seat + 1


class Moment(Seat):
    """What is known in a turn."""

    def __init__(self, seat: Seat, turn: Turn) -> None:
        super().__init__(seat.rules, seat.seat, seat.color, seat.spelling)
        self.turn = turn
        self._milliseconds = next((ms for ms in (turn.movetime, turn.time) if ms is not None), _DAY)

    @cached_property
    def position(self) -> Position:
        """The position, as the rules have it."""
        return self.turn.replay(self.rules)

    @property
    def text(self) -> str:
        """The position string."""
        return str(self.position)

    @property
    def legal(self) -> list[str]:
        """The legal moves."""
        return [self.spelling.told(move) for move in self.turn.legal]

    @property
    def history(self) -> list[str]:
        """The moves since the start of the game."""
        return [self.spelling.told(move) for move in self.turn.moves]

    @property
    def last(self) -> str:
        """The last move, or nothing."""
        return "".join(self.history[-1:])

    @property
    def ply(self) -> int:
        """How many moves have been played."""
        return len(self.turn.moves)

    @property
    def ms(self) -> int:
        """The milliseconds on the clock, or for this move; a day without a clock."""
        return self._milliseconds

    @property
    def seconds(self) -> float:
        """The same in seconds."""
        return self._milliseconds / 1000

    @cached_property
    def scene(self) -> Scene:
        """What stands on the drawn board; nothing in a game without one."""
        return self.position.scene() if isinstance(self.position, Drawable) else Scene({})

    @property
    def board(self) -> list[list[str]]:
        """The rows from the top down: the key of the piece on each square, or a dot."""
        pieces, drawn = self.scene.pieces, self.rules.info.drawn
        if isinstance(drawn, Tiles):
            return self._tiles()
        columns = getattr(drawn, "columns", 0)
        return [
            [pieces.get(square_name(column, row), ".") for column in range(columns)]
            for row in reversed(range(self.size))
        ]

    def _tiles(self) -> list[list[str]]:
        """Return the smallest rectangle with all tiles: `_` for a tile without a piece."""
        places = {tuple(map(int, place.split(","))): place for place in self.scene.tiles}
        columns, rows = zip(*places, strict=True)
        return [
            [
                self.scene.pieces.get(places[column, row], "_") if (column, row) in places else "."
                for column in range(min(columns), max(columns) + 1)
            ]
            for row in range(max(rows), min(rows) - 1, -1)
        ]

    @property
    def pawns(self) -> dict[str, list[str]]:
        """The places of the pieces, by the key of the piece."""
        places: dict[str, list[str]] = {}
        for place, key in sorted(self.scene.pieces.items(), key=lambda item: item[1]):
            places.setdefault(key, []).append(self.spelling.place(place))
        return places

    @property
    def walls(self) -> list[str]:
        """The walls on the board."""
        return [self.spelling.place(wall) for wall in self.scene.walls]

    @property
    def hands(self) -> list[int]:
        """By seat, how many walls or pieces are not on the board yet."""
        return list(self.scene.hands)


OF_GAME: Final = ("game", "size", "seat", "player", "color")
"""The names of the values that need no turn."""
OF_BOARD: Final = ("board", "pawns", "walls", "hands")
VALUES: Final = (*OF_GAME, "position", "text", "legal", "history", "last", "ply", "ms", "seconds", *OF_BOARD)
"""The names of all values."""


def fill(text: str, values: Seat) -> str:
    """Replace the names in braces by the values, as a line has them."""
    return NAME.sub(lambda name: _shown(getattr(values, name[1])), text)


def fill_json(text: str, values: Seat) -> str:
    """Replace the names in braces by the values in JSON."""
    return NAME.sub(lambda name: json.dumps(getattr(values, name[1]), default=str), text)


def _shown(value: object) -> str:
    """Write a value: a list of texts with spaces, a whole number, and what has parts as JSON."""
    if isinstance(value, list) and not any(isinstance(item, list | Mapping) for item in value):
        return " ".join(map(str, value))
    if isinstance(value, list | Mapping):
        return json.dumps(value)
    return f"{value:.0f}" if isinstance(value, float) else str(value)


def known(text: str, used: Collection[str], names: Collection[str]) -> str:
    """Return a text that uses these names, or raise ArgumentTypeError if one of them is no value."""
    for name in used:
        if name not in names:
            raise ArgumentTypeError(f"{text!r}: there is no value {name!r}; there are {', '.join(names)}")
    return text
