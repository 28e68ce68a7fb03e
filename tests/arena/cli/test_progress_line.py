"""The line on a terminal that shows how far a command has come."""

import io
import sys

import pytest

from arena.cli.common.output import progress_line


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
