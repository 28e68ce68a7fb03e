"""The base class of an engine.

An engine is a subclass of `Engine` with a method `choose`::

    import random
    from protocol.engine import Engine, Turn, run


    class Dice(Engine):
        name = "dice"

        def choose(self, turn: Turn) -> str:
            return random.choice(turn.legal)


    run(Dice())
"""

from __future__ import annotations

import sys

from protocol.engine.option_types import Option
from protocol.engine.turn import Turn

TYPE_CHECKING = False  # importing typing takes as long as importing this whole library
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Self

__all__ = ["Engine", "warn"]


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
        """Called when a game begins.

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


def warn(text: str) -> None:
    """Print a line for the user, not for the hub."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
