"""The marks of a course are numbers that programs add up, and compare each engine with the references."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from arena.config import load
from arena.door.desk import Desk
from arena.door.folder import DoorFolder
from arena.door.register import DoorRegister, State
from arena.model import GameRecord
from arena.store import Store
from arena.web.server.databases import Databases
from referee import Termination
from referee.ply import Ply

FILE = """
game = "quoridor"
format = "{format}"
engines = [{{ name = "first", command = "sh" }}, {{ name = "=b", command = "sh" }}]
[door]
"""
PLAN = {"language": "python", "build": [], "command": ["{python}", "bot.py"], "found": "bot.py"}
CRASH, TIME = Termination.CRASH, Termination.TIME
Make = Callable[..., GameRecord]


@dataclass
class Course:
    """A tournament with a door, by points or a ladder."""

    by_points: bool
    register: DoorRegister
    store: Store
    desk: Desk
    record: Make

    def play(self, games: list[tuple[str, int, str, int, Termination | None]]) -> None:
        """Store games, each with two engines, their ranks, and the fault of the loser."""
        self.store.add_games(
            [
                self.record(
                    (first, rank),
                    (other, other_rank),
                    number=number,
                    termination=fault or Termination.NORMAL,
                    forfeits={} if fault is None else {first if rank > other_rank else other: fault},
                )
                for number, (first, rank, other, other_rank, fault) in enumerate(games)
            ]
        )

    def marks(self) -> list[dict[str, str]]:
        text = self.desk.marks(Databases([self.store]).tournaments()[0])
        return [*csv.DictReader(io.StringIO(text, newline=""))]


@pytest.fixture(params=["round-robin", "ladder"])
def course(request: pytest.FixtureRequest, tmp_path: Path, record: Make) -> Iterator[Course]:
    file = tmp_path / "cup.toml"
    file.write_text(FILE.format(format=request.param))
    spec = load(file)
    assert spec.door is not None
    with closing(Store.open(spec.database, create=True)) as store:
        store.begin_tournament(spec.name, spec.settings(), spec.plan.encode())
        register = DoorRegister(store, spec.name)
        for name in ("ann", "1-2", "cleo", "gus", "dora"):
            register.invite({name: name})
        desk = Desk(spec, spec.door, store, DoorFolder(tmp_path / "door"))
        yield Course(request.param == "round-robin", register, store, desk, record)


def won(first: str, other: str, games: int, fault: Termination | None = None):
    """Return games that the first engine won, on both seats in turn."""
    return [
        (first, 1, other, 2, fault) if number % 2 else (other, 2, first, 1, fault) for number in range(games)
    ]


def class_games():
    """Return games of a strong engine, two equal ones, one that crashes, and one that meets only it."""
    drawn = [("ann", 1, "first", 1, None)] * 3
    return [
        *won("ann", "first", 30), *drawn, *won("first", "1-2", 10), *won("1-2", "first", 10),
        *won("first", "cleo", 4, CRASH), *won("first", "cleo", 3, TIME), *won("gus", "cleo", 5, CRASH),
        *won("first", "=b", 12), *won("=b", "first", 4),
    ]  # fmt: skip


def test_every_number_is_a_number_to_a_program_and_the_sums_fit_the_games(course: Course) -> None:
    course.play(class_games())
    rows = course.marks()
    assert [row["name"] for row in rows] == ["ann", "'1-2", "cleo", "gus", "dora"]
    texts = {"name", "state", "checks", "handed_in", "game", "beats_first", "beats_=b"}
    for row in rows:
        for column in row.keys() - texts:
            assert re.fullmatch(r"(-?\d+(\.\d+)?)?", row[column]), column
    played = [row for row in rows if row["game"]]
    assert [row["name"] for row in rows if not row["game"]] == ["dora"]
    assert sum(float(row["points"]) for row in played) == 30 + 1.5 + 10 + 5
    assert [sum(int(row[column]) for row in played) for column in ("games", "wins", "draws", "losses")] == [
        33 + 20 + 12 + 5, 30 + 10 + 5, 3, 10 + 12
    ]  # fmt: skip
    faults = {row["name"]: [row["faults"], row["fault_crash"], row["fault_time"]] for row in played}
    assert faults == {"ann": ["0"] * 3, "'1-2": ["0"] * 3, "cleo": ["12", "9", "3"], "gus": ["0"] * 3}
    assert float(rows[2]["rating"]) < 0 < float(rows[0]["rating"])


def test_forgiven_faults_and_drawn_moves_are_counted(course: Course) -> None:
    course.play(won("ann", "cleo", 2, CRASH))
    (game,) = course.store.finder.records(after=1)
    faults = (Ply(0, "?illegal played 'x'", 1), Ply(0, "?time was late", 0), Ply(0, "?random", 0))
    result = replace(game.result, id=None, number=9, key="faulty", plies=len(game.record))
    course.store.add_games([replace(game, result=result, record=(*faults, *game.record))])
    rows = {row["name"]: row for row in course.marks()}
    columns = [f"forgiven_{word}" for word in ("illegal", "time", "random")]
    culprit = game.result.players[0].name
    for name in ("ann", "cleo"):
        assert [rows[name][column] for column in columns] == (["1"] * 3 if name == culprit else ["0"] * 3)
    assert [rows["dora"][column] for column in columns] == [""] * 3


def test_each_engine_is_compared_with_the_engines_of_the_file(course: Course) -> None:
    course.play(class_games())
    rows = {row["name"]: row for row in course.marks()}
    beats = {name: (row["beats_first"], row["beats_=b"]) for name, row in rows.items()}
    assert beats["ann"] == ("yes", "yes")
    assert beats["'1-2"][0] == "no"
    assert beats["cleo"] == beats["gus"] == ("no", "no")
    assert beats["dora"] == ("", "")
    likely = {name: row["beats_first_probability"] for name, row in rows.items()}
    assert 0.95 < float(likely["ann"]) <= 1
    assert 0.3 < float(likely["'1-2"]) < 0.7
    assert [likely[name] for name in ("cleo", "gus", "dora")] == ["", "", ""]


def test_places_and_ties_count_within_the_group(course: Course) -> None:
    course.play(class_games())
    rows = {row["name"]: row for row in course.marks()}
    placed = {name: (row["group"], row["tie_group"]) for name, row in rows.items()}
    assert placed["ann"] == ("1", "1")
    assert placed["'1-2"][0] == "1"
    assert int(placed["'1-2"][1]) > 1
    assert placed["gus"] == ("2", "1")  # it has more points than cleo
    assert placed["cleo"] == ("3", "1")
    assert placed["dora"] == ("", "")
    assert [rows[name]["place"] for name in ("ann", "gus", "cleo")] == (
        ["1", "4", "6"] if course.by_points else ["1", "1", "1"]
    )


def test_what_was_handed_in_is_waiting_passed_or_failed(course: Course) -> None:
    course.play(won("first", "=b", 2))
    ann, bob, cleo, *_ = course.register.participants()
    for number, who in enumerate((ann, bob, cleo)):
        course.register.hand_in(who.id, f"{number}", "bot.py", PLAN, 9)
    course.register.move_on(1, State.PLAYS)
    course.register.move_on(2, State.REFUSED)
    assert [(row["checks"], row["playing"], row["versions"]) for row in course.marks()] == [
        ("passed", "1", "1"), ("failed", "", "1"), ("waiting", "", "1"), ("", "", "0"), ("", "", "0"),
    ]  # fmt: skip
