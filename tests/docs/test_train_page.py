"""The programs of the page about agents that learn: an environment, training, a tournament of OpenSpiel."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS.joinpath("howto/train-an-agent.md").read_text(encoding="utf-8")


def done(folder: Path, *words: str) -> str:
    command = [sys.executable, *words]
    return subprocess.run(
        command, cwd=folder, check=True, timeout=300, stdout=subprocess.PIPE, text=True
    ).stdout


@pytest.mark.filterwarnings("ignore:(Observation|Action mask)")
def test_the_first_program_plays_a_game(capsys: pytest.CaptureFixture[str]) -> None:
    program = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0]
    exec(program, {})
    assert re.search("has carried it there and won|to move|has won", capsys.readouterr().out)


def test_the_agent_is_trained_and_plays(tmp_path: Path) -> None:
    folder = shutil.copytree(DOCS / "examples/train-an-agent", tmp_path / "agent")
    done(folder, "train.py", "2")
    words = ["play", "rodeurs", "--seat", "{python} agent.py", "--seat", "sample:random", "--tc", "none"]
    assert re.search(r"wins: (points|reds|yellows)|a draw: equal", done(folder, "-m", "arena", *words))


def test_three_engines_play_a_tournament_of_openspiel(tmp_path: Path) -> None:
    folder = shutil.copytree(DOCS / "examples/openspiel", tmp_path / "three")
    file = folder / "three.toml"
    text = file.read_text("utf-8").replace("games_per_pairing = 4", "games_per_pairing = 2")
    file.write_text(text.replace('"10+1"', '"none"'), "utf-8")
    table = done(folder, "-m", "arena", "run", "three.toml")
    assert "6 games" in table
    assert re.search(r"^3  random ", table, re.MULTILINE)
    assert "forfeit" not in table.replace("points  forfeits", "")
