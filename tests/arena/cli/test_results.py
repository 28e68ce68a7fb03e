"""`arena list` and `arena show --last-loss`: a game has one number, from the run to its moves."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import Result

from arena.model import GameResult
from arena.scoring import seat_endings
from arena.store import Store
from tests.arena.forked import arena
from tests.arena.invoking import invoke


def call(database: Path, *words: str) -> Result:
    return invoke(*words, "--db", database)


def numbers(database: Path, *words: str) -> list[int]:
    done = call(database, "list", "--last", "20", "--json", *words)
    assert done.exit_code == 0, done.stderr
    return [game["number"] for game in json.loads(done.stdout)]


def test_the_lines_of_a_run_and_the_list_have_the_number_that_show_takes(tmp_path: Path) -> None:
    match = ("match", "quoridor", "sample:random", "b=sample:random", "--tc", "9+0.1", "-n", "2")
    assert arena(*match, cwd=tmp_path).returncode == 0
    second = arena(*match, cwd=tmp_path)
    assert re.findall(r"^\[(\d/2)\] game (\d): ", second.stderr, re.MULTILINE) == [("1/2", "3"), ("2/2", "4")]
    database = tmp_path / "arena.db"
    assert numbers(database) == [3, 4]
    assert numbers(database, "random-b") == [1, 2]
    for number, seats, plies in re.findall(r"game (\d): (.*?): .* (\d+) ply", second.stderr):
        shown = json.loads(call(database, "show", number, "--json").stdout)
        assert " - ".join(player["name"] for player in shown["players"]) == seats
        assert shown["plies"] == int(plies)


def names_of(game: GameResult) -> list[str]:
    return [player.name for player in game.players]


def test_games_are_chosen_by_tournament_engine_loss_reason_and_number(sample_database: Path) -> None:
    store = Store.open(sample_database, create=False)
    games = store.results()
    store.close()
    assert numbers(sample_database, "--all") == list(range(1, 8))
    assert numbers(sample_database) == [7]
    assert numbers(sample_database, "spring", "--last", "2") == [5, 6]
    names = {player.name for game in games for player in game.players}
    for name in names:
        played = [game for game in games if name in {player.name for player in game.players}]
        assert numbers(sample_database, "--all", "--engine", name) == sorted(game.id or 0 for game in played)
        lost = sorted(
            game.id or 0
            for game in played
            if dict(zip(names_of(game), seat_endings(game.players), strict=True))[name]
            in ("lost", "forfeited")
        )
        assert numbers(sample_database, "--all", "--engine", name, "--lost") == lost
        last = call(sample_database, "show", name, "--last-loss")
        assert last.stdout.startswith(f"game {lost[-1]} of ") if lost else last.exit_code == 2
    for reason in {game.reason for game in games}:
        found = sorted(game.id or 0 for game in games if game.reason == reason)
        assert set(numbers(sample_database, "--all", "--reason", reason)) >= set(found)
    crashed = [game.id for game in games if any(player.forfeit == "crash" for player in game.players)]
    assert crashed
    assert numbers(sample_database, "--all", "--reason", "crash") == crashed


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("list", "--lost"), "--lost needs --engine NAME"),
        (("list", "spring", "--engine", "alpa"), "no game there has the engine 'alpa'; did you mean alpha?"),
        (("list", "spring", "--reason", "ilegal"), "no game ended by 'ilegal'; there are "),
        (("show", "alpa", "--last-loss"), "no game there has the engine 'alpa'; did you mean alpha?"),
        (("show", "--last-loss"), "name the engine that lost, as in: arena show NAME --last-loss"),
        (("show", "alpha"), "this must be a whole number"),
    ],
)
def test_what_no_game_has_is_an_error_that_names_what_there_is(
    sample_database: Path, words: tuple[str, ...], problem: str
) -> None:
    done = call(sample_database, *words)
    assert (done.exit_code, problem in done.stderr) == (2, True), done.stderr
