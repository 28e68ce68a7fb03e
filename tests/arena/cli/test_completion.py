"""What a shell completes: commands, options, games, tournaments and tournament files."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from referee import game_ids
from tests.arena.commands import COMMANDS
from tests.arena.invoking import invoke
from tests.missing_tools import needs

DRIVERS = {
    "bash": """
        compopt() { echo "compopt $*"; }
        source ./script
        COMP_WORDS=({words}) COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
        _arena_completion arena
        for reply in "${COMPREPLY[@]}"; do printf '%s\\n' "$reply"; done""",
    "zsh": """
        compdef() { }
        compadd() { print -l -- "${(@P)@[-1]}" }
        _path_files() { print -- "_path_files $*" }
        source ./script
        words=({words}) CURRENT=$#words
        _arena_completion""",
    "fish": """
        source ./script
        complete --do-complete "{line}" """,
}
"""What calls the script as each shell does when somebody presses Tab."""

shells = pytest.mark.parametrize("shell", [pytest.param(name, marks=needs(name)) for name in DRIVERS])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sample_database: Path) -> Path:
    """A folder with a database and files."""
    monkeypatch.delenv("ARENA_DB", raising=False)
    monkeypatch.chdir(tmp_path)
    shutil.copy(sample_database, "arena.db")
    for name in ("spring.toml", "notes.txt", "old/autumn.toml", ".hidden.toml"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).touch()
    return tmp_path


def items(line: str) -> list[str]:
    """What arena tells bash for the last word of a line: kinds and values."""
    words = line.split(" ")
    env = {"_ARENA_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    done = invoke(env=env)
    return done.stdout.splitlines()


def completed(line: str) -> list[str]:
    return [value for kind, _, value in (item.partition(",") for item in items(line)) if kind == "plain"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_completion_script_ends_with_the_way_to_install_it(shell: str) -> None:
    done = invoke("--completion", shell)
    assert done.exit_code == 0
    script, _, hint = done.stdout.partition("\n\n# To install this script")
    assert f"_ARENA_COMPLETE={shell}_complete" in script
    assert f"arena --completion {shell} > ~/." in hint
    assert all(line.startswith("#") for line in hint.splitlines()[1:])
    assert ("fpath=(~/.zfunc $fpath)" in hint) == (shell == "zsh")  # zsh has a script of its own for `arena`


def test_completion_knows_commands_without_importing_them_and_the_options_of_one() -> None:
    assert completed("arena re") == ["report"]
    assert "--sandbox" in completed("arena play quoridor --s")
    assert completed("arena --completion ") == ["bash", "zsh", "fish"]


def test_every_command_with_a_game_completes_its_id() -> None:
    found = 0
    for words, command in COMMANDS.items():
        for parameter in command.params:
            if parameter.name == "game_id":
                option = "" if parameter.param_type_name == "argument" else f" {parameter.opts[0]}"
                assert completed(f"arena {words}{option} ") == list(game_ids())
                found += 1
    assert found > 10


def test_every_command_with_a_tournament_completes_names_and_files(folder: Path) -> None:
    found = 0
    for words, command in COMMANDS.items():
        for parameter in command.params:
            if parameter.name == "tournament" and words != "import":  # which makes a new one
                option = "" if parameter.param_type_name == "argument" else f" {parameter.opts[0]}"
                assert completed(f"arena {words}{option} ") == ["spring", "autumn", "old/", "spring.toml"]
                found += 1
    assert found > 5
    assert completed("arena standings sp") == ["spring", "spring.toml"]
    assert sorted(path.name for path in folder.iterdir()) == [
        *(".hidden.toml", "arena.db", "notes.txt", "old", "spring.toml")
    ]


def test_names_come_from_the_database_that_the_line_names(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("arena.db").rename("other.db")
    assert completed("arena standings a") == []
    assert completed("arena standings --db other.db a") == ["autumn"]
    monkeypatch.setenv("ARENA_DB", "other.db")
    assert completed("arena standings a") == ["autumn"]
    assert completed("arena standings --db postgresql://nobody@192.0.2.1/x a") == []
    assert completed("arena standings --db notes.txt a") == []


def test_every_command_with_a_tournament_file_completes_it(folder: Path) -> None:
    lines = ["arena run ", "arena door run ", "arena door invite ", "arena serve --engines "]
    assert [completed(line) for line in lines] == [["old/", "spring.toml"]] * len(lines)
    assert completed("arena run old/") == ["old/autumn.toml"]
    assert completed("arena run ./s") == ["./spring.toml"]
    assert completed("arena run .h") == [".hidden.toml"]
    assert items("arena run o") == ["dir,o"]  # after a folder, the shell adds no space
    assert items("arena run n") == ["file,n"]
    assert items("arena run missing/") == ["file,missing/"]


@shells
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("arena position quorid", ["quoridor", "quoridor4"]),
        ("arena run sp", ["spring.toml"]),
        ("arena standings au", ["autumn"]),
    ],
)
def test_a_real_shell_offers_what_arena_knows(
    shell: str, line: str, offered: list[str], folder: Path
) -> None:
    assert pressed(shell, line) == offered


@needs("bash")
def test_bash_quotes_a_name_with_spaces(folder: Path) -> None:
    Path("my cup.toml").touch()
    assert pressed("bash", "arena run my") == ["my\\ cup.toml"]


def pressed(shell: str, line: str) -> list[str]:
    """What a shell offers when somebody presses Tab after a line."""
    Path("script").write_text(invoke("--completion", shell).stdout)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    driver = DRIVERS[shell].replace("{words}", shlex.join(line.split())).replace("{line}", line)
    done = subprocess.run(
        [shell, *(["-f"] if shell == "zsh" else []), "-c", driver],
        env={**os.environ, "PATH": path, "HOME": str(Path.cwd())},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stderr == ""
    return [reply.partition("\t")[0] for reply in done.stdout.splitlines()]
