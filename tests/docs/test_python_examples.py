"""Runs the examples that use the packages from Python, and tests their output."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples" / "python"


def load(name: str) -> ModuleType:
    spec = spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_one_game_is_played_and_told_move_by_move(capsys: pytest.CaptureFixture[str]) -> None:
    finished = load("play_one_game").main()
    *moves, last = capsys.readouterr().out.splitlines()
    assert len(moves) == len(finished.record)
    assert moves[0].startswith("1. player 1 plays ")
    assert last.startswith(f"{finished.reason} after {len(moves)} plies; ranks: player 1: ")


def test_an_engine_is_checked(capsys: pytest.CaptureFixture[str]) -> None:
    report = load("check_an_engine").main(201)
    assert report.conforms
    assert capsys.readouterr().out == f"random-py: {len(report.results)} checks passed\n"
    assert 201 in {result.number for result in report.results}


def test_a_tournament_is_run_and_its_table_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = load("run_a_tournament").main(tmp_path)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "2 games, 0 of them stored"
    assert lines[-2:] == [
        f"{n}. {row.name}: {row.points:g} points in 2 games" for n, row in enumerate(table, 1)
    ]
    assert sum(row.points for row in table) == 2


def test_every_example_has_a_test_and_stands_in_the_documentation() -> None:
    names = {page.name for page in EXAMPLES.glob("*.py")}
    assert names == {"play_one_game.py", "check_an_engine.py", "run_a_tournament.py"}
    page = EXAMPLES.parents[1].joinpath("howto", "use-from-python.md").read_text(encoding="utf-8")
    assert all(f"../examples/python/{name}" in page for name in names)
