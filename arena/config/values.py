"""Checks that several kinds of keys share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from arena.config.source import Key, Source, nearest

__all__ = ["at_least", "chosen", "hint", "resolve"]


def chosen(source: Source, key: Key, value: str | None, known: Sequence[str]) -> Any:  # noqa: ANN401 - a Literal
    """``value`` when it is one of ``known``; the first of them when it isn't given.

    Raises:
        ConfigError: it is another word.
    """
    if value is None:
        return known[0]
    if value not in known:
        words = " or ".join(f'"{word}"' for word in known)
        raise source.error(key, f"this must be {words}, not {value!r}{hint(value, known)}")
    return value


def resolve(source: Source, key: Key, text: str) -> Path:
    """A path of the file, made absolute: relative ones start from the file's folder, ``~/`` at home.

    Raises:
        ConfigError: no path can be made of it.
    """
    if not text or "\0" in text:
        raise source.error(key, "this must be the name of a file or folder")
    path = Path(text)
    try:
        path = path.expanduser()
    except RuntimeError:
        raise source.error(key, f"the home folder in {text!r} is not known; write the whole path") from None
    return source.path.absolute().parent / path


def at_least(source: Source, key: Key, value: int | None, minimum: int, default: int) -> int:
    """``value`` when it is not below ``minimum``; ``default`` when it isn't given.

    Raises:
        ConfigError: it is below.
    """
    if value is None:
        return default
    if value < minimum:
        raise source.error(key, f"this must be {minimum} or more, not {value}")
    return value


def hint(word: str, known: Sequence[str]) -> str:
    """What to append to a message about a word that is none of ``known``: the nearest of them, or nothing."""
    near = nearest(word, known)
    return f"; {near}" if near else ""
