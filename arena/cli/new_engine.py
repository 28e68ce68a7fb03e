"""``arena new-engine``: write a small working engine into a folder."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Any, Final

import click

from arena.cli.common import values
from arena.cli.common.parameters import examples

_LANGUAGE_IDS: Final = ("python", "c", "cpp", "rust", "go", "js", "java", "kotlin", "lua", "ocaml")

_ALSO: Final = {
    "c++": "cpp",
    "golang": "go",
    "javascript": "js",
    "kt": "kotlin",
    "ml": "ocaml",
    "node": "js",
    "nodejs": "js",
    "py": "python",
    "python3": "python",
    "rs": "rust",
}
"""Other words for the languages."""

_ALIKE: Final = 0.75
"""The least likeness of a misspelt word, as `difflib` measures it; Scala is no misspelt OCaml."""


class _Language(click.Choice[str]):
    """The id of a language that has a template."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ANN401 - click's own signature
        """Return the id; if there is none, name the one that is meant, or all."""
        words = {word: word for word in _LANGUAGE_IDS} | _ALSO
        if value not in _LANGUAGE_IDS:
            import difflib

            near = difflib.get_close_matches(str(value).lower(), words, n=1, cutoff=_ALIKE)
            others = (
                f"choose one of {', '.join(_LANGUAGE_IDS)}; for another language see `arena docs protocol`"
            )
            advice = f"did you mean {words[near[0]]}?" if near else others
            self.fail(f"there is no template for {str(value)!a}; {advice}", param, ctx)
        return str(value)


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
    type=_Language(_LANGUAGE_IDS),
    help="The language of the engine. For another one see `arena docs protocol`.",
)
@click.option(
    "--game", "game_id", required=True, type=values.GAME, metavar="ID", help="The game, as in `arena games`."
)
def command(folder: Path, lang: str, game_id: str) -> None:
    """Write an engine for the game ID into the folder DIR. It always plays a legal move in time.

    DIR must be empty or not exist. The engine gets the name of the folder. README.md in the folder explains
    how to build, try and check the engine. `arena run tournament.toml` there plays it against
    a sample engine.
    """
    from arena.cli.common.advice import own_name
    from arena.cli.common.new_tournament import NewEngine, file_text, opponents
    from arena.cli.common.output import open_output
    from arena.engine_templates import LANGUAGES, engine_name, try_line, write_engine
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
