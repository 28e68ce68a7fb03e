"""Moves as pages show them: in the notation of people, if the rules have one."""

from __future__ import annotations

from referee import Position
from referee.game import Move, Notated


def written(position: Position, move: Move) -> str:
    """Return a move of a position as people write it, which may be its text."""
    return position.write_move(move) if isinstance(position, Notated) else str(move)


def written_text(position: Position, text: str) -> str:
    """Return a move as `written`, from its text."""
    return written(position, position.parse_move(text)) if isinstance(position, Notated) else text


def number_of(position: Position) -> str:
    """Return the number of the next move with the sign of the seat: ``12.``, ``12…``; "" if it has none."""
    return f"{position.move_number}{'…' if position.turn else '.'}" if isinstance(position, Notated) else ""
