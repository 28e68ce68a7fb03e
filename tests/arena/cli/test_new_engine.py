"""`arena new-engine`: the new engines can be built, checked and played as their README explains."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import Result

from arena.config import load
from arena.engine_templates import LANGUAGES
from referee import game
from tests.arena.forked import arena
from tests.arena.invoking import invoke, refusal
from tests.missing_tools import needs

PATIENCE = 120.0  # seconds, enough for a busy machine

# language: the tools that it needs, and a game
LANGS = {
    "python": ((), "quoridor4"),
    "c": (("cc",), "quatre-en-ligne"),
    "cpp": (("c++",), "rampants"),
    "rust": (("cargo",), "quoridor"),
    "go": (("go",), "hops"),
    "js": (("node",), "movers-hoppers"),
    "java": (("java", "javac"), "eclaircissement"),
    "kotlin": (("java", "kotlinc"), "rodeurs"),
    "lua": (("lua",), "quoridor4"),
    "ocaml": (("ocamlopt",), "rodeurs-diagonal"),
}
QUICK = ("python", "c", "lua")
"""The languages whose tools take less than a second."""

WITH_TOOLS = pytest.mark.parametrize(
    "lang", [pytest.param(lang, marks=needs(*tools)) for lang, (tools, _) in LANGS.items()]
)
BUILT = pytest.mark.parametrize(
    "lang",
    [
        pytest.param(lang, marks=[needs(*tools), *([] if lang in QUICK else [pytest.mark.slow])])
        for lang, (tools, _) in LANGS.items()
    ],
)


def make(folder: Path, lang: str, game_id: str) -> Result:
    return invoke("new-engine", folder, "--lang", lang, "--game", game_id)


def blocks(folder: Path, language: str) -> list[str]:
    readme = (folder / "README.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", readme, re.DOTALL | re.MULTILINE)


def typed(command: str, folder: Path, lang: str) -> str:
    """Run a command in the folder as a user types it, and return its output; it must succeed."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "MAKEFLAGS": "CFLAGS=-O0 CXXFLAGS=-O0"}  # compile quickly
    if lang != "python":  # Python 3.12.1 does not start in this locale if there is an accent in its path
        env["LC_ALL"] = "C"  # a locale without UTF-8
    program, *words = shlex.split(command)
    if program == "arena":
        done = arena(*words, cwd=folder, env=env, timeout=PATIENCE)
    else:
        done = subprocess.run(
            ["sh", "-c", command], cwd=folder, env=env, capture_output=True, text=True, timeout=PATIENCE
        )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def test_all_languages_are_tried() -> None:
    assert list(LANGS) == list(LANGUAGES)


@BUILT
def test_it_is_built_checked_and_plays_as_its_readme_says(tmp_path: Path, lang: str) -> None:
    _, game_id = LANGS[lang]
    folder = tmp_path / "My Engine"
    done = make(folder, lang, game_id)
    assert done.exit_code == 0, done.output
    *build, play, check = blocks(folder, "sh")
    assert bool(build) == bool(LANGUAGES[lang].build)
    for step in build:
        typed(step, folder, lang)
    line = f"{play.strip()} --json --time-control 20+0.2"
    assert line.startswith(f"arena play {game_id} ")
    finished = json.loads(typed(line, folder, lang))
    assert finished["termination"] in {"normal", "adjudicated"}, finished["detail"]
    assert {seat["reported_name"] for seat in finished["seats"]} == {"My-Engine"}
    report = typed(check.replace("arena check", "arena check --only 103-109"), folder, lang)
    assert f"My-Engine: level 1, {game_id}" in report
    assert "failed: 0 must, 0 should" in report


@WITH_TOOLS
def test_its_snippet_enters_it_in_a_tournament(tmp_path: Path, lang: str) -> None:
    folder = tmp_path / "mine"
    assert make(folder, lang, "quoridor").exit_code == 0
    (snippet,) = blocks(folder, "toml")
    program = folder / LANGUAGES[lang].command.split()[0]
    if "/" in LANGUAGES[lang].command:
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    file = folder / "t.toml"
    other = snippet.replace('"mine"', '"other"')
    file.write_text(f'game = "quoridor"\n\n{snippet}\n{other}')
    assert [entry.spec.name for entry in load(file).engines] == ["mine", "other"]


@pytest.mark.parametrize("lang", LANGS)
def test_every_file_knows_the_game_and_nothing_is_left_to_fill_in(tmp_path: Path, lang: str) -> None:
    folder = tmp_path / "deep" / "mine"
    done = make(folder, lang, "quoridor4")
    listed = [Path(line) for line in done.stdout.split("\n\n")[0].splitlines()]
    assert sorted(listed) == sorted(path for path in folder.rglob("*") if path.is_file())
    source = (folder / LANGUAGES[lang].source).read_text(encoding="utf-8")
    assert '"quoridor4"' in source
    assert game("quoridor4").info.title in source
    assert "choose" in source
    assert not [path for path in listed if "@@" in path.read_text(encoding="utf-8") or path.suffix == ".in"]
    assert (folder / "README.md").read_text(encoding="utf-8").count("--seat") >= 4


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    done = make(tmp_path, "c", "quoridor")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == f"error: {tmp_path} is not empty: name an empty folder or a new one\n"
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize(
    ("name", "engine", "package"),
    [
        ('my "best" engine\\', "my-best-engine", "my-best-engine"),
        ("Größe_7", "Gr-e_7", "gr-e-7"),
        ("2nd", "2nd", "engine-2nd"),
        ("日本", "engine", "engine"),
    ],
)
def test_a_folders_name_becomes_names_that_every_language_takes(
    tmp_path: Path, name: str, engine: str, package: str
) -> None:
    folder = tmp_path / name
    assert make(folder, "rust", "quoridor").exit_code == 0
    assert f'const NAME: &str = "{engine}";' in (folder / "src" / "main.rs").read_text(encoding="utf-8")
    assert f'name = "{package}"' in (folder / "Cargo.toml").read_text(encoding="utf-8")


def test_what_cannot_be_made_is_wrong_input(tmp_path: Path) -> None:
    assert "quoridr" in refusal(make(tmp_path / "x", "c", "quoridr"))
    assert not (tmp_path / "x").exists()
    assert make(tmp_path / "x", "cobol", "quoridor").stderr.startswith(
        "error: --lang: 'cobol' is not one of 'python', "
    )
    (tmp_path / "file").write_text("")
    below = make(tmp_path / "file" / "x", "c", "quoridor")
    assert (below.exit_code, below.stderr.split(":")[0]) == (2, "error")
