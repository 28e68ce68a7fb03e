"""Watch a tournament file for changes while its tournament runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from arena.config.door_keys import DOOR, DOOR_ENGINES
from arena.config.loader import load
from arena.config.spec import TournamentSpec, keys_that_change
from arena.errors import ConfigError
from protocol.keys import Change

__all__ = ["FileWatch"]


class FileWatch:
    """Reloads a tournament file when it changes, or when an engine comes in through its door.

    Args:
        spec: the tournament that runs.
    """

    def __init__(self, spec: TournamentSpec) -> None:
        self._spec = spec
        self._door = None if spec.door is None else spec.path.parent / DOOR / DOOR_ENGINES
        self._stamp: tuple[int, ...] | None = None  # unknown: the file may have changed since it was loaded

    def changed(self) -> TournamentSpec | None:
        """The tournament with the file's changes; None if nothing has changed since the last call.

        Keys whose changes apply to the next run keep their values.

        Raises:
            ConfigError: the file cannot be used, or a key has changed that must not change. It is raised once
                for each change of the file.
        """
        stamp: tuple[int, ...]
        try:
            status = self._spec.path.stat()
        except OSError as error:
            stamp, problem = (0,), error.strerror
        else:
            stamp, problem = (status.st_mtime_ns, status.st_size, *self._door_stamp()), None
        if stamp == self._stamp:
            return None
        self._stamp = stamp
        if problem is not None:
            raise ConfigError(f"{self._spec.path}: {problem}")
        old = self._spec
        kept = old.overridden.union(keys_that_change(Change.NEXT_RUN))
        values: dict[str, Any] = {key: getattr(old, key) for key in kept}
        new = replace(load(old.path), overridden=old.overridden, **values)
        _check_same(old, new)
        if new == old:
            return None
        self._spec = new
        return new

    def _door_stamp(self) -> tuple[int, ...]:
        """Return a value that changes when an engine comes in through the door; () without a door."""
        if self._door is None:
            return ()
        try:
            status = self._door.stat()
        except OSError:
            return ()
        return status.st_mtime_ns, status.st_ino


def _check_same(old: TournamentSpec, new: TournamentSpec) -> None:
    before, after = _identity(old), _identity(new)
    for key in before:
        if before[key] != after[key]:
            raise ConfigError(
                f"{old.path}: {key} was {before[key]} and is now {after[key]};"
                f" {', '.join(before)} must not change while a tournament runs"
            )


def _identity(spec: TournamentSpec) -> dict[str, str]:
    """The keys that must not change while a tournament runs, with their values."""
    return {key: str(getattr(spec, key)) for key in keys_that_change(Change.IDENTITY)} | spec.settings()
