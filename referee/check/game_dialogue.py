"""The lines of a regular game between hub and engine: handshake, positions, searches and answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from protocol.errors import EngineStartError
from protocol.hub.search import split_legal
from protocol.spec import EngineSpec
from protocol.wire import messages as m
from protocol.wire.codec import NO_MOVE, RESIGN, Dialect, format_command, parse_reply
from protocol.wire.options import AdvertisedOption, parse_option
from protocol.wire.session import CAPABILITIES, VERSION
from referee.check.conversation import Conversation, Failure, OutputLine
from referee.check.positions import PositionBook, ReachedPosition, only_move, why_illegal

HOUR = 3_600_000
"""An hour in milliseconds, so that a search does not end soon by itself."""

_DEEP = 100  # plies
_MANY_NODES = 10**12

PositionForm = Literal["usual", "fen", "fen and moves"]
"""How to send a position: as the hub does, as a position string, or as an earlier string and moves."""


@dataclass(slots=True)
class Greeting:
    """The engine's part of a handshake."""

    milliseconds: int = 0  # from `ugi` to `ugiok`
    level: int = 0
    lines: list[OutputLine] = field(default_factory=list)  # all before `ugiok`
    used: tuple[str, ...] = ()  # the capabilities that both sides know
    options: dict[str, AdvertisedOption] = field(default_factory=dict)  # as advertised, by lower-case name
    identity: dict[str, str] = field(default_factory=dict)

    def take(self, line: OutputLine, dialect: Dialect) -> None:
        """Add one line."""
        self.lines.append(line)
        match parse_reply(line.text, dialect):
            case m.Id(key, text):
                self.identity.setdefault(key, text)
            case m.OptionLine(text):
                try:
                    option = parse_option(text)
                except ValueError:
                    return  # check 107 reports it
                self.options.setdefault(option.name.lower(), option)
            case m.Announce(version, words) if version >= 1 and dialect == "ugi":
                self.level = VERSION
                self.used = tuple(word for word in CAPABILITIES if word in words)


@dataclass(frozen=True, slots=True)
class EngineAnswer:
    """The answer to one ``go``."""

    move: str  # the word after `bestmove`; "" if there is none
    milliseconds: float  # since the end of the write; if time is measured, less waits for a processor
    line: OutputLine
    before: tuple[OutputLine, ...]


class GameDialogue:
    """Sends the lines of a regular game to an engine, as a hub does.

    ``patience`` is how many seconds to wait for an answer outside a search. ``unasked`` has the lines that
    came before ``readyok`` since the last ``go``. ``limit`` is that of all searches, for an engine that knows
    no clock.
    """

    def __init__(self, conversation: Conversation, spec: EngineSpec, patience: float) -> None:
        self.conversation = conversation
        self.greeting = Greeting()
        self.unasked: list[OutputLine] = []
        self.limit: m.Go | None = None
        self._spec = spec
        self._patience = patience
        self._book: PositionBook | None = None
        self._ready_before = False
        self._position_sent = False  # whether a position of this game was sent

    # --- outside a search

    async def greet(self) -> None:
        """Greet the engine, and wait for its ``ugiok``. Raises as `Conversation.until`."""
        hello = format_command(m.Hello(), self._spec.dialect)
        await self.conversation.send(hello)
        greeting = self.greeting
        _, ok = await self.conversation.until(
            m.HelloOk, f"{hello}ok", self._patience, lambda line: greeting.take(line, self._spec.dialect)
        )
        greeting.milliseconds = (ok.at - self.conversation.sent_at) // 1_000_000

    async def introduce(self, book: PositionBook) -> None:
        """Acknowledge the capabilities, and choose the game.

        EngineStartError: the engine does not play it.
        """
        self._book = book
        info, greeting = book.game.info, self.greeting
        if greeting.level > 0:
            await self.conversation.say(m.Acknowledge(VERSION, greeting.used))
        elif info.players > 2:
            raise EngineStartError(
                "the engine announces no capabilities, so it can play only games for two players;"
                f" {info.id} is for {info.players}: name another game with --game"
            )
        option = greeting.options.get("ugi_game")
        if option is not None:
            if info.id not in option.choices:
                choices = ", ".join(option.choices) or "nothing"
                raise EngineStartError(
                    f"the engine does not play {info.id}; its option UGI_Game has {choices}"
                )
            await self.conversation.say(m.SetOption(option.name, info.id))
        for name, value in info.uci_options:
            if name.lower() in greeting.options:
                await self.conversation.say(m.SetOption(greeting.options[name.lower()].name, value))

    async def ready(self) -> None:
        """Send ``isready`` and wait for ``readyok``. Raises as `Conversation.until`."""
        self._ready_before = True
        await self.conversation.say(m.IsReady())
        await self.conversation.until(m.ReadyOk, "readyok", self._patience, self.unasked.append)

    async def new_game(self, seat: int = 0) -> None:
        """Begin a game in which the engine has ``seat`` (0-based). Raises as `Conversation.until`."""
        info = self.book.game.info
        if not self._ready_before:
            await self.ready()
        await self.conversation.say(m.NewGame())
        if self.uses("seat"):
            words = {"id": "check", "game": info.id, "players": info.players, "seat": seat + 1}
            words |= {"base": 1000, "inc": 0, "margin": self._spec.margin}
            await self.conversation.say(
                m.GameInfoLine(tuple((key, str(value)) for key, value in words.items()))
            )
        self._position_sent = False
        await self.ready()

    @property
    def book(self) -> PositionBook:
        """The positions of the game, after `introduce`."""
        assert self._book is not None, "call introduce first"
        return self._book

    def uses(self, capability: str) -> bool:
        """Return whether both sides know a capability."""
        return capability in self.greeting.used

    # --- a search

    def clocks(self, milliseconds: int, increment: int = 0, moves_to_go: int | None = None) -> m.Go:
        """Return a ``go`` with the same clock for every seat, or with the engine's own limit."""
        if self.limit is not None:
            return self.limit
        players = self.book.game.info.players
        return m.Go((milliseconds,) * players, (increment,) * players, moves_to_go)

    def movetime(self, milliseconds: int) -> m.Go:
        """Return a ``go`` with a time per move, or with the limit of an engine that knows no time."""
        timed = self.limit is None or self.limit.movetime is not None
        return m.Go(movetime=milliseconds) if timed or self.limit is None else self.limit

    def long(self, milliseconds: int) -> m.Go:
        """Return a ``go`` for a search that does not end soon by itself, with clocks or a larger limit."""
        if self.limit is None:
            return self.clocks(milliseconds)
        if self.limit.movetime is not None:
            return m.Go(movetime=milliseconds)
        return m.Go(depth=_DEEP) if self.limit.depth is not None else m.Go(nodes=_MANY_NODES)

    async def send_position(
        self, spot: ReachedPosition, form: PositionForm = "usual", legal: Sequence[str] | None = None
    ) -> None:
        """Send a position, up to the line before ``go``. Raises as `Conversation.until`."""
        if self._position_sent and self.uses("delta"):
            await self.new_game(spot.position.turn)  # only the first position of a game is complete
        self._position_sent = True
        if self.greeting.level == 0:
            await self.ready()
            await self.conversation.say(self.position_message(spot, form))
            return
        await self.conversation.say(self.position_message(spot, form))
        await self._send_legal(spot.legal() if legal is None else legal)
        await self.ready()

    async def _send_legal(self, legal: Sequence[str]) -> None:
        """Send ``legal``, and ``legal+`` if the list needs more lines."""
        if not self.uses("legal"):
            return
        for message in split_legal(legal):
            await self.conversation.say(message)

    async def send_moves(self, spot: ReachedPosition, new_moves: Sequence[str]) -> None:
        """Send the new moves to an engine with the capability ``delta``. Raises as `Conversation.until`."""
        await self.conversation.say(m.Moves(" ".join(new_moves)))
        await self._send_legal(spot.legal())
        await self.ready()

    def position_message(self, spot: ReachedPosition, form: PositionForm = "usual") -> m.SetPosition:
        """Return the message that sends a position."""
        moves = " ".join(spot.moves)
        if form == "fen" or (form == "usual" and self.uses("fen")):
            return m.SetPosition(str(spot.position))
        if form == "usual":
            return m.SetPosition(spot.start, moves)
        return m.SetPosition(spot.start or str(self.book.start.position), moves)

    async def begin_search(self, milliseconds: int = HOUR) -> None:
        """Let the engine search the start position, with ``milliseconds`` on every clock.

        Raises as `Conversation.until`.
        """
        await self.send_position(self.book.start)
        self.conversation.new_turn()
        await self.conversation.say(self.long(milliseconds))

    async def think(self, go: m.Go, *, later: float | None = None) -> EngineAnswer:
        """Send ``go`` and wait for the move, up to ``later`` seconds after its time is up.

        None is the usual patience; checks that measure time say how long. Raises as `Conversation.until`.
        """
        self.conversation.new_turn()
        self.unasked.clear()
        waits = None if later is None else self.conversation.waits()
        await self.conversation.say(go)
        before: list[OutputLine] = []
        seconds = max((*go.times, go.movetime or 0)) / 1000
        seconds += self._patience if later is None else later
        best, line = await self.conversation.until(m.BestMove, "bestmove", seconds, before.append)
        taken = (line.at - self.conversation.sent_at) / 1e6
        if waits is not None:
            taken = max(0.0, taken - 1000 * self.conversation.withheld(waits))
        return EngineAnswer(best.move, taken, line, tuple(before))

    async def finish(self, seconds: float) -> None:
        """Wait for the move of a running search. Raises as `Conversation.until`."""
        await self.conversation.until(m.BestMove, "bestmove", seconds)

    async def move(
        self,
        spot: ReachedPosition,
        go: m.Go | None = None,
        form: PositionForm = "usual",
        legal: Sequence[str] | None = None,
    ) -> EngineAnswer:
        """Ask for a move, and check that it is legal. Raises as `Conversation.until` and `judge`."""
        await self.send_position(spot, form, legal)
        answer = await self.think(go or self.clocks(1000))
        self.judge(answer, spot)
        return answer

    def judge(self, answer: EngineAnswer, spot: ReachedPosition) -> None:
        """Raise a Failure if the move is not legal, unless the engine resigns and has this capability."""
        reason = why_illegal(spot.position, answer.move)
        if not reason or (answer.move == RESIGN and self.uses("resign")):
            return
        if answer.move in NO_MOVE:
            only = only_move(spot)
            forced = f"; the only legal move is `{only}`" if only else ""
            raise Failure(f"has no move at {spot}: it said `{answer.line.text[:80]}`{forced}")
        raise Failure(f"played {answer.move[:60]!r} at {spot}: {reason}")
