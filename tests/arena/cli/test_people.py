"""People in `arena play`: what they may type, also at a terminal, and how they leave."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import Result

from tests.arena.invoking import invoke
from tests.processes import PATIENCE

pytestmark = pytest.mark.usefixtures("no_warning_for_root")

HOSTILE = Path(__file__).parents[2] / "engines" / "hostile_engine.py"
GREEDY = ("--seat", "human", "--seat", "sample:greedy")
TWO = ("--seat", "human", "--seat", "human")


def play(typed: str | bytes, *words: object, game: str = "quoridor") -> Result:
    return invoke("play", game, *words, input=typed)


def moves(done: Result) -> list[str]:
    """Return the moves of a game that was printed as JSON."""
    return [text for _, text, *_ in json.loads(done.stdout)["record"]]


def asked(done: Result, seat: int) -> list[str]:
    """Return the positions and the limits that were sent to an engine of a traced game."""
    return re.findall(rf" {seat} > ((?:position|go) .*)", done.stderr)


@pytest.mark.parametrize(
    ("typed", "seats"),
    [("", TWO), ("Q\n", GREEDY), ("quit\n", TWO), ("e2\nQuit\n", TWO), ("e2", GREEDY), ("exit\n", TWO)],
)
def test_a_person_who_leaves_abandons_the_game(typed: str, seats: tuple[str, ...]) -> None:
    done = play(typed, *seats, "--quiet")
    assert (done.exit_code, done.stdout) == (0, "\nthe game was abandoned, so it has no result\n")
    told = json.loads(play(typed, *seats, "--json").stdout)
    assert (told["termination"], told["void"]) == ("void", "abandoned")
    assert all(seat["rank"] is None and seat["forfeit"] is None for seat in told["seats"])


def test_a_person_who_resigns_loses() -> None:
    done = play("e2\nresign\n", *GREEDY, "--quiet")
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (0, "player 2 wins: resign (player 1 resigned)")


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("?", "d1 f1 e2 a1h "),
        ("help", "undo    take back the last move of a person, and all moves after it"),
        ("HELP", "a move, as in d1: a square such as e2, or a wall such as e3h or e3v\n"),
        ("help", "quit    leave the game, which then has no result (also: exit, q, Ctrl-D)"),
        ("undo", "no person has moved yet, so there is nothing to take back"),
        ("e5", "the pawn on e1 cannot reach e5: it is too far away; help lists what you can type"),
        ("leave", "'leave' is no move: "),
        ("e2 e3", "'e2 e3' is no move: "),
        ("E2", "'E2' is no move: moves are written in lower case"),
        ("e2\0", "'e2\\x00' is no move"),
        ("\x1b[A", "'\\x1b[A' is no move"),
        ("é", "'\\xe9' is no move"),
        ("e" * 100_000, "is no move"),
        ("help me", "'help me' is no move"),
        ("--quiet", "'--quiet' is no move"),
    ],
)
def test_what_is_no_move_is_answered_and_the_person_is_asked_again(typed: str, answer: str) -> None:
    done = play(f"{typed}\n\n \t\ne2\r\n", *GREEDY)
    assert answer in done.stdout
    assert "\n1. player 1: e2 " in done.stdout
    assert (done.exit_code, "\x1b" in done.stdout, max(map(len, done.stdout.splitlines())) < 1500) == (
        0,
        False,
        True,
    )


def test_bytes_that_are_no_text_are_no_move() -> None:
    done = play(b"\xff\xfe\ne2\n", *GREEDY)
    assert ("is no move" in done.stdout, "1. player 1: e2 " in done.stdout) == (True, True)


def test_with_json_nothing_else_is_on_standard_output() -> None:
    done = play("?\nhelp\nfoo\ne2\nundo\n", *TWO, "--json")
    assert json.loads(done.stdout)["record"] == []
    assert "'foo' is no move" in done.stderr
    assert "taken back: e2" in done.stderr


# --- undo


def test_undo_goes_back_to_the_last_turn_of_a_person() -> None:
    assert moves(play("e2\ne8\nundo\nf9\n", *TWO, "--json")) == ["e2", "f9"]
    assert moves(play("e2\ne8\nundo\nundo\nd1\n", *TWO, "--json")) == ["d1"]
    alone = play("e2\ne3\nundo\nundo\nundo\nd1\n", *GREEDY, "--json")
    assert moves(alone)[0] == "d1"
    assert alone.stderr.count("nothing to take back") == 1
    second = play("e8\ne7\nundo\nf8\n", "--seat", "sample:greedy", "--seat", "human", "--json")
    assert moves(second)[1::2] == ["e8", "f8"]


def test_undo_keeps_the_opening() -> None:
    done = play("e3\nundo\nundo\nd2\n", *TWO, "--moves", "e2 e8", "--json")
    assert moves(done) == ["d2"]


def test_an_engine_is_asked_again_as_it_was_asked_then() -> None:
    done = play("e2\ne3\nundo\ne3\n", *GREEDY, "--trace", "--quiet")
    first, second, again = (asked(done, 2)[at : at + 2] for at in (0, 2, 4))
    assert first == ["position fen / / e2 e9 / 10 10 / 2", "go p1time 10100 p2time 10000 p1inc 100 p2inc 100"]
    assert second == again
    assert second[1].startswith("go p1time 10200 ")


def test_the_record_keeps_what_engines_said_and_used_before() -> None:
    words = ("--seat", "human", "--seat", "sample:alphabeta", "--tc", "depth=1", "--trace", "--json")
    done = play("e2\ne3\nundo\n", *words)
    said = json.loads(done.stdout)
    _, (_, text, time_used, score, depth, *_) = said["record"]
    first = re.search(r" 2 < info depth (.*) score (cp \S+) .*\n.* 2 < bestmove (\S+)", done.stderr)
    assert first is not None
    assert first.groups() == (str(depth), score, text)
    assert time_used == said["seats"][1]["time_used"] > 0


def test_each_start_of_the_engines_has_its_own_transcripts(tmp_path: Path) -> None:
    play("e2\nundo\nd1\n", *GREEDY, "--quiet", "--log", tmp_path)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["1-2-seat_2.log", "2-2-seat_2.log"]


# --- at a terminal


def at_terminal(*steps: str | signal.Signals) -> tuple[int, str]:
    """Play at a terminal. Type each step, or send the signal, when the person is asked once more."""
    hub, terminal = pty.openpty()
    words = (sys.executable, "-m", "arena", "play", "quoridor", *GREEDY, "--quiet")
    shown = ""
    with subprocess.Popen(
        words, stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True
    ) as process:
        os.close(terminal)
        try:
            end = time.monotonic() + PATIENCE
            left = list(steps)
            while time.monotonic() < end:
                if select.select([hub], [], [], 0.1)[0]:
                    try:
                        shown += os.read(hub, 65536).decode()
                    except OSError:
                        break  # in Linux: nobody has the terminal open any more
                elif process.poll() is not None:
                    break
                if left and shown.count("your move (or help): ") > len(steps) - len(left):
                    step = left.pop(0)
                    if isinstance(step, signal.Signals):
                        process.send_signal(step)
                    else:
                        os.write(hub, step.encode())
            return process.wait(max(0.1, end - time.monotonic())), shown.replace("\r\n", "\n")
        finally:
            process.kill()
            os.close(hub)


@pytest.mark.system
def test_the_key_that_ends_the_input_abandons_the_game() -> None:
    code, shown = at_terminal("e2\n", "\x04")
    assert (code, shown.splitlines()[-1]) == (0, "the game was abandoned, so it has no result")
    assert "Traceback" not in shown


@pytest.mark.system
def test_words_and_ctrl_c_at_a_terminal() -> None:
    code, shown = at_terminal("help\n", "e2\n", "undo\n", signal.SIGINT)
    assert code == 130
    assert "taken back: e2 e8" in shown
    assert "Traceback" not in shown
