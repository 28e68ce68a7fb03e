"""Turn exceptions into error messages and exit codes.

Wrong input gives a message on standard error and exit code 2, and so does a machine without free resources. A
programming error keeps its traceback. Ctrl-C gives 130. A closed output pipe (``arena games | head -1``)
gives 141, except in ``arena run``, which plays on. Both codes are the ones that shells use. Commands set exit
code 1 themselves.
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import sys
from collections.abc import Callable
from typing import TextIO

import click

from arena.errors import leaves, user_errors

__all__ = ["BROKEN_PIPE", "INTERRUPTED", "WRONG_INPUT", "exit_code"]

WRONG_INPUT = 2
INTERRUPTED = 130
BROKEN_PIPE = 141

_LONGEST = 1000
"""The largest number of characters in a line of a message."""

_EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC})
_EXHAUSTED_TEXTS = (*map(os.strerror, _EXHAUSTED), "can't start new thread")
"""The last words of errors about an exhausted machine that have no ``errno``.

They come from the import of a C library and from a thread that cannot start.
"""


def exit_code(run: Callable[[], object]) -> int:
    """Call ``run``, report a failure to the user, and return the exit code of the process.

    Raises:
        BaseException: any programming error, unchanged.
    """
    try:
        run()
        sys.stdout.flush()  # a closed pipe raises here instead of at the exit of the interpreter
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
    except BaseException as error:  # trio wraps user errors and programming errors in groups
        code = _report(error)
        if code is None:
            raise
        return code
    return 0


def _report(error: BaseException) -> int | None:
    """Print the user's errors and return the exit code, or return ``None`` for a programming error."""
    found = list(leaves(error))
    expected = (*user_errors(), KeyboardInterrupt)
    if not all(isinstance(leaf, expected) or _exhausted(leaf) for leaf in found):
        return None
    if any(isinstance(leaf, KeyboardInterrupt) for leaf in found):
        return INTERRUPTED
    for message in dict.fromkeys(_exhausted(leaf) or str(leaf) for leaf in found):
        _print(f"error: {message}")
    return WRONG_INPUT


def _exhausted(error: BaseException) -> str:
    """Return a message that names the exhausted resource of this machine, or ``""`` for any other error."""
    if isinstance(error, OSError) and error.errno in _EXHAUSTED:
        reason = str(error.strerror)
    elif isinstance(error, ImportError | RuntimeError) and str(error).endswith(_EXHAUSTED_TEXTS):
        reason = next(text for text in _EXHAUSTED_TEXTS if str(error).endswith(text))
    else:
        return ""
    return (
        f"this machine has run out of a resource: {reason}; free some and start again; stored games are safe"
    )


def _show_usage(error: click.ClickException) -> None:
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        _print(error.format_message())
        return
    message = error.format_message()
    _print(f"error: {message[:1].lower()}{message[1:]}")
    if isinstance(error, click.UsageError) and error.ctx is not None:
        example = _first_example(error.ctx.command)
        if example and _has_wrong_shape(error):
            _print(f"Example: {example}")
        _print(f"Try '{error.ctx.command_path} --help'.")


def _has_wrong_shape(error: click.UsageError) -> bool:
    """Return whether a part of the command is missing or is too much, so that a complete command helps."""
    return isinstance(error, click.MissingParameter) or error.message.startswith("Got unexpected extra")


def _first_example(command: click.Command) -> str:
    """Return the first example of a command's help; "" if it has none."""
    calls = (line.strip() for line in (command.epilog or "").splitlines())
    return next((line.removeprefix("$ ") for line in calls if line.startswith("$ ")), "")


def _print(message: str) -> None:
    """Print a message that may quote anything: long lines are cut, and control characters are escaped.

    If standard error cannot be written, only the exit code remains.
    """
    from protocol.printable import shortened

    try:
        click.echo("\n".join(_escaped(shortened(line, _LONGEST)) for line in message.split("\n")), err=True)
    except OSError:
        _silence(sys.stderr)


def _escaped(line: str) -> str:
    if line.isprintable():
        return line
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in line)


def _silence_closed_streams() -> bool:
    """Redirect a standard stream to the null device if its reader is gone; return whether there was one."""
    closed = False
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):  # a stream without a descriptor is not a pipe
            descriptor = stream.fileno()
            poll = select.poll()
            poll.register(descriptor, 0)  # poll reports hang-ups and errors even if the mask is empty
            if poll.poll(0):
                closed = True
                _silence(stream)
    return closed


def _silence(stream: TextIO) -> None:
    """Redirect a stream to the null device. Otherwise its last flush at the end of the process fails, too."""
    with contextlib.suppress(OSError):
        null_device = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null_device, stream.fileno())
        os.close(null_device)
