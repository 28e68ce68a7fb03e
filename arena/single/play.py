"""Play one game outside a tournament; people may take seats in it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import trio

from protocol.errors import EngineCrashed, EngineError, EngineTimedOut
from protocol.hub.search import SearchRequest, SearchResult
from protocol.hub.transcript import Transcript
from protocol.wire.messages import GameOver, Go
from referee.errors import MoveError
from referee.game import Game
from referee.match.arbiter import Arbiter
from referee.match.job import Job, JobFinished
from referee.match.play import RefereedGame, SeatLineObserver
from referee.match.pool import EnginePool
from referee.match.seats import SeatedPlayer

__all__ = ["HUMAN", "HumanPlayer", "play_one"]

HUMAN = "human"
"""The command that gives a seat to a person."""


class HumanPlayer:
    """A person who types moves. After an illegal move the person reads the reason and is asked again.

    Args:
        game: the rules.
        name: the name of the player in the game.
        ask: shows a prompt and returns a line; raises EOFError at the end of the input.
        show: shows a line.
    """

    def __init__(self, game: Game, name: str, ask: Callable[[str], str], show: Callable[[str], None]) -> None:
        self._name = name
        self.identity: Mapping[str, str] = {"name": name}
        self._game = game
        self._ask = ask
        self._show = show

    async def new_game(self, items: Sequence[tuple[str, str]], transcript: Transcript | None = None) -> None:
        """Do nothing: a person needs no preparation."""

    async def think_until(
        self, alarm: trio.CancelScope, turn: SearchRequest, go: Go, budget: int
    ) -> SearchResult:
        """Ask until the answer is a legal move or ``resign``; the time of a person is not measured.

        Raises:
            EngineCrashed: the input has ended.
        """
        alarm.deadline = math.inf
        position = self._game.parse_position(turn.fen())
        while True:
            try:
                text = await trio.to_thread.run_sync(
                    self._ask, f"{self._name}, your move (? lists the legal moves): ", abandon_on_cancel=True
                )
            except EOFError:
                raise EngineCrashed("ended the input without a move") from None
            text = text.strip()
            if text == "?":
                self._show(" ".join(turn.legal()))
            elif text == "resign":
                return SearchResult(text, 0, 0, "")
            elif text:
                try:
                    return SearchResult(str(position.parse_move(text)), 0, 0, "")
                except MoveError as error:
                    self._show(f"{error}")

    def late(self) -> EngineError:
        """Return the error for a late move. A person is never late."""
        return EngineTimedOut("took too long")

    async def drain(self) -> bool:
        """Do nothing: a person has no search to stop."""
        return True

    async def report_error(self, code: str, text: str) -> None:
        """Do nothing: a person only sends legal moves."""

    async def game_over(self, over: GameOver) -> None:
        """Do nothing: the caller shows the result."""


async def play_one(
    job: Job,
    people: Mapping[int, SeatedPlayer],
    observe: Callable[[Arbiter], None],
    warn: Callable[[str, str], None],
    trace: SeatLineObserver | None = None,
) -> JobFinished:
    """Play one game in this process.

    Args:
        job: the game and its seats.
        people: the players at seats without an engine, by seat.
        observe: called with the state of the game before the first move and after every move.
        warn: called with the name of an engine and a sentence for the user.
        trace: called with every line between the referee and the engines.

    Raises:
        ExceptionGroup: with a `RefereeError` or ValueError, if the job cannot be played.
    """
    async with trio.open_nursery() as nursery:
        pool = EnginePool(nursery, 0, warn)
        game = RefereedGame(job, pool, lambda: None, people=people, observe=observe, trace=trace)
        observe(game.arbiter)
        try:
            return await game.play()
        finally:
            pool.close()
