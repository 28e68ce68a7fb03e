"""The worker: what is handed in is built, checked and tried in the sandbox, and harms nobody."""

import errno
import json
import os
import re
import socket
from functools import partial
from pathlib import Path

import pytest
import trio

from arena.config import load
from arena.door.folder import DoorFolder
from arena.door.register import DoorRegister, State
from arena.door.upload import ArchiveLimits, SourceFile, engine_keys, packed, read_files
from arena.door.worker import build, remark
from arena.errors import ArenaError, StoreError
from referee.check import CheckResult, CheckStatus, Severity
from tests.arena.door.conftest import BOTH
from tests.missing_tools import needs

ROOT = Path(__file__).parents[3]
RANDOM = (ROOT / "engines" / "python-random" / "engine.py").read_bytes()


@pytest.fixture(autouse=True)
def few_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.door.worker._PROCESSES", 50)
    monkeypatch.setattr("arena.door.worker._BUILD_MEMORY", 200 << 20)
    monkeypatch.setattr("arena.door.worker._BUILD_DISK", 20 << 20)


pytestmark = [needs("bwrap"), pytest.mark.system]


async def work(worker, submission):
    """Run the worker until a submission has ended."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(worker.run)
        while True:
            stored = next(each for each in worker.register.submissions() if each.id == submission.id)
            if stored.ended is not None:
                break
            await trio.sleep(0.05)
        await trio.to_thread.run_sync(worker.publish)
        nursery.cancel_scope.cancel()
    return stored


def texts(worker, submission, kind):
    return [line.text for line in worker.register.lines(submission.id) if line.kind == kind]


@pytest.mark.slow  # all checks and a game: what the quick tests do not start
async def test_a_good_engine_is_admitted_and_enters_the_tournament(worker, hand_in):
    submission = hand_in("ann", {"bot.py": RANDOM})
    assert (await work(worker, submission)).state is State.PLAYS, worker.register.lines(submission.id)
    assert "all" in texts(worker, submission, "check")[-1]
    assert texts(worker, submission, "end") == ["admitted: version 1 plays in the tournament now"]
    entry = load(worker.spec.path).engines[-1]
    assert (entry.spec.name, entry.version, entry.spec.sandbox, entry.spec.limits.processes) == (
        "ann",
        "1",
        "bwrap",
        64,
    )
    worker.register.change("ann", state="paused")
    worker.publish()
    assert [engine.spec.name for engine in load(worker.spec.path).engines] == ["sample", "other"]


async def test_what_fails_a_check_is_refused_in_the_words_of_the_checker(worker, hand_in):
    submission = hand_in("ann", {"bot.py": b"print('hello')\n"})
    stored = await work(worker, submission)
    assert stored.state is State.REFUSED
    failed = texts(worker, submission, "failed")[0]
    number, name, advice = re.match(r"(\d+) (.*?): it .*\nadvice: (.*)", failed).groups()
    assert stored.problem.startswith(f"quoridor: check {number} failed, {name}: it ")
    assert f"; advice: {advice}" in stored.problem
    assert any("advice: " in text for text in texts(worker, submission, "failed"))
    (command,) = texts(worker, submission, "home")
    assert re.fullmatch(r"arena check --game quoridor --only \d+(,\d+)* -- {python} bot.py", command)
    assert json.loads((worker.folder.path / "engines.json").read_text()) == []


def test_a_remark_is_one_line_that_names_all_checks_that_failed():
    must, failed = Severity.MUST, CheckStatus.FAILED
    first = CheckResult(103, "greets", must, 0, failed, "said '\x1b[2J\n'", "answer `ugi`")
    assert remark("hops", first) == "hops: check 103 failed, greets: it said '?[2J?'; advice: answer `ugi`"
    other = CheckResult(301, "moves in time", must, 0, failed, "did not")
    assert remark("hops", first, other).endswith("`ugi`; also failed: 301 moves in time")


@BOTH
async def test_a_build_that_fails_is_refused_with_its_output(worker, hand_in):
    stored = await work(
        worker,
        hand_in("ann", {"engine.toml": b'command = "./x"\nbuild = "echo no such \xf0\x9f\x90\xb8; exit 3"'}),
    )
    assert stored.problem == "the build failed with exit code 3; its output says why"
    assert "no such \N{FROG FACE}\n" in texts(worker, stored, "build")


@pytest.mark.parametrize(
    ("place", "fault"),
    [("register", StoreError("the database is locked")), ("folder", OSError(errno.EIO, "broken"))],
)
async def test_a_fault_of_the_hub_refuses_no_submission(worker, hand_in, monkeypatch, place, fault):
    monkeypatch.setattr("arena.door.worker._FAULT_SECONDS", 0)
    submission = hand_in("ann", {"engine.toml": b"command = './x'\nbuild = 'exit 3'"})
    owner, method = {"register": (DoorRegister, "note"), "folder": (DoorFolder, "read")}[place]
    faults = [fault]
    real = getattr(owner, method)

    def fail_once(*arguments):
        if faults:
            raise faults.pop()
        return real(*arguments)

    monkeypatch.setattr(owner, method, fail_once)
    stored = await work(worker, submission)
    assert not faults
    assert "exit code 3" in stored.problem
    assert stored.attempts == 2


async def test_built_versions_of_a_participant_take_little_of_the_disk_and_refused_ones_nothing(
    worker, hand_in, monkeypatch
):
    monkeypatch.setattr("arena.door.worker._MOST_BUILT", 1 << 20)
    build = b"command = './x'\nbuild = 'head -c 600000 /dev/zero > large'\n"
    first = await work(worker, hand_in("ann", {"engine.toml": build}))
    assert "there is no file 'x' after the build" in first.problem
    assert not worker.folder.engine(first.id).exists()
    folders = []
    for text in (b"1", b"2", b"3"):
        version = hand_in("ann", {"bot.py": text})
        made = packed((SourceFile("large", bytes(200_000)),))
        folders.append(worker.folder.install(version.id, made, ArchiveLimits()))
        worker.register.move_on(version.id, State.PLAYS)
    await work(worker, hand_in("ann", {"engine.toml": build + b"# again"}))
    assert [folder.exists() for folder in folders] == [False, True, True]


async def test_a_killed_workers_submission_is_taken_again_and_only_one_worker_runs(worker, hand_in):
    submission = hand_in("ann", {"engine.toml": b'command = "./x"\nbuild = "false"'})
    worker.register.take(3)  # by a worker that was killed
    with worker.folder.locked("worker"), pytest.raises(ArenaError, match="another `arena door worker`"):
        await worker.run()
    stored = await work(worker, submission)
    assert (stored.state, stored.attempts) == (State.REFUSED, 2)


# --- builds


async def built(script, seconds=20, files=()):
    output = []

    async def tell(text):
        output.append(text)

    source = packed((SourceFile("a.txt", b"hello"), *files))
    try:
        made = await build(source, (script,), seconds, tell)
    except ArenaError as error:
        return str(error), "".join(output)
    return made, "".join(output)


async def test_a_build_sees_its_files_and_what_it_makes_comes_back():
    made, output = await built(
        "cat a.txt; ln -s a.txt link; ln a.txt hard; echo '#!/bin/sh' > go; chmod +x go"
    )
    import io

    from arena.door.upload import ArchiveLimits

    files = {file.path: file for file in read_files("", io.BytesIO(made), ArchiveLimits())}
    assert output == "hello"
    assert {path: file.content for path, file in files.items()} == {
        "a.txt": b"hello", "link": b"hello", "hard": b"hello", "go": b"#!/bin/sh\n",
    }  # fmt: skip
    assert files["go"].executable


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        ("head -c 100M /dev/zero > full", "exit code 1"),
        ("i=0; while head -c 1M /dev/zero > f$i; do i=$((i+1)); done; exit 9", "exit code 9"),
        ("sleep 100", "did not end within 1 seconds"),
        ("kill -9 $$", "signal"),
        ("exit 255", "exit code 255"),
        ("python3 -c 'x = bytearray(1 << 30)'", "exit code 1"),
    ],
)
async def test_a_build_that_takes_too_much_is_ended(script, sentence):
    made, _ = await built(script, 1 if "sleep" in script else 20)
    assert sentence in str(made)


async def test_a_build_that_prints_nothing_for_long_goes_on(monkeypatch):
    monkeypatch.setattr("trio._core._thread_cache.IDLE_TIMEOUT", 0.1)  # with whose end a thread ends
    made, _ = await built("sleep 1")
    assert isinstance(made, bytes), made


async def test_nothing_of_a_build_outlives_it():
    name = f"30{os.getpid()}"
    await built(f"(setsid sleep {name} </dev/null >/dev/null 2>&1 &) ; true")
    with trio.fail_after(5):
        while any(_runs(name)):  # noqa: ASYNC110 - nothing tells when a foreign process has gone
            await trio.sleep(0.02)


def _runs(word):
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            yield word.encode() in path.read_bytes().split(b"\0")
        except OSError:
            continue


async def test_a_build_reads_no_secret_and_reaches_no_network(worker, hand_in, monkeypatch):
    monkeypatch.setenv("ARENA_SECRET", "frog-secret")
    other = worker.folder.install(99, packed((SourceFile("secret", b"frog-secret"),)), _limits())
    worker.folder.secret()
    probes = [
        f"cat {other}/secret", f"cat {worker.folder.path}/cookie.key", f"cat {worker.spec.database}",
        f"ls {worker.folder.path}/submissions/*", "cat /proc/1/environ; env", "cat /etc/shadow",
        "cat /proc/[0-9]*/environ",
    ]  # fmt: skip
    made, output = await built("\n".join(f"({probe}) 2>&1 || true" for probe in probes))
    assert isinstance(made, bytes)
    assert "frog-secret" not in output
    assert worker.folder.secret() not in output
    assert "root:" not in output
    connect = "import socket; socket.create_connection(('127.0.0.1', 9), 1)"
    _, output = await built(f'python3 -c "{connect}" 2>&1 | tail -1')
    assert "Error" in output


SPY = """
import glob, os, socket, sys

def tries(what):
    try:
        return bool(what())
    except OSError:
        return False

found = [path for path in {paths} if tries(lambda: open(path, "rb"))]
for path in glob.glob("/proc/[0-9]*/environ"):
    found += [path] if tries(lambda: b"frog-secret" in open(path, "rb").read()) else []
found += [name for name in os.environ if "ARENA" in name]
found += ["network"] if tries(lambda: socket.create_connection(("127.0.0.1", {port}), 1)) else []
sys.exit(f"own file: {{os.path.exists(__file__)}}, found: {{found}}")
"""


async def test_an_engine_reads_no_secret_and_reaches_no_network(worker, hand_in, monkeypatch):
    monkeypatch.setenv("ARENA_SECRET", "frog-secret")
    other = worker.folder.install(99, packed((SourceFile("secret", b"frog-secret"),)), _limits())
    worker.folder.secret()
    with socket.create_server(("127.0.0.1", 0)) as server:
        paths = [f"{other}/secret", f"{worker.folder.path}/cookie.key", str(worker.spec.database)]
        paths += [f"{worker.folder.path}/worker.lock", str(worker.spec.path), "/etc/shadow"]
        spy = SPY.format(paths=paths, port=server.getsockname()[1])
        stored = await work(worker, hand_in("eve", {"bot.py": spy.encode()}))
    assert all(map(os.path.exists, paths))
    assert stored.state is State.REFUSED
    assert "own file: True, found: []" in "".join(texts(worker, stored, "failed"))


TELLS = """
import os, sys
print("at", __file__, sys.argv, os.getcwd(), file=sys.stderr)
raise SystemExit(1)
"""


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"bot.py": TELLS.encode()}, "at /engine/bot.py ['/engine/bot.py'] /home/engine"),
        ({"bot": b"x", "engine.toml": b'command = "./bot"'}, "bot has no first line such as"),
        (
            {"bot": b"#!/bin/nothing\n", "engine.toml": b'command = "./bot"'},
            "the first line of bot names the interpreter /bin/nothing",
        ),
    ],
)
async def test_nothing_that_a_participant_reads_tells_where_the_door_is(
    worker, hand_in, tmp_path, files, words
):
    stored = await work(worker, hand_in("eve", files))
    assert stored.state is State.REFUSED
    shown = "\n".join([stored.problem, *(line.text for line in worker.register.lines(stored.id))])
    assert words in shown
    assert str(tmp_path) not in shown


async def test_a_fork_bomb_ends_with_its_build():
    made, _ = await built("f() { f | f & }; f; sleep 60", 2)
    assert isinstance(made, str)


async def test_output_without_end_is_cut():
    _, output = await built("yes | head -c 3000000; true")
    assert len(output) < 101_000
    assert output.endswith("(the rest of the output is not kept)")


def _limits():
    from arena.door.upload import ArchiveLimits

    return ArchiveLimits()


# --- commands


def test_the_words_of_a_command_become_paths_of_the_submission(tmp_path, worker):
    (tmp_path / "engine.py").touch()
    keys = partial(engine_keys, "ann", 2, folder=tmp_path, door=worker.door)
    assert keys(command=("{python}", "engine.py", "--fast"))["command"] == [
        "{python}",
        f"{tmp_path}/engine.py",
        "--fast",
    ]
    assert keys(command=("./engine.py",))["command"] == [f"{tmp_path}/engine.py"]
    assert keys(command=("cat", "-cp", "."))["command"][1:] == ["-cp", str(tmp_path)]


def test_a_participant_may_hand_in_a_bot_for_a_bridge_but_no_sample_and_no_wrong_option(tmp_path, worker):
    (tmp_path / "bot.py").touch()
    keys = partial(engine_keys, "ann", 2, folder=tmp_path, door=worker.door)
    command = keys(command=("bridge:class", "bot.py:Bot", "--method", "act(text)"))["command"]
    assert command[:4] == ["{python}", "-P", "-m", "arena.bridges.kinds"]
    assert command[4:] == ["class", f"{tmp_path}/bot.py", "Bot", "--method", "act(text)"]
    assert keys(command=("bridge:gtp", "--", "./bot.py"))["command"][-2:] == ["--", f"{tmp_path}/bot.py"]
    for wrong, problem in {
        ("sample:alphabeta",): "there is no program 'sample:alphabeta'",
        ("bridge:gtp", "--fast"): "engine.toml: command: bridge:gtp: unrecognized arguments: --fast",
    }.items():
        with pytest.raises(ArenaError, match=problem):
            keys(command=wrong)


@pytest.mark.parametrize(
    "program", ["/root/x", "../other/engine", "./../x", "./missing", "no-such-program", "a/../../b"]
)
def test_a_command_starts_nothing_outside_the_submission_and_the_system(tmp_path, worker, program):
    with pytest.raises(ArenaError):
        engine_keys("ann", 1, (program,), tmp_path, worker.door)
