"""`arena show`: one stored game."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from arena.cli import main
from arena.cli.common import output
from arena.model import GameRecord, Opening, PlayerRecord
from arena.model import GameResult as GameResult
from arena.store import Store
from referee import Termination, game
from referee.ply import Ply
from tests.arena.invoking import invoke
from tests.arena.stored import new_store


def show(database: Path, *args: str) -> Result:
    return invoke("show", "--db", database, *args)


def moves(text: str) -> list[list[str]]:
    """Return the cells of the table of moves."""
    table = text.partition(" move ")[2].partition("\n")[2].partition("\n\n")[0]
    return [line.split() for line in table.splitlines()]


@pytest.fixture
def odd_games(tmp_path: Path) -> Path:
    """Four special games: from an opening, void, not played, and with a shared first place."""

    def player(name: str, rank: int | None, control: str, forfeit: Termination | None = None) -> PlayerRecord:
        return PlayerRecord(name, "", rank, 0.0, forfeit, control, 100, 0)

    def record(number: int, termination: Termination, detail: str, *players: PlayerRecord) -> GameRecord:
        id_ = "quoridor" if len(players) == 2 else "quoridor4"
        reason = "length" if termination is Termination.ADJUDICATED else termination.value
        result = GameResult(None, "odd", number, f"key{number}", id_, termination, reason, detail, 0, players)
        return GameRecord(result, Opening(), (), "", 0.0, 0)

    fixed, clock = player("[red]fast", 1, "movetime=0.5"), player("slow", 1, "40/60")
    opened = record(0, Termination.ADJUDICATED, "\x1b[2Jcleared", fixed, clock)
    played = GameRecord(
        opened.result,
        Opening("/ / e4 e5 / 10 10 / 1", ("e6",)),
        (Ply(1, "d5", 10**9, "mate 3", 9), Ply(0, "e7", 2 * 10**8)),
        "/ / e7 d5 / 10 10 / 2",
        0.0,
        1_200_000_000,
    )
    nobody = [player(name, None, "10+0.1") for name in ("a", "b")]
    absent = player("b", 2, "10+0.1", Termination.DISABLED)
    shared = [player(name, rank, "10+0.1") for name, rank in (("a", 1), ("b", 1), ("c", 3), ("d", 3))]
    store = new_store(tmp_path / "odd.db", "odd")
    store.add_games(
        [
            played,
            record(1, Termination.VOID, "no descriptors left", *nobody),
            record(2, Termination.DISABLED, "not played: b was disabled", player("a", 1, "10+0.1"), absent),
            record(3, Termination.NORMAL, "", *shared),
        ]
    )
    store.close()
    return tmp_path / "odd.db"


def test_a_game_is_shown_with_players_moves_clocks_and_result(sample_database: Path) -> None:
    done = show(sample_database, "1")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.startswith("game 1 of spring: quoridor\n")
    assert "1       alpha   1.0      10+0.1            2       0  0.588\n" in done.stdout
    rows = moves(done.stdout)
    assert rows[0] == ["1", "1", "e2", "0.012", "10.088", "cp", "0", "5"]
    assert rows[-1] == ["14", "2", "e1", "0.168", "10.028"]
    assert len(rows) == 14
    assert done.stdout.endswith("\nresult: beta wins (goal)\n")


def test_the_margins_and_the_worker_that_a_game_was_played_with_are_shown(tmp_path: Path) -> None:
    players = tuple(
        PlayerRecord(name, "", rank, 0.0, None, "10+0.1", margin, 0)
        for rank, (name, margin) in enumerate([("a", 100), ("b", 0)], 1)
    )
    result = GameResult(None, "t", 0, "k", "quoridor", Termination.NORMAL, "goal", "", 0, players)
    store = Store.open(tmp_path / "t.db", create=True)
    store.begin_tournament("t", {})
    store.add_games([GameRecord(result, Opening(), (), "", 0.0, 0, worker="lab1")])
    store.close()
    assert "\nmargin 100, 0 ms\nplayed by worker lab1\n" in show(tmp_path / "t.db", "1").stdout
    data = json.loads(show(tmp_path / "t.db", "1", "--json").stdout)
    assert [player["margin"] for player in data["result"]["players"]] == [100, 0]


def test_a_forfeit_is_shown_with_what_the_engine_did(sample_database: Path) -> None:
    text = show(sample_database, "3").stdout
    assert "result: alpha wins (crash)\ndetail: seat 2 ended with exit code 1 after 'go " in text
    assert [line.split()[-1] for line in text.splitlines() if " gamma " in line] == ["crash"]


def test_a_removal_is_no_move(sample_database: Path) -> None:
    rows = moves(show(sample_database, "7").stdout)
    assert rows[1] == ["2", "2", "!2"]
    assert rows[2][:3] == ["3", "3", "d9"]


def test_boards_show_every_position(sample_database: Path) -> None:
    text = show(sample_database, "7", "--board", "--ascii").stdout
    assert text.isascii()
    assert text.count(" 9 |") == 1 + 23
    assert "\n2. player 2: !2\n" in text
    assert "\n3. player 3: d9 (0.036 s, clock 10.064 s)\n" in text
    assert "player 1 has reached row 9 and won" in text.partition("\n23. player 1: e9")[2]


def test_json_has_the_whole_record_with_clocks_and_positions(sample_database: Path) -> None:
    data = json.loads(show(sample_database, "3", "--json", "--board").stdout)
    assert (data["result"]["number"], data["result"]["place"]) == (3, 3)
    assert data["result"]["players"][1]["forfeit"] == "crash"
    assert data["record"][1] == {
        "seat": 1,
        "text": "e8",
        "time": 24_000_000,
        "score": "",
        "depth": None,
        "clock": 10_076_000_000,
    }
    assert data["positions"][0] == str(game("quoridor").start())
    assert data["positions"][-1] == data["final_position"] == "/ / e3 e8 / 10 10 / 2"
    assert "positions" not in json.loads(show(sample_database, "3", "--json").stdout)


def test_an_opening_is_shown_and_played_before_the_first_move(odd_games: Path) -> None:
    text = show(odd_games, "1", "--board").stdout
    assert "\nstart: / / e4 e5 / 10 10 / 1\nopening: e6\n" in text
    assert text.count("walls left") == 4
    assert "\nopening: e6\n   ┌" in text
    assert "\n1. player 2: d5 (1.000 s, clock 59.000 s)\n" in text
    assert "\n2. player 1: e7 (0.200 s)\n" in text


def test_a_seat_without_a_clock_has_none_and_text_of_others_moves_no_cursor(odd_games: Path) -> None:
    text = show(odd_games, "1").stdout
    assert moves(text) == [["1", "2", "d5", "1.000", "59.000", "mate", "3", "9"], ["2", "1", "e7", "0.200"]]
    assert "[red]fast" in text
    assert text.endswith("result: a draw (length, adjudicated)\ndetail: ?[2Jcleared\n")


@pytest.mark.parametrize(
    ("number", "end"),
    [
        ("2", "result: none, the game does not count (void)\ndetail: no descriptors left\n"),
        ("3", "result: a wins (disabled)\ndetail: not played: b was disabled\n"),
        ("4", "result: a and b share first place (normal)\n"),
    ],
)
def test_other_ends_in_words(odd_games: Path, number: str, end: str) -> None:
    done = show(odd_games, number)
    assert done.exit_code == 0
    assert done.stdout.endswith(end)


def test_a_game_that_does_not_exist_is_wrong_input(sample_database: Path) -> None:
    done = show(sample_database, "99")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == f"error: {sample_database}: there is no game 99; the last one is game 7\n"


def test_the_database_can_be_named_by_the_environment(sample_database: Path) -> None:
    done = CliRunner(env={"ARENA_DB": str(sample_database)}).invoke(main, ["show", "1"])
    assert done.stdout.startswith("game 1 of spring")


def test_a_table_needs_rich_only_on_a_screen_that_is_too_narrow_for_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    long = "word " * 300
    rows = output.table("name", ">number", "line")
    for number in (9, 1000):
        rows.add_row("日本", str(number), long)
    printed = []
    monkeypatch.setattr("rich.console.Console.print", lambda _, table: printed.append(table))
    output.show(rows)
    lines = f"name  number  line\n日本       9  {long.rstrip()}\n日本    1000  {long.rstrip()}\n"
    assert capsys.readouterr().out == lines
    monkeypatch.setattr(output, "is_screen", lambda _: True)
    for width, by_rich in ((14 + len(long), []), (13 + len(long), [rows])):
        monkeypatch.setenv("COLUMNS", str(width))
        output.show(rows)
        assert printed == by_rich
        assert capsys.readouterr().out == ("" if by_rich else lines)
    rows.add_row("a", "1", "", style="red")
    monkeypatch.setenv("COLUMNS", "5000")
    output.show(rows)
    assert printed == [rows, rows]
