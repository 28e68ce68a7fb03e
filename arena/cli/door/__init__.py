"""``arena door``: let people hand in engines while a tournament runs."""

from __future__ import annotations

from typing import Final

import click

from arena.cli.common.parameters import examples
from arena.cli.program.lazy_group import LazyGroup

__all__ = ["command"]

_COMMANDS: Final = {
    "invite": ("arena.cli.door.invite", "Print a link for each participant."),
    "list": ("arena.cli.door.list_", "Show the participants and their versions."),
    "renew": ("arena.cli.door.renew", "Print a new link; the old one works no more."),
    "pause": ("arena.cli.door.pause", "Let engines of participants rest, or play again."),
    "remove": ("arena.cli.door.remove", "Take engines out of the tournament, and end the links."),
    "run": ("arena.cli.door.run", "Play the tournament, serve its pages, and open the door."),
    "pages": ("arena.cli.door.pages", "Serve the pages of the door; `arena door run` starts this."),
    "worker": ("arena.cli.door.worker", "Build and check submissions; `arena door run` starts this."),
}


@click.group(
    "door",
    cls=LazyGroup,
    table=_COMMANDS,
    epilog=examples(
        "$ arena door invite league.toml ann bob",
        "$ arena door run league.toml",
        "$ arena door list league.toml",
    ),
)
def command() -> None:
    """Let people hand in engines while a tournament runs.

    The tournament file needs the table [door]. Everything that is handed in runs in the sandbox of
    bubblewrap, and without it the door does not open.
    """
