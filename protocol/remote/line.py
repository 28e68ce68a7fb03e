"""One end of a line that may break: what it sends is numbered, and kept until the other end has used it.

A *frame* is one message of a WebSocket: a header of three words, LF, and bytes. The header is ``KIND NUMBER
GOT``. GOT is the last number that the sender has used of what it got. So after a break each end sends again
what it has kept, and drops what it has already. At most `WINDOW` bytes are under way in each direction, so an
end that does not read takes no memory of the other end, or of the server between them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator
from typing import Final, NamedTuple

import trio

from protocol.errors import RemoteProtocolError

DATA, ERROR, EXIT = "data", "error", "exit"
"""Numbered: standard input or output, standard error, and how the engine's process has ended."""

PING, PONG, GOT = "ping", "pong", "got"
"""Of one moment: a ping, the answer to it or to the number of a frame, and a GOT without anything else."""

BACK, GONE, TAKE = "back", "gone", "take"
"""Between the server and the referee: the line is there, or not; and whose line the referee wants."""

WINDOW: Final = 1 << 18
MOST: Final = 1 << 14
"""The most bytes in one frame, without its header."""

PING_SECONDS: Final = 2.0
SILENT_SECONDS: Final = 8.0
"""A line is gone when nothing has come for so long."""

OVER: Final = 1000
"""The code with which a WebSocket is closed when its game is over. Any other end is a break."""

REFUSES: Final = "x-arena-refuses"
"""The header of an answer by which the door itself keeps a bot out. Any other refusal may pass."""

LARGEST_MESSAGE: Final = 2 * MOST
"""The most bytes in a message of a WebSocket: more than a frame with its header."""

_HEADER: Final = 64  # about what a frame takes besides its bytes
_LENGTH: Final = 4
_CHUNK: Final = 65_536


class Frame(NamedTuple):
    """A frame; the number is 0 if it has none."""

    kind: str
    number: int = 0
    got: int = 0
    payload: bytes = b""

    @property
    def size(self) -> int:
        """What it takes of the window."""
        return len(self.payload) + _HEADER

    def packed(self) -> bytes:
        """Return its bytes."""
        return b"%s %d %d\n%s" % (self.kind.encode(), self.number, self.got, self.payload)


def unpacked(data: bytes) -> Frame:
    """Parse a frame, or raise RemoteProtocolError."""
    header, _, payload = data.partition(b"\n")
    words = header[: 2 * _HEADER].split(b" ")
    if len(words) != 3 or not (words[1].isdigit() and words[2].isdigit()) or len(payload) > MOST:
        raise RemoteProtocolError("a message is no frame")
    return Frame(words[0].decode("ascii", "replace"), int(words[1]), int(words[2]), payload)


class Line:
    """One end. ``echoes``: it answers pings and numbered frames at once, so that the other end knows the lag.

    `outbox` has the frames to send. Who waits for something parks in `changed`.
    """

    def __init__(self, *, echoes: bool = False) -> None:
        self.outbox: deque[bytes] = deque()
        self.changed = trio.lowlevel.ParkingLot()
        self.sent = 0
        self._echoes = echoes
        self._kept: deque[Frame] = deque()
        self._room = WINDOW
        self._allowed = 0  # how many frames may come that bring nothing new
        self._received = self._got = 0
        self._unused: deque[Frame] = deque()
        self._unused_size = self._untold = 0

    @property
    def room(self) -> int:
        """How many bytes the next frame may have."""
        return min(self._room - _HEADER, MOST)

    def put(self, kind: str, data: bytes) -> int:
        """Send as many bytes as may be under way, in numbered frames, and return their number."""
        count = 0
        while count < len(data) and (room := self.room) > 0:
            self.sent += 1
            frame = Frame(kind, self.sent, 0, data[count : count + room])
            count += len(frame.payload)
            self._kept.append(frame)
            self._room -= frame.size
            self._send(frame)
        return count

    def ping(self) -> None:
        """Ask for an answer."""
        self._send(Frame(PING))

    def again(self) -> None:
        """Send all that the other end may lack, after a break."""
        self.outbox.clear()
        self.expect_again()
        for frame in self._kept:
            self._send(frame)

    def expect_again(self) -> None:
        """Take what the other end sends again, after a break."""
        self._allowed = WINDOW // _HEADER

    def _send(self, frame: Frame) -> None:
        self.outbox.append(frame._replace(got=self._got).packed())
        self._untold = 0
        self._allowed += 1
        self.changed.unpark_all()

    def take(self, data: bytes) -> Frame:
        """Receive a frame, and return it; RemoteProtocolError: the other end does not keep to the rules."""
        frame = unpacked(data)
        if frame.got > self.sent or frame.number > max(self.sent, self._received + 1):
            raise RemoteProtocolError("a number is too high")
        had = self._room
        while self._kept and self._kept[0].number <= frame.got:
            self._room += self._kept.popleft().size
        news = self._room > had
        if frame.kind in (DATA, ERROR, EXIT):
            news = self._receive(frame) or news
        elif frame.kind == PING and self._echoes:
            self._send(Frame(PONG))
        elif frame.kind not in (PONG, GOT):
            raise RemoteProtocolError(f"a frame {frame.kind[:20]!a} has no place here")
        self._allowed -= not news
        if self._allowed < 0:
            raise RemoteProtocolError("it says the same again and again")
        self.changed.unpark_all()
        return frame

    def _receive(self, frame: Frame) -> bool:
        """Receive a numbered frame; return whether it is new."""
        if frame.number <= self._received:
            return False
        if frame.number != self._received + 1:
            raise RemoteProtocolError("a frame is missing")
        self._received += 1
        self._unused.append(frame)
        self._unused_size += frame.size
        if self._unused_size > WINDOW:
            raise RemoteProtocolError(f"more than {WINDOW >> 10} KiB are under way")
        if self._echoes:
            self._send(Frame(PONG, frame.number))
        return True

    def use(self) -> Frame | None:
        """Return the next numbered frame; None if there is none yet."""
        if not self._unused:
            return None
        frame = self._unused.popleft()
        self._got = frame.number
        self._unused_size -= frame.size
        self._untold += frame.size
        if self._untold > WINDOW // 4:
            self._send(Frame(GOT))
        return frame

    async def next_frame(self) -> Frame:
        """Wait for the next numbered frame."""
        while (frame := self.use()) is None:
            await self.changed.park()
        return frame

    async def next_out(self) -> bytes:
        """Wait for a frame to send."""
        while not self.outbox:
            await self.changed.park()
        return self.outbox.popleft()


async def send_packed(stream: trio.abc.SendStream, data: bytes) -> None:
    """Send a packed frame over a stream, which has no messages of its own."""
    await stream.send_all(len(data).to_bytes(_LENGTH, "big") + data)


async def packed_frames(stream: trio.abc.ReceiveStream) -> AsyncIterator[bytes]:
    """Yield the packed frames that come over a stream."""
    buffer = bytearray()
    while data := await stream.receive_some(_CHUNK):
        buffer += data
        while len(buffer) >= _LENGTH:
            end = _LENGTH + int.from_bytes(buffer[:_LENGTH], "big")
            if len(buffer) < end:
                break
            yield bytes(buffer[_LENGTH:end])
            del buffer[:end]
