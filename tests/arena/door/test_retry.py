"""What went wrong can be tried again, at home and by the worker in the sandbox."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest
import trio
from click.testing import CliRunner

from arena.cli import main
from arena.door.archive import SourceFile, packed
from arena.door.register import State, Submission
from arena.door.retry import retry_from, turn_retry
from arena.door.worker import DoorWorker
from arena.errors import ArenaError
from referee import Termination
from tests.arena.door.conftest import BOTH, HandIn
from tests.missing_tools import needs
from tests.sample_games import autumn, spring

pytestmark = pytest.mark.system

CRASHES = b"""
import sys
for line in sys.stdin:
    word = line.split()[0]
    if word == "ugi": print("id name x\\nprotocol 1\\nugiok", flush=True)
    if word == "isready": print("readyok", flush=True)
    if word == "go": print("\\x1b[2Jinfo", flush=True); sys.exit("no idea")
"""


@pytest.fixture
def refused(worker: DoorWorker, hand_in: HandIn) -> Submission:
    """A submission that was built and refused."""
    submission = hand_in("ann", {"bot.py": CRASHES})
    worker.register.take(3)
    worker.folder.install(submission.id, packed((SourceFile("bot.py", CRASHES),)), limits())
    worker.register.move_on(submission.id, State.REFUSED, "it lost")
    return next(one for one in worker.register.submissions() if one.id == submission.id)


def limits():
    from arena.door.archive import ArchiveLimits

    return ArchiveLimits()


async def output(worker: DoorWorker, submission: Submission) -> str:
    """Run the worker until the last order has ended, and return what came of it."""

    def waits() -> bool:
        return any(line.kind in ("order", "trying") for line in worker.register.lines(submission.id))

    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(worker.run)
            while waits():  # noqa: ASYNC110 - nothing tells when a row of the database changes
                await trio.sleep(0.05)
            nursery.cancel_scope.cancel()
    return "".join(line.text for line in worker.register.lines(submission.id) if line.kind == "output")


@needs("bwrap")
@BOTH
async def test_the_worker_asks_the_last_turn_of_a_game_again_and_keeps_the_dialogue(
    worker: DoorWorker, refused: Submission
) -> None:
    retry = turn_retry(spring()[2], 1, "python3 bot.py", "The last turn")
    assert retry is not None
    worker.register.order(refused, retry.text(), 5)
    said = await output(worker, refused)
    assert "game 1 of spring: quoridor, ply 4, player 2 (gamma)" in said
    assert "> position startpos moves e2 e8 e3\n" in said
    assert "! no idea\n" in said
    assert "answer now: none: crash, the engine ended with exit code 1" in said
    assert "\x1b" not in said
    assert worker.register.lines(refused.id)[-2].kind != "again"
    assert [line.kind for line in worker.register.lines(refused.id)].count("tried") == 1


@needs("bwrap")
async def test_the_worker_runs_failed_checks_again(worker: DoorWorker, refused: Submission) -> None:
    worker.register.order(refused, json.dumps({"game": "quoridor", "words": "x", "checks": [401]}), 5)
    assert re.search(r"^\d+ .*: failed\n    ", await output(worker, refused), re.MULTILINE)


@needs("bwrap")
async def test_an_order_that_makes_no_sense_is_answered_and_the_worker_goes_on(
    worker: DoorWorker, refused: Submission
) -> None:
    for text, said in (
        ("{", "cannot be tried again"),
        ('{"game":"quoridor","words":"x"}', "is not a file of games"),
    ):
        worker.register.order(refused, text, 5)
        assert said in await output(worker, refused)


@needs("bwrap")
async def test_an_order_is_for_its_version_though_a_newer_one_came_in(
    worker: DoorWorker, refused: Submission, hand_in: HandIn
) -> None:
    worker.register.order(refused, "{", 5)
    newer = hand_in("ann", {"bot.py": b"pass"})
    worker.register.move_on(newer.id, State.REFUSED, "it lost")
    assert "cannot be tried again" in await output(worker, refused)
    assert [line.kind for line in worker.register.lines(newer.id)] == []


def test_the_command_for_home_does_the_same_with_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bot.py").write_bytes(CRASHES)
    retry = turn_retry(spring()[2], 1, "python3 bot.py", "The last turn")
    assert retry is not None
    (tmp_path / "game.jsonl").write_text(retry.record)
    monkeypatch.chdir(tmp_path)
    first, second = retry.command("game").split(";")
    for line, code in ((first, 0), (second, 1)):
        arena, *words = shlex.split(line)
        assert arena == "arena"
        done = CliRunner().invoke(main, words)
        assert done.exit_code == code, done.output
    assert "answer now: none: crash" in done.output


def test_the_turn_is_that_of_the_forfeit_or_the_last_own_move() -> None:
    lost = spring()[0]
    assert getattr(turn_retry(lost, 0, "x", ""), "ply", None) == len(lost.record) - 1
    four = autumn()[0]
    removed = next(n for n, ply in enumerate(four.record, 1) if ply.is_removal)
    assert getattr(turn_retry(four, 1, "x", ""), "ply", None) == removed
    never = replace(lost, record=(), result=replace(lost.result, termination=Termination.NORMAL))
    assert turn_retry(never, 0, "x", "") is None


def test_the_game_for_home_does_not_say_what_the_other_programs_are() -> None:
    record = spring()[2]
    players = tuple(
        replace(player, program="secret-hash", options={"Book": "secret"}) for player in record.result.players
    )
    retry = turn_retry(replace(record, result=replace(record.result, players=players)), 1, "x", "")
    assert retry is not None
    assert "secret" not in retry.text()
    assert retry_from(retry.text()) == retry


def test_one_try_at_a_time_and_only_some_a_day(worker: DoorWorker, refused: Submission) -> None:
    register = worker.register
    register.order(refused, "{}", 2)
    with pytest.raises(ArenaError, match="has not ended yet"):
        register.order(refused, "{}", 2)
    order = register.take_order()
    assert order is not None
    assert register.take_order() is None
    with pytest.raises(ArenaError, match="has not ended yet"):
        register.order(refused, "{}", 2)
    worker.register.note("output", "old", refused.id)
    register.end_order(order)
    register.order(refused, "{}", 2)
    assert "old" not in [line.text for line in worker.register.lines(refused.id)]
    assert register.take_order() is not None
    register.end_interrupted_orders()  # the worker was killed
    assert worker.register.lines(refused.id)[-1].text == "the machine stopped meanwhile; try it again"
    with pytest.raises(ArenaError, match="2 times within 24 hours"):
        register.order(refused, "{}", 2)
