"""Splits a stream of bytes into lines, with a limit on their length. It scans each byte once."""

from __future__ import annotations

from collections import deque

__all__ = ["MAX_LINE", "LineBuffer"]

MAX_LINE = 65_536
"""The most bytes in a line, with its LF, in both directions (docs/reference/protocol.md, Limits)."""


class LineBuffer:
    """Splits a byte stream at LF, and removes a CR before the LF.

    A line longer than ``limit`` is discarded up to its LF and counted in ``dropped``. Memory holds one
    incomplete line, and the complete lines that `next_line` has not returned yet.

    Args:
        limit: the most bytes in a line, with its LF.

    Attributes:
        limit: the argument ``limit``.
        dropped: how many lines were discarded because they were too long.
    """

    __slots__ = ("_lines", "_partial", "_skipping", "dropped", "limit")

    def __init__(self, limit: int = MAX_LINE) -> None:
        self.limit = limit
        self.dropped = 0
        self._lines: deque[bytes] = deque()
        self._partial = bytearray()
        self._skipping = False

    def feed(self, data: bytes) -> None:
        """Add received bytes."""
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
        """Return the next complete line without its line end; None if there is none."""
        if not self._lines:
            return None
        line = self._lines.popleft()
        return line[:-1] if line.endswith(b"\r") else line

    def __bool__(self) -> bool:
        """Whether there are bytes that `next_line` has not returned, or a line that is being discarded."""
        return bool(self._lines or self._partial or self._skipping)

    @property
    def tail(self) -> bytes:
        """The bytes after the last LF. At end of file this is an incomplete line."""
        return bytes(self._partial)
