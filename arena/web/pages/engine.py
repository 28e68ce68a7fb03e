"""The page of one engine: its ratings, its results by opponent, seat, opening and reason, its faults."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from markupsafe import Markup

from arena.model import GameRecord
from arena.scoring import fault_of
from arena.store import GameSearch, Store
from arena.web.links import Links
from arena.web.pages.games import FEED_LENGTH, GameLine, game_line
from arena.web.pages.scores import ScoreLine, Scores, scores_of
from arena.web.templating import page
from referee.ply import RANDOM

_MOST_LINES = 20
_MOST_FAULTS = 100
_MOST_FAULTY = 1000
"""The most games in which forgiven faults are counted."""


@dataclass(frozen=True, slots=True)
class FaultLine:
    """A fault: the game, the ply after which it happened, the kind, and the referee's sentence."""

    number: int
    ply: int
    tournament: str
    game: str
    kind: str
    detail: str


@dataclass(frozen=True, slots=True)
class EngineView:
    """What an engine did, in one tournament or in all of a database."""

    name: str
    tournament: str | None
    versions: tuple[str, ...]  # in the order of their first games
    first: float | None  # when its first game began, in seconds since the epoch
    games: Sequence[Scores]
    faults: Sequence[FaultLine]  # the newest first
    forgiven_count: int
    recent: Sequence[tuple[str, GameLine]]  # its last games, the newest first, each with its tournament

    @property
    def forfeit_count(self) -> int:
        """The games that it forfeited."""
        return sum(one.total.forfeits for one in self.games)

    @property
    def tournaments(self) -> list[tuple[str, str, ScoreLine]]:
        """The tournaments, each with a game id and the score in it."""
        return [(line.name, one.game, line) for one in self.games for line in one.tournaments]


@dataclass(frozen=True, slots=True)
class EngineRating:
    """The rating of an engine in one game id; "" and None without a rated game."""

    title: str
    scale: str  # "Elo", or "mu" if nothing can be fitted
    elo: str
    error: str  # half of the 95 % interval
    place: int  # among the engines of the tournament, or of the rating list
    engines: int  # their number
    history: Markup | None


def engine_view(store: Store, name: str, tournament: str | None, game: str | None = None) -> EngineView:
    """Return what an engine did, in one game id if it is given. Blocks."""
    search = GameSearch(tournament, game, engines=(name,))
    faults, forgiven = _faults(name, store.finder.faulty(search, _MOST_FAULTY))
    versions = store.finder.versions(search)
    return EngineView(
        name,
        tournament,
        tuple(version for version, _ in versions if version),
        min((began for _, began in versions), default=None),
        scores_of(name, store.finder.meetings(search)),
        faults[:_MOST_FAULTS],
        forgiven,
        [(one.result.tournament, game_line(one)) for one in store.finder.find(search, FEED_LENGTH)],
    )


def _faults(name: str, games: Sequence[GameRecord]) -> tuple[list[FaultLine], int]:
    """Return the faults of an engine in some games, and how many of them were forgiven."""
    lines: list[FaultLine] = []
    forgiven = 0
    for record in games:
        result = record.result
        for seat, player in enumerate(result.players):
            if player.name != name:
                continue
            found = [
                (number, "forgiven", ply.text[1:])
                for number, ply in enumerate(record.record, 1)
                if ply.seat == seat and ply.fault and ply.fault != RANDOM
            ]
            forgiven += len(found)
            if player.forfeit is not None and player.forfeit.is_fault and result.counts:
                found.append((len(record.record), player.forfeit.value, fault_of(result.detail, seat)))
            lines += [
                FaultLine(result.id or 0, ply, result.tournament, result.game, kind, detail)
                for ply, kind, detail in found
            ]
    return lines, forgiven


def engine_page(
    view: EngineView,
    ratings: Mapping[str, EngineRating],
    links: Links,
    link_to: Callable[[str], Links | None] = lambda tournament: None,
    records: Mapping[str, str] = MappingProxyType({}),
    playing: Sequence[tuple[str, str]] = (),
    rivals: Mapping[str, str] = MappingProxyType({}),
    beside: str = "",
) -> str:
    """Return the page of an engine.

    ``link_to`` gives the links of another tournament, None if it has no pages here; ``playing`` has the words
    and the address of each game that it plays now, and ``rivals`` where people play it, by game id.
    """
    return page(
        "engine.html.j2",
        tournament=view.tournament or "",
        view=view,
        ratings=ratings,
        links=links,
        place="engine" if view.tournament else "engines",
        link_to=link_to,
        records=records,
        playing=playing,
        rivals=rivals,
        beside=beside,
        most=_MOST_LINES,
    )
