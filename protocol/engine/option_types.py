"""Options that an engine written with `protocol.engine` offers: declared, advertised, checked when set.

No dataclasses here: importing them would cost a third of what an engine may take to start.
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing's own would have to be imported, which costs as much as all of this library
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Button", "Check", "Combo", "Option", "Spin", "String"]


class Option:
    """What all options have in common.

    Args:
        name: what users write; compared without case, may contain single spaces.

    Attributes:
        default: the value before the hub sets one.

    Raises:
        ValueError: a name that the wire cannot carry.
    """

    kind = ""

    def __init__(self, name: str) -> None:
        words = name.split()
        if not words or " ".join(words) != name or {"name", "value", "type"} & set(words):
            raise ValueError(f"an option cannot be called {name!r}")
        self.name = name
        self.default: bool | int | str | None = None

    def advertise(self) -> str:
        """The ``option`` line."""
        return f"option name {self.name} type {self.kind}"

    def read(self, text: str) -> bool | int | str | None:
        """The value that ``text`` means.

        Raises:
            ValueError: it means none; the message says what is accepted.
        """
        raise NotImplementedError


class Button(Option):
    """Something to press: has no value, only `Engine.set_option` is called."""

    kind = "button"

    def read(self, text: str) -> None:
        """Nothing: whatever follows is ignored."""


class Check(Option):
    """Yes or no."""

    kind = "check"

    def __init__(self, name: str, default: bool) -> None:
        super().__init__(name)
        self.default = default

    def advertise(self) -> str:
        """The ``option`` line."""
        return f"{super().advertise()} default {str(self.default).lower()}"

    def read(self, text: str) -> bool:
        """True or false.

        Raises:
            ValueError: another word.
        """
        if text.lower() not in {"true", "false"}:
            raise ValueError(f"option {self.name} takes true or false, not {text!r}")
        return text.lower() == "true"


class Spin(Option):
    """A whole number between two bounds."""

    kind = "spin"

    def __init__(self, name: str, default: int, low: int, high: int) -> None:
        super().__init__(name)
        if not low <= default <= high:
            raise ValueError(f"option {name}: {default} is not from {low} to {high}")
        self.default, self.low, self.high = default, low, high

    def advertise(self) -> str:
        """The ``option`` line."""
        return f"{super().advertise()} default {self.default} min {self.low} max {self.high}"

    def read(self, text: str) -> int:
        """The number.

        Raises:
            ValueError: no whole number, or out of bounds.
        """
        try:
            number = int(text)
        except ValueError:
            number = self.low - 1
        if not self.low <= number <= self.high:
            raise ValueError(
                f"option {self.name} takes a whole number from {self.low} to {self.high}, not {text!r}"
            )
        return number


class Combo(Option):
    """One of several texts, compared without case."""

    kind = "combo"

    def __init__(self, name: str, default: str, choices: Sequence[str]) -> None:
        super().__init__(name)
        if default not in choices:
            raise ValueError(f"option {name}: {default!r} is none of its choices")
        self.default, self.choices = default, tuple(choices)

    def advertise(self) -> str:
        """The ``option`` line."""
        return " var ".join((f"{super().advertise()} default {self.default}", *self.choices))

    def read(self, text: str) -> str:
        """The choice, as it was declared.

        Raises:
            ValueError: it is none of them.
        """
        for choice in self.choices:
            if choice.lower() == text.lower():
                return choice
        raise ValueError(f"option {self.name} takes one of {', '.join(self.choices)}, not {text!r}")


class String(Option):
    """Any text on one line."""

    kind = "string"

    def __init__(self, name: str, default: str = "") -> None:
        super().__init__(name)
        self.default = default

    def advertise(self) -> str:
        """The ``option`` line."""
        return f"{super().advertise()} default {self.default}".rstrip()

    def read(self, text: str) -> str:
        """The text itself; UCI writes an empty one as ``<empty>``."""
        return "" if text == "<empty>" else text
