"""What the texts and positions of several games share: rows, fields, paths, set-ups, drawings, equality.

A position string has the rows of the board from the top down, with ``/`` between them. A letter is a piece,
and a digit is a number of empty squares. The functions here convert rows to and from *cells*: a string with
one character for each square, a letter or `EMPTY`, in the order of `referee.games.grid`. They accept only
text that is written exactly as the project prints it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NoReturn, TypeVar

from protocol.words import counted
from referee.errors import IllegalMove, MoveSyntaxError, PositionError
from referee.game import MAX_MOVE_TEXT
from referee.games.grid import Grid, squares

_P = TypeVar("_P")

EMPTY: Final = "."
"""The character of an empty square in the cells of a board."""

_MAX_QUOTED = 20
_SEED = re.compile(r"0|[1-9][0-9]{0,17}")


class KeyedPosition:
    """A position that is equal to another position of its game with the same key and the same string."""

    __slots__ = ()

    def key(self) -> Hashable:
        """The part of the position that repetition compares."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    def __hash__(self) -> int:
        return hash(self.key())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.key() == other.key() and str(self) == str(other)


def quoted(text: str) -> str:
    """A damaged text for a message: shortened, in ASCII and in quotation marks."""
    return ascii(text if len(text) <= _MAX_QUOTED else f"{text[:_MAX_QUOTED]}...")


def start_position(
    setup: str | None,
    named: Mapping[str, _P],
    parse: Callable[[str], _P],
    seeded: Callable[[int], _P] | None = None,
) -> _P:
    """The start position for a name, ``random:SEED`` or a position string; None is ``default``.

    Position strings contain a space or a slash; other set-ups do not. ``seeded`` returns the start position
    of a seed, the same on every machine; None if there is none.
    """
    if setup is None:
        return named["default"]
    if setup in named:
        return named[setup]
    if " " in setup or "/" in setup:
        return parse(setup)
    word, colon, seed = setup.partition(":")
    if seeded is not None and word == "random" and colon:
        if not _SEED.fullmatch(seed):
            raise PositionError("setup", f"{quoted(seed)} is no seed; a seed is a number from 0")
        return seeded(int(seed))
    forms = [*named, *(["random:SEED"] if seeded is not None else []), "a position string"]
    choices = f"{', '.join(forms[:-1])} or {forms[-1]}"
    raise PositionError("setup", f"{quoted(setup)} is no set-up of this game: use {choices}")


# --- position strings --------------------------------------------------------------------------------------


def split_fields(text: str, names: Sequence[str]) -> list[str]:
    """The fields of a position string that has single spaces between them."""
    fields = text.split(" ")
    if len(fields) != len(names) or "" in fields:
        expected = f"{len(names)} fields with single spaces between them ({', '.join(names)})"
        raise PositionError("position", f"{expected} were expected, not {quoted(text)}")
    return fields


def read_rows(text: str, grid: Grid, letters: str, field: str) -> str:
    """The cells of a board that is written in rows, with these letters, in this field of a position."""
    rows = text.split("/")
    if len(rows) != grid.rows:
        raise PositionError(field, f"{grid.rows} rows were expected, not {len(rows)}")
    cells = [
        _read_row(row, grid.columns, letters, field, number)
        for number, row in zip(range(grid.rows, 0, -1), rows, strict=True)
    ]
    return "".join(reversed(cells))


def _read_row(text: str, columns: int, letters: str, field: str, number: int) -> str:
    cells = ""
    for character in text:
        if character in letters:
            cells += character
        elif character in "123456789":
            cells += EMPTY * int(character)
        else:
            raise PositionError(
                field, f"{quoted(character)} in row {number} is neither one of {letters} nor a digit"
            )
    if len(cells) != columns:
        raise PositionError(
            field, f"row {number}, {quoted(text)}, has {counted(len(cells), 'square')}, not {columns}"
        )
    if _write_row(cells) != text:
        raise PositionError(field, f"row {number}, {quoted(text)}, must be written {_write_row(cells)}")
    return cells


def squares_with(letters: Collection[str], cells: str, grid: Grid) -> int:
    """The set of the squares whose cell is one of ``letters``."""
    return sum(bit for bit, cell in zip(grid.bit, cells, strict=True) if cell in letters)


def write_cells(sets: Iterable[tuple[str, int]], grid: Grid) -> str:
    """The cells of a board from the sets of squares that have each letter."""
    cells = [EMPTY] * len(grid.names)
    for letter, bits in sets:
        for square in squares(bits):
            cells[square] = letter
    return "".join(cells)


def write_rows(cells: str, grid: Grid) -> str:
    """The rows of a board as text, from the top row down."""
    columns = grid.columns
    starts = range(columns * (grid.rows - 1), -1, -columns)
    return "/".join(_write_row(cells[start : start + columns]) for start in starts)


@lru_cache(maxsize=1024)  # most rows of a game's positions are alike
def _write_row(cells: str) -> str:
    return _EMPTY_SQUARES.sub(lambda match: str(len(match[0])), cells)


_EMPTY_SQUARES = re.compile(r"\.{1,9}")


TURN: Final = "player to move"
"""The name of the field with the letter of the seat to move."""


def read_turn(text: str, letters: str) -> int:
    """The seat to move, by the letters of the two players."""
    if len(text) != 1 or text not in letters:
        raise PositionError(TURN, f"{quoted(text)} is neither {letters[0]} nor {letters[1]}")
    return letters.index(text)


# --- move texts --------------------------------------------------------------------------------------------


def check_move_text(text: str) -> None:
    """Reject a text that is too long for a move of any game."""
    if len(text) > MAX_MOVE_TEXT:
        raise MoveSyntaxError(f"a text longer than {MAX_MOVE_TEXT} characters is no move")


def refuse_pass(player: str, moves: Iterator[object]) -> NoReturn:
    """Say that a player who has these moves may not pass."""
    raise IllegalMove(f"{player} may not pass while there is another move, such as {next(moves)}")


def read_path(text: str, grid: Grid) -> list[int]:
    """The squares of a path such as ``a1c1c3``: one or more names with nothing between them."""
    numbers = []
    for start in range(0, max(len(text), 1), 2):
        name = text[start : start + 2]
        number = grid.square.get(name)
        if number is None:
            corner = grid.names[-1]
            raise MoveSyntaxError(
                f"{quoted(name)} in {quoted(text)} is no square: the squares are a1 to {corner}"
            )
        numbers.append(number)
    return numbers


# --- boards drawn as text ----------------------------------------------------------------------------------


def draw_grid(cells: Sequence[str], grid: Grid, *, ascii_only: bool, width: int = 1) -> list[str]:
    """The lines of a board with a text of up to ``width`` characters on each square; `EMPTY` is a dot."""
    dot = "." if ascii_only else "·"
    drawn = [dot if cell == EMPTY else cell for cell in cells]
    rows = [drawn[start : start + grid.columns] for start in range(0, len(drawn), grid.columns)]
    row_names = [str(row) for row in range(grid.rows, 0, -1)]
    column_names = [name[0] for name in grid.names[: grid.columns]]
    return draw_cells(rows[::-1], row_names, column_names, ascii_only=ascii_only, width=width)


def draw_cells(
    rows: Sequence[Sequence[str]],
    row_names: Sequence[str],
    column_names: Sequence[str],
    *,
    ascii_only: bool,
    width: int = 1,
) -> list[str]:
    """The lines of a board of cells with up to ``width`` characters, by rows from the top down."""
    margin = max(map(len, row_names))
    rim, side, corners = ("-", "|", "++++") if ascii_only else ("─", "│", "┌┐└┘")
    length = len(column_names) * (width + 1) + 1
    pad = " " * (margin + 2)
    lines = [f"{pad}{corners[0]}{rim * length}{corners[1]}"]
    for name, cells in zip(row_names, rows, strict=True):
        drawn = " ".join(cell.center(width) for cell in cells)
        lines.append(f" {name:>{margin}} {side} {drawn} {side}")
    lines.append(f"{pad}{corners[2]}{rim * length}{corners[3]}")
    lines.append(f"{pad}  {' '.join(name.center(width) for name in column_names)}".rstrip())
    return lines
