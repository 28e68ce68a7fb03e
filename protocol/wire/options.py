"""Options that an engine advertises: read from its ``option`` lines, checked before they are set."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from textwrap import shorten

__all__ = ["AdvertisedOption", "nearest_option", "parse_option"]

_SHOWN = 300
"""Characters of a list of names that are shown."""

_KEYWORD = re.compile(r"(?:^|\s)(name|type|default|min|max|var)(?=\s|$)")


@dataclass(frozen=True, slots=True)
class AdvertisedOption:
    """One advertised option, as in UCI.

    Attributes:
        name: as the engine wrote it; compared without case.
        kind: ``check``, ``spin``, ``combo``, ``button`` or ``string``.
        default: as text; None where none was given.
        minimum, maximum: of a spin.
        choices: of a combo.
    """

    name: str
    kind: str
    default: str | None = None
    minimum: int | None = None
    maximum: int | None = None
    choices: tuple[str, ...] = ()

    def check(self, value: str) -> str | None:
        """The text to send for ``value``; None for a button, which takes none.

        Raises:
            ValueError: the engine did not offer that value; the message says what it offers.
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
                raise ValueError(f"option {self.name} takes one of {', '.join(self.choices)}, not {value!r}")
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
    """Read what stands behind ``option``; names, defaults and choices may contain spaces.

    Raises:
        ValueError: no name, no type, an unknown type, or bounds that are no numbers.
    """
    fields: dict[str, str] = {}
    choices: list[str] = []
    marks = list(_KEYWORD.finditer(text))
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        value = text[mark.end() : following.start() if following else len(text)].strip()
        if mark[1] == "var":
            choices.append(value)
        else:
            fields.setdefault(mark[1], value)
    name, kind = fields.get("name", ""), fields.get("type", "")
    if not name or kind not in {"check", "spin", "combo", "button", "string"}:
        raise ValueError(f"not an option: {text!r}")
    bounds = {key: int(fields[key]) for key in ("min", "max") if fields.get(key)}
    return AdvertisedOption(
        name, kind, fields.get("default"), bounds.get("min"), bounds.get("max"), tuple(choices)
    )


def nearest_option(name: str, options: tuple[AdvertisedOption, ...]) -> str:
    """A hint for a name that was not advertised."""
    known = [option.name for option in options]
    close = get_close_matches(name, known, 1, 0.5)
    if close:
        return f"did you mean {close[0]}?"
    return f"it offers {shorten(', '.join(known), _SHOWN, placeholder=' ...')}" if known else "it offers none"
