"""Engines of a simulated world: programs without a process, honest and faulty."""

from __future__ import annotations

import hashlib
import random
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from signal import SIGKILL, Signals
from typing import Final

import trio

from protocol.errors import EngineError, EngineStartError
from protocol.spec import EngineSpec

FAULTS: Final = {
    "honest": "",
    "late": "time",
    "just-late": "time",  # it answers when its clock and its margin have just ended
    "hangs": "time",
    "illegal": "illegal",
    "no-move": "illegal",
    "crashes": "crash",
    "crashes-early": "crash",
    "floods": "flood",
    "stalls": "stall",  # it does not answer `isready`
    "resigns": "resign",
    "absent": "crash",
    "slow": "",
    "lies": "",
    "talks": "",
    "ignores-quit": "",
}
"""The kinds of engines, each with the forfeit that it may get; "" for those that are never at fault."""

_RARE: Final = 3
"""A faulty engine is at fault in one game of this many."""

_JUST_LATE_MS: Final = 110
"""Milliseconds after the end of the clock: a margin of 100, and less than a referee waits for an answer."""

_START: Final = 0.05
_FLOOD: Final = b"info string " + b"x" * 65_000 + b"\n"
_LIES: Final = (
    b"info depth 99999999999999999999 score cp 123456789012345678901234567890 nodes -5 pv e2e4 \xff\xfe\n"
    b"info score mate 0 score cp 1\nreadyok\nugiok\nid name nobody\n"
)


def draw_of(*about: object) -> random.Random:
    """Return a generator that gives the same whenever and wherever the same is drawn."""
    words = "/".join(map(str, about)).encode()
    return random.Random(hashlib.blake2b(words, digest_size=8).digest())


def errs(seed: str, engine: str, game: str) -> bool:
    """Return whether a faulty engine is at fault in a game, in its second search at the latest."""
    return draw_of(seed, engine, game, "fault").randrange(_RARE) == 0


@dataclass(slots=True)
class Thought:
    """A search as the engine knows it: when it read ``go`` and when it answered, in nanoseconds.

    ``ply`` counts its searches in a game. ``left`` is what its clock showed, in milliseconds; 0 without one.
    """

    game: str
    seat: int
    started: int
    ended: int
    ply: int
    left: int


@dataclass(slots=True)
class Machine:
    """What engines need of their world.

    Attributes:
        nursery: runs the programs.
        seed: what the moves of all engines depend on.
        pace: by what factor they think longer than usual.
        now: the monotonic clock in nanoseconds.
        alive: the engines whose programs run.
        thoughts: all searches that got an answer.
        killed: the names of the engines that somebody else has killed.
        mistaken: what engines were told that is meant for another.
    """

    nursery: trio.Nursery
    seed: str
    pace: int
    now: Callable[[], int]
    alive: set[SimulatedEngine] = field(default_factory=set)
    thoughts: list[Thought] = field(default_factory=list)
    killed: set[str] = field(default_factory=set)
    mistaken: dict[str, None] = field(default_factory=dict)  # in their order
    started: int = 0  # engines


class SimulatedEngine:
    """A program and its pipes. It is a `protocol.hub.transport.Transport`."""

    excused = None

    def __init__(self, machine: Machine, spec: EngineSpec) -> None:
        self._machine = machine
        self.number = machine.started = machine.started + 1
        self.spec = spec
        self.kind = spec.command[1]
        self._lines: deque[bytes] = deque()
        self._rest = b""
        self._asked = trio.Event()
        self._closed = False
        self._output = bytearray()
        self._news = trio.Event()
        self._exited = trio.Event()
        self._exit_text = ""
        self._scope = trio.CancelScope()
        self._game, self._seat, self._ply = "", 0, 0
        self._owner = ""
        self._legal: list[str] = []
        machine.alive.add(self)
        machine.nursery.start_soon(self._run)

    # --- the transport

    def write_now(self, data: bytes) -> int:
        if self._exit_text:
            raise BrokenPipeError
        *lines, self._rest = (self._rest + data).split(b"\n")
        self._lines += lines
        self._asked.set()
        return len(data)

    async def wait_writable(self) -> None:
        await trio.lowlevel.checkpoint()

    async def read(self) -> bytes:
        while not self._output and not self._exit_text:
            await self._news.wait()
        if not self._output:
            await trio.lowlevel.checkpoint()
        return self._taken()

    def read_soon(self, seconds: float) -> bytes | None:
        return self._taken() if self._output or self._exit_text else None

    def _taken(self) -> bytes:
        data = bytes(self._output[:16_384])
        del self._output[:16_384]
        if not self._output:
            self._news = trio.Event()
        return data

    async def drain_stderr(self, note: Callable[[bytes], None]) -> None:
        await self._exited.wait()

    stderr_tail = ""

    @property
    def exit_text(self) -> str:
        return self._exit_text

    def set_alarm(self, alarm: trio.CancelScope, seconds: float) -> None:
        alarm.deadline = trio.current_time() + seconds

    def shortage(self, *, greeted: bool) -> EngineError | None:
        return None

    async def wait_exit(self) -> None:
        await self._exited.wait()

    def close_stdin(self) -> None:
        self._closed = True
        self._asked.set()

    def signal_group(self, number: Signals) -> None:
        if not self._exit_text and (number is SIGKILL or self.kind != "ignores-quit"):
            self._end(f"signal {number.name}")

    def dispose(self) -> None:
        self.signal_group(SIGKILL)
        self.close_stdin()
        self._machine.alive.discard(self)

    # --- the program

    def _end(self, text: str) -> None:
        self._exit_text = text
        self._exited.set()
        self._news.set()
        self._scope.cancel()

    def _say(self, data: bytes) -> None:
        self._output += data
        self._news.set()

    async def _run(self) -> None:
        with self._scope:
            await trio.sleep(_START * (40 if self.kind == "slow" else 1))
            if self.kind == "crashes-early":
                self._end("exit code 9")
                return
            while self._lines or not self._closed:
                while self._lines:
                    await self._take(self._lines.popleft().decode().split())
                    if self._exit_text:
                        return
                if not self._closed:
                    self._asked = trio.Event()
                    await self._asked.wait()
            if self.kind == "ignores-quit":
                await trio.sleep_forever()
            self._end("exit code 0")

    async def _take(self, words: list[str]) -> None:
        match words:
            case ["ugi", *_]:
                options = "option name Owner type string default nobody\n"
                options += "option name Weight type spin default 50 min 0 max 100"
                words_ = f"id name {self.spec.name}\n{options}\nprotocol 1 legal seat result errors\nugiok\n"
                self._say(words_.encode())
            case ["setoption", "name", "Owner", "value", owner]:
                self._owner = owner
            case ["isready"]:
                if (
                    self.kind == "stalls"
                    and self._ply == 1
                    and errs(self._machine.seed, self.spec.name, self._game)
                ):
                    await trio.sleep_forever()
                self._say(b"readyok\n")
            case ["uginewgame"]:
                self._ply = 0
            case ["gameinfo", *items]:
                given = dict(zip(items[::2], items[1::2], strict=True))
                self._game, self._seat = given["id"], int(given["seat"]) - 1
            case ["legal", *moves]:
                self._legal = moves
            case ["legal+", *moves]:
                self._legal += moves
            case ["go", *items]:
                await self._think(dict(zip(items[::2], map(int, items[1::2]), strict=True)))
            case ["quit"] if self.kind != "ignores-quit":
                self._end("exit code 0")

    async def _think(self, limits: Mapping[str, int]) -> None:
        if self._owner not in (self.spec.name, self.spec.name[:-1]):  # both sides of one have its option
            self._machine.mistaken[f"{self.spec.name} plays with the options of {self._owner!r}"] = None
        started, ply = self._machine.now(), self._ply
        left = limits.get(f"p{self._seat + 1}time", 0)
        self._ply += 1
        draw = draw_of(self._machine.seed, self.spec.name, self._game, ply)
        kind = self.kind if ply == 1 and errs(self._machine.seed, self.spec.name, self._game) else "honest"
        await trio.sleep(self._machine.pace * draw.uniform(0.001, 0.02))
        match kind:
            case "late":
                await trio.sleep(30 * self._machine.pace)
            case "just-late":
                most = limits.get("movetime", left)
                spent = (self._machine.now() - started) / 1e9
                await trio.sleep(max(0.0, (most + _JUST_LATE_MS) / 1000 - spent))
            case "hangs":
                await trio.sleep_forever()
            case "crashes":
                self._end("signal SIGSEGV")
                return
            case "floods":
                for _ in range(150):
                    self._say(_FLOOD)
                    await trio.lowlevel.checkpoint()
        answers = {"illegal": "z99", "no-move": "none", "resigns": "resign"}
        answer = answers.get(kind) or draw.choice(self._legal)
        if self.kind == "talks":
            self._say(b"info depth 3 score cp 12 nodes 1000\n")
        if self.kind == "lies":
            self._say(_LIES)
        now = self._machine.now()
        self._machine.thoughts.append(Thought(self._game, self._seat, started, now, ply, left))
        self._say(f"bestmove {answer}\n".encode())


async def start(machine: Machine, spec: EngineSpec) -> SimulatedEngine:
    """Start an engine, as `protocol.process.engine_process.EngineProcess.start` does."""
    await trio.lowlevel.checkpoint()
    if spec.command[1] == "absent":
        raise EngineStartError("cannot be started: no such program")
    return SimulatedEngine(machine, spec)
