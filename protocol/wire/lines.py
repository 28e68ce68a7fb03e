"""Bytes in, lines out: bounded, and never scanned twice."""

from __future__ import annotations

from collections import deque

__all__ = ["MAX_LINE", "LineBuffer"]

MAX_LINE = 65_536
"""Bytes in a line, its LF included, in either direction (PROTOCOL, Limits)."""


class LineBuffer:
    """Cuts a byte stream at LF; a CR before the LF is dropped.

    A longer line than ``limit`` is thrown away up to its LF and counted in ``dropped``; memory stays bounded
    by one line and what was fed last.
    """

    __slots__ = ("_lines", "_partial", "_skipping", "dropped", "limit")

    def __init__(self, limit: int = MAX_LINE) -> None:
        self.limit = limit
        self.dropped = 0
        self._lines: deque[bytes] = deque()
        self._partial = bytearray()
        self._skipping = False

    def feed(self, data: bytes) -> None:
        """Take bytes as they came."""
        parts = data.split(b"\n")
        rest = parts.pop()
        if parts:
            if self._skipping:
                self._skipping = False
                del parts[0]
            elif self._partial:
                parts[0] = bytes(self._partial) + parts[0]
            self._partial.clear()
            if len(data) >= self.limit or (parts and len(parts[0]) >= self.limit):
                self.dropped += sum(len(part) >= self.limit for part in parts)
                parts = [part for part in parts if len(part) < self.limit]
            self._lines.extend(parts)
        if rest and not self._skipping:
            self._partial += rest
            if len(self._partial) >= self.limit:
                self._partial.clear()
                self._skipping = True
                self.dropped += 1

    def next_line(self) -> bytes | None:
        """The next whole line without its end, or None."""
        if not self._lines:
            return None
        line = self._lines.popleft()
        return line[:-1] if line.endswith(b"\r") else line

    @property
    def tail(self) -> bytes:
        """What came after the last LF: at end of file, a line that was never finished."""
        return bytes(self._partial)
