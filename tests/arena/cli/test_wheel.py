"""What an installed wheel has: the engines of the demo, man pages, and commands that can be typed."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from arena import samples
from arena.cli import COMMANDS, demo
from arena.cli.demo import next_commands
from arena.config import load
from tests.arena.cli.installed import ROOT, built_wheel, installed
from tests.arena.invoking import invoke, refusal
from tests.missing_tools import needs


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    return built_wheel(tmp_path_factory.mktemp("wheel"))


def test_the_wheel_has_what_the_demonstration_and_man_need_and_nothing_that_was_built(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    engines = {name.removeprefix("arena/sample_engines/") for name in names if "sample_engines" in name}
    assert {"README.md", "Makefile", "demo.toml", "c-alphabeta/alphabeta.c", "tiny/tiny.sh"} <= engines
    commands = [entry.spec.command for entry in load(ROOT / "engines/demo.toml", skip_missing=print).engines]
    words = {word for command in commands for word in command if word.startswith(str(ROOT / "engines"))}
    assert {str(Path(word).relative_to(ROOT / "engines")) for word in words} - engines <= {
        "c-alphabeta/build/alphabeta"
    }
    assert [name for name in names if "/build/" in name or name.endswith((".pyc", ".db", ".so"))] == []
    pages = {Path(name).name for name in names if "/share/man/man1/" in name}
    assert {"arena.1", *(f"arena-{name}.1" for name in COMMANDS)} <= pages
    assert "arena/engine_templates/python/engine.py.in" in names


def test_a_wheel_of_a_checkout_is_not_compiled_and_needs_only_hatchling(wheel: Path) -> None:
    assert wheel.name.endswith("-py3-none-any.whl")
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"] == ["hatchling"]


@pytest.fixture
def packaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The sample engines as an installed package has them, and an empty cache folder; returns the cache."""
    package = tmp_path / "package"
    for name, text in {
        "demo.toml": "",
        "Makefile": ".PHONY: c-alphabeta\nc-alphabeta:\n\t@echo built > c-alphabeta/it\n",
        "c-alphabeta/alphabeta.c": "",
        "tiny/tiny.sh": "",
    }.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text)
    monkeypatch.setattr(samples, "PACKAGED", package)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


def files(folder: Path) -> dict[str, tuple[int, str]]:
    return {
        str(path.relative_to(folder)): (path.stat().st_mode, path.read_text())
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_engines_of_a_package_are_copied_to_the_cache_and_built_there(packaged: Path, tmp_path: Path) -> None:
    before = files(tmp_path / "package")
    with demo.sample_engines() as folder:
        assert folder.is_relative_to(packaged / "leapfrog-arena")
        assert os.access(folder / "tiny/tiny.sh", os.X_OK)
        assert (folder / "c-alphabeta/it").read_text() == "built\n"
    assert files(tmp_path / "package") == before
    assert not list((packaged / "leapfrog-arena").iterdir())


def test_a_cache_that_cannot_be_written_is_named(packaged: Path) -> None:
    packaged.write_text("a file, not a folder")
    assert refusal(invoke("demo")) == f"error: {packaged / 'leapfrog-arena'}: Not a directory\n"


def test_without_make_the_demonstration_names_it_and_goes_on(
    packaged: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with demo.sample_engines():
        assert capsys.readouterr().err == "no make: c-alphabeta is left out\n"


@pytest.mark.parametrize("path", ["/nowhere", str(Path(sys.executable).parent)], ids=["nowhere", "uvx"])
def test_what_the_demonstration_prints_can_be_typed_wherever_arena_comes_from(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", path)
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    monkeypatch.chdir(tmp_path)
    own = Path(sys.executable).with_name("arena")
    show, play, *_ = next_commands(Path("demo.db"), "demo")
    assert show == f"{shlex.quote(str(own))} show 1 --board --db demo.db"
    assert play.endswith(" play quoridor --seat human --seat sample:greedy")
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    monkeypatch.setenv("PATH", str(own.parent))
    show, play, *_ = next_commands(Path("demo.db"), "demo-2")
    assert show == "arena show 1 --board --db demo.db"
    assert play == "arena play quoridor --seat human --seat sample:greedy"


@pytest.mark.slow  # adds to the quick tests: a real installation, and the whole demonstration in it
@needs("cc", "bash")
def test_an_installed_wheel_plays_the_demonstration_in_an_empty_folder(wheel: Path, tmp_path: Path) -> None:
    environment, home, empty = tmp_path / "environment", tmp_path / "home", tmp_path / "empty"
    programs = installed(wheel, environment)
    home.mkdir()
    empty.mkdir()
    python, arena = programs / "python", programs / "arena"
    (packages,) = environment.glob("lib/python*/site-packages")
    package = packages / "arena/sample_engines"
    package.chmod(0o555)
    env = {"HOME": str(home), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}

    def run(*words: object) -> str:
        done = subprocess.run(words, cwd=empty, env=env, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert run(python, "-c", "import arena; print(arena.__file__)").startswith(str(environment))
    assert re.fullmatch(r"leapfrog-arena \d+\.\d+\.\d+\n", run(arena, "--version"))
    assert (environment / "share/man/man1/arena-run.1").is_file()
    played = run(arena, "demo")
    assert {"C alpha-beta", "Python alpha-beta", "Python greedy", "Bash first"} <= set(
        re.findall(r"^\d+  (\w+(?: [\w-]+)*?)  ", played, flags=re.MULTILINE)
    )
    assert {path.name for path in empty.iterdir()} == {"demo.db"}
    hints = [line.strip() for line in played.partition("What to try next:\n")[2].splitlines()]
    assert all(line.startswith(str(arena)) for line in hints)
    for hint in hints:
        if not {"human", "serve"} & set(hint.split()):  # they wait for a person
            created = run("sh", "-c", hint)
    ended = run(arena, "play", "chess", "--seat", "sample:alphabeta", "--seat", "sample:random", "--json")
    assert json.loads(ended)["termination"] == "normal"
    *_, folder, play, _ = created.splitlines()
    assert json.loads(run("sh", "-c", f"{folder} && {play} --json"))["termination"] != "void"
