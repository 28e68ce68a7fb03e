"""The options ``--sandbox``, ``--cwd`` and ``--set``, with engines that look around."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from tests.arena.invoking import invoke, refusal
from tests.missing_tools import needs

pytestmark = [pytest.mark.usefixtures("no_warning_for_root"), pytest.mark.system]

HOSTILE = Path(__file__).parents[2] / "engines" / "hostile.py"
FOUND = 9

boxes = pytest.mark.parametrize("box", ["none", pytest.param("bwrap", marks=needs("bwrap"))])
Spy = Callable[..., str]


@pytest.fixture
def spy(public_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Spy:
    """Make folders of the engines ``ann`` and ``bob``, go to the folder around them, and return a command.

    The engine ends with exit code `FOUND` if a condition is true where it runs.
    """
    for name in ("ann", "bob"):
        (public_folder / name).mkdir(mode=0o755)
        shutil.copy(HOSTILE, public_folder / name / "bot.py")
        (public_folder / name / "bot.py").chmod(0o644)
    monkeypatch.chdir(public_folder)

    def command(condition: str, script: str = "{cwd}/bot.py") -> str:
        code = f"import os, resource, sys; {condition} and os._exit({FOUND})"
        return f"{{python}} -S {script} tells-what-it-sees {shlex.quote(code)}"

    return command


def check(engine: str, *options: object) -> Result:
    return invoke("check", "--game", "quoridor", "--only", "103", *options, "--", *shlex.split(engine))


@boxes
def test_checks_and_a_stored_turn_run_their_engine_in_the_sandbox(
    box: str, spy: Spy, public_folder: Path, sample_database: Path
) -> None:
    engine = spy(f"os.path.exists({str(public_folder / 'bob')!r})")
    options = ("--sandbox", box, "--cwd", "ann")
    reached = box == "none"
    checked = check(engine, *options)
    assert checked.exit_code == reached, checked.output
    assert (f"ended with exit code {FOUND}" in checked.stdout) == reached
    replayed = invoke("check", "--turn", "1:4", "--db", sample_database, *options, "--", engine)
    assert replayed.exit_code == reached, replayed.output
    assert (f"ended with exit code {FOUND}" in replayed.stdout) == reached


@boxes
def test_play_and_openings_run_their_engines_in_the_sandbox(box: str, spy: Spy, public_folder: Path) -> None:
    engine = spy(f"os.path.exists({str(public_folder / 'bob')!r})")
    options = ("--sandbox", box, "--cwd", "ann")
    reached = box == "none"
    played = invoke("play", "quoridor", "--seat", engine, "--seat", engine, "--quiet", *options)
    assert (f"player 1 ended with exit code {FOUND}" in played.stdout) == reached
    assert ("player 2 wins: goal" in played.stdout) != reached
    keys = ("--set", f"sandbox={box}", "--set", "cwd=ann")
    judged = invoke("openings", "quoridor", "--filter", engine, *keys)
    words = f"the filter: ended with exit code {FOUND}" if reached else "the engine reported no score"
    assert words in judged.stderr


@needs("bwrap")
def test_each_seat_can_have_a_folder_of_its_own_that_the_others_do_not_see(
    spy: Spy, public_folder: Path
) -> None:
    seats = [
        word
        for own, other in (("ann", "bob"), ("bob", "ann"))
        for word in (
            "--seat",
            spy(f"os.path.exists({f'{public_folder}/{other}'!r}) or {own!r} not in sys.argv[0]"),
            "--cwd",
            own,
        )
    ]
    played = invoke("play", "quoridor", "--quiet", "--sandbox", "bwrap", *seats)
    assert "player 2 wins: goal" in played.stdout, played.output
    wrong = invoke("play", "quoridor4", *seats, *seats, "--cwd", "ann")
    assert wrong.stderr.startswith("error: quoridor4 has 4 seats: give --cwd once or 4 times, not 5")


def test_an_engine_in_an_empty_folder_starts_there_and_finds_its_script(spy: Spy) -> None:
    assert check(spy("os.listdir()"), "--cwd", "ann").exit_code == 1
    assert check(spy("os.listdir()"), "--cwd", "ann", "--sandbox", "folder").exit_code == 0


@needs("bwrap")
def test_what_is_readable_can_be_read(spy: Spy, public_folder: Path) -> None:
    engine = spy(f"not os.path.exists({str(public_folder / 'bob/bot.py')!r})")
    options = ("--sandbox", "bwrap", "--cwd", "ann")
    assert check(engine, *options).exit_code == 1
    assert check(engine, *options, "--set", "readable=bob").exit_code == 0


@needs("prlimit")
def test_a_limit_reaches_the_engine(spy: Spy) -> None:
    engine = spy("resource.getrlimit(resource.RLIMIT_DATA) == (1 << 30, 1 << 30)")
    assert check(engine, "--cwd", "ann").exit_code == 0
    assert check(engine, "--cwd", "ann", "--set", "limits.memory=1G").exit_code == 1


@needs("bwrap")
def test_checks_that_a_sandbox_makes_meaningless_are_skipped(spy: Spy) -> None:
    engine = shlex.split(spy("False"))
    done = invoke("check", "--sandbox", "bwrap", "--cwd", "ann", "--only", "416,417", "--json", "--", *engine)
    results = {result["number"]: result for result in json.loads(done.stdout)["results"]}
    assert {results[number]["status"] for number in (416, 417)} == {"skipped"}
    assert results[411]["status"] == "passed"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--set", "limits.processes=2M"], "--set limits.processes: this must be from 1 to 4194304, or"),
        (["--cwd", "zoe"], "--cwd: there is no folder "),
        (["--set", "readable=zoe"], "--set readable: there is no file or folder "),
        (["--sandbox", "wall"], "--sandbox: 'wall' is not one of 'none', 'folder', 'bwrap'"),
    ],
)
def test_a_wrong_value_is_one_message_that_names_the_option(
    spy: Spy, options: list[str], message: str
) -> None:
    assert refusal(check(spy("False"), *options)).startswith(f"error: {message}")
