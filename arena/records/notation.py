"""How the text format writes values: strings, times, numbers and dates; reading gives what was written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

import msgspec

_HEX: Final = "[0-9A-Fa-f]"
STRING: Final = rf'"(?:[^"\\\x00-\x1f]++|\\["\\/bfnrt]|\\u{_HEX}{_HEX}{_HEX}{_HEX})*+"'
"""A regular expression for a string, as in JSON (RFC 8259, section 7).

The group repeats possessively (``*+``), because backtracking needs memory for every repetition. In Python
before 3.11.5, if one part of such a group matches and a repeat after it then fails, the match wrongly
includes that part (CPython issue 106052). So the group has four single digits and not ``[0-9A-Fa-f]{4}``.
"""

SECONDS: Final = r"[0-9]{1,12}(?:\.[0-9]{1,9})?"
"""A regular expression for a time."""

_BILLION: Final = 10**9
_PLACES: Final = 9
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LAST: Final = 253_402_300_800  # the beginning of the year 10000, in seconds
_SECONDS: Final = re.compile(SECONDS)
_NUMBER: Final = re.compile(r"-?[0-9]{1,400}(?:\.[0-9]{1,400})?(?:e[+-]?[0-9]{1,3})?")
_INSTANT: Final = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(\.[0-9]{1,20})?Z")

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(str).decode


def quoted(text: str) -> str:
    """Return a string in quotation marks."""
    return _encode(text).decode()


def unquoted(strings: Sequence[str]) -> tuple[str, ...]:
    """Return the values of strings that match `STRING`."""
    try:
        return tuple(_decode(text) if "\\" in text else text[1:-1] for text in strings)
    except msgspec.DecodeError:
        raise ValueError("an escape \\u is only half of a character; add the other half") from None


def seconds(ns: int) -> str:
    """Write nanoseconds as seconds, with as many decimal places as needed."""
    digits = f"{ns:010d}"
    return f"{digits[:-_PLACES]}.{digits[-_PLACES:]}".rstrip("0").rstrip(".")


def parse_seconds(text: str) -> int:
    """Read a time, and return nanoseconds."""
    if _SECONDS.fullmatch(text) is None:
        raise ValueError(
            f"{text!a} is not a time in seconds, such as 0.25 (with at most nine decimal places)"
        )
    return nanoseconds(text)


def nanoseconds(text: str) -> int:
    """Read a time that matches `SECONDS`, and return nanoseconds."""
    whole, _, rest = text.partition(".")
    return int(whole) * _BILLION + (int(rest.ljust(_PLACES, "0")) if rest else 0)


def number(value: float) -> str:
    """Write a number with the fewest digits that identify it."""
    return repr(value).removesuffix(".0")


def parse_number(text: str) -> float:
    """Read a number."""
    if _NUMBER.fullmatch(text) is None:
        raise ValueError(f"{text!a} is not a number")
    return float(text)


def instant(since_epoch: float) -> str:
    """Write seconds since the epoch as date and time (UTC), or as a number before 1970 and after 9999."""
    digits = repr(since_epoch)
    if not 0 <= since_epoch < _LAST or "e" in digits:
        return number(since_epoch)
    whole, _, rest = digits.partition(".")
    moment = _EPOCH + timedelta(seconds=int(whole))
    return f"{moment:%Y-%m-%dT%H:%M:%S}{'' if rest == '0' else '.' + rest}Z"


def parse_instant(text: str) -> float:
    """Read a date and time, and return seconds since the epoch."""
    match = _INSTANT.fullmatch(text)
    if match is None:
        if _NUMBER.fullmatch(text) is None:
            raise ValueError(f"{text!a} is not a date and time, such as 2023-11-14T22:13:20Z")
        return float(text)
    try:
        moment = datetime.fromisoformat(match[1]).replace(tzinfo=UTC)
    except ValueError:
        raise ValueError(f"{text!a} is not a valid date and time") from None
    return float(f"{(moment - _EPOCH) // timedelta(seconds=1)}{match[2] or ''}")
