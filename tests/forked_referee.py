"""`python -m referee` as a fork of the process that starts it, which has imported the referee already.

The imports cost a quarter of a second, and the tests start hundreds of referees. All else is as in any
process: a child of the one that starts it, in its own session, with pipes, signals and an exit code.
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

import referee.__main__
from protocol.process import starter

COMMAND = [sys.executable, "-P", "-m", "referee"]
"""What `arena.run.executors.local` starts."""

NAME = "referee"
"""The name of the forked process on Linux."""


class Popen(subprocess.Popen[Any]):
    """Forks for `COMMAND`, and starts any other program as `subprocess.Popen` does."""

    def __init__(self, args: Any, *others: Any, **options: Any) -> None:
        # A preloaded library is there from the start of a program only.
        if isinstance(args, list) and args[:4] == COMMAND and "LD_PRELOAD" not in os.environ:
            options["preexec_fn"] = partial(_become_referee, args[4:])
        with warnings.catch_warnings():
            # From Python 3.12 on a fork warns of other threads. Here they hold nothing that a referee needs.
            warnings.simplefilter("ignore", DeprecationWarning)
            super().__init__(args, *others, **options)


def _become_referee(arguments: list[str]) -> None:
    """In the child, whose standard streams, folder and session are set up: play, and never return."""
    code = 1
    try:
        gc.freeze()  # else the collector copies all memory that is shared with the parent
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
    """Streams, signals and threads as in a Python program that has just begun."""
    standard_streams()
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    if sys.platform == "linux":
        Path("/proc/self/comm").write_text(NAME)  # its command line is that of the parent
    starter._starter.cache_clear()
    starter._remover.cache_clear()
    starter._leaders.clear()
    warnings.resetwarnings()
    warnings.simplefilter("ignore")


def standard_streams() -> None:
    """Read and write the descriptors 0, 1 and 2, whatever the streams of the parent were."""
    sys.stdin, sys.stdout, sys.stderr = (
        open(number, mode, buffering, encoding="utf-8", closefd=False)  # noqa: SIM115
        for number, mode, buffering in ((0, "r", -1), (1, "w", -1), (2, "w", 1))
    )
