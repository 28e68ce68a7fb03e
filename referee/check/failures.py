"""How a check ends that does not simply pass."""

from __future__ import annotations

__all__ = ["Failure", "NoAnswer", "Skip"]


class Failure(Exception):
    """The engine did not pass; the message is one sentence about it, without a subject."""


class NoAnswer(Failure):
    """A line that was asked for did not come in time.

    Attributes:
        word: the first word of that line.
    """

    def __init__(self, word: str, text: str) -> None:
        super().__init__(text)
        self.word = word


class Skip(Exception):
    """The check does not apply to this engine, this game or this machine; the message says why."""
