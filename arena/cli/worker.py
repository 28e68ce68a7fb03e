"""``arena worker``: play games for another machine: of a scheduler, or of a file of orders."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from arena.cli.common import values
from arena.cli.common.engines import warn_of_root
from arena.cli.common.output import input_name, open_input, same_command, tell
from arena.cli.common.parameters import examples
from arena.cli.program import FAILED
from arena.errors import leaves
from arena.extras import need_extra
from protocol.words import counted

if TYPE_CHECKING:
    from arena.run.executor import ExecutorEvent


@click.command(
    "worker",
    epilog=examples(
        "$ arena worker tls://hub:8786",
        "$ arena worker orders.jsonl --output results.jsonl",
        "$ arena worker --new-certificates certificates",
    ),
)
@click.argument("source", type=values.SCHEDULER_OR_ORDERS, metavar="ADDRESS|ORDERS", required=False)
@click.option(
    "--worker",
    "name",
    type=values.NAME,
    help="With ADDRESS: the worker's name.  [default: this machine's]",
)
@click.option(
    "--cores",
    type=values.CORES,
    help="With ADDRESS: how many cores the worker offers.  [default: all that it may use]",
)
@click.option(
    "--certificates",
    type=values.FOLDER,
    default=Path("certificates"),
    metavar="DIR",
    help="With tls://: the folder with the certificates of this machine.",
)
@click.option(
    "--new-certificates",
    type=values.FOLDER,
    metavar="DIR",
    help="Only make certificates in DIR for the machines of a cluster.",
)
@click.option(
    "--concurrency",
    type=values.CONCURRENCY,
    default=1,
    help="With ORDERS: how many games run at the same time.",
)
@click.option(
    "--events", is_flag=True, help="With ORDERS: also print what happens in the games before they end."
)
@click.option(
    "-o",
    "--output",
    type=values.FILE,
    help="With ORDERS: add the lines to this file, and leave out the games that have a result in it.",
)
def command(
    source: str | Path | None,
    name: str | None,
    cores: int | None,
    certificates: Path,
    new_certificates: Path | None,
    concurrency: int,
    events: bool,
    output: Path | None,
) -> None:
    """Let this machine play games for tournaments that run on another machine.

    ADDRESS is a Dask scheduler, as in tls://hub:8786. The worker plays games for it until Ctrl-C, and each
    game has cores for itself. If the scheduler goes away, the worker waits until it is back.

    ORDERS is a file with an order to the referee in each line; - is standard input. Each game that has ended
    is a line of JSON on standard output, or in FILE. After Ctrl-C the same command with FILE plays the games
    that are missing.

    --new-certificates makes certificates with which only your own machines talk to each other. Copy ca.pem
    and machine.pem to all machines of the cluster, and keep ca-key.pem for yourself. People who have
    machine.pem can run programs on all of them.
    """
    if (source is None) == (new_certificates is None):
        raise click.UsageError("name a scheduler, a file of orders, or --new-certificates DIR")
    if new_certificates is not None:
        _make_certificates(new_certificates)
    elif isinstance(source, Path):
        _play(source, concurrency, output, every_event=events)
    else:
        need_extra("dask", "games on many machines")
        from arena.workers.worker import run_worker

        run_worker(str(source), name, cores, certificates, tell)


def _make_certificates(folder: Path) -> None:
    """Make the certificates that are not in the folder yet, and print their paths."""
    need_extra("dask", "games on many machines")
    from arena.workers.security import make_certificates

    for path in make_certificates(folder):
        click.echo(str(path))


def _play(orders: Path, concurrency: int, output: Path | None, *, every_event: bool) -> None:
    """Play the games of a file of orders that have no result in the output yet."""
    import trio

    from arena.run.batch import engines_of, play_batch, read_orders, read_results
    from protocol.process.lifetime import adopt_orphans

    with open_input(orders) as lines:
        batch = read_orders(input_name(orders), lines)
    if output is not None and output.exists():
        with open_input(output) as lines:
            results = read_results(str(output), lines)
        batch = [order for order in batch if order.id not in results]
    warn_of_root(engine for order in batch for engine in engines_of(order))
    adopt_orphans()
    try:
        with nullcontext(sys.stdout.buffer) if output is None else output.open("ab") as file:
            play = partial(play_batch, concurrency=concurrency, every_event=every_event)
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


def _write(out: BinaryIO, event: ExecutorEvent) -> None:
    from referee.match.job import encode

    out.write(encode(event))
    out.flush()
