"""A folder that killed programs have left is removed by the next one that needs such a folder there."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from arena import samples
from arena.cli import demo
from arena.workers import engine_files
from arena.workers.engine_files import files_of, packed, unpack
from protocol.process import machine
from protocol.process.machine import scratch_folder
from protocol.spec import EngineSpec

_DIE = "import os, signal\ndef die(*_): os.kill(os.getpid(), signal.SIGKILL)\n"


def killed(code: str, *words: object) -> None:
    """Run a program that kills itself."""
    done = subprocess.run([sys.executable, "-c", _DIE + code, *map(str, words)])
    assert done.returncode == -signal.SIGKILL


def test_what_a_killed_program_has_left_is_removed_and_what_another_uses_is_kept(tmp_path: Path) -> None:
    place = tmp_path / "place"
    code = "import sys; from pathlib import Path; from protocol.process.machine import scratch_folder\n"
    code += "with scratch_folder(Path(sys.argv[1])) as made: (made / 'file').touch(); die()"
    killed(code, place)
    assert len(list(place.iterdir())) == 1
    (place / "mine").mkdir()
    with scratch_folder(place) as used:
        assert {*place.iterdir()} == {used, place / "mine"}
        with scratch_folder(place) as other:
            assert {*place.iterdir()} == {used, other, place / "mine"}
    assert {*place.iterdir()} == {place / "mine"}


@pytest.mark.parametrize(("module", "call"), [(machine.os, "open"), (machine.fcntl, "flock")])
def test_a_folder_that_another_program_takes_for_a_left_one_before_it_is_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: ModuleType, call: str
) -> None:
    calls, real = [], getattr(module, call)

    def late(*given: object) -> object:
        if not calls:
            next(tmp_path.iterdir()).rmdir()
        calls.append(given)
        return real(*given)

    monkeypatch.setattr(module, call, late)
    with scratch_folder(tmp_path) as made:
        assert [*tmp_path.iterdir()] == [made]
        assert len(calls) == 2


def test_a_killed_demonstration_leaves_nothing_in_the_cache_after_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package, cache = tmp_path / "package", tmp_path / "cache"
    package.mkdir()
    (package / "Makefile").write_text("c-alphabeta:\n")
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    monkeypatch.setattr(samples, "PACKAGED", package)
    code = "import sys; from pathlib import Path; from arena import samples; from arena.cli import demo\n"
    killed(
        code + "samples.PACKAGED = Path(sys.argv[1]); demo._build = die; demo.sample_engines().__enter__()",
        package,
    )
    assert len(list((cache / "leapfrog-arena").iterdir())) == 1
    with demo.sample_engines():
        assert len(list((cache / "leapfrog-arena").iterdir())) == 1


def test_a_worker_that_is_killed_as_it_unpacks_leaves_nothing_after_the_next(tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text("print()")
    files = files_of(EngineSpec("e", (sys.executable, "engine.py"), cwd=str(tmp_path)), tmp_path)
    (tmp_path / "archive").write_bytes(packed(files))
    (tmp_path / "files").write_bytes(engine_files.msgspec.json.encode(files))
    code = "import sys, msgspec; from pathlib import Path; from arena.workers import engine_files as e\n"
    code += "e._extract = die; folder = Path(sys.argv[1])\n"
    code += "files = msgspec.json.decode((folder / 'files').read_bytes(), type=e.EngineFiles)\n"
    killed(code + "e.unpack(files, (folder / 'archive').read_bytes(), folder / 'cache')", tmp_path)
    cache = tmp_path / "cache"
    assert len(list(cache.iterdir())) == 1
    folder = unpack(files, (tmp_path / "archive").read_bytes(), cache)
    assert [*cache.iterdir()] == [folder]
