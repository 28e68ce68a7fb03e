"""Following the text of a game: moves, and ``!K`` where the referee removed seat K."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from arena.errors import ArenaError
from referee import Game, MoveError, Position

__all__ = ["beginning", "replay"]

_REMOVAL = re.compile(r"!([1-9][0-9]?)")


def beginning(game: Game, setup: str | None, position: str | None) -> Position:
    """Where ``--setup`` and ``--position`` begin: at most one of them is given.

    Raises:
        ArenaError: both are.
        PositionError: the game has no such set-up, or the position string is damaged.
    """
    if setup is not None and position is not None:
        raise ArenaError("--setup and --position both say where to begin; give one of them")
    return game.start(setup) if position is None else game.parse_position(position)


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
