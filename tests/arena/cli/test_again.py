"""The command that arena prints after Ctrl-C continues the same tournament, typed into a shell as it is."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import click
import pytest

from arena.cli.common.output import same_command
from tests.arena.forked import Forked, arena, forked
from tests.arena.run.test_run_process import write
from tests.arena.stored import new_store
from tests.missing_tools import needs
from tests.processes import wait_for

HINT = "continue with: "
GAMES = 10


def told(words: list[str], name: str | None = None) -> str:
    with click.Context(click.Command("arena"), obj=tuple(words)):
        return same_command(name=name).partition(" ")[2]


@pytest.mark.parametrize(
    ("words", "name", "command"),
    [
        (["run", "my file.toml", "--db", "a.db"], None, "run 'my file.toml' --db a.db"),
        (["run", "t.toml"], "t-2", "run t.toml --name t-2"),
        (["run", "--name", "t-2", "t.toml"], "t-2", "run --name t-2 t.toml"),
        (["run", "t.toml", "--name=t-2", "--quiet"], "t-2", "run t.toml --name=t-2 --quiet"),
        (["match", "hops", "--", "./a b", "--name"], "a", "match hops --name a -- './a b' --name"),
        (["demo", "--db", "it's.db"], None, "demo --db 'it'\"'\"'s.db'"),
    ],
)
def test_the_hint_is_the_command_with_all_its_options_and_the_name(
    words: list[str], name: str | None, command: str
) -> None:
    assert told(words, name) == command


Process = Forked | subprocess.Popen[bytes]


def said(folder: Path) -> str:
    """Return the standard error of the last command in a folder."""
    return (folder / "err").read_text()


@contextmanager
def started(*words: object, cwd: Path, **options: Path) -> Iterator[Forked]:
    (cwd / "err").unlink(missing_ok=True)
    with forked(*words, cwd=cwd, stderr=cwd / "err", **options) as process:
        yield process


@contextmanager
def typed(command: str, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Type a command into a shell."""
    with (folder / "err").open("w") as err:
        process = subprocess.Popen(
            f"exec {command}", shell=True, cwd=folder, stdout=subprocess.DEVNULL, stderr=err
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def interrupt(process: Process, folder: Path, code: int = 130) -> str:
    """Send Ctrl-C, and return the command that the process advises."""
    process.send_signal(signal.SIGINT)
    assert process.wait(120) == code, said(folder)
    (line,) = (line for line in said(folder).splitlines() if HINT in line)
    return line.partition(HINT)[2]


def type_in(command: str, folder: Path) -> str:
    """Type a command into a shell, wait for its good end, and return its standard error."""
    with typed(command, folder) as process:
        assert process.wait(120) == 0, said(folder)
    return said(folder)


def games(database: Path) -> dict[str, int]:
    """Return the number of games of each tournament."""
    query = "SELECT name, (SELECT count(*) FROM game WHERE tournament_id = t.id) FROM tournament t"
    try:
        with closing(sqlite3.connect(f"{database.as_uri()}?mode=rw", uri=True)) as connection:
            return dict(connection.execute(query))
    except sqlite3.OperationalError:  # it is being created
        return {}


def wait_for_games(database: Path, number: int, process: Process) -> None:
    wait_for(lambda: process.poll() is not None or sum(games(database).values()) >= number, "no game ends")
    assert process.poll() is None


pytestmark = pytest.mark.system


def test_run_continues_with_its_database_and_name(tmp_path: Path) -> None:
    write(tmp_path, ("a", "honest"), ("b", "honest"), games_per_pairing=GAMES)
    database = tmp_path / "my games.db"
    with started("run", "t.toml", "--db", database.name, "--name", "it's", cwd=tmp_path) as process:
        wait_for_games(database, 1, process)
        hint = interrupt(process, tmp_path)
    assert "already stored: " in type_in(hint, tmp_path)
    assert games(database) == {"it's": GAMES}


def test_a_match_continues_under_the_name_that_it_got(tmp_path: Path) -> None:
    database = tmp_path / "my games.db"
    new_store(database, "random-b").close()
    words = ("match", "quatre-en-ligne", "sample:random", "b=sample:random", "-n", GAMES)
    with started(*words, "--db", database.name, cwd=tmp_path) as process:
        wait_for_games(database, 1, process)
        hint = interrupt(process, tmp_path)
    assert "already stored: " in type_in(hint, tmp_path)
    assert games(database) == {"random-b": 0, "random-b-2": GAMES}


def test_a_batch_continues_in_a_file(tmp_path: Path) -> None:
    write(tmp_path, ("a", "honest"), ("b", "honest"), games_per_pairing=GAMES)
    arena("run", "t.toml", "--write-orders", "my orders", cwd=tmp_path)
    results = tmp_path / "FILE"
    with started("worker", "my orders", cwd=tmp_path, stdout=results) as process:
        wait_for(lambda: results.exists() and results.read_text(), "no game ends")
        hint = interrupt(process, tmp_path)
    ended = len(results.read_text().splitlines())
    with typed(hint, tmp_path) as process:
        wait_for(lambda: len(results.read_text().splitlines()) > ended, "no game ends")
        assert interrupt(process, tmp_path) == hint
    assert ended < len(results.read_text().splitlines()) < GAMES
    type_in(hint, tmp_path)
    assert len(results.read_text().splitlines()) == GAMES
    arena("run", "t.toml", "--results", results.name, cwd=tmp_path)
    assert games(tmp_path / "arena.db") == {"t": GAMES}


@needs("bwrap")
def test_the_door_opens_again_and_its_tournament_continues(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    file = write(
        tmp_path, ("a", "honest"), ("b", "honest"), format='"ladder"', games_per_pairing=9999, more="[door]"
    )  # which never rests
    database = tmp_path / "arena.db"
    with started("door", "run", file.name, "--port", 0, cwd=tmp_path) as process:
        wait_for_games(database, 1, process)
        hint = interrupt(process, tmp_path, 0)
    before = games(database)["t"]
    with typed(hint, tmp_path) as process:
        wait_for(lambda: "the door is open" in said(tmp_path), "the door does not open")
        wait_for_games(database, before + 1, process)
        assert interrupt(process, tmp_path, 0) == hint
    assert set(games(database)) == {"t"}
