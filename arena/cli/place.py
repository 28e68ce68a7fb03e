"""``arena place``: find the strength of one engine among opponents of known strength."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from arena.address import Address, absolute
from arena.cli.common import values
from arena.cli.common.database import new_name, open_database
from arena.cli.common.engines import CommandLineSettings, engine_options, read_command
from arena.cli.common.output import arena_command, same_command
from arena.cli.common.parameters import (
    accept_option,
    concurrency_option,
    database_option,
    examples,
    json_option,
    time_control_option,
)
from arena.cli.new_tournament import read_engines
from arena.errors import ArenaError, MissingDatabase

if TYPE_CHECKING:
    from arena.config import EngineEntry, TournamentSpec

LEVELS: Final = "levels"
"""The opponents that everybody has, as a value of ``--against``."""

_OPENING_PLIES: Final = 4
"""The random moves of an opening: with fewer, a long placing would repeat games."""


@dataclass(frozen=True, slots=True)
class _Opposition:
    """The opponents, with what else their file says; and their strengths on its scale."""

    spec: TournamentSpec
    strengths: Mapping[str, float]
    draws: float


@click.command(
    "place",
    epilog=examples(
        '$ arena place "python3 mine.py" --game hops',
        "$ arena place ./mine --game quoridor --against spring.toml --within 50 --json",
    ),
)
@click.argument("engine", type=values.LINE, metavar="ENGINE")
@click.option("--game", "game_id", type=values.GAME, required=True, help="The game.")
@click.option(
    "--against",
    type=values.TOURNAMENT_FILE,
    default=LEVELS,
    metavar="levels|FILE",
    help="The opponents: the levels, or the engines of a tournament file whose games are played.",
)
@click.option(
    "--within",
    type=values.ELO,
    default=30.0,
    metavar="ELO",
    help="End when the Elo is known to ± this.",
)
@click.option("-n", "--max-games", type=values.COUNT, default=2000, help="Play at most this many.")
@time_control_option(None, "How long engines may think, as in a tournament file.")
@engine_options("the engine")
@concurrency_option
@click.option(
    "--name",
    type=values.TITLE,
    help="The tournament's name; one of this name is continued.  [default: a new name of the engine]",
)
@accept_option
@database_option
@json_option
def place(
    engine: str,
    game_id: str,
    against: Path,
    within: float,
    max_games: int,
    time_control: str | None,
    settings: CommandLineSettings,
    concurrency: int | None,
    name: str | None,
    accept_changed_options: bool,
    database: Address,
    as_json: bool,
) -> None:
    """Find the place and the Elo of ENGINE among opponents of known strength.

    It plays pairs of games, each time against the opponent whose games tell most, until the Elo is known to
    ± the value of --within. The interval holds at every look, so you may stop and go on whenever you like:
    the games are stored as in any tournament. ENGINE is a command in quotes, or NAME=COMMAND.
    """
    from arena.cli.run import play
    from arena.config import EngineEntry
    from arena.strength.levels import check_level
    from referee import game
    from referee.match.time_control import TimeControl

    rules = game(game_id)
    if rules.info.players != 2:
        raise ArenaError(
            f"{game_id} is for {rules.info.players} players; an engine is placed in games of two"
        )
    (new,) = read_engines((engine,), "the argument ENGINE", settings)
    name = name or new_name(database, f"{new.name}-place"[:190])
    opposition = _levels(game_id) if str(against) == LEVELS else _engines_of(against, game_id)
    spec = opposition.spec.override(
        name=name,
        database=absolute(database),
        concurrency=concurrency,
        time_control=None if time_control is None else TimeControl.parse(time_control),
    )
    words = read_command(new.command, "the argument ENGINE")
    try:
        check_level(words, game_id)
    except ValueError as error:
        raise click.UsageError(f"{new.name}: {error}") from None
    candidate = EngineEntry(settings.spec(new.name, words), spec.time_control, (game_id,))
    spec = _placing(spec, candidate, opposition, within, max_games)
    play(
        spec,
        accept_changed_options=accept_changed_options,
        output_format="json" if as_json else "table",
        quiet=False,
        again=same_command(name=name),
    )


def _placing(
    spec: TournamentSpec, candidate: EngineEntry, opposition: _Opposition, within: float, max_games: int
) -> TournamentSpec:
    """Return the tournament that places the candidate; the scale of a stored one stays."""
    from arena.formats.format import Setting
    from arena.formats.place import PLACE, PlaceKeys
    from protocol.keys import WrongKey

    name = candidate.spec.name
    if name in opposition.strengths:
        raise click.UsageError(f"an opponent has the name {name!r}, too; give ENGINE as NAME=COMMAND")
    keys = PlaceKeys(
        within=within,
        max_games=max_games,
        **(_stored_scale(spec) or {"strengths": opposition.strengths, "draws": opposition.draws}),
    )
    spec = replace(spec, format=PLACE.name, engines=(candidate, *spec.engines), door=None)
    names = tuple(entry.spec.name for entry in spec.engines)
    try:
        return replace(spec, format_keys=PLACE.checked(keys, Setting({spec.games[0]: names})))
    except WrongKey as wrong:
        option = {"max_games": "--max-games"}.get(wrong.names[0], spec.name)
        raise ArenaError(f"{option}: {wrong}") from None


def _stored_scale(spec: TournamentSpec) -> dict[str, Any] | None:
    """Return the scale with which a stored tournament started: by now its opponents may be worth more."""
    from arena.formats.place import PlaceKeys
    from arena.formats.plan import Plan

    try:
        with open_database(spec.database) as store:
            plan = Plan.stored(store.outline(spec.name))
    except MissingDatabase:
        return None
    if plan is None or not isinstance(plan.keys, PlaceKeys):
        return None
    return {"strengths": plan.keys.strengths, "draws": plan.keys.draws}


def _levels(game_id: str) -> _Opposition:
    """Return the levels of a game. ArenaError: it has none."""
    from arena.config import load_values
    from arena.strength.levels import scales

    scale = scales().get(game_id)
    if scale is None:
        raise ArenaError(f"{game_id} has no levels; name a tournament file with games of it: --against FILE")
    strengths = {f"level-{level}": elo for level, elo in enumerate(scale.elo, 1)}
    spec = load_values(
        {
            "game": game_id,
            "openings": {"kind": "random", "plies": _OPENING_PLIES},
            "engines": [{"name": name, "command": name.replace("-", ":")} for name in strengths],
        },
        Path("arena place"),
    )
    return _Opposition(spec, strengths, scale.draws)


def _engines_of(file: Path, game_id: str) -> _Opposition:
    """Return the engines of a tournament file that have played the game. ArenaError: there are none."""
    from arena.config import load
    from arena.ratings.lists import elo_fit, rating_list

    if file.suffix != ".toml":
        raise ArenaError(
            f"{file}: a database does not say how its engines start; give the tournament file that plays"
            f" them, or {LEVELS}"
        )
    spec = load(file)
    if game_id not in spec.games:
        raise ArenaError(f"{file}: {game_id} is not played here; the games are {', '.join(spec.games)}")
    fitted = None
    with suppress(MissingDatabase), open_database(spec.database) as store:
        only = store.list_of(None)
        games = store.tally(only=only).get(game_id)
        if games:
            fitted = elo_fit(store, rating_list(store, game_id, games, only), only)
    elo = {} if fitted is None else {strength.name: round(strength.elo, 1) for strength in fitted.strengths}
    engines = tuple(
        replace(entry, games=(game_id,)) for entry in spec.entrants(game_id) if entry.spec.name in elo
    )
    if fitted is None or not engines:
        play_first = arena_command("run", str(file))
        raise ArenaError(
            f"{file}: its engines have no games of {game_id}, so no strengths; play them with: {play_first}"
        )
    setup = {game: start for game, start in spec.setup.items() if game == game_id}
    spec = replace(spec, games=(game_id,), setup=setup, engines=engines)
    return _Opposition(
        spec, {entry.spec.name: elo[entry.spec.name] for entry in engines}, round(fitted.draws, 3)
    )
