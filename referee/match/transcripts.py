"""Names the transcripts of games: one file for each game and engine, in the folder of the job."""

from __future__ import annotations

from itertools import count
from pathlib import Path

__all__ = ["newest_transcript", "transcript_file"]

_LONGEST_PART = 100
"""The most bytes of an id and of an engine's name."""


def transcript_file(folder: Path, job: str, seat: int, engine: str) -> Path:
    """Return the file of a seat's dialogue. If it exists, `Transcript` adds a number to its name.

    Args:
        folder: the folder for transcripts.
        job: the id of the job.
        seat: the seat, from 0.
        engine: the name of the engine.
    """
    return folder / f"{_part(job)}-{seat + 1}-{_part(engine)}.log"


def newest_transcript(file: Path) -> Path | None:
    """Return the newest of ``file`` and its numbered successors; None if there is no such file."""
    found = None
    path = file
    for number in count(2):
        if not path.is_file():
            return found
        found, path = path, file.with_stem(f"{file.stem}.{number}")
    raise AssertionError("there is always a next number")


def _part(text: str) -> str:
    """Convert a text to a part of a file's name that is valid and short enough for every file system."""
    plain = "".join(char if char.isalnum() or char in "-_." else "_" for char in text)
    return plain.encode()[:_LONGEST_PART].decode(errors="ignore")
