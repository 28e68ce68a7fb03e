"""The bridge to a class or a function in Python."""

from __future__ import annotations

import os
import re
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path

from arena.bridges import seahorse
from arena.bridges.bot import BotFailed
from arena.bridges.bridge import Bridge
from arena.bridges.families import FAMILY_OF_GAME, FAMILY_VALUES, FamilyMoment
from arena.bridges.values import Seat, known

Call = tuple[str, list[tuple[str, str]]]
"""A name; and for each argument, a keyword, or "", and the name of a value."""


def _call(text: str) -> Call:
    """Read an option of the form ``NAME(VALUE, KEYWORD=VALUE)``."""
    name, *parts = re.findall(r"[^\s(,)]+", text) or [text]
    if not name.isidentifier():
        raise ArgumentTypeError(f"{text!r} is not of the form NAME(VALUE, KEYWORD=VALUE)")
    arguments = [part.rpartition("=") for part in parts]
    known(text, [value for _, _, value in arguments], FAMILY_VALUES)
    return name, [(keyword, value) for keyword, _, value in arguments]


class PythonClass(Bridge):
    """A class or a function in Python: an object is made for each game, and called for each turn."""

    kind = "class"

    @classmethod
    def add_options(cls, parser: ArgumentParser) -> None:
        """Add the class and its method."""
        parser.add_argument("where", metavar="MODULE")
        parser.add_argument("make", metavar="CLASS", type=_call)
        parser.add_argument("--values", default="")
        parser.add_argument("--method", type=_call)
        parser.add_argument("--key", default="")
        parser.add_argument("--python", default="")

    @classmethod
    def check(cls, given: Namespace, parser: ArgumentParser) -> None:
        """Refuse a program, and a constructor that needs a turn."""
        if given.bot:
            parser.error(f"the class is the bot, so remove {given.bot[0]!r}")
        if given.values and not given.make[1]:
            given.make = _call(f"{given.make[0]}({given.values})")
        try:
            if given.method:
                known(f"{given.make[0]}(…)", [value for _, value in given.make[1]], FAMILY_OF_GAME)
        except ArgumentTypeError as error:
            parser.error(f"argument CLASS: {error}")

    def __init__(self, given: Namespace) -> None:
        super().__init__(given)
        self.name = given.make[0]
        wire = os.dup(1)
        os.dup2(2, 1)  # all that the bot prints goes to standard error
        sys.stdout = os.fdopen(wire, "w")

    def prepare(self) -> None:
        """Import the class from a file, or from a module as Python finds it in the current folder."""
        sys.stdin = Path(os.devnull).open()  # noqa: SIM115 - what the hub writes is not for the bot
        file = Path(self.given.where).absolute()
        sys.path[:0] = [str(file.parent), str(Path.cwd())]
        if self.given.like == "seahorse":
            seahorse.add_missing_modules()
        module = import_module(file.stem if file.suffix == ".py" else self.given.where)
        if not hasattr(module, self.name):
            raise BotFailed(f"{module.__file__} has no class {self.name}")
        self._class = getattr(module, self.name)
        if isinstance(self._class, type) and not self.given.method:
            raise BotFailed(
                f"{self.name} is a class: write which method returns a move, as --method act(legal)"
            )

    def new_game(self, info: Mapping[str, str]) -> None:
        """Make the bot of this game."""
        super().new_game(info)
        if self.given.method:
            self._player = self._called(self._class, self.given.make, self.at)

    def ask(self, moment: FamilyMoment) -> object:
        """Call the method or the function, and return what the answer has under the key."""
        if self.given.method:
            moment.agent = self._player
            method = getattr(self._player, self.given.method[0])
            answer = self._called(method, self.given.method, moment)
        else:
            answer = self._called(self._class, self.given.make, moment)
        for name in filter(None, self.given.key.split(".")):
            answer = getattr(answer, name)
        return answer

    def _called(self, function: Callable[..., object], call: Call, values: Seat) -> object:
        given = [(keyword, getattr(values, value)) for keyword, value in call[1]]
        keywords = {keyword: value for keyword, value in given if keyword}
        places = [value for keyword, value in given if not keyword]
        self.told = f"{call[0]}({', '.join(f'{keyword}={value}'.lstrip('=') for keyword, value in given)})"
        return function(*places, **keywords)
