"""The types of options that an engine can declare.

Each option prints its ``option`` line and reads the value that the hub sets. This module uses no dataclasses,
because their import takes a third of the time that an engine should need to start.
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing takes as long as importing this whole library
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Button", "Check", "Combo", "Option", "Spin", "String"]


class Option:
    """Base class of all options.

    Args:
        name: the name that users write; compared without case. It may contain single spaces.

    Attributes:
        default: the value before the hub sets one.

    Raises:
        ValueError: the name cannot be written in a ``setoption`` line.
    """

    kind = ""

    def __init__(self, name: str) -> None:
        words = name.split()
        if not words or " ".join(words) != name or {"name", "value", "type"} & set(words):
            raise ValueError(
                f"an option cannot be named {name!r}: use single spaces,"
                " and none of the words name, type and value"
            )
        self.name = name
        self.default: bool | int | str | None = None

    def advertise(self) -> str:
        """Return the ``option`` line."""
        return f"option name {self.name} type {self.kind}"

    def read(self, text: str) -> bool | int | str | None:
        """Convert the text of a ``setoption`` line to the option's value.

        Raises:
            ValueError: the option does not accept the text; the message says what it accepts.
        """
        raise NotImplementedError


class Button(Option):
    """An action without a value. When the user presses it, only `Engine.set_option` is called."""

    kind = "button"

    def read(self, text: str) -> None:
        """Ignore the text: a button has no value."""


class Check(Option):
    """True or false."""

    kind = "check"

    def __init__(self, name: str, default: bool) -> None:
        super().__init__(name)
        self.default = default

    def advertise(self) -> str:
        """Return the ``option`` line."""
        return f"{super().advertise()} default {str(self.default).lower()}"

    def read(self, text: str) -> bool:
        """Convert ``true`` or ``false`` to a bool.

        Raises:
            ValueError: the text is another word.
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
            raise ValueError(f"option {name}: the default {default} is not from {low} to {high}")
        self.default, self.low, self.high = default, low, high

    def advertise(self) -> str:
        """Return the ``option`` line."""
        return f"{super().advertise()} default {self.default} min {self.low} max {self.high}"

    def read(self, text: str) -> int:
        """Convert the text to an int.

        Raises:
            ValueError: the text is not a whole number, or it is out of bounds.
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
            raise ValueError(f"option {name}: the default {default!r} is not one of its choices")
        self.default, self.choices = default, tuple(choices)

    def advertise(self) -> str:
        """Return the ``option`` line."""
        return " var ".join((f"{super().advertise()} default {self.default}", *self.choices))

    def read(self, text: str) -> str:
        """Return the choice with this text, in the case in which it was declared.

        Raises:
            ValueError: the text is not one of the choices.
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
        """Return the ``option`` line."""
        return f"{super().advertise()} default {self.default}".rstrip()

    def read(self, text: str) -> str:
        """Return the text itself; ``<empty>`` becomes the empty text, as in UCI."""
        return "" if text == "<empty>" else text
