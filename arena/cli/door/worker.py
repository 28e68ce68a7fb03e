"""``arena door worker``: build and check submissions."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.common.parameters import examples
from arena.cli.door.common import file_argument, opened_door

__all__ = ["command"]


@click.command("worker", epilog=examples("$ arena door worker league.toml"))
@file_argument
def command(file: Path) -> None:
    """Build, check and try what is handed in, until Ctrl-C. `arena door run` starts this command.

    Only one worker of a door runs. It has a low priority. If it is killed, the next one begins again with the
    submission that it had in hand.
    """
    from arena.cli.program.interrupt import run_trio
    from arena.door.folder import DoorFolder
    from arena.door.worker import DoorWorker, check_sandbox, door_of, lower_priority
    from protocol.process.lifetime import adopt_orphans

    check_sandbox()
    with opened_door(file) as (spec, register):
        door = door_of(spec)
        folder = DoorFolder(door.place(spec.path), door.disk)
        adopt_orphans()
        lower_priority(spec)
        run_trio(DoorWorker(spec, door, register, folder).run)
