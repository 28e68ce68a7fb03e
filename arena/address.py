"""Addresses: of a database, in a file or on a PostgreSQL server; and of a server of pages."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias
from urllib.parse import SplitResult, parse_qsl, urlsplit

DEFAULT_DATABASE: Final = "arena.db"  # the database file of commands and tournament files that name none
_SCHEMES: Final = ("postgresql", "postgres")
_MASK: Final = "***"
_ORIGIN: Final = re.compile(r"https?://[\w.:\[\]-]+/*", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """A database on a PostgreSQL server.

    It never has a password, because addresses are in messages, process lists and tournament files. Anything
    else is a ValueError, whose message shows no password.
    """

    url: str

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)  # raises ValueError for a wrong IPv6 address
        user, _, _ = parts.netloc.rpartition("@")
        keys = {key for key, _ in parse_qsl(parts.query, keep_blank_values=True)}
        if ":" in user or any(key.endswith("password") for key in keys):
            raise ValueError(
                f"the address {_without_password(self.url)} has a password, which others can see; leave it"
                " out, and put it into the file ~/.pgpass or the environment variable PGPASSWORD"
            )
        if parts.scheme not in _SCHEMES:
            raise ValueError(
                "this must be the name of a file, or the address of a database on a PostgreSQL server:"
                f" postgresql://USER@HOST/NAME, not {self.url[:80]!a}"
            )
        if not self.url.isprintable() or " " in self.url:
            raise ValueError(f"the address {self.url[:80]!a} has a character that no address can have")
        if not parts.path.strip("/") and not keys & {"dbname", "service"}:
            raise ValueError(f"the address {self.url} names no database; write postgresql://USER@HOST/NAME")

    def __str__(self) -> str:
        return self.url


Address: TypeAlias = Path | ServerAddress
"""Where a database is."""


def is_url(text: str) -> bool:
    """Whether a text is meant as an address on a server, and not as the name of a file."""
    return "://" in text


def web_parts(text: str) -> SplitResult | None:
    """Return the parts of an address of the web; None if the text is none."""
    try:
        parts = urlsplit(text)
        whole = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # a port that is no number
        return None
    return parts if whole else None


def web_origin(text: str) -> str:
    """Return the address of a server without a slash at its end; a ValueError says what is wrong."""
    if web_parts(text) is None or not _ORIGIN.fullmatch(text):
        raise ValueError('must be an address without a path, e.g. "https://arena.example.org"')
    return text.lower().rstrip("/")


def read_address(text: str | os.PathLike[str]) -> Address:
    """Return a path, or an address on a server; a ValueError says why that is not valid."""
    name = os.fspath(text)
    return ServerAddress(name) if is_url(name) else Path(name)


def full_name(address: Address) -> str:
    """Return a text that is the same for all programs of this machine that use the database."""
    return str(address.resolve()) if isinstance(address, Path) else address.url


def absolute(address: Address) -> Address:
    """Return the address with an absolute path, if it is a file."""
    return address.absolute() if isinstance(address, Path) else address


def name_of(address: Address) -> str:
    """Return a short name of the database for the name of a file."""
    return address.name if isinstance(address, Path) else "arena"


def _without_password(url: str) -> str:
    """Return the address without its parameters, and with a mask for the password."""
    scheme, _, rest = url.partition("?")[0].partition("://")
    user, at, host = rest.rpartition("@")
    return f"{scheme}://{user.partition(':')[0]}{f':{_MASK}' if ':' in user else ''}{at}{host}"
