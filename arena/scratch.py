"""A hidden folder for what is not complete yet, beside the place where it will be."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from protocol.process import machine

_PREFIX: Final = ".leapfrog-new-"


@contextmanager
def scratch_folder(place: Path) -> Iterator[Path]:
    """Yield an empty folder in a folder, which is made if it is missing. OSError: the disk refuses it.

    It is removed after the block. Before it, those are removed that killed programs have left.
    """
    place.mkdir(parents=True, exist_ok=True)
    machine.remove_abandoned_folders(place, f"{_PREFIX}*")
    folder = machine.make_locked_folder(place, _PREFIX)
    try:
        yield Path(folder)
    finally:
        machine.remove_folder(folder)
