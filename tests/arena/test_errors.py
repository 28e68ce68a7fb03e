"""What a task of a server outlasts, and what ends it."""

import errno

import pytest
import trio

from arena.errors import ArenaError, Outlasting, StoreError, StoreUnavailable

LOCKED = StoreUnavailable("arena.db: is locked by another program")


def test_a_fault_is_logged_once_until_a_try_succeeds(capsys):
    outlasting = Outlasting("the task")

    def fail(error):
        with outlasting:
            raise error

    for _ in range(3):
        fail(LOCKED)
    fail(ExceptionGroup("", [ArenaError("another")]))
    fail(LOCKED)
    fail(LOCKED)
    with outlasting:
        pass
    fail(LOCKED)
    text = f"the task: {LOCKED}; it is tried again"
    assert capsys.readouterr().err.splitlines() == [text, "the task: another; it is tried again", text, text]


@pytest.mark.parametrize("number", [errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC])
def test_a_machine_without_a_resource_is_outlasted(capsys, number):
    with Outlasting("the task"):
        raise OSError(number, "some reason")
    assert "run out of a resource: some reason" in capsys.readouterr().err


@pytest.mark.parametrize(
    "error",
    [
        ZeroDivisionError(),
        OSError(errno.EBADF, ""),
        KeyboardInterrupt(),
        ExceptionGroup("", [LOCKED, ValueError("")]),
        BaseExceptionGroup("", [LOCKED, KeyboardInterrupt()]),
    ],
)
def test_a_programming_error_and_ctrl_c_end_the_task(capsys, error):
    with pytest.raises(type(error)), Outlasting("the task"):
        raise error
    assert capsys.readouterr().err == ""


def test_a_task_that_needs_a_new_process_ends_at_any_other_fault():
    with pytest.raises(StoreError), Outlasting("the task", StoreUnavailable):
        raise StoreError("arena.db: the database was replaced by another file")
    with Outlasting("the task", StoreUnavailable):
        raise LOCKED


async def test_a_task_that_fails_while_it_is_cancelled_ends():
    with trio.CancelScope() as scope:
        while True:
            scope.cancel()
            with Outlasting("the task"):
                await trio.lowlevel.checkpoint()
    assert scope.cancelled_caught
