"""``arena mcp``: let an agent play from its own program."""

from __future__ import annotations

import click

from arena import samples
from arena.address import Address
from arena.cli.common import values
from arena.cli.common.engines import CommandLineSettings, read_command, warn_of_engine, warn_of_root
from arena.cli.common.parameters import database_option, examples, time_control_option
from arena.cli.new_tournament import read_engines
from arena.errors import ArenaError
from referee.match.time_control import USUAL

_SAMPLES = tuple(f"{samples.PREFIX}{name}" for name in samples.NAMES)
_LEVELS = tuple(f"{samples.LEVEL}{level}" for level in range(1, samples.HIGHEST_LEVEL + 1))


@click.command(
    "mcp",
    epilog=examples(
        "$ arena mcp",
        '$ arena mcp --as gpt-oss --opponent "mine=python3 mine.py" --db agents.db',
    ),
)
@click.option(
    "--as",
    "agent",
    type=values.NAME,
    default="",
    show_default=False,
    help="The agent's name.  [default: its program's]",
)
@click.option(
    "--opponent",
    "given",
    type=values.LINE,
    multiple=True,
    metavar="[NAME=]CMD",
    help="Another engine that the agent may play against, beside the samples and the levels; repeatable.",
)
@time_control_option(USUAL, "The opponents' time control. Levels and the random engine need no time.")
@click.option(
    "--forgive",
    type=values.Number(0, 1000),
    default=3,
    help="How many illegal moves are forgiven in a game, as the key forgive.illegal says.",
)
@click.option(
    "--name",
    type=values.TITLE,
    default="agents",
    help="The tournament with the games; one of this name is continued.",
)
@database_option
def command(
    agent: str,
    given: tuple[str, ...],
    time_control: str,
    forgive: int,
    name: str,
    database: Address,
) -> None:
    """Let an agent play rated games against engines: a server of MCP on standard input and output.

    The program of the agent starts this command, and gives its model five tools: list_games, new_game, state,
    move and resign. An illegal move is answered with the reason and the legal moves. The games are stored as
    in any tournament. If the program ends, the agent resigns.
    """
    import trio

    from arena.mcp.local import LocalGames, Opponent
    from arena.store import Store
    from protocol.process.lifetime import adopt_orphans
    from referee.match.forgiveness import Forgiveness
    from referee.match.time_control import TimeControl

    texts = (*_SAMPLES, *_LEVELS, *given)
    opponents = {}
    for text, engine in zip(texts, read_engines(texts, "--opponent", CommandLineSettings()), strict=True):
        if engine.name == agent:
            raise click.UsageError(f"--as: an opponent has the name {agent!r}, too")
        words = read_command(engine.command, "--opponent")
        spec = CommandLineSettings().spec(engine.name, words)
        opponents[engine.name if text in given else text] = Opponent(spec, words)
    forgiveness = Forgiveness(illegal=forgive)
    adopt_orphans()
    warn_of_root(opponent.spec for opponent in opponents.values())
    store = Store.open(database, create=True)
    try:
        store.begin_tournament(name, {"forgive": str(forgiveness)})
        if store.outline(name):
            raise ArenaError(f"{name}: a tournament file plays this tournament; choose another --name")
        trio.run(
            LocalGames(
                store,
                name,
                opponents,
                agent,
                str(TimeControl.parse(time_control)),
                forgiveness,
                warn_of_engine,
            ).run
        )
    finally:
        store.close()
