"""``arena door run``: the tournament, its pages and the door in one command."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import click

from arena.cli.common.parameters import examples
from arena.cli.door.common import file_argument, opened_door
from arena.cli.door.pages import host_option, port_option

__all__ = ["command"]

_LOOK_SECONDS: Final = 0.2
_LONGEST_PAUSE: Final = 30.0
_LASTS: Final = 60.0
"""A process that has run for more than this many seconds is started again at once."""


@click.command(
    "run",
    epilog=examples(
        "$ arena door run league.toml", "$ arena door run league.toml --host 0.0.0.0 --port 8000"
    ),
)
@file_argument
@host_option
@port_option
def command(file: Path, host: str, port: int) -> None:
    """Play the tournament in FILE, serve its pages, and take what is handed in.

    These are three processes. If one of them ends, it is started again, and nothing that was stored is lost.
    After Ctrl-C the running games end first; a second Ctrl-C stops them at once.
    """
    from arena.door.worker import build_cores, check_sandbox
    from protocol.process.lifetime import death_signal

    check_sandbox()
    with opened_door(file) as (spec, register):
        if not any(one.organiser for one in register.participants()):
            click.echo(
                "nobody has the organiser's page: `arena door invite FILE NAME --organiser` prints its link",
                err=True,
            )
        path = str(spec.path)
        games = os.sched_getaffinity(0) - build_cores(spec)
    start = [*death_signal("TERM"), sys.executable, "-m", "arena"]
    children = [
        _Child("pages", [*start, "door", "pages", path, "--host", host, "--port", str(port)]),
        _Child("worker", [*start, "door", "worker", path]),
        _Child("tournament", [*start, "run", path, "--quiet"], frozenset(games)),
    ]
    _keep(children)


@dataclass(slots=True)
class _Child:
    """A process that is kept running.

    Attributes:
        name: what it is, for messages.
        words: its command.
        cores: the processors that it may use; empty for all.
        process: the process; None before the first start.
        began: when it was started, on the monotonic clock.
        pause: how many seconds after its start it is started again at the earliest.
    """

    name: str
    words: list[str]
    cores: frozenset[int] = frozenset()
    process: subprocess.Popen[bytes] | None = None
    began: float = field(default=0.0)
    pause: float = field(default=0.0)

    def start(self) -> None:
        self.began = time.monotonic()
        own = os.sched_getaffinity(0)
        if self.cores:
            os.sched_setaffinity(0, self.cores)  # the process inherits it
        try:
            self.process = subprocess.Popen(
                self.words, stdin=subprocess.DEVNULL, stdout=sys.stderr, start_new_session=True
            )
        finally:
            os.sched_setaffinity(0, own)

    @property
    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def keep(self) -> None:
        """Start the process if it does not run. If it ends again and again, wait longer each time."""
        if self.running:
            return
        if self.process is not None:
            lasted = time.monotonic() - self.began
            if lasted < self.pause:
                return
            self.pause = 0.5 if lasted > _LASTS else min(2 * self.pause + 0.5, _LONGEST_PAUSE)
            click.echo(f"{self.name}: ended with {self.process.returncode}; it is started again", err=True)
        self.start()

    def tell(self, number: signal.Signals) -> None:
        if self.process is not None and self.running:
            self.process.send_signal(number)


def _keep(children: list[_Child]) -> None:
    """Keep all processes running until Ctrl-C or SIGTERM, then end them."""
    stops: list[int] = []
    before = {
        number: signal.signal(number, lambda number, _: stops.append(number))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        while not stops:
            for child in children:
                child.keep()
            time.sleep(_LOOK_SECONDS)
        told = 0
        while any(child.running for child in children):
            if told < len(stops):
                told += 1
                for child in children:
                    child.tell(signal.SIGINT)
                if told == 1:
                    click.echo("the running games end first; Ctrl-C again stops them at once", err=True)
            time.sleep(_LOOK_SECONDS)
    finally:
        for child in children:
            child.tell(signal.SIGKILL)
        for number, handler in before.items():
            signal.signal(number, handler)
