"""Ctrl-C twice, at any moment, ends a run cleanly, and every game that was told is stored once."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import trio

from arena.config import TournamentSpec, load
from arena.errors import leaves
from arena.formats.contest import ScheduleState
from arena.model import GameRecord
from arena.run.executor import Executor, ExecutorEvent
from arena.run.game_loop import GameLoop
from arena.run.tournament import play_and_store
from arena.store import writer as store_writer
from arena.store.writer import GameWriter
from referee.match.job import Job
from tests.arena.run.referees import finished

pytestmark = pytest.mark.usefixtures("schedule_without_thread")
GAMES = 30


class Instant(Executor):
    """Each game has ended in the moment in which it is submitted."""

    many_machines = False
    count = 8

    def __init__(self) -> None:
        self._send, self.events = trio.open_memory_channel[ExecutorEvent](1000)
        self.ended = 0

    async def submit(self, job: Job) -> None:
        self.ended += 1
        self._send.send_nowait(finished(job))
        await trio.lowlevel.checkpoint()


class Memory:
    """A database that keeps games in memory, and notes those that were told."""

    def __init__(self) -> None:
        self.games: list[GameRecord] = []
        self.told: list[GameRecord] = []

    def add_games(self, games: Sequence[GameRecord], *, again: bool = False) -> list[GameRecord]:
        self.games += games
        return list(games)


class CtrlC(trio.abc.Instrument):
    """Sends SIGINT before the tasks of a run take some of their steps."""

    def __init__(self, *steps: int) -> None:
        self._steps = steps
        self.taken = 0

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        self.taken += 1
        if self.taken in self._steps:
            signal.raise_signal(signal.SIGINT)


@pytest.fixture
def spec(tmp_path: Path) -> TournamentSpec:
    file = tmp_path / "t.toml"
    engines = "".join(f'[[engines]]\nname = "{name}"\ncommand = ["{sys.executable}"]\n' for name in "ab")
    file.write_text(f'game = "quoridor"\ngames_per_pairing = {GAMES}\nconcurrency = 8\n{engines}')
    return load(file)


async def play(spec: TournamentSpec, executor: list[Instant], store: Memory) -> None:
    executor.append(Instant())
    send, receive = trio.open_memory_channel[GameRecord](5)
    runner = GameLoop(spec, ScheduleState(), executor[0], send, lambda _: None, None)
    writer = GameWriter(store, store.told.extend, list)  # type: ignore[arg-type]  # what it needs of a store
    await play_and_store(runner, writer, receive)


def interrupted(spec: TournamentSpec, store: Memory, *steps: int) -> tuple[int, int, BaseException | None]:
    """Play with Ctrl-C at these steps; return the steps, the games that ended, and the error of the run."""
    executor: list[Instant] = []
    ctrl_c, error = CtrlC(*steps), None
    try:
        trio.run(play, spec, executor, store, instruments=[ctrl_c])
    except BaseException as raised:
        error = raised
    return ctrl_c.taken, executor[0].ended if executor else 0, error


@pytest.mark.parametrize("gap", [1, 2, 5, 17])
def test_ctrl_c_twice_at_any_step_of_a_run_stores_each_reported_game_and_none_twice(
    spec: TournamentSpec, gap: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_writer, "REST", 0)
    steps, ended, error = interrupted(spec, Memory())
    assert (ended, error) == (GAMES, None)
    for step in range(1, steps, 7):
        store = Memory()
        _, _, error = interrupted(spec, store, step, step + gap)
        assert error is None or all(isinstance(leaf, KeyboardInterrupt) for leaf in leaves(error)), error
        numbers = [game.result.number for game in store.games]
        assert len(numbers) == len(set(numbers)), f"steps {step} and {step + gap}"
        assert store.told == store.games
