"""`arena run` plays on when nobody can read its output."""

import os
import pty
import re
import select
import threading

import pytest

from tests.arena.forked import CLOSED, arena, forked
from tests.arena.run.test_run_process import assert_complete, write
from tests.missing_tools import needs
from tests.processes import wait_for

pytestmark = pytest.mark.system


def games(file, **options):
    done = arena("run", "t.toml", cwd=file.parent, **options)
    assert done.returncode == 0, done.stderr
    assert_complete(file)
    return done


def shown_now(master):
    """What a terminal got since the last look; it waits for nothing, so that `wait_for` has a limit."""
    return os.read(master, 1 << 16) if select.select([master], [], [], 0)[0] else b""


@needs("linux")
@pytest.mark.parametrize("lost", [("stderr",), ("stdout",), ("stdout", "stderr")])
def test_a_run_whose_output_cannot_be_written_is_played_to_its_end(tmp_path, lost):
    file = write(tmp_path, ("a", "honest"), ("b", "honest"))
    games(file, **dict.fromkeys(lost, "/dev/full"))


def test_a_run_whose_reader_ends_after_a_line_is_played_to_its_end(tmp_path):
    file = write(tmp_path, ("a", "honest"), ("b", "honest"), log='"logs"', games_per_pairing=4)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    lines = []

    def read():
        with pipe.open() as reader:
            lines.append(next(line for line in reader if not line.startswith("warning")))

    head = threading.Thread(target=read)
    head.start()
    games(file, stderr=pipe)
    head.join()
    assert lines[0].startswith("[1/4]")


@needs("linux")
def test_a_run_whose_terminal_goes_away_is_played_to_its_end(tmp_path):
    file = write(tmp_path, ("a", "thinks-a-little"), ("b", "honest"), games_per_pairing=4)
    master, slave = pty.openpty()
    try:
        with forked("run", "t.toml", cwd=tmp_path, stderr=os.ttyname(slave)) as process:
            wait_for(lambda: b"playing" in shown_now(master), "the page is not shown")
            os.close(slave)
            os.close(master)
            master = None
            assert process.wait(60) == 0
    finally:
        if master is not None:
            os.close(master)
    assert_complete(file)


def test_a_run_without_standard_streams_is_played_to_its_end(tmp_path):
    file = write(tmp_path, ("a", "honest"), ("b", "honest"))
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), CLOSED)
    assert arena("run", "t.toml", cwd=tmp_path, **streams).returncode == 0
    assert_complete(file)


@needs("linux")
def test_an_error_that_cannot_be_shown_keeps_its_exit_code(tmp_path):
    file = write(tmp_path, ("a", "honest"), ("b", "honest"))
    games(file)
    file.write_text(file.read_text().replace("60+0", "30+0"))
    done = arena("run", "t.toml", cwd=tmp_path, stderr="/dev/full")
    assert done.returncode == 2


@needs("linux")
def test_where_a_run_serves_its_pages_stays_above_its_live_table(tmp_path):
    write(tmp_path, ("a", "thinks-a-little"), ("b", "honest"), games_per_pairing=9999)
    master, slave = pty.openpty()
    shown = b""

    def is_said():
        nonlocal shown
        shown += shown_now(master)
        return re.search(rb"(\n|\x1b\[2K)(serving on http|error: cannot listen)", shown)

    try:
        with forked("run", "t.toml", "--serve", cwd=tmp_path, stderr=os.ttyname(slave)):
            wait_for(is_said, "the address is not on a line of its own")
    finally:
        os.close(slave)
        os.close(master)
