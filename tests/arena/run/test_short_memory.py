"""Too little memory: one sentence, a referee that is replaced, or an answer; never a lost or stolen game."""

import errno
import os
import subprocess

import pytest
import trio

from arena.cli.program import exit_code
from arena.errors import StoreError, exhausted
from tests.arena.run.test_run_process import ARENA, assert_complete, results, started, write
from tests.missing_tools import needs

SENTENCE = (
    "error: this machine has run out of a resource: Cannot allocate memory; free some and start again; stored"
    " games are safe\n"
)
MIB = 1 << 20


def wrapped():
    """Return the error that trio makes of an allocation that fails in its own loop."""
    try:
        raise trio.TrioInternalError("internal error in Trio - please file a bug!") from MemoryError()
    except trio.TrioInternalError as error:
        return error


SHORT = {
    "an object": MemoryError(),
    "two tasks": BaseExceptionGroup("", [MemoryError(), ExceptionGroup("", [MemoryError()])]),
    "the event loop": wrapped(),
    "a library": ImportError("numpy/core.so: failed to map segment from shared object\n"),
    "a module": SystemError("error return without exception set"),
    "the system": OSError(errno.ENOMEM, os.strerror(errno.ENOMEM)),
}


@pytest.mark.parametrize("error", SHORT.values(), ids=SHORT)
def test_a_command_without_memory_for_anything_ends_with_one_sentence(error, monkeypatch, capsys):
    def too_late():
        raise MemoryError

    def fail():
        raise error

    monkeypatch.setattr("arena.errors.user_errors", too_late)  # it imports modules
    assert exit_code(fail) == 2
    assert capsys.readouterr().err == SENTENCE


def test_what_already_says_where_the_memory_was_too_little_stays_as_it_is():
    error = StoreError("arena.db: there is too little memory")
    error.__cause__ = MemoryError()
    assert exhausted(error) == ""
    assert exhausted(ValueError("out of range")) == ""


@pytest.mark.system
@needs("prlimit")
@pytest.mark.parametrize("size", [45, 60, 120])
def test_a_command_in_a_little_memory_says_so_or_works(tmp_path, sample_database, size):
    words = ["prlimit", f"--as={size * MIB}", *ARENA, "standings", "spring", "--db", sample_database]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert "Traceback" not in done.stderr
    assert (done.returncode, done.stderr) in ((0, ""), (2, SENTENCE))


WITHOUT_MEMORY = """
import os, sys
if "referee" in sys.orig_argv and os.path.isdir({mark!r}):
    from referee.match.play import RefereedGame
    async def play(*_):
        os.rmdir({mark!r})
        raise MemoryError
    RefereedGame.play = play
"""
"""A module that Python imports at its start: the first game of the first referee finds no memory."""


@pytest.mark.system
def test_a_referee_without_memory_is_replaced_and_its_game_is_played_again(tmp_path, monkeypatch):
    file = write(tmp_path, ("a", "honest"), ("b", "honest"), games_per_pairing=2)
    mark, code = tmp_path / "first", tmp_path / "code"
    mark.mkdir()
    code.mkdir()
    (code / "sitecustomize.py").write_text(WITHOUT_MEMORY.format(mark=str(mark)))
    monkeypatch.setenv("PYTHONPATH", str(code))
    with started(file) as process:
        _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert "Traceback" not in err
    (again,) = [line for line in err.splitlines() if line.startswith("played again: ")]
    assert again.endswith(": the referee process died: there is too little memory")
    assert {result.termination for result in results(tmp_path)} == {"adjudicated"}
    assert_complete(file)
