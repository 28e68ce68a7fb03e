"""A compiled wheel, as a release has it: the tests pass on it, and it plays the games of pure Python."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tomllib
from contextlib import closing
from pathlib import Path

import pytest

from referee import game
from referee.registry import BUILT_IN
from tests.arena.cli.installed import ROOT, built_wheel, installed
from tests.missing_tools import needs

pytestmark = [
    pytest.mark.slow,  # it tests compiled modules, which the quick tests do not; `make test-wheel` runs it
    needs("cc", "Python.h"),
]

RELEASE = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["cibuildwheel"]
"""How a release builds and tests such a wheel."""


def run(*words: object, folder: Path, **environment: str) -> str:
    """Run a program to its successful end, and return what it prints."""
    env = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_XDIST", "PYTHON"))
    }
    done = subprocess.run(words, cwd=folder, env=env | environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled wheel. It is built from a copy of the sources, because mypyc writes beside them."""
    folder = tmp_path_factory.mktemp("compiled")
    run(sys.executable, "-m", "hatchling", "build", "--target", "sdist", "--directory", folder, folder=ROOT)
    pip = (sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index")
    run(*pip, *folder.glob("*.tar.gz"), folder=folder, **RELEASE["environment"])
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of a new environment with the wheel, which finds the tests of this checkout.

    Python looks into the checkout last, so it imports the packages from the wheel.
    """
    programs = installed(wheel, tmp_path_factory.mktemp("installed") / "environment")
    (packages,) = programs.parent.glob("lib/python*/site-packages")
    (packages / "tests.pth").write_text(f"{ROOT}\n")
    return programs


def test_a_wheel_of_a_release_is_compiled_and_plays_a_game(programs: Path, tmp_path: Path) -> None:
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    printed = run("sh", "-ec", "\n".join(RELEASE["test-command"]), folder=tmp_path, PATH=path)
    assert re.search(r"wins|a draw", printed.splitlines()[-1])


def test_pip_prefers_a_compiled_wheel_to_the_pure_one(wheel: Path, tmp_path: Path) -> None:
    both, chosen = tmp_path / "both", tmp_path / "chosen"
    both.mkdir()
    assert built_wheel(both).name.endswith("-py3-none-any.whl")
    shutil.copy(wheel, both)
    pip = (sys.executable, "-m", "pip", "download", "--no-deps", "--no-index", "--find-links", both)
    run(*pip, "--dest", chosen, "leapfrog-arena", folder=tmp_path)
    assert [file.name for file in chosen.iterdir()] == [wheel.name]


@pytest.mark.parametrize("package", ["protocol", "referee"])
def test_the_tests_of_a_package_pass_on_compiled_modules(
    package: str, programs: Path, tmp_path: Path
) -> None:
    pytest_here = (programs / "python", "-m", "pytest", "-c", ROOT / "pyproject.toml", "-o", "pythonpath=")
    options = ("-p", "no:cacheprovider", "-n", "logical", "--maxprocesses", "4", "--color", "no")
    chosen = ("-m", "not slow and not system", ROOT / "tests" / package)
    printed = run(*pytest_here, *options, *chosen, folder=tmp_path, PYTHONHASHSEED="0")
    (origin,) = re.findall(r"^compiled modules: \d+, one is (\S+)$", printed, flags=re.MULTILINE)
    assert Path(origin).is_relative_to(programs.parent)
    assert re.fullmatch(r"session\.\S+\.so", Path(origin).name)
    assert re.search(r"^=+ \d{3,} passed", printed, flags=re.MULTILINE)


ENGINE = """
import random, sys
from protocol.engine import Engine, Turn, run

class Seeded(Engine):
    name, capabilities = "seeded", ("legal", "fen")

    def choose(self, turn):
        moves = list(turn.legal)
        dice = random.Random(f"{sys.argv[1]} {turn.start} {moves}")
        turn.info(depth=len(moves), score_cp=dice.randrange(100))
        return dice.choice(moves) if dice.randrange(80) else "a1b2c3"

run(Seeded())
"""

TIMES = {
    "tournament": {"created"},
    "game": {"started", "duration", "checksum"},  # the checksum is one of a line with all times
    "player": {"time_used"},
    "record": {"times"},
    "checkpoint": {"duration"},
}
"""The columns that differ from run to run, by their tables: all other columns are compared."""


def stored(database: Path) -> dict[str, list[tuple[object, ...]]]:
    """Return the rows of all tables, without times."""
    with closing(sqlite3.connect(database)) as connection:
        tables = [
            name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        rows = {}
        for table in tables:
            names = [column[1] for column in connection.execute(f"PRAGMA table_info({table})")]
            assert TIMES.get(table, set()) <= set(names)
            kept = ", ".join(name for name in names if name not in TIMES.get(table, ()))
            rows[table] = sorted(connection.execute(f"SELECT {kept} FROM {table}"), key=repr)
    connection.close()
    return rows


def played(folder: Path, programs: Path, **environment: str) -> dict[str, list[tuple[object, ...]]]:
    """Play all games in a folder, rate them, and return what is stored."""
    folder.mkdir()
    (folder / "engine.py").write_text(ENGINE)
    for players in (2, 4):
        games = [name for name in BUILT_IN if game(name).info.players == players]
        (folder / f"{players}.toml").write_text(
            f'games = {games}\ndatabase = "all.db"\ntime_control = "60+1"\nconcurrency = 1\n'
            'games_per_pairing = 2\nopenings = { kind = "random", plies = 2 }\n'
            "adjudication = { plies = 60 }\n"
            + "".join(
                f'[[engines]]\nname = "{seed}"\ncommand = "{{python}} engine.py {seed}"\n'
                for seed in range(players)
            )
        )
        run(programs / "arena", "run", f"{players}.toml", "--quiet", folder=folder, **environment)
    run(programs / "arena", "ratings", "--db", "all.db", folder=folder, **environment)
    return stored(folder / "all.db")


def test_a_tournament_of_every_game_stores_the_same_compiled_and_pure(programs: Path, tmp_path: Path) -> None:
    (packages,) = programs.parent.glob("lib/python*/site-packages")
    pure = tmp_path / "pure"
    for package in ("arena", "protocol", "referee"):
        shutil.copytree(packages / package, pure / package, ignore=shutil.ignore_patterns("*.so"))
    where = (programs / "python", "-c", "import referee.match.arbiter as module; print(module.__file__)")
    assert run(*where, folder=tmp_path).endswith(".so\n")
    assert run(*where, folder=tmp_path, PYTHONPATH=str(pure)).endswith(".py\n")
    compiled = played(tmp_path / "played compiled", programs)
    assert {row[4] for row in compiled["game"]} == set(BUILT_IN)
    assert compiled == played(tmp_path / "played pure", programs, PYTHONPATH=str(pure))
