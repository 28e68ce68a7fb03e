"""The block of a match says under which conditions it was played, and what came out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from arena.cli import main
from arena.model import GameRecord
from arena.store import Store
from arena.tables.match_block import conditions
from tests.arena.formats.playing import plan as plan_of

MakeRecord = Callable[..., GameRecord]
BOTH = ("a", "b")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(Store.open(tmp_path / "arena.db", create=True)) as opened:
        yield opened


def played(record: MakeRecord, number: int, worker: str = "", **changes: object) -> GameRecord:
    game = record(number=number)
    first, second = game.result.players
    players = (replace(first, **changes), second)  # type: ignore[arg-type]  # the types are those of the fields
    return replace(game, worker=worker, result=replace(game.result, players=players))


def test_conditions_are_time_options_openings_and_machines(store: Store, record: MakeRecord) -> None:
    settings = {
        "openings": "list of 10 (abc), sequential",
        "book": "ten.epd",
        "machines": "M, 1 game at the same time",
    }
    store.begin_tournament("cup", settings)
    both = played(record, 0, options={"Hash": "16"}, time_control="5+0")
    store.add_games([both, played(record, 1, options={"Hash": "32"}, time_control="inf")])
    rows = dict(conditions(store, "cup", BOTH))
    assert rows["Openings"] == "ten.epd, list of 10 (abc), sequential"
    assert rows["Machine"] == "M, 1 game at the same time"
    controls = {use.name: use.time_control for use in store.last_uses("cup").values()}
    assert controls["a"] == "inf" != controls["b"]
    assert rows["Time"] == f"a: inf; b: {controls['b']}"
    assert rows["Options"].startswith("a: Hash = 32")


def test_what_is_not_known_is_left_out_and_many_workers_are_counted(store: Store, record: MakeRecord) -> None:
    store.begin_tournament("cup", {"machines": "the hub"})
    store.add_games([played(record, number, f"w{number}", options=None) for number in range(5)])
    rows = dict(conditions(store, "cup", ()))
    assert rows == {"Machine": "worker w0; worker w1; worker w2; and 2 others"}


def call(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


def test_a_match_has_one_block_and_no_other_table(store: Store, record: MakeRecord, tmp_path: Path) -> None:
    store.begin_tournament("cup", {"openings": "start"}, plan_of("match", {"quoridor": ("a", "b")}).encode())
    store.add_games([record(number=0)])
    database = str(tmp_path / "arena.db")
    shown = call("standings", "cup", "--db", database).stdout.splitlines()
    assert [line.split(" ")[0] for line in shown if line] == [
        *("tournament", "a", "Score", "Elo", "Pairs", "Time", "Openings")
    ]
    csv = call("standings", "cup", "--db", database, "--format", "csv").stdout.splitlines()
    assert csv[0].startswith("game,table,#,engine,games,wins,draws,losses,points,")
    data = json.loads(call("standings", "cup", "--db", database, "--json").stdout)["games"][0]
    assert [row["engine"] for row in data["ranking"]] == ["a", "b"]
    assert (data["match"]["wins"], data["match"]["points"]) == (1, 1.0)
    text = call("standings", "cup", "--db", database, "--format", "md").stdout.splitlines()
    assert text[:4] == ["**a** against **b** in quoridor, 1 game", "", "| | |", "|---|---|"]
    assert [line.split(" | ")[0] for line in text[4:]] == [
        *("| Score", "| Elo", "| Pairs", "| Time", "| Openings")
    ]


def test_a_match_whose_first_game_has_not_ended_has_no_summary_yet(store: Store, tmp_path: Path) -> None:
    store.begin_tournament("cup", {}, plan_of("match", {"quoridor": ("a", "b")}).encode())
    shown = call("standings", "cup", "--db", str(tmp_path / "arena.db"), "--format", "md")
    assert (shown.exit_code, shown.output) == (0, "tournament cup: no game has ended yet\n")
