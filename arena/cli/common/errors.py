"""From exceptions to exit codes: 0 done, 1 a tournament with disabled engines, 2 wrong input or nothing left.

Wrong input is one line on standard error and never a traceback; a programming error keeps its traceback.
Ctrl-C is 130 and a reader that went away (``arena games | head -1``) 141, as shells have it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import sys
from collections.abc import Callable, Iterator

import click

__all__ = ["BROKEN_PIPE", "INTERRUPTED", "WRONG_INPUT", "exit_code"]

WRONG_INPUT = 2
INTERRUPTED = 130
BROKEN_PIPE = 141

_EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC})
_UNNUMBERED = (*map(os.strerror, _EXHAUSTED), "can't start new thread")
"""How an import of a library in C, and a thread that can't be started, say that the machine has run out."""


def exit_code(run: Callable[[], object]) -> int:
    """Call ``run`` and say with which code the process ends, having told the user why.

    Raises:
        BaseException: whatever is not the user's doing, as it came.
    """
    try:
        run()
        sys.stdout.flush()  # a pipe that is closed shows here, not when the interpreter ends
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except click.ClickException as error:
        _show_usage(error)
        return WRONG_INPUT
    except BrokenPipeError:
        if not _silence_closed_streams():
            raise
        return BROKEN_PIPE
    except BaseException as error:  # trio wraps both kinds in groups
        code = _report(error)
        if code is None:
            raise
        return code
    return 0


def _report(error: BaseException) -> int | None:
    """Print what the user did wrong and return the exit code; None for a programming error."""
    leaves = list(_leaves(error))
    known = (*_user_errors(), KeyboardInterrupt)
    if not all(isinstance(leaf, known) or _exhausted(leaf) for leaf in leaves):
        return None
    if any(isinstance(leaf, KeyboardInterrupt) for leaf in leaves):
        return INTERRUPTED
    for message in dict.fromkeys(_exhausted(leaf) or str(leaf) for leaf in leaves):
        click.echo(f"error: {message}", err=True)
    return WRONG_INPUT


def _exhausted(error: BaseException) -> str:
    """What this machine has run out of, and what to do; "" for any other error."""
    if isinstance(error, OSError) and error.errno in _EXHAUSTED:
        what = str(error.strerror)
    elif isinstance(error, ImportError | RuntimeError) and str(error).endswith(_UNNUMBERED):
        what = next(words for words in _UNNUMBERED if str(error).endswith(words))
    else:
        return ""
    return f"this machine has run out: {what}; make room and start again, what was stored is safe"


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error


def _user_errors() -> tuple[type[BaseException], ...]:
    """Errors whose message is for people. Imported only when something went wrong."""
    from arena.errors import ArenaError
    from protocol.errors import EngineError, RemoteProtocolError
    from referee.errors import RefereeError

    return ArenaError, RefereeError, EngineError, RemoteProtocolError


def _show_usage(error: click.ClickException) -> None:
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
        return
    message = error.format_message()
    click.echo(f"error: {message[:1].lower()}{message[1:]}", err=True)
    if isinstance(error, click.UsageError) and error.ctx is not None:
        click.echo(f"Try '{error.ctx.command_path} --help'.", err=True)


def _silence_closed_streams() -> bool:
    """Point standard streams whose reader is gone to nowhere; False when none is."""
    closed = False
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):  # a stream without a descriptor is no pipe
            descriptor = stream.fileno()
            poll = select.poll()
            poll.register(descriptor, 0)  # hang-ups and errors are told unasked
            if poll.poll(0):
                closed = True
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, descriptor)
                os.close(nowhere)
    return closed
