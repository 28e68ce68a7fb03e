"""The pool of engines starts each engine again as it was."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import trio

import referee.match.pool
from protocol.spec import EngineSpec
from protocol.wire.states import State
from referee.match.pool import EnginePool


class Client:
    """An engine without a process."""

    warnings = ()

    def __init__(self, spec: EngineSpec, *_: object, **__: object) -> None:
        self.spec = spec
        self.alive = True
        self.session = SimpleNamespace(state=State.IDLE, reusable=True)

    async def supervise(self) -> None:
        await trio.lowlevel.checkpoint()

    async def handshake(self, game: str) -> None:
        await trio.lowlevel.checkpoint()

    def kill_soon(self, nursery: trio.Nursery) -> None:
        self.alive = False


async def test_an_engine_that_died_between_games_is_started_again_with_its_own_options(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def start(spec: EngineSpec) -> None:
        await trio.lowlevel.checkpoint()

    monkeypatch.setattr(referee.match.pool, "EngineClient", Client)
    monkeypatch.setattr(referee.match.pool, "EngineProcess", SimpleNamespace(start=start))
    specs = [EngineSpec(name, ("bot",), options={"Style": name}) for name in "abc"]
    async with trio.open_nursery() as nursery:
        pool = EnginePool(nursery, 8, lambda *_: None)
        clients = [await pool.acquire(spec, "quoridor") for spec in specs]
        for client in clients[:2]:
            pool.release(client, healthy=True)
        clients[0].alive = False  # type: ignore[misc]  # a `Client`
        again = [await pool.acquire(spec, "quoridor") for spec in specs[:2]]
    assert again[0] is not clients[0]
    assert again[1] is clients[1]
    assert [client.spec.options["Style"] for client in again] == ["a", "b"]
