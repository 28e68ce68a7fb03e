"""What all functions of the interface have in common: plain errors, and blocking calls."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import partial, wraps
from inspect import getdoc
from typing import Any, ParamSpec, TypeVar

import trio

from arena.errors import ArenaError, leaves, user_errors

__all__ = ["blocking", "plain_errors"]

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


@contextmanager
def plain_errors() -> Iterator[None]:
    """Raise the error in a group by itself, because callers need not know that nurseries are used inside.

    A user's error becomes an `ArenaError`. An error of a callback, or a bug, stays what it is, and so does
    the cancellation of the caller.
    """
    try:
        yield
    except Exception as error:
        first, *others = leaves(error)
        if all(isinstance(leaf, user_errors()) for leaf in (first, *others)):
            raise (first if isinstance(first, ArenaError) else ArenaError(str(first))) from error
        if others or first is error:
            raise
        raise first from error


def blocking(
    function: Callable[_Arguments, Coroutine[Any, Any, _Result]],
) -> Callable[_Arguments, _Result]:
    """Return a function that runs a coroutine function in a new trio loop until it is done.

    It has the name without ``_async``, and the same arguments. It raises what the coroutine function raises,
    a RuntimeError if a trio loop runs in this thread already, and KeyboardInterrupt after Ctrl-C, when all
    engines have ended.
    """
    name = function.__name__.removesuffix("_async")

    @wraps(function)
    def call(*args: _Arguments.args, **named: _Arguments.kwargs) -> _Result:
        if trio.lowlevel.in_trio_run():
            raise RuntimeError(
                f"arena.{name} would block the trio loop that runs in this thread: "
                f"write `await arena.{name}_async(...)` instead"
            )
        try:
            return trio.run(partial(function, *args, **named))
        except BaseExceptionGroup as group:
            if any(isinstance(leaf, KeyboardInterrupt) for leaf in leaves(group)):
                raise KeyboardInterrupt from group
            raise

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"Do the same as `{name}_async`, and wait for its end.\n\n{getdoc(function)}"
    return call
