"""``arena init``: write a tournament file."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from shlex import quote

import click

from arena.cli.common import output, values
from arena.cli.common.database import free_name
from arena.cli.common.engines import CommandLineSettings, engine_options
from arena.cli.common.output import arena_command, may_replace, open_output, tell
from arena.cli.common.parameters import examples, force_option, time_control_option
from arena.cli.new_tournament import FORMAT_KEYS, TIME_HELP, NewEngine, file_text, opponents, read_engines
from arena.formats.format import USUAL as USUAL_FORMAT
from referee.match.time_control import USUAL as USUAL_TIME


@click.command(
    "init",
    epilog=examples(
        "$ arena init duel.toml --game quoridor sample:greedy sample:random",
        "$ arena init league.toml new=./mine sample:random --game hops --tournament-format match",
    ),
)
@click.argument("file", type=values.FILE, metavar="FILE", required=False)
@click.argument("engines", type=values.LINE, nargs=-1, metavar="[ENGINE]…")
@click.option("--game", "game_id", type=values.GAME, help="The game, as in `arena games`.")
@click.option(
    "--tournament-format",
    "form",
    type=click.Choice(list(FORMAT_KEYS)),
    help="Which engines play each other.",
)
@time_control_option(USUAL_TIME, TIME_HELP, several=True)
@engine_options("the engines", each="engine", short=("dialect",))
@force_option
@click.option(
    "--schema",
    type=click.Choice(["tournament", "engine"]),
    help="Print a JSON schema for editors, of tournament files or of engine.toml, and write no file.",
)
def init(
    file: Path | None,
    engines: tuple[str, ...],
    game_id: str | None,
    form: str | None,
    time_control: tuple[str, ...],
    settings: CommandLineSettings,
    force: bool,
    schema: str | None,
) -> None:
    """Write a tournament file with comments, tournament.toml unless you name another FILE.

    ENGINE is a command in quotes, or NAME=COMMAND; sample:random, sample:greedy and sample:alphabeta are
    engines to play against. `arena run FILE` plays the file as it is. On a terminal the command asks for what
    you do not give. Paths in commands start in the folder of FILE.
    """
    from arena.config import load_values
    from arena.config.schema import SCHEMAS
    from referee import game, game_ids

    if schema is not None:
        output.print_json(SCHEMAS[f"{schema}.schema.json"]())
        return
    file = file or Path("tournament.toml")
    if file.suffix != ".toml":
        raise click.UsageError(f"{file}: the name of the file must end with .toml; the engines come after it")
    game_id = game_id or settings.implied_game("--game ID")

    def written(game_id: str, engines: Sequence[str], form: str | None) -> tuple[str, tuple[NewEngine, ...]]:
        """Return the text of the file, after a check, and the sample engines that complete the game."""
        entries = read_engines(engines, "the argument ENGINE", settings, time_control)
        added = tuple(_missing_opponents(game(game_id).info.players, entries))
        text = file_text(
            game_id,
            entries + added,
            comment=f"To play this tournament: arena run {quote(str(file))}",
            form=form or USUAL_FORMAT,
            time_control=time_control[0],
        )
        load_values(tomllib.loads(text), file)
        return text, added

    may_replace(file, force=force)
    if output.is_terminal():
        game_id = game_id or _ask(f"Game ({', '.join(game_ids())})", "quoridor", game)
        missing = game(game_id).info.players - len(engines)
        commands = [*engines, *(sample.command for sample in (opponents(missing + 1) if missing > 0 else ()))]
        written(game_id, commands, form)  # no answer mends what the options say
        for place in range(len(engines), len(commands)):

            def check(command: str, before: int = place, game_id: str = game_id) -> object:
                return written(game_id, [*commands[:before], command, *commands[before + 1 :]], form)

            commands[place] = _ask(f"Command of engine {place + 1}", commands[place], check)
        engines = tuple(commands)
        if form is None:
            question = f"Format ({', '.join(FORMAT_KEYS)})"
            form = _ask(question, USUAL_FORMAT, partial(written, game_id, engines))
    if game_id is None:
        raise click.UsageError(f"name the game with --game ID; the games are {', '.join(game_ids())}")
    if not engines:
        raise click.UsageError(
            f"name the engines after the file, as in: arena init {file} ./mine sample:greedy"
        )
    text, added = written(game_id, engines, form)
    with open_output(file) as out:
        out.write(text.encode())
    for sample in added:
        tell(f"{game_id} needs another engine, so {sample.command} plays, too")
    click.echo(f"{file}\n\nWhat to try next:\n  {arena_command('run', str(file))}")


def _missing_opponents(players: int, engines: Sequence[NewEngine]) -> Iterator[NewEngine]:
    """Yield sample engines that complete a game; those that do not play yet come first."""
    names = {engine.name for engine in engines}
    commands = {engine.command for engine in engines}
    every_sample = sorted(opponents(4), key=lambda sample: sample.command in commands)
    for sample in every_sample[: max(players - len(engines), 0)]:
        yield replace(sample, name=free_name(sample.name, names))


def _ask(question: str, default: str, check: Callable[[str], object]) -> str:
    """Ask again until ``check`` raises no error for users."""
    from arena.errors import user_errors

    def checked(answer: str) -> str:
        try:
            check(answer)
        except user_errors() as error:
            raise click.UsageError(str(error)) from None
        return answer

    answer: str = click.prompt(question, default=default, err=True, value_proc=checked)
    return answer
