"""Mistakes on the command line: one message that says what is wrong, exit code 2, and no traceback."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import click
import pytest

from arena.cli import main
from arena.cli.common import values
from tests.arena.commands import COMMANDS, GROUPS
from tests.arena.forked import CLOSED as SHUT
from tests.arena.forked import arena as process
from tests.arena.invoking import invoke as arena
from tests.rights import unprivileged

DIGITS = "1" * 5000
"""More digits than Python converts to a number."""

NO_UTF_8 = b"bad\xff\xfe".decode(errors="surrogateescape")

PARAMETERS = [
    (words, parameter)
    for words, command in [*COMMANDS.items(), *GROUPS.items()]
    for parameter in command.params
]


def refused(*words: object) -> str:
    """Return the message of a command that is refused."""
    done = arena(*words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert len(done.stderr) < 1500
    return done.stderr


# --- bounds


def test_every_option_and_argument_has_bounds() -> None:
    bounded = (values.Number, click.DateTime, values.Text, values.PathValue)
    fitting = (*bounded, click.Choice, click.types.BoolParamType)
    assert len(PARAMETERS) > 100
    assert [(words, one) for words, one in PARAMETERS if not isinstance(one.type, fitting)] == []


@pytest.mark.parametrize(
    ("words", "least", "most"),
    [
        (("show",), 1, 2**63 - 1),
        (("openings", "quoridor", "--plies"), 1, 1000),
        (("report", "-o", "site", "--replay"), 0, 1_000_000_000),
        (("check", "--list", "--seed"), -(2**63), 2**63 - 1),
    ],
)
def test_a_number_outside_of_its_bounds_is_refused_with_them(
    words: tuple[str, ...], least: int, most: int
) -> None:
    known = f" from {least} to {most}"
    assert known in refused(*words, str(most + 1))
    for text in ("", "x", "nan", "inf", "1e400", "1.5", DIGITS, f"-{DIGITS}", "99999999999999999999"):
        message = refused(*words, text) if words[-1].startswith("-") else refused(*words, "--", text)
        shown = known if most <= 1_000_000 or text.startswith("9") else ""
        assert f": this must be a whole number{shown}, not '{text[:80]}" in message


def test_a_text_that_is_too_long_is_refused_with_its_length() -> None:
    assert "this must have at most 200 characters, not 201" in refused("position", "x" * 201)


@pytest.mark.parametrize("text", ["\x1b[2J", "a\nb", "\0"])
def test_a_text_with_control_characters_is_refused_and_printed_without_them(text: str) -> None:
    message = refused("position", text)
    assert "this must have no control characters" in message
    assert text not in message


@pytest.mark.parametrize("text", ["", "  "])
@pytest.mark.parametrize("words", [("run", "t.toml"), ("match", "hops", "a", "b")])
def test_a_tournament_has_a_name(words: tuple[str, ...], text: str) -> None:
    assert "--name: this must not be empty" in refused(*words, "--name", text)


# --- the shape of a command


@pytest.mark.parametrize(
    ("words", "example"),
    [
        (("play", "quoridor"), "arena play quoridor --seat human --seat sample:greedy"),
        (("play", "--seat", "human"), "arena play quoridor --seat human --seat sample:greedy"),
        (("import",), "arena import games.jsonl"),
        (("ratings", "cup"), "arena ratings"),
    ],
)
def test_a_command_that_misses_a_part_or_has_one_too_many_is_answered_with_an_example(
    words: tuple[str, ...], example: str
) -> None:
    assert f"\nExample: {example}" in refused(*words)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("position",), "the argument ID is missing; choose one of quoridor, quoridor4, "),
        (("show",), "the argument GAME-NUMBER is missing\n"),
        (("door", "change", "league.toml", "--remove"), "the argument NAME is missing\n"),
        (("new-engine", "mine"), "the option --lang is missing; choose one of python, c, cpp, "),
        (("games", "--jsn"), "there is no option --jsn; did you mean --json?\n"),
        (("games", "chess", "hops"), "there are too many arguments: chess hops\n"),
        (("submit", "nowhere", "--to", "x"), "PATH: path 'nowhere' does not exist\n"),
        (("show", "--last-loss"), "name the engine that lost, as in: arena show NAME --last-loss\n"),
        (("match", "python3 mine.py", "sample:greedy"), "no game has the id 'python3 mine.py'; the games"),
    ],
)
def test_a_message_names_options_and_arguments_as_the_help_does(words: tuple[str, ...], message: str) -> None:
    assert refused(*words).startswith(f"error: {message}")


@pytest.mark.parametrize("words", [*COMMANDS, *GROUPS])
def test_help_and_messages_have_no_numbers_that_only_the_machine_needs_and_no_escapes(words: str) -> None:
    for line in (words.split(), [*words.split(), "--help"]):
        printed = arena(*line, input="").output if "--help" in line or _needs_something(words) else ""
        assert not re.search(r"[0-9]{8}|\\[tn]|RANGE|[<>]=", printed), printed


def _needs_something(words: str) -> bool:
    return words in GROUPS or any(parameter.required for parameter in COMMANDS[words].params)


def test_a_command_without_quotes_is_advised_to_use_them() -> None:
    message = refused("play", "quoridor", "--seat", "python3", "a.py", "--seat", "human")
    assert message.startswith("error: there are too many arguments: a.py; a command of several words needs")
    message = refused("match", "quoridor", "python3", "a.py", "sample:greedy", "-n", "20")
    assert message.startswith(
        "error: there are too many arguments: sample:greedy; a command of several words needs"
    )


def test_a_missing_file_is_answered_with_the_one_that_is_meant(tmp_path: Path) -> None:
    (tmp_path / "duel.toml").touch()
    for name in ("duel", "dule.toml"):
        assert refused("run", tmp_path / name).endswith("there is no such file; did you mean duel.toml?\n")


# --- words and paths


def test_a_missing_database_is_answered_with_those_that_are_there(
    sample_database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("notes.db").write_text("no database")
    assert refused("serve") == "error: arena.db: there is no such database; `arena run` creates one\n"
    Path("demo.db").write_bytes(sample_database.read_bytes())
    for words in (("standings",), ("serve",), ("report", "demo"), ("db", "check")):
        message = "error: arena.db: there is no such database; there is demo.db here: add --db demo.db\n"
        assert refused(*words) == message
    Path("arena.db").touch()
    assert "the database is empty; there is demo.db here: add --db demo.db" in refused("standings")


def test_a_database_in_place_of_a_tournament_is_recognized(
    sample_database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("demo.db").write_bytes(sample_database.read_bytes())
    said = "error: demo.db: this is a database, not the name of a tournament; give it with --db demo.db\n"
    for command in ("standings", "report", "stats", "export", "list"):
        assert refused(command, "demo.db") == said


def test_a_tournament_file_in_place_of_a_database_stands_for_it(
    sample_database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("league.toml").write_text('game = "quoridor"\ndatabase = "cup.db"\n')
    for words in (("serve",), ("db", "check")):
        said = f"error: {tmp_path}/cup.db: there is no such database; `arena run` creates one\n"
        assert refused(*words, "league.toml") == said
    Path("cup.db").write_bytes(sample_database.read_bytes())
    assert arena("db", "check", "league.toml").exit_code == 0
    assert "league.toml: is a tournament file, not a database" in refused("list", "--db", "league.toml")


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"SQLite format 3\0\x10\0\1\1\0@  ", "a database"),
        (b"PK\3\4\x14\0\0\0\x08\0\xb8", "a binary file"),
        (b"\x7fELF\2\1\1\0\0\0", "a binary file"),
    ],
)
def test_nobody_is_advised_to_save_another_kind_of_file_as_utf_8(
    data: bytes, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("wrong").write_bytes(data)
    for words in (("run",), ("serve", "--engines")):
        assert refused(*words, "wrong") == f"error: wrong: this is {kind}, not a tournament file\n"
    match = refused("match", "quoridor", "sample:greedy", "sample:random", "--openings", "wrong")
    assert "wrong: this is a binary file" in match or "wrong: this cannot be unpacked" in match


PATHS = [
    pytest.param(words, parameter, id=f"{words} {parameter.opts[0]}")
    for words, parameter in {parameter.type: (words, parameter) for words, parameter in PARAMETERS}.values()
    if isinstance(parameter.type, values.PathValue)
]
"""A parameter of each kind of path."""


def refused_path(words: str, parameter: click.Parameter, path: object) -> str:
    """Return the message of a command that gets this path for one of its parameters."""
    named = [parameter.opts[0], path] if isinstance(parameter, click.Option) else [path]
    before = ["x"] if parameter.name == "target" else []
    message = refused(*words.split(), *before, *named)
    error, hint = message.splitlines()
    metavar = parameter.make_metavar(click.Context(main)).strip("[]… ")
    assert error.startswith(tuple(f"error: {name}: " for name in (*parameter.opts, metavar)))
    assert hint == f"Try 'arena {words} --help'."
    return error


@pytest.mark.parametrize(("words", "parameter"), PATHS)
def test_a_path_that_is_impossible_is_refused(words: str, parameter: click.Parameter, tmp_path: Path) -> None:
    assert "file name too long" in refused_path(words, parameter, "x" * 300)
    assert "file name too long" in refused_path(words, parameter, "x" * 5000)
    assert "has a character that no path can have" in refused_path(words, parameter, "a\0b")
    assert "this must be the name of a file or folder" in refused_path(words, parameter, "")
    (tmp_path / "file").touch()
    folder = parameter.type is values.FOLDER
    wrong, what = (tmp_path / "file", "is a file") if folder else (tmp_path, "is a directory")
    if parameter.type is not values.EXISTING_PATH:  # it takes both
        assert what in refused_path(words, parameter, wrong)


@pytest.mark.parametrize(("words", "parameter"), PATHS)
def test_a_path_that_the_user_may_not_reach_is_refused(
    words: str, parameter: click.Parameter, public_folder: Path
) -> None:
    closed = public_folder / "closed"
    (closed / "folder").mkdir(parents=True)
    closed.chmod(0)
    with unprivileged():
        assert "permission denied" in refused_path(words, parameter, closed / "folder")
    closed.chmod(0o700)


def test_an_output_in_no_folder_is_one_message(tmp_path: Path) -> None:
    file = tmp_path / "none" / "book.txt"
    assert f"{file}: cannot be written: No such file" in refused("openings", "hops", "--count", 1, "-o", file)
    assert not file.parent.exists()


def test_a_name_that_is_no_utf_8_is_refused(sample_database: Path) -> None:
    for words in (("export",), ("ratings",), ("stats",)):
        message = refused(*words, "--game", "\udcff", "--db", sample_database)
        assert "this must be UTF-8 text, and '\\udcff' is not" in message


# --- paths that are not UTF-8 work

ENGINE = """\
import sys
for line in sys.stdin:
    match line.split()[0]:
        case "ugi": print("ugiok", flush=True)
        case "isready": print("readyok", flush=True)
        case "go": print("bestmove 0000", flush=True)
        case "quit": break
"""

TOURNAMENT = """\
game = "quoridor"
log = "logs"
[[engines]]
name = "a"
command = "{python} -S engine.py"
[[engines]]
name = "b"
command = "{python} -S {cwd}/engine.py"
"""


@pytest.fixture(scope="module")
def odd_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose name is not UTF-8, with a tournament that was played in it."""
    folder = tmp_path_factory.mktemp("odd") / NO_UTF_8
    folder.mkdir()
    (folder / "engine.py").write_text(ENGINE)
    (folder / "cup.toml").write_text(TOURNAMENT)
    done = process("run", "cup.toml", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


def test_a_tournament_is_played_in_a_folder_that_is_no_utf_8(odd_folder: Path) -> None:
    assert len(list((odd_folder / "logs").iterdir())) == 4
    done = process("run", "cup.toml", cwd=odd_folder)
    assert "2 of 2 games" in done.stderr


def test_files_that_are_no_utf_8_are_written_and_printed_as_they_are(
    odd_folder: Path, tmp_path: Path
) -> None:
    database = odd_folder / "arena.db"
    site, records = tmp_path / NO_UTF_8, tmp_path / f"{NO_UTF_8}.jsonl"
    done = arena("report", "--db", database, "-o", site)
    assert done.stdout_bytes == os.fsencode(f"{site}/index.html\n")
    assert arena("export", "--jsonl", "--db", database, "-o", records).exit_code == 0
    assert arena("import", records, "--db", tmp_path / f"{NO_UTF_8}.db").exit_code == 0
    assert (tmp_path / f"{NO_UTF_8}.db").is_file()


def test_engines_that_ponder_get_cores_of_their_own_or_the_run_is_refused(tmp_path: Path) -> None:
    seats = "".join(
        f'[[engines]]\nname = "{name}"\ncommand = "sample:random"\nponder = true\n' for name in "ab"
    )
    file = tmp_path / "t.toml"
    file.write_text(f'game = "hops"\nconcurrency = 9999\n{seats}')
    done = arena("run", file, "--db", tmp_path / "a.db", "--quiet")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "ponder = true: for 9999 games at the same time 19998 cores are needed" in done.stderr


def test_a_tournament_without_a_name_in_a_file_that_is_no_utf_8_is_asked_for_one(odd_folder: Path) -> None:
    file = odd_folder / f"{NO_UTF_8}.toml"
    file.write_text(TOURNAMENT)
    message = refused("run", file)
    assert f"{NO_UTF_8!a} is not printable; set a name" in message
    assert "bad??.toml" in message


def test_json_shows_paths_that_are_no_utf_8_with_escapes(odd_folder: Path) -> None:
    file = odd_folder / "engine.py"
    file.write_text("input()")
    done = arena("check", "--json", "--only", "101", "--", sys.executable, file)
    assert json.loads(done.stdout)["command"] == [sys.executable, str(file)]


# --- streams


def test_a_command_that_prints_nothing_needs_no_standard_output(
    sample_database: Path, tmp_path: Path
) -> None:
    done = process("export", "--output", tmp_path / "games.txt", cwd=sample_database.parent, stdout=SHUT)
    assert (done.returncode, done.stderr) == (0, "exported 7 games\n")
    assert (tmp_path / "games.txt").read_text().count("[Event ") == 7


def test_closed_streams_give_no_file_the_descriptor_of_messages(sample_database: Path) -> None:
    before = sample_database.read_bytes()
    done = process("show", "99", cwd=sample_database.parent, stdin=SHUT, stdout=SHUT, stderr=SHUT)
    assert done.returncode == 2
    assert sample_database.read_bytes() == before
    done = process("show", "1", cwd=sample_database.parent, stderr=SHUT)
    assert done.stdout.splitlines()[0] == "game 1 of spring: quoridor"


def test_a_closed_standard_input_is_an_empty_one(sample_database: Path, tmp_path: Path) -> None:
    done = process("import", "-", cwd=tmp_path, stdin=SHUT)
    assert done.returncode == 2
    assert done.stderr.startswith("error: standard input: is not a file of games")
