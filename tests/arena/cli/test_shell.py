"""The command line as a whole: overview, version, exit codes, streams and start-up time."""

import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from arena.cli import COMMANDS
from arena.cli.program import exit_code
from arena.errors import StoreError
from protocol.errors import EngineStartError, LocalProtocolError
from tests.arena import commands
from tests.arena.invoking import invoke

ARENA = [sys.executable, "-m", "arena"]


def run(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*ARENA, *args], capture_output=True, text=True, timeout=60)


def raising(error: BaseException):
    def call() -> None:
        raise error

    return call


def test_the_overview_has_every_command_and_imports_none() -> None:
    code = (
        "import sys, arena.cli\n"
        "try: arena.cli.main(['--help'])\n"
        "except SystemExit: print('=====', *sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    overview, _, modules = done.stdout.partition("=====")
    for name, (_, summary) in COMMANDS.items():
        assert f"  {name}" in overview
        assert summary in overview
    heavy = {
        "referee",
        "rich",
        "msgspec",
        "pydantic",
        "sqlmodel",
        "trio",
        "importlib.metadata",
        "arena.cli.rules",
    }
    assert not heavy & set(modules.split())


@pytest.mark.parametrize("name", [*commands.COMMANDS, *filter(None, commands.GROUPS)])
def test_every_command_exists_under_its_name_and_shows_an_example(name: str) -> None:
    done = invoke(*name.split(), "--help")
    assert done.exit_code == 0
    assert f"Usage: arena {name} " in done.stdout
    assert f"$ arena {name}" in done.stdout.split("Examples:")[1]


def test_the_version_is_the_distributions() -> None:
    from importlib.metadata import version

    assert run("--version").stdout == f"leapfrog-arena {version('leapfrog-arena')}\n"


@pytest.mark.parametrize("words", commands.GROUPS)
def test_without_a_command_the_overview_goes_to_stderr(words: str) -> None:
    done = invoke(*words.split())
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == invoke(*words.split(), "--help").stdout
    assert ("Commands:" if words else "Play:") in done.stderr


@pytest.mark.parametrize(
    "error",
    [
        StoreError("arena.db: no such file"),
        EngineStartError("arena.db: no such file"),
        click.ClickException("arena.db: no such file"),
        ExceptionGroup("in a nursery", [ExceptionGroup("", [StoreError("arena.db: no such file")])]),
        ExceptionGroup("", [StoreError("arena.db: no such file"), StoreError("arena.db: no such file")]),
    ],
)
def test_wrong_input_is_one_line_and_2(error: Exception, capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(raising(error)) == 2
    assert capsys.readouterr() == ("", "error: arena.db: no such file\n")


@pytest.mark.parametrize(
    "error",
    [
        KeyboardInterrupt(),
        click.Abort(),
        BaseExceptionGroup("", [KeyboardInterrupt(), StoreError("cut off")]),
    ],
)
def test_ctrl_c_is_130(error: BaseException, capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(raising(error)) == 130
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    "error",
    [
        ZeroDivisionError(),
        LocalProtocolError("a bug of ours"),
        ExceptionGroup("", [StoreError("not alone"), ZeroDivisionError()]),
    ],
)
def test_a_programming_error_comes_through(error: Exception) -> None:
    with pytest.raises(type(error)) as caught:
        exit_code(raising(error))
    assert caught.value is error


def test_a_reader_that_went_away_is_quiet() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([*ARENA, "games", "--json"], stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")


def test_errors_go_to_stderr_and_data_to_stdout_of_a_real_process() -> None:
    good, bad = run("games", "--json"), run("position", "quoridor", "--moves", "e3")
    assert (good.returncode, good.stderr) == (0, "")
    assert [info["id"] for info in json.loads(good.stdout)][:2] == ["quoridor", "quoridor4"]
    assert (bad.returncode, bad.stdout) == (2, "")
    assert bad.stderr.startswith("error: move 1, 'e3': ")
    assert len(bad.stderr.splitlines()) == 1


def test_the_installed_command_is_the_same_as_the_module() -> None:
    script = Path(sys.executable).with_name("arena")
    done = subprocess.run([script, "--help"], capture_output=True, text=True, check=True)
    assert done.stdout == run("--help").stdout


def test_boards_are_shown_where_the_encoding_lacks_their_characters() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run([*ARENA, "position", "quoridor"], capture_output=True, env=environment, check=True)
    assert b"walls left" in done.stdout


def test_an_error_that_a_last_signal_hides_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    def call() -> None:
        try:
            raise ExceptionGroup("", [StoreError("9 games are saved in x")])
        finally:
            raise KeyboardInterrupt

    assert exit_code(call) == 2
    assert capsys.readouterr().err == "error: 9 games are saved in x\n"
