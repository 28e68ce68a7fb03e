"""Standings, points and crosstables."""

from collections import Counter, defaultdict
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.formats.format import StandingsOrder, built_in_formats, find_format
from arena.model import GameResult
from arena.scoring import Versus, tally
from arena.tables import crosstable as crosstables
from arena.tables import standings as tables
from arena.tables.crosstable import Crosstable
from arena.tables.standings import (
    ORDER_NOTES,
    Standing,
    games_line,
    points_format,
    shared_places,
)
from arena.tables.text_table import TextTable
from arena.tables.tournament_tables import points_table
from referee import Termination

MakeResult = Callable[..., GameResult]


def standings(games: list[GameResult], order: StandingsOrder = "points") -> tuple[Standing, ...]:
    return tables.standings(tally(games), order)


def crosstable(games: list[GameResult], order: StandingsOrder = "points") -> Crosstable:
    return crosstables.crosstable(tally(games), order)


def row(standing: Standing) -> tuple[str, int, str, float, int]:
    record = f"{standing.wins}-{standing.draws}-{standing.losses}"
    return standing.name, standing.games, record, standing.points, standing.forfeits


def test_wins_draws_and_losses_of_two(result: MakeResult) -> None:
    table = standings(
        [
            result(("a", 1), ("b", 2)),
            result(("b", 2), ("a", 1)),
            result(("a", 1), ("c", 1)),
            result(("b", 1), ("c", 2), termination=Termination.CRASH, forfeits={"c": Termination.CRASH}),
        ]
    )
    assert [row(standing) for standing in table] == [
        ("a", 3, "2-1-0", 2.5, 0),
        ("b", 3, "1-0-2", 1.0, 0),
        ("c", 2, "0-1-1", 0.5, 1),
    ]


def test_void_games_are_not_there(result: MakeResult) -> None:
    void = result(("a", None), ("b", None), termination=Termination.VOID)
    assert standings([void]) == ()
    assert crosstable([void]).names == ()
    assert [row(standing) for standing in standings([void, result(("a", 1), ("b", 2))])] == [
        ("a", 1, "1-0-0", 1.0, 0),
        ("b", 1, "0-0-1", 0.0, 0),
    ]


def test_a_game_that_both_forfeit_is_lost_by_both(result: MakeResult) -> None:
    off = Termination.DISABLED
    crash = Termination.CRASH
    for why, forfeits, unplayed in ((off, 0, 1), (crash, 1, 0)):
        game = result(("a", 1), ("b", 1), termination=why, forfeits={"a": why, "b": why})
        table = standings([game])
        assert [row(standing) for standing in table] == [
            ("a", 1, "0-0-1", 0.0, forfeits),
            ("b", 1, "0-0-1", 0.0, forfeits),
        ]
        assert [standing.unplayed for standing in table] == [unplayed] * 2
    assert crosstable([game]).cells["a", "b"] == Versus(0.0, 1)


def test_the_line_above_a_table_names_the_games_that_were_not_played(result: MakeResult) -> None:
    off = Termination.DISABLED
    played = result(("a", 1), ("b", 2))
    unplayed = result(("a", 1), ("b", 2), termination=off, forfeits={"b": off})
    assert games_line(tally([played, played])) == "2 games"
    assert games_line(tally([played, unplayed])) == ("2 games, 1 of them not played (an engine was disabled)")
    assert [standing.unplayed for standing in standings([played, unplayed])] == [1, 1]


def test_among_four_only_being_first_alone_is_a_win(result: MakeResult) -> None:
    games = [
        result(("a", 1), ("b", 2), ("c", 2), ("d", 2)),
        result(("a", 1), ("b", 1), ("c", 3), ("d", 4), forfeits={"d": Termination.TIME}),
    ]
    table = {standing.name: standing for standing in standings(games)}
    assert {name: row(standing)[2] for name, standing in table.items()} == {
        "a": "1-1-0",
        "b": "0-1-1",
        "c": "0-0-2",
        "d": "0-0-2",
    }
    assert table["a"].points == pytest.approx(1 + 5 / 6)
    assert table["d"].points == pytest.approx(1 / 3)
    assert table["d"].forfeits == 1


def test_among_four_the_crosstable_compares_every_pair_by_rank(result: MakeResult) -> None:
    cells = crosstable([result(("a", 1), ("b", 2), ("c", 2), ("d", 4))]).cells
    assert {pair: cell.points for pair, cell in cells.items() if pair[0] < pair[1]} == {
        ("a", "b"): 1.0,
        ("a", "c"): 1.0,
        ("a", "d"): 1.0,
        ("b", "c"): 0.5,
        ("b", "d"): 1.0,
        ("c", "d"): 1.0,
    }
    assert all(cell.games == 1 and cell.points + cells[j, i].points == 1 for (i, j), cell in cells.items())


def test_equal_points_and_wins_are_ordered_by_sonneborn_berger_and_then_by_name(result: MakeResult) -> None:
    games = [
        result(("late", 1), ("strong", 2)),
        result(("early", 1), ("weak", 2)),
        result(("even", 1), ("weak", 2)),
        *[result(("strong", 1), ("weak", 2))] * 2,
    ]
    table = standings(games)
    assert [(standing.name, standing.sonneborn_berger) for standing in table] == [
        ("strong", 0.0),
        ("late", 2.0),
        ("early", 0.0),
        ("even", 0.0),
        ("weak", 0.0),
    ]


def test_who_is_beaten_and_half_of_who_is_drawn_with_counts_in_every_game(result: MakeResult) -> None:
    games = [
        *[result(("a", 1), ("b", 2))] * 3,
        result(("b", 1), ("a", 2)),
        result(("a", 1), ("c", 1)),
        result(("c", 1), ("d", 2)),
    ]
    assert [(standing.name, standing.points, standing.sonneborn_berger) for standing in standings(games)] == [
        ("a", 3.5, 3 * 1.0 + 1.5 / 2),
        ("c", 1.5, 3.5 / 2 + 0.0),
        ("b", 1.0, 3.5),
        ("d", 0.0, 0.0),
    ]


def test_a_tally_counts_for_as_many_games_as_it_says(result: MakeResult) -> None:
    crash = Termination.CRASH
    games = [
        *[result(("a", 1), ("b", 2))] * 2,
        *[result(("a", 1), ("b", 1))] * 3,
        *[result(("a", 2), ("b", 1), termination=crash, forfeits={"a": crash})] * 4,
    ]
    assert [row(standing) for standing in standings(games)] == [
        ("b", 9, "4-3-2", 5.5, 0),
        ("a", 9, "2-3-4", 3.5, 4),
    ]
    assert crosstable(games).cells == {("a", "b"): Versus(3.5, 9), ("b", "a"): Versus(5.5, 9)}


def test_of_two_who_share_a_rank_only_both_can_lose(result: MakeResult) -> None:
    crash = Termination.CRASH
    game = result(("a", 1), ("b", 1), ("c", 1), ("d", 4), forfeits={"b": crash, "c": crash, "d": crash})
    cells = crosstable([game]).cells
    assert [cells["a", "b"].points, cells["b", "a"].points] == [0.5, 0.5]
    one = crosstable([result(("b", 1), ("a", 1), forfeits={"b": crash})]).cells
    assert [one["a", "b"].points, one["b", "a"].points] == [0.5, 0.5]
    assert [cells["b", "c"].points, cells["c", "b"].points] == [0.0, 0.0]
    assert [cells["b", "d"].points, cells["d", "b"].points] == [1.0, 0.0]
    letters = {standing.name: row(standing)[2] for standing in standings([game])}
    assert letters == {"a": "0-1-0", "b": "0-0-1", "c": "0-0-1", "d": "0-0-1"}


def test_an_engine_that_plays_itself_has_no_cell_against_itself(result: MakeResult) -> None:
    games = [result(("a", 1), ("a", 2))]
    assert row(standings(games)[0]) == ("a", 2, "1-0-1", 1.0, 0)
    assert crosstable(games).cells == {}
    four = crosstable([result(("a", 1), ("a", 2), ("b", 3), ("a", 4))]).cells
    assert four == {("a", "b"): Versus(2.0, 3), ("b", "a"): Versus(1.0, 3)}


def test_thirds_that_sum_to_the_same_are_equal_points_so_that_wins_decide(result: MakeResult) -> None:
    games = [
        result(("a", 1), ("d", 2), ("b", 2), ("c", 4)),
        result(("b", 1), ("c", 1), ("a", 3), ("d", 4)),
    ]
    first, second, *_ = standings(games)
    assert (first.name, first.wins, second.name, second.wins) == ("a", 1, "b", 0)
    assert first.points == second.points == 4 / 3


RANKS_OF_FOUR = [(1, 2, 3, 4), (1, 2, 2, 2), (1, 1, 3, 4), (1, 2, 2, 4), (1, 1, 3, 3), (1, 1, 1, 4)]
GAMES_OF_FOUR = st.lists(
    st.tuples(st.permutations("abcdef"), st.sampled_from(RANKS_OF_FOUR)), min_size=1, max_size=12
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(games=GAMES_OF_FOUR)
def test_among_four_places_follow_from_exact_points_and_tie_breaks(
    result: MakeResult, games: list[tuple[list[str], tuple[int, ...]]]
) -> None:
    seated = [list(zip(names, ranks, strict=False)) for names, ranks in games]
    points: defaultdict[str, Fraction] = defaultdict(Fraction)
    played, wins = Counter[str](), Counter[str]()
    against: defaultdict[tuple[str, str], Fraction] = defaultdict(Fraction)
    for seats in seated:
        ranks = [rank for _, rank in seats]
        for name, rank in seats:
            points[name] += Fraction(9 - 2 * rank - ranks.count(rank), 6)
            played[name] += 1
            wins[name] += rank == 1 and ranks.count(1) == 1
            for other, worse in seats:
                against[name, other] += Fraction(1 + (rank < worse) - (rank > worse), 2) * (name != other)
    berger = {one: sum(against[one, other] * points[other] for other in points) for one in points}
    values: dict[StandingsOrder, dict[str, tuple[Fraction | int, ...]]] = {
        "points": {name: (points[name], wins[name], berger[name]) for name in points},
        "score": {name: (points[name] / played[name], wins[name]) for name in points},
    }
    for order, of in values.items():
        table = standings([result(*seats) for seats in seated], order)
        assert shared_places(table, order) == [
            1 + sum(value > of[row.name] for value in of.values()) for row in table
        ]


GAMES = st.lists(st.tuples(st.permutations("abcde"), st.sampled_from([(1, 2), (2, 1), (1, 1)])), max_size=40)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(games=GAMES, data=st.data())
def test_sums_agree_in_any_order_of_games(
    result: MakeResult, games: list[tuple[list[str], tuple[int, int]]], data: st.DataObject
) -> None:
    results = [result((names[0], one), (names[1], two)) for names, (one, two) in games]
    table = standings(results)
    cross = crosstable(results)
    assert sum(standing.points for standing in table) == len(results)
    for standing in table:
        cells = [cell for (name, _), cell in cross.cells.items() if name == standing.name]
        assert sum(Fraction(cell.points) for cell in cells) == Fraction(standing.points)
        assert sum(cell.games for cell in cells) == standing.games
        assert standing.wins + standing.draws + standing.losses == standing.games
        assert standing.points == standing.wins + standing.draws / 2
    shuffled = data.draw(st.permutations(results))
    assert standings(shuffled) == table
    assert crosstable(shuffled) == cross


def test_points_without_ratings_are_a_table_with_a_place_a_record_and_a_score_a_game() -> None:
    table = (Standing("a", 8, 4, 2, 2, 5.0, 0, 0, 9.0), Standing("b", 4, 1, 0, 3, 1.0, 2, 1, 0.0))
    assert points_table("", "points", table) == TextTable(
        "",
        "points",
        ("#", "engine", "games", "W-D-L", "points", "score", "forfeits", "Sonneborn-Berger"),
        (
            ("1", "a", "8", "4-2-2", "5", "62 %", "", "9.00"),
            ("2", "b", "4", "1-0-3", "1", "25 %", "2", "0.00"),
        ),
        f"{ORDER_NOTES['points']} Score: points per game.",
    )
    by_score = points_table("", "points", table, "score")
    assert by_score.headers[-1] == "forfeits"
    assert [row[-2:] for row in by_score.rows] == [("62 %", ""), ("25 %", "2")]


def test_engines_that_differ_in_their_names_only_share_a_place() -> None:
    rows = (("a", 2, 5.0), ("b", 1, 4.0), ("c", 1, 4.0), ("d", 1, 3.0))
    table = tuple(Standing(name, 6, wins, 0, 6 - wins, points, 0, 0, 0.0) for name, wins, points in rows)
    assert [row[0] for row in points_table("", "points", table).rows] == ["1", "2", "2", "4"]


def test_in_a_gauntlet_the_score_decides_because_its_seeds_play_more_games(result: MakeResult) -> None:
    games = [result(("seed", 2), (name, 1)) for name in ("x", "y", "z")]
    games += [result(("seed", 1), (name, 2)) for name in ("x", "y")]
    assert [row.name for row in standings(games)] == ["seed", "x", "y", "z"]
    order = find_format("gauntlet").order
    assert [row.name for row in standings(games, order)] == ["z", "x", "y", "seed"]
    table = crosstable(games, order)
    assert table.names == ("z", "x", "y", "seed")
    assert table.note == "Order: score, wins, name."
    whole = table.titled("")
    assert whole.headers == ("#", "engine", "total", "score", "1", "2", "3", "4")
    assert [row[3] for row in whole.rows] == ["100 %", "50 %", "50 %", "40 %"]
    assert {form.order for form in built_in_formats() if form.name not in ("gauntlet", "place")} == {"points"}


def test_in_a_crosstable_one_who_met_nobody_else_has_no_score(result: MakeResult) -> None:
    whole = crosstable([result(("a", 1), ("a", 2))], "score").titled("")
    assert whole.rows == (("1", "a", "0", "", "*"),)


@pytest.mark.parametrize(
    ("values", "decimals"),
    [([3.0, 0.0], ".0f"), ([], ".0f"), ([2.0, 0.1 + 0.2], ".1f"), ([0.5, 1 / 3], ".2f"), ([0.25], ".2f")],
)
def test_points_have_as_few_decimals_as_all_of_them_need_and_two_at_most(
    values: list[float], decimals: str
) -> None:
    assert points_format(iter(values)) == decimals
