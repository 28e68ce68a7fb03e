"""Make sure that Ctrl-C ends a command.

Python turns Ctrl-C into the exception KeyboardInterrupt. While Python removes an object, it cannot raise this
exception and only reports it, so arena raises it again a moment later. The end of a process can also wait for
a thread. So when a process still runs some time after Ctrl-C, it ends at once, with the same exit code.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final, TypeVar, TypeVarTuple

from arena.cli.program.errors import INTERRUPTED

__all__ = ["insisting", "run_trio"]

_PATIENCE: Final = 1.5
"""Seconds that a command has to end after Ctrl-C."""

_MOMENT: Final = 0.01
"""Seconds until a KeyboardInterrupt that Python could not raise is raised again, when Python can raise it."""

_Result = TypeVar("_Result")
_Arguments = TypeVarTuple("_Arguments")


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    """Handle Ctrl-C: raise KeyboardInterrupt, and end the process if that is not enough."""
    try:
        threading.Thread(target=_end_soon, daemon=True).start()
    except RuntimeError:
        pass  # the machine has no more threads; the exception remains
    raise KeyboardInterrupt


def _end_soon() -> None:
    time.sleep(_PATIENCE)
    os._exit(INTERRUPTED)


def _not_raised(event: sys.UnraisableHookArgs) -> None:
    """Handle an exception that Python could not raise where it occurred: KeyboardInterrupt comes again."""
    if not issubclass(event.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(event)
        return
    try:
        main = threading.main_thread().ident
        threading.Timer(_MOMENT, signal.pthread_kill, [main, signal.SIGINT]).start()
    except RuntimeError:
        pass  # the machine has no more threads; the process ends soon all the same


@contextmanager
def insisting() -> Iterator[None]:
    """End the process soon after Ctrl-C in this block, in whatever state it is."""
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    ):
        yield
        return
    signal.signal(signal.SIGINT, _interrupt)
    before, sys.unraisablehook = sys.unraisablehook, _not_raised
    try:
        yield
    finally:
        sys.unraisablehook = before
        signal.signal(signal.SIGINT, signal.default_int_handler)


def run_trio(main: Callable[[*_Arguments], Awaitable[_Result]], *arguments: *_Arguments) -> _Result:
    """Call ``trio.run``, which has its own way to handle Ctrl-C."""
    import trio

    before = signal.getsignal(signal.SIGINT)
    if before is not _interrupt:
        return trio.run(main, *arguments)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return trio.run(main, *arguments)
    finally:
        signal.signal(signal.SIGINT, _interrupt)
