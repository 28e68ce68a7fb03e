"""Stand-ins for the framework of Montréal's bots, Seahorse, and for the course's files for Quoridor.

A bot uses its own files and the installed package if there are any, and else the classes of this module. Rows
count from the top, and from 0.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any, Final, TypeAlias

from referee import Position, game

Their: TypeAlias = Any
"""An object of the framework: of the bot's own files, of the package, or of this module."""


class Serializable:
    """An object of the framework: ``get_name()`` returns the attribute ``name``, for any name."""

    def __getattr__(self, name: str) -> Their:
        if name.startswith("get_"):
            return lambda: getattr(self, name.removeprefix("get_"))
        raise AttributeError(name)


class MethodNotImplementedError(Exception):
    """A method is missing in a subclass."""


class Action(Serializable):
    """Any action."""


@dataclass
class StatelessAction(Action):
    """An action as a dictionary."""

    data: dict[str, Their]

    def get_stateful_action(self, game_state: Their) -> StatefulAction:
        """Return the action with the states before and after it."""
        return StatefulAction(game_state, game_state.apply_action(self))

    def __hash__(self) -> int:
        return hash(tuple(self.data.items()))


@dataclass(frozen=True)
class StatefulAction(Action):
    """An action as the states before and after it."""

    current_game_state: Their
    next_game_state: Their


class Player(Serializable):
    """A player with a name."""

    def __init__(self, name: str = "bob", *_: object, identifier: int = 0, **__: object) -> None:
        self.name = name
        self.id = self.identifier = identifier or id(self)


class PlayerQuoridor(Player):
    """A player of Quoridor."""

    def __init__(self, piece_type: str, goal_row: int = 0, name: str = "bob", **more: Their) -> None:
        super().__init__(name, **more)
        self.piece_type, self.goal_row = piece_type, goal_row


class Board(Serializable):
    """What stands on a board."""

    def __init__(self, env: Their, dim: Their) -> None:
        self.env, self.dimensions = env, dim


class Orientation(Enum):
    """The orientation of a wall."""

    HORIZONTAL = "H"
    VERTICAL = "V"


@dataclass(frozen=True, order=True)
class Wall:
    """A wall: above a square and its right neighbour, or left of a square and the one below it."""

    row: int
    col: int
    orientation: Orientation


@dataclass
class BoardQuoridor(Board):
    """The pawns and walls, by the id of the player."""

    pawn_positions: Their
    walls: Their
    remaining_walls: Their
    dimension: int = 9

    def __hash__(self) -> int:
        return hash((tuple(self.pawn_positions.items()), self.walls, tuple(self.remaining_walls.items())))


@dataclass
class GameState(Serializable):
    """A state of a game; a subclass has the rules."""

    scores: Their
    active_player: Their
    players: list[Their]
    rep: Their

    def compute_next_player(self) -> Their:
        """Return the player who moves next."""
        return self.players[(self.players.index(self.active_player) + 1) % len(self.players)]

    def get_player_score(self, player: Their) -> float:
        """Return the score of a player."""
        score: float = self.scores[player.get_id()]
        return score

    @property
    def possible_stateless_actions(self) -> frozenset[Their]:
        """The legal actions."""
        rules: Their = self
        return frozenset() if rules.is_done() else frozenset(rules.generate_possible_stateless_actions())

    @property
    def possible_stateful_actions(self) -> frozenset[Their]:
        """The legal actions with their states."""
        return frozenset(action.get_stateful_action(self) for action in self.possible_stateless_actions)

    def check_action(self, action: Their) -> bool:
        """Return whether an action is legal."""
        return action in self.possible_stateless_actions

    def __hash__(self) -> int:
        return hash((frozenset(self.scores.items()), self.rep))


@dataclass
class GameStateQuoridor(GameState):
    """A state of Quoridor, with the rules of arena."""

    step: int

    __hash__ = GameState.__hash__

    def is_done(self) -> bool:
        """Return whether the game is over."""
        return 1.0 in self.scores.values()

    def generate_possible_stateless_actions(self) -> Iterator[StatelessAction]:
        """Yield the legal actions."""
        for move in map(str, _position(str(self)).legal_moves()):
            row, column = 9 - int(move[1]), ord(move[0]) - ord("a")
            kind = {"": "move", "h": "horizontal", "v": "vertical"}[move[2:]]
            is_upright = kind == "vertical"
            yield StatelessAction({"type": kind, "destination": (row - is_upright, column + is_upright)})

    def _legal_moves(self) -> list[Their]:
        return [action for action in self.possible_stateless_actions if action.data["type"] == "move"]

    def _shortest_path(self, player: Their) -> int:
        position: Their = _position(str(self))
        seat = self.players.index(player)
        length: int = position.walls.distance(position.pawns[seat], position.seating.goals[seat])
        return length

    def apply_action(self, action: Their) -> GameStateQuoridor:
        """Return the state after an action."""
        player, place, kind = self.active_player.get_id(), action.data["destination"], action.data["type"]
        pawns, walls, left = dict(self.rep.pawn_positions), self.rep.walls, dict(self.rep.remaining_walls)
        if kind == "move":
            pawns[player] = tuple(place)
        else:
            walls |= {Wall(place[0], place[1], Orientation[kind.upper()])}
            left[player] -= 1
        rows = {each.get_id(): each.get_goal_row() for each in self.players}
        scores = {key: float(pawns[key][0] == row) for key, row in rows.items()}
        rep = BoardQuoridor(pawns, walls, left)
        return GameStateQuoridor(scores, self.compute_next_player(), self.players, rep, self.step + 1)

    def __str__(self) -> str:
        """Return the position string of arena."""
        walls: dict[str, str] = {"H": "", "V": ""}
        for wall in sorted(self.rep.walls, key=lambda wall: (-wall.row, wall.col)):
            is_upright = wall.orientation is Orientation.VERTICAL
            walls[wall.orientation.value] += _square(wall.row + is_upright, wall.col - is_upright)
        ids = [player.get_id() for player in self.players]
        pawns = " ".join(_square(*self.rep.pawn_positions[key]) for key in ids)
        left = " ".join(str(self.rep.remaining_walls[key]) for key in ids)
        turn = self.players.index(self.active_player) + 1
        return f"{walls['H']} / {walls['V']} / {pawns} / {left} / {turn}"


def _square(row: int, column: int) -> str:
    return f"{'abcdefghi'[column]}{9 - row}"


@cache
def _position(text: str) -> Position:
    return game("quoridor").parse_position(text)


_MODULES: Final[dict[str, tuple[type, ...]]] = {
    "seahorse.game.action": (Action,),
    "seahorse.game.stateless_action": (StatelessAction,),
    "seahorse.game.stateful_action": (StatefulAction,),
    "seahorse.game.game_state": (GameState,),
    "seahorse.game.game_layout.board": (Board,),
    "seahorse.player.player": (Player,),
    "seahorse.utils.serializer": (Serializable,),
    "seahorse.utils.custom_exceptions": (MethodNotImplementedError,),
    "actions_quoridor": (StatelessAction, Orientation, Wall),
    "board_quoridor": (BoardQuoridor,),
    "player_quoridor": (PlayerQuoridor,),
    "game_state_quoridor": (GameStateQuoridor, Orientation, Wall),
}


def add_missing_modules() -> None:
    """Make the modules of the framework that Python does not find."""
    missing = {name for name in (name.split(".")[0] for name in _MODULES) if find_spec(name) is None}
    for name, classes in _MODULES.items():
        packages = name.split(".")
        if packages[0] in missing:
            for length in range(1, len(packages) + 1):
                path = ".".join(packages[:length])
                sys.modules.setdefault(path, ModuleType(path)).__path__ = []
            vars(sys.modules[name]).update({kind.__name__: kind for kind in classes})


def state(
    agent: Their,
    seat: int,
    pawns: Sequence[tuple[int, int]],
    walls: Sequence[tuple[int, int, str]],
    hands: Sequence[int],
    step: int,
) -> object:
    """Return the state in which the bot is to move, of the classes that it imports."""
    actions: Their = import_module("actions_quoridor")
    other = import_module("player_quoridor").PlayerQuoridor("BW"[seat], 8 - 8 * seat, "opponent")
    players = [agent, other] if seat == 0 else [other, agent]
    ids = [player.get_id() for player in players]
    rep = import_module("board_quoridor").BoardQuoridor(
        dict(zip(ids, pawns, strict=True)),
        frozenset(actions.Wall(row, column, actions.Orientation(sign)) for row, column, sign in walls),
        dict(zip(ids, hands, strict=True)),
    )
    kind = import_module("game_state_quoridor").GameStateQuoridor
    return kind(dict.fromkeys(ids, 0.0), agent, players, rep, step)
