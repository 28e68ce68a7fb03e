"""``arena new-engine``: write a small working engine into a folder."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

import click

from arena.cli.common import values
from arena.cli.common.parameters import examples
from arena.engine_templates import LANGUAGES, engine_name, try_line, write_engine


@click.command(
    "new-engine",
    epilog=examples(
        "$ arena new-engine mine --lang python --game quoridor",
        "$ arena new-engine mine --lang rust --game hops",
    ),
)
@click.argument("folder", metavar="DIR", type=values.FOLDER)
@click.option(
    "--lang",
    required=True,
    type=click.Choice(list(LANGUAGES)),
    help="The language of the engine. For another one see `arena docs protocol`.",
)
@click.option("--game", "game_id", required=True, type=values.GAME, help="The game, as in `arena games`.")
def command(folder: Path, lang: str, game_id: str) -> None:
    """Write an engine for the game ID into the folder DIR. It always plays a legal move in time.

    DIR must be empty or not exist. The engine gets the name of the folder. README.md in the folder explains
    how to build, try and check the engine. `arena run tournament.toml` there plays it against
    a sample engine.
    """
    from arena.cli.common.output import open_output, own_name
    from arena.cli.new_tournament import NewEngine, file_text, opponents
    from referee import game

    info = game(game_id).info
    language = LANGUAGES[lang]
    written = write_engine(folder, lang, info)
    tournament = folder / "tournament.toml"
    engines = (NewEngine(engine_name(folder), language.entry), *opponents(info.players))
    text = file_text(info.id, engines, comment="To play this tournament: arena run tournament.toml")
    with open_output(tournament) as out:
        out.write(text.encode())
    for file in (*written, tournament):
        click.echo(file)
    click.echo("\nWhat to try next:")
    arena = quote(own_name())
    run = f"{arena} run {tournament.name}"
    for line in (f"cd {quote(str(folder))}", *language.build, try_line(language, info, arena), run):
        click.echo(f"  {line}")
