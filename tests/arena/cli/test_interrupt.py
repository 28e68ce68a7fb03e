"""Ctrl-C ends a command, also while the database is busy."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from arena.cli import program
from arena.store import Store

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    "blocked", [False, True], ids=["by a terminal", "by a door that has just started it"]
)
def test_ctrl_c_that_comes_while_arena_starts_prints_nothing(blocked):
    script = "import arena.__main__, os, signal; os.kill(os.getpid(), signal.SIGINT)"
    if blocked:  # it comes before the first line of arena
        script = "import os, signal; os.kill(os.getpid(), signal.SIGINT); import arena.__main__"
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT} if blocked else ())
    try:
        done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, check=False)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    assert (done.returncode, done.stderr) == (-signal.SIGINT, b"")


@pytest.mark.parametrize("handler", [signal.default_int_handler, signal.SIG_DFL])
def test_a_command_handles_ctrl_c_itself_after_any_start(handler):
    signal.signal(signal.SIGINT, handler)
    try:
        program.take_ctrl_c()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def compute(store, statement):
    with store.database.reading() as session:
        session.connection().exec_driver_sql(statement).all()


def test_ctrl_c_interrupts_a_long_statement_of_the_database(tmp_path):
    store = Store.open(tmp_path / "arena.db", create=True)
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            compute(store, endless)
        assert store.tournaments() == ()
    finally:
        timer.cancel()
        store.close()
