"""What the door stores: participants, submissions and what happens to them. All of its SQL is here."""

from arena.store.door.values import Line, Order, Participant, State, Submission

__all__ = ["Line", "Order", "Participant", "State", "Submission"]
