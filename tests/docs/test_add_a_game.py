"""Tests the how-to for plug-in games: the page shows the files of the package, and the package works.

The tests put the files of the package and a ``.dist-info`` folder on Python's path, as if it were installed.
"""

from __future__ import annotations

import doctest
import importlib.util
import inspect
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.registry import ENTRY_POINTS
from referee.testing import GameProblem, check_game

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "docs" / "examples" / "plugin-game"
PAGE = ROOT.joinpath("docs/howto/add-a-game.md").read_text(encoding="utf-8")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

Run = Callable[..., subprocess.CompletedProcess[str]]


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def source(name: str) -> str:
    return EXAMPLE.joinpath(name).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that an installation of the example puts on Python's path."""
    folder = tmp_path_factory.mktemp("installed")
    project = tomllib.loads(source("pyproject.toml"))
    for name in project["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]:
        shutil.copy(EXAMPLE / name, folder)
    name, version = project["project"]["name"], project["project"]["version"]
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    info.joinpath("METADATA").write_text(metadata, "utf-8")
    entries = project["project"]["entry-points"][ENTRY_POINTS].items()
    lines = "".join(f"{game_id} = {value}\n" for game_id, value in entries)
    info.joinpath("entry_points.txt").write_text(f"[{ENTRY_POINTS}]\n{lines}", "utf-8")
    return folder


@pytest.fixture
def python(package: Path) -> Run:
    """Runs Python with the example installed."""
    path = os.pathsep.join([str(package), str(ROOT)])
    environment = os.environ | {"PYTHONPATH": path, "COLUMNS": "80", "PYTHONDONTWRITEBYTECODE": "1"}

    def run(*words: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, *words]
        return subprocess.run(
            command, cwd=cwd, env=environment, capture_output=True, encoding="utf-8", timeout=120
        )

    return run


def test_the_page_shows_the_files() -> None:
    assert blocks("python") == [source("arena_chomp.py"), source("test_chomp.py")]
    assert blocks("toml") == [source("pyproject.toml")]


SESSIONS = [block for block in blocks("text") if block.startswith("$ ")]


@pytest.mark.parametrize("session", SESSIONS, ids=lambda session: session.partition("\n")[0])
def test_a_command_prints_what_the_page_shows(session: str, python: Run) -> None:
    line, _, shown = session.partition("\n")
    _, program, *words = shlex.split(line)
    assert program == "arena"
    done = python("-m", "arena", *words)
    wrong = "error: " in shown
    assert done.returncode == (2 if wrong else 0), done.stderr
    printed = done.stderr if wrong else done.stdout
    assert doctest.OutputChecker().check_output(shown, printed, FLAGS), printed


def test_games_lists_the_plug_in_with_all_that_is_known_of_it(python: Run) -> None:
    listed = {info["id"]: info for info in json.loads(python("-m", "arena", "games", "--json").stdout)}
    assert (listed["chomp"]["players"], listed["chomp"]["ply_limit"]) == (2, None)


def test_the_packages_own_tests_pass(python: Run, tmp_path: Path) -> None:
    copy = shutil.copytree(EXAMPLE, tmp_path / "example", ignore=shutil.ignore_patterns("__pycache__", ".*"))
    done = python("-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider", cwd=copy)
    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout


def test_a_tournament_of_the_plug_in_is_played_by_referees_of_their_own(python: Run, tmp_path: Path) -> None:
    first = ROOT / "engines" / "tiny" / "tiny.sh"
    any_move = ROOT / "engines" / "python-random" / "engine.py"
    tmp_path.joinpath("chomp.toml").write_text(
        'game = "chomp"\ngames_per_pairing = 2\ntime_control = "60+0"\n'
        f'[[engines]]\nname = "first"\ncommand = ["bash", "{first}"]\n'
        f'[[engines]]\nname = "any"\ncommand = ["{{python}}", "{any_move}"]\n',
        "utf-8",
    )
    done = python("-m", "arena", "run", "chomp.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "tournament chomp, chomp: 2 games" in done.stdout
    game = json.loads(python("-m", "arena", "show", "1", "--json", cwd=tmp_path).stdout)
    assert (game["result"]["termination"], game["result"]["reason"]) == ("normal", "poison")


def test_the_problem_that_the_page_shows_is_found_in_rules_that_are_broken_as_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = "*(min(length, move.column) for length in above)"
    text = source("arena_chomp.py")
    assert whole in text
    broken = tmp_path / "broken_chomp.py"
    broken.write_text(text.replace(whole, "min(above[0], move.column), *above[1:]"), "utf-8")
    spec = importlib.util.spec_from_file_location("broken_chomp", broken)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "broken_chomp", module)  # dataclasses look up their module
    spec.loader.exec_module(module)
    with pytest.raises(GameProblem) as problem:
        check_game(module.CHOMP)
    assert f"{problem.value}\n" in blocks("text")


def test_the_page_has_every_argument_of_check_game_with_its_default() -> None:
    rows = re.findall(r"^\| (`.*?`) \| (.*?) ?\| ", PAGE, re.MULTILINE)
    shown: dict[str, str] = {}
    for names, defaults in rows:
        words = re.findall(r"`(\w+)`", names)
        shown |= zip(words, defaults.split(", "), strict=True)
    arguments = list(inspect.signature(check_game).parameters.values())[1:]
    numbers = {argument.name: argument.default for argument in arguments}
    assert shown == {name: str(value) if isinstance(value, int) else "" for name, value in numbers.items()}
