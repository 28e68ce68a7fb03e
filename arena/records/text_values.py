"""How the text format writes strings, times and numbers; what is read is exactly what was written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

import msgspec

__all__ = [
    "SECONDS",
    "STRING",
    "instant",
    "nanoseconds",
    "number",
    "parse_instant",
    "parse_number",
    "parse_seconds",
    "quoted",
    "seconds",
    "unquoted",
]

_HEX: Final = "[0-9A-Fa-f]"
STRING: Final = rf'"(?:[^"\\\x00-\x1f]++|\\["\\/bfnrt]|\\u{_HEX}{_HEX}{_HEX}{_HEX})*+"'
"""A regular expression for a string, which is JSON's (RFC 8259, 7).

The group repeats possessively (``*+``), because backtracking takes memory for every repetition. Python before
3.11.5 does not step back when such a group fails after a repeat inside it (CPython issue 106052). So inside
the group a repeat stands after everything that can fail: the four digits are not ``[0-9A-Fa-f]{4}``.
"""

SECONDS: Final = r"[0-9]{1,12}(?:\.[0-9]{1,9})?"
"""The same for a time."""

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
    """A string in quotation marks."""
    return _encode(text).decode()


def unquoted(strings: Sequence[str]) -> tuple[str, ...]:
    """What strings that match `STRING` stand for.

    Raises:
        ValueError: an escape is half of a character.
    """
    try:
        return tuple(_decode(text) if "\\" in text else text[1:-1] for text in strings)
    except msgspec.DecodeError:
        raise ValueError("an escape \\u is half of a character: it needs the other half") from None


def seconds(ns: int) -> str:
    """Nanoseconds as seconds, with as many decimal places as there are."""
    digits = f"{ns:010d}"
    return f"{digits[:-_PLACES]}.{digits[-_PLACES:]}".rstrip("0").rstrip(".")


def parse_seconds(text: str) -> int:
    """Nanoseconds.

    Raises:
        ValueError: this is no time.
    """
    if _SECONDS.fullmatch(text) is None:
        raise ValueError(f"{text!a} is no time in seconds, such as 0.25 (nine decimal places at most)")
    return nanoseconds(text)


def nanoseconds(text: str) -> int:
    """The same of a text that is known to match `SECONDS`."""
    whole, _, rest = text.partition(".")
    return int(whole) * _BILLION + (int(rest.ljust(_PLACES, "0")) if rest else 0)


def number(value: float) -> str:
    """A number in the fewest digits that give it back."""
    return repr(value).removesuffix(".0")


def parse_number(text: str) -> float:
    """A number.

    Raises:
        ValueError: this is none.
    """
    if _NUMBER.fullmatch(text) is None:
        raise ValueError(f"{text!a} is no number")
    return float(text)


def instant(since_epoch: float) -> str:
    """Seconds since the epoch as date and time, UTC; as a number where no calendar has them."""
    digits = repr(since_epoch)
    if not 0 <= since_epoch < _LAST or "e" in digits:
        return number(since_epoch)
    whole, _, rest = digits.partition(".")
    moment = _EPOCH + timedelta(seconds=int(whole))
    return f"{moment:%Y-%m-%dT%H:%M:%S}{'' if rest == '0' else '.' + rest}Z"


def parse_instant(text: str) -> float:
    """Seconds since the epoch.

    Raises:
        ValueError: this is no date and time.
    """
    found = _INSTANT.fullmatch(text)
    if found is None:
        if _NUMBER.fullmatch(text) is None:
            raise ValueError(f"{text!a} is no date and time, such as 2023-11-14T22:13:20Z")
        return float(text)
    try:
        moment = datetime.fromisoformat(found[1]).replace(tzinfo=UTC)
    except ValueError:
        raise ValueError(f"{text!a} is in no calendar") from None
    return float(f"{(moment - _EPOCH) // timedelta(seconds=1)}{found[2] or ''}")
