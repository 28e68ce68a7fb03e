"""Groups of engines that no game joins are found, and ranked each by itself."""

import json
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from click.testing import CliRunner

from arena.cli import main
from arena.model import GameRecord
from arena.ratings.lists import PlayGroups, play_groups
from arena.ratings.settings import RatingSettings
from arena.scoring import GameScoreCounts, SeatScore
from arena.store import Store
from arena.tables.ratings import groups_note
from referee import Termination

CRASH, OFF = Termination.CRASH, Termination.DISABLED


def game(*names: str, **forfeits: Termination) -> GameScoreCounts:
    """Return one game that the first engine won."""
    seats = (SeatScore(name, place, 0.0, forfeits.get(name)) for place, name in enumerate(names, 1))
    return Counter({tuple(seats): 1})


def groups(*games: GameScoreCounts, forfeits: bool = True) -> PlayGroups:
    return play_groups(sum(games, Counter()), RatingSettings(forfeits=forfeits))


def test_a_chain_of_games_joins_engines_and_the_largest_group_comes_first() -> None:
    found = groups(game("x", "y"), game("c", "d"), game("a", "b"), game("b", "c"))
    assert found == PlayGroups((("a", "b", "c", "d"), ("x", "y")))
    assert found.index() == {"a": 0, "b": 0, "c": 0, "d": 0, "x": 1, "y": 1}
    assert groups(game("a", "b"), game("x", "y"), game("y", "z")).groups == (("x", "y", "z"), ("a", "b"))
    assert groups() == PlayGroups()


def test_a_forfeit_does_not_join_and_groups_that_met_by_forfeits_are_named() -> None:
    lost = game("a", "c", c=CRASH)
    assert groups(game("a", "b"), lost) == PlayGroups((("a", "b"), ("c",)), ((0, 1),))
    for order in ((game("a", "b"), lost), (lost, game("a", "b"))):
        assert groups(*order, forfeits=False) == PlayGroups((("a", "b"),))
    inside = game("a", "b", b=CRASH)
    assert groups(game("a", "b"), inside, game("c", "d")) == PlayGroups((("a", "b"), ("c", "d")))
    assert groups(game("a", "b"), lost, game("c", "b")) == PlayGroups((("a", "b", "c"),))
    resigned = game("a", "c", c=Termination.RESIGN)
    assert groups(game("a", "b"), resigned) == PlayGroups((("a", "b", "c"),))


def test_games_that_were_not_played_join_nobody_and_rate_nobody() -> None:
    assert groups(game("a", "b"), game("a", "c", c=OFF)) == PlayGroups((("a", "b"),))


def test_the_warning_is_short_however_many_groups_there_are() -> None:
    many = groups(*(game(f"{number}x", f"{number}y") for number in range(10, 40)))
    text = groups_note(many)
    assert text.startswith("Warning: 30 groups of engines played no game to the end with each other")
    assert text.endswith("8: 17x, 17y; and 22 other groups.")
    assert groups_note(groups(game("a", "b"))) == ""
    long = PlayGroups((tuple("abcdefghijkl"), ("z",)), ((0, 1),))
    assert "1: a, b, c, d, e, f, g, h and 4 others; 2: z." in groups_note(long)
    assert groups_note(long).endswith(" Groups 1, 2 met, but no game between them was played to the end.")


def test_each_group_is_ranked_by_itself_with_a_warning(
    tmp_path: Path, record: Callable[..., GameRecord]
) -> None:
    database = tmp_path / "arena.db"
    won = [("a", "b")] * 6 + [("b", "a")] * 4 + [("c", "d")] * 5 + [("d", "c")] * 5
    with closing(Store.open(database, create=True)) as store:
        store.begin_tournament("cup", {})
        store.add_games([record((one, 1), (two, 2), number=place) for place, (one, two) in enumerate(won)])
        store.add_games([record(("e", 1), ("f", 2), number=99, termination=OFF, forfeits={"f": OFF})])
    for command in ("ratings", "standings"):
        done = CliRunner().invoke(main, [command, "--db", str(database)])
        assert done.exit_code == 0
        assert (
            "Warning: 2 groups of engines played no game to the end with each other, so their ratings"
            " cannot be compared; each is ranked by itself: 1: a, b; 2: c, d." in done.stdout
        )
        table = done.stdout[done.stdout.index("mu-3sigma") :].splitlines()[1:10]
        assert [line.split()[:2] for line in table] == [
            ["group", "1"], ["1", "b"], ["2", "a"],
            ["group", "2"], ["1", "d"], ["2", "c"],
            ["not", "rated"], ["1", "e"], ["2", "f"],
        ]  # fmt: skip
    points = CliRunner().invoke(main, ["ratings", "--sort", "points", "--db", str(database)]).stdout
    assert [line.split()[0] for line in points.splitlines()[3:9]] == list("123456")


def test_of_groups_of_one_those_with_more_points_come_first_in_every_form(
    tmp_path: Path, record: Callable[..., GameRecord]
) -> None:
    database = tmp_path / "arena.db"
    won = [("x", "y", None), *[("gus", "dan", "dan"), ("x", "dan", "dan")] * 5, ("y", "x", None)]
    with closing(Store.open(database, create=True)) as store:
        store.begin_tournament("cup", {})
        for number, (one, two, crashed) in enumerate(won):
            forfeits = {} if crashed is None else {crashed: CRASH}
            how = Termination.NORMAL if crashed is None else CRASH
            store.add_games([record((one, 1), (two, 2), number=number, termination=how, forfeits=forfeits)])

    def standings(form: str) -> str:
        done = CliRunner().invoke(main, ["standings", "--db", str(database), "--format", form])
        assert done.exit_code == 0
        return done.stdout

    expected = [(1, 1, "x"), (1, 2, "y"), (2, 1, "gus"), (3, 1, "dan")]
    (game,) = json.loads(standings("json"))["games"]
    assert [(row["group"], row["rank"], row["engine"]) for row in game["ranking"]] == expected
    table = standings("csv").split("\n\n")[-1].splitlines()
    assert table[0].startswith("game,table,group,#,engine,mu,")
    assert [tuple(line.split(",")[2:5]) for line in table[1:]] == [
        (str(group), str(rank), name) for group, rank, name in expected
    ]
    text = standings("md")
    places = [text.index(f"|  | group {number} |  |") for number in (1, 2, 3)]
    assert places == sorted(places)


def test_a_table_has_only_the_groups_of_its_engines() -> None:
    found = PlayGroups((tuple("abc"), tuple("xy"), ("z",)), ((0, 1, 2),))
    assert found.among("xyza") == PlayGroups((("x", "y"), ("a",), ("z",)), ((0, 1, 2),))
    assert found.among("ab") == PlayGroups((("a", "b"),))
