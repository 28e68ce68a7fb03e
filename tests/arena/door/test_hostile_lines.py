"""Clients that cheat or attack by their lines: real servers, real WebSockets."""

from __future__ import annotations

import base64
import resource
import signal
import socket
import struct
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
import trio
import trio_websocket as ws

from arena.door.connect import open_line
from protocol.remote.line import DATA, PONG, Frame, Line
from tests.arena.door.test_remote import Hub, bearer, hub
from tests.arena.forked import forked
from tests.processes import wait_for

pytestmark = pytest.mark.system

CONTINUATION, TEXT, BINARY = 0, 1, 2
MASK = bytes(4)
SILENT_SECONDS = 0.1
ANSWERS = {b"ugi": b"protocol 1 legal\nugiok\n", b"isready": b"readyok\n"}


class Cheat:
    """A client that opens its line again, a thousand times, when a move is wanted."""

    def __init__(self, door: Hub, name: str) -> None:
        self.address = f"http://127.0.0.1:{door.port}"
        self.headers = bearer(door.links[name])
        self.game = Line()
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
        joined = False
        while True:
            data = await line.get_message()
            if data.startswith(b"back "):
                joined = True
                self.game.take(data)
                self.game.begin_again(PONG)
            elif not joined:
                await line.send_message(Frame(PONG).packed())
            elif self.game.take(data) is not None:
                self.game.send(Frame(PONG))
            for text in self.game.read().splitlines():
                self.game.say(DATA, ANSWERS.get(text.partition(b" ")[0], b""))
                self.thinks = self.thinks or text.startswith(b"go ")
            ends = joined and self.thinks and len(self.game.outbox) > 0  # the hub hears of the new line
            while joined and self.game.outbox:
                await line.send_message(self.game.outbox.popleft())
            if ends:
                return


def test_a_client_that_opens_its_line_again_and_again_gains_the_grace_and_no_more(tmp_path: Path) -> None:
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


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    """A door that several tests use."""
    with hub(tmp_path_factory.mktemp("served"), "ann") as door:
        yield door


def asking(door: Hub, stack: ExitStack, headers: str = "", early: bytes = b"") -> socket.socket:
    """Send a request for a WebSocket, and do not wait for the answer."""
    client = stack.enter_context(socket.create_connection(("127.0.0.1", door.port), 20))
    target = f"/door/connect?session={1:032}&files={'0' * 16}"
    request = f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    client.sendall(f"{request}Sec-WebSocket-Version: 13\r\n{headers}\r\n".encode() + early)
    return client


def key() -> str:
    return f"Sec-WebSocket-Key: {base64.b64encode(bytes(16)).decode()}\r\n"


def opened(door: Hub, stack: ExitStack, headers: str = "") -> tuple[socket.socket, str]:
    """Return a line of ann, and what the server has answered."""
    token = door.links["ann"].rpartition("/")[2]
    client = asking(door, stack, f"{key()}Authorization: Bearer {token}\r\n{headers}")
    return client, client.recv(4096).decode("latin-1")


def frame_head(kind: int, size: int, bits: int = 0x80) -> bytes:
    """Return the start of a frame that announces this many bytes; by default its message ends with it."""
    return struct.pack("!BBQ", bits | kind, 0x80 | 127, size) + MASK


def is_cut(client: socket.socket) -> bool:
    with suppress(ConnectionError):
        while client.recv(65_536):
            pass
    return True  # a timeout is raised


def status_of_page(door: Hub) -> int:
    try:
        return int(urllib.request.urlopen(f"http://127.0.0.1:{door.port}/door/", timeout=20).status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


@pytest.mark.parametrize("kind", [TEXT, BINARY])
@pytest.mark.parametrize("fragments", [1, 1000])
def test_a_message_without_end_is_cut_off_before_it_takes_memory(
    served: Hub, kind: int, fragments: int
) -> None:
    part = bytes(100_000)
    sent = 0
    with ExitStack() as stack:
        client, _ = opened(served, stack)
        with suppress(ConnectionError):
            if fragments == 1:
                client.sendall(frame_head(kind, 1000 * len(part)))
            for number in range(1000):
                if fragments > 1:
                    client.sendall(frame_head(CONTINUATION if number else kind, len(part), bits=0))
                client.sendall(part)
                sent += len(part)
    assert sent < 20_000_000  # what the buffers of the system take


def test_nothing_on_a_line_is_compressed(served: Hub) -> None:
    with ExitStack() as stack:
        client, answer = opened(served, stack, "Sec-WebSocket-Extensions: permessage-deflate\r\n")
        assert "permessage-deflate" not in answer
        client.sendall(frame_head(BINARY, 70_000, 0x80 | 0x40))
        assert is_cut(client)


@pytest.mark.parametrize(
    ("headers", "early"),
    [(key(), b"x" * 100), (key(), frame_head(BINARY, 100_000)), ("", b"")],
    ids=["with text", "with a frame", "without a key"],
)
def test_a_stranger_whose_request_is_none_of_a_bot_holds_no_socket_and_ends_no_server(
    served: Hub, headers: str, early: bytes
) -> None:
    with ExitStack() as stack:
        strangers = [asking(served, stack, headers, early) for _ in range(50)]
        assert all(map(is_cut, strangers))
    assert status_of_page(served) == 401
    assert served.pages.returncode is None


def test_a_question_for_the_head_of_a_stream_ends_even_if_more_follows_it(served: Hub) -> None:
    with ExitStack() as stack:
        client = stack.enter_context(socket.create_connection(("127.0.0.1", served.port), 20))
        client.sendall(b"HEAD /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" + b"no request\r\n" * 10)
        client.shutdown(socket.SHUT_WR)
        assert is_cut(client)


def test_with_few_descriptors_the_pages_answer_although_a_participant_opens_many_lines(
    tmp_path: Path,
) -> None:
    with hub(tmp_path, "ann", limits={resource.RLIMIT_NOFILE: 220}) as door, ExitStack() as stack:
        lines = [opened(door, stack) for _ in range(250)]
        assert {answer.split(" ")[1] for _, answer in lines} == {"101", "429"}
        assert status_of_page(door) == 401
        assert all(is_cut(client) for client, _ in lines[:-10])  # though no client closes its line
        assert door.pages.returncode is None
