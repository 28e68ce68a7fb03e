"""Lists of openings for tests."""

from __future__ import annotations

from pathlib import Path
from tempfile import NamedTemporaryFile

from arena.openings.file import OpeningFile, open_file


def listed(*openings: str) -> OpeningFile:
    """Return a list of these openings. Its file has no name any more."""
    with NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(openings))
        file.flush()
        return open_file(Path(file.name))
