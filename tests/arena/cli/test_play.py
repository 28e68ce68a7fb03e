"""`arena play`: the output about a game and about the dialogue with its engines."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest
from click.testing import Result

from arena.cli.common.output import arena_command
from tests.arena.invoking import invoke, refusal
from tests.rights import without_root_warning

pytestmark = pytest.mark.usefixtures("no_warning_for_root")

HOSTILE = Path(__file__).parents[2] / "engines" / "hostile_engine.py"


def play(*options: str, modes: tuple[str, ...] = ("honest", "dies-in-the-middle")) -> Result:
    seats = [
        word for mode in modes for word in ("--seat", f"{{python}} -S {shlex.quote(str(HOSTILE))} {mode}")
    ]
    return invoke("play", "quoridor", *seats, *options)


def test_trace_shows_the_talk_with_both_engines_on_standard_error() -> None:
    done = play("--trace", "--quiet")
    assert done.exit_code == 1, done.output
    lines = [line.split(maxsplit=3) for line in done.stderr.splitlines()]
    assert {line[1] for line in lines} == {"1", "2"}
    assert [line[2:] for line in lines if line[1] == "2"][1] == [">", "ugi"]
    assert ["<", "ugiok"] in [line[2:] for line in lines]
    times = [float(line[0]) for line in lines]
    assert times == sorted(times)
    assert done.stdout.startswith("\nplayer 1 wins: crash (player 2 ended with signal SIGSEGV after 'go ")


@pytest.mark.parametrize(
    ("mode", "code"), [("plays-illegal", 1), ("hangs-in-search", 1), ("exits-at-start", 1), ("resigns", 0)]
)
def test_the_exit_code_is_1_if_an_engine_failed(mode: str, code: int) -> None:
    done = play("--quiet", "--json", "--time-control", "0.2+0", modes=("honest", mode))
    assert done.exit_code == code, done.output
    assert json.loads(done.stdout)["termination"]


def test_a_failure_ends_with_the_command_that_finds_its_cause() -> None:
    done = play("--quiet", modes=("honest", "exits-at-start"))
    engine = f"{{python}} -S {shlex.quote(str(HOSTILE))} exits-at-start"
    assert (
        done.stdout.splitlines()[-1]
        == f"Find the cause: {arena_command('check')} --game quoridor -- {engine}"
    )
    assert "Find the cause" not in play("--quiet", modes=("honest", "resigns")).stdout


@pytest.mark.parametrize(
    ("seat", "meant"),
    [("humam", "human"), ("Human", "human"), ("greedy", "sample:greedy"), ("sample-random", "sample:random")],
)
def test_a_misspelt_player_is_answered_with_the_one_that_is_meant(seat: str, meant: str) -> None:
    done = invoke("play", "quoridor", "--seat", "human", "--seat", seat)
    assert done.exit_code == 2
    assert f"seat 2: no program {seat} is on the PATH; " in done.stderr
    assert done.stderr.rstrip().endswith(f"; did you mean {meant}?")


@pytest.mark.parametrize("kind", ["play", "check", "turn", "openings", "match", "run"])
def test_a_script_that_is_not_there_is_an_error_before_anything_starts(
    kind: str, tmp_path: Path, sample_database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    engine = shlex.join([sys.executable, "missing.py"])
    file = tmp_path / "t.toml"
    seats = (f"[[engines]]\nname = '{name}'\ncommand = {json.dumps(engine)}\n" for name in "ab")
    file.write_text('game = "quoridor"\n' + "".join(seats))
    words = {
        "play": ("quoridor", "--seat", "human", "--seat", engine),
        "check": ("--", *shlex.split(engine)),
        "turn": ("--turn", "1:4", "--db", str(sample_database), "--", engine),
        "openings": ("quoridor", "--filter", engine),
        "match": ("quoridor", engine, "sample:random"),
        "run": (str(file),),
    }
    done = invoke(kind.replace("turn", "check"), *words[kind])
    assert (done.exit_code, done.stdout) == (2, "")
    (error,) = without_root_warning(done.stderr).splitlines()
    assert error.endswith("missing.py; correct the path of the script")
    assert ("seat 2: " in error) == (kind == "play")
    assert not Path("arena.db").exists()


def test_standard_error_stands_between_the_lines_as_text_that_moves_no_cursor() -> None:
    done = play("--trace", "--quiet", modes=("honest", "exits-at-start"))
    assert " 2 ! no such opening book: book.bin\n" in done.stderr
    assert done.stderr.splitlines()[-1].endswith(" 1 # the game is over: p1win, crash")


def test_without_trace_standard_error_is_empty_and_boards_are_shown() -> None:
    done = play("--ascii")
    assert done.stderr == ""
    assert "\n1. player 1: d1  (0." in done.stdout


@pytest.mark.parametrize(
    ("seat", "complaint"),
    [
        ("", "error: --seat must name an engine's command"),
        ("'x", "error: --seat \"'x\" can't be split into words"),
    ],
)
def test_a_seat_that_names_no_command_is_wrong_input(seat: str, complaint: str) -> None:
    assert refusal(invoke("play", "quoridor", "--seat", seat, "--seat", "x")).startswith(complaint)
