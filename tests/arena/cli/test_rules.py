"""`arena games` and `arena position`: the rules on the command line."""

import json

import pytest

from referee import game, game_ids
from referee.errors import BrokenPlugin
from tests.arena.invoking import invoke as arena


def data(*args: str):
    done = arena(*args, "--json")
    assert (done.exit_code, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_games_lists_every_game() -> None:
    lines = arena("games").stdout.splitlines()
    assert lines[0].split() == ["id", "title", "players", "board", "ply", "limit"]
    assert [line.split()[0] for line in lines[1:]] == list(game_ids())
    assert "Quoridor" in lines[1]
    assert lines[1].split()[-1] == "400"


def test_games_as_json_has_what_is_known_of_a_game() -> None:
    assert data("games")[0]["rulings"] == list(game("quoridor").info.rulings)


def test_a_plug_in_that_cannot_be_loaded_is_a_warning_and_the_others_are_listed(monkeypatch) -> None:
    def ids() -> tuple[str, ...]:
        return ("quoridor", "broken")

    def load(game_id: str):
        if game_id == "broken":
            raise BrokenPlugin("the game 'broken' cannot be loaded")
        return game(game_id)

    monkeypatch.setattr("arena.cli.rules.game_ids", ids)
    monkeypatch.setattr("arena.cli.rules.game", load)
    monkeypatch.setattr("arena.cli.rules.plugin_problems", lambda: ("the game 'broken' cannot be loaded",))
    done = arena("games", "--json")
    assert done.stderr == "warning: the game 'broken' cannot be loaded\n"
    assert [info["id"] for info in json.loads(done.stdout)] == ["quoridor"]


def test_position_shows_board_string_outcome_and_moves() -> None:
    done = arena("position", "quoridor", "--moves", "e2 e8")
    assert (done.exit_code, done.stderr) == (0, "")
    assert game("quoridor").parse_position("/ / e2 e8 / 10 10 / 1").diagram() in done.stdout
    assert "position: / / e2 e8 / 10 10 / 1\n" in done.stdout
    assert "outcome: none, player 1 to move\n" in done.stdout
    count, _, moves = done.stdout.partition("legal moves: ")[2].partition("\n")
    assert len(moves.split()) == int(count) == 132
    assert all(len(line) <= 80 for line in done.stdout.splitlines())


def test_a_board_in_ascii_has_nothing_else() -> None:
    assert arena("position", "quoridor", "--ascii").stdout.isascii()
    assert not arena("position", "quoridor").stdout.isascii()


def test_a_finished_position_has_an_outcome_and_no_moves() -> None:
    text = "/ / e9 e8 / 10 10 / 2"
    assert data("position", "quoridor", "--start", text) == {
        "game": "quoridor",
        "position": text,
        "turn": None,
        "legal_moves": [],
        "outcome": {"ranks": [1, 2], "reason": "goal", "scores": None},
    }
    assert (
        "outcome: player 1 wins (goal)\nlegal moves: 0\n"
        in arena("position", "quoridor", "--start", text).stdout
    )


def test_a_removed_seat_is_passed_over_from_then_on() -> None:
    answer = data("position", "quoridor4", "--moves", "e2 !2 e8 h5 e3 e7 !4")
    assert answer["position"] == "/ / e3 a5 e7 h5 / 5 5 5 5 / 1"
    assert answer["turn"] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["quoridor", "--moves", "e2 e8 e9"], "move 3, 'e9': "),
        (["quoridor", "--moves", "e2 !1"], "move 2, '!1': "),
        (["quoridor4", "--moves", "!5"], "move 1, '!5': "),
        (["quoridor", "--moves", "\x1b[2J"], "move 1, '\\x1b[2J': "),
        (["quoridor", "--start", "/ / e1 e9 / 10 9 / 1"], "walls"),
        (["quorridor"], "did you mean quoridor"),
    ],
)
def test_a_wrong_position_is_one_line_that_says_where(arguments: list[str], message: str) -> None:
    done = arena("position", *arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stderr.rstrip("\n").isprintable()


def test_perft_divided_adds_up() -> None:
    *lines, total = arena("position", "quoridor", "--perft", "2", "--divide").stdout.splitlines()
    counts = dict(line.split() for line in lines)
    assert len(counts) == 131
    assert sum(map(int, counts.values())) == 16677
    assert total.startswith("16677 nodes in ")


def test_perft_as_json_from_a_position() -> None:
    text = "/ / e4 e5 / 10 10 / 1"
    counted = data("perft", "quoridor", "1", "--start", text, "--divide")  # what engine authors type
    assert counted.pop("seconds") >= 0
    moves = data("position", "quoridor", "--start", text)["legal_moves"]
    assert counted == {
        "game": "quoridor",
        "position": text,
        "depth": 1,
        "nodes": len(moves),
        "divide": dict.fromkeys(moves, 1),
    }
    assert "e6" in moves


@pytest.mark.parametrize(
    "arguments", [["quoridor", "-1"], ["quoridor", "x"], ["quoridor", "0", "--divide"], ["quoridor"]]
)
def test_a_wrong_depth_is_wrong_input(arguments: list[str]) -> None:
    done = arena("perft", *arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
