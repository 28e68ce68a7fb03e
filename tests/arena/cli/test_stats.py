"""`arena stats`, and the output formats of tables."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import Result
from rich.console import Console

from arena.model import GameRecord
from arena.store import Store
from arena.tables.statistics import (
    SeatStatistics,
    StatisticsCollector,
    opening_line,
)
from arena.tables.text_table import TextTable, as_csv, as_markdown, harmless
from referee import Termination
from tests.arena.invoking import invoke, refusal
from tests.arena.web.sites import fill

Make = Callable[..., GameRecord]


def arena(database: Path, *args: str) -> Result:
    command, *rest = args
    return invoke(command, "--db", database, *rest)


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cup") / "arena.db"
    fill(path, plies=4, pairings=2, ids=("quoridor", "quoridor4", "hops"))
    return path


def gathered(*records: GameRecord, plies: int = 2) -> StatisticsCollector:
    statistics = StatisticsCollector(plies)
    for record in records:
        statistics.add(record)
    return statistics


# --- counting ----------------------------------------------------------------------------------------------


def test_seats_are_counted_for_all_engines(record: Make) -> None:
    statistics = gathered(
        record(("a", 1), ("b", 2)),
        record(("b", 1), ("a", 2)),
        record(("a", 1), ("b", 1)),
        record(("a", 2), ("b", 1)),
    )
    assert [(seat.games, seat.wins, seat.draws, seat.points) for seat in statistics.seats] == [
        (4, 2, 1, 2.5),
        (4, 1, 1, 1.5),
    ]


def test_two_equal_seats_have_an_interval_around_one_half_that_shrinks() -> None:
    low, high = SeatStatistics(10, 5, 0, 5.0, 5.0).interval
    assert low + high == pytest.approx(1)
    narrow = SeatStatistics(1000, 500, 0, 500.0, 500.0).interval
    assert low < narrow[0] < 0.5 < narrow[1] < high
    all_won = SeatStatistics(6, 6, 0, 6.0, 6.0).interval
    assert all_won[0] < 0.7
    assert all_won[1] == 1.0


def test_games_that_were_not_played_count_among_the_ends_alone(record: Make) -> None:
    played = record()
    void = record(("a", None), ("b", None), termination=Termination.VOID)
    absent = record(termination=Termination.DISABLED, forfeits={"b": Termination.DISABLED})
    statistics = gathered(played, void, absent)
    assert statistics.games == 1
    assert statistics.ends.total() == 3
    assert {name: use.games for name, use in statistics.times.items()} == {"a": 1, "b": 1}


def test_an_opening_is_the_tournaments_or_else_the_first_moves(record: Make) -> None:
    game = record()  # opening d1, then e2 e8
    assert opening_line(game, 1) == opening_line(game, 2) == "d1"
    placed = replace(game, opening=replace(game.opening, position="P", moves=()))
    assert opening_line(placed, 2) == "P"
    free = replace(game, opening=replace(game.opening, position=None, moves=()))
    assert opening_line(free, 1) == "e2"
    assert opening_line(free, 9) == "e2 e8"
    assert opening_line(replace(free, record=()), 1) == "(no move)"


# --- the command -------------------------------------------------------------------------------------------


def test_each_game_and_all_of_them_have_their_tables(cup: Path) -> None:
    output = arena(cup, "stats").stdout
    assert output.count("Order: seats.") == output.count("Order: games, then the reason.") == 4
    assert "; forfeits: " in output
    assert output.count("Order: time per move") == 4
    assert "tournament cup, all games: 5 games" in output
    only = arena(cup, "stats", "cup", "--game", "hops").stdout
    assert only.count("Order: time per move") == 1


def test_json_has_all_openings_and_nanoseconds(cup: Path) -> None:
    answer = json.loads(arena(cup, "stats", "--json").stdout)
    hops = next(game for game in answer["games"] if game["game"] == "hops")
    assert hops["played"] == sum(opening["games"] for opening in hops["openings"]) == 2
    assert sum(use["total"] for use in hops["times"]) > 10**6
    all_games = answer["all_games"]
    assert all_games["played"] == sum(game["played"] for game in answer["games"])
    assert [seat["games"] for seat in all_games["seats"]] == [5, 5, 1, 1]


def test_only_the_most_frequent_openings_are_shown_and_the_rest_is_counted(
    cup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.tables.statistics._OPENINGS_SHOWN", 1)
    output = arena(cup, "stats", "--game", "hops").stdout
    assert " Left out: 1 rarer opening." in output


# --- formats -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["standings", "ratings", "stats"])
def test_every_form_is_well_formed_with_odd_names_of_engines(command: str, cup: Path) -> None:
    for block in arena(cup, command, "--format", "csv").stdout.split("\n\n"):
        rows = list(csv.reader(io.StringIO(block)))
        assert rows[0][:2] == ["game", "table"]
        assert {len(row) for row in rows} == {len(rows[0])}
    markdown = arena(cup, command, "--format", "md").stdout
    assert "<script>" not in markdown
    for table in markdown.split("\n\n"):
        rules = {line.replace("\\|", "").count("|") for line in table.splitlines() if line.startswith("|")}
        assert len(rules) <= 1


def test_json_is_a_form_and_excludes_the_others(cup: Path) -> None:
    assert arena(cup, "standings", "--json").stdout == arena(cup, "standings", "--format", "json").stdout
    assert arena(cup, "standings", "--json", "--format", "json").exit_code == 0
    assert "not both" in refusal(arena(cup, "standings", "--json", "--format", "csv"))


def test_no_name_is_a_formula_in_a_spreadsheet_and_none_is_markup() -> None:
    table = TextTable("g", "t", ("#", "engine", "Elo"), (("1", "=1+1|*x*", "-5"),), "a_b")
    assert as_csv([table]) == "game,table,#,engine,Elo\ng,t,1,'=1+1|*x*,-5"
    assert as_markdown([table]).splitlines()[2:] == ["| 1 | =1+1\\|\\*x\\* | -5 |", "", "a\\_b"]


@pytest.mark.parametrize(
    "names",
    [
        "=1+1|+a|-a|@a|-|+5|-0",
        "1-2|3/4|1-2-3|2026-11-25|1/2/26|1.2.26|1.2|1:2|12:30:59|1 1/2|1-|(5)|.5|5.|1,000|10%|$5|5 €|#1|1_2",
        "007|00|1.0|1234567890123456|1e5|1E10|1.5e+3|12e-4",
        "1am|1 PM|12:30 pm|1:2a|3p",
        "Mar1|MARCH1|1-Mar|1mar|mar 1, 2026|Jan 5|5 jan 2020|SEPT2|sep-2|oct 4|DEC1|may-5|1/Dec/20|june 3",
        "1-avr|12 mars|2. Mai 2026|1-déc.|3 août",
        "TRUE|False",
    ],
)
def test_no_name_is_a_date_or_another_number_in_a_spreadsheet(names: str) -> None:
    assert [name for name in names.split("|") if harmless(name) != f"'{name}"] == []


def test_texts_in_any_column_stay_texts_and_numbers_numbers() -> None:
    headers = ("#", "engines", "result", "95 %", "Elo", "score", "better", "started", "2", "tournament")
    rows = [
        (
            "1",
            "1 - 2",
            "=1+1 wins (goal)",
            "31-69 %",
            "-45",
            "67 %",
            "<1 %",
            "2026-11-25 18:30",
            "1.5/3",
            "1-2",
        ),
        (
            "2",
            "a/b - c",
            "a/b wins (goal)",
            "0-9 %",
            "+4",
            "",
            ">99 %",
            "2026-11-25 18:30:01",
            "*",
            "2026-11-25 18:30",
        ),
    ]
    found = as_csv([TextTable("g", "t", headers, tuple(rows))]).splitlines()
    assert found == [
        "game,table,#,engines,result,least,most,Elo,score,better,started,2,tournament",
        "g,t,1,'1 - 2,'=1+1 wins (goal),0.31,0.69,-45,0.67,<0.01,2026-11-25 18:30,1.5 of 3,'1-2",
        "g,t,2,a/b - c,a/b wins (goal),0.00,0.09,+4,,>0.99,2026-11-25 18:30:01,*,'2026-11-25 18:30",
    ]


@pytest.mark.parametrize("command", ["standings", "stats"])
def test_all_tournaments_can_be_taken_together(command: str, cup: Path) -> None:
    path = cup.with_name("two.db")
    path.unlink(missing_ok=True)
    path.write_bytes(cup.read_bytes())
    store = Store.open(path, create=False)
    store.begin_tournament("empty", {})
    store.close()
    assert "no game" in arena(path, command).stderr
    one, every = (arena(path, command, *args).stdout for args in (["cup"], ["--all"]))
    assert every == one.replace("tournament cup", "all tournaments")
    assert json.loads(arena(path, command, "--all", "--json").stdout)["tournament"] is None
    assert arena(path, command, "cup", "--all").exit_code == 2


@pytest.mark.parametrize("width", [24, 80])
@pytest.mark.parametrize("command", ["standings", "stats"])
def test_tables_fit_a_terminal_of_any_width(
    command: str, width: int, cup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: list[str] = []

    def print_tables(parts: list[object], data: object, form: str) -> None:
        console = Console(width=width, force_terminal=True, color_system=None, legacy_windows=False)
        with console.capture() as captured:
            for part in parts:
                console.print(part, markup=False, highlight=False)
        lines.extend(captured.get().splitlines())

    monkeypatch.setattr("arena.cli.tables.print_tables", print_tables)
    assert arena(cup, command).exit_code == 0
    assert lines
    assert max(map(len, lines)) <= width
