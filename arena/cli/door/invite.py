"""``arena door invite``: a link for each participant."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import click

from arena.cli.common.parameters import examples
from arena.cli.door.common import file_argument, link, names_argument, opened_door

__all__ = ["command"]

_LONGEST = 40


@click.command(
    "invite",
    epilog=examples(
        "$ arena door invite league.toml ann bob",
        "$ arena door invite league.toml teacher --organiser",
    ),
)
@file_argument
@names_argument
@click.option("--organiser", is_flag=True, help="The link opens the organiser's page.")
def command(file: Path, names: tuple[str, ...], organiser: bool) -> None:
    """Invite participants to the door of the tournament in FILE: print a link for each NAME.

    The engine of a participant has the participant's name. Whoever has the link is the participant, so give
    it to nobody else. The database has no copy of it. If one of the names cannot be invited, nobody is.
    """
    from arena.door.tokens import new_token, token_hash

    with opened_door(file) as (spec, register):
        taken = {entry.spec.name.casefold() for entry in spec.engines}
        known = {one.name.casefold() for one in register.participants()}
        plain = [unicodedata.normalize("NFC", name) for name in names]
        for name in plain:
            _check(name, taken - known, known)
            known.add(name.casefold())
        for name in plain:
            token = new_token()
            register.invite(name, token_hash(token), organiser=organiser)
            click.echo(f"{name}\t{link(spec, token)}")


def _check(name: str, taken: set[str], known: set[str]) -> None:
    """Check that a participant and an engine may have a name, and that no participant has it.

    Raises:
        ArenaError: they may not.
    """
    from arena.errors import ArenaError

    if (
        not name.strip()
        or not name.isprintable()
        or "|" in name
        or len(name) > _LONGEST
        or name != name.strip()
    ):
        raise ArenaError(
            f"{name[:_LONGEST]!a}: a name has 1 to {_LONGEST} printable characters, no | and no spaces around"
        )
    if name.casefold() in taken:
        raise ArenaError(f"{name}: an engine of the tournament file has this name; choose another")
    if name.casefold() in known:
        raise ArenaError(
            f"{name} is invited already, or is here twice; `arena door renew` makes a new link (nobody was"
            " invited)"
        )
