"""The games for two that are searched by the referee's rules, each with what is known of it."""

from __future__ import annotations

from collections.abc import Hashable

from eclaircissement import ECLAIRCISSEMENT
from hops import HOPS
from movers_hoppers import MOVERS_HOPPERS, RAMPANTS
from negamax import DECIDED, WIN, Found, Search
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
}
"""By the game's id."""


class RulesPlayer:
    """Plays one game.

    Args:
        game_id: which.
        entries: positions that the transposition table holds at most.
    """

    def __init__(self, game_id: str, entries: int) -> None:
        self._rules = game(game_id)
        self._search = Search(KNOWLEDGE[game_id], entries)

    def choose(self, turn: Turn, *, shuffle: bool) -> str:
        """The move; by chance among equals if ``shuffle`` says so."""

        def report(found: Found) -> None:
            mate = WIN - abs(found.value)
            turn.info(
                depth=found.depth,
                score_cp=found.value,
                score_mate=None if mate > WIN - DECIDED else mate if found.value > 0 else -mate,
                nodes=found.nodes,
                pv=found.line,
            )

        position, seen = self._replay(turn)
        return str(self._search.run(position, seen, turn, report, shuffle=shuffle))

    def _replay(self, turn: Turn) -> tuple[Position, set[Hashable]]:
        """The position now, and the keys of all since the start."""
        position = self._rules.start() if turn.start is None else self._rules.parse_position(turn.start)
        seen = {position.key()}
        for word in turn.moves:
            position = position.play(position.parse_move(word))
            seen.add(position.key())
        return position, seen
