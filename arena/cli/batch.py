"""``arena batch``: play the games of a file of orders, and print a line for each that has ended."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from arena.cli.common import values
from arena.cli.common.engines import warn_of_root
from arena.cli.common.output import input_name, open_input, same_command, tell
from arena.cli.common.parameters import examples
from arena.cli.program import FAILED
from arena.errors import ArenaError, leaves
from protocol.words import counted

if TYPE_CHECKING:
    from arena.run.batch import BatchOrder
    from arena.run.executor import ExecutorEvent
    from protocol.spec import EngineSpec


@click.command(
    "batch",
    epilog=examples("$ arena batch orders.jsonl --output results.jsonl", "$ arena batch - --concurrency 4"),
)
@click.argument("orders", type=values.FILE_OR_STREAM, metavar="ORDERS")
@click.option(
    "--concurrency",
    type=values.CONCURRENCY,
    default=1,
    show_default=True,
    metavar="N",
    help="How many games run at once.",
)
@click.option("--events", is_flag=True, help="Also print what happens in the games before they end.")
@click.option(
    "-o",
    "--output",
    type=values.FILE,
    metavar="FILE",
    help="Add the lines to this file, and leave out the games that have a result in it.",
)
def command(orders: Path, concurrency: int, events: bool, output: Path | None) -> None:
    """Play the games of ORDERS, a file with an order to the referee in each line; - is standard input.

    Each game that has ended is a line of JSON on standard output, or in FILE. After Ctrl-C the same command
    with FILE plays the games that are missing.
    """
    import trio

    from arena.run.batch import play_batch, read_orders, read_results
    from protocol.process.lifetime import adopt_orphans

    with open_input(orders) as lines:
        batch = read_orders(input_name(orders), lines)
    if output is not None and output.exists():
        with open_input(output) as lines:
            results = read_results(str(output), lines)
        batch = [order for order in batch if order.id not in results]
    warn_of_root(engine for order in batch for engine in _engines(order))
    adopt_orphans()
    try:
        with _opened(output) as file:
            play = partial(play_batch, concurrency=concurrency, every_event=events)
            summary = trio.run(play, batch, partial(_write, file))
    except* BrokenPipeError as group:
        raise next(leaves(group)) from None  # as without trio: it has an exit code of its own
    except* KeyboardInterrupt:
        if output is None:
            more = "if the lines of ended games are in FILE, continue with: {} --output FILE"
        else:
            more = "continue with: {}"
        tell(f"stopped; {more.format(same_command())}")
        raise
    if summary.failed:
        tell(f"without a result: {counted(summary.failed, 'order')}")
        raise click.exceptions.Exit(FAILED)


def _engines(order: BatchOrder) -> Iterator[EngineSpec]:
    from referee.match.job import Job

    if isinstance(order, Job):
        yield from (seat.engine for seat in order.seats)
    else:
        yield order.engine


@contextmanager
def _opened(file: Path | None) -> Iterator[BinaryIO]:
    """Open a file to add lines; None is standard output."""
    if file is None:
        yield sys.stdout.buffer
        return
    try:
        out = file.open("ab")
    except OSError as error:
        raise ArenaError(f"{file}: this cannot be written: {error.strerror}") from error
    with out:
        yield out


def _write(out: BinaryIO, event: ExecutorEvent) -> None:
    from referee.match.job import encode

    out.write(encode(event))
    out.flush()
