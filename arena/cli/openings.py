"""``arena openings``: choose random openings, filter them by an engine's score, or check a file of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from arena.cli.common import values
from arena.cli.common.engines import (
    CommandLineSettings,
    engine_options,
    read_command,
    warn_of_engine,
    warn_of_root,
)
from arena.cli.common.output import may_replace, open_output, progress_line, tell
from arena.cli.common.parameters import (
    examples,
    force_option,
    game_argument,
    seed_option,
    start_option,
    time_control_option,
)
from arena.cli.program import FAILED
from protocol.words import counted, printable

if TYPE_CHECKING:
    from arena.model import Opening
    from referee import Game

_MARGIN: Final = 10_000
"""How many milliseconds the engine may exceed its time: no opponent waits, and a busy machine is late."""


@click.command(
    "openings",
    epilog=examples(
        "$ arena openings quoridor --plies 6 --count 100 -o book.txt",
        "$ arena openings hops --plies 2 --filter './mine --quiet' --window 80 -o book.txt",
        "$ arena openings chess --check book.epd",
    ),
)
@game_argument
@click.option(
    "--plies",
    type=values.OPENING_PLIES,
    default=4,
    help="The number of moves in each opening.",
)
@click.option("--count", type=values.COUNT, default=20, help="The number of openings.")
@seed_option("moves")
@start_option
@click.option(
    "--filter",
    "filter_command",
    type=values.COMMAND,
    metavar="CMD",
    help="Keep only openings that this engine scores near 0.",
)
@click.option(
    "--window",
    type=values.CENTIPAWNS,
    default=50,
    help="Keep openings with a score of at most this many centipawns above or below 0.",
)
@time_control_option("movetime=0.1", "The time control of the --filter engine for each opening.")
@engine_options("the --filter engine", short=(), margin=False)
@click.option(
    "--check",
    "checked",
    type=values.FILE,
    help="Check every opening of this file instead, and name each bad line.",
)
@click.option(
    "-o",
    "--output",
    type=values.FILE_OR_STREAM,
    help="The file to write. The default is standard output.",
)
@force_option
def command(
    game_id: str,
    plies: int,
    count: int,
    seed: int,
    start: str | None,
    filter_command: str | None,
    window: int,
    time_control: str,
    settings: CommandLineSettings,
    checked: Path | None,
    output: Path | None,
    force: bool,
) -> None:
    """Choose random openings of the game ID, for `file =` under [openings] in a tournament file.

    No two openings have the same moves, as long as there are enough. No opening ends the game or lets the
    next player end it immediately. The same seed gives the same openings on every machine. With --filter an
    engine scores each opening, and only openings with a score near 0 are kept. With --check nothing is
    chosen: the openings of a file are checked, and the exit code is 1 if one is bad.
    """
    from arena.openings.book import OpeningBook, OpeningSpec
    from referee import game

    may_replace(output, force=force)
    rules = game(game_id)
    if checked is not None:
        _check(rules, checked, start)
        return
    book = OpeningBook(OpeningSpec("random", plies=plies, seed=seed), rules, start)
    lines: list[str] = []
    if filter_command is None:
        lines = [" ".join(book.opening(number).moves) for number in range(count)]
    else:
        from dataclasses import replace

        import trio

        from arena.single import OpeningJudge, choose_openings
        from referee.match.time_control import TimeControl

        spec = settings.spec("the filter", read_command(filter_command, "--filter"))
        spec = replace(spec, margin=_MARGIN)
        warn_of_root([spec])
        judge = OpeningJudge(spec, TimeControl.parse(time_control), window)

        def keep(opening: Opening, score: int) -> None:
            lines.append(f"{' '.join(opening.moves)}  # {score:+}")

        examined = trio.run(choose_openings, rules, book, count, judge, keep, warn_of_engine)
        tell(f"within {counted(window, 'centipawn')}: {count} of {counted(examined, 'opening')}")
    with open_output(output) as out:
        out.write("".join(f"{line}\n" for line in lines).encode())


def _check(rules: Game, file: Path, setup: str | None) -> None:
    """Check all openings of a file, print the bad ones, and exit with 1 if there is one."""
    from arena.errors import OpeningError
    from arena.openings.book import OpeningBook, OpeningSpec
    from arena.openings.file import open_file

    entries = open_file(file)
    book = OpeningBook(OpeningSpec("list", entries), rules, setup)
    bad = 0
    with progress_line() as show_line:
        for place in range(len(entries)):
            show_line(f"{file}: {place} of {counted(len(entries), 'opening')}")
            try:
                book.entry(place)
            except OpeningError as error:
                bad += 1
                click.echo(printable(str(error)))
    click.echo(f"{counted(len(entries), 'opening')}, {bad} bad")
    if bad:
        raise click.exceptions.Exit(FAILED)
