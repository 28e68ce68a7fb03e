"""A table of a tournament file with the key ``glob`` is an engine for each file that fits."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from arena.config import load
from arena.config.loader import locate
from arena.errors import ConfigError


@pytest.fixture
def course(tmp_path: Path) -> Path:
    for name in ("ann", "bob", "cat.d"):
        tmp_path.joinpath("bots", name).mkdir(parents=True)
        tmp_path.joinpath("bots", name, "bot.py").write_text("pass")
    return tmp_path / "t.toml"


TABLE = '[[engines]]\nglob = "{}"\ncommand = ["{{python}}", "{{file}}"]\n'


def test_a_glob_is_an_engine_for_each_file_in_its_folder_and_named_after_what_the_star_stands_for(
    course: Path,
) -> None:
    other = '[[engines]]\nname = "other"\ncommand = "sample:random"\n'
    course.write_text('game = "hops"\n' + TABLE.format("bots/*/bot.py") + other)
    specs = [engine.spec for engine in load(course).engines]
    assert [spec.name for spec in specs] == ["ann", "bob", "cat.d", "other"]
    for spec in specs[:3]:
        folder = course.parent / "bots" / spec.name
        assert (spec.command, spec.cwd) == ((sys.executable, str(folder / "bot.py")), str(folder))
        assert str(folder) in spec.readable


def test_a_file_stands_for_itself_in_a_table_without_a_glob(course: Path) -> None:
    course.write_text('game = "hops"\n' + TABLE.replace('glob = "{}"', 'name = "ann"').format())
    with pytest.raises(ConfigError, match=r"there is no file .*\{file\}"):
        load(course)


@pytest.mark.parametrize(
    ("pattern", "names"),
    {
        "bots/*": ["ann", "bob", "cat.d"],
        "b*s/*/*.py": ["bots-ann-bot", "bots-bob-bot", "bots-cat.d-bot"],
        "bots/[ab]*/bot.*": ["ann-bot", "bob-bot"],
        "./bots//?nn/bot.py": ["ann"],
        "{folder}/bots/b*/bot.py": ["bob"],
    }.items(),
)
def test_names_come_from_all_parts_with_wildcards(course: Path, pattern: str, names: list[str]) -> None:
    table = TABLE.format(pattern.format(folder=course.parent)).replace("{file}", "{cwd}/bot.py")
    course.write_text('game = "hops"\n' + table + '[[engines]]\nname = "x"\ncommand = "sample:random"\n')
    assert [engine.spec.name for engine in load(course).engines] == [*names, "x"]


OTHER = '[[engines]]\nname = "{}"\ncommand = "sample:{}"\n'

MISTAKES = {
    TABLE.format("bits/*"): "line 3: [[engines]] number 1: glob: no file in {folder} fits 'bits/*'",
    TABLE.format("bots/ann/bot.py"): "line 3: [[engines]] number 1: glob: this must be a text with a *",
    '[[engines]]\nglob = "bots/*"\nname = "a"\n': 'line 4: [[engines]] "a": name: each engine of a glob',
    '[[engines]]\nglob = "bots/*"\n': 'line 2: [[engines]] "cat.d": the command is missing',
    TABLE.format("bots/*") + "margn = 3\n": 'line 5: [[engines]] "cat.d": margn: there is no such key',
    TABLE.format("bots/*/bot.py") + OTHER.format("bob", "random"): 'line 6: [[engines]] "bob": name: another',
    TABLE.format("bots/*/bot.py") + OTHER.format("x", "zzz"): 'line 7: [[engines]] "x": command: there is no',
    '[defaults]\nglob = "*"\n': "line 3: [defaults] glob: this key is in the wrong place",
}


@pytest.mark.parametrize(("table", "problem"), MISTAKES.items())
def test_a_wrong_glob_and_wrong_tables_after_one_are_named_with_their_lines(
    course: Path, table: str, problem: str
) -> None:
    course.write_text('game = "hops"\n' + table)
    with pytest.raises(ConfigError) as caught:
        load(course)
    assert problem.format(folder=course.parent) in str(caught.value)


def test_the_games_of_a_course_are_found_when_its_bots_are_gone(course: Path) -> None:
    course.write_text('game = "hops"\nname = "last year"\n' + TABLE.format("gone/*"))
    assert locate(course)[0] == "last year"
