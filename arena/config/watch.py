"""A tournament file that may change while its tournament runs."""

from __future__ import annotations

from dataclasses import replace

from arena.config.loader import load
from arena.config.spec import TournamentSpec
from arena.errors import ConfigError

__all__ = ["Watch"]


class Watch:
    """Looks whether a file says something else than it did.

    Args:
        spec: the tournament that runs.
    """

    def __init__(self, spec: TournamentSpec) -> None:
        self._spec = spec
        self._stamp: tuple[int, int] | None = None  # so that a change since the file was loaded is seen too

    def changed(self) -> TournamentSpec | None:
        """The tournament as the file has it now; None when nothing has changed since the last call.

        The number of games at once, their processors and the folder for transcripts stay as they are.

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
        new = replace(load(old.path), concurrency=old.concurrency, affinity=old.affinity, log=old.log)
        if (new.name, new.database, new.settings()) != (old.name, old.database, old.settings()):
            raise ConfigError(
                f"{old.path}: this is another tournament now; while one runs, its name, database, format,"
                " time_control, seed, setup, openings and adjudication must stay as they are"
            )
        if new == old:
            return None
        self._spec = new
        return new
