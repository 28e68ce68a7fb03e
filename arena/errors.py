"""What a user of arena can do wrong: each message is one clear sentence that says what to do.

ArenaError
├── ConfigError        a tournament file
│   └── OpeningError   an opening that the rules refuse
└── StoreError         a database
"""

from __future__ import annotations

__all__ = ["ArenaError", "ConfigError", "OpeningError", "StoreError"]


class ArenaError(Exception):
    """Bad input; the command line prints the message and exits with 2."""


class ConfigError(ArenaError):
    """A tournament file that cannot be used; the message names the file and the key."""


class OpeningError(ConfigError):
    """An opening that the rules refuse, or that cannot be found.

    Attributes:
        entry: which one of a list, from 0; None for a random one.
    """

    def __init__(self, problem: str, entry: int | None = None) -> None:
        super().__init__(problem)
        self.entry = entry


class StoreError(ArenaError):
    """A database that cannot be used; the message names the file."""
