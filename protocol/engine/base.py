"""The base class of an engine, and the types of options that an engine can declare.

An engine is a subclass of `Engine` with a method `choose`::

    import random
    from protocol.engine import Engine, Turn, run


    class Dice(Engine):
        name = "dice"

        def choose(self, turn: Turn) -> str:
            return random.choice(turn.legal)


    run(Dice())

This module uses no dataclasses, because their import takes a third of the time that an engine should need to
start.
"""

from __future__ import annotations

import sys

from protocol.engine.turn import Turn

TYPE_CHECKING = False  # importing typing takes as long as importing this whole library
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Self


class Engine:
    """Base class of an engine. A subclass must define `choose`; everything else is optional.

    Attributes:
        name: the engine's name; the name of the class if empty.
        author, version: sent to the hub if not empty.
        games: the ids of the games that the engine plays; () for every game, which suits engines that need
            no rules.
        capabilities: the capabilities to announce, any of ``legal`` (the hub lists the legal moves), ``fen``
            (the hub sends each position as a string, not as moves from the start), ``delta`` (the hub sends
            only new moves; `Turn.moves` still holds all of them) and ``resign`` (the engine may answer
            ``resign``).
        options: the options that users can set. The library adds ``UGI_Game`` if ``games`` is not empty.
        settings: the current value of each option by its name. The library fills it; do not declare it.
    """

    name = ""
    author = ""
    version = ""
    games: Sequence[str] = ()
    capabilities: Sequence[str] = ("legal", "fen")
    options: Sequence[Option] = ()
    settings: dict[str, Any]

    def __new__(cls, *_args: object, **_kwargs: object) -> Self:
        """Fill `settings` here, so that a subclass's ``__init__`` need not call ``super().__init__``."""
        engine = super().__new__(cls)
        engine.settings = {option.name: option.default for option in cls.options}
        return engine

    def choose(self, turn: Turn) -> object:
        """Return the move to play: its text, or an object whose ``str`` is its text.

        Call ``turn.out_of_time()`` now and then during a long search, and keep a move ready to return.
        """
        raise NotImplementedError(f"{type(self).__name__} has no method choose")

    def prepare(self) -> None:
        """Do slow preparations: called once, after the options are set and before the first game."""

    def new_game(self, info: Mapping[str, str]) -> None:
        """Called when a game starts.

        ``info`` can have the keys ``id game players seat base inc margin``. Some of them can be missing.
        """

    def game_over(self, result: str, ranks: tuple[int, ...], reason: str) -> None:
        """Called when a game has ended.

        Args:
            result: for example ``p2win``, or ``draw`` or ``none``.
            ranks: the rank of each seat, in seat order; () if the hub sends none.
            reason: one word.
        """

    def set_option(self, name: str, value: bool | int | str | None) -> None:
        """Called when an option is set; ``value`` is None for a button. `settings` already has the value."""

    def error(self, code: str, text: str) -> None:
        """Called when the hub rejected or repaired a line. Prints to standard error unless overridden."""
        warn(f"the hub reports {code}: {text}")


# --- options ---------------------------------------------------------------------------------------------


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
        """Convert ``true`` or ``false`` to a bool; another word is a ValueError."""
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
        """Convert the text to an int; a ValueError if it is no whole number, or out of bounds."""
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
        """Return the choice with this text in the case of its declaration; a ValueError if there is none."""
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


def warn(text: str) -> None:
    """Print a line for the user, not for the hub."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
