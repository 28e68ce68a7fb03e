"""The options that an engine advertises: parses ``option`` lines, and checks values before they are set."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from textwrap import shorten

_NAMES_LENGTH = 300  # how many characters of a list of option names a message quotes
_KEYWORD = re.compile(r"(?:^|\s)(name|type|default|min|max|var)(?=\s|$)")


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

    Names, defaults and choices may contain spaces. ValueError: the name or type is missing, the type is
    unknown, or a bound is not a number.
    """
    fields: dict[str, str] = {}
    choices: list[str] = []
    keywords = list(_KEYWORD.finditer(text))
    for keyword, following in zip(keywords, [*keywords[1:], None], strict=True):
        value = text[keyword.end() : following.start() if following else len(text)].strip()
        if keyword[1] == "var":
            choices.append(value)
        else:
            fields.setdefault(keyword[1], value)
    name, kind = fields.get("name"), fields.get("type")
    if not name or kind not in {"check", "spin", "combo", "button", "string"}:
        raise ValueError(f"an option line needs a name and a known type: {text!r}")
    bounds = {key: int(fields[key]) for key in ("min", "max") if fields.get(key)}
    return AdvertisedOption(
        name, kind, fields.get("default"), bounds.get("min"), bounds.get("max"), tuple(choices)
    )


def nearest_option(name: str, options: tuple[AdvertisedOption, ...]) -> str:
    """Return a hint for a name that the engine does not advertise."""
    names = [option.name for option in options]
    if not names:
        return "it offers none"
    close = get_close_matches(name, names, cutoff=0.5)
    hint = f"did you mean {close[0]}? " if close else ""
    return f"{hint}it offers {shorten(', '.join(names), _NAMES_LENGTH, placeholder=' ...')}"
