"""Clients that cheat or attack by their lines: real servers, real WebSockets."""

from __future__ import annotations

import signal
from pathlib import Path

import trio
import trio_websocket as ws

from arena.door.connect import open_line
from protocol.remote.line import DATA, PONG, Frame, Line
from tests.arena.door.test_remote import Hub, bearer, hub
from tests.arena.forked import forked
from tests.processes import wait_for

SILENT_SECONDS = 0.1
ANSWERS = {b"ugi": b"protocol 1 legal\nugiok\n", b"isready": b"readyok\n"}


class Cheat:
    """A client that opens its line anew, a thousand times, when a move is wanted."""

    def __init__(self, door: Hub, name: str) -> None:
        self.address = f"http://127.0.0.1:{door.port}"
        self.headers = bearer(door.links[name])
        self.game = Line(echoes=True)
        self.opened = 0
        self.thinks = False

    async def play(
        self, nursery: trio.Nursery, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
    ) -> None:
        """Play over one line until the next one is open: so the server knows of no gap before."""
        target = f"/door/connect?session={1:032}&files={'0' * 16}&{'again' if self.thinks else 'first'}=1"
        async with open_line(self.address, target, self.headers) as line:
            task_status.started()
            try:
                await self.talk(line)
            except ws.ConnectionClosed:
                return
            await trio.sleep(SILENT_SECONDS)
            self.opened += 1
            if self.opened < 1000:
                await nursery.start(self.play, nursery)

    async def talk(self, line: ws.WebSocketConnection) -> None:
        """Do what is wanted, but a move."""
        while True:
            data = await line.get_message()
            if data.startswith(b"back "):
                self.game.again()
            elif data.startswith(b"data ") or self.game.sent:
                self.game.take(data)
            else:
                await line.send_message(Frame(PONG).packed())
            while (frame := self.game.use()) is not None:
                for said in frame.payload.splitlines():
                    self.game.put(DATA, ANSWERS.get(said.partition(b" ")[0], b""))
                    self.thinks = self.thinks or said.startswith(b"go ")
            ends = self.thinks and len(self.game.outbox) > 0  # the hub hears of the new line
            while self.game.outbox:
                await line.send_message(self.game.outbox.popleft())
            if ends:
                return


def test_a_client_that_opens_its_line_anew_all_the_time_gains_the_grace_and_no_more(tmp_path: Path) -> None:
    async def play() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(bot.play, nursery)

    with hub(tmp_path, "ann", door='bots = "remote"\nremote.grace = 1') as door:
        bot = Cheat(door, "ann")
        with forked("run", door.file, "--quiet", cwd=tmp_path) as run:
            trio.run(play)
            wait_for(lambda: len(door.against("ann")) > 0, run.stderr)
            run.send_signal(signal.SIGINT)
            run.wait(60)
        result = door.against("ann")[0].result
    assert result.reason == "gone", result.detail
    assert bot.opened * SILENT_SECONDS < 1.5
