"""Measure what viewers of a running tournament see, and what they cost the server.

A made-up run tells its moves on a socket, as a real run does. A process of `arena serve` serves them, and
many clients read the events of the tournament. The benchmark measures the time from a move to each client,
and the processor time and the memory of the server. Browsers read in the same way, but they also draw.

    .venv/bin/python benchmarks/viewers.py [--viewers 200] [--moves 50] [--games 10] [--seconds 30] [--large]

With ``--large`` the same viewers then also ask each second for what is beside a large board, as a page does
that shows one or two games. The last line says what that costs in relation to the events alone.

The target: 95 of 100 moves below 300 ms, the server below 30 % of one processor, and flat memory. The
measured time does not include the wait in the referee, which tells arena its moves four times a second.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from random import Random, random

import psutil  # type: ignore[import-untyped]  # it ships no types
import trio

from arena.events import GameBegan, GameEnded, LiveGame, Moved
from arena.model import GameResult, Opening, Pairing, PlayerRecord
from arena.run.feed import LiveFeed, open_feed
from arena.store import Store
from arena.web.links import Links, tournament_id
from referee import Termination
from referee import game as find_game
from referee.follower import Follower
from referee.match.job import RunningGame
from referee.ply import Ply

PORT = 8399


class Game:
    """A game of random moves that begins again when it is over."""

    def __init__(self, number: int, game_id: str) -> None:
        names = f"white-{number}", f"black-{number}"
        self.pairing = Pairing(number, f"{game_id}:{number}", game_id, names, Opening())
        self._rules = find_game(game_id)
        self._rng = Random(number)
        self._follower = Follower(self._rules.start(), 2)
        self.plies: list[Ply] = []

    @property
    def over(self) -> bool:
        """Whether the game ends here."""
        position = self._follower.position
        return position.outcome() is not None or not any(position.legal_moves()) or len(self.plies) > 60

    def end(self) -> GameEnded:
        """Begin again, and return what a run tells of the end."""
        game, plies = self.pairing, tuple(self.plies)
        players = tuple(
            PlayerRecord(name, "1", rank, 2.0 - rank, None, "60+0", 0, 1)
            for rank, name in enumerate(game.seats, 1)
        )
        result = GameResult(
            None,
            "many",
            game.number,
            game.key,
            game.game,
            Termination.NORMAL,
            "goal",
            "",
            len(plies),
            players,
        )
        self._follower, self.plies = Follower(self._rules.start(), 2), []
        return GameEnded(result, plies, (60_000, 60_000))

    def move(self) -> RunningGame:
        """Play a random move and return what a referee tells of it."""
        position = self._follower.position
        moves = list(position.legal_moves())
        first = len(self.plies)
        text = str(self._rng.choice(moves))
        self.plies.append(Ply(position.turn, text, 10_000_000, "cp 12", 8))
        self._follower.follow(text)
        turn, plies = self._follower.position.turn, tuple(self.plies[first:])
        return RunningGame(self.pairing.key, len(self.plies), turn, (60_000, 60_000), first, plies)


async def tell(feed: LiveFeed, games: list[Game], moves_a_second: int) -> None:
    """Tell moves, as arena does, a few times a second."""
    for slot, game in enumerate(games):
        feed.observe(GameBegan(LiveGame(game.pairing, slot=slot)))
    pause = 0.1
    turn = 0
    while True:
        changed: dict[str, RunningGame] = {}
        for _ in range(round(moves_a_second * pause)):
            slot = turn % len(games)
            game = games[slot]
            if game.over:
                changed.pop(game.pairing.key, None)
                feed.observe(game.end())
                feed.observe(GameBegan(LiveGame(game.pairing, slot=slot)))
            changed[game.pairing.key] = game.move()
            turn += 1
        feed.observe(Moved(changed, time.time()))
        await trio.sleep(pause)


async def view(events: str, delays: list[float], sizes: list[int]) -> None:
    """Read the events as a browser does, and note how old each move is."""
    stream = await trio.open_tcp_stream("127.0.0.1", PORT)
    await stream.send_all(f"GET {events} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
    rest = b""
    async for chunk in stream:
        sizes.append(len(chunk))
        *parts, rest = (rest + chunk).split(b"\n\n")
        now = time.time()
        for event in parts:
            if b"event: moved" in event:
                seen = event.rpartition(b'"seen":')[2].partition(b",")[0]
                delays.append(now - float(seen))


async def look(address: str, waits: list[float]) -> None:
    """Ask each second for what is beside a large board, and note how long each answer takes."""
    headers = "Host: 127.0.0.1\r\nAccept-Encoding: gzip"
    asked = f"GET {address}?watch HTTP/1.1\r\n{headers}\r\n\r\n".encode()
    await trio.sleep(random())
    while True:
        with suppress(trio.BrokenResourceError):  # a busy server closes connections; browsers open others
            async with await trio.open_tcp_stream("127.0.0.1", PORT) as stream:
                while True:
                    began = time.monotonic()
                    await stream.send_all(asked)
                    head, body = b"", b""
                    while b"\r\n\r\n" not in head and (more := await stream.receive_some()):
                        head += more
                    head, _, body = head.partition(b"\r\n\r\n")
                    size = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0] or 0)
                    while len(body) < size and (more := await stream.receive_some()):
                        body += more
                    if not head.startswith(b"HTTP/1.1 200") or len(body) < size:
                        break
                    waits.append(time.monotonic() - began)
                    await trio.sleep(max(began + 1 - time.monotonic(), 0))


async def measure(args: argparse.Namespace, folder: Path) -> float:
    """Run everything, print the figures, and return the server's share of a processor."""
    database = folder / "arena.db"
    with_store = Store.open(database, create=True)
    begun = with_store.begin_tournament("many", {})
    with_store.close()
    links = Links(tournament_id(begun.name, begun.created))
    events = links.events()
    command = [sys.executable, "-m", "arena", "serve", str(database), "--port", str(PORT)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:  # noqa: ASYNC220 - it may block here
        assert server.stdout is not None
        if not server.stdout.readline():
            sys.exit(f"error: the server did not start; is port {PORT} in use?")
        process = psutil.Process(server.pid)
        delays: list[float] = []
        sizes: list[int] = []
        waits: list[float] = []
        cpus: list[float] = []

        async def watch(watched: bool) -> None:
            pass

        try:
            async with open_feed("many", database.resolve(), watch) as feed, trio.open_nursery() as nursery:
                games = [Game(number, args.game) for number in range(args.games)]
                nursery.start_soon(tell, feed, games, args.moves)
                await trio.sleep(3)
                for _ in range(args.viewers):
                    nursery.start_soon(view, events, delays, sizes)
                await trio.sleep(3)
                for turn in range(6 if args.large else 3):
                    if turn == 3:
                        for number in range(args.viewers):
                            address = links.running(number % args.games)
                            nursery.start_soon(look, address, waits)
                        await trio.sleep(3)
                        waits.clear()
                    delays.clear()
                    sizes.clear()
                    before, began = sum(process.cpu_times()[:2]), time.monotonic()
                    await trio.sleep(args.seconds / 3)
                    took = time.monotonic() - began
                    cpus.append((sum(process.cpu_times()[:2]) - before) / took)
                    cuts = statistics.quantiles(delays, n=100) if len(delays) > 1 else [float("nan")] * 99
                    memory, traffic = process.memory_info().rss / 2**20, sum(sizes) / took / 2**20
                    shares = ", ".join(f"p{share} {1000 * cuts[share - 1]:.0f} ms" for share in (50, 95, 99))
                    print(
                        f"{turn + 1}: {len(delays) / took:.0f} moves seen a second, {shares};"
                        f" server {cpus[-1]:.0%} of a processor, {memory:.0f} MiB, {traffic:.1f} MiB/s",
                        file=sys.stderr,
                    )
                nursery.cancel_scope.cancel()
            if args.large:
                cuts = statistics.quantiles(waits, n=100)
                times = sum(cpus[3:]) / sum(cpus[:3])
                print(
                    f"large page: {len(waits)} answers, p50 {1000 * cuts[49]:.0f} ms,"
                    f" p95 {1000 * cuts[94]:.0f} ms; {times:.2f} times the processor time of the events alone"
                )
            return cpus[-1]
        finally:
            server.terminate()


def main() -> None:
    """Parse the command line and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--viewers", type=int, default=200)
    parser.add_argument("--moves", type=int, default=50, help="moves a second")
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--game", default="quoridor")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--large", action="store_true", help="also the page of one or two games")
    with tempfile.TemporaryDirectory() as folder:
        trio.run(measure, parser.parse_args(), Path(folder))


if __name__ == "__main__":
    main()
