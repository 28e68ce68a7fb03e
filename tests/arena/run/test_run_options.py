"""The options of `arena run` that change the file's values or play nothing, and `arena list`."""

import json
import shutil
from dataclasses import replace

import pytest

from arena.cli.progress import duration
from arena.config import load
from arena.config.loader import FileWatch
from arena.run.upcoming import ASSUMED_MOVES, forecast
from referee.match.time_control import TimeControl
from tests.arena.forked import arena
from tests.arena.formats.playing import names, tournament
from tests.arena.run.test_run_process import write
from tests.arena.stored import new_store


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A tournament of two games: the result of each call, before and after it was played."""
    folder = tmp_path_factory.mktemp("options")
    file = write(folder, ("a", "honest"), ("b", "honest"), games_per_pairing=2)
    database = folder / "other.db"
    calls = {
        "before": (file, "--db", database, "--dry-run"),
        "run": (file, "--db", database, "--concurrency", "1", "--quiet"),
        "after": (file, "--db", database, "--dry-run"),
        "json": (file, "--db", database, "--dry-run", "--json", "--concurrency", "3"),
    }
    results = {}
    for name, words in calls.items():
        results[name] = arena("run", *words, cwd=folder)
        if name == "before":
            assert not database.exists()
    assert not (folder / "arena.db").exists()
    return file, database, results


def test_a_dry_run_lists_what_would_be_played_and_stores_nothing(played):
    _, _, results = played
    assert results["before"].stdout.splitlines() == [
        "t: round-robin, 2 engines, 2 games",
        "stored: 0; to play: 2",
        "  quoridor: a - b",
        "  quoridor: b - a",
        "time: about 4 min; 2 min a game, if each engine uses all its time for 40 moves, 1 game in parallel",
    ]


def test_the_options_replace_the_values_of_the_file_and_quiet_leaves_out_the_games(played):
    _, database, results = played
    assert results["run"].returncode == 0
    lines = [line for line in results["run"].stderr.splitlines() if "arena runs as root" not in line]
    assert lines == [f"2 games played, stored in {database}"]
    assert "#  engine  total" in results["run"].stdout


def test_a_dry_run_knows_what_is_stored(played):
    _, _, results = played
    assert results["after"].stdout.splitlines()[1:] == ["stored: 2; to play: 0", "nothing is left to play"]
    data = json.loads(results["json"].stdout)
    assert (data["total"], data["stored"], data["next"], data["concurrency"]) == (2, 2, [], 3)


def test_a_dry_run_says_how_many_games_it_does_not_list(tmp_path):
    write(tmp_path, *((name, "honest") for name in "abcd"))
    lines = arena("run", "t.toml", "--dry-run", cwd=tmp_path).stdout.splitlines()
    assert (lines[1], len(lines), lines[12]) == ("stored: 0; to play: 12", 14, "  ... and 2 more")
    write(tmp_path, *((name, "honest") for name in "abcd"), format='"ladder"')
    assert "  ... and more" in arena("run", "t.toml", "--dry-run", cwd=tmp_path).stdout.splitlines()


@pytest.mark.parametrize("words", [(), ("--dry-run",), ("--write-orders", "orders")])
def test_a_game_that_has_stored_games_must_stay_in_the_file(played, tmp_path, words):
    file, database, _ = played
    changed = tmp_path / "changed.toml"
    shutil.copy(database, tmp_path / "t.db")
    changed.write_text('name = "t"\n' + file.read_text().replace('game = "quoridor"', 'game = "hops"'))
    done = arena("run", changed, "--db", "t.db", *words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "t.db: tournament 't' was started with game = quoridor, and now it is hops; set it" in done.stderr
    text = file.read_text().replace('game = "quoridor"', 'games = ["hops", "quoridor"]')
    changed.write_text('name = "t"\n' + text)
    more = arena("run", changed, "--db", "t.db", "--dry-run", cwd=tmp_path)
    assert more.stdout.splitlines()[1] == "stored: 2; to play: 2", more.stderr


@pytest.mark.parametrize("form", ["round-robin", "gauntlet"])
def test_an_engine_that_leaves_the_file_is_reported_once(tmp_path, form):
    write(tmp_path, ("a", "honest"), ("b", "honest"), format=f'"{form}"')
    assert "no longer" not in arena("run", "t.toml", cwd=tmp_path).stderr
    write(tmp_path, ("a", "honest"), ("renamed", "honest"), format=f'"{form}"')
    warning = "warning: b: it is no longer in the file; its 2 stored games stay in the tables\n"
    dry = arena("run", "t.toml", "--dry-run", cwd=tmp_path)
    assert warning in dry.stderr
    assert "stored: 2; to play: 2" in dry.stdout
    done = arena("run", "t.toml", cwd=tmp_path)
    assert warning in done.stderr
    assert "[3/4] " in done.stderr
    assert "[4/4] " in done.stderr
    assert "no longer" not in arena("run", "t.toml", cwd=tmp_path).stderr


def test_a_dry_run_refuses_what_a_run_refuses(played):
    file, database, _ = played
    changed = file.with_name("changed.toml")
    changed.write_text('name = "t"\n' + file.read_text().replace("60+0", "30+0"))
    done = arena("run", changed, "--db", database, "--dry-run", cwd=file.parent)
    assert (done.returncode, done.stdout) == (2, "")
    assert "was started with time_control = 60, and now it is 30" in done.stderr


def test_tournaments_lists_what_a_database_has(played):
    _, database, _ = played
    (row,) = json.loads(arena("list", "--db", database, "--json", cwd=database.parent).stdout)
    started = row.pop("started")
    assert row == {
        "tournament": "t",
        "format": "round-robin",
        "games": ["quoridor"],
        "engines": 2,
        "played": 2,
        "total": 2,
        "most": 2,
        "finished": True,
    }
    assert started > 1_700_000_000
    table = arena("list", "--db", database, cwd=database.parent).stdout.splitlines()
    assert table[0].split() == ["#", "tournament", "started", "format", "games", "engines", "played", "total"]
    assert table[1].split()[-5:] == ["round-robin", "quoridor", "2", "2", "2"]


def test_a_tournament_without_a_file_is_listed_too(tmp_path):
    new_store(tmp_path / "arena.db", "imported").close()
    done = arena("list", "--db", tmp_path / "arena.db", cwd=tmp_path)
    assert done.stdout.splitlines()[1].split()[-1] == "0"


@pytest.mark.parametrize(
    ("control", "seconds"),
    [
        ("10+0.1", 2 * (10 + 0.1 * ASSUMED_MOVES)),
        ("40/60", 2 * 60),
        ("30/60+1", 2 * (120 + ASSUMED_MOVES)),
        ("movetime=0.5", 2 * 0.5 * ASSUMED_MOVES),
        ("depth=6", None),
        ("none", None),
    ],
)
def test_before_the_first_game_the_time_control_says_how_long_a_game_takes(control, seconds, tmp_path):
    spec = tournament(names(2), "round-robin").override(database=tmp_path / "arena.db")
    entries = tuple(replace(entry, time_control=TimeControl.parse(control)) for entry in spec.engines)
    assert forecast(replace(spec, engines=entries), 1).game_seconds == seconds


def test_of_games_that_depend_on_results_only_those_that_are_certain_are_listed(tmp_path):
    spec = tournament(names(4), "swiss", rounds=3).override(database=tmp_path / "arena.db")
    coming = forecast(spec, 10)
    assert [game.number for game in coming.first] == [0, 1, 2, 3]
    assert coming.total == 12


def test_a_changed_file_leaves_an_option_of_the_command_line_in_force(tmp_path):
    file = write(tmp_path, ("a", "honest"), ("b", "honest"), format='"ladder"')
    spec = load(file).override(database=tmp_path / "mine.db", concurrency=7, log=None)
    watch = FileWatch(spec)
    assert watch.changed() is None
    file.write_text(file.read_text().replace("concurrency = 1", 'concurrency = 2\ndatabase = "x.db"') + "\n")
    file.write_text(file.read_text().replace('"b"', '"c"'))
    new = watch.changed()
    assert [entry.spec.name for entry in new.engines] == ["a", "c"]
    assert (new.database, new.concurrency) == (tmp_path / "mine.db", 7)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.4, "0 s"),
        (59.4, "59 s"),
        (60, "1 min"),
        (310, "5 min 10 s"),
        (3600, "1 h"),
        (7500, "2 h 5 min"),
        (273_600, "3 d 4 h"),
    ],
)
def test_durations_have_two_units(seconds, text):
    assert duration(seconds) == text
