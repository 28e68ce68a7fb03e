"""`arena place`: an engine is placed among levels or the engines of a file, and goes on later."""

from __future__ import annotations

import json
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from arena.strength.levels import scales
from tests.arena.forked import arena

SPRING = """\
game = "rodeurs"
time_control = "9+0.1"
[openings]
kind = "random"
plies = 4
[[engines]]
name = "weak"
command = "level:1"
[[engines]]
name = "strong"
command = "level:2"
"""


def place(
    folder: Path, *words: str, game: str = "rodeurs", engine: str = "new=sample:greedy"
) -> CompletedProcess[str]:
    return arena("place", engine, "--game", game, *words, cwd=folder)


def test_an_engine_is_placed_among_the_levels_and_goes_on_under_its_name(tmp_path: Path) -> None:
    first = place(tmp_path, "-n", "4", "--json")
    assert first.returncode == 0, first.stderr
    (game,) = json.loads(first.stdout)["games"]
    found = game["place"]
    assert (found["engine"], found["games"], found["of"]) == ("new", 4, len(scales()["rodeurs"].elo) + 1)
    assert {row["engine"]: row["elo"] for row in found["opponents"]} == {
        f"level-{level}": elo for level, elo in enumerate(scales()["rodeurs"].elo, 1)
    }
    more = place(tmp_path, "-n", "6", "--name", "new-place")
    assert more.returncode == 0, more.stderr
    assert "new: Elo" in more.stdout
    assert "after 6 games" in more.stdout
    assert "already stored: 4 of at most 6 games" in more.stderr


def test_the_engines_of_a_file_are_a_list_with_the_strengths_of_their_games(tmp_path: Path) -> None:
    (tmp_path / "spring.toml").write_text(SPRING)
    empty = place(tmp_path, "--against", "spring.toml")
    assert (empty.returncode, empty.stdout) == (2, "")
    assert (
        "spring.toml: its engines have no games of rodeurs, so no strengths; play them with" in empty.stderr
    )
    assert arena("run", "spring.toml", "--quiet", cwd=tmp_path).returncode == 0
    done = place(tmp_path, "--against", "spring.toml", "-n", "2", "--json", "--db", "spring.db")
    assert done.returncode == 0, done.stderr
    (game,) = json.loads(done.stdout)["games"]
    assert [row["engine"] for row in game["place"]["opponents"]] == ["strong", "weak"]
    again = place(tmp_path, "--against", "spring.toml", "-n", "4", "--name", "new-place", "--db", "spring.db")
    assert again.returncode == 0, again.stderr  # although its own games have changed the list


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--game", "quoridor4"), "quoridor4 is for 4 players; an engine is placed in games of two"),
        (("--game", "chess"), "chess has no levels; name a tournament file"),
        (("--game", "hops", "--against", "spring.db"), "spring.db: a database does not say how its engines"),
        (("--game", "hops", "--against", "none.toml"), "none.toml"),
        (("--game", "hops", "--against", "spring.toml"), "hops is not played here; the games are rodeurs"),
        (("--game", "rodeurs", "-n", "7"), "--max-games: an engine is placed by pairs of games"),
        (("--game", "hops", "--within", "0"), "--within: this must be a number from 1"),
    ],
)
def test_what_cannot_place_an_engine_is_one_sentence(
    tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    (tmp_path / "spring.toml").write_text(SPRING)
    done = arena("place", "sample:greedy", *words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert not (tmp_path / "arena.db").exists()


def test_an_opponent_with_the_name_of_the_engine_is_refused(tmp_path: Path) -> None:
    done = place(tmp_path, engine="level:2")
    assert done.returncode == 2
    assert "an opponent has the name 'level-2', too; give ENGINE as NAME=COMMAND" in done.stderr
