"""Measure how long people wait for the server when many of them play an engine in Python at once.

Each person is a client of the API of `arena serve`, and does what the page does: it reads the events of its
game, asks for the legal moves, thinks, sends a move, and waits for the answer. The engine is the sample
engine greedy-py, which tells how long it took. The benchmark measures the time from sending a move until the
person can move again, minus the engine's own time. It also measures the processor time of the server and its
referee, and their memory.

    .venv/bin/python benchmarks/people.py [--people 100] [--think 10] [--seconds 60]

The target: nobody waits longer than 100 ms beyond the engine's time.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import psutil  # type: ignore[import-untyped]  # it ships no types
import trio

ENGINE = Path(__file__).parent / "timed_engine.py"
LONGEST = 0.1
"""The target, in seconds."""
IDLE_SECONDS = 3.0
"""The server closes a connection that was idle for five seconds."""


@dataclass
class Figures:
    """What was measured: times in seconds.

    Attributes:
        measuring: whether moves count now.
        waits: from sending a move to the next turn, minus the engine's own time.
        thought: the engine's own times.
        choices: from asking for the legal moves to their arrival.
        pings: the way of a byte to another process and back.
    """

    measuring: bool = False
    waits: list[float] = field(default_factory=list)
    thought: list[float] = field(default_factory=list)
    choices: list[float] = field(default_factory=list)
    pings: list[float] = field(default_factory=list)


class Client:
    """Asks a server on a connection that stays open for a while, as that of a browser does.

    Args:
        port: the server's.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self._stream: trio.SocketStream | None = None
        self._used = 0.0

    async def ask(self, path: str, wish: dict[str, Any] | None = None) -> Any:  # noqa: ANN401 - any JSON
        """Return the JSON at an address; with a wish, by POST."""
        if self._stream is not None and time.monotonic() - self._used > IDLE_SECONDS:
            await self._stream.aclose()
            self._stream = None
        if self._stream is None:
            self._stream = await trio.open_tcp_stream("127.0.0.1", self._port)
        body = b"" if wish is None else msgspec.json.encode(wish)
        head = f"{'GET' if wish is None else 'POST'} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        await self._stream.send_all(head.encode() + body)
        data = b""
        while b"\r\n\r\n" not in data:
            data += await self._more()
        found, _, data = data.partition(b"\r\n\r\n")
        length = int(found.lower().partition(b"content-length:")[2].split()[0])
        while len(data) < length:
            data += await self._more()
        self._used = time.monotonic()
        assert found.split()[1] in (b"200", b"201"), (path, found, data)
        return msgspec.json.decode(data)

    async def _more(self) -> bytes:
        assert self._stream is not None
        data = await self._stream.receive_some(65_536)
        assert data, "the server closed the connection"
        return bytes(data)


class Person:
    """Somebody who plays one game after another.

    Args:
        port: the server's.
        number: of the person.
        think: the seconds between two moves, on average.
        figures: take what is measured.
    """

    def __init__(self, port: int, number: int, think: float, figures: Figures) -> None:
        self._port = port
        self._client = Client(port)
        self._random = random.Random(number)
        self._think = think
        self._figures = figures

    async def play(self, task_status: trio.TaskStatus[None]) -> None:
        """Play games, until this is cancelled."""
        for number in count():
            wish = {"game": "quoridor", "seats": [None, "greedy"]}
            game = f"/api/play/games/{(await self._client.ask('/api/play/games', wish))['id']}"
            stream = await trio.open_tcp_stream("127.0.0.1", self._port)
            await stream.send_all(f"GET {game}/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
            states = _states(stream)
            state = await _turn(states)
            if number == 0:
                task_status.started()
            while state["status"] == "yours":
                state = await self._move(game, state, states)
            await states.aclose()
            await stream.aclose()

    async def _move(self, game: str, state: Any, states: Any) -> Any:  # noqa: ANN401 - JSON, and its source
        """Make a move, and return the state when it is the person's turn again."""
        began = time.monotonic()
        ways = (await self._client.ask(f"{game}/moves"))["ways"]
        choice = time.monotonic() - began
        await trio.sleep(self._think * self._random.uniform(0.5, 1.5))
        began = time.monotonic()
        await self._client.ask(f"{game}/move", {"move": self._random.choice(ways)[0], "ply": state["ply"]})
        state = await _turn(states)
        waited = time.monotonic() - began
        if self._figures.measuring and state["status"] == "yours":
            thought = float(state["moves"][-1]["score"]) / 1e4  # 100 microseconds are shown as 1.00
            self._figures.waits.append(waited - thought)
            self._figures.thought.append(thought)
            self._figures.choices.append(choice)
        return state


async def _states(stream: trio.SocketStream) -> Any:  # noqa: ANN401 - an async generator of JSON
    """Yield each state of a game, as events bring them."""
    rest = b""
    async for chunk in stream:
        *events, rest = (rest + chunk).split(b"\n\n")
        for event in events:
            if b"event: state" in event:
                yield msgspec.json.decode(event.rpartition(b"data: ")[2])


async def _turn(states: Any) -> Any:  # noqa: ANN401 - as above
    """Return the first state in which a person must do something."""
    async for state in states:
        if state["status"] in ("yours", "over"):
            return state
    raise AssertionError("the stream of a game ended")


async def _ping(figures: Figures) -> None:
    """Send a byte to another process and back, twenty times a second: a yardstick for a busy machine."""
    cat = await trio.lowlevel.open_process(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert cat.stdin is not None
    assert cat.stdout is not None
    async with cat.stdin, cat.stdout:  # it ends with its input
        while True:
            began = time.monotonic()
            await cat.stdin.send_all(b"x")
            await cat.stdout.receive_some(1)
            if figures.measuring:
                figures.pings.append(time.monotonic() - began)
            await trio.sleep(0.05)


def _shares(name: str, values: list[float]) -> str:
    cuts = statistics.quantiles(values, n=100, method="inclusive")
    times = (cuts[49], cuts[94], cuts[98], max(values))
    return f"{name:<34}" + "".join(f"{1000 * one:9.1f}" for one in times) + f"{len(values):8}"


async def measure(args: argparse.Namespace, server: psutil.Process, port: int) -> None:
    """Let people play, and print the figures."""
    figures = Figures()
    async with trio.open_nursery() as nursery:
        began = time.monotonic()
        for number in range(args.people):  # one after another: each starts an engine
            await nursery.start(Person(port, number, args.think, figures).play)
        took = time.monotonic() - began
        print(f"{args.people} games began within {took:.0f} s; each person moves after some {args.think:g} s")
        nursery.start_soon(_ping, figures)
        await trio.sleep(args.think)
        (referee,) = server.children()
        parts = {"server": server, "referee": referee}
        before = {name: sum(part.cpu_times()[:2]) for name, part in parts.items()}
        memory = {name: part.memory_info().rss for name, part in parts.items()}
        gc.disable()  # its pauses would count as waits
        figures.measuring, began = True, time.monotonic()
        await trio.sleep(args.seconds)
        took = time.monotonic() - began
        load = os.getloadavg()[0]
        print(f"{'ms':<34}{'p50':>9}{'p95':>9}{'p99':>9}{'max':>9}{'moves':>8}")
        print(_shares("wait beyond the engine's own time", figures.waits))
        print(_shares("the engine's own time", figures.thought))
        print(_shares("legal moves", figures.choices))
        print(_shares("a byte to `cat` and back", figures.pings))
        late = sum(wait > LONGEST for wait in figures.waits) / len(figures.waits)
        print(f"longer than {1000 * LONGEST:.0f} ms: {late:.1%} of the waits")
        for name, part in parts.items():
            share = (sum(part.cpu_times()[:2]) - before[name]) / took
            sizes = " to ".join(f"{size / 2**20:.0f}" for size in (memory[name], part.memory_info().rss))
            print(f"{name}: {share:.0%} of a processor, {sizes} MiB")
        print(f"load of the machine: {load:.1f}, {len(os.sched_getaffinity(0))} processors")
        nursery.cancel_scope.cancel()


def main() -> None:
    """Parse the command line and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=100)
    parser.add_argument("--think", type=float, default=10, help="seconds of a person for a move, on average")
    parser.add_argument("--seconds", type=float, default=60)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "people.toml")
        file.write_text(
            'name = "people"\ngame = "quoridor"\ntime_control = "600+10"\n'
            + "".join(
                f'[[engines]]\nname = "{name}"\ncommand = ["{sys.executable}", "{ENGINE}"]\n'
                for name in ("greedy", "other")  # a tournament has two engines
            )
        )
        command = [sys.executable, "-m", "arena", "serve", "--engines", str(file), "--port", "0"]
        command += ["--most-games", str(min(1000, 2 * args.people))]
        with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=folder, text=True) as server:
            assert server.stdout is not None
            try:
                port = int(server.stdout.readline().rpartition(":")[2])
                trio.run(measure, args, psutil.Process(server.pid), port)
            finally:
                server.terminate()


if __name__ == "__main__":
    main()
