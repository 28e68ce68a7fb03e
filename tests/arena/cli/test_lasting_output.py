"""`arena run` plays on when nobody listens, and writes what it cannot show to a file."""

import io
import os
import pty
import threading

import click
import pytest
from rich.console import Console

from arena.cli.progress.lasting_output import LOG_NAME, LastingStream, _LostOutput
from tests.arena.forked import CLOSED, arena, forked
from tests.arena.run.test_run_process import assert_complete, write
from tests.missing_tools import needs
from tests.processes import wait_for

pytestmark = pytest.mark.system

FULL = "No space left on device"


class Broken(io.StringIO):
    """A stream that fails at the first flush after `broken` was set."""

    broken = False

    def flush(self):
        if self.broken:
            raise BrokenPipeError(32, "Broken pipe")


@pytest.fixture
def lasting(tmp_path):
    below = Broken()
    return below, LastingStream(below, "standard error", _LostOutput(tmp_path, "cup")), tmp_path / LOG_NAME


def games(file, **options):
    done = arena("run", "t.toml", cwd=file.parent, **options)
    assert done.returncode == 0, done.stderr
    assert_complete(file)
    return done


def test_what_is_shown_is_not_logged(lasting):
    below, stream, log = lasting
    print("one", file=stream, flush=True)
    assert below.getvalue() == "one\n"
    assert not log.exists()


def test_what_may_not_have_been_shown_is_logged_and_everything_after_it(lasting):
    below, stream, log = lasting
    print("one", file=stream, flush=True)
    below.broken = True
    print("two", file=stream)
    print("three", file=stream, flush=True)
    print("four", file=stream, flush=True)
    heading, *lines = log.read_text().splitlines()
    assert heading.endswith(" cup: standard error cannot be written: Broken pipe")
    assert lines == ["two", "three", "four"]
    assert stream.lost


def test_frames_of_a_live_page_are_not_logged(lasting):
    below, stream, log = lasting
    below.broken = True
    Console(file=stream, force_terminal=True, color_system="standard").print("[red]frame")
    assert stream.lost
    assert not log.exists()
    assert not stream.isatty()


def test_a_log_that_cannot_be_written_is_given_up(tmp_path):
    (tmp_path / "file").touch()
    stream = LastingStream(Broken(), "standard error", _LostOutput(tmp_path / "file", "cup"))
    stream.lose(OSError(5, "Input/output error"))
    assert stream.write("text") == 4


def test_no_library_can_write_past_it(lasting):
    below, stream, log = lasting
    with pytest.raises(TypeError):
        stream.write(b"bytes")
    below.broken = True
    click.echo("text", file=stream)
    click.echo(b"bytes", file=stream)
    assert log.read_text().splitlines()[1:] == ["text", "bytes"]


@needs("linux")
def test_json_that_cannot_be_shown_is_logged(tmp_path):
    file = write(tmp_path, ("a", "honest"), ("b", "honest"))
    games(file)
    shown = arena("run", "t.toml", "--json", cwd=tmp_path).stdout
    assert shown.startswith("{")
    assert arena("run", "t.toml", "--json", cwd=tmp_path, stdout="/dev/full").returncode == 0
    assert (tmp_path / LOG_NAME).read_text().partition("\n")[2] == shown


@needs("linux")
@pytest.mark.parametrize("lost", [("stderr",), ("stdout",), ("stdout", "stderr")])
def test_a_run_whose_output_cannot_be_written_is_played_to_its_end(tmp_path, lost):
    file = write(tmp_path, ("a", "honest"), ("b", "honest"))
    games(file, **dict.fromkeys(lost, "/dev/full"))
    text = (tmp_path / LOG_NAME).read_text()
    for line in (f"standard error cannot be written: {FULL}\n", "[1/2] a - b: ", "[2/2] b - a: "):
        assert (line in text) == ("stderr" in lost)
    assert (f"standard output cannot be written: {FULL}\ntournament t, quoridor" in text) == (
        "stdout" in lost
    )


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
    text = (tmp_path / "logs" / LOG_NAME).read_text()
    assert "t: standard error cannot be written: Broken pipe\n" in text
    assert text.splitlines()[-1].startswith("4 games played")


@needs("linux")
def test_a_run_whose_terminal_goes_away_is_played_to_its_end(tmp_path):
    file = write(tmp_path, ("a", "thinks-a-little"), ("b", "honest"), games_per_pairing=4)
    master, slave = pty.openpty()
    try:
        with forked("run", "t.toml", cwd=tmp_path, stderr=os.ttyname(slave)) as process:
            wait_for(lambda: b"playing" in os.read(master, 1 << 16), "the page is not shown")
            os.close(slave)
            os.close(master)
            master = None
            assert process.wait(60) == 0
    finally:
        if master is not None:
            os.close(master)
    assert_complete(file)
    text = (tmp_path / LOG_NAME).read_text()
    assert "t: standard error cannot be written: Input/output error\n" in text
    assert "[4/4] b - a: " in text
    assert "4 games played" in text
    assert "\x1b" not in text


def test_a_run_without_standard_streams_is_played_to_its_end(tmp_path):
    file = write(tmp_path, ("a", "honest"), ("b", "honest"))
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), CLOSED)
    assert arena("run", "t.toml", cwd=tmp_path, **streams).returncode == 0
    assert_complete(file)
    text = (tmp_path / LOG_NAME).read_text()
    assert "standard error cannot be written: it is closed\n" in text
    assert "tournament t, quoridor: 2 games\n" in text


@needs("linux")
def test_an_error_that_cannot_be_shown_is_logged_and_keeps_its_exit_code(tmp_path):
    file = write(tmp_path, ("a", "honest"), ("b", "honest"))
    games(file)
    file.write_text(file.read_text().replace("60+0", "30+0"))
    done = arena("run", "t.toml", cwd=tmp_path, stderr="/dev/full")
    assert done.returncode == 2
    assert "error: " in (tmp_path / LOG_NAME).read_text()


@needs("linux")
def test_another_command_whose_error_cannot_be_shown_keeps_its_exit_code(tmp_path):
    assert arena("standings", cwd=tmp_path, stderr="/dev/full").returncode == 2
