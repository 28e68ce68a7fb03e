"""What a check works with: a fresh engine whenever it wants one, and what is known of the engine by then."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TypeVar

import trio

from protocol.errors import EngineStartError
from protocol.process.engine_process import EngineProcess
from protocol.spec import EngineSpec
from referee.check.conversation import Conversation
from referee.check.failures import Failure, NoAnswer
from referee.check.game_dialogue import GameDialogue, Greeting, Patience
from referee.check.positions import PositionBook, ReachedPosition
from referee.registry import game as find_game

__all__ = ["CheckContext", "EngineUnderTest"]

Drawn = TypeVar("Drawn")

FALLBACK_GAME = "quoridor"
"""The game of an engine that does not say which one it plays."""


@dataclass(slots=True)
class EngineUnderTest:
    """The engine under test, and what the run knows of it.

    Attributes:
        spec: its command, environment and dialect.
        patience: how long the checks wait.
        seed: from which positions are drawn.
        game: the id of the game; None until it is known, unless the user named one.
        greeting: what the engine said of itself in the first handshake that succeeded.
        book: the game's positions.
    """

    spec: EngineSpec
    patience: Patience = field(default_factory=Patience)
    seed: int = 1
    game: str | None = None
    greeting: Greeting | None = None
    book: PositionBook | None = None

    def meet(self, greeting: Greeting) -> PositionBook:
        """Take note of a handshake; from the first one on, the game is known."""
        if self.book is None:
            option = greeting.options.get("ugi_game")
            default = option.default if option is not None else None
            self.game = self.game or default or FALLBACK_GAME
            self.book = PositionBook(find_game(self.game), self.seed)
        if self.greeting is None:
            self.greeting = greeting
        return self.book

    def uses(self, capability: str) -> bool:
        """Whether the engine announced a capability."""
        return self.greeting is not None and capability in self.greeting.used


class CheckContext:
    """Given to one check.

    Attributes:
        subject: the engine under test.
        talk: the conversation that was begun last; its end is the evidence.
        scope: what ends the check when it takes too long in all.
    """

    def __init__(self, subject: EngineUnderTest, nursery: trio.Nursery) -> None:
        self.subject = subject
        self.talk: Conversation | None = None
        self.scope = trio.CancelScope()
        self._nursery = nursery

    async def draw(self, drawing: Callable[[PositionBook], Drawn]) -> Drawn:
        """What is drawn from the book, in a thread: that takes seconds, and other engines' answers are timed.

        The time that it takes is not the engine's, so the check has so much longer.
        """
        left = self.scope.deadline - trio.current_time()
        self.scope.deadline = math.inf
        try:
            return await trio.to_thread.run_sync(drawing, self.book, abandon_on_cancel=True)
        finally:
            self.scope.deadline = trio.current_time() + left

    async def spots(self, name: str, count: int, seat: int = 0) -> tuple[ReachedPosition, ...]:
        """The game's start, and random positions in which ``seat`` has a choice."""
        return (self.book.start, *await self.draw(lambda book: book.random(name, count, seat)))

    @property
    def book(self) -> PositionBook:
        """The game's positions; only for checks that come after a handshake."""
        assert self.subject.book is not None, "a handshake comes first"
        return self.subject.book

    def evidence(self) -> tuple[str, ...]:
        """The last lines of the conversation that was begun last, as in a transcript."""
        return () if self.talk is None else self.talk.evidence()

    @asynccontextmanager
    async def start(self, **env: str) -> AsyncIterator[Conversation]:
        """A fresh process that has been told nothing yet; it is gone at the end.

        Raises:
            Failure: it cannot be started.
            HubFault: the machine cannot start it.
        """
        spec = replace(self.subject.spec, env={**self.subject.spec.env, **env})
        try:
            process = await EngineProcess.start(spec)
        except EngineStartError as error:
            raise Failure(str(error)) from None
        talk = Conversation(process, spec.dialect, self.subject.patience.write)
        self.talk = talk
        self._nursery.start_soon(talk.attend)
        try:
            yield talk
        finally:
            await talk.kill()

    @asynccontextmanager
    async def greeted(self, **env: str) -> AsyncIterator[GameDialogue]:
        """A fresh process past its handshake. Raises as `start` and `Conversation.until`."""
        async with self.start(**env) as talk:
            player = GameDialogue(talk, self.subject.spec.dialect, self.subject.patience)
            await player.greet()
            await player.introduce(self.subject.meet(player.greeting))
            yield player

    @asynccontextmanager
    async def playing(self, seat: int = 0) -> AsyncIterator[GameDialogue]:
        """A fresh process in a game that has just begun. Raises as `greeted`."""
        async with self.greeted() as player:
            await player.new_game(seat)
            yield player

    async def silence(self, player: GameDialogue) -> str:
        """Which word the engine does not say in its first game, up to its first move; "" if it says all."""
        try:
            await player.greet()
            await player.introduce(self.subject.meet(player.greeting))
            await player.new_game()
            await player.show(self.book.start)
            await player.think(player.clocks(1000))
        except NoAnswer as silence:
            return silence.word
        return ""
