"""Nothing that an engine starts outlives it, its referee or arena, in each kind of containment."""

import os
import signal
import subprocess
import sys
import uuid
from contextlib import suppress

import psutil
import pytest
import trio

from protocol.process.engine_process import EngineProcess
from protocol.process.lifetime import VARIABLE
from protocol.spec import EngineSpec
from tests.arena.run.test_run_process import running, write
from tests.missing_tools import needs
from tests.processes import engines, wait_for, with_argument
from tests.referee.match.test_hostile import game
from tests.referee.test_process import HOSTILE, events, referee, tell

pytestmark = [needs("linux"), pytest.mark.system]

NAMESPACE = pytest.param("namespace", marks=needs("namespaces"))
BWRAP = pytest.param("bwrap", marks=needs("bwrap"))
SEEN = [sys.prefix, sys.base_prefix, str(HOSTILE.parent)]


@pytest.fixture
def contain(monkeypatch):
    """Choose a kind of containment for the processes that the test starts; return the sandbox."""

    def choose(kind):
        monkeypatch.setenv(VARIABLE, "" if kind == "namespace" else "none")
        return "bwrap" if kind == "bwrap" else "none"

    return choose


@pytest.fixture
def token():
    mark = f"contained-{uuid.uuid4()}"
    yield mark
    for pid in with_argument(mark):
        os.kill(pid, 9)


def assert_none_left(token):
    """No process has the token, even if it forks between two looks."""
    wait_for(lambda: not any(with_argument(token) for _ in range(10)), "processes are left")


def programs(pid, token):
    """Return the last words of the engines' commands, of those that have replaced the program before them."""
    words = set()
    for engine in set(engines(pid)) & set(with_argument(token)):
        with suppress(psutil.NoSuchProcess):
            words |= set(psutil.Process(engine).cmdline()[-1:])
    return words


def lives(process):
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def tournament(folder, token, box, mode):
    """Write an endless tournament with engines of which one thinks all the time."""
    file = write(folder, ("a", "hangs-in-search"), ("b", mode), concurrency=1, time_control='"600+0"')
    text = file.read_text()
    for name, word in (("a", "hangs-in-search"), ("b", mode)):
        text = text.replace(f'"{word}"]', f'"{word}", "{token}", "{name}"]')
    defaults = f'[defaults]\nsandbox = "{box}"\nreadable = {SEEN}\n[defaults.timeouts]'
    file.write_text(text.replace("[defaults.timeouts]", defaults))
    return file


@needs("setpriv")
@pytest.mark.parametrize(
    ("kind", "mode"),
    [
        pytest.param("namespace", "leaves-a-fork-loop", marks=needs("namespaces")),
        ("none", "leaves-a-grandchild"),
        pytest.param("bwrap", "leaves-a-fork-loop", marks=needs("bwrap")),
    ],
)
def test_nothing_is_left_when_arena_is_killed_while_everything_is_stopped(
    tmp_path, token, contain, kind, mode
):
    file = tournament(tmp_path, token, contain(kind), mode)
    with running(file) as process:
        wait_for(lambda: {"a", "b"} <= programs(process.pid, token), "the engines were not started")
        everything = psutil.Process(process.pid).children(recursive=True)
        assert len(everything) >= 3
        for child in everything:
            try:
                os.kill(child.pid, signal.SIGSTOP)
            except ProcessLookupError:
                pass  # a daemon forks and exits all the time
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        # Process ids would not do: a daemon that forks all the time soon takes all ids in turn.
        wait_for(lambda: not any(map(lives, everything)), "processes are left")
    assert_none_left(token)


@pytest.mark.parametrize("kind", [NAMESPACE, BWRAP])
def test_a_daemon_that_forks_in_a_tight_loop_ends_with_its_engine(token, contain, kind):
    job = game(token, "leaves-a-fork-loop", box=contain(kind))
    with referee() as process:
        tell(process, job)
        (finished,) = events(process, "finished")
        assert finished["reason"] == "length"
        tell(process, {"do": "quit"})
        assert process.wait(20) == 0
    assert_none_left(token)


@needs("namespaces")
def test_a_daemon_that_forks_in_a_tight_loop_ends_with_its_killed_referee(token):
    job = game(token, "leaves-a-fork-loop")
    job["seats"][0]["engine"]["command"][-1] = "hangs-in-search"
    with referee() as process:
        tell(process, job)
        events(process, "started")
        wait_for(lambda: with_argument(token), "the engine was not started")
        process.kill()
    assert_none_left(token)


@pytest.mark.parametrize("kind", [NAMESPACE, "none", BWRAP])
def test_an_engine_that_ends_has_crashed_even_if_a_child_keeps_its_pipes_open(token, contain, kind):
    box = contain(kind)
    jobs = [
        game(token, mode, box=box, control="3+0")
        for mode in ("dies-behind-a-child", "answers-and-dies-behind-a-child")
    ]
    with referee() as process:
        tell(process, *jobs)
        finished = {event["id"]: event for event in events(process, "finished", 2)}
        tell(process, {"do": "quit"})
        assert process.wait(20) == 0
    for event in finished.values():
        assert event["seats"][1]["forfeit"] == "crash", event
        assert "ended with exit code 1" in event["detail"]
    counts = [[ply[0] for ply in event["record"]].count(1) for event in finished.values()]
    assert sorted(counts) == [0, 2]  # the answer before the crash counts
    assert_none_left(token)


@pytest.mark.parametrize(
    ("kind", "forfeit"), [pytest.param(*NAMESPACE.values, "stall", marks=NAMESPACE.marks), ("none", "crash")]
)
def test_an_engine_that_closes_its_input_loses_when_it_does_not_answer_or_immediately(
    token, contain, kind, forfeit
):
    job = game(token, "closes-its-input", box=contain(kind))
    job["seats"][1]["engine"]["timeouts"]["ready"] = 3
    with referee() as process:
        tell(process, job)
        (finished,) = events(process, "finished")
    assert [seat["forfeit"] for seat in finished["seats"]] == [None, forfeit]


@pytest.mark.parametrize("kind", [NAMESPACE, "none", BWRAP])
def test_the_signal_that_ended_an_engine_is_named(token, contain, kind):
    job = game(token, "dies-in-the-middle", box=contain(kind))
    with referee() as process:
        tell(process, job)
        (finished,) = events(process, "finished")
    assert finished["seats"][1]["forfeit"] == "crash"
    assert "ended with signal SIGSEGV" in finished["detail"]


@pytest.mark.parametrize("kind", [NAMESPACE, "none", BWRAP])
async def test_sigterm_for_the_group_ends_an_engine(contain, kind):
    command = ("sh", "-c", "echo ready; sleep 3600")
    process = await EngineProcess.start(EngineSpec("e", command, sandbox=contain(kind)))
    try:
        with trio.fail_after(60):
            assert await process.read() == b"ready\n"
            process.signal_group(signal.SIGTERM)
            await process.wait_exit()
        assert process.exit_text == "signal SIGTERM"
    finally:
        process.dispose()


@pytest.mark.parametrize("kind", [NAMESPACE, "none", BWRAP])
async def test_an_exit_code_that_no_signal_has_is_shown_as_it_is(contain, kind):
    process = await EngineProcess.start(EngineSpec("e", ("sh", "-c", "exit 255"), sandbox=contain(kind)))
    try:
        with trio.fail_after(60):
            await process.wait_exit()
        assert process.exit_text == "exit code 255"
    finally:
        process.dispose()


# --- parents


def test_a_referee_whose_parent_has_ended_does_not_start():
    command = [sys.executable, "-m", "referee", "--parent", "1"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "process 1, which started this one, has ended\n"
