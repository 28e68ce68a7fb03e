"""The player for all built-in games but Quoridor: it uses the referee's rules, and an evaluation for each
game."""

from __future__ import annotations

from collections.abc import Hashable

from chess_pieces import CHESS
from eclaircissement import ECLAIRCISSEMENT
from hops import HOPS
from movers_hoppers import MOVERS_HOPPERS, RAMPANTS
from negamax import Search
from quatre_en_ligne import QUATRE_EN_LIGNE
from rodeurs import RODEURS

from protocol.engine import Turn
from referee import Position, game

KNOWLEDGE = {
    "movers-hoppers": MOVERS_HOPPERS,
    "movers-hoppers-expert": MOVERS_HOPPERS,
    "rampants": RAMPANTS,
    "eclaircissement": ECLAIRCISSEMENT,
    "quatre-en-ligne": QUATRE_EN_LIGNE,
    "rodeurs": RODEURS,
    "rodeurs-diagonal": RODEURS,
    "hops": HOPS,
    "chess": CHESS,
    "chess960": CHESS,
}
"""The knowledge about each game, by the id of the game."""


class RulesPlayer:
    """Plays one game.

    Args:
        game_id: the id of the game.
        entries: the maximum number of positions in the transposition table.
    """

    def __init__(self, game_id: str, entries: int) -> None:
        self._rules = game(game_id)
        self._search = Search(KNOWLEDGE[game_id], entries)

    def choose(self, turn: Turn, *, shuffle: bool) -> str:
        """The move to play; with ``shuffle``, a random one of equally good moves."""
        position, seen = self._replay(turn)
        return str(self._search.run(position, seen, turn, shuffle=shuffle))

    def _replay(self, turn: Turn) -> tuple[Position, set[Hashable]]:
        """The current position, and the keys of all positions since the start."""
        position = self._rules.start() if turn.start is None else self._rules.parse_position(turn.start)
        seen = {position.key()}
        for word in turn.moves:
            position = position.play(position.parse_move(word))
            seen.add(position.key())
        return position, seen
