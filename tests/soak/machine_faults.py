"""The faults of a round with a cluster or a database server."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

from tests.arena.workers.clusters import Cluster
from tests.postgres import Postgres
from tests.soak.faults import STRIKES, Scene
from tests.soak.traces import descendants

__all__ = ["MACHINE_STRIKES"]


def _cluster(scene: Scene) -> Cluster:
    assert scene.machines.cluster is not None
    return scene.machines.cluster


def _server(scene: Scene) -> Postgres:
    assert scene.machines.server is not None
    return scene.machines.server


def _kill_a_worker(scene: Scene) -> None:
    name = scene.draw.choice(sorted(_cluster(scene).workers))
    _cluster(scene).kill_worker(name)
    scene.pause(0, 2)
    scene.machines.start_worker(name)


def _kill_some_processes_of_a_worker(scene: Scene) -> None:
    children = descendants(scene.draw.choice(scene.machines.pids))
    scene.signal(signal.SIGKILL, [pid for pid in children if scene.draw.random() < 0.4])


def _stop_a_worker(scene: Scene) -> None:
    """Stop a worker, sometimes with all that it has started: so a machine looks that is cut off."""
    pid = scene.draw.choice(scene.machines.pids)
    pids = [pid, *(descendants(pid) if scene.draw.random() < 0.5 else ())]
    scene.signal(signal.SIGSTOP, pids)
    scene.pause(0.2, 8)
    scene.signal(signal.SIGCONT, pids)


def _kill_the_scheduler(scene: Scene) -> None:
    _cluster(scene).kill_scheduler()
    scene.pause(0, 2)
    _cluster(scene).start_scheduler()


def _kill_arena_and_a_worker(scene: Scene) -> None:
    STRIKES["kill arena"](scene)
    _kill_a_worker(scene)


def _stop_the_server(scene: Scene) -> None:
    _server(scene).stop("fast")
    scene.pause(0, 4)
    _server(scene).start()


def _kill_the_server(scene: Scene) -> None:
    """Kill the server with all its processes, as when the power fails."""
    _server(scene).stop("immediate")
    scene.pause(0, 4)
    _server(scene).start()


def _stop_the_server_and_press_ctrl_c_twice(scene: Scene) -> None:
    _server(scene).stop("fast")
    try:
        scene.pause(0, 2)
        scene.signal(signal.SIGINT, [scene.pid])
        scene.pause(0, 0.6)
        scene.signal(signal.SIGINT, [scene.pid])
        begun = time.monotonic()
        if not scene.run.wait(20):
            load = os.getloadavg()[0]
            scene.arena.faults.append(
                f"arena still runs {time.monotonic() - begun:.0f} s after two Ctrl-C without its server"
                f" (load {load:.1f})"
            )
    finally:
        _server(scene).start()


MACHINE_STRIKES: dict[str, Callable[[Scene], None]] = {
    "kill a worker": _kill_a_worker,
    "kill some processes of a worker": _kill_some_processes_of_a_worker,
    "stop a worker": _stop_a_worker,
    "kill the scheduler": _kill_the_scheduler,
    "kill arena and a worker": _kill_arena_and_a_worker,
    "stop the server": _stop_the_server,
    "kill the server": _kill_the_server,
    "stop the server and press ctrl-c twice": _stop_the_server_and_press_ctrl_c_twice,
}
