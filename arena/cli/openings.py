"""``arena openings``: a list of openings for tournaments, balanced ones if an engine judges them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.common.engines import read_command
from arena.cli.common.parameters import examples, json_option, print_json, setup_option
from protocol.plurals import counted

if TYPE_CHECKING:
    from arena.model import Opening
    from arena.single.judge_openings import OpeningJudge

__all__ = ["command"]


@click.command(
    "openings",
    epilog=examples(
        "$ arena openings quoridor --plies 6 --count 100 -o book.txt",
        "$ arena openings hops --plies 2 --filter './mine --quiet' --window 80 -o book.txt",
    ),
)
@click.argument("game_id", metavar="ID")
@click.option("--plies", type=click.IntRange(min=1), default=4, show_default=True, help="Moves of each.")
@click.option("--count", type=click.IntRange(min=1), default=20, show_default=True, help="Openings.")
@click.option("--seed", type=int, default=1, show_default=True, help="Of the random moves.")
@setup_option
@click.option("--filter", "judge", metavar="CMD", help="Keep what this engine holds for level.")
@click.option(
    "--window",
    type=click.IntRange(min=0),
    default=50,
    show_default=True,
    help="Centipawns that its score may be away from 0.",
)
@click.option(
    "--time-control", default="movetime=0.1", show_default=True, help="Of the engine, for each opening."
)
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="The file to write.")
@json_option
def command(
    game_id: str,
    plies: int,
    count: int,
    seed: int,
    setup: str | None,
    judge: str | None,
    window: int,
    time_control: str,
    output: Path | None,
    as_json: bool,
) -> None:
    """Draw openings of the game ID at random, for `file =` under [openings] in a tournament file.

    No two are the same moves, none ends the game or can be won at once, and the same seed gives the same
    ones on every machine. With --filter an engine looks at each, and those stay whose score is near 0.
    """
    from arena.opening_book import OpeningBook, OpeningSpec
    from referee import game

    rules = game(game_id)
    book = OpeningBook(OpeningSpec("random", plies=plies, seed=seed), rules, setup)
    found: list[tuple[Opening, int | None]] = []
    if judge is None:
        found = [(book.opening(number), None) for number in range(count)]
    else:
        import trio

        from arena.single.judge_openings import choose

        asked = _judge(judge, time_control, window)
        looked = trio.run(choose, rules, book, count, asked, lambda *one: found.append(one), _warn)
        click.echo(
            f"within {counted(window, 'centipawn')}: {count} of {counted(looked, 'opening')}", err=True
        )
    if as_json:
        print_json([{"opening": _text(opening), "score": score} for opening, score in found])
        return
    lines = [_text(opening) + (f"  # {score:+}" if score is not None else "") for opening, score in found]
    if output is None:
        click.echo("\n".join(lines))
    else:
        output.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _judge(text: str, time_control: str, window: int) -> OpeningJudge:
    from arena.single.judge_openings import OpeningJudge
    from protocol.spec import EngineSpec
    from referee.match.time_control import TimeControl

    spec = EngineSpec("the filter", read_command(text, "--filter"))
    return OpeningJudge(spec, TimeControl.parse(time_control), window)


def _text(opening: Opening) -> str:
    """An opening as a line of a list: its moves, from where the tournament's `setup` begins."""
    return " ".join(opening.moves)


def _warn(name: str, text: str) -> None:
    click.echo(f"warning: {name}: {text}", err=True)
