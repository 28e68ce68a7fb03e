"""``arena door list``: participants and versions."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.common.output import print_json, show, table
from arena.cli.common.parameters import examples, json_option
from arena.cli.door.common import file_argument, opened_door

__all__ = ["command"]


@click.command(
    "list", epilog=examples("$ arena door list league.toml", "$ arena door list league.toml --json")
)
@file_argument
@json_option
def command(file: Path, as_json: bool) -> None:
    """Show who is invited, and which version of each engine plays."""
    from arena.store.door import State
    from protocol.printable import printable

    with opened_door(file) as (_, register):
        submissions = register.submissions()
        found = []
        for one in register.participants():
            own = [other for other in submissions if other.participant == one.id]
            plays = next((other.version for other in own if other.state is State.PLAYS), None)
            found.append(
                {
                    "name": one.name,
                    "role": "organiser" if one.organiser else "participant",
                    "state": one.state,
                    "versions": len(own),
                    "plays": plays,
                    "newest": own[0].state.value if own else None,
                    "problem": own[0].problem if own else "",
                }
            )
    if as_json:
        print_json(found)
        return
    rows = table("name", "role", "state", ">versions", ">plays", "newest", "remark")
    for row in found:
        rows.add_row(*(printable("" if value is None else str(value)) for value in row.values()))
    show(rows)
