"""Games of OpenSpiel, the package ``open_spiel`` (the extra ``leapfrog-arena[openspiel]``).

A game has the id ``openspiel:`` and its name there, with parameters as OpenSpiel writes them:
``openspiel:breakthrough``, ``openspiel:hex(board_size=7)``. Its rules are OpenSpiel's own, and so are its
draws by repetition. Source: https://openspiel.readthedocs.io.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from itertools import cycle
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
_SAMPLE: Final = 12  # plies of the game that shows which planes of an observation are pieces
_MOST_COLUMNS: Final = 26
_MOST_ROWS: Final = 99
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
        return Scene(self._game.pieces(self.state))

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
        self._grid: Final = _find_grid(rules)
        self._is_bottom_first: Final = kind.short_name in _BOTTOM_FIRST
        self.info: Final = GameInfo(
            id=game_id,
            title=kind.long_name,
            players=rules.num_players(),
            board=f"{self._grid.columns}x{self._grid.rows}" if self._grid else "",
            ply_limit=_LONGEST if rules.max_game_length() > _LONGEST else None,
            draw_prior=0.1,
            sheet="OpenSpiel",
            rulings=(),
            drawn=self._grid.board() if self._grid else None,
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

    def pieces(self, state: Any) -> dict[str, str]:  # noqa: ANN401 - untyped
        """Return the pieces of a drawn board: the number of a plane for each square that is not empty."""
        grid = self._grid
        if grid is None:
            return {}
        planes = _observe(state, self.rules)[: grid.planes]
        if not self._is_bottom_first:
            planes = planes[:, ::-1]
        return {
            square_name(int(column), int(row)): str(plane)
            for plane, row, column in np.argwhere(planes)
            if plane != grid.empty
        }


@dataclass(frozen=True, slots=True)
class _Grid:
    """An observation of squares: its first planes tell, for each square, what is there."""

    rows: int
    columns: int
    planes: int
    empty: int  # the plane of the empty squares

    def board(self) -> Squares:
        """Return the drawn board, with a shape and a colour for each plane."""
        kinds = [plane for plane in range(self.planes) if plane != self.empty]
        pairs = [(body, colour) for colours in _COLOURS for body in _BODIES for colour in colours]
        pieces = {
            str(plane): Piece(f"piece {number}", (look,))
            for number, (plane, look) in enumerate(zip(kinds, cycle(pairs), strict=False), 1)
        }
        return Squares(look="wood", columns=self.columns, rows=self.rows, pieces=pieces)


_BODIES: Final[tuple[Shape, ...]] = ("round", "block", "diamond", "ring", "wedge", "bars")
_COLOURS: Final[tuple[tuple[Colours, ...], ...]] = (("dark", "light"), ("red", "teal"), ("violet", "yellow"))
_BOTTOM_FIRST: Final = frozenset(
    ("antichess", "chess", "connect_four", "crazyhouse", "cursor_go", "go", "lines_of_action", "shogi")
)
"""The games whose observations have the lowest row first; the others have it last."""

_NO_SQUARES: Final = frozenset(("dots_and_boxes",))
"""The games whose observations look like squares, but are lines."""


def _observe(state: Any, rules: Any) -> Any:  # noqa: ANN401 - untyped
    return np.reshape(state.observation_tensor(0), rules.observation_tensor_shape())


def _find_grid(rules: Any) -> _Grid | None:  # noqa: ANN401 - untyped
    """Return the fewest first planes that have one sign for each square of the board, as the game goes on."""
    kind = rules.get_type()
    shape: list[int] = rules.observation_tensor_shape() if kind.provides_observation_tensor else []
    if len(shape) != 3 or shape[2] > _MOST_COLUMNS or shape[1] > _MOST_ROWS or kind.short_name in _NO_SQUARES:
        return None
    state = rules.new_initial_state()
    seen = [_observe(state, rules)]
    while not state.is_terminal() and len(seen) < _SAMPLE:
        legal = state.legal_actions()
        state.apply_action(legal[len(seen) * len(legal) // _SAMPLE])
        seen.append(_observe(state, rules))
    for planes in range(2, shape[0] + 1):
        signs = [observed[:planes].sum(axis=0) for observed in seen]
        squares = signs[0]
        if squares.any() and squares.max() <= 1 and all((squares == later).all() for later in signs):
            empty = int(seen[0][:planes].sum(axis=(1, 2)).argmax())
            return _Grid(shape[1], shape[2], planes, empty)
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
