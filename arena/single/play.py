"""One game outside any tournament, followed move by move; people may sit at it."""

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
"""The command of a seat that a person takes."""


class HumanPlayer:
    """A player who types moves; a move that the rules forbid is explained and asked for again.

    Args:
        game: the rules.
        name: what the game calls them.
        ask: shows a prompt and returns a line; EOFError at the end of the input.
        tell: shows a line.
    """

    def __init__(self, game: Game, name: str, ask: Callable[[str], str], tell: Callable[[str], None]) -> None:
        self._name = name
        self.identity: Mapping[str, str] = {"name": name}
        self._game = game
        self._ask = ask
        self._tell = tell

    async def new_game(self, items: Sequence[tuple[str, str]], transcript: Transcript | None = None) -> None:
        """Nothing to prepare."""

    async def think_until(
        self, alarm: trio.CancelScope, turn: SearchRequest, go: Go, budget: int
    ) -> SearchResult:
        """Ask until there is a legal move, or ``resign``; people's time is not measured.

        Raises:
            EngineCrashed: the input has ended.
        """
        alarm.deadline = math.inf
        position = self._game.parse_position(turn.fen())
        while True:
            try:
                text = await trio.to_thread.run_sync(
                    self._ask, f"{self._name}, your move (? lists them): ", abandon_on_cancel=True
                )
            except EOFError:
                raise EngineCrashed("left the board") from None
            text = text.strip()
            if text == "?":
                self._tell(" ".join(turn.legal()))
            elif text == "resign":
                return SearchResult(text, 0, 0, "")
            elif text:
                try:
                    return SearchResult(str(position.parse_move(text)), 0, 0, "")
                except MoveError as error:
                    self._tell(f"{error}")

    def late(self) -> EngineError:
        """Never the case."""
        return EngineTimedOut("took too long")

    async def drain(self) -> bool:
        """People need no draining."""
        return True

    async def report_error(self, code: str, text: str) -> None:
        """Nothing that was not said before."""

    async def game_over(self, over: GameOver) -> None:
        """The result is shown to everybody."""


async def play_one(
    job: Job,
    people: Mapping[int, SeatedPlayer],
    observe: Callable[[Arbiter], None],
    warn: Callable[[str, str], None],
    trace: SeatLineObserver | None = None,
) -> JobFinished:
    """Play one game in this process.

    Args:
        job: what to play.
        people: who sits at seats without an engine, by seat.
        observe: is called with the game before the first move, and after every move.
        warn: is told (engine, sentence) what the user should know.
        trace: is told every line between the referee and the engines.

    Raises:
        RefereeError, ValueError: the job cannot be played.
    """
    async with trio.open_nursery() as nursery:
        pool = EnginePool(nursery, 0, warn)
        match = RefereedGame(job, pool, lambda: None, people=people, observe=observe, trace=trace)
        observe(match.arbiter)
        try:
            return await match.play()
        finally:
            pool.close()
