"""A machine whose processes and disk have faults for the programs that preload a library."""

from __future__ import annotations

import struct
import subprocess
from dataclasses import astuple, dataclass
from pathlib import Path

__all__ = ["CHANGE", "DATA", "ROOM", "SYNC", "FaultyMachine", "WriteFault", "build_library"]

_SOURCE = Path(__file__).with_suffix(".c")
_LAYOUT = struct.Struct("8q256s256s")

DATA, ROOM, CHANGE, SYNC = 1, 2, 4, 8
"""The kinds of writes: of bytes, others that need room, those that need none, and flushes to the disk."""


def build_library(folder: Path) -> Path:
    """Build the library in a folder, with the tool "cc"; return its path."""
    built = folder / "faulty_machine.so"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", built, _SOURCE, "-ldl"], check=True)
    return built


@dataclass(frozen=True, slots=True)
class WriteFault:
    """What happens at a write.

    Attributes:
        kinds: the kinds of writes that count.
        strike: the number of the write, from 1; 0 for none, so that all are only counted.
        lasting: whether all later writes have the fault, too.
        half: whether half of the bytes are written before.
        error: the error that the write returns; 0 for none.
        signal: the signal that the process gets; 0 for none.
    """

    kinds: int = DATA | ROOM | CHANGE | SYNC
    strike: int = 0
    lasting: bool = False
    half: bool = False
    error: int = 0
    signal: int = 0


class FaultyMachine:
    """A machine that has faults for the programs that are started with ``environment``.

    Args:
        file: it is made, and tells the programs what to do. All of them have mapped its bytes.
        library: see `build_library`.
    """

    def __init__(self, file: Path, library: Path) -> None:
        self._file = file
        self.environment = {"LD_PRELOAD": str(library), "FAULTY_MACHINE": str(file)}
        file.write_bytes(bytes(_LAYOUT.size))
        file.chmod(0o666)  # programs of other users count their writes in it

    def set(self, exhausted: int = 0) -> None:
        """Refuse new processes (1), or also new threads (2), or none (0)."""
        self._write(exhausted, *astuple(WriteFault(kinds=0)), 0, b"", b"")

    def set_write(self, fault: WriteFault, folder: Path) -> None:
        """Count writes in a folder from now on, and let one have a fault."""
        self._write(0, *astuple(fault), 0, bytes(folder), b"")

    def _write(self, *values: int | bytes) -> None:
        with self._file.open("r+b") as file:
            file.write(_LAYOUT.pack(*values))

    def writes(self) -> tuple[int, str]:
        """Return how many writes there have been, and the first one that had the fault, or ""."""
        *_, count, _, struck = _LAYOUT.unpack(self._file.read_bytes())
        return count, struck.rstrip(b"\0").decode(errors="replace")
