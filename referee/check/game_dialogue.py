"""What a hub and an engine say to each other in a regular game, up to a move that is judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from protocol.errors import EngineStartError
from protocol.hub.search import split_legal
from protocol.spec import MARGIN, Timeouts
from protocol.wire import messages as m
from protocol.wire.codec import Dialect, format_command, parse_reply
from protocol.wire.options import AdvertisedOption, parse_option
from protocol.wire.session import CAPABILITIES, VERSION
from referee.check.conversation import Conversation, OutputLine
from referee.check.failures import Failure
from referee.check.positions import PositionBook, ReachedPosition, refusal

__all__ = ["HOUR", "EngineAnswer", "GameDialogue", "Greeting", "Patience", "PositionForm"]

HOUR = 3_600_000
"""Milliseconds of a search that an engine which thinks does not end by itself for a while."""

PositionForm = Literal["usual", "fen", "fen and moves"]
"""How a position is told: as the hub would, as a string, or as an older one and the moves since."""

_USUAL = Timeouts()


@dataclass(frozen=True, slots=True)
class Patience:
    """How long the checks wait, in seconds, where it is not time itself that is checked.

    Attributes:
        answer: for an answer outside a search; the first `readyok` gets six times, a new game twice as long,
            a move as much more than its clock.
        write: for the engine to read its input.
        margin: milliseconds past its clock that are forgiven.
    """

    answer: float = _USUAL.handshake
    write: float = _USUAL.write
    margin: int = MARGIN


@dataclass(slots=True)
class Greeting:
    """What an engine said of itself before it was greeted back.

    Attributes:
        lines: everything up to its ok, that excluded.
        milliseconds: how long that took from ``ugi`` on.
        level: 0 or 1.
        used: the capabilities that both sides know.
        options: what it advertised, by lower-case name.
        identity: its ``id`` lines by key.
    """

    milliseconds: int = 0
    level: int = 0
    lines: list[OutputLine] = field(default_factory=list)
    used: tuple[str, ...] = ()
    options: dict[str, AdvertisedOption] = field(default_factory=dict)
    identity: dict[str, str] = field(default_factory=dict)

    def take(self, line: OutputLine, dialect: Dialect) -> None:
        """Note one line."""
        self.lines.append(line)
        match parse_reply(line.text, dialect):
            case m.Id(key, text):
                self.identity.setdefault(key, text)
            case m.OptionLine(text):
                try:
                    option = parse_option(text)
                except ValueError:
                    return  # a check of its own looks at that
                self.options.setdefault(option.name.lower(), option)
            case m.Announce(version, words) if version >= 1 and dialect == "ugi":
                self.level = VERSION
                self.used = tuple(word for word in CAPABILITIES if word in words)


@dataclass(frozen=True, slots=True)
class EngineAnswer:
    """What came of one ``go``.

    Attributes:
        move: its text; None where the engine said that it has none.
        milliseconds: from the end of the write to the reading of the answer.
        line: the line with the move.
        before: the lines that came before it.
    """

    move: str | None
    milliseconds: float
    line: OutputLine
    before: tuple[OutputLine, ...]


class GameDialogue:
    """An engine that is spoken to as a hub does it.

    Attributes:
        talk: the conversation.
        greeting: what it said of itself.
        unasked: what it said while ``readyok`` was waited for, since the last ``go``.
    """

    def __init__(self, talk: Conversation, dialect: Dialect, patience: Patience) -> None:
        self.talk = talk
        self.greeting = Greeting()
        self.unasked: list[OutputLine] = []
        self._dialect: Dialect = dialect
        self._patience = patience
        self._book: PositionBook | None = None
        self._ready_before = False
        self._told = False  # whether a position of this game was told

    # --- outside a search

    async def greet(self) -> None:
        """Everything up to the engine's ok. Raises as `Conversation.until`."""
        hello = format_command(m.Hello(), self._dialect)
        await self.talk.send(hello)
        greeting = self.greeting
        _, ok = await self.talk.until(
            m.HelloOk, f"{hello}ok", self._patience.answer, lambda line: greeting.take(line, self._dialect)
        )
        greeting.milliseconds = (ok.at - self.talk.sent_at) // 1_000_000

    async def introduce(self, book: PositionBook) -> None:
        """Acknowledge its capabilities and choose the game.

        Raises:
            EngineStartError: it does not play that game.
        """
        self._book = book
        info, greeting = book.game.info, self.greeting
        if greeting.level > 0:
            await self.talk.say(m.Acknowledge(VERSION, greeting.used))
        elif info.players > 2:
            raise EngineStartError(
                f"the engine announces nothing, so it can play for two only, and {info.id} is for "
                f"{info.players}; name another with --game"
            )
        option = greeting.options.get("ugi_game")
        if option is not None:
            if info.id not in option.choices:
                offered = ", ".join(option.choices) or "nothing"
                raise EngineStartError(
                    f"the engine does not play {info.id}; its option UGI_Game has {offered}"
                )
            await self.talk.say(m.SetOption(option.name, info.id))

    async def ready(self, seconds: float | None = None) -> None:
        """Wait for ``readyok``. Raises as `Conversation.until`."""
        limit = self._patience.answer
        if not self._ready_before:
            limit *= 6
        self._ready_before = True
        await self.talk.say(m.IsReady())
        await self.talk.until(m.ReadyOk, "readyok", seconds or limit, self.unasked.append)

    async def new_game(self, seat: int = 0) -> None:
        """Begin a game in which the engine has ``seat`` (0-based). Raises as `Conversation.until`."""
        info = self.book.game.info
        if not self._ready_before:
            await self.ready()
        await self.talk.say(m.NewGame())
        if self.uses("seat"):
            words = {"id": "check", "game": info.id, "players": info.players, "seat": seat + 1}
            words |= {"base": 1000, "inc": 0, "margin": self._patience.margin}
            await self.talk.say(m.GameInfoLine(tuple((key, str(value)) for key, value in words.items())))
        self._told = False
        await self.ready(2 * self._patience.answer)

    @property
    def book(self) -> PositionBook:
        """The game's positions, once it is known."""
        assert self._book is not None, "introduced before it plays"
        return self._book

    def uses(self, capability: str) -> bool:
        """Whether both sides know a capability."""
        return capability in self.greeting.used

    # --- a search

    def clocks(self, milliseconds: int, increment: int = 0, moves_to_go: int | None = None) -> m.Go:
        """The same clock for every seat."""
        players = self.book.game.info.players
        return m.Go((milliseconds,) * players, (increment,) * players, moves_to_go)

    async def show(
        self, spot: ReachedPosition, form: PositionForm = "usual", legal: Sequence[str] | None = None
    ) -> None:
        """Tell a position, so that only ``go`` is missing. Raises as `Conversation.until`."""
        if self._told and self.uses("delta"):
            await self.new_game(spot.position.turn)  # only a game's first position is told whole
        self._told = True
        if self.greeting.level == 0:
            await self.ready()
            await self.talk.say(self.position(spot, form))
            return
        await self.talk.say(self.position(spot, form))
        await self._list(spot.legal() if legal is None else legal)
        await self.ready()

    async def _list(self, legal: Sequence[str]) -> None:
        """``legal``, and ``legal+`` where one line is too short."""
        if not self.uses("legal"):
            return
        for message in split_legal(legal):
            await self.talk.say(message)

    async def follow(self, spot: ReachedPosition, fresh: Sequence[str]) -> None:
        """Tell only the new moves of a game, to an engine that wants that. Raises as `Conversation.until`."""
        await self.talk.say(m.Moves(" ".join(fresh)))
        await self._list(spot.legal())
        await self.ready()

    def position(self, spot: ReachedPosition, form: PositionForm = "usual") -> m.SetPosition:
        """The message that tells a position."""
        moves = " ".join(spot.moves)
        if form == "fen" or (form == "usual" and self.uses("fen")):
            return m.SetPosition(str(spot.position))
        if form == "usual":
            return m.SetPosition(spot.start, moves)
        return m.SetPosition(spot.start or str(self.book.start.position), moves)

    async def begin_search(self, milliseconds: int = HOUR) -> None:
        """Let the start be searched with so much time on every clock. Raises as `Conversation.until`."""
        await self.show(self.book.start)
        self.talk.new_turn()
        await self.talk.say(self.clocks(milliseconds))

    async def think(self, go: m.Go, *, later: float | None = None) -> EngineAnswer:
        """Send ``go`` and wait for the move; ``later`` is how many seconds after its time we still wait.

        Raises:
            NoAnswer: none came.
            Failure: the engine ended, or printed too much.
        """
        self.talk.new_turn()
        self.unasked.clear()
        await self.talk.say(go)
        before: list[OutputLine] = []
        seconds = max((*go.times, go.movetime or 0)) / 1000
        seconds += self._patience.answer if later is None else later
        best, line = await self.talk.until(m.BestMove, "bestmove", seconds, before.append)
        return EngineAnswer(best.move, (line.at - self.talk.sent_at) / 1e6, line, tuple(before))

    async def finish(self, seconds: float) -> None:
        """Wait for the move of a search that runs. Raises as `Conversation.until`."""
        await self.talk.until(m.BestMove, "bestmove", seconds)

    async def move(
        self,
        spot: ReachedPosition,
        go: m.Go | None = None,
        form: PositionForm = "usual",
        legal: Sequence[str] | None = None,
    ) -> EngineAnswer:
        """Ask for a move and judge it.

        Raises:
            NoAnswer, Failure: none came, or it is not legal.
        """
        await self.show(spot, form, legal)
        answer = await self.think(go or self.clocks(1000))
        self.judge(answer, spot)
        return answer

    def judge(self, answer: EngineAnswer, spot: ReachedPosition) -> None:
        """Raise a `Failure` unless the move is legal, or the engine may and does resign."""
        if answer.move == "resign" and self.uses("resign"):
            return
        if answer.move is None:
            raise Failure(f"has no move at {spot}: it said `{answer.line.text[:80]}`")
        why_not = refusal(spot.position, answer.move)
        if why_not:
            raise Failure(f"played {answer.move[:60]!r} at {spot}: {why_not}")
