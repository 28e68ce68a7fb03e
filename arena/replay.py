"""Following a game that was played: its text, position by position, and the clocks.

The text is moves, and ``!K`` where the referee removed seat K.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from arena.errors import ArenaError
from arena.model import GameRecord, PlyRecord
from referee import Game, MoveError, Position
from referee.match.clock import Clock
from referee.match.time_control import NS_PER_MS, TimeControl

__all__ = ["clocks", "positions", "replay"]

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


def positions(rules: Game, record: GameRecord) -> Iterator[Position]:
    """The start, then the position after each move of the opening and of the game.

    Raises:
        ArenaError: the rules refuse a move.
        PositionError: or the position string of the opening.
    """
    text = record.opening.position
    start = rules.start() if text is None else rules.parse_position(text)
    yield start
    yield from replay(rules, start, (*record.opening.moves, *(ply.text for ply in record.record)))


def clocks(record: GameRecord) -> Iterator[tuple[PlyRecord, int | None]]:
    """Each ply with the nanoseconds left after it; None without a clock and for a removal."""
    controls = [TimeControl.parse(player.time_control) for player in record.result.players]
    clock = Clock(controls, [player.margin * NS_PER_MS for player in record.result.players])
    for ply in record.record:
        if ply.text.startswith("!"):
            clock.remove(ply.seat)
            yield ply, None
            continue
        clock.start(ply.seat, 0)
        clock.stop(ply.seat, ply.time)
        yield ply, None if controls[ply.seat].base_ns is None else clock.left_ns(ply.seat)
