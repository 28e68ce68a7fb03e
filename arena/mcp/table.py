"""The agent's end of its seat: the tools that show the game and play in it."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Final

import msgspec
import trio
from msgspec import Meta

from arena import manual
from arena.mcp.seat import Refusal, Turn
from arena.mcp.server import Answer, NoArguments, Refused, Tool, lines
from protocol.spec import EngineSpec
from protocol.wire.codec import RESIGN
from referee import RefereeError, game, game_ids

WAIT_SECONDS: Final = 45.0
"""How long a tool waits for the opponents: less than the minute after which usual clients give up."""

_MOST_LISTED: Final = 300  # legal moves
_LONGEST_MOVE: Final = 200  # characters
_LONGEST_MESSAGE: Final = 1 << 24
_NEWS: Final = 10  # lines

MOVING: Final = "you are to move"
WAITING: Final = "an opponent is to move; state waits for your turn"
STARTING: Final = "the game has not started yet; state waits for it"
OVER: Final = "the game is over"
NO_GAME: Final = "there is no game; new_game starts one"


class GameArguments(msgspec.Struct, forbid_unknown_fields=True):
    """The arguments of ``list_games``."""

    game: Annotated[str, Meta(description="The id of a game, to read its rules; empty for a list.")] = ""


class MoveArguments(msgspec.Struct, forbid_unknown_fields=True):
    """The arguments of ``move``."""

    move: Annotated[str, Meta(description="One of the legal moves, as the state writes it.")]


@dataclass(slots=True, eq=False)
class Table:
    """One game at a time. Its turns come over the socket ``path`` from the program of its seat."""

    path: Path
    hears_end: bool  # whether the game is over when the program of its seat ends; else `finish` tells it
    status: str = NO_GAME
    turn: Turn | None = None  # the last one
    refused: bool = False  # whether an answer was, since the last look
    news: deque[str] = field(default_factory=lambda: deque(maxlen=_NEWS))  # what happened since the last look
    changed: trio.lowlevel.ParkingLot = field(default_factory=trio.lowlevel.ParkingLot)
    _seat: trio.SocketStream | None = None

    def spec(self, name: str) -> EngineSpec:
        """Return the engine that is the agent's seat."""
        command = (sys.executable, "-m", "arena.mcp.seat", str(self.path))
        return EngineSpec(name=name, command=command, position="moves")

    @property
    def playing(self) -> bool:
        """Whether a game goes on."""
        return self.status in (STARTING, MOVING, WAITING)

    async def listen(self, task_status: trio.TaskStatus[None]) -> None:
        """Take the connections of seats; never ends."""
        listener = trio.socket.socket(trio.socket.AF_UNIX, trio.socket.SOCK_STREAM)
        await listener.bind(str(self.path))
        listener.listen()
        task_status.started()
        await trio.serve_listeners(self._hear, [trio.SocketListener(listener)])

    async def _hear(self, stream: trio.SocketStream) -> None:
        """Take what the seat of a game tells, until its program ends."""
        self._seat = stream
        try:
            async for line in lines(stream, _LONGEST_MESSAGE):
                self._take(msgspec.json.decode(line, type=Turn | Refusal))
        except trio.BrokenResourceError:
            pass  # it was killed
        if self._seat is stream:
            self._seat = None
            if self.hears_end and self.playing:
                self.finish("state shows its result as soon as it is known")

    def _take(self, message: Turn | Refusal) -> None:
        if isinstance(message, Refusal):
            if self.status in (MOVING, WAITING):  # else it is about an earlier game, which is over
                self.refused = True
                self.news.append(message.text)
        else:
            self.turn = message
            self._become(MOVING)

    def _become(self, status: str) -> None:
        self.status = status
        self.changed.unpark_all()

    def start(self) -> None:
        """A game starts. Refused: there is one."""
        if self.playing:
            raise Refused("a game goes on: play it to its end, or resign")
        self.refused = False
        self.news.clear()
        self._become(STARTING)

    def finish(self, ending: str, *, refused: bool = False) -> None:
        """The game is over; ``refused`` if by an answer of the agent that was not played."""
        self.refused = self.refused or refused
        self.news.append(ending)
        self._become(OVER)

    async def leave(self) -> None:
        """Resign the game that goes on, and wait for its end."""
        while self.playing and (self._seat is not None or not self.hears_end):
            await self._answer(RESIGN)
            if self.playing:
                await self.changed.park()

    async def _answer(self, text: str) -> None:
        """Bring an answer to the seat, if it is the agent's turn."""
        if self.status == MOVING and self.turn is not None and self._seat is not None:
            self.status = WAITING
            try:
                await self._seat.send_all(f"{self.turn.number} {text}\n".encode())
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                pass  # its program has ended, and the referee knows

    async def _wait(self) -> None:
        """Wait until the agent is to move, or the game is over."""
        with trio.move_on_after(WAIT_SECONDS):
            while self.status in (STARTING, WAITING):
                await self.changed.park()

    # --- the tools

    def tools(self) -> list[Tool]:
        """Return those that are the same for all games."""
        return [
            Tool("list_games", "List the games, or read the rules of one.", GameArguments, self._list_games),
            Tool(
                "state", "Wait for your turn, and see the board and the legal moves.", NoArguments, self.state
            ),
            Tool("move", "Play a move, and wait for your next turn.", MoveArguments, self._move),
            Tool("resign", "Lose the game that goes on.", NoArguments, self._resign),
        ]

    async def _list_games(self, wanted: GameArguments) -> Answer:
        if wanted.game:
            return Answer(manual.rules(_known(wanted.game)))
        infos = []
        for id_ in game_ids():
            with suppress(RefereeError):  # the rules of a plug-in may be broken
                infos.append(game(id_).info)
        listed = [{"id": info.id, "title": info.title, "players": info.players} for info in infos]
        lines = [f"{info.id}: {info.title}, {info.players} players, {info.board}" for info in infos]
        return Answer("\n".join([*lines, "The rules of a game: list_games with its id."]), {"games": listed})

    async def state(self, _: NoArguments | None = None) -> Answer:
        """Wait for the agent's turn or the end, and show the game."""
        await self._wait()
        return self._shown()

    async def _move(self, wanted: MoveArguments) -> Answer:
        if self.status != MOVING:
            raise Refused(f"{self.status}, so no move was played")
        move = wanted.move.strip()
        if (
            not move.isascii()
            or not move.isprintable()
            or len(move.split()) != 1
            or len(move) > _LONGEST_MOVE
        ):
            raise Refused(
                f"{wanted.move[:_LONGEST_MOVE]!a} is no move: it must be one word, as in the legal moves"
            )
        await self._answer(move)
        await self._wait()
        return self._shown()

    async def _resign(self, _: NoArguments) -> Answer:
        if not self.playing:
            raise Refused(self.status)
        with trio.move_on_after(WAIT_SECONDS):
            await self.leave()
        self.refused = False
        return self._shown()

    def _shown(self) -> Answer:
        """Return the game as a text and as values, and what has happened since the last look."""
        values: dict[str, object] = {"status": self.status, "news": "; ".join(self.news)}
        if self.turn is not None and self.status == MOVING:
            turn = self.turn
            left = "no limit" if turn.left_ms is None else f"{turn.left_ms / 1000:.1f} s"
            values |= {
                "game": turn.game,
                "seat": turn.seat,
                "time left": left,
                "moves": " ".join(turn.moves),
                "position": turn.position,
                "legal": _listed(turn.legal),
                "diagram": f"\n{turn.diagram}",
            }
        answer = Answer("\n".join(f"{name}: {value}" for name, value in values.items()), values, self.refused)
        self.refused = False
        self.news.clear()
        return answer


def _known(game_id: str) -> str:
    """Return the id of a game. Refused: there is none."""
    if game_id not in game_ids():
        raise Refused(f"there is no game {game_id[:_LONGEST_MOVE]!a}; there are {', '.join(game_ids())}")
    return game_id


def _listed(legal: tuple[str, ...]) -> str:
    more = len(legal) - _MOST_LISTED
    return " ".join(legal[:_MOST_LISTED]) + (f" and {more} more" if more > 0 else "")


@contextmanager
def socket_path() -> Iterator[Path]:
    """Return the path of a socket that only this user can reach, for the block."""
    with TemporaryDirectory(prefix="arena-") as folder:
        yield Path(folder, "seat")
