"""Replay a stored game: its positions and its clocks.

A ply's text is a move, ``!K`` if the referee removed seat K, or ``?`` and a word for a forgiven fault.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from arena.errors import ArenaError
from arena.model import GameRecord
from referee import Game, MoveError, Position, Termination
from referee.follower import Follower
from referee.match.clock import Clock
from referee.match.time_control import NS_PER_MS, TimeControl
from referee.ply import Ply


def is_position(text: str) -> bool:
    """Return whether a text is a position string; otherwise it is the name of a set-up."""
    return bool(set(text) & set(" /"))


def start_position(rules: Game, text: str | None) -> Position:
    """Return the start that a position string or the name of a set-up names; None names the usual one.

    PositionError: the string is damaged, or there is no such set-up.
    """
    return rules.parse_position(text) if text and is_position(text) else rules.start(text)


def replay(game: Game, start: Position, texts: Iterable[str]) -> Iterator[Position]:
    """Yield the position after each ply. After the removal of a seat, the other seats play on.

    An ArenaError has the number, from 1, of the ply that the rules refuse.
    """
    follower = Follower(start, game.info.players)
    for number, text in enumerate(texts, 1):
        try:
            follower.follow(text)
        except MoveError as error:
            raise ArenaError(f"move {number}, {text!a}: {error}") from None
        yield follower.position


def positions(rules: Game, record: GameRecord) -> Iterator[Position]:
    """Yield the start position, and then the position after each move of the opening and of the game.

    The rules may refuse a move (ArenaError), or the position string of the opening (PositionError).
    """
    text = record.opening.position
    start = rules.start() if text is None else rules.parse_position(text)
    yield start
    yield from replay(rules, start, (*record.opening.moves, *(ply.text for ply in record.record)))


def clocks(record: GameRecord) -> list[tuple[Ply, int | None]]:
    """Return each ply with the nanoseconds on its player's clock after it; None for removals and no clock.

    They are all None if the record has a time control, or a seat, that arena does not know. A ply of 0 ns is
    one whose time is not known, and so its player's clock is not known from there on.
    """
    try:
        return list(_clocks(record))
    except (ValueError, IndexError):
        return [(ply, None) for ply in record.record]


def final_clocks(record: GameRecord) -> list[int | None]:
    """Return the nanoseconds on each player's clock at the end; 0 if it lost on time, None as in `clocks`."""
    players = record.result.players
    left = [TimeControl.parse(player.time_control).base_ns for player in players]
    for ply, clock in clocks(record):
        if not ply.is_removal:
            left[ply.seat] = clock
    on_time = [player.forfeit is Termination.TIME for player in players]
    return [0 if lost else clock for lost, clock in zip(on_time, left, strict=True)]


def charge_fault(clock: Clock, ply: Ply) -> None:
    """Charge a clock for a forgiven fault. One of 0 ns has its time at the drawn move that follows."""
    if ply.time:
        clock.reopen(ply.seat, ply.time, clock.charge(ply.seat, ply.time))


def _clocks(record: GameRecord) -> Iterator[tuple[Ply, int | None]]:
    controls = [TimeControl.parse(player.time_control) for player in record.result.players]
    unknown = {seat for seat, control in enumerate(controls) if control.base_ns is None}
    clock = Clock(controls, [player.margin * NS_PER_MS for player in record.result.players])
    for ply in record.record:
        if ply.is_removal:
            clock.remove(ply.seat)
            yield ply, None
            continue
        if ply.fault:
            charge_fault(clock, ply)
        else:
            clock.charge(ply.seat, ply.time)
            if not ply.time:
                unknown.add(ply.seat)
        yield ply, None if ply.seat in unknown else clock.left_ns(ply.seat)
