"""Our own engines pass every must and should of the checker, with its defaults.

The quick tests run the checks of lines and endings of two engines. `make test-slow` runs all checks of all
engines.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Collection
from functools import cache
from pathlib import Path

import pytest
import trio
from click.testing import CliRunner

from arena.cli import main
from arena.engine_templates import LANGUAGES
from protocol.spec import EngineSpec
from referee import game as find_game
from referee.check import CheckStatus, EngineUnderTest, Severity, check_engine
from referee.check.positions import PositionBook
from tests.missing_tools import needs

pytestmark = pytest.mark.system

ROOT = Path(__file__).parents[2]
TINY = {
    "tiny.awk": ("sh tiny.awk", ("awk",)),
    "tiny.sh": ("bash tiny.sh", ("bash",)),
    "tiny.c": ("build/tiny-c", ("cc",)),
    "tiny.pl": ("perl tiny.pl", ("perl",)),
    "tiny.sed": ("sed -nuf tiny.sed", ("sed",)),
    "tiny.tcl": ("tclsh tiny.tcl", ("tclsh",)),
    "tiny.cpp": ("build/tiny-cpp", ("c++",)),
    "tiny.go": ("build/tiny-go", ("go",)),
    "tiny.rs": ("build/tiny-rust", ("rustc",)),
    "Tiny.java": ("java -cp build Tiny", ("javac", "java")),
    "tiny.js": ("node tiny.js", ("node",)),
    "tiny.py": ("python3 tiny.py", ("python3",)),
}
SCRIPTS = {name: TINY[name] for name in ("tiny.awk", "tiny.pl", "tiny.py", "tiny.sed", "tiny.sh", "tiny.tcl")}
QUICK = ("tiny.sh",)
SAMPLES = {
    "python-random": ("engine.py", ()),
    "python-greedy": ("engine.py", ()),
    "python-alphabeta": ("engine.py", ()),
    "c-alphabeta": ("build/alphabeta", ("cc",)),
    "cpp-alphabeta": ("build/alphabeta", ("c++",)),
    "rust-hops": ("build/hops", ("rustc",)),
}
TOOLS = {
    "python": (),
    "c": ("cc",),
    "cpp": ("c++",),
    "rust": ("cargo",),
    "go": ("go",),
    "js": ("node",),
    "java": ("java", "javac"),
    "kotlin": ("java", "kotlinc"),
    "lua": ("lua",),
    "ocaml": ("ocamlopt",),
}
LINES = frozenset({*range(101, 121), 201, 212, 213, 411, 414, 416})
"""The checks of how lines are read and written, and of how the engine ends."""


@cache
def drawn(game: str) -> PositionBook:
    """Return the positions of a game, drawn once for all tests."""
    return PositionBook(find_game(game), 1)


async def faults(command: tuple[str, ...], folder: Path, only: Collection[int] | None = None) -> list[str]:
    """Return the failures of severity must and should."""
    subject = EngineUnderTest(EngineSpec("engine", command, cwd=str(folder)))
    first = await check_engine(subject, {104})
    if first.game:
        subject = EngineUnderTest(subject.spec, game=first.game, book=drawn(first.game))
    report = await check_engine(subject, only, jobs=2)
    assert report.engine
    return [
        f"{result.number} {result.text}"
        for result in report.results
        if result.status is CheckStatus.FAILED and result.severity is not Severity.INFO
    ]


def cases(table: dict[str, tuple[str, tuple[str, ...]]], quick: Collection[str]) -> list[object]:
    return [
        pytest.param(name, marks=[needs(*tools), *([] if name in quick else [pytest.mark.slow])])
        for name, (_, tools) in table.items()
    ]


def built(folder: Path, copy: Path, target: str = "") -> Path:
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("build", "__pycache__"))
    if (copy / "Makefile").exists():
        subprocess.run(["make", "-s", *filter(None, [target])], cwd=copy, check=True, capture_output=True)
    return copy


@pytest.mark.parametrize("name", cases(TINY, ()))
async def test_a_tiny_engine_passes(tmp_path: Path, name: str) -> None:
    words = TINY[name][0]
    target = "build/Tiny.class" if "java" in words else words if words.startswith("build/") else ".PHONY"
    folder = built(ROOT / "engines" / "tiny", tmp_path / "tiny", target)
    command = [str(folder / word) if (folder / word).exists() else word for word in words.split()]
    assert await faults(tuple(command), folder) == []


@pytest.mark.parametrize("name", cases(SCRIPTS, QUICK))
async def test_a_tiny_engine_reads_lines_and_ends_as_it_must(name: str) -> None:
    program, *words = TINY[name][0].split()
    # A python3 on the PATH may be a script that takes long to find the real one.
    command = (sys.executable, "-S") if program == "python3" else (program,)
    assert await faults((*command, *words), ROOT / "engines" / "tiny", LINES) == []


def test_every_tiny_engine_is_tried_and_is_in_the_table() -> None:
    folder = ROOT / "engines" / "tiny"
    readme = (folder / "README.md").read_text(encoding="utf-8")
    assert {path.name for path in folder.glob("[tT]iny.*")} == set(TINY)
    assert [name for name, (command, _) in TINY.items() if f"| `{name}` | `{command}` |" not in readme] == []


@pytest.mark.parametrize("name", TINY)
def test_a_tiny_engine_has_at_most_25_lines_and_is_executable_when_it_is_a_script(name: str) -> None:
    path = ROOT / "engines" / "tiny" / name
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 110
    assert os.access(path, os.X_OK) == lines[0].startswith("#!") == ("build" not in TINY[name][0])


@pytest.mark.parametrize("name", cases(SAMPLES, ()))
async def test_a_sample_engine_passes(tmp_path: Path, name: str) -> None:
    program, _ = SAMPLES[name]
    folder = built(ROOT / "engines" / name, tmp_path / name)
    command = (sys.executable, program) if program.endswith(".py") else (str(folder / program),)
    assert await faults(command, folder) == []


@pytest.mark.slow
@pytest.mark.parametrize("lang", [pytest.param(lang, marks=needs(*TOOLS[lang])) for lang in LANGUAGES])
async def test_a_new_engine_passes(tmp_path: Path, lang: str) -> None:
    folder = tmp_path / "mine"
    arguments = ["new-engine", str(folder), "--lang", lang, "--game", "quoridor"]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    for step in LANGUAGES[lang].build:
        await trio.run_process(["sh", "-c", step], cwd=folder, capture_stdout=True, capture_stderr=True)
    command = LANGUAGES[lang].command.replace("{python}", sys.executable).split()
    assert await faults(tuple(command), folder) == []


def written(page: str) -> list[str]:
    """Return the engines in the Python blocks of a page."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


PAGES = [
    ("README.md", 0, LINES),
    pytest.param("README.md", 0, None, marks=pytest.mark.slow),
    pytest.param("docs/tutorial/first-engine.md", 0, None, marks=pytest.mark.slow),
    pytest.param("docs/tutorial/first-engine.md", 1, None, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("page", "number", "only"), PAGES)
async def test_an_engine_of_the_documentation_passes(
    tmp_path: Path, page: str, number: int, only: frozenset[int] | None
) -> None:
    (tmp_path / "mine.py").write_text(written(page)[number], encoding="utf-8")
    assert await faults((sys.executable, "mine.py"), tmp_path, only) == []
