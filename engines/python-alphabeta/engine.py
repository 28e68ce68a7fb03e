"""An alpha-beta engine for all built-in games. It speaks the protocol, and uses one player for each game."""

from __future__ import annotations

import gc
from collections.abc import Mapping

from quoridor_player import QuoridorPlayer
from rules_player import KNOWLEDGE, RulesPlayer

from protocol.engine import Check, Engine, Spin, Turn, run

_QUORIDOR = ("quoridor", "quoridor4")
_ENTRIES_PER_MB = 4000


class AlphaBeta(Engine):
    name = "alphabeta-py"
    author = "Leapfrog Arena"
    games = (*_QUORIDOR, *KNOWLEDGE)
    capabilities = ("delta",)
    options = (Spin("Hash", 32, 1, 1024), Check("Variety", True))

    def prepare(self) -> None:
        self._game_id = ""
        gc.disable()  # a search makes no reference cycles, and looking for them takes a tenth of the time

    def new_game(self, info: Mapping[str, str]) -> None:
        self._game_id = ""

    def choose(self, turn: Turn) -> str:
        if turn.game != self._game_id:
            entries = self.settings["Hash"] * _ENTRIES_PER_MB
            is_quoridor = turn.game in _QUORIDOR
            self._player = QuoridorPlayer(entries) if is_quoridor else RulesPlayer(turn.game, entries)
            self._game_id = turn.game
            gc.collect()  # frees the tables of the previous game
        return self._player.choose(turn, shuffle=self.settings["Variety"])


if __name__ == "__main__":
    run(AlphaBeta())
