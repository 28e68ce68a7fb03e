"""The argument of a check: starts fresh processes of the engine, and has the facts about it so far."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Final, TypeVar

import trio

from protocol.errors import EngineStartError
from protocol.process.engine_process import EngineProcess
from protocol.spec import EngineSpec
from protocol.wire.messages import Go
from referee.check.conversation import Conversation, Failure, NoAnswer
from referee.check.game_dialogue import GameDialogue, Greeting
from referee.check.positions import PositionBook, ReachedPosition
from referee.registry import game as find_game

Drawn = TypeVar("Drawn")

FALLBACK_GAME = "quoridor"
"""The game for an engine without the option ``UGI_Game``."""

PATIENCE: Final = 2.5
"""The usual patience: an engine that says nothing for this many seconds has usually made a mistake."""


@dataclass(slots=True)
class EngineUnderTest:
    """The engine under test, and the facts about it so far."""

    spec: EngineSpec
    seed: int = 1  # of the random positions
    game: str | None = None  # an id; None before the first handshake, unless the user names a game
    patience: float = PATIENCE  # seconds to wait for an answer, besides its clock and waits for a processor
    greeting: Greeting | None = None  # the engine's lines in its first successful handshake
    book: PositionBook | None = None
    missing: NoAnswer | None = None  # the failure of the first missing answer, up to the first move
    missing_evidence: tuple[str, ...] = ()
    limit: Go | None = None  # of all searches, for an engine that knows no clock
    names_no_game: bool = False  # whether neither the user nor the engine names a game

    def add_greeting(self, greeting: Greeting) -> PositionBook:
        """Store a handshake. The first one also decides the game. Return the game's positions."""
        if self.book is None:
            option = greeting.options.get("ugi_game")
            default = option.default if option is not None else None
            self.names_no_game = not (self.game or default)
            self.game = self.game or default or FALLBACK_GAME
            self.book = PositionBook(find_game(self.game), self.seed)
        if self.greeting is None:
            self.greeting = greeting
        return self.book

    def uses(self, capability: str) -> bool:
        """Return whether the engine announced a capability."""
        return self.greeting is not None and capability in self.greeting.used


class CheckContext:
    """The context of one check.

    The last lines of the conversation that was started last are the evidence of a failure. The deadline of
    the scope limits the time of the check.
    """

    def __init__(self, subject: EngineUnderTest, nursery: trio.Nursery) -> None:
        self.subject = subject
        self.conversation: Conversation | None = None
        self.scope = trio.CancelScope()
        self._nursery = nursery
        self._evidence: tuple[str, ...] = ()

    async def draw(self, drawing: Callable[[PositionBook], Drawn]) -> Drawn:
        """Call ``drawing`` with the book in a thread, and return its result.

        Drawing positions can take seconds. A thread does not delay the clocks of other checks. The deadline
        of this check moves by the time that drawing takes.
        """
        remaining = self.scope.deadline - trio.current_time()
        self.scope.deadline = math.inf
        try:
            return await trio.to_thread.run_sync(drawing, self.book, abandon_on_cancel=True)
        finally:
            self.scope.deadline = trio.current_time() + remaining

    async def spots(self, name: str, count: int, seat: int = 0) -> tuple[ReachedPosition, ...]:
        """Return the start and up to ``count`` random positions where ``seat`` has several moves."""
        return (self.book.start, *await self.draw(lambda book: book.random(name, count, seat)))

    @property
    def book(self) -> PositionBook:
        """The positions of the game. Only checks that need a handshake can use them."""
        assert self.subject.book is not None, "the check needs a handshake first"
        return self.subject.book

    def evidence(self) -> tuple[str, ...]:
        """Return the last lines of the last conversation, in the form of a transcript."""
        return self._evidence if self.conversation is None else self.conversation.evidence()

    def expect_no_miss(self, *words: str) -> None:
        """Raise the NoAnswer of an earlier check if one of these answers did not come: a wait takes long."""
        missing = self.subject.missing
        if missing is not None and missing.word in words:
            self._evidence = self.subject.missing_evidence
            raise missing

    @asynccontextmanager
    async def start(self, **env: str) -> AsyncIterator[Conversation]:
        """Start a fresh process with more variables, and kill it at the end of the block.

        No line is sent to it yet. Failure: the engine cannot be started. HubFault: the machine cannot start a
        process.
        """
        spec = replace(self.subject.spec, env={**self.subject.spec.env, **env})
        try:
            # In a process namespace no check could see the processes that the engine leaves behind.
            process = await EngineProcess.start(spec, own_pids=False)
        except EngineStartError as error:
            raise Failure(str(error)) from None
        conversation = Conversation(process, spec.dialect, min(self.subject.patience, spec.timeouts.write))
        self.conversation = conversation
        self._nursery.start_soon(conversation.run_reader)
        try:
            yield conversation
        finally:
            await conversation.kill()

    @asynccontextmanager
    async def greeted(self, **env: str) -> AsyncIterator[GameDialogue]:
        """Start a fresh process and do the handshake. Raises as `start` and `Conversation.until`."""
        async with self.start(**env) as conversation:
            dialogue = GameDialogue(conversation, self.subject.spec, self.subject.patience)
            dialogue.limit = self.subject.limit
            await dialogue.greet()
            await dialogue.introduce(self.subject.add_greeting(dialogue.greeting))
            yield dialogue

    @asynccontextmanager
    async def playing(self, seat: int = 0) -> AsyncIterator[GameDialogue]:
        """Start a fresh process and begin a game. Raises as `greeted`."""
        async with self.greeted() as dialogue:
            await dialogue.new_game(seat)
            yield dialogue

    async def missing_answer(self, dialogue: GameDialogue) -> NoAnswer | None:
        """Play up to the first move. Return the failure of the first missing answer; None if all come."""
        dialogue.limit = self.subject.limit
        try:
            await dialogue.greet()
            await dialogue.introduce(self.subject.add_greeting(dialogue.greeting))
            await dialogue.new_game()
            await dialogue.send_position(self.book.start)
            await dialogue.think(dialogue.clocks(1000))
        except NoAnswer as failure:
            return failure
        return None
