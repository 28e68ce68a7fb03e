"""Following a game that was played: its text, position by position, and the clocks.

The text is moves, and ``!K`` where the referee removed seat K.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from arena.errors import ArenaError
from arena.model import GameRecord
from referee import Game, MoveError, Position
from referee.follower import Follower
from referee.match.clock import Clock
from referee.match.time_control import NS_PER_MS, TimeControl
from referee.ply import Ply

__all__ = ["clocks", "positions", "replay"]


def replay(game: Game, start: Position, texts: Iterable[str]) -> Iterator[Position]:
    """The position after each text; a removed seat is passed over from then on.

    Raises:
        ArenaError: the rules refuse a text; the message counts from 1.
    """
    follower = Follower(start, game.info.players)
    for number, text in enumerate(texts, 1):
        try:
            follower.follow(text)
        except MoveError as error:
            raise ArenaError(f"move {number}, {text!a}: {error}") from None
        yield follower.position


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


def clocks(record: GameRecord) -> Iterator[tuple[Ply, int | None]]:
    """Each ply with the nanoseconds left after it; None without a clock and for a removal."""
    controls = [TimeControl.parse(player.time_control) for player in record.result.players]
    clock = Clock(controls, [player.margin * NS_PER_MS for player in record.result.players])
    for ply in record.record:
        if ply.is_removal:
            clock.remove(ply.seat)
            yield ply, None
            continue
        clock.start(ply.seat, 0)
        clock.stop(ply.seat, ply.time)
        yield ply, None if controls[ply.seat].base_ns is None else clock.left_ns(ply.seat)
