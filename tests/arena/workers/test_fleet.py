"""A worker that cannot play is refused, whatever it answers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
import trio

from arena.config import load
from arena.errors import ArenaError
from arena.workers import fleet
from arena.workers.cluster import SeenWorker
from arena.workers.executor import open_cluster


class OtherCluster:
    """A scheduler with one worker, whose arena is too old to understand the question."""

    def __init__(self, *arguments: object) -> None:
        pass

    def workers(self) -> list[SeenWorker]:
        return [SeenWorker("tls://1", "old", 0.0)]

    def ask(self, function: object, worker: str, needs: bytes) -> bytes:
        return b'{"version": "0.0.1"}'

    def close(self) -> None:
        pass


async def test_a_worker_whose_answer_is_not_understood_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engines = "".join(f'[[engines]]\nname = "{name}"\ncommand = ["{sys.executable}"]\n' for name in "ab")
    file = tmp_path / "t.toml"
    file.write_text(f'game = "quoridor"\n[executor]\nkind = "dask"\nscheduler = "tls://hub:1"\n{engines}')
    other: Any = OtherCluster
    monkeypatch.setattr(fleet, "Cluster", other)
    with trio.fail_after(20), pytest.raises(ExceptionGroup) as raised:
        async with open_cluster(load(file)):
            await trio.sleep_forever()
    (error,) = _leaves(raised.value)
    assert isinstance(error, ArenaError)
    assert "worker old cannot say what it can do; install leapfrog-arena[dask] as on the hub" in str(error)


def _leaves(error: BaseException) -> list[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        return [leaf for inner in error.exceptions for leaf in _leaves(inner)]
    return [error]
