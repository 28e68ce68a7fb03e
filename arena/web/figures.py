"""Numbers, moves and words as pages write them: a real minus, a sign before a difference, clocks, dates."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from math import isfinite

from markupsafe import Markup

from arena.model import game_title
from protocol.words import shortened
from referee import Position
from referee.game import Move, Notated

MINUS = "−"
"""The sign of a negative number."""

_MATE = "mate"
_TITLES_SHOWN = 3

_WHOLE_NAME = 31

_INTEGER = re.compile(r"-?[1-9]\d*", re.ASCII)
_NEGATIVE = re.compile(r"-\d")
_DOUBTFUL = re.compile(r"-(?=\d[\d.]* ±)")  # before an error, so that names are not changed
_SIGNS = {"mu-3sigma": "rating", "+-95%": "±", " +-": " ±", " %": "\u202f%"}
"""How pages write words of tables that a terminal writes in ASCII."""


def signed(value: float, digits: int = 0) -> str:
    """Return a number with its sign; zero has none."""
    text = f"{abs(value):.{digits}f}"
    if not float(text):
        return text
    return (MINUS if value < 0 else "+") + text


def number(value: float) -> str:
    """Return a number with two digits after the point, as tables of pages have it."""
    return f"{value:.2f}".replace("-", MINUS)


def points_text(points: float) -> str:
    """Return points as pages write them: with ½ for a half, and with two decimals for other fractions."""
    whole, part = divmod(round(points, 4), 1)
    if part == 0.5:
        return f"{whole:g}½" if whole else "½"
    return f"{points:.0f}" if not part else f"{points:.2f}"


def grouped(value: int) -> str:
    """Return an integer with thin spaces between groups of three digits."""
    return f"{value:,}".replace(",", "\u202f")


def speed_text(per_second: int) -> str:
    """Return a number of positions a second: 850 /s, 19 k/s, 1.1 M/s, 320 M/s."""
    value, unit = float(per_second), ""
    for larger in "kMG":
        if value < 1000:
            break
        value, unit = value / 1000, larger
    return f"{value:.{1 if unit and value < 10 else 0}f}\u202f{unit}/s"


def clock_text(nanoseconds: int) -> str:
    """Return a time on a clock: 1:23.4, or 1:02:03 from an hour on. It is cut, never rounded up."""
    tenths = max(nanoseconds, 0) // 100_000_000
    minutes, rest = divmod(tenths, 600)
    if minutes < 60:
        return f"{minutes}:{rest // 10:02}.{rest % 10}"
    return f"{minutes // 60}:{minutes % 60:02}:{rest // 10:02}"


def seconds_text(nanoseconds: float) -> str:
    """Return a short time in seconds, with more digits below a second."""
    seconds = nanoseconds / 1e9
    return (
        f"{seconds:.0f} s" if seconds >= 100 else f"{seconds:.1f} s" if seconds >= 1 else f"{seconds:.2f} s"
    )


def score_text(score: str) -> str:
    """Return the score that an engine reported, such as ``cp 50`` or ``mate -3``, as +0.50 or "lost in 3"."""
    kind, _, value = score.partition(" ")
    if kind == _MATE and value.lstrip("-").isdigit():
        return f"{'lost' if value.startswith('-') else 'won'} in {value.lstrip('-')}"
    try:
        units = float(value) / 100
    except ValueError:
        return score
    return signed(units, 2) if kind == "cp" and isfinite(units) else score


def day(seconds: float) -> Markup:
    """Return the day of a time in seconds since the epoch, which ``times.js`` writes in the reader's zone."""
    return _time("day", "%d %b %Y", seconds)


def days(times: Sequence[float]) -> Markup:
    """Return the first and the last day of times in ascending order, or the one day; "" without a time."""
    return Markup(" – ").join({day(seconds).striptags(): day(seconds) for seconds in times}.values())


def moment(seconds: float) -> Markup:
    """Return the day, the time and the zone of a time in seconds since the epoch, as `day` does."""
    return _time("moment", "%d %b %Y, %H:%M UTC", seconds)


def age(seconds: float) -> Markup:
    """Return the day of a time, which ``times.js`` writes as how long ago it was."""
    return _time("age", "%d %b %Y", seconds)


def _time(kind: str, form: str, seconds: float) -> Markup:
    parts = time.gmtime(seconds)
    text = time.strftime(form, parts).lstrip("0")
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", parts)
    return Markup('<time class="{}" datetime="{}">{}</time>').format(kind, at, text)


def word_anchor(word: str) -> str:
    """Return the anchor of a word's explanation."""
    return "word-" + "".join(letter if letter.isalnum() else "-" for letter in word)


def cell(text: str) -> str:
    """Return a cell of a table with a real minus if it is a negative number, and an integer in groups."""
    if _INTEGER.fullmatch(text):
        return grouped(int(text)).replace("-", MINUS)
    text = text.replace(" %", "\u202f%")
    return f"{MINUS}{text[1:]}" if _NEGATIVE.match(text) else text


def short_name(name: str) -> str:
    """Return a name for a narrow place; a long one is cut in its middle, as names differ at their ends."""
    return name if len(name) <= _WHOLE_NAME else shortened(name, _WHOLE_NAME - 3)


def on_pages(text: str) -> str:
    """Return a header or a note of a table as pages write it."""
    for word, sign in _SIGNS.items():
        text = text.replace(word, sign)
    return _DOUBTFUL.sub(MINUS, text)


def written(position: Position, move: Move) -> str:
    """Return a move of a position as people write it, which may be its text."""
    return position.write_move(move) if isinstance(position, Notated) else str(move)


def written_text(position: Position, text: str) -> str:
    """Return a move as `written`, from its text."""
    return written(position, position.parse_move(text)) if isinstance(position, Notated) else text


def number_of(position: Position) -> str:
    """Return the number of the next move with the sign of the seat: ``12.``, ``12…``; "" if it has none."""
    return f"{position.move_number}{'…' if position.turn else '.'}" if isinstance(position, Notated) else ""


def titles_text(games: Sequence[str]) -> str:
    """Return the titles of game ids in one line."""
    more = len(games) - _TITLES_SHOWN
    return ", ".join(map(game_title, games[:_TITLES_SHOWN])) + (f" and {more} more" if more > 0 else "")
