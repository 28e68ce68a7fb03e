"""Games of OpenSpiel, the package ``open_spiel`` (the extra ``leapfrog-arena[openspiel]``).

A game has the id ``openspiel:`` and its name there, with parameters as OpenSpiel writes them:
``openspiel:breakthrough``, ``openspiel:hex(board_size=7)``. Its rules are OpenSpiel's own, and so are its
draws by repetition. Source: https://openspiel.readthedocs.io.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from itertools import cycle, pairwise
from typing import Any, Final

import numpy as np
import pyspiel

from protocol.wire.codec import RESERVED_MOVES, is_removal
from protocol.words import counted, did_you_mean
from referee.drawn_board import Colours, Piece, Scene, Shape, Squares, square_name
from referee.errors import IllegalMove, MoveError, MoveSyntaxError, PositionError, UnknownGame
from referee.game import MAX_MOVE_TEXT, Game, GameInfo
from referee.outcome import Outcome

__all__ = ["PREFIX", "SpielGame", "SpielPosition", "game"]

PREFIX: Final = "openspiel:"

_START: Final = "start"
_LONGEST: Final = 1000  # plies; some games there may have ten thousands
_SAMPLE: Final = 60  # plies of the game that shows which planes of an observation are pieces
_MOST_COLUMNS: Final = 26
_BOARD: Final = 0.4  # the least share of an observation that is squares of the board
_ESCAPES: Final = re.compile(r"\x1b\[[0-9;]*m")

_Type: Final = pyspiel.GameType
_REFUSED: Final = (
    ("dynamics", _Type.Dynamics.SEQUENTIAL, "its players move at the same time"),
    ("chance_mode", _Type.ChanceMode.DETERMINISTIC, "chance has a part in it"),
    ("information", _Type.Information.PERFECT_INFORMATION, "it hides something from a player"),
)
"""Attributes of a game, the values that the referee needs, and why another value is refused."""


@dataclass(frozen=True, slots=True)
class SpielMove:
    """A move: its text, and its number in OpenSpiel."""

    text: str
    action: int

    def __str__(self) -> str:
        return self.text


class SpielPosition:
    """An immutable position, whose string has all moves of the game: OpenSpiel's rules may ask for them."""

    __slots__ = ("_game", "moves", "state")

    def __init__(self, game: SpielGame, state: Any, moves: tuple[str, ...]) -> None:  # noqa: ANN401 - untyped
        """Wrap a state, which must not change afterwards, and the texts of the moves that led to it."""
        self._game: Final = game
        self.state: Final = state
        self.moves: Final = moves

    @property
    def turn(self) -> int:
        """The seat to move; in a finished game, the seat after the last one that moved."""
        if self.state.is_terminal():
            return (int(self.state.full_history()[-1].player) + 1) % 2
        return int(self.state.current_player())

    def legal_moves(self) -> Iterator[SpielMove]:
        """Yield the legal moves in the order of their numbers."""
        return iter(self._legal().values())

    def _legal(self) -> dict[str, SpielMove]:
        """Return the legal moves by their texts, which are OpenSpiel's without spaces."""
        state = self.state
        legal: dict[str, SpielMove] = {}
        for action in () if state.is_terminal() else state.legal_actions():
            text = "_".join(state.action_to_string(state.current_player(), action).split())
            is_taken = text in legal or text in RESERVED_MOVES or is_removal(text) or text[:1] in ("", "?")
            text = f"{text}~{action}" if is_taken else text
            legal[text] = SpielMove(text, action)
        return legal

    def parse_move(self, text: str) -> SpielMove:
        """Find the legal move with this text.

        Raises:
            MoveSyntaxError: the text is not a word in ASCII of at most 200 characters.
            IllegalMove: no legal move has this text.
        """
        if not (text.isascii() and text.isprintable() and 0 < len(text) <= MAX_MOVE_TEXT) or " " in text:
            raise MoveSyntaxError(f"a move is a word of at most {MAX_MOVE_TEXT} letters, digits and signs")
        legal = self._legal()
        move = legal.get(text)
        if move is not None:
            return move
        if not legal:
            raise IllegalMove("the game is over")
        raise IllegalMove(
            f"it is not one of the {counted(len(legal), 'legal move')}, such as {next(iter(legal))}"
        )

    def play(self, move: SpielMove) -> SpielPosition:
        """Return the position after a move that this position's own methods returned."""
        return SpielPosition(self._game, self.state.child(move.action), (*self.moves, move.text))

    def outcome(self) -> Outcome | None:
        """Return the result by OpenSpiel's rules: more points there are a better rank."""
        if not self.state.is_terminal():
            return None
        returns = self.state.returns()
        return Outcome(tuple(1 + sum(other > own for other in returns) for own in returns), "rules")

    def key(self) -> Hashable:
        """Return the moves: OpenSpiel's rules themselves end games with repeated positions, if they do."""
        return self.moves

    def skip_turn(self) -> SpielPosition:
        """Return this position: games of two do not use it."""
        return self

    def diagram(self, *, ascii_only: bool = False) -> str:
        """Return the text that OpenSpiel shows."""
        lines = _ESCAPES.sub("", str(self.state)).rstrip().expandtabs().splitlines()
        shown = "\n".join("".join(sign if sign.isprintable() else "?" for sign in line) for line in lines)
        if ascii_only:
            shown = shown.encode("ascii", "replace").decode()
        return shown if shown.strip() else "(OpenSpiel shows nothing)"

    def scene(self) -> Scene:
        """Return what is on the drawn board."""
        grid = self._game.grid
        return Scene(grid.pieces(self.state) if grid else {})

    def __str__(self) -> str:
        return " ".join((_START, *self.moves))

    def __eq__(self, other: object) -> bool:
        return self.moves == other.moves if isinstance(other, SpielPosition) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.moves)

    def __repr__(self) -> str:
        return f"<SpielPosition {self}>"


class SpielGame:
    """The rules of one game of OpenSpiel for two players."""

    def __init__(self, game_id: str, rules: Any) -> None:  # noqa: ANN401 - untyped
        """Describe a game that `pyspiel.load_game` has returned."""
        kind = rules.get_type()
        self.rules: Final = rules
        self.grid: Final = _find_grid(rules)
        self.info: Final = GameInfo(
            id=game_id,
            title=kind.long_name,
            players=rules.num_players(),
            board=f"{self.grid.columns}x{self.grid.rows}" if self.grid else "",
            ply_limit=_LONGEST if rules.max_game_length() > _LONGEST else None,
            draw_prior=0.1,
            sheet="OpenSpiel",
            rulings=(),
            drawn=self.grid.board() if self.grid else None,
            endings={"rules": "wins"},
        )

    def start(self, setup: str | None = None) -> SpielPosition:
        """Return the start position. There is no other set-up."""
        if setup is not None:
            raise PositionError("setup", f"{self.info.id} has no set-ups")
        return SpielPosition(self, self.rules.new_initial_state(), ())

    def parse_position(self, text: str) -> SpielPosition:
        """Read a position string: the word start, and the moves."""
        first, *moves = text.split(" ")
        if first != _START:
            raise PositionError("start", f"a position is the word {_START}, and the moves since then")
        position = self.start()
        for number, word in enumerate(moves, 1):
            try:
                position = position.play(position.parse_move(word))
            except MoveError as error:
                raise PositionError(f"move {number}", str(error)) from None
        return position


@dataclass(frozen=True, slots=True)
class _Grid:
    """An observation of squares: its first planes tell, for each square, what is there."""

    rows: int
    columns: int
    planes: int
    empty: int  # the plane of the empty squares
    starts_below: bool  # whether the first row is the lowest one

    def board(self) -> Squares:
        """Return the drawn board, with a shape and a colour for each plane."""
        kinds = (str(plane) for plane in range(self.planes) if plane != self.empty)
        pieces = {
            kind: Piece(f"piece {kind}", (look,)) for kind, look in zip(kinds, cycle(_LOOKS), strict=False)
        }
        return Squares(look="slate", columns=self.columns, rows=self.rows, pieces=pieces)

    def pieces(self, state: Any) -> dict[str, str]:  # noqa: ANN401 - untyped
        """Return the plane of each square that is not empty."""
        seen = np.argwhere(_observe(state)[: self.planes])
        return {self.name(row, column): str(plane) for plane, row, column in seen if plane != self.empty}

    def name(self, row: int, column: int) -> str:
        """Return the name of a square."""
        return square_name(int(column), int(row if self.starts_below else self.rows - 1 - row))


_BODIES: Final[tuple[Shape, ...]] = ("round", "block", "diamond", "ring", "wedge", "bars")
_COLOURS: Final[tuple[tuple[Colours, ...], ...]] = (("red", "teal"), ("violet", "yellow"), ("dark", "light"))
_LOOKS: Final = [(body, colour) for colours in _COLOURS for body in _BODIES for colour in colours]
_START_BELOW: Final = frozenset(("connect_four", "cursor_go", "shogi"))
"""The games whose moves name no squares as here, and whose observations have the lowest row first."""


def _observe(state: Any) -> Any:  # noqa: ANN401 - untyped
    return np.reshape(state.observation_tensor(0), state.get_game().observation_tensor_shape())


def _find_grid(rules: Any) -> _Grid | None:  # noqa: ANN401 - untyped
    """Return the fewest first planes of which each square of the board always has one.

    The squares have the names that moves have: the row in which they change tells which row is the first.
    """
    kind = rules.get_type()
    shape: list[int] = rules.observation_tensor_shape() if kind.provides_observation_tensor else []
    if len(shape) != 3 or shape[2] > _MOST_COLUMNS or kind.short_name == "dots_and_boxes":  # which has lines
        return None
    state = rules.new_initial_state()
    texts, seen = list[str](), [_observe(state)]
    while not state.is_terminal() and len(seen) < _SAMPLE:
        legal = state.legal_actions()
        action = legal[len(seen) * len(legal) // _SAMPLE]
        texts.append(state.action_to_string(state.current_player(), action))
        state.apply_action(action)
        seen.append(_observe(state))
    for planes in range(2, shape[0] + 1):
        signs = [observed[:planes].sum(axis=0) for observed in seen]
        board = signs[0]
        if board.max() > 1 or board.mean() < _BOARD or any((board != later).any() for later in signs):
            continue
        empty = int(seen[0][:planes].sum(axis=(1, 2)).argmax())
        grids = [_Grid(shape[1], shape[2], planes, empty, below) for below in (False, True)]
        above, below = (
            sum(
                grid.name(row, column) in text
                for text, (before, after) in zip(texts, pairwise(seen), strict=True)
                for _, row, column in np.argwhere(before[:planes] != after[:planes])
            )
            for grid in grids
        )
        return grids[below > above or kind.short_name in _START_BELOW]
    return None


def game(game_id: str) -> Game:
    """Return the rules for an id with the prefix `PREFIX`; UnknownGame says why there are none."""
    text = game_id.removeprefix(PREFIX)
    kinds = {kind.short_name: kind for kind in pyspiel.registered_games()}
    name = text.partition("(")[0]
    kind = kinds.get(name)
    if kind is None:
        raise UnknownGame(f"OpenSpiel has no game {name!a}{did_you_mean(name, kinds)}")
    reasons = [why for attribute, needed, why in _REFUSED if getattr(kind, attribute) != needed]
    if reasons:
        raise UnknownGame(f"{game_id} cannot be played here: {' and '.join(reasons)}")
    try:
        rules = pyspiel.load_game(text)
    except pyspiel.SpielError as error:
        raise UnknownGame(f"OpenSpiel does not load {text!a}: {' '.join(str(error).split())}") from None
    if rules.num_players() != 2:
        raise UnknownGame(
            f"{game_id} cannot be played here: it is for {counted(rules.num_players(), 'player')}, not 2"
        )
    return SpielGame(game_id, rules)
