"""Print what a run would play, and about how long it would take."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from arena.cli.common.output import print_json
from arena.cli.progress.durations import duration
from protocol.plurals import counted

if TYPE_CHECKING:
    from arena.config import TournamentSpec
    from arena.run.upcoming import Forecast

__all__ = ["print_forecast"]

_SHOWN = 10
"""The number of games that are listed."""


def print_forecast(spec: TournamentSpec, *, as_json: bool) -> None:
    """Print the number of games, the next ones, and an estimate of the time.

    Raises:
        ArenaError: the database cannot be used, the tournament has changed, or an opening is bad.
    """
    from arena.run.engines import built_here
    from arena.run.upcoming import forecast

    found = forecast(spec, _SHOWN)
    if as_json:
        print_json({"tournament": spec.name, **_data(spec, found)})
        return
    total = "the number of games is not known" if found.total is None else counted(found.total, "game")
    click.echo(f"{spec.name}: {spec.format}, {counted(len(spec.engines), 'engine')}, {total}")
    click.echo(f"stored: {found.stored}; to play: {'?' if found.left is None else found.left}")
    here = built_here(spec)
    for entry in spec.engines:
        if entry.build:
            where = "here, before the first game" if entry in here else "on each worker"
            click.echo(f"  {entry.spec.name} is built {where}: {' && '.join(entry.build)}")
    for pairing in found.first:
        click.echo(f"  game {pairing.number + 1}, {pairing.game}: {' - '.join(pairing.seats)}")
    click.echo(_estimate(spec, found))


def _seconds(spec: TournamentSpec, found: Forecast) -> float | None:
    if found.left is None or found.game_seconds is None or spec.executor.kind != "local":
        return None
    return found.left * found.game_seconds / spec.concurrency


def _estimate(spec: TournamentSpec, found: Forecast) -> str:
    from arena.run.upcoming import ASSUMED_MOVES

    at_once = f"{counted(spec.concurrency, 'game')} at once"
    if spec.executor.kind != "local":
        at_once = "as many games at once as the workers have cores for"
    if not found.first:
        return "nothing is left to play"
    if found.game_seconds is None:
        return f"time: unknown before the first games; {at_once}"
    each = duration(found.game_seconds)
    basis = (
        f"{each} a game, as in the stored games"
        if found.stored
        else f"{each} a game, if each engine uses all its time for {ASSUMED_MOVES} moves"
    )
    seconds = _seconds(spec, found)
    return f"time: {'unknown' if seconds is None else f'about {duration(seconds)}'}; {basis}, {at_once}"


def _data(spec: TournamentSpec, found: Forecast) -> dict[str, object]:
    return {
        "format": spec.format,
        "total": found.total,
        "stored": found.stored,
        "concurrency": spec.concurrency,
        "seconds": _seconds(spec, found),
        "next": [
            {"number": pairing.number, "game": pairing.game, "seats": pairing.seats}
            for pairing in found.first
        ],
    }
