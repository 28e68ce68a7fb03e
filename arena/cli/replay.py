"""Following the text of a game: moves, and ``!K`` where the referee removed seat K."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from arena.errors import ArenaError
from referee import Game, MoveError, Position

__all__ = ["replay"]

_REMOVAL = re.compile(r"!([1-9][0-9]?)")


def replay(game: Game, start: Position, texts: Iterable[str]) -> Iterator[Position]:
    """The position after each text; a removed seat is passed over from then on.

    Raises:
        ArenaError: the rules refuse a text; the message counts from 1.
    """
    position = start
    players = game.info.players
    removed: set[int] = set()
    for number, text in enumerate(texts, 1):
        removal = _REMOVAL.fullmatch(text)
        if removal and players > 2 and int(removal[1]) <= players:
            removed.add(int(removal[1]) - 1)
        else:
            try:
                position = position.play(position.parse_move(text))
            except MoveError as error:
                raise ArenaError(f"move {number}, {text!a}: {error}") from None
        if position.outcome() is None and len(removed) < players:
            while position.turn in removed:
                position = position.skip_turn()
        yield position
