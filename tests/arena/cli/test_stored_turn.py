"""`arena check --turn`: an engine gets the same lines as in the stored game, and its answer is judged."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import trio
from click.testing import Result

from arena.cli.common.database import open_database
from arena.single import ask_engine, stored_turn
from protocol.hub.transcript import Transcript
from protocol.spec import EngineSpec
from tests.arena.forked import arena
from tests.arena.invoking import invoke

pytestmark = pytest.mark.usefixtures("no_warning_for_root")

HOSTILE = Path(__file__).parents[2] / "engines" / "hostile_engine.py"


def engine(mode: str) -> list[str]:
    return [sys.executable, "-S", str(HOSTILE), mode]


def replay(database: Path, number: str, ply: str, *args: str, mode: str = "honest") -> Result:
    turn = ["check", "--turn", f"{number}:{ply}", "--db", str(database), *args]
    return invoke(*turn, "--", *engine(mode))


def test_the_position_the_clocks_and_both_answers_are_shown(sample_database: Path) -> None:
    done = replay(sample_database, "1", "4", "--ascii")
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith(
        "game 1 of spring: quoridor, ply 4, player 2 (beta)\nanswer then: e7 in 0.048 s\n"
    )
    assert (
        "position: / / e3 e8 / 10 10 / 2\ngo p1time 10152 p2time 10076 p1inc 100 p2inc 100\n" in done.stdout
    )
    assert done.stdout.splitlines()[-1].startswith("answer now: d8, legal, in 0.")
    assert done.stdout.isascii()


def test_the_turn_in_which_a_seat_was_removed_can_be_asked_for(sample_database: Path) -> None:
    data = json.loads(replay(sample_database, "7", "2", "--json").stdout)
    assert (data["seat"], data["engine"], data["played"]) == (1, "beta", None)
    after = json.loads(replay(sample_database, "7", "3", "--json").stdout)
    assert after["moves"] == ["e2", "!2"]
    assert after["go"].startswith("go p1time 10088 p2time 0 p3time 10000 ")


@pytest.mark.parametrize(
    ("mode", "fault", "reason"),
    [
        ("plays-illegal", "illegal", "played 'e5': the pawn on e8 cannot reach e5"),
        ("resigns", "resign", "resigned"),
        ("exits-at-start", "crash", "ended with exit code 3 after 'ugi'; its standard error says: no such"),
        ("answers-without-newline", "crash", "printed 'bestmove "),
    ],
)
def test_an_answer_that_would_have_lost_the_game_is_named_and_the_exit_code_is_1(
    sample_database: Path, mode: str, fault: str, reason: str
) -> None:
    done = replay(sample_database, "1", "4", "--json", mode=mode)
    assert done.exit_code == 1
    answer = json.loads(done.stdout)["answer"]
    assert answer["fault"] == fault
    assert reason in answer["reason"]
    words = replay(sample_database, "1", "4", mode=mode).stdout.splitlines()[-1]
    assert f": {fault}, the engine " in words


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        (["1", "15"], "there is no ply 15: the game was over by then"),
        (["1", "16"], "there is no ply 16: the game has 14"),
        (["99", "1"], "there is no game 99"),
    ],
)
def test_what_there_is_not_is_wrong_input(sample_database: Path, args: list[str], complaint: str) -> None:
    done = replay(sample_database, *args)
    assert (done.exit_code, done.stdout) == (2, "")
    assert complaint in done.stderr.splitlines()[0]


def test_every_turn_of_a_real_game_is_sent_word_for_word_as_it_was(tmp_path: Path) -> None:
    command = json.dumps([sys.executable, "-S", str(HOSTILE), "honest"])
    engines = "".join(f'[[engines]]\nname = "{name}"\ncommand = {command}\n' for name in "ab")
    (tmp_path / "t.toml").write_text(
        'game = "quoridor"\ntime_control = "2/20+0.5"\nconcurrency = 1\n'
        '[openings]\nkind = "random"\nplies = 3\n'
        f"[adjudication]\nplies = 10\n{engines}"
    )
    assert arena("run", "t.toml", "--log", "logs", cwd=tmp_path).returncode == 0
    with open_database(tmp_path / "arena.db") as store:
        record = store.game(1)
    lines_sent = {}
    for seat, player in enumerate(record.result.players):
        log = tmp_path / "logs" / f"{record.result.number + 1}-{seat + 1}-{player.name}.log"
        lines = [line[13:] for line in log.read_text().splitlines() if line[11] == ">"]
        lines_sent[seat] = [line for line in lines if line.startswith(("position", "legal", "go "))]
    for ply, entry in enumerate(record.record, 1):
        again: list[str] = []

        def watch(seconds: float, direction: str, text: str, again: list[str] = again) -> None:
            if direction == ">" and text.startswith(("position", "legal", "go ")):
                again.append(text)

        spec = EngineSpec("x", tuple(engine("honest")))
        answer = trio.run(ask_engine, stored_turn(record, ply), spec, watch, lambda *_: None)
        assert answer.move == entry.text
        assert again == [lines_sent[entry.seat].pop(0) for _ in range(3)]
    assert lines_sent == {0: [], 1: []}


def test_the_recipe_of_the_how_to_gives_the_dialogue_back(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "howto" / "debug-an-engine.md").read_text(encoding="utf-8")
    (recipe,) = [line for line in page.splitlines() if line.startswith("sed ")]
    (tmp_path / "logs").mkdir()
    with Transcript(tmp_path / "logs" / "3-2-mine.log") as transcript:
        for direction, text in (">", "ugi"), ("<", "ugiok"), ("!", "> no"), (">", "quit > now"):
            transcript.note(direction, f"{text}\n".encode())
    subprocess.run(["sh", "-c", recipe], cwd=tmp_path, check=True)
    assert (tmp_path / "dialogue.txt").read_text() == "ugi\nquit > now\n"
