"""Start `python -m referee` by a fork of this process, which has imported the referee.

The imports take a quarter of a second, and the tests start hundreds of referees. Otherwise a forked referee
is an ordinary process: a child in its own session, with pipes, signals and an exit code.
"""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import traceback
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import trio

import referee.__main__
from protocol.process import bubblewrap, starter
from protocol.process.lifetime import death_signal

COMMAND = [sys.executable, "-P", "-m", "referee"]
"""The start of the command by which `arena.run.local_referees` starts a referee."""

NAME = "referee"
"""The name of the forked process on Linux."""


class Popen(subprocess.Popen[Any]):
    """Forks for `COMMAND`, and starts any other program as `subprocess.Popen` does."""

    def __init__(self, args: Any, *others: Any, **options: Any) -> None:
        # A library can be preloaded only when a program starts.
        if isinstance(args, list) and _words(args)[:4] == COMMAND and "LD_PRELOAD" not in os.environ:
            options["preexec_fn"] = partial(_become_referee, _words(args)[4:])
        with warnings.catch_warnings():
            # Python 3.12 warns when a process with several threads forks. A referee needs nothing of them.
            warnings.simplefilter("ignore", DeprecationWarning)
            super().__init__(args, *others, **options)


def _words(args: list[str]) -> list[str]:
    """Return the command without the program that sets the parent-death signal: the referee sets it, too."""
    prefix = death_signal()
    return args[len(prefix) :] if args[: len(prefix)] == prefix else args


def _become_referee(arguments: list[str]) -> None:
    """Run the referee in the forked process, and exit. Its pipes, folder and session are set up already."""
    code = 1
    try:
        gc.freeze()  # otherwise the collector copies all memory that the parent shares
        os.closerange(3, 4096)
        _forget_the_parent()
        referee.__main__.main(arguments)
        threading._shutdown()  # type: ignore[attr-defined]  # waits for threads, as the interpreter does
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _forget_the_parent() -> None:
    """Set the streams, signals and warnings of a new Python process, which has no engines and no threads."""
    standard_streams()
    starter._threads.clear()
    starter._leaders.clear()
    starter._guards.clear()
    bubblewrap.hide_keys.cache_clear()
    # Arena forks inside its event loop, and a process may run only one.
    trio._core._run.GLOBAL_RUN_CONTEXT.__dict__.clear()
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    if sys.platform == "linux":
        Path("/proc/self/comm").write_text(NAME)  # it has the command line of the parent
    warnings.resetwarnings()
    warnings.simplefilter("ignore")


def standard_streams() -> None:
    """Make the standard streams use the descriptors 0, 1 and 2, or be None where these are closed."""
    sys.stdin, sys.stdout, sys.stderr = (
        _stream(number, mode, buffering)
        for number, mode, buffering in ((0, "r", -1), (1, "w", -1), (2, "w", 1))
    )


def _stream(number: int, mode: str, buffering: int) -> Any:
    try:
        return open(number, mode, buffering, encoding="utf-8", closefd=False)
    except OSError:
        return None
