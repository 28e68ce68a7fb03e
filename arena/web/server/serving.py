"""Serve the application by Hypercorn under trio, until the user wants it to end."""

from __future__ import annotations

import errno
import gc
import logging
import signal
import socket
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass

import trio
from hypercorn.config import Config
from hypercorn.trio import serve

from arena.errors import ArenaError
from arena.run.local import open_referees
from arena.store import Store
from arena.web.play import Offer
from arena.web.server.app import ServedDoor, application
from arena.web.server.broadcast import Broadcast
from arena.web.server.databases import Databases
from arena.web.server.play import Club
from arena.web.templating import prepare

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
"""The names of this machine for itself."""

_GRACE = 0.5
"""Seconds in which answers may end after the user wants the server to end."""


@dataclass(frozen=True, slots=True)
class PlaySettings:
    """What people can play on a server."""

    offer: Offer
    most_games: int  # at once
    warn: Callable[[str, str], None]  # called with an engine's name and a sentence for the user of the server


async def serve_databases(
    stores: list[Store],
    host: str,
    port: int,
    ready: Callable[[str], None],
    play: PlaySettings | None = None,
    door: ServedDoor | None = None,
) -> None:
    """Serve until SIGINT or SIGTERM; call ``ready`` with the address of the home page when it answers.

    Raises:
        ArenaError: it cannot listen there.
    """
    async with AsyncExitStack() as stack:
        club = None
        if play is not None:
            # One referee for all games: each waits for people nearly all the time.
            referees = await stack.enter_async_context(open_referees((None,), keep=0))
            club = Club(play.offer, referees, play.most_games, play.warn, stores[0] if stores else None)
            stack.push_async_callback(club.close)
        await _serve(stores, host, port, ready, club, door)


async def _serve(
    stores: list[Store],
    host: str,
    port: int,
    ready: Callable[[str], None],
    club: Club | None,
    door: ServedDoor | None,
) -> None:
    listener = _listen(host, port)
    port = listener.getsockname()[1]
    config = Config()
    config.bind = [f"fd://{listener.detach()}"]  # Hypercorn closes it
    config.include_server_header = False
    config.errorlog = logging.getLogger("arena.serve")
    config.graceful_timeout = config.shutdown_timeout = _GRACE
    config.h11_max_incomplete_size = 32_768
    databases = Databases(stores)
    broadcast = Broadcast(databases)
    # A server for other machines cannot know all of its names, so it answers for every host.
    hosts = LOOPBACK if host in LOOPBACK else frozenset[str]()
    if hosts and door is not None:
        hosts |= {door.host}
    app = application(databases, broadcast, hosts, club, door)
    prepare()
    stop = trio.Event()
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async with trio.open_nursery() as nursery:

            async def end_on_signal() -> None:
                async for _ in signals:
                    broadcast.end_streams()
                    if club is not None:
                        club.end_streams()
                    stop.set()

            async def serving(task_status: trio.TaskStatus[list[str]]) -> None:
                await serve(app, config, shutdown_trigger=stop.wait, task_status=task_status)  # type: ignore[arg-type]  # Hypercorn spells the type of an application in another way
                nursery.cancel_scope.cancel()

            nursery.start_soon(end_on_signal)
            nursery.start_soon(broadcast.run)
            if club is not None:
                nursery.start_soon(club.run)
            await nursery.start(serving)
            # Else Python looks now and then for garbage among all modules, and everybody waits for 150 ms.
            gc.collect()
            gc.freeze()
            name = _reachable(host)
            ready(f"http://{f'[{name}]' if ':' in name else name}:{port}")


def _listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens.

    Raises:
        ArenaError: this is not possible; the message says why.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(1024)
        except BaseException:
            listener.close()
            raise
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        taken = isinstance(error, OSError) and error.errno == errno.EADDRINUSE
        remedy = "--port 0 takes any free port" if taken else "--host must name an address of this machine"
        raise ArenaError(f"cannot listen on {host} port {port}: {reason}; {remedy}") from error
    return listener


def _reachable(host: str) -> str:
    """Return the address at which others reach a server. It may listen on one address or on all."""
    wildcards = {"0.0.0.0": (socket.AF_INET, "192.0.2.1"), "::": (socket.AF_INET6, "2001:db8::1")}  # noqa: S104 - nothing listens here
    if host not in wildcards:
        return host
    family, far = wildcards[host]
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as way:
            way.connect((far, 9))  # sends nothing; the addresses are those of RFC 5737 and 3849
            return str(way.getsockname()[0])
    except OSError:  # this machine has no network
        return "localhost"
