"""The transport over a line, with a server of the test: lag, gaps, deadlines, and the reason of an end."""

from __future__ import annotations

import time
import tracemalloc
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from signal import SIGKILL
from types import SimpleNamespace

import pytest
import trio

from protocol.errors import EngineAbsent, EngineCrashed, EngineFlooded, EngineGone, EngineTimedOut, HubFault
from protocol.hub.client import EngineClient
from protocol.hub.search import SearchRequest, SearchResult
from protocol.remote import engine as module
from protocol.remote.engine import RemoteEngine
from protocol.remote.line import (
    BACK,
    DATA,
    GONE,
    LARGEST_PAYLOAD,
    PING,
    PONG,
    Frame,
    Line,
    packed_frames,
    send_packed,
    unpacked,
)
from protocol.spec import EngineSpec, Remote
from protocol.wire import messages as m

MS = 1_000_000
TURN = SearchRequest(None, (), lambda: None, lambda: "fen", lambda: ["e2"])
GO = m.Go(movetime=50)
BOT = {b"ugi": b"id name far\nugiok\n", b"isready": b"readyok\n", b"go": b"bestmove e2\n"}


_CLOSED = (trio.BrokenResourceError, trio.ClosedResourceError)


class Far:
    """The server, and a bot behind it, whose answers take some seconds on their way back."""

    def __init__(self, folder: Path, lag: float = 0.0, answers: dict[bytes, bytes] = BOT) -> None:
        self.path = folder / "s"
        self.lag = lag
        self.answers = answers
        self.wanted: list[str] = []
        self.line = Line()
        self.stream: trio.SocketStream | None = None
        self.sending = trio.Lock()
        self.deaf = self.away = False
        self.rest = b""

    async def serve(self, task_status: trio.TaskStatus[None]) -> None:
        listener = trio.socket.socket(trio.socket.AF_UNIX)
        self.path.unlink(missing_ok=True)
        await listener.bind(str(self.path))
        listener.listen()
        async with trio.open_nursery() as nursery:
            task_status.started()
            await trio.serve_listeners(self.handle, [trio.SocketListener(listener)], handler_nursery=nursery)

    async def handle(self, stream: trio.SocketStream) -> None:
        frames = packed_frames(stream)
        self.wanted.append(unpacked(await anext(frames)).payload.decode())
        self.stream = stream
        await self.back()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.send)
            with suppress(*_CLOSED):
                async for data in frames:
                    if not self.deaf:
                        self.hear(data)
            nursery.cancel_scope.cancel()

    async def tell(self, frame: Frame) -> None:
        await self.pass_on(frame.packed())

    async def pass_on(self, data: bytes) -> None:
        assert self.stream is not None
        with suppress(*_CLOSED):
            async with self.sending:
                await send_packed(self.stream, data)

    async def back(self) -> None:
        if not self.away:
            await self.tell(Frame(BACK, payload=b"session"))

    async def send(self) -> None:
        due: deque[tuple[float, bytes]] = deque()
        async with trio.open_nursery() as nursery:

            async def delay() -> None:
                while True:
                    data = await self.line.next_out()
                    due.append((trio.current_time() + self.lag, data))
                    self.line.changed.unpark_all()

            nursery.start_soon(delay)
            while True:
                while not due:
                    await self.line.changed.park()
                at, data = due.popleft()
                await trio.sleep_until(at)
                if not self.deaf:
                    await self.pass_on(data)

    def hear(self, data: bytes) -> None:
        frame = self.line.take(data)
        if data.startswith(b"back "):
            self.line.begin_again(PONG)
        elif frame is not None:
            self.line.send(Frame(PONG))
        *lines, self.rest = (self.rest + self.line.read()).split(b"\n")
        for line in lines:
            self.line.say(DATA, self.answers.get(line.split(b" ")[0], b""))


@asynccontextmanager
async def playing(far: Far, *, lag: int = 500, grace: int = 30) -> AsyncIterator[EngineClient]:
    """A client of the bot, after its handshake."""
    spec = EngineSpec("far", ("remote:far",), remote=Remote(str(far.path), "far", lag, grace))
    async with trio.open_nursery() as nursery:
        await nursery.start(far.serve)
        client = EngineClient(spec, RemoteEngine(spec))
        nursery.start_soon(client.supervise)
        await client.handshake("quoridor")
        await client.new_game(())
        yield client
        client.kill_soon(nursery)
        nursery.cancel_scope.cancel()


def used_ms(result: SearchResult) -> float:
    return (result.ended - result.started) / MS


async def test_a_move_gets_the_lag_of_its_line_back_but_no_more_than_the_bound(tmp_path: Path) -> None:
    far = Far(tmp_path, lag=0.2)
    async with playing(far, lag=10_000) as client:
        assert used_ms(await client.think(TURN, GO, 5000 * MS)) < 100
    async with playing(Far(tmp_path, lag=0.2), lag=50) as client:
        assert used_ms(await client.think(TURN, GO, 5000 * MS)) > 120
        with pytest.raises(EngineTimedOut):
            await client.think(TURN, GO, 50 * MS)


async def test_the_clock_stops_while_the_line_is_gone_and_the_move_is_sent_again(tmp_path: Path) -> None:
    far = Far(tmp_path)
    async with playing(far) as client, trio.open_nursery() as nursery:

        async def break_twice() -> None:
            for _ in range(2):
                await far.tell(Frame(GONE))
                await trio.sleep(0.4)
                await far.back()
                await trio.sleep(0.1)
            far.deaf = False
            await far.back()

        far.deaf = True
        nursery.start_soon(break_twice)
        start = time.monotonic()
        result = await client.think(TURN, GO, 400 * MS)
        assert result.move == "e2"
        assert time.monotonic() - start > 0.9
        assert used_ms(result) < 400


@pytest.mark.parametrize("came", [True, False])
async def test_a_line_that_is_gone_for_longer_than_the_grace_is_named_as_the_reason(
    tmp_path: Path, came: bool
) -> None:
    far = Far(tmp_path)
    far.deaf = not came
    with pytest.RaisesGroup(pytest.RaisesExc(EngineGone, match="not connected for 1 s in this game")):
        async with playing(far, grace=1) as client:
            far.deaf = True
            await far.tell(Frame(GONE))
            await client.think(TURN, GO, 100 * MS)


class Cheat:
    """A machine that answers, and opens its line again, when the test wants it, on a clock of the test."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, lag: int, grace: int) -> None:
        self.now = 0
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic_ns=lambda: self.now))
        remote = Remote("no socket", "far", lag, grace)
        self.engine = RemoteEngine(EngineSpec("far", ("remote:far",), remote=remote))
        self.opens_again()

    def answers(self, after_ms: int, frame: Frame) -> None:
        self.now += after_ms * MS
        self.engine._take(frame.packed())

    def opens_again(self, after_ms: int = 0) -> None:
        """The server learns of the gap after the silence; the gap starts with the silence."""
        self.now += after_ms * MS
        self.engine._take(Frame(GONE).packed())
        self.engine._take(Frame(BACK, payload=b"session").packed())
        self.answers(0, Frame(PONG))

    def moves(self, *gaps_ms: int) -> float:
        """Think during these gaps, and return how many milliseconds of them the clock does not count."""
        self.engine.write_now(b"go\n")
        start, number = self.now, self.engine._line._sent
        for gap in gaps_ms:
            self.opens_again(gap)
        self.answers(0, Frame(PONG, got=number))
        assert self.engine.excused() <= self.now - start
        return self.engine.excused() / MS


async def test_what_a_bot_gains_by_a_thousand_short_gaps_is_the_grace_and_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bot = Cheat(monkeypatch, lag=0, grace=60)
    moves = [bot.moves(*[60] * (gaps % 4)) for gaps in range(667)]
    assert (sum(moves), bot.engine.exit_text) == (999 * 60, "")
    assert bot.moves(60) == 60
    assert not bot.engine.exit_text
    bot.moves(60)
    assert isinstance(bot.engine.shortage(greeted=True), EngineGone)


async def test_the_last_gap_gives_no_more_than_what_is_left_of_the_grace(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bot = Cheat(monkeypatch, lag=0, grace=5)
    assert bot.moves(1900, 1900) == 3800
    bot.engine.write_now(b"go\n")
    bot.opens_again(after_ms=1900)
    bot.answers(0, Frame(DATA, 1, payload=b"bestmove e2\n"))
    assert bot.engine.read_soon(0) is None  # the answer comes too late to count
    assert await bot.engine.read() == b""
    assert isinstance(bot.engine.shortage(greeted=True), EngineGone)


async def test_a_gap_before_a_move_is_not_given_to_the_move(monkeypatch: pytest.MonkeyPatch) -> None:
    bot = Cheat(monkeypatch, lag=0, grace=30)
    bot.now += 1000 * MS  # the bot is silent while its opponent thinks, too
    assert bot.moves(500) == 500
    assert bot.moves() == 0


async def test_a_machine_that_delays_all_it_says_gains_the_lag_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    bot = Cheat(monkeypatch, lag=500, grace=5)
    for _ in range(100):
        bot.engine.write_now(b"go\n")
        number = bot.engine._line._sent
        bot.answers(1900, Frame(PONG, got=number))
        bot.answers(1900, Frame(PONG, got=number))
        assert bot.engine.excused() == 500 * MS


async def test_a_bot_that_is_away_when_its_game_should_start_loses_nothing(tmp_path: Path) -> None:
    far = Far(tmp_path)
    far.away = far.deaf = True
    with pytest.RaisesGroup(pytest.RaisesExc(EngineAbsent, match="it was away: it did not come within 1 s")):
        async with playing(far, grace=1):
            pass


async def test_a_silent_line_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_QUIET_SECONDS", 0.5)
    far = Far(tmp_path)
    with pytest.RaisesGroup(pytest.RaisesExc(EngineGone, match="not connected for 1 s")):
        async with playing(far, grace=1) as client:
            far.deaf = True
            await client.think(TURN, GO, 10_000 * MS)


async def test_without_its_server_a_game_is_void_and_no_bots_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert module._UNREACHED_SECONDS == 60
    monkeypatch.setattr(module, "_UNREACHED_SECONDS", 1.9)  # longer than the grace
    spec = EngineSpec("far", ("remote:far",), remote=Remote(str(tmp_path / "s"), "far", 1, 1))
    client = EngineClient(spec, RemoteEngine(spec))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(client.supervise)
        with pytest.raises(HubFault, match="pages of the door"):
            await client.handshake("quoridor")
        client.kill_soon(nursery)


async def test_a_machine_that_breaks_the_rules_of_its_line_loses(monkeypatch: pytest.MonkeyPatch) -> None:
    for frame in (Frame(DATA, 7), Frame(PONG, 1), Frame(PONG, got=1), Frame(PING), Frame("x")):
        bot = Cheat(monkeypatch, lag=0, grace=5)
        bot.answers(0, frame)
        assert isinstance(fault := bot.engine.shortage(greeted=True), EngineCrashed)
        assert "does not keep to the rules of its line" in str(fault)


@pytest.mark.parametrize("size", [100, LARGEST_PAYLOAD])
async def test_what_nobody_reads_takes_less_than_two_megabytes_and_is_a_flood(
    monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    bot = Cheat(monkeypatch, lag=0, grace=5)
    tracemalloc.start()
    try:
        for number in range(1, 2**20 // size):
            bot.answers(0, Frame(DATA, number, payload=bytes(size)))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 2_000_000
    assert isinstance(bot.engine.shortage(greeted=True), EngineFlooded)


async def test_a_killed_engine_ends_its_line(tmp_path: Path) -> None:
    far = Far(tmp_path)
    async with playing(far) as client:
        engine: RemoteEngine = client._transport  # type: ignore[assignment]  # this is what the test made
        engine.signal_group(SIGKILL)
        assert not client.alive
        with trio.fail_after(5):
            await engine.wait_exit()
        with pytest.raises(BrokenPipeError):
            engine.write_now(b"quit\n")
