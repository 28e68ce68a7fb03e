"""The exceptions with which a check ends if it does not pass."""

from __future__ import annotations

__all__ = ["EngineEnded", "Failure", "NoAnswer", "Skip"]


class Failure(Exception):
    """The engine fails the check. The message is one sentence whose subject, the engine, is left out.

    Attributes:
        advice: how to correct the engine; "" for the check's own advice.
    """

    def __init__(self, text: str, advice: str = "") -> None:
        super().__init__(text)
        self.advice = advice


class EngineEnded(Failure):
    """The engine ended, or closed its output, while more lines were expected.

    Attributes:
        returned: whether the program ended itself with exit code 0.
    """

    def __init__(self, text: str, *, returned: bool) -> None:
        super().__init__(text)
        self.returned = returned


class NoAnswer(Failure):
    """The engine did not print an expected line in time.

    Attributes:
        word: the first word of that line.
        misspelt: whether the engine printed a wrong form of this line in time.
    """

    def __init__(self, word: str, text: str, *, misspelt: bool = False) -> None:
        super().__init__(text)
        self.word = word
        self.misspelt = misspelt


class Skip(Exception):
    """The check does not apply to this engine, game or machine. The message says why."""
