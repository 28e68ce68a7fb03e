"""What a user of arena can do wrong: each message is one clear sentence that says what to do.

ArenaError
├── ConfigError   a tournament file
└── StoreError    a database
"""

from __future__ import annotations

__all__ = ["ArenaError", "ConfigError", "StoreError"]


class ArenaError(Exception):
    """Bad input; the command line prints the message and exits with 2."""


class ConfigError(ArenaError):
    """A tournament file that cannot be used; the message names the file and the key."""


class StoreError(ArenaError):
    """A database that cannot be used; the message names the file."""
