"""The rules of the games, and the referee that plays games between engines by these rules.

>>> from referee import game
>>> start = game("quoridor").start()
>>> str(start.play(start.parse_move("e2")))
'/ / e2 e9 / 10 10 / 2'
"""

from referee.errors import IllegalMove, MoveError, MoveSyntaxError, PositionError, RefereeError, UnknownGame
from referee.game import CountingGame, Game, GameInfo, Move, Position
from referee.outcome import Outcome, Termination
from referee.registry import game, game_ids

__all__ = [
    "CountingGame",
    "Game",
    "GameInfo",
    "IllegalMove",
    "Move",
    "MoveError",
    "MoveSyntaxError",
    "Outcome",
    "Position",
    "PositionError",
    "RefereeError",
    "Termination",
    "UnknownGame",
    "game",
    "game_ids",
]
