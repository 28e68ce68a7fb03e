"""The server of the door as a process: what slow and dishonest clients cost the others."""

from __future__ import annotations

import errno
import os
import platform
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace

import pytest

from arena.config import load
from arena.door import processes
from arena.door.client import Door
from arena.door.folder import DoorFolder
from arena.door.processes import Child, build_cores
from arena.door.register import DoorRegister
from arena.door.upload import SourceFile, understand
from arena.errors import ArenaError
from arena.store import Store
from protocol.process import bubblewrap
from tests.arena.forked import forked
from tests.arena.invoking import invoke
from tests.missing_tools import needs
from tests.processes import wait_for

ENGINES = 'engines = [{ name = "a", command = "sh" }, { name = "b", command = "sh" }]'
BODY = b'--x\r\ncontent-disposition: form-data; name="file"; filename="a.py"\r\n\r\n'


def read(path: Path) -> str:
    return path.read_text() if path.exists() else ""


@contextmanager
def served(folder: Path, names: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Serve a door; yields its port and the token of each participant."""
    file = folder / "league.toml"
    file.write_text(f'game = "quoridor"\nformat = "ladder"\n{ENGINES}\n[door]\nmost_a_day = 8\n')
    links = invoke("door", "invite", file, *names).output.split()[1::2]
    output = folder / "output"
    with forked("door", "pages", file, "--port", 0, cwd=folder, stdout=output) as server:
        try:
            deadline = time.monotonic() + 20
            while not (address := re.search(r"127\.0\.0\.1:(\d+)", read(output))):
                assert time.monotonic() < deadline
                time.sleep(0.05)
            yield int(address[1]), [link.rpartition("/")[2] for link in links]
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(20)


@needs("bwrap")
@pytest.mark.parametrize("pinned", [True, False])
def test_a_build_leaves_the_cores_of_rated_games_alone_and_has_a_low_priority(
    tmp_path: Path, pinned: bool
) -> None:
    tmp_path.chmod(0o755)
    file = tmp_path / "league.toml"
    keys = f"concurrency = 1\naffinity = {str(pinned).lower()}"
    file.write_text(f'game = "quoridor"\nformat = "ladder"\n{keys}\n{ENGINES}\n[door]\n')
    spec = load(file)
    usable = os.sched_getaffinity(0)
    rated = {min(usable)} if pinned else usable - {max(usable)}
    keyctl = f"ctypes.CDLL(None).syscall({bubblewrap._KEYCTL.get(platform.machine(), -1)}, 6, -3, 0, 0)"
    script = f"import ctypes, os; print(os.nice(0), {keyctl}, *os.sched_getaffinity(0))"
    files = (SourceFile("engine.toml", f"command = './x'\nbuild = 'python3 -c \"{script}\"'".encode()),)
    plan = asdict(understand(files, None))
    with closing(Store.open(spec.database, create=True)) as store:
        door = DoorRegister(store, spec.name)
        ann = door.invite({"ann": "token"})[0]
        digest = DoorFolder(tmp_path / "door").add(files)
        submission = door.hand_in(ann.id, digest, "bot.zip", plan, 9)
        with forked("door", "worker", file, cwd=tmp_path) as worker:
            wait_for(lambda: door.submissions()[0].ended is not None, "nothing is built")
            worker.kill()
        output = [line.text for line in door.lines(submission.id) if line.kind == "build"][-1]
    nice, described, *cores = map(int, output.split())
    assert described == -1  # the keys of the session
    assert nice >= min(os.nice(0) + 10, 19)  # a higher one does not exist
    expected = usable - rated if len(usable) > 1 else usable
    assert set(cores) == expected


def test_the_tournament_of_a_door_plays_on_the_cores_that_builds_leave(tmp_path: Path) -> None:
    file, usable = tmp_path / "league.toml", os.sched_getaffinity(0)
    for count in (1, len(usable)):
        file.write_text(f'game = "quoridor"\nformat = "ladder"\nconcurrency = {count}\n{ENGINES}\n[door]\n')
        builds = build_cores(load(file))
        assert builds == (frozenset() if count == len(usable) else {max(usable)})
    core = frozenset({min(usable)})
    script = "import os, sys; open(sys.argv[1], 'w').write(str(os.sched_getaffinity(0)))"
    child = Child("x", [sys.executable, "-c", script, str(tmp_path / "cores")], core)
    child.start()
    assert child.process is not None
    assert child.process.wait(20) == 0
    assert (tmp_path / "cores").read_text() == str(set(core))
    assert os.sched_getaffinity(0) == usable


def test_a_process_is_started_with_ctrl_c_blocked_because_it_cannot_handle_it_yet(tmp_path: Path) -> None:
    script = "import signal, sys; open(sys.argv[1], 'w').write(str(signal.pthread_sigmask(0, ())))"
    child = Child("x", [sys.executable, "-c", script, str(tmp_path / "blocked")])
    child.start()
    assert child.process is not None
    assert child.process.wait(20) == 0
    assert "SIGINT" in (tmp_path / "blocked").read_text()
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_a_process_that_cannot_be_started_is_tried_again_and_ends_no_other(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fork(*_words: object, **_more: object) -> None:
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    now = 1000.0
    monkeypatch.setattr(processes, "time", SimpleNamespace(monotonic=lambda: now))
    child = Child("pages", [sys.executable, "-c", "import time; time.sleep(99)"])
    with monkeypatch.context() as patch:
        patch.setattr(subprocess, "Popen", fork)
        for _ in range(20):
            child.keep()
            now += 10
    sentence = "pages: cannot be started: Resource temporarily unavailable; it is tried again\n"
    assert sentence in capfd.readouterr().err
    now += 100
    child.keep()
    try:
        assert child.running
        assert child.process is not None
    finally:
        child.tell(signal.SIGKILL)
    child.process.wait(20)


ENDS_SLOWLY = """
import os, signal, sys, time
from pathlib import Path

name, seconds, log = sys.argv[1], float(sys.argv[2]), Path(sys.argv[3])

def end(*_):
    time.sleep(seconds)
    with log.open("a") as file:
        file.write(name + " ")
    sys.exit()

signal.signal(signal.SIGINT, end)
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
log.with_name(name).touch()
for _ in range(600):
    if name == "games" and log.with_name("pages").exists():
        os.kill(os.getppid(), signal.SIGINT)
        name = "the games"
    time.sleep(0.05)
"""


def test_after_ctrl_c_the_pages_hold_the_lines_of_bots_until_the_games_have_ended(tmp_path: Path) -> None:
    log = tmp_path / "log"
    processes.keep(
        [
            Child(name, [sys.executable, "-c", ENDS_SLOWLY, name, seconds, str(log)])
            for name, seconds in (("pages", "0"), ("games", "0.5"))
        ]
    )
    assert log.read_text() == "the games pages "


@pytest.mark.parametrize(
    ("token", "size", "answer"),
    [
        ("right", 20_000_000, "the upload is larger than 5242880 bytes"),
        ("wrong", 4_000_000, "this link does not work"),
    ],
)
def test_a_large_upload_that_is_refused_unread_gets_its_answer(
    tmp_path: Path, token: str, size: int, answer: str
) -> None:
    with served(tmp_path, ["ann"]) as (port, tokens):
        door = Door(f"http://127.0.0.1:{port}", tokens[0] if token == "right" else "guess")
        with pytest.raises(ArenaError, match=answer):
            door.hand_in("bot.py", bytes(size))


@pytest.mark.slow  # a thousand requests to a real server; the quick tests hold the quota with a few
def test_a_thousand_uploads_at_the_same_time_are_all_answered_and_only_admitted_files_stay(
    tmp_path: Path,
) -> None:
    names = ["eve", *(f"p{number}" for number in range(50))]

    def upload(number: int) -> tuple[str, int, str]:
        who = 0 if number % 2 else 1 + number // 2 % 50  # eve sends half of them, the others ten each
        door = Door(f"http://127.0.0.1:{port}", tokens[who])
        try:
            submission, _ = door.hand_in("bot.py", f"print({number})".encode())
        except ArenaError as error:
            return names[who], 0, str(error)
        return names[who], submission, ""

    with served(tmp_path, names) as (port, tokens), ThreadPoolExecutor(40) as pool:
        answers = list(pool.map(upload, range(1000)))
    taken = [number for _, number, _ in answers if number]
    refused = {re.sub("^.*?: ", "", text, count=1) for _, number, text in answers if not number}
    assert refused == {
        "you have handed in 8 times within 24 hours; come back later",
        "another upload of yours has not ended yet",
    }
    with closing(Store.open(tmp_path / "arena.db", create=False)) as store:
        stored = DoorRegister(store, "league").submissions()
    assert sorted(taken) == sorted(submission.id for submission in stored)
    assert all(sum(submission.name == name for submission in stored) <= 8 for name in names)
    assert {submission.name for submission in stored} == set(names)
    files = [path.name for path in (tmp_path / "door" / "submissions").iterdir()]
    assert sorted(files) == sorted(f"{submission.digest}.tar" for submission in stored)
