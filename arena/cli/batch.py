"""``arena batch``: play the games of a file of orders, and print a line for each that has ended."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.common import values
from arena.cli.common.engines import warn_of_root
from arena.cli.common.output import tell
from arena.cli.common.parameters import examples
from arena.cli.program import FAILED, run_trio
from arena.errors import explaining_unreadable, leaves
from protocol.words import counted

if TYPE_CHECKING:
    from arena.run.batch import BatchOrder
    from arena.run.executor import ExecutorEvent
    from protocol.spec import EngineSpec

__all__ = ["command"]


@click.command(
    "batch", epilog=examples("$ arena batch orders.jsonl > results.jsonl", "$ arena batch - --concurrency 4")
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
def command(orders: Path, concurrency: int, events: bool) -> None:
    """Play the games of ORDERS, a file with an order to the referee in each line; - is standard input.

    Each game that has ended is a line of JSON on standard output.
    """
    batch = _read(orders)
    warn_of_root(engine for order in batch for engine in _engines(order))
    from arena.run.batch import play_batch
    from protocol.process.lifetime import adopt_orphans

    adopt_orphans()
    try:
        play = partial(play_batch, concurrency=concurrency, every_event=events)
        summary = run_trio(play, batch, _print)
    except* BrokenPipeError as group:
        raise next(leaves(group)) from None  # as without trio: it has an exit code of its own
    if summary.failed:
        tell(f"without a result: {counted(summary.failed, 'order')}")
        raise click.exceptions.Exit(FAILED)


def _read(file: Path) -> list[BatchOrder]:
    from arena.run.batch import read_orders

    if str(file) == "-":
        return read_orders("standard input", sys.stdin.buffer)
    with explaining_unreadable(file), file.open("rb") as lines:
        return read_orders(str(file), lines)


def _engines(order: BatchOrder) -> Iterator[EngineSpec]:
    from referee.match.job import Job

    if isinstance(order, Job):
        yield from (seat.engine for seat in order.seats)
    else:
        yield order.engine


def _print(event: ExecutorEvent) -> None:
    from referee.match.job import encode

    sys.stdout.buffer.write(encode(event))
    sys.stdout.buffer.flush()
