"""The comparison of surviving mutants with the list; mutmut itself does not run here."""

import ast
import fnmatch
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.mutation import run
from tests.mutation.run import (
    Listed,
    Mutant,
    Score,
    change_of,
    complaints,
    cut_off,
    read_core,
    read_listed,
    read_rooms,
    sample,
    sample_complaint,
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


def test_the_same_change_in_two_places_of_a_function_is_listed_twice():
    assert complaints([score(PLUS, PLUS)], {CLOCK: Counter([PLUS, PLUS])}) == []
    assert len(complaints([score(PLUS, PLUS)], {CLOCK: Counter([PLUS])})) == 1
    assert len(complaints([score(PLUS)], {CLOCK: Counter([PLUS, PLUS])})) == 1


def test_one_in_ten_may_survive_and_no_more():
    listed = {CLOCK: Counter([PLUS])}
    assert complaints([score(PLUS, mutants=10)], listed) == []
    assert complaints([score(PLUS, mutants=9)], listed) == [
        f"{CLOCK}: 1 of 9 mutants survived, and at most 10% may.\n"
    ]


def test_modules_that_were_not_run_are_not_compared():
    assert complaints([], {CLOCK: Counter([PLUS])}) == []


def test_an_entry_is_read_as_it_is_written():
    text = write_entry(CLOCK, [PLUS, EQUAL]).replace('reason = ""', 'reason = "equivalent"')
    assert read_listed(text).mutants == {CLOCK: Counter([PLUS, EQUAL])}


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ("changes = ['''Clock.stop\n- a\n+ b''']", "an entry has no reason"),
        ("reason = ''\nchanges = []", "an entry has no reason"),
        (
            "reason = 'x'\nchanges = ['Clock.stop']",
            "a change is a function's name and lines that begin with - or +, not 'Clock.stop'",
        ),
    ],
)
def test_an_entry_without_a_reason_or_a_change_is_refused(entry: str, problem: str):
    with pytest.raises(ValueError, match=f"^{re.escape(f'{CLOCK}: {problem}')}"):
        read_listed(f'[["{CLOCK}"]]\n{entry}')


def test_a_change_that_differs_only_in_a_meaningless_part_is_not_counted():
    listed = read_listed("[[meaningless]]\npattern = ', strict=\\w+'\nreason = 'x'\n")
    assert not listed.means_something(Mutant("f", "- zip(a, b, strict=True)\n+ zip(a, b, strict=False)"))
    assert listed.means_something(Mutant("f", "- zip(a, b, strict=True)\n+ zip(a, None, strict=True)"))
    assert Listed({}, ()).means_something(PLUS)


def test_a_mutant_that_ran_out_of_time_is_run_again_only_if_it_should_survive():
    mutants = {"a": PLUS, "b": EQUAL, "c": PLUS, "d": PLUS}
    assert cut_off({"a": -24, "b": -24, "c": 1, "d": 0}, mutants, Counter([PLUS])) == ["a"]
    assert cut_off({"a": -24, "b": -24, "c": 1, "d": 0}, mutants, Counter()) == []


def test_a_change_is_known_by_its_text_wherever_it_stands():
    diff = [
        "--- a",
        "+++ b",
        "@@ -3,3 +3,3 @@",
        "     first",
        "-        if a:  # why",
        "+        if not a:  # why",
    ]
    assert change_of("\n".join(diff)) == "- if a:  # why\n+ if not a:  # why"
    assert change_of("--- a\n+++ b\n@@ -1,2 +0,0 @@\n-    case 1:\n-        pass") == "- case 1:\n-     pass"


def test_a_sample_is_chosen_by_its_seed_and_changes_little_when_a_room_changes():
    names = [f"f{number}" for number in range(1000)]
    chosen = sample(names, 100, 1)
    assert len({*chosen}) == 100
    assert chosen == sample(reversed(names), 100, 1) != sample(names, 100, 2)
    more = sample([*names, *(f"g{number}" for number in range(100))], 100, 1)
    assert len({*chosen} & {*more}) > 80
    assert sample(["a", "b"], 100, 1) in (["a", "b"], ["b", "a"])


def test_one_in_six_of_a_sample_may_survive_and_no_more():
    assert sample_complaint(score(PLUS, mutants=6)) == ""
    assert sample_complaint(score(PLUS, mutants=5)) == (
        f"{CLOCK}: 1 of 5 mutants of the sample survived, and at most 17% may."
        " Write tests for those that matter, or delete code that nobody needs.\n"
    )


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


def test_every_room_of_the_sample_has_modules_and_leaves_out_those_of_the_core():
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
