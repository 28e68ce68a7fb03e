"""The options that an engine advertises: parses ``option`` lines, and checks values before they are set."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from textwrap import shorten

from protocol.words import nearest

_NAMES_LENGTH = 300  # how many characters of a list of option names a message quotes
_FITS = {
    "check": re.compile(r"(?:default (?i:true|false))?"),
    "spin": re.compile(r"(?: ?(?:default|min|max) -?\d+)*"),
    "combo": re.compile(r"(?:(?:default|var)\b.*)?"),
    "button": re.compile(""),
    "string": re.compile(r"(?:default\b.*)?"),
}
"""For each type, what may come after it."""


@dataclass(frozen=True, slots=True)
class AdvertisedOption:
    """An option that an engine advertises, with the types of UCI."""

    name: str  # as the engine wrote it; compared without case
    kind: str  # check, spin, combo, button or string
    default: str | None = None
    minimum: int | None = None  # of a spin, as the maximum
    maximum: int | None = None
    choices: tuple[str, ...] = ()  # of a combo

    def check(self, value: str) -> str | None:
        """Return the text to send for ``value``; None for a button, which has no value.

        The ValueError for a value that it does not accept says what it accepts.
        """
        match self.kind:
            case "button":
                return None
            case "check":
                if value.lower() not in {"true", "false"}:
                    raise ValueError(f"option {self.name} takes true or false, not {value!r}")
                return value.lower()
            case "spin":
                return self._check_spin(value)
            case "combo":
                for choice in self.choices:
                    if choice.lower() == value.lower():
                        return choice
                choices = ", ".join(self.choices) or "nothing, as it announces no `var`"
                raise ValueError(f"option {self.name} takes one of {choices}, not {value!r}")
        return value

    def _check_spin(self, value: str) -> str:
        low = "" if self.minimum is None else f" from {self.minimum}"
        high = "" if self.maximum is None else f" up to {self.maximum}"
        try:
            number = int(value)
        except ValueError:
            number = None
        if (
            number is None
            or (self.minimum is not None and number < self.minimum)
            or (self.maximum is not None and number > self.maximum)
        ):
            raise ValueError(f"option {self.name} takes a whole number{low}{high}, not {value!r}")
        return str(number)


def parse_option(text: str) -> AdvertisedOption:
    """Parse the text after ``option``.

    Names, defaults and choices may contain spaces and the keywords themselves: the name ends before the first
    known type that the rest of the line fits. ValueError: the name or type is missing, the type is unknown,
    or a bound is not a number.
    """
    words = text.split()
    ends = [
        at for at, pair in enumerate(pairwise(words)) if at > 1 and pair[0] == "type" and pair[1] in _FITS
    ]
    if words[:1] != ["name"] or not ends:
        raise ValueError(f"an option line needs a name and a known type: {text!r}")
    fitting = (at for at in ends if _FITS[words[at + 1]].fullmatch(" ".join(words[at + 2 :])))
    end = next(fitting, ends[0])
    name, kind, rest = " ".join(words[1:end]), words[end + 1], words[end + 2 :]
    if kind == "combo":
        return AdvertisedOption(name, kind, *_parse_combo(rest))
    if kind == "spin":
        fields = dict(zip(rest[::2], rest[1::2], strict=False))
        low, high = (int(fields[key]) if key in fields else None for key in ("min", "max"))
        return AdvertisedOption(name, kind, fields.get("default"), low, high)
    return AdvertisedOption(name, kind, " ".join(rest[1:]) if rest[:1] == ["default"] else None)


def _parse_combo(words: list[str]) -> tuple[str | None, None, None, tuple[str, ...]]:
    """Return default, no bounds, and choices. A keyword directly after another keyword is a value."""
    fields: list[list[str]] = []
    for word in words:
        starts = word == "var" or (word == "default" and ["default"] not in [field[:1] for field in fields])
        if starts and (not fields or len(fields[-1]) > 1):
            fields.append([word])
        elif fields:
            fields[-1].append(word)
    choices = [" ".join(field[1:]) for field in fields if field[0] == "var"]
    default = next((" ".join(field[1:]) for field in fields if field[0] == "default"), None)
    if default is not None and default not in choices and default.startswith("var "):
        choices.insert(0, default.removeprefix("var "))  # the default is empty
        default = ""
    return default, None, None, tuple(choices)


def nearest_option(name: str, options: tuple[AdvertisedOption, ...]) -> str:
    """Return a hint for a name that the engine does not advertise."""
    names = [option.name for option in options]
    if not names:
        return "it offers none"
    near = nearest(name, names)
    hint = f"did you mean {near}? " if near else ""
    return f"{hint}it offers {shorten(', '.join(names), _NAMES_LENGTH, placeholder=' ...')}"
