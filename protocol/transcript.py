"""What was said between the hub and one engine in one game, written down as it happens."""

from __future__ import annotations

import time
from pathlib import Path
from types import TracebackType
from typing import Self

__all__ = ["Transcript"]


class Transcript:
    """A log file of one dialogue: a line each, with seconds since it began and the direction.

    ``>`` is what the engine was sent, ``<`` what it said, ``!`` its standard error, ``#`` a remark of the
    hub. Writing is buffered, and the buffer is flushed with every remark and at the end. A log that cannot be
    written on (a full disk) ends there; the game does not.
    """

    def __init__(self, file: Path) -> None:
        """Create ``file`` (and its folder), replacing an older one.

        Raises:
            OSError: it cannot be written.
        """
        file.parent.mkdir(parents=True, exist_ok=True)
        self._out = file.open("w", encoding="utf-8", errors="replace")
        self._begin = time.monotonic_ns()

    def note(self, direction: str, data: bytes | str) -> None:
        """Write down every line of ``data``."""
        text = data if isinstance(data, str) else data.decode(errors="replace")
        seconds = (time.monotonic_ns() - self._begin) / 1e9
        try:
            for line in text.splitlines():
                self._out.write(f"{seconds:10.4f} {direction} {line}\n")
            if direction == "#":
                self._out.flush()
        except OSError:
            pass  # nothing that a game should be lost for

    def close(self) -> None:
        """Finish the file."""
        try:
            self._out.close()
        except OSError:
            pass  # as above

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
