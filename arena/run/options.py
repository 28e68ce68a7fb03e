"""Check the options of engines before the first game: that engines take them, and that they are as before.

A wrong option would not stop a game, but its result would belong to another engine than the file describes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import trio

from arena.config import EngineEntry, TournamentSpec
from arena.errors import ArenaError
from arena.run.executors.interface import Executor

__all__ = ["check_accepted", "check_unchanged"]


async def check_accepted(spec: TournamentSpec, entries: Iterable[EngineEntry], referees: Executor) -> None:
    """Let the referees start every engine that sets options, and check that it takes them.

    Engines without options, and with ``force_options``, are not started. An engine that fails in another way
    is no error here: it loses its first game.

    Raises:
        ArenaError: an engine lacks an option or refuses its value. The first one in the file is named.
    """
    problems: dict[str, str] = {}
    asked = [entry for entry in entries if entry.spec.options and not entry.spec.force_options]
    limit = trio.CapacityLimiter(max(referees.count, 1))

    async def ask(entry: EngineEntry) -> None:
        async with limit:
            problems[entry.spec.name] = await referees.try_engine(entry.spec, entry.games[0])

    async with trio.open_nursery() as nursery:
        for entry in asked:
            nursery.start_soon(ask, entry)
    for entry in asked:
        if problem := problems[entry.spec.name]:
            raise ArenaError(
                f"{spec.path}: engine {entry.spec.name} {problem}; correct its options, or set"
                " force_options = true to send them as they are"
            )


def check_unchanged(spec: TournamentSpec, played: Mapping[str, Mapping[str, str]]) -> None:
    """Check that every engine has the options with which it has played in this tournament.

    Args:
        spec: the tournament.
        played: the options of engines in their last game, by the names of the engines.

    Raises:
        ArenaError: the options of an engine have changed. The message shows the old and the new values.
    """
    for entry in spec.engines:
        name, new = entry.spec.name, entry.spec.options
        old = played.get(name)
        if old is None or old == new:
            continue
        changes = [
            f"{option} = {old.get(option, 'not set')}, and now it is {new.get(option, 'not set')}"
            for option in sorted(old.keys() | new.keys())
            if old.get(option) != new.get(option)
        ]
        raise ArenaError(
            f"{spec.path}: engine {name} has played with the option {'; '.join(changes)}; set it back, give"
            " the engine or the tournament another name, or play on with --accept-changed-options"
        )
