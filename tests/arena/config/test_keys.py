"""Declarations of the keys of a tournament file: bounds, defaults, messages and changes."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from arena.config import load, locate
from arena.config.loader import FileWatch
from arena.config.tournament_keys import EngineTable, TournamentFile
from arena.config.validation import tables
from arena.errors import ConfigError
from arena.formats.format import built_in_formats, find_format
from arena.formats.ladder import LadderKeys
from protocol.keys import Between, Change, OrOff
from protocol.spec import EngineSpec
from referee.match.adjudication import Adjudication, DrawRule, ResignRule

Write = Callable[..., Path]

KEYS = {
    ".".join((*names, key)): (table, declared)
    for names, table in tables(*built_in_formats())
    for key, declared in table.declarations().items()
}
"""All keys by their names with the tables around them, such as ``engines.timeouts.ready``."""

NUMBERS = {name: declared.bounds for name, (_, declared) in KEYS.items() if declared.bounds is not None}

TOP = TournamentFile.declarations() | {
    name: declared for form in built_in_formats() for name, declared in form.keys.declarations().items()
}


def engine(name: str, *lines: str) -> str:
    return "\n".join([f'[[engines]]\nname = "{name}"\ncommand = ["{sys.executable}"]', *lines, ""])


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a tournament file with two engines, or one to tune, with more lines at its top and end."""

    def write_file(*top: str, own: str = "", game: str = 'game = "quoridor"') -> Path:
        file = tmp_path / "cup.toml"
        engines = [engine("a"), *([] if 'format = "tune"' in "".join(top) else [engine("b", own)])]
        file.write_text("\n".join([game, *top, *engines]), encoding="utf-8")
        return file

    return write_file


def with_key(write: Write, name: str, value: object) -> Path:
    """Write a file with a key in its right place."""
    if name.startswith("engines."):
        return write(own=f"{name.removeprefix('engines.')} = {value}")
    if name.startswith("stages."):
        own = f'format = "round-robin", {name.removeprefix("stages.")} = {value}'
        return write('format = "stages"', f"stages = [{{ {own} }}]")
    name = name.replace("parameters.", "parameters.W.")
    forms = [form.name for form in built_in_formats() if name.partition(".")[0] in form.keys.declarations()]
    return write(f"{name} = {value}", *(f'format = "{form}"' for form in forms[:1]))


# -- bounds --------------------------------------------------------------------------------------------------


def bad_numbers(bounds: Between) -> Iterator[str]:
    yield from ("true", "[1]", "{}", "nan", "-inf", "inf", "2024-01-01", "0x" + "f" * 5000)
    yield str(bounds.most if bounds.open else bounds.most + 1)
    if not isinstance(bounds, OrOff) or bounds.least > 1:
        yield str(bounds.least if bounds.open else bounds.least - (1 if bounds.least >= 1 else 0.01))


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_outside_of_its_bounds_is_refused_with_its_key_and_them(write: Write, name: str) -> None:
    for value in bad_numbers(NUMBERS[name]):
        with pytest.raises(ConfigError) as caught:
            load(with_key(write, name, value))
        message = str(caught.value)
        assert f"{name.rpartition('.')[2]}: this must be " in message
        assert len(message) < 400
        assert "\n" not in message


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_at_its_bounds_is_taken(name: str) -> None:
    (table, declared), bounds = KEYS[name], NUMBERS[name]
    needed = {
        key: {"name": "a", "command": "b", "format": "swiss"}.get(key, 1)
        for key, other in table.declarations().items()
        if other.default is MISSING
    }
    for value in (bounds.least, bounds.most):
        if not bounds.open:
            made = TypeAdapter(table).validate_python(needed | {declared.name: value})
            assert getattr(made, declared.name) == value


@pytest.mark.parametrize("name", NUMBERS)
def test_no_number_is_too_large_for_the_database_or_a_clock(name: str) -> None:
    bounds = NUMBERS[name]
    nanoseconds = {"milliseconds": 10**6, "seconds": 10**9}.get(bounds.unit, 1)
    assert bounds.least * nanoseconds >= -(2**63)
    assert bounds.most * nanoseconds <= 2**63 - 1


def test_every_number_has_bounds() -> None:
    plain = {int, float}
    assert [name for name, (_, declared) in KEYS.items() if plain & set(declared.types)] == [*NUMBERS]


# -- defaults ------------------------------------------------------------------------------------------------


def test_an_engines_keys_are_the_fields_of_its_spec_and_five_more() -> None:
    own = {field.name for field in fields(EngineSpec)} - {"remote", "shown_as"}  # the door says these
    assert EngineTable.declarations().keys() - own == {*("build", "time_control", "games", "version", "glob")}
    assert own <= EngineTable.declarations().keys()


def test_what_a_file_leaves_out_is_as_the_referee_and_the_protocol_have_it(write: Write) -> None:
    spec = load(write("adjudication.resign.score = 9", "adjudication.draw.score = 3"))
    first, _ = spec.engines
    assert first.spec == EngineSpec("a", (sys.executable,), cwd=first.spec.cwd)
    assert spec.adjudication == Adjudication(resign=ResignRule(9), draw=DrawRule(3))


# -- messages ------------------------------------------------------------------------------------------------


def test_what_is_wrong_among_the_defaults_is_named_there(write: Write) -> None:
    file = write("defaults.limits.memory = 0", own="limits.processes = 5")
    with pytest.raises(ConfigError, match=r"cup\.toml, line 2: \[defaults\] limits\.memory: this must be"):
        load(file)


def test_an_unknown_key_is_named_before_a_missing_one_and_the_first_line_before_others(write: Write) -> None:
    file = write("seed = true", own="margin = -1")
    with pytest.raises(ConfigError, match="line 2: seed: "):
        load(file)
    file.write_text('game = "quoridor"\n[[engines]]\nname = "a"\ncomand = "x"\n')
    with pytest.raises(ConfigError, match=r"line 4: .* did you mean command"):
        load(file)


def test_a_name_that_cannot_be_printed_does_not_break_the_line(write: Write) -> None:
    with pytest.raises(ConfigError, match=r"'a\\nb': there is no such key") as caught:
        load(write('"a\\nb" = 1'))
    assert "\n" not in str(caught.value)


def test_a_key_of_another_table_is_sent_there(write: Write) -> None:
    with pytest.raises(ConfigError, match=r"alpha: this key is in the wrong place; move it to \[sprt\]"):
        load(write("alpha = 0.1"))


def test_a_tournament_is_located_without_its_engines_openings_and_games(write: Write, tmp_path: Path) -> None:
    lines = ['name = "x"', 'database = "y.db"', 'openings = { kind = "list", file = "gone" }']
    file = write(*lines, own='cwd = "gone"\nreadable = ["gone"]\ngames = ["gone"]', game='game = "gone"')
    assert locate(file) == ("x", tmp_path / "y.db")
    with pytest.raises(ConfigError, match="gone"):
        load(file)
    with pytest.raises(ConfigError, match=r"databse: there is no such key; did you mean database\?"):
        locate(write('databse = "y.db"'))


# -- changes between runs ------------------------------------------------------------------------------------


def test_every_key_of_the_file_says_whether_it_may_change_and_keys_in_tables_go_by_their_table() -> None:
    assert all((declared.key.change is None) == ("." in name) for name, (_, declared) in KEYS.items())


RANDOM = 'openings.kind = "random"'
LIST = 'openings = { kind = "list", file = "one"'
MATCH = 'format = "match"'
STAGES = 'format = "stages"\nstages = [{ format = "round-robin" }]'
PLAY_OFF = STAGES.replace("round-robin", "knockout")
THIRD = 'format = "stages"\nstages = [{{ format = "round-robin" }}, {{ format = "knockout", engines = {} }}]'
RESIGN, DRAW = "adjudication.resign.score = 9", "adjudication.draw.score = 9"

PLACED = 'format = "place"\nstrengths = { b = 1 }'
TUNED = 'format = "tune"\ntune.parameters.W = { start = 1, min = 0, max = 9, c_end = 0.5, r_end = 0.1 }'
FIXED: dict[str, tuple[list[str], list[str]]] = {
    "format": ([], ['format = "knockout"']),
    "first": ([MATCH, "max_games = 4"], [MATCH, "max_games = 4", 'first = "loser"']),
    "sprt.elo0": ([MATCH, "sprt = { elo0 = 0, elo1 = 9 }"], [MATCH, "sprt = { elo0 = 1, elo1 = 9 }"]),
    "sprt.elo1": ([MATCH, "sprt = { elo0 = 0, elo1 = 9 }"], [MATCH, "sprt = { elo0 = 0, elo1 = 8 }"]),
    "sprt.alpha": (
        [MATCH, "sprt = { elo0 = 0, elo1 = 9 }"],
        [MATCH, "sprt = { elo0 = 0, elo1 = 9, alpha = 0.1 }"],
    ),
    "sprt.beta": (
        [MATCH, "sprt = { elo0 = 0, elo1 = 9 }"],
        [MATCH, "sprt = { elo0 = 0, elo1 = 9, beta = 0.1 }"],
    ),
    "sprt.model": (
        [MATCH, "sprt = { elo0 = 0, elo1 = 9 }"],
        [MATCH, 'sprt = { elo0 = 0, elo1 = 9, model = "normalized" }'],
    ),
    "pairing_openings": ([], ['pairing_openings = "same"']),
    "draw": ([STAGES], [STAGES, 'draw = "random"']),
    "within": ([PLACED], [PLACED, "within = 50"]),
    "draws": ([PLACED], [PLACED, "draws = 0.5"]),
    "strengths": ([PLACED], [PLACED.replace("1", "2")]),
    "tune.steps": ([TUNED], [TUNED, "tune.steps = 9"]),
    "tune.parallel": ([TUNED], [TUNED, "tune.parallel = 9"]),
    **{
        f"tune.parameters.{key}": ([TUNED], [re.sub(f"{key} = [0-9.]+", f"{key} = {value}", TUNED)])
        for key, value in {"start": 2, "min": 1, "max": 8, "c_end": 2.5, "r_end": 0.2}.items()
    },
    "stages.name": ([STAGES], [STAGES.replace("}", ', name = "one" }')]),
    "stages.format": ([STAGES], [STAGES.replace("round-robin", "gauntlet")]),
    "stages.engines": ([THIRD.format(3), engine("c")], [THIRD.format(2), engine("c")]),
    "stages.pools": (
        [STAGES, engine("c"), engine("d")],
        [STAGES.replace("}", ", pools = 2 }"), engine("c"), engine("d")],
    ),
    "stages.games_per_pairing": ([STAGES], [STAGES.replace("}", ", games_per_pairing = 4 }")]),
    "stages.rounds": (
        [STAGES.replace('"round-robin"', '"swiss", rounds = 1'), engine("c"), engine("d")],
        [STAGES.replace('"round-robin"', '"swiss", rounds = 2'), engine("c"), engine("d")],
    ),
    "stages.best_of": ([PLAY_OFF], [PLAY_OFF.replace("}", ", best_of = 3 }")]),
    "stages.third_place": ([PLAY_OFF], [PLAY_OFF.replace("}", ", third_place = true }")]),
    "stages.ties": ([PLAY_OFF], [PLAY_OFF.replace("}", ', ties = ["time"] }')]),
    "time_control": ([], ['time_control = "1"']),
    "seed": ([], ["seed = 2"]),
    "setup": ([], ['setup = "/ / e5 e6 / 10 10 / 1"']),
    "openings.kind": ([], [RANDOM, "openings.plies = 2"]),
    "openings.file": ([LIST + "}"], ['openings = { kind = "list", file = "two" }']),
    "openings.book": ([], ['openings = { kind = "list", book = "hops" }']),
    "openings.order": ([LIST + "}"], [LIST + ', order = "random" }']),
    "openings.plies": ([RANDOM, "openings.plies = 2"], [RANDOM, "openings.plies = 3"]),
    "adjudication.repetition": ([], ["adjudication.repetition = 0"]),
    "adjudication.plies": ([], ["adjudication.plies = 0"]),
    "adjudication.at_limit": ([], ['adjudication.at_limit = "count"']),
    "adjudication.resign.score": ([RESIGN], [RESIGN + "9"]),
    "adjudication.resign.moves": ([RESIGN], [RESIGN, "adjudication.resign.moves = 5"]),
    "adjudication.resign.sides": ([RESIGN], [RESIGN, 'adjudication.resign.sides = "one"']),
    "adjudication.draw.score": ([DRAW], [DRAW + "9"]),
    "adjudication.draw.moves": ([DRAW], [DRAW, "adjudication.draw.moves = 5"]),
    "adjudication.draw.after": ([DRAW], [DRAW, "adjudication.draw.after = 5"]),
    "forgive.illegal": ([], ["forgive.illegal = 0"]),
    "forgive.timeouts": (["forgive.timeouts = 1"], ["forgive.timeouts = 2"]),
    "forgive.then": (["forgive.illegal = 1"], ["forgive.illegal = 1", 'forgive.then = "random"']),
}
"""For each key that must not change, the lines of two files that differ only in this key."""


def test_there_is_an_example_of_every_key_that_must_not_change() -> None:
    fixed = {name for name in KEYS if TOP[name.partition(".")[0]].key.change is Change.NEVER}
    assert {name for name in fixed if KEYS[name][1].table is None} == FIXED.keys()


@pytest.mark.parametrize("name", FIXED)
def test_what_must_not_change_is_compared_with_the_tournament_that_was_started(
    write: Write, tmp_path: Path, name: str
) -> None:
    (tmp_path / "one").write_text("e2 e8\n")
    (tmp_path / "two").write_text("e2 d9\n")
    game_id = "hops" if name == "openings.book" else "quoridor"
    game = f'game = "{game_id}"'
    before, after = (load(write(*lines, game=game)).settings() for lines in FIXED[name])
    both = before.keys() & after.keys()  # another format has other keys
    assert {key for key in both if before[key] != after[key]} == {name.partition(".")[0]}


CHANGED: dict[str, list[str]] = {
    "game": ['game = "rampants"'],
    "games": ['games = ["quoridor", "rampants"]'],
    "setup": ['setup = "/ / e5 e6 / 10 10 / 1"'],
    "name": ['name = "x"'],
    "database": ['database = "x.db"'],
    "format": ['format = "knockout"'],
    "max_games": ["max_games = 7"],
    "games_per_pairing": ["games_per_pairing = 50"],
    "time_control": ['time_control = "1"'],
    "concurrency": ["concurrency = 77"],
    "affinity": ["affinity = true"],
    "seed": ["seed = 2"],
    "disabled": ['disabled = "skip"'],
    "log": ['log = "logs"'],
    "log_lost": ["log_lost = 3"],
    "openings": [RANDOM, "openings.plies = 2"],
    "adjudication": ["adjudication.plies = 9"],
    "forgive": ["forgive.illegal = 1"],
    "notify": ["notify.url = 'https://chat.example.org/x'"],
    "executor": ["executor.cores = 2"],
    "door": ["door.most_a_day = 9"],
    "defaults": ["defaults.margin = 9"],
    "engines": ['engines = [{ name = "c", command = "sh" }, { name = "d", command = "sh" }]'],
}
"""For each key that a ladder may have, the lines of a ladder with another value of this key."""


def ladder(folder: Path, time: int, lines: list[str]) -> Path:
    """Write a ladder. A line replaces the default line with the same key."""
    engines = 'engines = [{ name = "a", command = "sh" }, { name = "b", command = "sh" }]'
    defaults = ['format = "ladder"', 'game = "quoridor"', engines]
    replaced = {line.split()[0].replace("games", "game") for line in lines}
    file = folder / "ladder.toml"
    file.write_text("\n".join([*(line for line in defaults if line.split()[0] not in replaced), *lines]))
    os.utime(file, ns=(time, time))
    return file


@pytest.mark.parametrize(
    ("lines", "kept"),
    [([], 0), (["door = {}"], 10), (["door = {}", "log_lost = 0"], 0), (["log_lost = 3"], 3)],
)
def test_with_a_door_only_the_last_lost_games_leave_transcripts(
    tmp_path: Path, lines: list[str], kept: int
) -> None:
    assert load(ladder(tmp_path, 1, lines)).log_lost == kept


@pytest.mark.parametrize(
    ("lines", "limit"),
    [
        ([], None),
        (["door = {}"], 10),
        (["door = {}", "games_per_pairing = 50"], 50),
        (["games_per_pairing = 50"], 50),
    ],
)
def test_a_ladder_with_a_door_rests(tmp_path: Path, lines: list[str], limit: int | None) -> None:
    keys = load(ladder(tmp_path, 1, lines)).format_keys
    assert isinstance(keys, LadderKeys)
    assert keys.games_per_pairing == limit


def test_there_is_an_example_of_every_key_that_a_ladder_may_have() -> None:
    own = find_format("ladder").keys.declarations()
    assert TournamentFile.declarations().keys() | own.keys() == CHANGED.keys()


@pytest.mark.parametrize("name", CHANGED)
def test_a_running_ladder_takes_over_what_may_change_and_nothing_else(tmp_path: Path, name: str) -> None:
    begun = load(ladder(tmp_path, 1, []))
    watch = FileWatch(begun)
    ladder(tmp_path, 2, CHANGED[name])
    change = TOP[name].key.change
    if change in (Change.NEVER, Change.IDENTITY) or name == "game":  # the example takes a game away
        with pytest.raises(ConfigError, match=f"{name} was .* and is now "):
            watch.changed()
    elif change is Change.NEXT_RUN:
        assert watch.changed() is None
        assert load(begun.path) != begun
    else:
        changed = watch.changed()
        assert changed is not None
        assert changed != begun
