"""What surrounds every command: usable streams, Ctrl-C, error messages and exit codes.

Wrong input gives a message on standard error and exit code 2, and so does a machine without free resources. A
programming error keeps its traceback. Ctrl-C gives 130. A closed output pipe (``arena games | head -1``)
gives 141, except in ``arena run``, which plays on. Both codes are the ones that shells use. Commands set exit
code 1 themselves.
"""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Final, TextIO

import click

from arena.errors import leaves, user_message
from protocol.words import printable, shortened

if TYPE_CHECKING:
    from typing_extensions import Buffer

FAILED = 1
"""The command did its work, and the result is bad: an engine failed, a file is damaged."""

WRONG_INPUT = 2
INTERRUPTED = 130
BROKEN_PIPE = 141

# --- streams ---------------------------------------------------------------------------------------------
#
# A closed stream (``>&-``) leaves its descriptor free. The next file that is opened, such as the database,
# would get it, and a program started by arena would write its errors into that file. So each free descriptor
# is given the null device.


def prepare_streams() -> None:
    """Open the standard streams that are closed, and let no character of input or output raise an error."""
    for descriptor, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        _occupy(descriptor)
        if getattr(sys, name) is None:
            setattr(sys, name, open(descriptor, mode, encoding="utf-8", closefd=False))  # noqa: SIM115 - it is a descriptor, and stays open
    # The bytes of a path that is not UTF-8 are printed as they are.
    output = "surrogateescape" if sys.stdout.encoding.lower() == "utf-8" else "replace"
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, output), (sys.stderr, "backslashreplace")):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=errors)


class _Lasting(io.FileIO):
    """A standard stream that becomes the null device when it breaks."""

    def write(self, data: Buffer) -> int:
        """Write bytes, or give the stream up."""
        try:
            return super().write(data)
        except OSError:
            _silence(self)
            return memoryview(data).nbytes


def outlast_readers() -> None:
    """Let the program continue when standard output or standard error breaks, until its end.

    A stream breaks when the reader of a pipe ends, a terminal goes away, or a disk is full.
    """
    for name in ("stdout", "stderr"):
        stream: TextIO = getattr(sys, name)
        with suppress(OSError):  # a test's stream has no descriptor
            buffered = io.BufferedWriter(_Lasting(stream.fileno(), "w", closefd=False))
            lasting = io.TextIOWrapper(buffered, stream.encoding, stream.errors, line_buffering=True)
            setattr(sys, name, lasting)


def _occupy(descriptor: int) -> None:
    """Open the null device as ``descriptor`` if it is free."""
    try:
        os.fstat(descriptor)
    except OSError:
        null_device = os.open(os.devnull, os.O_RDWR)
        if null_device != descriptor:
            os.dup2(null_device, descriptor)
            os.close(null_device)
        os.set_inheritable(descriptor, True)


# --- errors ----------------------------------------------------------------------------------------------

_LONGEST_LINE = 1000
"""The largest number of characters in a line of a message."""


def exit_code(run: Callable[[], object]) -> int:
    """Call ``run``, report a failure to the user, and return the exit code of the process.

    A programming error is raised unchanged.
    """
    try:
        run()
        sys.stdout.flush()  # a closed pipe raises here instead of at the exit of the interpreter
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except (click.Abort, KeyboardInterrupt) as stop:
        # trio raises a signal that comes last by itself, with the rest as its context.
        before = stop.__context__
        return (isinstance(before, BaseExceptionGroup) and _report(before)) or INTERRUPTED
    except click.ClickException as error:
        _show_usage(error)
        return WRONG_INPUT
    except BrokenPipeError:  # the reader of the output is gone
        _silence(sys.stdout)
        _silence(sys.stderr)
        return BROKEN_PIPE
    except BaseException as error:  # trio wraps user errors and programming errors in groups
        code = _report(error)
        if code is None:
            raise
        return code
    return 0


def _report(error: BaseException) -> int | None:
    """Print the user's errors and return the exit code, or return ``None`` for a programming error."""
    errors = list(leaves(error))
    messages = dict.fromkeys(user_message(leaf) for leaf in errors if not isinstance(leaf, KeyboardInterrupt))
    if not all(messages):
        return None
    if any(isinstance(leaf, KeyboardInterrupt) for leaf in errors):
        return INTERRUPTED
    for message in messages:
        _print(f"error: {message}")
    return WRONG_INPUT


def _show_usage(error: click.ClickException) -> None:
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        _print(error.format_message())
        return
    _print(f"error: {_usage_message(error)}")
    if isinstance(error, click.UsageError) and error.ctx is not None:
        # A complete command helps if a part of it is missing or is too much.
        wrong_shape = isinstance(error, click.MissingParameter) or error.message.startswith(_TOO_MANY)
        if wrong_shape and (example := _first_example(error.ctx.command)):
            _print(f"Example: {example}")
        _print(f"Try '{error.ctx.command_path} --help'.")


_TOO_MANY = "Got unexpected extra argument"


_MEANT: Final = {
    "--rounds": "--max-games",
    "--games": "--max-games",
    "-r": "--max-games",
    "-g": "--max-games",
    "-c": "--concurrency",
}
"""Options that people know from other tournament managers. Of `-rounds`, click names only `-r`."""


def _usage_message(error: click.ClickException) -> str:
    """Return what is wrong with a call; options and arguments have the names that the help gives them."""
    from protocol.words import did_you_mean

    match error:
        case click.MissingParameter(param=click.Parameter() as missing):
            offered = missing.type.shell_complete(error.ctx, missing, "") if error.ctx else []
            choices = ", ".join(item.value for item in offered if item.value)
            named = f"the {missing.param_type_name} {_name_in_help(missing, error.ctx)} is missing"
            return f"{named}; choose one of {choices}" if choices else named
        case click.BadParameter(param=click.Parameter() as wrong):
            message = error.message.removesuffix(".")
            return f"{_name_in_help(wrong, error.ctx)}: {message[:1].lower()}{message[1:]}"
        case click.NoSuchOption(option_name=name):
            known = (
                {}
                if error.ctx is None
                else {option for param in error.ctx.command.params for option in param.opts}
            )
            meant = _MEANT.get(name)
            near = f"; did you mean {meant}?" if meant in known else ""
            long = {option for option in known if option.startswith("--")}  # a letter is near to every letter
            return f"there is no option {name}{near or did_you_mean(name, long)}"
        case click.UsageError(message=message) if message.startswith(_TOO_MANY):
            words = message.partition("(")[2].removesuffix(")")
            metavars = [param.metavar for param in error.ctx.command.params] if error.ctx else []
            commands = {"ENGINE", "CMD"}.intersection(metavars)
            quotes = "; a command of several words needs quotes" if commands else ""
            return f"there are too many arguments: {words}{quotes}"
    return error.format_message()


def _name_in_help(parameter: click.Parameter, context: click.Context | None) -> str:
    """Return the longest spelling of an option, or the word for an argument in the usage."""
    if isinstance(parameter, click.Option) or context is None:
        return max(parameter.opts, key=len)
    return parameter.make_metavar(context).partition(" |")[0].strip("[]… ")


def _first_example(command: click.Command) -> str:
    """Return the first example of a command's help; "" if it has none."""
    calls = (line.strip() for line in (command.epilog or "").splitlines())
    return next((line.removeprefix("$ ") for line in calls if line.startswith("$ ")), "")


def _print(message: str) -> None:
    """Print a message that may quote anything: long lines are cut, and control characters replaced.

    If standard error cannot be written, only the exit code remains.
    """
    text = "\n".join(printable(shortened(line, _LONGEST_LINE)) for line in message.split("\n"))
    try:
        click.echo(text, err=True)
    except OSError:
        _silence(sys.stderr)


def _silence(stream: TextIO | _Lasting) -> None:
    """Redirect a stream to the null device. Otherwise its last flush at the end of the process fails, too."""
    with suppress(OSError):
        null_device = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null_device, stream.fileno())
        os.close(null_device)


# --- Ctrl-C ----------------------------------------------------------------------------------------------


def take_ctrl_c() -> None:
    """Let Ctrl-C raise KeyboardInterrupt: until now it has killed the process (`arena.__main__`)."""
    in_main_thread = threading.current_thread() is threading.main_thread()
    if in_main_thread and signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
