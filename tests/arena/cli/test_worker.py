"""`arena worker` plays the orders of a file, and writes a line for each."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from click.testing import Result

from tests.arena.invoking import invoke, refusal

pytestmark = pytest.mark.system

HOSTILE = Path(__file__).parents[2] / "engines" / "hostile_engine.py"


def engine(name: str, mode: str) -> dict[str, object]:
    return {"name": name, "command": [sys.executable, "-S", str(HOSTILE), mode]}


def game(number: int, mode: str = "honest", **keys: object) -> dict[str, object]:
    seats = [{"engine": engine(name, mode), "time_control": "60+0"} for name in ("a", "b")]
    return {
        "do": "game",
        "id": f"g{number}",
        "game": "quoridor",
        "seats": seats,
        "adjudication": {"plies": 4},
        **keys,
    }


def lines(*orders: object) -> str:
    return "".join(json.dumps(order) + "\n" for order in orders)


def batch(text: str, *options: str) -> Result:
    return invoke("worker", "-", *options, input=io.BytesIO(text.encode()))


def test_every_order_gets_one_line_and_engines_are_tried_first(no_warning_for_root: None) -> None:
    trial = {
        "do": "try",
        "id": "t",
        "engine": engine("a", "honest") | {"options": {"Hash": "1"}},
        "game": "hops",
    }
    done = batch(lines(game(1), game(2), trial))
    assert done.exit_code == 0, done.output
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(event["event"], event["id"]) for event in found] == [
        ("tried", "t"),
        ("finished", "g1"),
        ("finished", "g2"),
    ]
    assert "has no option" in found[0]["problem"]
    assert [ply[1] for ply in found[1]["record"]] == [ply[1] for ply in found[2]["record"]]
    assert done.stderr == ""


def test_a_void_game_has_its_line_and_is_without_a_result(no_warning_for_root: None, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = batch(lines(game(1, log=str(tmp_path / "file")), game(2)))
    assert done.exit_code == 1
    found = {event["id"]: event["termination"] for event in map(json.loads, done.stdout.splitlines())}
    assert found == {"g1": "void", "g2": "adjudicated"}
    assert done.stderr == "without a result: 1 order\n"


def test_with_events_the_start_of_a_game_is_written_too(no_warning_for_root: None) -> None:
    done = batch(lines(game(1)), "--events")
    events = [json.loads(line)["event"] for line in done.stdout.splitlines()]
    # On a busy machine the game lasts long enough for snapshots.
    assert [event for event in events if event != "snapshot"] == ["started", "finished"]


def test_a_refused_order_has_its_line_and_the_others_are_played(no_warning_for_root: None) -> None:
    done = batch(lines(game(1, game="no-such-game"), game(2)))
    assert done.exit_code == 1
    found = {event["id"]: event["event"] for event in map(json.loads, done.stdout.splitlines())}
    assert found == {"g1": "refused", "g2": "finished"}
    assert done.stderr == "without a result: 1 order\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "standard input, line 1: this is not an order: Input data was truncated"),
        ("\n" + lines({"do": "quit"}), "standard input, line 2: a batch has only the orders"),
        (lines(game(1), game(1)), "standard input, line 2: an earlier order has the id 'g1', too"),
        (lines(game(1, people=[1])), "standard input, line 1: game g1 has people, who cannot play in a"),
    ],
)
def test_nothing_is_played_if_a_line_is_no_order(text: str, message: str) -> None:
    assert refusal(batch(text)).startswith(f"error: {message}")


def test_results_in_a_file_are_not_played_again_and_void_games_are(
    no_warning_for_root: None, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    out = tmp_path / "results.jsonl"
    void = game(1, log=str(tmp_path / "file"))
    assert batch(lines(void, game(2)), "--output", str(out)).exit_code == 1
    first = out.read_text()
    done = batch(lines(game(1), game(2), game(3)), "-o", str(out))
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "")
    assert out.read_text().startswith(first)
    ids = [json.loads(line)["id"] for line in out.read_text().splitlines()]
    assert sorted(ids) == ["g1", "g1", "g2", "g3"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("mine\n", "line 1: this is not a line of `arena worker`"),
        (None, "results.jsonl: No such file"),
    ],
)
def test_a_file_that_can_take_no_results_stays_as_it_is(
    no_warning_for_root: None, tmp_path: Path, text: str | None, problem: str
) -> None:
    out = tmp_path / "results.jsonl" if text else tmp_path / "nowhere" / "results.jsonl"
    if text:
        out.write_text(text)
    assert problem in refusal(batch(lines(game(1)), "-o", str(out)))
    assert (out.read_text() if text else None) == text
