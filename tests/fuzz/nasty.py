"""Texts, numbers and changes that programs often handle badly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

DIGITS = "1" * 5000
"""More digits than Python converts to a number."""

NUMBERS = (
    "0", "-0", "1", "-1", "2", "3", "10", "100", "255", "256", "1000", "32768", "65536", "1000001",
    "2147483647", "2147483648", "-2147483649", "4294967296", "9223372036854775807", "9223372036854775808",
    "-9223372036854775808", "-9223372036854775809", "18446744073709551616", "99999999999999999999",
    "1" + "0" * 400, DIGITS, "-" + DIGITS, "1e400", "-1e400", "1e-400", "1e5000", "1e308", "nan", "NaN",
    "-nan", "inf",
    "-inf", "Infinity", "0.1", "-0.1", ".5", "5.", "1.", "0x10", "0b1", "1_000", "1,5", "+1", "++1", "--1",
    "1e",
    "e1", " 1", "1 ", "\t1", "1\n", "1\u00a0", "\u0661\u0662", "\u00b2", "\uff11", "1/2", "1%", "0001",
    "true", "none",
)  # fmt: skip

TEXTS = (
    "", " ", "\t", "\n", "\r\n", "\0", "a\0b", "\x1b[31m", "\x07", "\x7f", "\x85", "\u2028", "\ufeff",
    "\u200b",
    "\u202e", "e\u0301", "\U0001f600", "\ud800", "\udcff", "\udcff\udcfe/x", "-", "--", "---", "-x", "=",
    "a=b",
    "a=b=c", "=x", "'", '"', '"""', "''", "\\", "\\\\", "\\u0000", "\\ud800", "$HOME", "~", "~nobody/x",
    "*", "?", "[",
    "]", "{", "}", "{}", "{python}", "{cwd}", "{0}", "%s", "%n", "%(x)s", "null", "None", "human", "NaN",
    "|", ";", "#",
    "!", "!0", "!1", "!3", "!99", "/", "//", "/ /", "..", ".", "a/b", "con", "x" * 300, "x" * 5000,
    "é" * 300, "a b",
    "a  b", " a", "a ", "startpos", "random:", "random:1", "random:x", "random:" + "9" * 30,
    "random:" + DIGITS,
    "random:-1", "random:1.5", "default", "halves", "quoridor", "spring", "autumn", "1-2", "2-1", "1-",
    "-1-", "1,,2",
    "101", "999-1000", "10+0.1", "0", "depth=1", "movetime=0.1", "nodes=0", "40/60", "40/60+", "[" * 1000,
    "{" * 1000,
    "(" * 1000, "<b>", "&amp;", "]]>", "<!--", "=1+1", "alpha", "alpha=1000", "alpha=1e400",
    "draw_probability=nan",
    "draw_probability=1e400",
    "draw_probability=0", "draw_probability=2", "anchor=alpha=1e9", "anchor=nobody=1", "forfeits=maybe",
    "draw_probability=" + DIGITS,
)  # fmt: skip

BYTES = (
    b"\x00", b"\xff", b"\xfe\xff", b"\xff\xfe", b"\xef\xbb\xbf", b"\xc0\x80", b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\r", b"\n", b"\r\n", b"\x85", b"\x1b[2J", b"\t", b" ", b"\\u0000", b"\\ud800", b"\\", b'"', b"'",
    b"[", b"]", b"{",
    b"}", b"=", b",", b"#", b";", b":", b"!", b"/", b"-", b"|", b"nan", b"inf", b"1e400", b"-1", b"0",
    b"9223372036854775808", b"99999999999999999999", DIGITS.encode(), b"[" * 2000, b"{" * 2000,
    b'{"a":' * 2000,
    b"x" * 70_000,
)  # fmt: skip


def text(rng: Random) -> str:
    """Return a text: a nasty one, a number, or a few random characters."""
    choice = rng.random()
    if choice < 0.45:
        return rng.choice(TEXTS)
    if choice < 0.8:
        return rng.choice(NUMBERS)
    if choice < 0.9:
        return "".join(map(chr, rng.choices(range(1, 127), k=rng.randrange(12))))
    return "".join(
        chr(rng.choice((rng.randrange(0x3000), rng.randrange(0xD7FF), 0xDC80 + rng.randrange(128))))
        for _ in range(rng.randrange(8))
    )


def changed_text(rng: Random, original: str) -> str:
    """Return a text after one to three small changes."""
    for _ in range(rng.randint(1, 3)):
        at = rng.randint(0, len(original))
        end = min(len(original), at + rng.choice((0, 0, 1, 1, 2, 8)))
        original = (
            original[:at] + rng.choice(("", "", text(rng), rng.choice("0123456789- /=!\"'"))) + original[end:]
        )
    return original


def changed_bytes(rng: Random, original: bytes, words: Sequence[bytes] = BYTES) -> bytes:
    """Return a file or a line after a few changes: bytes and pieces are replaced, removed, doubled, moved."""
    data = original
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 6))):
        at = rng.randint(0, len(data))
        end = min(len(data), at + rng.choice((0, 1, 1, 2, 4, 16, 64)))
        match rng.randrange(8):
            case 0:
                data = data[:at] + data[end:]
            case 1:
                data = data[:at] + bytes([rng.randrange(256)]) + data[end:]
            case 2 | 3:
                data = data[:at] + rng.choice(words) + data[end:]
            case 4:
                data = data[:end] + data[at:]
            case 5:
                other = rng.randint(0, len(data))
                data = data[:other] + data[at:end] + data[other:]
            case 6:
                data = number_replaced(rng, data)
            case 7:
                data = lines_mixed(rng, data)
    return data


def number_replaced(rng: Random, data: bytes) -> bytes:
    """Replace one number in a text by a nasty one."""
    spots = [
        spot
        for spot in range(len(data))
        if data[spot : spot + 1].isdigit() and not data[spot - 1 : spot].isdigit()
    ]
    if not spots:
        return data
    start = end = rng.choice(spots)
    while data[end : end + 1].isdigit() or data[end : end + 1] == b".":
        end += 1
    return data[:start] + rng.choice(NUMBERS).encode("utf-8", "surrogatepass") + data[end:]


def lines_mixed(rng: Random, data: bytes) -> bytes:
    """Swap, double or remove lines, or change the line ends or the encoding."""
    lines = data.splitlines(keepends=True)
    if not lines:
        return data
    first, second = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(8):
        case 0 | 1:
            lines[first], lines[second] = lines[second], lines[first]
        case 2 | 3:
            lines.insert(second, lines[first])
        case 4:
            del lines[first]
        case 5:
            return b"".join(line.rstrip(b"\r\n") + rng.choice((b"\n", b"\r\n", b"\r")) for line in lines)
        case 6:
            return rng.choice((b"\xef\xbb\xbf", b"\xff\xfe", b"\n\n", b" ")) + data
        case 7:
            return data.decode(errors="replace").encode(
                rng.choice(("utf-16", "utf-16-le", "utf-32", "cp1252")), "replace"
            )
    return b"".join(lines)


def changed_value(rng: Random, value: Any) -> Any:
    """Return a JSON value with one change: another value somewhere in it, or a key or item more or less."""
    return _changed_at(rng, value, rng.choice(list(_places(value))))


def _places(value: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the keys and indices that lead to each value in a JSON value."""
    yield ()
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, item in items:
        for place in _places(item):
            yield (step, *place)


def _changed_at(rng: Random, value: Any, place: tuple[Any, ...]) -> Any:
    if not place:
        return any_value(rng, value)
    step, *rest = place
    choice = rng.random() if len(place) == 1 else 1.0
    if isinstance(value, dict):
        if choice < 0.05:
            return {name: item for name, item in value.items() if name != step}
        if choice < 0.1:
            return value | {text(rng): value[step]}
        return value | {step: _changed_at(rng, value[step], tuple(rest))}
    if choice < 0.1:
        return value[:step] + value[step + 1 :]
    if choice < 0.2:
        return value + value[step:] * rng.choice((1, 1, 1000))
    return [*value[:step], _changed_at(rng, value[step], tuple(rest)), *value[step + 1 :]]


def any_value(rng: Random, original: Any) -> Any:
    """Return another value, mostly of the same type."""
    choice = rng.random()
    if choice < 0.1:
        return rng.choice(
            (None, True, False, [], {}, [[]], {"": None}, "", 0, -1, 1.5, [1, "a", None], str(original))
        )
    if isinstance(original, bool):
        return not original
    if isinstance(original, str):
        return text(rng) if choice < 0.6 else changed_text(rng, original)
    return rng.choice(VALUES) if choice < 0.8 else text(rng)


VALUES = (
    -1, 0, 1, 2, 3, 9, 99, 255, 65536, 2**31, 2**32, 2**53, 2**62, 2**63 - 1, 2**63, -(2**63),
    -(2**63) - 1, 2**64, 10**18,
    10**19, 10**30, 10**400, 0.0, -0.0, 0.5, 1e-300, 1e18, 253402300800.0, -62135596801.0, 1e300, -1e300,
    float("inf"), float("-inf"), float("nan"),
)  # fmt: skip
"""Numbers for JSON."""
