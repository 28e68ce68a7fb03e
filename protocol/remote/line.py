"""One end of a line that may break: after a break each end repeats what the other end lacks.

A *frame* is one message of a WebSocket: a header of three words, LF, and bytes. The header is ``KIND NUMBER
GOT``. What goes to the engine or comes from it is numbered, and GOT is the last number that the sender has.
An end keeps what the other end may lack. This is little: the engine's machine answers each frame immediately,
and the hub pings often.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator
from typing import Final, NamedTuple

import trio

from protocol.errors import RemoteProtocolError

DATA, ERROR, EXIT = "data", "error", "exit"
"""Numbered: standard input or output, standard error, and how the engine's process has ended."""

PING, PONG = "ping", "pong"
"""A ping, and the answer to a ping or to a numbered frame."""

BACK, GONE, TAKE = "back", "gone", "take"
"""The line is there: the server tells the referee, and the referee the engine's machine. It is not there. And
whose line the referee wants."""

LARGEST_PAYLOAD: Final = 1 << 14
"""The most bytes in a frame, without its header."""

MOST_KEPT_BYTES: Final = 1 << 23
"""While the hub may lack this many bytes, an engine's output is not read. None may print more in a turn."""

PING_SECONDS: Final = 2.0
SILENT_SECONDS: Final = 8.0
"""A line is gone when nothing has come for this time."""

OVER: Final = 1000
"""The code with which a WebSocket is closed when its game is over. Any other end is a break."""

REFUSES: Final = "x-arena-refuses"
"""The header of an answer by which the door itself keeps a bot out. Any other refusal may pass."""

LARGEST_MESSAGE: Final = 2 * LARGEST_PAYLOAD
"""The most bytes in a message of a WebSocket: more than a frame with its header."""

_LONGEST_HEADER: Final = 128
_LENGTH: Final = 4
_CHUNK: Final = 65_536
_SPARE_FRAMES: Final = 100


class Frame(NamedTuple):
    """A frame; the number is 0 if it has none."""

    kind: str
    number: int = 0
    got: int = 0
    payload: bytes = b""

    def packed(self) -> bytes:
        """Return its bytes."""
        return b"%s %d %d\n%s" % (self.kind.encode(), self.number, self.got, self.payload)


def unpacked(data: bytes) -> Frame:
    """Parse a frame, or raise RemoteProtocolError."""
    header, _, payload = data.partition(b"\n")
    words = header[:_LONGEST_HEADER].split(b" ")
    if len(words) != 3 or not (words[1].isdigit() and words[2].isdigit()) or len(payload) > LARGEST_PAYLOAD:
        raise RemoteProtocolError("a message is no frame")
    return Frame(words[0].decode("ascii", "replace"), int(words[1]), int(words[2]), payload)


class Line:
    """One end. `outbox` has the frames to send, `unread` the data that have come.

    Who waits for something parks in `changed`.
    """

    def __init__(self) -> None:
        self.outbox: deque[bytes] = deque()
        self.unread = bytearray()
        self.changed = trio.lowlevel.ParkingLot()
        self._sent = self._got = 0  # numbers of frames
        self._kept: deque[Frame] = deque()
        self._kept_size = 0
        self._spare = _SPARE_FRAMES  # how many frames may come that bring nothing new

    @property
    def all_came(self) -> bool:
        """Whether the other end has everything from here."""
        return not self._kept

    @property
    def full(self) -> bool:
        """Whether nothing more should be sent now."""
        return self._kept_size > MOST_KEPT_BYTES

    def say(self, kind: str, data: bytes) -> None:
        """Send bytes in numbered frames."""
        for start in range(0, len(data), LARGEST_PAYLOAD):
            self._sent += 1
            frame = Frame(kind, self._sent, payload=data[start : start + LARGEST_PAYLOAD])
            self._kept.append(frame)
            self._kept_size += len(frame.payload)
            self.send(frame)

    def send(self, frame: Frame) -> None:
        """Send a frame, with the number of the last one that has come."""
        self.outbox.append(frame._replace(got=self._got).packed())
        self._spare += 1
        self.changed.unpark_all()

    def begin_again(self, kind: str) -> None:
        """After a break, send a frame of this kind, and then what the other end may lack."""
        self.outbox.clear()
        self._spare = _SPARE_FRAMES
        for frame in (Frame(kind), *self._kept):
            self.send(frame)

    def take(self, data: bytes) -> Frame | None:
        """Receive a frame, and return it; None if it had come already.

        RemoteProtocolError: the other end does not keep to the rules.
        """
        frame = unpacked(data)
        numbered = frame.kind in (DATA, ERROR, EXIT)
        if frame.got > self._sent or frame.number > (self._got + 1) * numbered:
            raise RemoteProtocolError("a number is too high")
        while self._kept and self._kept[0].number <= frame.got:
            self._kept_size -= len(self._kept.popleft().payload)
        is_news = numbered and frame.number > self._got
        self._got += is_news
        self._spare -= not is_news
        if self._spare < 0:
            raise RemoteProtocolError("it repeats itself")
        if is_news and frame.kind == DATA:
            self.unread += frame.payload
        self.changed.unpark_all()
        return frame if is_news or not numbered else None

    def read(self) -> bytes:
        """Return the data that have come; b"" if none have."""
        data = bytes(self.unread)
        self.unread.clear()
        return data

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
