"""Try thousands of inputs on a part of the product, and collect the inputs that it does not handle.

An example has a number. With the seed of the run, the number determines the example. `make test` tries the
first examples of seed 0, which are the same in every run. `make test-slow` tries many more, of a new seed.
"""

from __future__ import annotations

import signal
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from types import FrameType
from typing import Any

import pytest

from tests.seeds import FIRST

PROCESSOR_SECONDS = 10
"""An example that takes more processor time hangs. The load of the machine makes no difference to that."""

SECONDS = 600
"""An example that waits longer than this hangs, too. Even on a very busy machine nothing waits so long."""

_SHOWN = 5


def shares(quick: int, total: int, *, size: int = 500) -> list[Any]:
    """Return the numbers of the examples of each test: a small share for all runs, the rest for slow runs."""
    rest = [range(first, min(first + size, total)) for first in range(quick, total, size)]
    return [
        pytest.param(range(quick), id=f"0-{quick - 1}"),
        *(pytest.param(share, id=f"{share[0]}-{share[-1]}", marks=pytest.mark.slow) for share in rest),
    ]


def random_of(kind: str, number: int) -> Random:
    """Return the source of the random choices of an example."""
    return Random(f"{kind}:{FIRST}:{number}")


class Hang(BaseException):
    """An example takes too long. Not an Exception, so that the product cannot catch it."""


class Findings:
    """The examples that failed, one for each kind of failure."""

    def __init__(self) -> None:
        self.found: dict[str, str] = {}
        self.count = 0

    @contextmanager
    def trying(self, number: int, example: object) -> Iterator[None]:
        """Note the exception that the block raises, if any, with the example that it tries."""
        try:
            with limited():
                yield
        except (Exception, Hang) as error:
            self.add(_signature(error), f"example {number}: {example!r:.2000}\n{_trace(error)}")

    def add(self, kind: str, text: str) -> None:
        """Note a failure; of failures of one kind, only the first is kept."""
        self.count += 1
        self.found.setdefault(kind, text)

    def check(self) -> None:
        """Fail if there is any failure."""
        shown = "\n\n".join(list(self.found.values())[:_SHOWN])
        assert not self.found, f"{self.count} failures of {len(self.found)} kinds:\n\n{shown}"


@contextmanager
def limited() -> Iterator[None]:
    """Raise `Hang` in a block that takes too long."""
    clocks = (
        (signal.ITIMER_PROF, signal.SIGPROF, PROCESSOR_SECONDS),
        (signal.ITIMER_REAL, signal.SIGALRM, SECONDS),
    )
    before = {number: signal.signal(number, _stop) for _, number, _ in clocks}
    for clock, _, seconds in clocks:
        signal.setitimer(clock, seconds)
    try:
        yield
    finally:
        for clock, _, _ in clocks:
            signal.setitimer(clock, 0)
        for number, handler in before.items():
            signal.signal(number, handler)


def _stop(number: int, frame: FrameType | None) -> None:
    where = "".join(traceback.format_stack(frame, 3))
    raise Hang(f"after {'10 s of processor time' if number == signal.SIGPROF else '600 s'}, in\n{where}")


def _signature(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/site-packages/" not in frame.filename]
    where = f"{ours[-1].filename}:{ours[-1].lineno}" if ours else ""
    return f"{type(error).__name__} {where}"


def _trace(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))[-1200:]
