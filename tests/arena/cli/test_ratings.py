"""`arena ratings`: fitted Elo and TrueSkill, the options, and the settings of lists."""

import json
import re
import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from click.testing import Result

from arena.model import GameRecord
from arena.ratings.settings import RatingSettings
from arena.ratings.trueskill import rate
from arena.scoring import SeatScore
from arena.store import GameFilter, Store
from arena.tables.ratings import error_cell, likelihood_cell
from protocol.words import percent
from referee import Termination
from tests.arena.invoking import invoke, refusal
from tests.arena.stored import new_store


@pytest.fixture
def database(sample_database: Path, tmp_path: Path) -> Path:
    """A copy of the database that a test may change."""
    return Path(shutil.copy(sample_database, tmp_path / "arena.db"))


def arena(database: Path, *args: str) -> Result:
    return invoke("ratings", "--db", database, *args)


def data(database: Path, *args: str):
    done = arena(database, "--json", *args)
    assert (done.exit_code, done.stderr) == (0, "")
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def untouched(sample_database: Path) -> object:
    """The ratings of a database that no test has changed."""
    return data(sample_database)


def test_the_fit_is_beside_trueskill(database: Path) -> None:
    (table,) = data(database, "--game", "quoridor")
    assert [strength["name"] for strength in table["fit"]["strengths"]] == ["alpha", "beta", "gamma"]
    assert sum(strength["elo"] for strength in table["fit"]["strengths"]) == pytest.approx(0)
    assert len(table["fit"]["seats"]) == 2
    assert "superiority" not in table["fit"]
    lines = arena(database, "--game", "quoridor").stdout.splitlines()
    assert lines[2].split()[5:7] == ["Elo", "+-95%"]
    alpha = table["fit"]["strengths"][0]
    assert lines[3].split()[5:7] == [str(round(alpha["elo"])), f"{alpha['error']:.0f}"]


def test_an_anchor_for_once_and_for_good(database: Path) -> None:
    def elo(*args: str) -> dict[str, float]:
        (table,) = data(database, "--game", "quoridor", *args)
        return {strength["name"]: strength["elo"] for strength in table["fit"]["strengths"]}

    free = elo()
    once = elo("--anchor", "gamma=1000")
    assert once["gamma"] == 1000
    assert once["alpha"] - 1000 == pytest.approx(free["alpha"] - free["gamma"])
    assert elo() == free
    assert elo("--store", "anchor=gamma=1000") == once
    assert elo() == once
    assert "Elo: gamma is 1000;" in arena(database, "--game", "quoridor").stdout
    assert elo("--store", "anchor=default") == free


def test_a_list_that_is_set_is_rated_by_that_and_other_lists_are_not(database: Path) -> None:
    usual = data(database)
    changed = ["--game", "quoridor", "--store", "draw_probability=0.5"]
    (table,) = data(database, *changed)
    first, second = data(database)
    assert table == first != usual[0]
    assert second == usual[1]
    assert (first["settings"]["draw_probability"], first["settings"]["estimated"]) == (0.5, False)
    assert first["fit"] == usual[0]["fit"]
    back = ["--game", "quoridor", "--store", "draw_probability=default"]
    assert data(database, *back) == usual[:1]


def test_forfeits_that_are_skipped_are_neither_rated_nor_fitted(database: Path) -> None:
    (usual,) = data(database, "--game", "quoridor")
    (table,) = data(database, "--game", "quoridor", "--store", "forfeits=skip")
    assert [row["forfeits"] for row in table["ranking"]] == [row["forfeits"] for row in usual["ranking"]]
    assert table["ranking"][0]["mu"] < usual["ranking"][0]["mu"]
    assert table["fit"] != usual["fit"]


def test_sorted_by_points_the_table_has_them(tmp_path: Path, record: Callable[..., GameRecord]) -> None:
    database = tmp_path / "arena.db"
    results = [("busy", "weak"), ("weak", "busy")] * 20 + [("sure", "weak")]
    with closing(new_store(database, "cup")) as store:
        store.add_games(
            [record((one, 1), (two, 2), number=place) for place, (one, two) in enumerate(results)]
        )
    rows = {order: data(database, "--sort", order)[0]["ranking"] for order in ("trueskill", "elo", "points")}
    assert [row["engine"] for row in rows["points"]] == ["busy", "weak", "sure"]
    assert [row["engine"] for row in rows["elo"]] == ["sure", "busy", "weak"]
    assert [row["rank"] for row in rows["points"]] == [1, 2, 3]
    lines = arena(database, "--sort", "points").stdout.splitlines()
    assert lines[2].split()[-3:] == ["W-D-L", "points", "forfeits"]
    assert [line.split()[-1] for line in lines[3:6]] == ["20", "20", "1"]
    other = "Elo puts sure before busy, but the order is by mu-3sigma: after 1 game TrueSkill is less sure"
    assert other in arena(database).stdout
    assert other not in arena(database, "--sort", "elo").stdout


def test_each_engine_is_compared_with_the_next_one(database: Path) -> None:
    (table,) = data(database, "--game", "quoridor", "--los", "--sort", "points")
    matrix = table["fit"]["superiority"]
    better = [row["better"] for row in table["ranking"]]
    assert better == [pytest.approx(matrix[0][1]), pytest.approx(matrix[1][2]), None]


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (0.0, "<1 %"),
        (0.0049, "<1 %"),
        (0.006, "1 %"),
        (0.5, "50 %"),
        (0.994, "99 %"),
        (0.9951, ">99 %"),
        (1, ">99 %"),
    ],
)
def test_no_likelihood_is_shown_as_certain(value: float, cell: str) -> None:
    assert likelihood_cell(value) == cell


def test_only_the_anchor_has_no_error() -> None:
    assert [error_cell(error) for error in (0.0, 1e-9, 0.49, 0.5001, 12.4)] == ["0", "<1", "<1", "1", "12"]


def test_likelihoods_of_superiority(database: Path) -> None:
    (table,) = data(database, "--game", "quoridor", "--los")
    matrix = table["fit"]["superiority"]
    assert matrix[0][2] > matrix[0][1] > 0.5
    assert matrix[0][2] + matrix[2][0] == pytest.approx(1)
    lines = arena(database, "--game", "quoridor", "--los").stdout.strip().split("\n\n")[-1].splitlines()
    assert lines[0].split() == ["#", "engine", "Elo", "1", "2", "3"]
    assert re.split("  +", lines[1])[3:] == ["*", percent(matrix[0][1]), percent(matrix[0][2])]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--store", "forfeits=skip"], "--store needs --game ID"),
        (["--game", "quoridor", "--store", "forfeits"], "setting 'forfeits': write KEY=VALUE"),
        (["--game", "quoridor", "--store", "anchor=nobody=0"], "no engine of this name has played quoridor"),
        (["--game", "quoridr", "--store", "forfeits=skip"], "no game has the id 'quoridr'"),
        (["--anchor", "delta=0"], "quoridor: the anchor 'delta' has no rated game; choose one of alpha"),
        (["--game", "quoridor", "--store", "draw_probability=2"], "must lie between 0.001 and 0.95"),
        (["--anchor", "alpha"], "write NAME=VALUE"),
        (["--overall"], "no two engines have played each of quoridor, quoridor4 among each other"),
        (["--overall", "--since", "2100-01-01"], "there are none; counted: started since 2100-01-01 00:00"),
        (["--overall", "--game", "quoridor"], "--overall takes no --game, --sort, --los, --anchor and"),
    ],
)
def test_what_cannot_be_set_is_refused_and_changes_nothing(
    database: Path, untouched: object, arguments: list[str], message: str
) -> None:
    assert message in refusal(arena(database, *arguments))
    assert data(database) == untouched


def test_an_anchor_whose_games_are_rated_no_more_can_be_taken_back(
    tmp_path: Path, record: Callable[..., GameRecord]
) -> None:
    database, crash = tmp_path / "arena.db", Termination.CRASH
    with closing(new_store(database, "cup")) as store:
        lost = record(("a", 1), ("c", 2), number=1, termination=crash, forfeits={"c": crash})
        store.add_games([record(("a", 1), ("b", 2)), lost])
    quoridor = ["--game", "quoridor", "--store"]
    done = arena(database, *quoridor, "anchor=c=0", "--store", "forfeits=skip")
    assert done.exit_code == 2
    assert "quoridor: the anchor 'c' has no rated game; choose one of a, b, or remove the" in done.stderr
    assert arena(database, *quoridor, "anchor=default").exit_code == 0


def test_where_most_games_are_drawn_a_note_compares_elo_with_a_match(
    tmp_path: Path, record: Callable[..., GameRecord]
) -> None:
    database, results = tmp_path / "arena.db", [(1, 2), (2, 1), *[(1, 1)] * 8]
    with closing(new_store(database, "cup")) as store:
        games = [record(("a", one), ("b", two), number=n) for n, (one, two) in enumerate(results)]
        store.add_games(games[:3])
        assert "`arena match`" not in arena(database).stdout
        store.add_games(games[3:])
    draws = data(database)[0]["fit"]["draws"]
    assert f"it shows about {percent(1 - draws)} of these differences" in arena(database).stdout


def test_a_file_that_may_only_be_read_can_be_rated(database: Path) -> None:
    database.chmod(0o444)
    assert arena(database).exit_code == 0


def test_one_tournament_is_rated_as_if_it_were_alone(
    database: Path, record: Callable[..., GameRecord]
) -> None:
    alone = data(database, "--game", "quoridor")
    with closing(Store.open(database, create=False)) as store:
        store.begin_tournament("more", {})
        games = [
            record(("gamma", 1), ("alpha", 2), number=n, key=str(n), tournament="more") for n in range(3)
        ]
        store.add_games(games)
    (spring,) = data(database, "--game", "quoridor", "--tournament", "spring")
    assert spring == {**alone[0], "counted": {**alone[0]["counted"], "tournament": "spring"}}
    assert data(database, "--game", "quoridor") != alone
    (more,) = data(database, "--tournament", "more")
    assert [row["games"] for row in more["ranking"]] == [3, 3]
    assert "tournament 'mre'; did you mean more?" in refusal(arena(database, "--tournament", "mre"))


@pytest.fixture
def mixed(tmp_path: Path, record: Callable[..., GameRecord]) -> Path:
    """A database with two tournaments and time controls, one game each day from 2026-11-01."""
    database = tmp_path / "mixed.db"
    noon = datetime(2026, 11, 1, 12).timestamp()
    with closing(new_store(database, "fast", "slow")) as store:
        for day, name in enumerate(("fast", "fast", "slow", "slow", "slow")):
            one = record(("a", 1), (f"b{day}", 2), number=day, tournament=name)
            controls = ("60+1", "60+1") if name == "slow" else ("10+0.1", "60+1" if day else "10+0.1")
            players = tuple(
                replace(player, time_control=control)
                for player, control in zip(one.result.players, controls, strict=True)
            )
            result = replace(one.result, players=players)
            store.add_games([replace(one, result=result, started=noon + day * 86_400)])
    return database


@pytest.mark.parametrize(
    ("options", "opponents", "counted"),
    [
        ([], "01234", "all games of the database"),
        (["--tournament", "slow"], "234", "tournament slow"),
        (["--time-control", "10+0.1"], "0", "time control 10+0.1"),
        (["--tc", "1:00+1.0"], "234", "time control 60+1"),
        (["--since", "2026-11-04"], "34", "started since 2026-11-04 00:00"),
        (["--since", "2026-11-03T12:00"], "234", "started since 2026-11-03 12:00"),
        (
            ["--tournament", "slow", "--since", "2026-11-05"],
            "4",
            "tournament slow, started since 2026-11-05 00:00",
        ),
    ],
)
def test_a_table_counts_the_chosen_games_and_says_which(
    mixed: Path, options: list[str], opponents: str, counted: str
) -> None:
    lines = arena(mixed, *options).stdout.splitlines()
    games = f"{len(opponents)} game{'s' * (len(opponents) > 1)}"
    assert lines[0] == f"quoridor: {games}; counted: {counted}"
    (table,) = data(mixed, *options)
    rated = {row["engine"]: row["games"] for row in table["ranking"]}
    assert rated == {"a": len(opponents), **{f"b{one}": 1 for one in opponents}}
    assert table["fit"]["strengths"][0]["name"] == "a"
    won = [(SeatScore("a", 1, 1, None), SeatScore(f"b{one}", 2, 0, None)) for one in opponents]
    alone = rate(won, RatingSettings(draw_probability=table["settings"]["draw_probability"]))
    assert table["ranking"][0]["mu"] == alone["a"].mu


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--tc", "1m"], "time control '1m': '1m' is not a number of seconds such as 10 or 0.5; write "),
        (["--time-control", "1+1"], "no game has the time control '1+1'; there are 60+1; 10+0.1"),
        (["--since", "2026-02-30"], "--since: '2026-02-30' does not match the formats '%Y-%m-%d', "),
    ],
)
def test_a_choice_of_no_games_says_what_there_is(mixed: Path, options: list[str], message: str) -> None:
    assert message in refusal(arena(mixed, *options))


def test_games_that_repeat_earlier_ones_are_counted_and_said(
    tmp_path: Path, record: Callable[..., GameRecord]
) -> None:
    database = tmp_path / "arena.db"
    first = record(number=0)
    games = [
        first,
        record(number=1, version="2"),  # the same engine for the ratings
        record(("b", 1), ("a", 2), number=2),  # other seats
        replace(record(number=3), opening=replace(first.opening, moves=("d2",))),
        replace(record(number=4), opening=replace(first.opening, position="P")),
        replace(record(number=5), record=first.record[:1]),
        replace(record(number=6), record=()),  # two games without a move
        replace(record(number=7), record=()),
        record(("a", None), ("b", None), number=8, termination=Termination.VOID),
        record(number=9, tournament="next"),
    ]
    with closing(new_store(database, "cup", "next", games=games[:9])) as store:
        assert store.rating_lists.repeated("quoridor") == 1
        store.add_games(games[9:])
        assert store.rating_lists.repeated("quoridor") == 2
        assert store.rating_lists.repeated("quoridor", only=GameFilter("next")) == 0
    said = "Identical games: {} of {} games repeat an earlier one (the same seats, opening and moves)."
    assert said.format(2, 9) in arena(database).stdout
    assert said.format(1, 8) in arena(database, "--tournament", "cup").stdout
    assert "Identical games" not in arena(database, "--tournament", "next").stdout
    (table,) = data(database)
    assert table["repeated"] == 2
    standings_of = invoke("standings", "cup", "--db", database)
    assert said.format(1, 8) in standings_of.stdout
    done = invoke("report", "cup", "--db", database, "-o", tmp_path / "site")
    assert done.exit_code == 0, done.output
    assert said.format(1, 8) in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")


def test_one_rating_over_several_games_is_printed_for_programs_and_for_people(
    tmp_path: Path, record: Callable[..., GameRecord]
) -> None:
    database = tmp_path / "arena.db"
    with closing(new_store(database, "cup")) as store:
        results = [("hops", 1, 2), ("hops", 2, 1), ("quoridor", 1, 2)]
        store.add_games(
            [
                record(("a", one), ("b", two), game=game, number=n)
                for n, (game, one, two) in enumerate(results)
            ]
        )
    rated = data(database, "--overall")
    assert rated["games"] == {"hops": 2, "quoridor": 1}
    (first, second) = rated["overall"]
    assert (first["name"], second["name"]) == ("a", "b")
    assert first["elo"] == pytest.approx(-second["elo"])
    assert [game["game"] for game in first["games"]] == ["hops", "quoridor"]
    assert set(first["games"][0]) == {"game", "elo", "error"}
    (row,) = [line for line in arena(database, "--overall").stdout.splitlines() if line.startswith("1 ")]
    assert row.split()[:5] == ["1", "a", str(round(first["elo"])), f"{first['error']:.0f}", "hops"]
