"""Tables fit the width of the terminal and print names without markup."""

import io
import json
import random
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from arena.cli.common.output import table
from arena.model import GameRecord, GameResult
from arena.ratings.lists import RatingList
from arena.ratings.settings import ListSettings, RatingSettings
from arena.ratings.trueskill import Rating
from arena.ratings.trueskill import rate as rate_seats
from arena.scoring import Versus, tally
from arena.store import Store
from arena.tables.crosstable import Crosstable, crosstable
from arena.tables.ratings import ranking_rows, rating_table
from arena.tables.standings import standings
from arena.tables.tournament_list import tournament_list
from arena.tables.tournament_tables import tournament_tables
from referee import Termination
from tests.arena.formats.playing import plan

MakeResult = Callable[..., GameResult]
MakeRecord = Callable[..., GameRecord]
HEADERS = ["#", "engine", "mu", "sigma", "mu-3sigma", "games", "W-D-L", "points", "forfeits"]


def printed(renderable: object, *, width: int = 80, encoding: str = "utf-8") -> list[str]:
    """Return the lines on a terminal of this width and encoding."""
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding=encoding)
    Console(file=out, width=width).print(renderable)
    out.flush()
    return raw.getvalue().decode(encoding).splitlines()


def cells_of(table: Crosstable) -> object:
    """Return the table without the note below it."""
    return replace(table.titled(""), note="")


def tournament(result: MakeResult, names: list[str], rounds: int) -> list[GameResult]:
    chance = random.Random(3)
    ranks = ((1, 2), (2, 1), (1, 1))
    return [
        result(*zip((one, other), chance.choice(ranks), strict=True))
        for _ in range(rounds)
        for index, one in enumerate(names)
        for other in names[:index]
    ]


def rate(results: list[GameResult], settings: RatingSettings) -> dict[str, Rating]:
    return rate_seats([result.players for result in results if result.counts], settings)


def ranking(results: list[GameResult]) -> object:
    ratings = rate(results, RatingSettings())
    rated = RatingList("quoridor", ListSettings(), RatingSettings(), tally(results), ratings)
    return replace(rating_table(rated, None, standings(tally(results))).table(elo=False), note="")


def test_rows_have_all_that_a_program_wants(result: MakeResult) -> None:
    off = Termination.DISABLED
    results = [
        result(("a", 1), ("b", 2)),
        result(("c", 1), ("d", 2), termination=off, forfeits={"d": off}),
    ]
    ratings = rate(results, RatingSettings())
    rows = ranking_rows(standings(tally(results)), ratings)
    assert json.loads(json.dumps(rows)) == rows
    assert [row["engine"] for row in rows] == ["a", "b", "c", "d"]
    assert rows[0] == {
        "rank": 1,
        "group": None,
        "engine": "a",
        "mu": ratings["a"].mu,
        "sigma": ratings["a"].sigma,
        "conservative": ratings["a"].conservative,
        "games": 1,
        "wins": 1,
        "draws": 0,
        "losses": 0,
        "points": 1.0,
        "forfeits": 0,
        "unplayed": 0,
    }
    assert (rows[3]["mu"], rows[3]["forfeits"], rows[3]["unplayed"], rows[3]["rank"]) == (None, 0, 1, 4)
    assert printed(ranking(results))[4].split() == ["4", "d", "1", "0-0-1", "0"]


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_six_engines_with_long_names_fit_into_80_columns_whole(result: MakeResult, encoding: str) -> None:
    names = [f"engine-{number}-{'x' * 11}" for number in range(6)]
    assert all(len(name) == 20 for name in names)
    results = tournament(result, names, 20)
    table, cross = (
        printed(ranking(results), encoding=encoding),
        printed(cells_of(crosstable(tally(results))), encoding=encoding),
    )
    assert max(map(len, table + cross)) <= 80
    assert len(table) == len(cross) == 7
    for name in names:
        assert any(name in line for line in table)
        assert any(name in line for line in cross)


def test_long_names_are_cut_where_there_is_no_room(result: MakeResult) -> None:
    names = ["a" * 60, "b" * 60]
    lines = printed(ranking(tournament(result, names, 2)))
    assert all(len(line) <= 80 for line in lines)
    assert sorted(line.split()[1].rstrip("…")[0] for line in lines[1:]) == ["a", "b"]
    assert all("…" in line for line in lines[1:])
    wide = printed(ranking(tournament(result, names, 2)), width=1000)
    assert all(any(name in line for line in wide) for name in names)


def test_a_narrow_screen_loses_columns_and_never_digits(result: MakeResult) -> None:
    results = tournament(result, ["alpha", "beta"], 50)
    lines = printed(ranking(results), width=40)
    assert lines[0].split() == HEADERS[:6]
    assert lines[1].split()[-1] == "50"
    assert all(len(line) <= 40 for line in lines)


def test_a_screen_without_unicode_gets_ascii(result: MakeResult) -> None:
    names = ["échecs 棋" + "x" * 40, "naïve"]
    for lines in (
        printed(ranking(tournament(result, names, 2)), encoding="ascii"),
        printed(cells_of(crosstable(tally(tournament(result, names, 2)))), width=40, encoding="ascii"),
    ):
        assert any("?checs ?xx" in line and "x.. " in line for line in lines)
        assert any("na?ve" in line for line in lines)


def test_wide_characters_keep_the_columns_in_line(result: MakeResult) -> None:
    names = ["棋" * 30, "plain"]
    lines = printed(ranking(tournament(result, names, 2)))
    cells = [sum(2 if character == "棋" else 1 for character in line) for line in lines]
    assert len(set(cells)) == 1
    assert cells[0] <= 80


def test_a_name_is_never_markup_nor_moves_the_cursor(result: MakeResult) -> None:
    names = ["[bold]x[/bold]", "a\x1b[2Jb\nc", "[/]"]
    results = tournament(result, names, 1)
    for lines in (printed(ranking(results)), printed(cells_of(crosstable(tally(results))))):
        text = "\n".join(lines)
        assert all(name in text for name in ("[bold]x[/bold]", "a?[2Jb?c", "[/]"))


def test_the_crosstable_numbers_its_columns(result: MakeResult) -> None:
    results = [
        *[result(("a", 1), ("b", 2))] * 2,
        *[result(("c", 1), ("b", 1))] * 2,
        *[result(("c", 2), ("a", 1))] * 2,
    ]
    assert [line.split() for line in printed(cells_of(crosstable(tally(results))))] == [
        ["#", "engine", "total", "1", "2", "3"],
        ["1", "a", "4", "*", "2", "2"],
        ["2", "b", "1", "0", "*", "1"],
        ["3", "c", "1", "0", "1", "*"],
    ]


def test_the_crosstable_gives_the_games_where_they_differ_from_pair_to_pair(result: MakeResult) -> None:
    results = [result(("a", 1), ("b", 2)), *[result(("a", 1), ("c", 1))] * 3]
    assert [line.split() for line in printed(cells_of(crosstable(tally(results))))] == [
        ["#", "engine", "total", "1", "2", "3"],
        ["1", "a", "2.5", "*", "1.5/3", "1.0/1"],
        ["2", "c", "1.5", "1.5/3", "*"],
        ["3", "b", "0.0", "0.0/1", "*"],
    ]
    assert crosstable(tally(results)).data()[2] == {
        "engine": "b",
        "against": {"a": Versus(0.0, 1)},
    }


def test_a_crosstable_of_many_comes_in_parts_that_fit(result: MakeResult) -> None:
    names = [f"engine number {number:02}" for number in range(30)]
    results = tournament(result, names, 2)
    lines = printed(cells_of(crosstable(tally(results))))
    assert max(map(len, lines)) <= 80
    heads = [line.split()[3:] for line in lines if line.split()[:1] == ["#"]]
    assert len(heads) > 1
    assert [column for head in heads for column in head] == [str(number) for number in range(1, 31)]


def test_nothing_played_is_an_empty_table() -> None:
    assert printed(cells_of(crosstable(tally([])))) == []
    assert printed(ranking([]))[0].split()[:2] == ["#", "engine"]


def test_a_narrow_screen_breaks_numbers_of_other_tables_and_cuts_none() -> None:
    wide = table("engine", *(f">{letter}" for letter in "stuvwxyz"))
    wide.add_row("alpha", *["123456"] * 8)
    lines = printed(wide, width=40)
    assert max(map(len, lines)) <= 40
    assert "".join(lines[1:]).count("6") == 8
    assert "…" not in "".join(lines)


def test_tables_of_many_game_ids_read_the_results_once(
    tmp_path: Path, record: MakeRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = ("quoridor", "chess", "hops")
    read: list[str] = []
    endings = Store.endings
    monkeypatch.setattr(Store, "endings", lambda store, name: read.append(name) or endings(store, name))
    with closing(Store.open(tmp_path / "arena.db", create=True)) as store:
        entrants = dict.fromkeys(ids, ("a", "b", "c", "d"))
        store.begin_tournament("cup", {}, plan("knockout", entrants, games_per_pairing=1).encode())
        store.add_games([record(number=number, game=id_) for number, id_ in enumerate(ids)])
        for tables in (lambda: tournament_tables(store, "cup"), lambda: tournament_list(store)):
            read.clear()
            tables()
            assert read == ["cup"]
