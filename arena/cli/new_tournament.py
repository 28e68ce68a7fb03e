"""``arena init`` and ``arena match``: the tournament files that arena writes."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, Final, get_args

import click

from arena import bridges, samples
from arena.address import DEFAULT_DATABASE, Address
from arena.cli.common import output, values
from arena.cli.common.database import free_name, new_name
from arena.cli.common.engines import EngineSettings, engine_options, one_for_each, read_command
from arena.cli.common.output import arena_command, may_replace, open_output, same_command, tell
from arena.cli.common.parameters import (
    accept_option,
    database_option,
    dry_run_option,
    examples,
    force_option,
    json_option,
    time_control_option,
)
from arena.errors import ArenaError, ConfigError
from arena.formats.format import USUAL as USUAL_FORMAT
from arena.openings.file import BookName
from protocol.process.program import PYTHON
from protocol.words import counted
from referee.match.time_control import USUAL as USUAL_TIME

if TYPE_CHECKING:
    from arena.config import TournamentSpec


FORMAT_KEYS: Final = {
    "round-robin": ("games_per_pairing = 10", "how many games two engines play when they meet"),
    "gauntlet": ("games_per_pairing = 10", "the first engine plays so many games against each other one"),
    "swiss": ("rounds = 5", "each round pairs engines with equal points, for two games"),
    "knockout": ("games_per_pairing = 4", "the loser of each match is out"),
    "match": ("max_games = 100", "each opening is played twice, with the seats exchanged"),
    "stages": (
        'stages = [{ format = "round-robin" }, { format = "knockout", engines = 2 }]',
        "a table, and a final of its first two engines",
    ),
    "ladder": ("games_per_pairing = 10", "it ends when every pair has played so many games"),
}
"""A key of each built-in format, and what it means."""

TIME_HELP: Final = "How long engines may think. Give it once, or once for each engine."

_PLIES: Final = {"chess": 4, "chess960": 4}
"""The random moves of an opening, where two say too little."""

_INTERPRETER: Final = re.compile(
    r"(python|pypy|node|deno|bun|java|ruby|perl|php|lua|luajit|bash|sh|swipl|guile|sbcl|dotnet)[0-9.]*"
)
_COMMON_NAMES: Final = frozenset(
    {"bot", "engine", "main", "run", "start", "release", "debug", "target", "build", "bin"}
)
"""Names of programs and folders that do not tell one engine from another."""

_GIVEN_NAME: Final = re.compile(r"([^\s/=\"']+)=(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class NewEngine:
    """An engine as it is written into a file."""

    name: str
    command: str
    settings: Mapping[str, Any] = field(default_factory=dict)  # more keys of its table


def file_text(
    game_id: str,
    engines: Sequence[NewEngine],
    *,
    comment: str,
    form: str = USUAL_FORMAT,
    format_line: str | None = None,
    name: str | None = None,
    time_control: str = USUAL_TIME,
    openings: Path | None = None,
    sprt: tuple[str, str] | None = None,
    concurrency: int | None = None,
    database: str = DEFAULT_DATABASE,
) -> str:
    """Return the text of a tournament file with comments; ``format_line`` replaces the key of the format."""
    from arena.config.toml_file import toml_text

    usual, meaning = FORMAT_KEYS.get(form, ("", ""))
    if form == "swiss":
        usual = f"rounds = {max(1, min(5, len(engines) - 1))}"
    lines = [f"# {comment}", "# All keys: arena docs tournament-file", ""]
    if name is not None:
        lines.append(f"name = {toml_text(name)}  # to play it again, give it another name")
    lines += [f"game = {toml_text(game_id)}", f"format = {toml_text(form)}"]
    if format_line is None or format_line:
        lines.append(f"{format_line or usual}  # {meaning}" if meaning else "")
    usual_time = time_control == USUAL_TIME
    seconds = (
        "10 seconds for a game, and 0.1 more with each move" if usual_time else "arena docs time-controls"
    )
    lines.append(f"time_control = {toml_text(time_control)}  # {seconds}")
    if concurrency is not None:
        lines.append(f"concurrency = {concurrency}  # how many games run at once")
    if database != DEFAULT_DATABASE:
        lines.append(f"database = {toml_text(database)}")
    lines += ["", "[openings]"]
    if openings is not None:
        lines += ['kind = "list"', f"file = {toml_text(str(openings))}"]
    elif game_id in get_args(BookName):
        lines += ['kind = "list"', f"book = {toml_text(game_id)}  # balanced openings"]
    else:
        same = "the games of a pair have the same random moves, with the seats exchanged"
        lines += [f'kind = "random"  # {same}', f"plies = {_PLIES.get(game_id, 2)}"]
    if sprt is not None:
        lines += ["", "[sprt]  # the match ends when one of these differences in Elo is accepted"]
        lines += [f"elo0 = {sprt[0]}", f"elo1 = {sprt[1]}"]
    for engine in engines:
        keys = {"name": engine.name, "command": engine.command, **engine.settings}
        lines += ["", "[[engines]]", *(f"{key} = {toml_text(value)}" for key, value in keys.items())]
    return "\n".join(lines) + "\n"


def opponents(players: int) -> tuple[NewEngine, ...]:
    """Return sample engines that complete a game of so many players."""
    names = ("greedy", "random", "alphabeta")[: players - 1]
    return tuple(NewEngine(name, samples.PREFIX + name) for name in names)


def read_engines(
    texts: Sequence[str], option: str, settings: EngineSettings, time_controls: Sequence[str] = ()
) -> tuple[NewEngine, ...]:
    """Read engines of the form ``NAME=COMMAND`` or ``COMMAND``; UsageError: one cannot be read.

    An engine whose time control is not the first one has it among its settings.
    """
    engines: dict[str, NewEngine] = {}
    owner = f"there are {counted(len(texts), 'engine')}"
    settings.check_numbers(owner, len(texts))
    one_for_each(time_controls, len(texts), "--time-control", owner)
    for number, text in enumerate(texts):
        given = _GIVEN_NAME.fullmatch(text)
        command = given[2] if given else text
        words = read_command(command, option)
        name = given[1] if given else free_name(_name(words), engines)
        if name in engines:
            raise click.UsageError(f"{option}: two engines have the name {name!r}; names must differ")
        keys = settings.keys(words, number)
        if len(time_controls) > 1 and time_controls[number] != time_controls[0]:
            keys["time_control"] = time_controls[number]
        engines[name] = NewEngine(name, command.strip(), keys)
    return tuple(engines.values())


def _name(words: tuple[str, ...]) -> str:
    """Return a name for an engine with this command: that of its program, its script or its folder."""
    program, *arguments = words
    if program.startswith(samples.PREFIX):
        return program.partition(":")[2] or "sample"
    if program.startswith(bridges.PREFIX):
        try:
            program, *arguments = bridges.bot_of(bridges.expanded(words)) or words[1:]
        except ValueError as error:
            raise click.UsageError(str(error)) from None
    if program == PYTHON or _INTERPRETER.fullmatch(Path(program).name):
        scripts = (word for word in arguments if not word.startswith("-") and Path(word).stem)
        program = next(scripts, program)
    path = Path(program.replace("|", "-")).absolute()
    names = (path.stem, *(folder.name for folder in path.parents))
    return next((name for name in names if name and name.lower() not in _COMMON_NAMES), path.stem).strip()


# --- init


@click.command(
    "init",
    epilog=examples(
        "$ arena init duel.toml --game quoridor sample:greedy sample:random",
        "$ arena init league.toml new=./mine sample:random --game hops --tournament-format match",
    ),
)
@click.argument("file", type=values.FILE, metavar="FILE", required=False)
@click.argument("engines", type=values.LINE, nargs=-1, metavar="[ENGINE]…")
@click.option("--game", "game_id", type=values.GAME, metavar="ID", help="The game, as in `arena games`.")
@click.option(
    "--tournament-format",
    "form",
    type=click.Choice(list(FORMAT_KEYS)),
    help="Which engines play each other.",
)
@time_control_option(USUAL_TIME, TIME_HELP, several=True)
@engine_options("the engines", each="engine", short=("dialect",))
@force_option
def init(
    file: Path | None,
    engines: tuple[str, ...],
    game_id: str | None,
    form: str | None,
    time_control: tuple[str, ...],
    settings: EngineSettings,
    force: bool,
) -> None:
    """Write a tournament file with comments, tournament.toml unless you name another FILE.

    ENGINE is a command in quotes, or NAME=COMMAND; sample:random, sample:greedy and sample:alphabeta are
    engines to play against. `arena run FILE` plays the file as it is. On a terminal the command asks for what
    you do not give. Paths in commands start in the folder of FILE.
    """
    from arena.config import load_values
    from referee import game, game_ids

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

    known: tuple[type[Exception], ...] = (click.UsageError, *user_errors())
    while True:
        answer: str = click.prompt(question, default=default, err=True, type=values.LINE)
        try:
            check(answer)
        except known as error:
            tell(f"error: {error}")
        else:
            return answer


# --- match


def _sprt(_ctx: click.Context, _option: click.Parameter, text: str | None) -> tuple[str, str] | None:
    if text is None:
        return None
    try:
        first, second = (float(part) for part in text.split(","))
    except ValueError:
        raise click.BadParameter(f"this must be two differences in Elo, as in 0,5, not {text!r}") from None
    return repr(first), repr(second)


def _known_game(_ctx: click.Context, _argument: click.Parameter, game_id: str) -> str:
    """Return the id of a game, or raise its error before click can say that an engine is missing."""
    from referee import game

    return game(game_id).info.id


_OPTIONS: Final = {
    "max_games": "-n, --max-games",
    "time_control": "--time-control",
    "[sprt]": "--sprt",
    "[openings] file": "--openings",
}
"""The options of a match by the keys that they set."""


def _checked(text: str) -> TournamentSpec:
    """Check the file of a match; an error names the option that sets a wrong key."""
    from arena.config import load_values

    try:
        return load_values(tomllib.loads(text), Path("arena match"))
    except ConfigError as error:
        place = str(error).removeprefix("arena match: ")
        for key, option in _OPTIONS.items():
            if place.startswith(key):
                raise ArenaError(option + place.removeprefix(key)) from None
        raise


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
    metavar="N",
    help="Play this many games; with --sprt, at most so many.  [default: 100; with --sprt no limit]",
)
@click.option(
    "--sprt",
    type=values.LINE,
    callback=_sprt,
    metavar="E0,E1",
    help="End the match when a test accepts one of these Elo values.",
)
@click.option(
    "--openings",
    type=values.FILE,
    metavar="FILE",
    help="Take the openings from this file, not random ones.",
)
@time_control_option(USUAL_TIME, TIME_HELP, several=True)
@engine_options("the engines", each="engine")
@click.option("--concurrency", type=values.CONCURRENCY, metavar="N", help="How many games run at once.")
@click.option(
    "--name",
    type=values.TITLE,
    metavar="NAME",
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
    sprt: tuple[str, str] | None,
    openings: Path | None,
    time_control: tuple[str, ...],
    settings: EngineSettings,
    concurrency: int | None,
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
    engines to play against. The games are stored as those of any tournament. The file
    that repeats the match is printed first, on standard error.
    """
    from arena.cli.run import play, print_forecast

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
        concurrency=concurrency,
        database=str(database),
    )
    spec = _checked(text)
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
