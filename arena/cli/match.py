"""``arena match``: play a match of two engines without a tournament file."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import click

from arena.address import Address
from arena.cli.common import values
from arena.cli.common.database import new_name
from arena.cli.common.engines import CommandLineSettings, engine_options
from arena.cli.common.output import same_command, tell
from arena.cli.common.parameters import (
    accept_option,
    concurrency_option,
    database_option,
    dry_run_option,
    examples,
    json_option,
    log_option,
    sprt_option,
    time_control_option,
)
from arena.cli.new_tournament import TIME_HELP, file_text, read_engines
from referee.match.time_control import USUAL as USUAL_TIME


def _rule(_ctx: click.Context, _option: click.Parameter, text: str | None) -> dict[str, object] | None:
    """Read keys of a rule of ``[adjudication]``, as in ``score=600,moves=4``."""
    if text is None:
        return None
    rule: dict[str, object] = {}
    for word in text.split(","):
        key, sign, value = word.partition("=")
        if not sign:
            raise click.BadParameter(f"this must be keys with values, as in score=600,moves=4, not {text!r}")
        rule[key.strip()] = int(value) if re.fullmatch(r"-?\d{1,18}", value.strip()) else value.strip()
    return rule


def _known_game(_ctx: click.Context, _argument: click.Parameter, game_id: str) -> str:
    """Return the id of a game, or raise its error before click can say that an engine is missing."""
    from referee import game

    return game(game_id).info.id


@click.command(
    "match",
    epilog=examples(
        '$ arena match quoridor "python3 mine.py" sample:greedy -n 20',
        "$ arena match quoridor new=./mine old=./old --sprt 0,5 --summary",
    ),
)
@click.argument("game_id", type=values.GAME, metavar="ID", callback=_known_game)
@click.argument("first", type=values.LINE, metavar="ENGINE")
@click.argument("second", type=values.LINE, metavar="ENGINE")
@click.option(
    "-n",
    "--max-games",
    type=values.LARGEST_COUNT,
    help="Play this many games; with --sprt, at most this many.  [default: 100; with --sprt no limit]",
)
@sprt_option("End the match when a test accepts one of these Elo values.")
@click.option(
    "--openings",
    type=values.FILE,
    help="Take the openings from this file, not random ones.",
)
@time_control_option(USUAL_TIME, TIME_HELP, several=True)
@engine_options("the engines", each="engine")
@concurrency_option
@click.option(
    "--resign",
    type=values.LINE,
    callback=_rule,
    metavar="KEY=VALUE,...",
    help="A game is lost by the scores that the engines report: score=600,moves=4.",
)
@click.option(
    "--draw",
    type=values.LINE,
    callback=_rule,
    metavar="KEY=VALUE,...",
    help="A game is drawn by these scores: score=10,moves=8,after=60.",
)
@click.option("--seed", type=values.INT64, help="The seed of random openings.")
@log_option("A folder for transcripts of the dialogue with each engine.")
@click.option(
    "--name",
    type=values.TITLE,
    help="The tournament's name; a match of this name is continued.  [default: a new name of both engines]",
)
@dry_run_option
@click.option("--quiet", is_flag=True, help="Show no progress, only problems and the tables at the end.")
@accept_option
@click.option(
    "--summary", is_flag=True, help="Print only the block of the match as Markdown, for a pull request."
)
@database_option
@json_option
def match(
    game_id: str,
    first: str,
    second: str,
    max_games: int | None,
    sprt: tuple[float, float] | None,
    openings: Path | None,
    time_control: tuple[str, ...],
    settings: CommandLineSettings,
    concurrency: int | None,
    resign: dict[str, object] | None,
    draw: dict[str, object] | None,
    seed: int | None,
    log: Path | None,
    name: str | None,
    dry_run: bool,
    quiet: bool,
    accept_changed_options: bool,
    summary: bool,
    database: Address,
    as_json: bool,
) -> None:
    """Play a match of two engines in the game ID without a tournament file.

    ENGINE is a command in quotes, or NAME=COMMAND; sample:random, sample:greedy and sample:alphabeta are
    engines to play against. The games are stored as in any tournament. The file that repeats the match
    is printed first, on standard error.
    """
    from arena.cli.run import play, print_forecast
    from arena.config import load_values

    if summary and as_json:
        raise click.UsageError("--summary prints no JSON; give only one of --summary and --json")
    engines = read_engines((first, second), "the argument ENGINE", settings, time_control)
    name = name or new_name(database, "-".join(engine.name for engine in engines)[:190])
    games = max_games if max_games is not None or sprt is not None else 100
    text = file_text(
        game_id,
        engines,
        comment="The file of this match. To continue the match: arena run FILE",
        form="match",
        format_line="" if games is None else f"max_games = {games}",
        name=name,
        time_control=time_control[0],
        openings=openings,
        sprt=sprt,
        database=str(database),
        keys={"concurrency": concurrency, "seed": seed, "log": None if log is None else str(log)},
        adjudication={key: rule for key, rule in (("resign", resign), ("draw", draw)) if rule},
    )
    spec = load_values(tomllib.loads(text), Path("arena match"))
    tell(text)
    if dry_run:
        print_forecast(spec, as_json=as_json)
        return
    play(
        spec,
        accept_changed_options=accept_changed_options,
        output_format="json" if as_json else "md" if summary else "table",
        quiet=quiet,
        again=same_command(name=name),
    )
