"""The comparison of surviving mutants with the list; mutmut itself does not run here."""

import ast
import fnmatch
from collections import Counter
from pathlib import Path

import pytest

from tests.mutation import run
from tests.mutation.run import (
    Mutant,
    Score,
    complaints,
    read_core,
    read_listed,
    read_rooms,
    write_entry,
)

CLOCK = "referee/match/clock.py"
PLUS = Mutant("Clock.stop", "- left += base\n+ left -= base")
EQUAL = Mutant("Clock.stop", "- if left > 0:\n+ if left >= 0:")
HERE = Path(run.__file__).parent


def score(*survivors: Mutant, mutants: int = 100) -> Score:
    return Score(CLOCK, mutants, Counter(survivors))


def test_survivors_that_are_listed_are_no_complaint():
    assert complaints([score(PLUS, EQUAL)], {CLOCK: Counter([EQUAL, PLUS])}) == []


def test_a_survivor_that_is_not_listed_is_printed_as_an_entry():
    assert complaints([score(PLUS, EQUAL)], {CLOCK: Counter([EQUAL])}) == [
        f"{CLOCK}: 1 survived that are not listed. Write a test for each, or list it with a reason:\n\n"
        + write_entry(CLOCK, [PLUS])
    ]


def test_a_listed_mutant_that_does_not_survive_is_to_be_removed():
    assert complaints([score()], {CLOCK: Counter([PLUS])}) == [
        f"{CLOCK}: 1 are listed, but they do not survive. Remove them from the list:\n\n"
        + write_entry(CLOCK, [PLUS])
    ]


def test_an_entry_is_read_as_it_is_written():
    text = write_entry(CLOCK, [PLUS, EQUAL]).replace('reason = ""', 'reason = "equivalent"')
    assert read_listed(text).mutants == {CLOCK: Counter([PLUS, EQUAL])}


def names_in(path: Path) -> set[str]:
    """Return the names of a file's tests, without importing it."""
    tree = ast.parse(path.read_text())
    return {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    }


def test_every_module_of_the_core_exists():
    core = read_core((HERE / "core.toml").read_text())
    assert [module for module in core if not (run.ROOT / module).is_file()] == []


def test_every_test_that_is_named_exists():
    core = read_core((HERE / "core.toml").read_text())
    rooms = read_rooms((HERE / "sample.toml").read_text())
    named = [*core.values(), *(room.tests for room in rooms.values())]
    missing = set()
    for test in {test.removeprefix("!") for tests in named for test in tests}:
        file, _, name = test.partition("::")
        path = run.ROOT / file
        if not path.is_file() or (name and name.partition("[")[0] not in names_in(path)):
            missing.add(test)
    assert missing == set()


def test_every_room_of_the_sample_has_modules_and_leaves_out_the_core():
    core = read_core((HERE / "core.toml").read_text())
    for name, room in read_rooms((HERE / "sample.toml").read_text()).items():
        modules = [path.relative_to(run.ROOT).as_posix() for path in (run.ROOT / name).rglob("*.py")]
        assert modules
        assert [pattern for pattern in room.without if not fnmatch.filter(modules, pattern)] == []
        assert {*modules} & {*core} <= {*room.without}


@pytest.mark.parametrize("folder", ["arena/formats", "arena/ratings"])
def test_every_module_with_code_of_a_folder_of_the_core_is_listed(folder: str):
    core = read_core((HERE / "core.toml").read_text())
    with_code = {
        path.relative_to(run.ROOT).as_posix()
        for path in (run.ROOT / folder).glob("*.py")
        if any(isinstance(node, ast.FunctionDef) for node in ast.walk(ast.parse(path.read_text())))
    }
    assert with_code
    assert with_code - set(core) == set()


def test_every_survivor_belongs_to_the_core():
    core = read_core((HERE / "core.toml").read_text())
    listed = read_listed((HERE / "survivors.toml").read_text())
    assert set(listed.mutants) <= set(core)
