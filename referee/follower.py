"""A game followed ply by ply: moves by the rules, and seats that are removed."""

from __future__ import annotations

from protocol.wire.codec import parse_removal
from referee.game import Position
from referee.outcome import Outcome

__all__ = ["Follower"]


class Follower:
    """The position of a game after each ply, by the rules alone.

    Args:
        start: where the game begins.
        players: the number of seats.

    Attributes:
        position: the position now.
        outcome: the end by the rules; None as long as there is none.
        removed: the removed seats, 0-based, in order. The value of a seat is the number of seats that were
            removed before it; seats that are removed together have the same one.
    """

    __slots__ = ("outcome", "players", "position", "removed")

    def __init__(self, start: Position, players: int) -> None:
        self.players = players
        self.position = start
        self.outcome: Outcome | None = start.outcome()
        self.removed: dict[int, int] = {}

    def play(self, text: str) -> str:
        """Play a move and pass the turn on to a seat in play; returns the move in its canonical form.

        Raises:
            MoveError: the rules refuse the move.
        """
        move = self.position.parse_move(text)
        self.position = position = self.position.play(move)
        self.outcome = position.outcome()
        if self.removed:
            self.skip_removed()
        return str(move)

    def remove(self, *seats: int) -> None:
        """Remove seats, all at the same instant; the turn stays where it is until `skip_removed`."""
        order = len(self.removed)
        for seat in seats:
            self.removed[seat] = order

    def skip_removed(self) -> None:
        """Pass the turn on to a seat in play, unless the game is over or no seat is left."""
        if self.outcome is None and len(self.removed) < self.players:
            while self.position.turn in self.removed:
                self.position = self.position.skip_turn()

    def follow(self, text: str) -> None:
        """Take the text of a ply: a move, or in a game with more than two players a removal (``!K``).

        Raises:
            MoveError: the rules refuse the move.
        """
        seat = parse_removal(text) if self.players > 2 else None
        if seat is None or seat >= self.players:
            self.play(text)
        else:
            self.remove(seat)
            self.skip_removed()
