"""Tokens in the links of participants. The database has only their hashes, so it reveals no link."""

from __future__ import annotations

import hashlib
import secrets
from typing import Final

__all__ = ["new_token", "token_hash"]

_BYTES: Final = 24
"""192 bits: nobody guesses a token, so a plain hash protects it as well as a slow one."""


def new_token() -> str:
    """Return a new token: 32 characters of which each may stand in an address."""
    return secrets.token_urlsafe(_BYTES)


def token_hash(token: str) -> str:
    """Return the hash of a token: 64 hexadecimal digits."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
