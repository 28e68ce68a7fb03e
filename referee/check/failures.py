"""The exceptions with which a check ends if it does not pass."""

from __future__ import annotations

__all__ = ["Failure", "NoAnswer", "Skip"]


class Failure(Exception):
    """The engine fails the check. The message is one sentence whose subject, the engine, is left out."""


class NoAnswer(Failure):
    """The engine did not print an expected line in time.

    Attributes:
        word: the first word of that line.
    """

    def __init__(self, word: str, text: str) -> None:
        super().__init__(text)
        self.word = word


class Skip(Exception):
    """The check does not apply to this engine, game or machine. The message says why."""
