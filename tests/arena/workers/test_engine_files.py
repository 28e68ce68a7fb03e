"""The files of an engine get to another machine, and the engine plays with them there."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tarfile
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from arena.bridges import expanded
from arena.errors import ArenaError
from arena.workers import engine_files, worker
from arena.workers.batch_process import BatchEnd, BatchTask
from arena.workers.engine_files import (
    EngineFiles,
    adapted,
    files_of,
    missing,
    packed,
    problem,
    unpack,
)
from protocol.spec import EngineSpec
from referee.match.job import Job, JobSeat


@pytest.fixture
def hub(tmp_path: Path) -> Path:
    """A folder of a tournament with an engine in a folder of its own."""
    engine = tmp_path / "hub" / "engine"
    engine.mkdir(parents=True)
    (engine / "engine.py").write_text(
        "import helper\nprint(helper.WORD, open(__import__('sys').argv[1]).read())"
    )
    (engine / "helper.py").write_text("WORD = 'hello'")
    (engine / "__pycache__").mkdir()
    (engine / "__pycache__" / "helper.pyc").write_text("x")
    (tmp_path / "hub" / "arena.db").write_text("a database")
    (tmp_path / "hub" / "net.bin").write_text("weights")
    return tmp_path / "hub"


def spec(hub: Path, **values: object) -> EngineSpec:
    command = (sys.executable, "engine/engine.py", str(hub / "net.bin"))
    return replace(EngineSpec("e", command, cwd=str(hub)), **values)


def moved(hub: Path, engine: EngineSpec, cache: Path) -> EngineSpec:
    """Send the engine to a machine that has nothing of the hub."""
    files = files_of(engine, hub)
    archive = packed(files)
    hub.rename(hub.with_name("gone"))
    assert problem(files) == ""
    assert missing(files) == list(files.files)
    return adapted(engine, files, unpack(files, archive, cache), cache / "spare")


def test_an_engine_gets_its_folder_and_its_files_but_not_the_database(hub: Path) -> None:
    files = files_of(spec(hub, options={"Weights": "net.bin"}), hub)
    assert set(files.files) == {
        str(hub / name) for name in ("engine/engine.py", "engine/helper.py", "net.bin")
    }
    assert files.python == f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert missing(files) == []


def test_a_sent_engine_runs_without_the_hub(hub: Path, tmp_path: Path) -> None:
    there = moved(hub, spec(hub), tmp_path / "cache")
    done = subprocess.run(there.command, cwd=there.cwd, capture_output=True, text=True, check=True)
    assert done.stdout == "hello weights\n"


def test_a_bridge_is_started_by_the_worker_for_the_bot_that_was_sent(hub: Path, tmp_path: Path) -> None:
    (hub / "engine" / "engine.py").write_text("import helper\nclass Bot:\n    play = helper.WORD\n")
    command = expanded(("bridge:class", f"{hub}/engine/engine.py:Bot", "--method", "play"))
    there = moved(hub, spec(hub, command=(sys.executable, *command[1:])), tmp_path / "cache")
    lines = "ugi\nisready\nquit\n"  # the module is imported before `readyok`
    done = subprocess.run(there.command, input=lines, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("id name Bot\n")
    assert done.stdout.endswith("readyok\n")


def test_an_engine_that_was_built_stays_executable(hub: Path, tmp_path: Path) -> None:
    program = hub / "engine" / "run"
    program.write_text("#!/bin/sh\necho built")
    program.chmod(0o755)
    there = moved(hub, spec(hub, command=(str(program),)), tmp_path / "cache")
    assert subprocess.run(there.command, capture_output=True, check=True).stdout == b"built\n"


def test_the_same_files_have_the_same_name_and_a_changed_one_another(hub: Path) -> None:
    before = files_of(spec(hub), hub)
    assert files_of(spec(hub, options={"Hash": "1"}), hub).digest == before.digest
    (hub / "engine" / "helper.py").write_text("WORD = 'other'")
    assert files_of(spec(hub), hub).digest != before.digest
    assert missing(before) == [str(hub / "engine" / "helper.py")]


def test_a_program_of_the_path_must_be_installed_and_be_the_same(
    hub: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = files_of(EngineSpec("e", ("sh", "-c", "x"), cwd=str(hub)), hub)
    assert (list(files.programs), files.files) == (["sh"], {})
    assert problem(files) == ""
    other = hub / "sh"
    other.write_text("#!/bin/true")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", str(hub))
    assert problem(files) == f"its program {other} is not the hub's; install the same version"
    other.unlink()
    assert problem(files) == "its program sh is not installed"


def test_an_installed_engine_starts_where_the_folder_of_the_tournament_is_not(
    hub: Path, tmp_path: Path
) -> None:
    spare = tmp_path / "cache" / "spare"
    installed = EngineSpec("e", ("sh", "-c", "pwd"), cwd=str(hub))
    files = files_of(installed, hub)
    assert adapted(installed, files, None, spare).cwd == str(hub)
    assert not spare.exists()
    hub.rename(hub.with_name("gone"))
    there = adapted(installed, files, None, spare)
    done = subprocess.run(there.command, cwd=there.cwd, capture_output=True, text=True, check=True)
    assert done.stdout == f"{spare}\n"


def test_another_python_is_refused() -> None:
    files = engine_files.EngineFiles("e", "2.7", {}, {}, ())
    assert problem(files).startswith("it needs Python 2.7, but here is 3.")


def test_the_workers_interpreter_and_its_folders_take_the_place_of_the_hubs(hub: Path) -> None:
    files = engine_files.EngineFiles("e", "3.11", {}, {}, ("/hub/lib",))
    there = adapted(spec(hub, command=("/hub/python", "x"), readable=("/hub/lib", "/data")), files, None, hub)
    assert there.command[0] == sys.executable
    assert there.readable[0] == "/data"
    assert "/hub/lib" not in there.readable
    assert sys.prefix in there.readable


@pytest.mark.parametrize("name", ["../evil", "/evil", "a/../../evil"])
def test_an_archive_cannot_write_outside_of_its_folder(hub: Path, tmp_path: Path, name: str) -> None:
    files = files_of(spec(hub), hub)
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        archive.addfile(tarfile.TarInfo(name))
    with pytest.raises(ArenaError, match="an archive of an engine must not have"):
        unpack(files, buffer.getvalue(), tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


def test_an_archive_with_other_contents_is_refused(hub: Path, tmp_path: Path) -> None:
    files = files_of(spec(hub), hub)
    (hub / "engine" / "helper.py").write_text("WORD = 'changed since'")
    with pytest.raises(ArenaError, match="engine e: its archive does not have the files"):
        unpack(files, packed(files), tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


def test_what_was_sent_stays_while_it_is_used_and_is_removed_two_weeks_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    cache = tmp_path / "leapfrog-arena" / "engines"

    def sent(word: str) -> EngineFiles:
        engine = tmp_path / word
        engine.mkdir()
        (engine / "engine.py").write_text(f"print('{word}')")
        files = files_of(EngineSpec(word, (sys.executable, str(engine / "engine.py"))), tmp_path)
        worker.install(msgspec.json.encode(files), packed(files))
        for made in (".cwd", ".built", ".lock"):
            (cache / f"{files.digest}{made}").touch()
        return files

    def later(days: float) -> None:
        for path in cache.iterdir():
            os.utime(path, (0, path.stat().st_mtime - days * 24 * 3600))

    def names(*engines: EngineFiles) -> set[str]:
        return {f"{each.digest}{made}" for each in engines for made in ("", ".cwd", ".built", ".lock")}

    sent("old")
    used = sent("used")
    later(13)
    worker.install(msgspec.json.encode(used), packed(used))
    later(2)
    new = sent("new")
    assert {path.name for path in cache.iterdir()} == names(used, new)
    later(13)
    monkeypatch.setattr(worker, "run_batch", lambda *_: BatchEnd(0, ""))
    job = Job("1", "quoridor", (JobSeat(EngineSpec("used", ("x",)), "1"),) * 2)
    worker._play(BatchTask((job,), 1, (used,)), lambda _: None, lambda: False)
    later(2)
    again = sent("again")
    assert {path.name for path in cache.iterdir()} == names(used, again)


def test_an_engine_of_gigabytes_is_not_sent(hub: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_files, "MAX_BYTES", 10)
    with pytest.raises(ArenaError, match="engine e: its files have more than"):
        files_of(spec(hub), hub)
