"""Errors that a user of arena can correct. The message says what to do.

ArenaError
├── ConfigError        a tournament file
│   └── OpeningError   an opening that the rules refuse
└── StoreError         a database
    ├── ChangedSettings  a tournament that was begun with other settings
    └── DamagedDatabase  a database with a damaged page or row
"""

from __future__ import annotations

__all__ = ["ArenaError", "ChangedSettings", "ConfigError", "DamagedDatabase", "OpeningError", "StoreError"]


class ArenaError(Exception):
    """The base of all errors about bad input. The command line prints the message and exits with 2."""


class ConfigError(ArenaError):
    """A tournament file cannot be used. The message names the file and the key."""


class OpeningError(ConfigError):
    """The rules refuse an opening, or no random opening was found.

    Attributes:
        entry: the index of the opening in its list, from 0; None for a random opening.
    """

    def __init__(self, problem: str, entry: int | None = None) -> None:
        super().__init__(problem)
        self.entry = entry


class StoreError(ArenaError):
    """A database cannot be used. The message names the file."""


class ChangedSettings(StoreError):
    """A tournament was begun with other settings. The message shows both values of one of them."""


class DamagedDatabase(StoreError):
    """A database has a page or a row that is not as arena wrote it."""
