"""Follows a game ply by ply: plays moves by the rules, and removes seats."""

from __future__ import annotations

from protocol.wire.codec import parse_removal
from referee.game import Move, Position
from referee.outcome import Outcome
from referee.ply import is_fault


class Follower:
    """Keeps the position of a game after each ply. It applies only the rules, not clocks or adjudication.

    ``removed`` has for each removed seat, in the order of removal, the number of seats removed before it.
    Seats removed together have the same number.
    """

    __slots__ = ("outcome", "players", "position", "removed")

    def __init__(self, start: Position, players: int) -> None:
        self.players = players
        self.position = start
        self.outcome: Outcome | None = start.outcome()
        self.removed: dict[int, int] = {}

    def play(self, text: str) -> str:
        """Play a legal move, pass the turn to the next seat, and return its own text, or raise MoveError."""
        move = self.position.parse_move(text)
        self.play_parsed(move)
        return str(move)

    def play_parsed(self, move: Move) -> None:
        """Play a move that comes from the position's own methods; otherwise as `play`."""
        self.position = position = self.position.play(move)
        self.outcome = position.outcome()
        if self.removed:
            self.skip_removed()

    def remove(self, *seats: int) -> None:
        """Remove seats, all at the same time. The turn does not change until `skip_removed`."""
        order = len(self.removed)
        for seat in seats:
            self.removed[seat] = order

    def skip_removed(self) -> None:
        """Pass the turn to the next seat that is not removed, unless the game is over or no seat is left."""
        if self.outcome is None and len(self.removed) < self.players:
            while self.position.turn in self.removed:
                self.position = self.position.skip_turn()

    def follow(self, text: str) -> None:
        """Apply the text of a ply: a move, a fault, or a removal in a game with more than two players."""
        if is_fault(text):
            return
        seat = parse_removal(text) if self.players > 2 else None
        if seat is None or seat >= self.players:
            self.play(text)
        else:
            self.remove(seat)
            self.skip_removed()
