"""The line on a terminal that shows how far a command has come."""

import io
import os
import pty
import shutil
import sys
import threading
from pathlib import Path

import pytest

from arena.cli.common.output import progress_line
from tests.arena.forked import arena


@pytest.fixture(autouse=True)
def xterm(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_line_replaces_the_one_before_and_is_erased_at_the_end_even_after_an_error(monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())

    def fail() -> None:
        with progress_line() as show_line:
            show_line("100 games")
            show_line("200 games")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert terminal.getvalue() == "\r100 games \033[K\r200 games \033[K\r\033[K"


@pytest.mark.parametrize(("stream", "term"), [(io.StringIO, "xterm"), (Terminal, "dumb")])
def test_without_a_screen_nothing_is_printed(monkeypatch, stream, term):
    monkeypatch.setenv("TERM", term)
    monkeypatch.setattr(sys, "stderr", file := stream())
    with progress_line() as show_line:
        show_line("100 games")
    assert file.getvalue() == ""


DRAWING = (
    ("games",),
    ("check", "--only", "101", "--", sys.executable, "-c", "input()"),
    ("report",),
)


@pytest.mark.parametrize("words", DRAWING, ids=lambda words: words[0])
def test_a_dumb_terminal_gets_what_a_pipe_gets(words, tmp_path, sample_database):
    shutil.copy(sample_database, tmp_path / "arena.db")
    piped = arena(*words, cwd=tmp_path)
    shutil.rmtree(tmp_path / "report-autumn", ignore_errors=True)
    hub, terminal = pty.openpty()
    name = Path(os.ttyname(terminal))
    shown = bytearray()
    reader = threading.Thread(target=read, args=(hub, shown))
    reader.start()
    env = {**os.environ, "TERM": "dumb", "COLUMNS": "60"}
    done = arena(*words, cwd=tmp_path, env=env, stdout=name, stderr=name)
    os.close(terminal)
    reader.join(60)
    os.close(hub)
    assert done.returncode == piped.returncode
    lines = shown.decode().replace("\r\n", "\n").splitlines()
    assert timeless(lines) == timeless([*piped.stdout.splitlines(), *piped.stderr.splitlines()])


def read(hub, into):
    try:
        while piece := os.read(hub, 65536):
            into += piece
    except OSError:
        pass  # in Linux: nobody has the terminal open any more


def timeless(lines):
    return sorted(line for line in lines if "0." not in line)
