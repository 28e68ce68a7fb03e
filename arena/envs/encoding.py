"""Positions as planes of numbers and turns as rows of actions, from the board that a game declares.

A turn can be one of thousands, but its text consists of few parts: places of the board, walls, and single
characters. So an action is a part, and an agent chooses a turn part by part, as a person clicks it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

from arena.errors import ArenaError
from referee import Position, game
from referee.drawn_board import Board, Rectangle, Scene, Tiles, square_names
from referee.game import Drawable

__all__ = ["END", "Encoding", "Observation", "PartialTurn"]

END: Final = "end"
"""The action that ends a turn which could go on."""

_CHARACTERS: Final = tuple(map(chr, range(ord("!"), ord("~") + 1)))
_COORDINATES: Final = r"-?\d+,-?\d+"

Numbers: TypeAlias = NDArray[np.int8]


class Observation(TypedDict):
    """What an agent sees: planes, the allowed actions, the position string, and the part of a turn so far."""

    observation: Numbers
    action_mask: Numbers
    position: str
    turn: str


class Encoding:
    """The numbering of the actions and planes of one game.

    Attributes:
        rules: the game.
        actions: the name of each action: the places, the walls, the printable characters, and `END`. A place
            of `Tiles` is a column and a row, counted from the lower left corner of a box that has one free
            place on each side of the tiles.
        planes: the name of each plane.
        shape: the numbers of planes, rows and columns; row 0 is at the bottom.
    """

    def __init__(self, game_id: str) -> None:
        """Make the numbering. ArenaError: the game declares no board; RefereeError: there is no such game."""
        self.rules: Final = game(game_id)
        info = self.rules.info
        board = info.drawn
        if not isinstance(board, Rectangle | Tiles):
            raise ArenaError(f"{game_id} declares no board, so it has no environment")
        scene = scene_of(self.rules.start())
        if isinstance(board, Rectangle):
            columns, rows = board.columns, board.rows
            places = list(square_names(columns, rows))
        else:  # tiles in one row, and the places beside them
            columns = rows = len(scene.tiles) + 2
            places = [f"{column},{row}" for row in range(rows) for column in range(columns)]
        walls = [f"{place}{way}" for way in "hv" for place in places if board.has_wall(f"{place}{way}")]
        self.board: Final = board
        self.actions: Final = (*places, *walls, *_CHARACTERS, END)
        self.numbers: Final = {name: number for number, name in enumerate(self.actions)}
        names = _COORDINATES if isinstance(board, Tiles) else "|".join([*walls, *reversed(places)])
        self._part: Final = re.compile(f"{names}|.")
        self.planes: Final = _planes(board, scene, info.players, has_walls=bool(walls))
        self._plane: Final = {name: number for number, name in enumerate(self.planes)}
        self.shape: Final = (len(self.planes), rows, columns)

    def turns(self, position: Position) -> dict[tuple[int, ...], str]:
        """Return the text of each legal move by its actions, the last of which is `END`."""
        left, low = _corner(scene_of(position))
        has_tiles = isinstance(self.board, Tiles)
        turns = {}
        for text in map(str, position.legal_moves()):
            parts = self.parts(text)
            if has_tiles:
                parts = [_shifted(part, left, low) for part in parts]
            turns[tuple(self.numbers[part] for part in (*parts, END))] = text
        return turns

    def parts(self, text: str) -> list[str]:
        """Return the parts of a move's text, one for each action but `END`."""
        return self._part.findall(text)

    def draw(self, position: Position, seat: int, named: Sequence[int]) -> Numbers:
        """Return the planes that a seat sees, while the turn to move has named these places and walls."""
        planes = np.zeros(self.shape, np.int8)
        scene = scene_of(position)
        left, low = _corner(scene)
        for place, key in scene.pieces.items():
            self._mark(planes, key, _shifted(place, left, low))
        for place in scene.tiles:
            self._mark(planes, "tile", _shifted(place, left, low))
        for wall in scene.walls:
            self._mark(planes, f"wall {wall[-1]}", wall[:-1])
        for row, digits in enumerate(reversed(scene.ground)):
            for column, digit in enumerate(digits):
                planes[self._plane[f"ground {digit}"], row, column] = 1
        for number, hand in enumerate(scene.hands, 1):
            planes[self._plane[f"hand of player {number}"]] = hand
        planes[self._plane[f"seen by player {seat + 1}"]] = 1
        planes[self._plane[f"player {position.turn + 1} to move"]] = 1
        squares = [
            divmod(number, self.shape[2]) for number in named if number < self.shape[1] * self.shape[2]
        ]
        for row, column in squares:
            planes[self._plane["named in this turn"], row, column] = 1
        for row, column in squares[-1:]:
            planes[self._plane["named last"], row, column] = 1
        return planes

    def _mark(self, planes: Numbers, plane: str, place: str) -> None:
        row, column = divmod(self.numbers[place], self.shape[2])
        planes[self._plane[plane], row, column] = 1


class PartialTurn:
    """A turn that is being chosen in a position; it does not change.

    Attributes:
        allowed: the numbers of the actions that can follow; none if the turn is whole or the game is over.
        text: the chosen part of the move's text.
        is_whole: whether the turn is complete, so that ``text`` is a legal move.
    """

    def __init__(
        self,
        encoding: Encoding,
        position: Position,
        turns: dict[tuple[int, ...], str],
        chosen: tuple[int, ...] = (),
    ) -> None:
        """Take the turns that start with the chosen actions, and add each action that must follow."""
        while chosen and len(turns) > 1 and len({turn[len(chosen)] for turn in turns}) == 1:
            chosen = next(iter(turns))[: len(chosen) + 1]
        text = next(iter(turns.values()), "")
        self.position: Final = position
        self.is_whole: Final = bool(chosen) and len(turns) == 1
        self.allowed: Final = frozenset(() if self.is_whole else (turn[len(chosen)] for turn in turns))
        self.text: Final = text if self.is_whole else "".join(encoding.parts(text)[: len(chosen)])
        self._encoding: Final = encoding
        self._turns: Final = turns
        self._chosen: Final = chosen

    @classmethod
    def start(cls, encoding: Encoding, position: Position) -> PartialTurn:
        """Return a turn without a chosen action."""
        return cls(encoding, position, encoding.turns(position))

    def choose(self, action: int) -> PartialTurn:
        """Return the turn with an allowed action more, and each action that is the only one to follow.

        Raises:
            ValueError: the action is not allowed.
        """
        if action not in self.allowed:
            raise ValueError(f"action {action} is not among {sorted(self.allowed)}")
        chosen = (*self._chosen, int(action))
        turns = {turn: text for turn, text in self._turns.items() if turn[: len(chosen)] == chosen}
        return PartialTurn(self._encoding, self.position, turns, chosen)

    def observation(self, seat: int) -> Observation:
        """Return what a seat sees; only the seat to move has allowed actions."""
        mask = np.zeros(len(self._encoding.actions), np.int8)
        if seat == self.position.turn:
            mask[list(self.allowed)] = 1
        return {
            "observation": self._encoding.draw(self.position, seat, self._chosen),
            "action_mask": mask,
            "position": str(self.position),
            "turn": self.text,
        }


def scene_of(position: Position) -> Scene:
    """Return what is on the board of a game that declares one."""
    assert isinstance(position, Drawable)
    return position.scene()


def _planes(board: Board, scene: Scene, players: int, *, has_walls: bool) -> tuple[str, ...]:
    """Return the names of the planes."""
    seats = range(1, players + 1)
    return (
        *board.pieces,
        *(("wall h", "wall v") if has_walls else ()),
        *(("tile",) if isinstance(board, Tiles) else ()),
        *(f"ground {digit}" for digit in "1234" if scene.ground),
        *(f"hand of player {seat}" for seat in seats if scene.hands),
        *(f"seen by player {seat}" for seat in seats),
        *(f"player {seat} to move" for seat in seats),
        "named in this turn",
        "named last",
    )


def _corner(scene: Scene) -> tuple[int, int]:
    """Return the column and row of the lower left corner of the box round the tiles; 0, 0 without tiles."""
    places = [tuple(map(int, tile.split(","))) for tile in scene.tiles]
    if not places:
        return 0, 0
    return min(x for x, _ in places) - 1, min(y for _, y in places) - 1


def _shifted(part: str, left: int, low: int) -> str:
    """Return the coordinates of a place in the box round the tiles; any other part stays as it is."""
    x, _, y = part.partition(",")
    return f"{int(x) - left},{int(y) - low}" if x and y else part
