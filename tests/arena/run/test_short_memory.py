"""Too little memory: one sentence, a referee that is replaced, or an answer; never a lost or stolen game."""

import errno
import os

import pytest
import trio

from arena.cli.program import exit_code
from arena.errors import StoreError, exhausted

SENTENCE = (
    "error: this machine has run out of a resource: Cannot allocate memory; free some and start again; stored"
    " games are safe\n"
)


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
