"""``arena tune``: tune the options of an engine, and test the values that it finds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from arena.cli.common.database import open_database
from arena.cli.common.output import same_command, tell
from arena.cli.common.parameters import examples, json_option, sprt_option
from arena.cli.run import file_options, play
from arena.errors import ArenaError

if TYPE_CHECKING:
    from arena.config import TournamentSpec


@click.command(
    "tune",
    epilog=examples(
        "$ arena tune tune.toml",
        "$ arena tune tune.toml --sprt 0,10",
    ),
)
@file_options
@sprt_option(
    "Play a match instead: the tuned values against those at the start, until a test accepts one of these"
    " Elo values."
)
@json_option
def tune(spec: TournamentSpec, sprt: tuple[float, float] | None, as_json: bool) -> None:
    """Tune the options of the engine in FILE, as its table [tune] says, or continue to.

    The engine plays pairs of games against itself, with other values on both sides, and the values move
    to the better side (SPSA). Every game is stored as in any tournament, and `arena serve` shows the path of
    each parameter. At the end the options are printed as a file has them, with the command of the match that
    tests them.
    """
    from arena.formats.tune import TuneKeys

    if not isinstance(spec.format_keys, TuneKeys):
        raise ArenaError(f'{spec.label}: format: only format = "tune" is tuned, not "{spec.format}"')
    if sprt is not None:
        spec = _match(spec, sprt)
    play(spec, output_format="json" if as_json else "table")
    if sprt is None:
        tell(f"test these options against those at the start: {same_command()} --sprt 0,10")


def _match(spec: TournamentSpec, elo: tuple[float, float]) -> TournamentSpec:
    """Return the match between the tuned values and those at the start."""
    from arena.formats.format import Played, Setting
    from arena.formats.match import MATCH, MatchKeys
    from arena.ratings.sprt import Sprt
    from protocol.keys import WrongKey

    with open_database(spec.database) as store:
        games = spec.plan.games(store, spec.name)
    start = spec.plan.view(spec.games[0], Played(0, tuple)).data["tune"]
    tuned = spec.plan.view(spec.games[0], Played(len(games), lambda: games)).data["tune"]
    if tuned["options"] == start["options"]:
        raise ArenaError(f"{spec.label}: after {tuned['steps']} steps no value differs from its start")
    side, own = spec.engines[0], spec.engines[0].spec
    names = (f"{own.name[:-1]}-tuned", f"{own.name[:-1]}-start")
    engines = tuple(
        replace(side, spec=replace(own, name=name, options=own.options | values["options"]))
        for name, values in zip(names, (tuned, start), strict=True)
    )
    try:
        test = Sprt(*elo)
        test.check_bounds()
        keys = MATCH.checked(MatchKeys(sprt=test), Setting({spec.games[0]: names}))
    except (WrongKey, ValueError) as error:
        raise click.UsageError(f"--sprt: {error}") from None
    name = f"{spec.name[:180]}-after-{tuned['steps']}"
    return replace(spec, name=name, format=MATCH.name, format_keys=keys, engines=engines)
