"""Sample engines have names, wherever the command of an engine is taken."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena import samples
from arena.cli import main
from arena.config import load
from arena.errors import ConfigError
from arena.strength.levels import scales
from referee import game

FILE = """\
game = "{game}"
[[engines]]
name = "a"
command = "{command}"
[[engines]]
name = "b"
command = ["sample:greedy", "more"]
"""


def write(tmp_path: Path, game_id: str = "hops", command: str = "sample:random") -> Path:
    file = tmp_path / "t.toml"
    file.write_text(FILE.format(game=game_id, command=command))
    return file


@pytest.mark.parametrize("name", samples.NAMES)
def test_a_name_stands_for_the_interpreter_of_arena_and_a_program_that_exists(name: str) -> None:
    python, program, *rest = samples.expanded((f"sample:{name}", "x"))
    assert (python, rest) == ("{python}", ["x"])
    assert Path(program).is_file()


def test_any_other_command_stays_as_it_is() -> None:
    for command in ((), ("python3", "sample:greedy"), ("samples",), ("/sample:greedy",)):
        assert samples.expanded(command) == command


def test_a_wheel_has_its_own_copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples, "PACKAGED", tmp_path)
    assert samples.expanded(("sample:greedy",))[1] == str(tmp_path / "python-greedy/engine.py")


def test_a_tournament_file_names_samples_and_their_sandbox_can_read_them(tmp_path: Path) -> None:
    random, greedy = (entry.spec for entry in load(write(tmp_path)).engines)
    for spec in (random, greedy):
        assert str(Path(spec.command[1]).parent) in spec.readable
    assert greedy.command[2:] == ("more",)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("sample:greddy", "there is no sample engine 'greddy'; did you mean greedy?"),
        ("sample:zzz", "there is no sample engine 'zzz'; use random, greedy, alphabeta, llm"),
        ("level:9", "hops has no level '9'; use level:1 to level:4"),
        ("level:", "hops has no level ''; use level:1 to level:4"),
        ("level:5", "hops has no level '5'; use level:1 to level:4"),
    ],
)
def test_an_unknown_sample_is_named_in_a_file_and_on_the_command_line(
    tmp_path: Path, command: str, message: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        load(write(tmp_path, command=command))
    assert message in str(caught.value)
    assert "line 4" in str(caught.value)
    done = CliRunner().invoke(main, ["play", "hops", "--seat", "sample:greedy", "--seat", command])
    assert done.exit_code == 2
    assert message in done.stderr


# A whole game with random moves may reach the limit of plies. From here the first player can win after each
# move of the second one.
NEAR_THE_END = {
    "quatre-en-ligne": (
        "....r..__W/...._wrr../...._W..../Rr_r__..../.....W..../.....W..../....._..../.....W.... -3,-3 0 0 r"
    ),
    "chess": "k7/8/1K6/8/8/8/8/7R b - - 0 1",
}


@pytest.mark.parametrize("game_id", NEAR_THE_END)
def test_samples_play_a_game_to_its_end(game_id: str) -> None:
    assert game(game_id).info.players == 2
    seats = ["--seat", "sample:greedy", "--seat", "sample:random"]
    options = ["--json", "--time-control", "none", "--start", NEAR_THE_END[game_id]]
    done = CliRunner().invoke(main, ["play", game_id, *seats, *options])
    assert done.exit_code == 0, done.output
    played = json.loads(done.stdout)
    assert played["termination"] == "normal"
    assert [seat["rank"] for seat in played["seats"]] == [1, 2]


def moves_of_levels(*words: str) -> list[str]:
    seats = ["--seat", "level:2", "--seat", "level:1", "--time-control", "none"]
    done = CliRunner().invoke(main, ["play", "rodeurs", *seats, "--json", *words])
    assert done.exit_code == 0, done.output
    return [ply[1] for ply in json.loads(done.stdout)["record"]]


def test_levels_play_the_same_game_again_and_another_one_with_another_seed() -> None:
    first = moves_of_levels()
    assert moves_of_levels() == first
    assert moves_of_levels("--option", "1:Seed=2") != first


def test_the_page_and_the_scale_of_a_game_have_all_its_levels() -> None:
    code = "import json, levels; print(json.dumps(levels.LEVELS))"
    folder = Path(samples.expanded(("level:1",))[1]).parent
    printed = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, check=True)
    declared = {game_id: list(map(tuple, levels)) for game_id, levels in json.loads(printed.stdout).items()}
    for game_id, scale in scales().items():
        page = (Path(__file__).parents[2] / f"docs/games/{game_id}.md").read_text(encoding="utf-8")
        rows = re.findall(r"^\| (\d) \| (\d+)% \|(?: (\d+) nodes| ply|) \| (\d+) \|", page, re.MULTILINE)
        assert [int(elo) for *_, elo in rows] == list(scale.elo)
        assert [(int(mistakes), int(nodes or 0)) for _, mistakes, nodes, _ in rows] == declared[game_id]
        assert all(high - low >= 120 for low, high in pairwise(scale.elo))
