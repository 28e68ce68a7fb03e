"""The search of all pages: over engines, pairs, numbers of games, tournaments, and the documentation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import islice, product
from typing import Final, TypeAlias

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from arena.model import game_title
from arena.store import GameSearch
from arena.web.figures import titles_text
from arena.web.links import Links
from arena.web.pages.manual import manual_places
from arena.web.server.answers import NotFound, html
from arena.web.server.databases import Databases, ServedDatabase, database_names
from protocol.words import counted

_LONGEST: Final = 100  # of what is searched for
_SHOWN: Final = 20  # of each kind
_NAMES_PAIRED: Final = 3
"""The engines that are tried for each half of a pair."""

_NUMBER: Final = re.compile(r"#?([0-9]{1,18})", re.ASCII)
_BETWEEN: Final = re.compile(r"\s+[-–]\s+")


Hit: TypeAlias = tuple[str, str, str]
"""Something that is found: its address, its name, and what is known about it."""


class Search:
    """The page with what is found."""

    def __init__(self, databases: Databases) -> None:
        self._databases = databases

    def routes(self) -> list[Route]:
        """Return the addresses."""
        return [Route("/search", self._search)]

    def _search(self, request: Request) -> Response:
        text = request.query_params.get("q", "").strip()[:_LONGEST]
        kinds: dict[str, Callable[[str], Iterable[Hit]]] = {
            "Games": self._games,
            "Pairs": self._pairs,
            "Engines": self._engines,
            "Tournaments": self._tournaments,
            "Documentation": manual_places,
        }
        found = {kind: list(islice(find(text), _SHOWN)) for kind, find in kinds.items()} if text else {}
        if text and len(found["Games"]) == 1:
            return RedirectResponse(found["Games"][0][0], 303)
        return html(
            request, "search.html.j2", text=text, found={kind: hits for kind, hits in found.items() if hits}
        )

    def _links(self, database: ServedDatabase) -> dict[str, Links]:
        """Return the links of the tournaments of a database, by name."""
        here = (one for one in self._databases.tournaments() if one.database is database)
        return {tournament.name: Links(tournament.id) for tournament in here}

    def _games(self, text: str) -> Iterator[Hit]:
        match = _NUMBER.fullmatch(text)
        if match is None:
            return
        for database in self._databases.all:
            try:
                result = database.game(int(match[1])).result
            except NotFound:
                continue
            names = " – ".join(result.names)
            links = self._links(database)[result.tournament]
            yield links.game(int(match[1])), f"Game {match[1]}: {names}", result.tournament

    def _pairs(self, text: str) -> Iterator[Hit]:
        halves = _BETWEEN.split(text)
        if len(halves) != 2:
            return
        for database in self._databases.all:
            first, second = (_matching(half, _names(database))[:_NAMES_PAIRED] for half in halves)
            for pair in product(first, second):
                games = Counter[tuple[str, str]]()
                for meeting in database.store.finder.meetings(GameSearch(engines=pair)):
                    games[meeting.tournament, meeting.game] += meeting.games
                links = self._links(database)
                for tournament, game in games if pair[0] != pair[1] else ():
                    about = f"{game_title(game)}, {counted(games[tournament, game], 'game')}, {tournament}"
                    yield links[tournament].pair(game, pair), " – ".join(pair), about

    def _engines(self, text: str) -> Iterator[Hit]:
        for database, about in zip(self._databases.all, database_names(self._databases.all), strict=True):
            for name in _matching(text, _names(database)):
                yield Links().everywhere(name, self._databases.beside(database)), name, about

    def _tournaments(self, text: str) -> Iterator[Hit]:
        by_name = {tournament.name: tournament for tournament in reversed(self._databases.tournaments())}
        for name in _matching(text, by_name):
            tournament = by_name[name]
            yield Links(tournament.id).tournament(), name, titles_text(tournament.row["games"])


def _names(database: ServedDatabase) -> set[str]:
    return {name for name, _ in database.store.versions()}


def _matching(text: str, names: Collection[str]) -> list[str]:
    """Return the names that have a text: first the one that is the text, then those that start with it."""
    wanted = text.casefold()
    having = {name: name.casefold().find(wanted) for name in names}
    return sorted(
        (name for name in names if having[name] >= 0), key=lambda name: (having[name] > 0, len(name), name)
    )
