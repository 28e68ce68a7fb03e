"""`arena ratings` and `arena standings`: the tables of a database."""

import json
from pathlib import Path

import pytest
from click.testing import Result

from arena.model import GameRecord, Opening, PlayerRecord
from arena.model import GameResult as GameResult
from arena.store import Store
from referee import Termination
from tests.arena.formats.playing import names, play, tournament
from tests.arena.invoking import invoke, refusal


def arena(command: str, database: Path, *args: str) -> Result:
    return invoke(command, "--db", database, *args)


def data(command: str, database: Path, *args: str):
    done = arena(command, database, *args, "--json")
    assert (done.exit_code, done.stderr) == (0, "")
    return json.loads(done.stdout)


def new_database(path: Path, *tournaments: str, games: tuple[GameRecord, ...] = ()) -> Path:
    store = Store.open(path, create=True)
    for name in tournaments:
        store.begin_tournament(name, {})
    store.add_games(games)
    store.close()
    return path


def game_between(tournament: str, number: int, winner: str, loser: str, ended: Termination) -> GameRecord:
    ranks = (None, None) if ended is Termination.VOID else (1, 2)
    players = tuple(
        PlayerRecord(name, "", rank, 1.0 if rank == 1 else 0.0, None, "10", 100, 0)
        for name, rank in zip((winner, loser), ranks, strict=True)
    )
    result = GameResult(None, tournament, number, f"key{number}", "quoridor", ended, "goal", "", 0, players)
    return GameRecord(result, Opening(), (), "", 0.0, 0)


def test_ratings_has_a_table_for_each_game(sample_database: Path) -> None:
    done = arena("ratings", sample_database)
    assert (done.exit_code, done.stderr) == (0, "")
    title, first, note, other_title, second, _ = done.stdout.strip().split("\n\n")
    counted = "; counted: all games of the database"
    assert (title, other_title) == (f"quoridor: 6 games{counted}", f"quoridor4: 1 game{counted}")
    assert [line.split()[1] for line in first.splitlines()[1:-1]] == ["alpha", "beta", "gamma"]
    assert [line.split()[:2] for line in second.splitlines()[1:-1]] == [
        ["group", "1"],
        ["1", "alpha"],
        ["2", "delta"],
        ["3", "gamma"],
        ["group", "2"],
        ["1", "beta"],
    ]
    assert first.splitlines()[-1].startswith("Order: mu-3sigma ")
    assert note.startswith("Elo: mean 0; seats: player 1 ")


def test_standings_without_a_name_are_of_the_latest_tournament(sample_database: Path) -> None:
    latest = arena("standings", sample_database)
    assert latest.stdout == arena("standings", sample_database, "autumn").stdout
    assert latest.stdout.startswith("tournament autumn, quoridor4: 1 game\n\n")


def test_standings_show_the_crosstable_and_then_the_ratings(sample_database: Path) -> None:
    title, crosstable, ranking = arena("standings", sample_database, "spring").stdout.strip().split("\n\n")
    assert title == "tournament spring, quoridor: 6 games"
    *rows, note = crosstable.splitlines()
    assert note.startswith("Order: points, wins, Sonneborn-Berger ")
    assert [line.split() for line in rows] == [
        ["#", "engine", "total", "1", "2", "3"],
        ["1", "alpha", "3.0", "*", "1.0", "2.0"],
        ["2", "beta", "2.5", "1.0", "*", "1.5"],
        ["3", "gamma", "0.5", "0.0", "0.5", "*"],
    ]
    assert ranking.splitlines()[0].split() == [
        "#",
        "engine",
        "mu",
        "sigma",
        "mu-3sigma",
        "games",
        "W-D-L",
        "points",
        "forfeits",
    ]
    assert ranking.splitlines()[3].split()[-4:] == ["4", "0-1-3", "0.5", "1"]


def test_standings_as_json_have_both_tables_of_every_game(sample_database: Path) -> None:
    answer = data("standings", sample_database, "spring")
    (tables,) = answer["games"]
    assert (answer["tournament"], tables["game"], tables["played"]) == ("spring", "quoridor", 6)
    assert tables["crosstable"][0]["against"]["beta"] == {"points": 1.0, "games": 2}
    rated = data("ratings", sample_database, "--game", "quoridor")[0]["ranking"]
    assert [{**row, "better": rated[place]["better"]} for place, row in enumerate(tables["ranking"])] == rated


def test_ratings_in_standings_rest_on_all_tournaments_and_points_on_one(tmp_path: Path) -> None:
    games = (
        game_between("old", 0, "a", "b", Termination.NORMAL),
        game_between("new", 0, "b", "a", Termination.NORMAL),
    )
    path = new_database(tmp_path / "two.db", "old", "new", games=games)
    rows = data("standings", path, "new")["games"][0]["ranking"]
    whole = {row["engine"]: row for row in data("ratings", path)[0]["ranking"]}
    assert {row["engine"]: row["points"] for row in rows} == {"a": 0.0, "b": 1.0}
    assert {row["engine"]: row["mu"] for row in rows} == {name: row["mu"] for name, row in whole.items()}
    assert {row["points"] for row in whole.values()} == {1.0}
    note = "mu and sigma: from all rated games of the database; the other columns: from this tournament."
    assert note in arena("standings", path, "new").stdout
    assert note not in arena("standings", path, "--all").stdout


def test_void_games_count_for_nothing(tmp_path: Path) -> None:
    path = new_database(tmp_path / "void.db", "t", games=(game_between("t", 0, "a", "b", Termination.VOID),))
    assert data("ratings", path) == []
    assert data("standings", path) == {"tournament": "t", "games": []}


def test_before_the_first_game_there_is_a_line_on_stderr_and_no_table(tmp_path: Path) -> None:
    path = new_database(tmp_path / "begun.db", "t")
    for command, message in (
        ("ratings", f"{path}: no game has ended yet\n"),
        ("standings", "tournament t: no game has ended yet\n"),
    ):
        done = arena(command, path)
        assert (done.exit_code, done.stdout, done.stderr) == (0, "", message)
    assert arena("ratings", path, "--game", "quoridor").stderr.endswith("no game of quoridor has ended yet\n")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("sprong", "there is no tournament 'sprong'; did you mean spring?"),
        ("\x1b[31m", "there is no tournament '\\x1b[31m'; there are 'spring', 'autumn'"),
    ],
)
def test_a_name_that_does_not_exist_is_wrong_input(sample_database: Path, name: str, message: str) -> None:
    done = arena("standings", sample_database, name)
    assert (done.exit_code, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("form", "stored", "head", "total"),
    [
        ("round-robin", 3, ["quoridor: 3 of 6 games", "hops: 0 of 6 games"], "12"),
        ("round-robin", 8, ["quoridor: 6 games", "hops: 2 of 6 games", "all games: 8 of 12 games"], "12"),
        ("round-robin", 12, ["quoridor: 6 games", "hops: 6 games", "all games: 12 games"], "12"),
        (
            "knockout",
            2,
            [
                "quoridor: 1 of at most 16 games",
                "hops: 1 of at most 16 games",
                "all games: 2 of at most 32 games",
            ],
            "at most 32",
        ),
        ("knockout", None, ["quoridor: 4 games", "hops: 4 games", "all games: 8 games"], "8"),
        ("ladder", 2, ["quoridor: 1 game", "hops: 1 game", "all games: 2 games"], ""),
    ],
)
def test_a_tournament_with_missing_games_says_how_many_there_will_be(
    tmp_path: Path, form: str, stored: int | None, head: list[str], total: str
) -> None:
    spec = tournament(names(3), form, games=("quoridor", "hops"))
    results = play(
        spec, lambda pairing: (1, 2) if pairing.seats[0] < pairing.seats[1] else (2, 1), until=stored
    )[1]
    store = Store.open(tmp_path / "arena.db", create=True)
    store.begin_tournament("t", {}, spec.plan.encode())
    store.add_games([GameRecord(result, Opening(), (), "", 0.0, 0) for result in results])
    store.close()
    done = arena("standings", tmp_path / "arena.db")
    title = "tournament t, "
    lines = [line.removeprefix(title) for line in done.stdout.splitlines() if line.startswith(title)]
    assert lines == head
    csv = arena("list", tmp_path / "arena.db", "--format", "csv").stdout.splitlines()
    assert csv[1].split(",")[-2:] == [str(len(results)), total]


def test_a_database_without_a_tournament_says_how_to_start_one(tmp_path: Path) -> None:
    done = arena("standings", new_database(tmp_path / "empty.db"))
    assert done.exit_code == 2
    assert done.stderr.endswith("there is no tournament yet; `arena run FILE` starts one\n")


@pytest.mark.parametrize("command", ["ratings", "standings"])
def test_a_file_that_is_no_database_is_wrong_input_and_is_left_alone(tmp_path: Path, command: str) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database\n" * 100)
    assert refusal(arena(command, path)).startswith(f"error: {path}: ")
    assert path.read_text() == "not a database\n" * 100


@pytest.mark.parametrize("command", [["standings"], ["stats"], ["export"], ["report", "-o", "site"]])
def test_a_tournament_is_found_by_its_file(tmp_path: Path, monkeypatch, command: list[str]) -> None:
    folder = tmp_path / "league"
    folder.mkdir()
    game = game_between("spring", 0, "alpha", "beta", Termination.TIME)
    new_database(folder / "league.db", "spring", "summer", games=(game,))
    (folder / "t.toml").write_text('name = "spring"\ndatabase = "league.db"\n')  # its engines need not exist
    monkeypatch.chdir(tmp_path)
    name, *options = command
    from_file = invoke(name, "league/t.toml", *options)
    assert from_file.exit_code == 0, from_file.output
    assert "other.db" in refusal(invoke(name, "league/t.toml", "--db", "other.db", *options))
    assert refusal(invoke(name, "t.toml", *options)) == "error: t.toml: there is no such file\n"
