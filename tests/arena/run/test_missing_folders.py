"""A machine without /proc, without a folder for temporary files, or with a drive that starts no programs."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from importlib.metadata import version
from pathlib import Path

import pytest

from arena.workers.capabilities import Needs, announce
from arena.workers.engine_files import EngineFiles
from protocol.errors import EngineStartError
from protocol.process import lifetime, machine
from protocol.process.program import NOEXEC, find_program
from tests.arena.run.test_faults_machine import change, small_disk
from tests.arena.run.test_run_process import ARENA, assert_complete, results, write
from tests.missing_tools import needs

pytestmark = pytest.mark.system


def bare(*options, cwd, command):
    """Run a command of arena on this machine with other mounts, which are options of bubblewrap."""
    words = ["bwrap", "--die-with-parent", "--dev-bind", "/", "/", *options, "--chdir", cwd, "--", *ARENA]
    environment = {name: value for name, value in os.environ.items() if name != "TMPDIR"}
    return subprocess.run(
        [*words, *command], env=environment, capture_output=True, text=True, timeout=120, check=False
    )


@needs("bwrap")
def test_without_proc_a_tournament_is_played_and_the_check_says_what_the_machine_lacks(tmp_path):
    file = write(tmp_path, ("a", "honest"), ("b", "leaves-a-daemon"), games_per_pairing=2)
    run = bare("--tmpfs", "/proc", cwd=tmp_path, command=["run", "t.toml"])
    assert run.returncode == 0, run.stderr
    assert {result.termination for result in results(tmp_path)} == {"adjudicated"}
    assert_complete(file)
    check = bare("--tmpfs", "/proc", cwd=tmp_path, command=["check", "--system"])
    assert check.returncode == 0, check.stderr
    rows = dict(line.split("  ", 1) for line in check.stdout.splitlines())
    assert rows["daemons"].split(None, 1) == ["no", "the system does not show them"]
    assert rows['sandbox = "bwrap"'].split()[0] == "no"


@needs("bwrap", "prlimit")
def test_without_proc_a_limit_on_processes_is_refused_because_it_would_hit_an_honest_engine(tmp_path):
    write(tmp_path, ("a", "honest"), ("b", "honest"), more="[defaults.limits]\nprocesses = 20")
    run = bare("--tmpfs", "/proc", cwd=tmp_path, command=["run", "t.toml"])
    assert run.returncode == 2
    assert run.stderr.endswith("its limit on processes needs /proc; mount it, or remove the limit\n")


def read_only(*folders):
    return [word for folder in folders if Path(folder).exists() for word in ("--ro-bind", folder, folder)]


@needs("bwrap")
def test_without_a_temporary_folder_games_in_one_are_void_and_all_others_are_played(tmp_path):
    database = tmp_path / "data"
    database.mkdir()
    file = write(
        tmp_path, ("a", "honest"), ("b", "honest"), games_per_pairing=2, database=f'"{database}/arena.db"'
    )
    mounts = read_only("/tmp", "/var/tmp", "/usr/tmp", tmp_path)
    mounts += ["--bind", database, database]
    run = bare(*mounts, cwd=tmp_path, command=["run", "t.toml"])
    assert run.returncode == 0, run.stderr
    assert {result.termination for result in results(database)} == {"adjudicated"}

    change(file, {"[defaults.timeouts]": '[defaults]\nsandbox = "folder"\n[defaults.timeouts]'})
    run = bare(*mounts, cwd=tmp_path, command=["run", "t.toml", "--name", "folders"])
    assert run.returncode == 2
    assert run.stderr.count("error: ") == 1
    assert "Traceback" not in run.stderr
    last = run.stderr.splitlines()[-1]
    assert "3 games in a row could not be played, and no engine is at fault" in last
    assert "this machine can make no temporary folder: No usable temporary directory found in" in last
    assert Counter(result.termination for result in results(database, "folders")) == {"void": 3}


def test_without_a_temporary_folder_nothing_that_a_killed_process_has_left_is_looked_for(monkeypatch):
    def none():
        raise FileNotFoundError(2, "No usable temporary directory found in ['/tmp']")

    monkeypatch.setattr(tempfile, "gettempdir", none)
    machine.remove_abandoned_folders()


@needs("linux")
def test_a_process_that_cannot_see_its_children_adopts_none(monkeypatch):
    monkeypatch.setattr(lifetime, "_adopting", False)
    monkeypatch.setattr(lifetime, "Path", lambda *_: Path("/no/such/folder"))
    assert not lifetime.adopt_orphans()


@needs("mount")
def test_a_program_on_a_drive_that_starts_none_is_told_from_one_that_is_not_executable(tmp_path):
    with small_disk(tmp_path / "disk", "noexec,size=4m") as disk:
        shutil.copy(shutil.which("true"), disk / "engine")
        with pytest.raises(EngineStartError) as caught:
            find_program((str(disk / "engine"),))
        assert str(caught.value) == f"{disk}/engine is on {NOEXEC}; put it on another drive"


@needs("mount")
def test_a_worker_that_could_not_start_the_engines_that_it_gets_says_so_before_a_game(tmp_path, monkeypatch):
    monkeypatch.setattr("arena.workers.capabilities._NAPS", 2)
    absent = {"/no/such/file": "-0"}
    python = f"{sys.version_info[0]}.{sys.version_info[1]}"
    engines = (
        EngineFiles("sent", "", "", {}, absent, ()),
        EngineFiles("python", python, "", {}, absent, ()),
        EngineFiles("there", "", "", {}, {}, ()),
    )
    wanted = Needs(version("leapfrog-arena"), "", {}, (), {"sent": 1000}, 1, engines)
    with small_disk(tmp_path / "disk", "noexec") as disk:
        problems = announce(wanted, tmp_path, 1, disk / "cache" / "engines").problems
    assert list(problems) == ["sent"]
    assert problems["sent"].endswith(f"is on {NOEXEC}; set XDG_CACHE_HOME to a folder on another drive")
    assert not announce(wanted, tmp_path, 1, tmp_path / "engines").problems
