"""Options that several commands share, and examples in their help."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from arena.address import DEFAULT_DATABASE
from arena.cli.common import values

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

database_option = click.option(
    "--db",
    "database",
    type=values.DATABASE,
    default=Path(DEFAULT_DATABASE),
    envvar="ARENA_DB",
    show_envvar=True,
    help="The database with the results: a file, or postgresql://USER@HOST/NAME.",
)
game_option = click.option("--game", "game_id", type=values.GAME, help="Take only games of this id.")
game_argument = click.argument("game_id", type=values.GAME, metavar="ID")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
host_option = click.option(
    "--host",
    type=values.NAME,
    default="127.0.0.1",
    metavar="ADDRESS",
    help="Where to listen. Only this machine can reach 127.0.0.1.",
)
port_option = click.option(
    "--port",
    type=values.PORT,
    default=8321,
    help="The port to listen on; 0 for any that is free.",
)
concurrency_option = click.option(
    "--concurrency", type=values.CONCURRENCY, help="How many games run at the same time."
)
force_option = click.option("--force", is_flag=True, help="Replace an existing file without a question.")
_format_option = click.option(
    "--format",
    "output_format",
    type=click.Choice(["table", "json", "csv", "md"]),
    help="The format of the tables.  [default: table]",
)
start_option = click.option(
    "--start",
    type=values.POSITION,
    metavar="START",
    help="Start from this position string, or this set-up: default, random:SEED, or a name of the game's.",
)
ascii_option = click.option(
    "--ascii", "ascii_only", is_flag=True, help="Draw boards with ASCII characters only."
)


def is_typed(parameter: str) -> bool:
    """Return whether the user has typed a parameter; its value can also come from the environment."""
    source = click.get_current_context().get_parameter_source(parameter)
    return source is click.ParameterSource.COMMANDLINE


def time_control_option(
    default: str | None, help_text: str, *, several: bool = False
) -> Callable[[Decorated], Decorated]:
    """Add ``--time-control``, a time control as a tournament file writes it, or several of them."""
    return click.option(
        "--time-control",
        "--tc",
        multiple=several,
        type=values.LINE,
        default=[default] if several else default,
        metavar="TC",
        help=help_text,
    )


def sprt_option(help_text: str) -> Callable[[Decorated], Decorated]:
    """Add ``--sprt``, the two hypotheses of a test in Elo."""
    return click.option("--sprt", type=values.LINE, callback=_sprt, metavar="E0,E1", help=help_text)


def _sprt(_ctx: click.Context, _option: click.Parameter, text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    try:
        first, second = (float(part) for part in text.split(","))
    except ValueError:
        raise click.BadParameter(f"this must be two differences in Elo, as in 0,5, not {text!r}") from None
    return first, second


def log_option(help_text: str) -> Callable[[Decorated], Decorated]:
    """Add ``--log``, the folder for transcripts."""
    return click.option("--log", type=values.FOLDER, metavar="DIR", help=help_text)


def seed_option(what: str) -> Callable[[Decorated], Decorated]:
    """Add ``--seed``; ``what`` names what is drawn at random."""
    return click.option("--seed", type=values.INT64, default=1, help=f"The seed for the random {what}.")


dry_run_option = click.option(
    "--dry-run", is_flag=True, help="Play nothing; say what would be played, and how long it takes."
)
accept_option = click.option(
    "--accept-changed-options",
    is_flag=True,
    help="Play on if an engine has played with other `options` in this tournament.",
)


def examples(*lines: str) -> str:
    """Return a help epilog with examples; a line that starts with ``$`` is a call."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def format_options(function: Decorated) -> Decorated:
    """Add ``--format``, and ``--json`` for ``--format json``; the command takes both as ``output_format``."""

    @wraps(function)
    def with_format(*args: Any, as_json: bool, output_format: str | None, **others: Any) -> Any:  # noqa: ANN401 - any command
        if as_json and output_format not in (None, "json"):
            raise click.UsageError(f"give either --json or --format {output_format}, not both")
        return function(*args, output_format="json" if as_json else output_format or "table", **others)

    return json_option(_format_option(with_format))  # type: ignore[return-value]  # it takes one argument less
