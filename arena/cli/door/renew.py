"""``arena door renew``: a new link."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.common.parameters import examples
from arena.cli.door.common import file_argument, link, names_argument, opened_door

__all__ = ["command"]


@click.command("renew", epilog=examples("$ arena door renew league.toml ann"))
@file_argument
@names_argument
def command(file: Path, names: tuple[str, ...]) -> None:
    """Print a new link for each NAME. The old link and its cookies work no more.

    A participant who was removed may come in again.
    """
    from arena.door.tokens import new_token, token_hash

    with opened_door(file) as (spec, register):
        states = {one.name: one.state for one in register.participants()}
        for name in names:
            token = new_token()
            state = "open" if states.get(name) == "removed" else None
            register.change(name, token=token_hash(token), state=state)
            click.echo(f"{name}\t{link(spec, token)}")
