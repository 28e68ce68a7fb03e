"""Families of bots: for each, the options of its bridge and the values that its framework has."""

from __future__ import annotations

from typing import Any, Final

from arena.bridges import seahorse
from arena.bridges.bot import BotFailed
from arena.bridges.values import OF_GAME, VALUES, Moment, Seat

_QTP: Final = r"""--colors white,black --start 'boardsize {size}' clear_board 'walls 10'
  --square '..' '{LETTER}{row}' --square '...' '{LETTER}{row+1}'
  --move '(..)h' '\1 horizontal' --move '(..)v' '\1 vertical' --move '(..)(.)' '\1 \2'
  --sent 'play (.* ..)' 'playmove \1' --sent 'play (.*al)' 'playwall \1'"""

_UCL: Final = r"""--method 'play(percepts, player=seat, step=number, time_left=seconds)'
  --square .* '{row-1} {column-1}'
  --move '(. .)' 'P \1' --move '(. .)h' 'WH \1' --move '(. .)v' 'WV \1'"""

_SEAHORSE: Final = r"""--values 'piece, goal_row' --key data
  --method 'compute_action(current_state=state, remaining_time=seconds)'
  --square '..h?' '{down-1} {column-1}' --square '..v' '{down-2} {column}'
  --move '(. .)' 'destination \1 type move'
  --move '(. .)h' 'destination \1 type horizontal' --move '(. .)v' 'destination \1 type vertical'"""

_DELHI: Final = r"""--listen 127.0.0.1:{port}
  --start '{player} {size} {size} 10 60' --turn --played '{move} 3' --after '{seconds} 3'
  --square '..' '{row} {column}' --square '...' '{row+1} {column+1}'
  --move '(. .)' '0 \1' --move '(. .)h' '1 \1' --move '(. .)v' '2 \1'"""

_BUDAPEST: Final = r"""--start '2 {seat} {size}' '4 0 10' '4 8 10' --turn '{numbers}'
  --square .* '{column-1} {row-1}' --move '(. .)h' '\1 0' --move '(. .)v' '\1 1'"""

_ECAM: Final = r"""--listen 127.0.0.1:{port} --subscribe --message
  '{"request": "play", "lives": 1, "errors": [], "state":
    {"players": ["1", "2"], "current": {seat}, "blockers": {hands}, "board": {cells}}}'
  --square '..' '{row*2-2} {column*2-2}'
  --square '..h' '{row*2-1} {column*2-2} {row*2-1} {column*2}'
  --square '..h' '{row*2-1} {column*2} {row*2-1} {column*2-2}'
  --square '..v' '{row*2-2} {column*2-1} {row*2} {column*2-1}'
  --square '..v' '{row*2} {column*2-1} {row*2-2} {column*2-1}'
  --move '(\d+ \d+)' 'position \1 type pawn' --move '(.*)[hv]' 'position \1 type blocker'"""

RECIPES: Final = {
    "gtp": {"qtp": _QTP},
    "lines": {"budapest": _BUDAPEST, "delhi": _DELHI},
    "class": {
        "ucl": _UCL,
        "seahorse": _SEAHORSE,
        "kaggle": "--values 'observation, configuration'",
    },
    "tcp": {"ecam": _ECAM},
}
"""By kind and name, the options for which ``--like NAME`` stands."""

FAMILY_OF_GAME: Final = (*OF_GAME, "piece", "goal_row")
"""The names of the values that need no turn, with the values of the families."""
FAMILY_VALUES: Final = (
    *VALUES,
    *("piece", "goal_row", "number", "percepts", "state", "observation", "configuration", "cells", "numbers"),
)
"""The names of all values, with the values of the families."""


class FamilySeat(Seat):
    """What is known when a game starts, with the values of the families."""

    @property
    def piece(self) -> str:
        """Seahorse: the letter of the player's pawn."""
        return "WB"[self.seat]

    @property
    def goal_row(self) -> int:
        """Seahorse: the row that the player must reach, from the top and from 0."""
        return 8 * self.seat


class FamilyMoment(Moment, FamilySeat):
    """What is known in a turn, with the values of the families."""

    agent: Any = None
    """The object of a class that plays."""

    @property
    def number(self) -> int:
        """UCLouvain: the number of the turn, from 1."""
        return self.ply + 1

    @property
    def percepts(self) -> dict[str, Any]:
        """UCLouvain: the board of Quoridor, as its `dict_to_board` reads it."""
        pawns, walls = self._quoridor("percepts")
        return {
            **dict.fromkeys(("size", "rows", "cols"), self.size),
            "starting_walls": 10,
            "pawns": pawns,
            "goals": [self.size - 1, 0],
            "nb_walls": self.hands,
            "horiz_walls": [place for place, sign in walls if sign == "h"],
            "verti_walls": [place for place, sign in walls if sign == "v"],
        }

    @property
    def state(self) -> object:
        """Seahorse: the state of Quoridor, of the bot's own classes or of the stand-ins."""
        pawns, walls = self._quoridor("state")
        last = self.size - 1
        return seahorse.state(
            self.agent,
            self.seat,
            [(last - row, column) for row, column in pawns],
            [
                (last - row, column, "H") if sign == "h" else (last - row - 1, column + 1, "V")
                for (row, column), sign in walls
            ],
            self.hands,
            self.ply,
        )

    @property
    def observation(self) -> Struct:
        """Kaggle: the values of the turn, by key and by attribute; the board is flat, or a FEN in chess."""
        is_chess = self.game.startswith("chess")
        return Struct(
            board=self.text if is_chess else [key for row in self.board for key in row],
            mark=self.color if is_chess else self.player,
            remainingOverageTime=self.seconds,
            step=self.ply,
            **{name: getattr(self, name) for name in ("legal", "history", "pawns", "walls", "hands", "text")},
        )

    @property
    def configuration(self) -> Struct:
        """Kaggle: the size of the board, and the time."""
        columns = getattr(self.rules.info.drawn, "columns", 0)
        return Struct(rows=self.size, columns=columns, actTimeout=self.seconds, episodeSteps=1000)

    @property
    def cells(self) -> list[list[int]]:
        """ECAM: the board of Quoridor with its grooves: 0 and 1 a pawn, 2 a square, 3 a groove, 4 a wall."""
        pawns, walls = self._quoridor("cells")
        sides = range(2 * self.size - 1)
        cells = [[(2, 3, 5)[row % 2 + column % 2] for column in sides] for row in sides]
        for seat, (row, column) in enumerate(pawns):
            cells[2 * row][2 * column] = seat
        for (row, column), sign in walls:
            for end in (0, 2):
                down, right = (1, end) if sign == "h" else (end, 1)
                cells[2 * row + down][2 * column + right] = 4
        return cells

    @property
    def numbers(self) -> str:
        """Budapest: lines with the turn, each pawn and its walls left, and each wall and its owner."""
        pawns, walls = self._quoridor("numbers")
        owners = {wall: number % 2 for number, wall in enumerate(self.turn.moves)}
        lines = [f"{self.number}"]
        lines += [f"{column} {row} {left}" for (row, column), left in zip(pawns, self.hands, strict=True)]
        lines += [f"{len(walls)}"]
        for ((row, column), sign), wall in zip(walls, self.scene.walls, strict=True):
            lines.append(f"{column} {row} {int(sign == 'v')} {owners.get(wall, 0)}")
        return "\n".join(lines)

    def _quoridor(self, name: str) -> tuple[list[tuple[int, int]], list[tuple[tuple[int, int], str]]]:
        """Return row and column of each pawn, by seat, and row, column and sign of each wall; from 0."""
        if self.game != "quoridor":
            raise BotFailed(f"{name} is a value of quoridor, and not of {self.game}")
        pawns = sorted(self.scene.pieces, key=self.scene.pieces.__getitem__)
        return [_place(pawn) for pawn in pawns], [(_place(wall), wall[-1]) for wall in self.scene.walls]


class Struct(dict[str, Any]):
    """A dictionary whose keys are attributes, too."""

    def __getattr__(self, name: str) -> object:
        if name not in self:
            raise AttributeError(name)
        return self[name]


def _place(name: str) -> tuple[int, int]:
    return int(name[1]) - 1, ord(name[0]) - ord("a")
