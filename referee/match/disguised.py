"""A player that sees a game under other names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import trio

from protocol.disguise import Disguise
from protocol.errors import EngineError
from protocol.hub.search import Recent, SearchRequest, SearchResult
from protocol.hub.transcript import Transcript
from protocol.wire.messages import GameOver, Go
from referee.match.seats import SeatedPlayer


class DisguisedPlayer:
    """Translates what the referee and another player say to each other."""

    def __init__(self, player: SeatedPlayer, disguise: Disguise) -> None:
        self._player = player
        self._disguise = disguise

    @property
    def identity(self) -> Mapping[str, str]:
        """What the player says of itself."""
        return self._player.identity

    async def new_game(self, items: Sequence[tuple[str, str]], transcript: Transcript | None = None) -> None:
        """Prepare the player for a new game."""
        await self._player.new_game(items, transcript)

    async def think_until(
        self, alarm: trio.CancelScope, turn: SearchRequest, go: Go, budget: int
    ) -> SearchResult:
        """Ask the player under the other names; return its move and its line under the plain ones."""
        result = await self._player.think_until(alarm, self._hidden(turn), go, budget)
        before, pv, line = result.info.partition(" pv ")
        return result._replace(
            move=self._disguise.answer(result.move),
            info=before + pv + self._disguise.show(line),
            ponder=self._disguise.show(result.ponder),
        )

    async def ponder(self, alarm: trio.CancelScope, turn: SearchRequest, go: Go) -> None:
        """Let the player think on."""
        await self._player.ponder(alarm, self._hidden(turn), go)

    def _hidden(self, turn: SearchRequest) -> SearchRequest:
        hide = self._disguise.hide

        def recent() -> Recent | None:
            position = turn.recent()
            return None if position is None else (hide(position[0]), *position[1:])

        return SearchRequest(
            start=turn.start and hide(turn.start),
            moves=[hide(move) for move in turn.moves],
            recent=recent,
            fen=lambda: hide(turn.fen()),
            legal=lambda: [hide(move) for move in turn.legal()],
        )

    def late(self) -> EngineError:
        """Return the error for a deadline that has passed."""
        return self._player.late()

    async def drain(self) -> bool:
        """Stop thinking. Return whether the player can play other games."""
        return await self._player.drain()

    async def report_error(self, code: str, text: str) -> None:
        """Report an answer that was not played; the referee's text has plain names."""
        await self._player.report_error(code, "the answer was not played" if code == "illegal" else text)

    async def game_over(self, over: GameOver) -> None:
        """Report the result."""
        await self._player.game_over(over)
