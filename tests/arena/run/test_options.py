"""Options of engines: they are checked before the first game, stored with it, and stay the same."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from arena.store import Store
from tests.arena.forked import arena

HOSTILE = Path(__file__).parents[2] / "engines" / "hostile.py"
ENGINE = """
import sys
sys.path.insert(0, {folder!r})
print("option name Hash type spin default 1 min 1 max 64", flush=True)
import hostile
hostile.MODES["honest"]().run()
"""

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a tournament file with the options of its first engine, which has the option ``Hash``."""
    tmp_path.joinpath("engine.py").write_text(ENGINE.format(folder=str(HOSTILE.parent)))

    def write(options: str, *, games: int = 2, more: str = "") -> Path:
        file = tmp_path / "t.toml"
        command = f'["{sys.executable}", "-S", "engine.py"]'
        file.write_text(f"""
            game = "quoridor"
            time_control = "60+0"
            concurrency = 1
            games_per_pairing = {games}
            adjudication = {{ plies = 4 }}
            [[engines]]
            name = "a"
            command = {command}
            options = {options}
            {more}
            [[engines]]
            name = "b"
            command = {command}
        """)
        return file

    return write


def run(file: Path, *options: str) -> tuple[int, str]:
    done = arena("run", file.name, *options, cwd=file.parent)
    return done.returncode, done.stderr


def test_options_are_checked_stored_and_must_not_change_unless_that_is_accepted(write: Write) -> None:
    file = write('{ Hash = "two", Hush = 1 }')
    code, error = run(file)
    assert code == 2
    line = error.splitlines()[-1]
    assert line.startswith(f"error: {file}: engine a does not take its options: ")
    assert "option Hash takes a whole number from 1 up to 64, not 'two'" in line
    assert "it has no option 'Hush': did you mean Hash? it offers Hash" in line
    assert "force_options = true" in line
    assert "there is no tournament yet" in arena("standings", cwd=file.parent).stderr
    code, error = run(write("{ Hash = 16 }"))  # what was never played is no change
    assert (code, error.splitlines()[-1][:14]) == (0, "2 games played"), error
    shown = arena("show", "1", cwd=file.parent).stdout
    assert "options of a: Hash = 16\n" in shown
    assert "options of b" not in shown
    assert '"options":{"Hash":"16"}' in arena("export", "--jsonl", cwd=file.parent).stdout
    code, error = run(write("{ Hash = 32 }", games=4))
    assert code == 2
    assert "engine a has played with the option Hash = 16, and now it is 32; set it back" in error
    code, error = run(file, "--accept-changed-options")
    assert (code, error.splitlines()[-1][:14]) == (0, "2 games played"), error
    code, error = run(file)  # they were accepted
    assert (code, error.splitlines()[-1][:14]) == (0, "0 games played"), error
    with closing(Store.open(file.parent / "arena.db", create=False)) as store:
        played = [{player.name: player.options for player in game.players} for game in store.results()]
    assert played == [{"a": {"Hash": value}, "b": {}} for value in ("16", "16", "32", "32")]


SPEAKER = """#!/bin/sh
echo "A chess engine that prints a banner"
while read -r line; do
    case $line in
        {word}) echo "option name Hash type spin default 1 min 1 max 64"; echo {word}ok ;;
        quit) exit ;;
    esac
done
"""


@pytest.mark.parametrize(
    ("options", "dialect", "spoken"),
    [("{}", "ugi", "uci"), ("{ Hash = 16 }", "ugi", "uai"), ("{}", "uci", "ugi")],
)
def test_a_wrong_dialect_ends_the_run_and_no_game_is_stored(
    tmp_path: Path, options: str, dialect: str, spoken: str
) -> None:
    tmp_path.joinpath("engine.sh").write_text(SPEAKER.format(word=spoken))
    file = tmp_path / "t.toml"
    file.write_text(f"""
        game = "chess"
        time_control = "1"
        [defaults]
        dialect = "{dialect}"
        options = {options}
        timeouts = {{ handshake = 0.3 }}
        [[engines]]
        name = "a"
        command = ["sh", "engine.sh"]
        [[engines]]
        name = "b"
        command = ["sh", "engine.sh"]
    """)
    code, error = run(file)
    assert code == 2
    assert re.fullmatch(
        rf"error: {re.escape(str(file))}: engine [ab] does not answer '{dialect}', but it answers '{spoken}':"
        rf' set dialect = "{spoken}" in a file, --dialect {spoken} in a command',
        error.splitlines()[-1],
    )
    with closing(Store.open(tmp_path / "arena.db", create=False)) as store:
        assert list(store.results()) == []


def test_forced_options_are_not_checked(write: Write) -> None:
    code, error = run(write("{ Hush = 1 }", more="force_options = true"))
    assert (code, error.splitlines()[-1][:14]) == (0, "2 games played"), error
