"""``arena new-engine``: a folder with a small engine that works, to start an own one from."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.common.parameters import examples

__all__ = ["command"]

_WORDS = ("python", "c", "cpp", "rust", "js", "java")


@click.command(
    "new-engine",
    epilog=examples(
        "$ arena new-engine mine --lang python --game quoridor",
        "$ arena new-engine mine --lang rust --game hops",
    ),
)
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.option("--lang", required=True, type=click.Choice(_WORDS), help="The language to write it in.")
@click.option("--game", "game_id", required=True, metavar="ID", help="The game, as in `arena games`.")
def command(folder: Path, lang: str, game_id: str) -> None:
    """Make the folder DIR with an engine for the game ID that plays any legal move in time.

    DIR must be empty, or not there yet. Its name becomes the engine's. README.md in it says how to build the
    engine, try it, check it, and enter it in a tournament.
    """
    from arena.engine_templates import LANGUAGES, try_line, write_engine
    from referee import game

    info = game(game_id).info
    for file in write_engine(folder, lang, info):
        click.echo(file)
    language = LANGUAGES[lang]
    click.echo("\nWhat to try next:")
    for line in (f"cd {folder}", *language.build, try_line(language, info)):
        click.echo(f"  {line}")
