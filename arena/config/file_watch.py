"""A tournament file that may change while its tournament runs."""

from __future__ import annotations

from dataclasses import replace

from arena.config.key import Change
from arena.config.loader import load
from arena.config.spec import TournamentSpec, keys_that_change
from arena.errors import ConfigError

__all__ = ["FileWatch"]


class FileWatch:
    """Looks whether a file says something else than it did.

    Args:
        spec: the tournament that runs.
    """

    def __init__(self, spec: TournamentSpec) -> None:
        self._spec = spec
        self._stamp: tuple[int, int] | None = None  # so that a change since the file was loaded is seen too

    def changed(self) -> TournamentSpec | None:
        """The tournament as the file has it now; None when nothing has changed since the last call.

        Keys that change with the next run stay as they are.

        Raises:
            ConfigError: the file cannot be used, or it is another tournament now; said once for each change.
        """
        try:
            status = self._spec.path.stat()
        except OSError as error:
            stamp, missing = (0, 0), error.strerror
        else:
            stamp, missing = (status.st_mtime_ns, status.st_size), None
        if stamp == self._stamp:
            return None
        self._stamp = stamp
        if missing is not None:
            raise ConfigError(f"{self._spec.path}: {missing}")
        old = self._spec
        kept = {key: getattr(old, key) for key in keys_that_change(Change.NEXT_RUN)}
        new = replace(load(old.path), **kept)
        _check_same(old, new)
        if new == old:
            return None
        self._spec = new
        return new


def _check_same(old: TournamentSpec, new: TournamentSpec) -> None:
    before, now = _identity(old), _identity(new)
    for key in before:
        if before[key] != now[key]:
            raise ConfigError(
                f"{old.path}: this is another tournament now: {key} was {before[key]} and is {now[key]};"
                f" {', '.join(before)} must stay as they are while a tournament runs"
            )


def _identity(spec: TournamentSpec) -> dict[str, str]:
    """The keys that make two files one tournament, with their values."""
    return {key: str(getattr(spec, key)) for key in keys_that_change(Change.IDENTITY)} | spec.settings()
