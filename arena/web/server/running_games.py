"""The pages of running games, each made once for all its readers."""

from __future__ import annotations

from threading import Lock
from typing import Final

from arena.live.messages import LiveGame
from arena.web.links import ServerLinks
from arena.web.pages.game import Neighbours, game_page, running_view
from arena.web.server.databases import ServedTournament

__all__ = ["RunningGamePages"]

_KEPT: Final = 64
"""The number of pages that are kept."""


class RunningGamePages:
    """The newest pages. A page draws every position of its game, so all readers share one page."""

    def __init__(self) -> None:
        self._pages: dict[tuple[str, str], tuple[LiveGame, str]] = {}
        self._lock = Lock()

    def get(self, tournament: ServedTournament, live: LiveGame) -> str:
        """Return the page of a running game. Blocks."""
        with self._lock:
            known, text = self._pages.pop((tournament.id, live.key), (None, ""))
            if known is None or (known.plies, known.opening) != (live.plies, live.opening):
                links = ServerLinks(tournament.id)
                neighbours = Neighbours("main", "../")
                known = live
                text = game_page(running_view(tournament.name, live), links, neighbours, links.events())
            self._pages[tournament.id, live.key] = known, text
            while len(self._pages) > _KEPT:
                del self._pages[next(iter(self._pages))]
            return text
