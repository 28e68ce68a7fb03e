"""Feeds of results, as Atom (RFC 4287): readers of news and other programs ask for them now and then."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import NAMESPACE_URL, uuid5

from arena.model import GameResult, game_title
from arena.tables.result_text import verdict
from arena.web.links import ServerLinks
from arena.web.pages.games import score_of
from arena.web.templating import page
from protocol.words import counted


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """A game in a feed."""

    id: str
    title: str
    summary: str
    updated: str
    link: str


def results_feed(
    tournament: str,
    engine: str,
    results: Sequence[GameResult],
    began: Mapping[int, float],
    links: ServerLinks,
) -> str:
    """Return the feed of a tournament, or of an engine in it if ``engine`` is not "".

    ``results`` are the newest first, and ``began`` tells when each game began, in seconds since the epoch.
    """
    entries = [
        FeedEntry(
            _id(links.id, str(result.id)),
            _title(result),
            f"{game_title(result.game)}: {verdict(result)}, {counted(result.plies, 'ply', 'plies')}",
            _time(began.get(result.id or 0, 0.0)),
            links.full_address(result.id),
        )
        for result in results
    ]
    return page(
        "feed.atom.j2",
        id=_id(links.id, "engine", engine) if engine else _id(links.id),
        title=f"{engine} in {tournament}" if engine else tournament,
        updated=max((entry.updated for entry in entries), default=_time(0.0)),
        here=links.full(links.feed(engine)),
        about=links.full(links.engine(engine) if engine else links.tournament()),
        entries=entries,
    )


def _id(*parts: str) -> str:
    """Return an id that does not depend on the server; parts of two things differ."""
    return f"urn:uuid:{uuid5(NAMESPACE_URL, 'leapfrog-arena:' + '/'.join(parts))}"


def _title(result: GameResult) -> str:
    names = [player.name for player in result.players]
    return f"{names[0]} {score_of(result)} {names[1]}" if len(names) == 2 else verdict(result)


def _time(seconds: float) -> str:
    try:
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
    except (ValueError, OverflowError, OSError):  # an early import accepted any number
        return "1970-01-01T00:00:00Z"
