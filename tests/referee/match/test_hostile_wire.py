"""Tests with engines that attack the hub by their output: each loses only its own game."""

import tempfile
from pathlib import Path

import pytest

from tests.missing_tools import needs
from tests.referee.match.test_hostile import SLOW_BWRAP, game, play, token
from tests.referee.test_process import events, referee, tell

pytestmark = pytest.mark.system

__all__ = ["token"]  # a fixture

ATTACKS = {
    "answers-before-it-is-asked": ("time", "did not answer before its time was up"),
    "answers-while-it-is-asked": ("illegal", "played 'e2'"),
    "disguises": ("illegal", "is no move"),
    "dies-behind-a-child": ("crash", "ended with exit code 1"),
    "stops-its-group": ("time", "did not answer before its time was up"),
}


def strings(value):
    """Return all texts in an event."""
    if isinstance(value, str):
        return [value]
    found = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for item in found for text in strings(item)]


@pytest.mark.parametrize("box", ["none", SLOW_BWRAP])
def test_what_an_engine_says_costs_it_one_game_and_is_safe_to_print(token, box):
    jobs = [
        game(token, mode, box=box, control="0.4+0" if word == "time" else "60+0")
        for mode, (word, _) in ATTACKS.items()
    ]
    finished, _ = play(token, *jobs)
    for mode, (word, detail) in ATTACKS.items():
        assert finished[mode]["seats"][1]["forfeit"] == word, finished[mode]
        assert detail in finished[mode]["detail"]
        assert all(text.isprintable() and len(text) < 1000 for text in strings(finished[mode]))


def test_an_engine_that_dies_or_floods_while_its_pipe_is_full_loses_its_game(token):
    attacks = {"dies-at-a-full-pipe": "crash", "floods-at-a-full-pipe": "flood"}
    many_moves = {"game": "hops", "position": "r1r2r1/r1r1r2/3r3/b4b1/1b1B3/3b1b1/b6 r"}
    jobs = [game(token, mode) | many_moves for mode in attacks]
    finished, _ = play(token, *jobs)
    assert {mode: result["seats"][1]["forfeit"] for mode, result in finished.items()} == attacks


def test_names_and_options_without_end_do_not_fill_the_referee(token):
    finished, memory = play(token, game(token, "advertises-without-end"))
    assert finished["advertises-without-end"]["reason"] == "length"
    assert memory < 100 << 20


def test_line_ends_without_end_neither_fill_a_transcript_nor_take_the_opponents_time(token, tmp_path):
    job = game(token, "talks-in-short-lines") | {"log": str(tmp_path)}
    job["seats"][0]["time_control"] = "1+0"
    finished, memory = play(token, job)
    assert finished["talks-in-short-lines"]["reason"] == "length"
    assert memory < 100 << 20
    (log,) = tmp_path.glob("*-2-*.log")
    assert "too many lines came together; left out: " in log.read_text()


@needs("bwrap")
def test_an_engine_behind_walls_that_kills_all_kills_itself(token):
    finished, _ = play(token, game(token, "kills-all", box="bwrap", control="0.4+0"))
    seat = finished["kills-all"]["seats"][1]
    assert seat["forfeit"] in ("crash", "time")
    assert "namespace" not in finished["kills-all"]["detail"]


def test_a_folder_is_removed_however_deep_and_nothing_outside_it(token, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").touch(mode=0o600)
    job = game(token, "buries-its-folder", box="folder")
    job["seats"][1]["engine"]["command"][-1] = str(outside)
    with referee() as process:
        tell(process, job)
        (finished,) = events(process, "finished")
        assert finished["reason"] == "length"
        assert list(Path(tempfile.gettempdir()).glob(f"leapfrog-{process.pid}-*"))
        tell(process, {"do": "quit"})
        assert process.wait(20) == 0
    assert not list(Path(tempfile.gettempdir()).glob(f"leapfrog-{process.pid}-*"))
    assert (outside / "kept").exists()
