"""Sample engines have names, wherever the command of an engine is taken."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena import samples
from arena.cli import main
from arena.config import load
from arena.errors import ConfigError
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
        ("sample:zzz", "there is no sample engine 'zzz'; use random, greedy, alphabeta"),
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
