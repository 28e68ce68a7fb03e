"""The text of a tournament file, and the engines that a command line names for it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, get_args

import click

from arena import bridges, samples
from arena.address import DEFAULT_DATABASE
from arena.cli.common.database import free_name
from arena.cli.common.engines import CommandLineSettings, one_for_each, read_command
from arena.formats.format import USUAL as USUAL_FORMAT
from arena.openings.file import BookName
from protocol.process.program import PYTHON
from protocol.words import counted
from referee.match.time_control import USUAL as USUAL_TIME

FORMAT_KEYS: Final = {
    "round-robin": ("games_per_pairing = 10", "how many games two engines play when they meet"),
    "gauntlet": ("games_per_pairing = 10", "how many games the first engine plays against each other one"),
    "swiss": ("rounds = 5", "each round pairs engines with equal points, for two games"),
    "knockout": ("games_per_pairing = 4", "the loser of each match is out"),
    "match": ("max_games = 100", "each opening is played twice, with the seats exchanged"),
    "stages": (
        'stages = [{ format = "round-robin" }, { format = "knockout", engines = 2 }]',
        "a table, and a final of its first two engines",
    ),
    "ladder": ("games_per_pairing = 10", "it ends when every pair has played this many games"),
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
    sprt: tuple[float, float] | None = None,
    database: str = DEFAULT_DATABASE,
    keys: Mapping[str, object] | None = None,
    adjudication: Mapping[str, object] | None = None,
) -> str:
    """Return the text of a tournament file with comments; ``format_line`` replaces the key of the format.

    ``keys`` are more keys of the file, and None is no value of them.
    """
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
    lines += _lines(keys or {})
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
    if adjudication:
        lines += ["", "[adjudication]", *_lines(adjudication)]
    for engine in engines:
        lines += ["", "[[engines]]"]
        lines += _lines({"name": engine.name, "command": engine.command, **engine.settings})
    return "\n".join(lines) + "\n"


def _lines(keys: Mapping[str, object]) -> list[str]:
    from arena.config.toml_file import toml_text

    return [f"{key} = {toml_text(value)}" for key, value in keys.items() if value is not None]


def opponents(players: int) -> tuple[NewEngine, ...]:
    """Return sample engines that complete a game of this many players."""
    names = ("greedy", "random", "alphabeta")[: players - 1]
    return tuple(NewEngine(name, samples.PREFIX + name) for name in names)


def read_engines(
    texts: Sequence[str], option: str, settings: CommandLineSettings, time_controls: Sequence[str] = ()
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
    """Return a name for an engine with this command: the name of its program, script or folder."""
    program, *arguments = words
    if program.startswith(samples.PREFIX):
        return program.partition(":")[2] or "sample"
    if program.startswith(samples.LEVEL):
        return program.replace(":", "-")
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
