"""The folders of all games have the same modules, functions and test files."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest

from referee.registry import BUILT_IN

ROOT = Path(__file__).parents[3]
FUNCTIONS = {"board": set(), "illegal": {"refuse"}, "position": set()}
"""The functions that each module of every game has."""
TESTS = ["slow_rules.py", "test_diagram.py", "test_laws.py", "test_moves.py", "test_positions.py"]

EACH_FOLDER = pytest.mark.parametrize(
    "folder",
    sorted({value.split(".position:")[0].removeprefix("referee.games.") for value in BUILT_IN.values()}),
)


def imports(path: Path) -> set[str]:
    """The modules that a module imports when it is run, by their full names."""
    body = ast.parse(path.read_text("utf-8")).body
    return {node.module for node in body if isinstance(node, ast.ImportFrom) and node.module}


@EACH_FOLDER
def test_a_game_has_the_modules_and_functions_that_all_games_have(folder: str) -> None:
    for name, functions in FUNCTIONS.items():
        module = import_module(f"referee.games.{folder}.{name}")
        assert functions <= vars(module).keys(), module.__name__


@EACH_FOLDER
def test_a_game_has_the_test_files_that_all_games_have(folder: str) -> None:
    here = Path(__file__).with_name(folder)
    assert [name for name in TESTS if not here.joinpath(name).is_file()] == []


@EACH_FOLDER
def test_the_quick_test_of_a_move_does_not_know_the_reasons_why_another_is_illegal(folder: str) -> None:
    modules = sorted((ROOT / "referee" / "games" / folder).glob("*.py"))
    reasons = f"referee.games.{folder}.illegal"
    assert [path.name for path in modules if reasons in imports(path)] == ["position.py"]
