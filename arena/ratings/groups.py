"""Groups of engines that played each other: ratings of different groups cannot be compared.

Two engines are in one group if a chain of games joins them. A game joins the seats that did not forfeit in
it: a forfeit is rated as a loss, but it does not show how well the opponent plays.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from arena.ended_games import GameScoreCounts
from arena.ratings.settings import RatingSettings

__all__ = ["PlayGroups", "play_groups"]

_Member = TypeVar("_Member", bound=Hashable)


@dataclass(frozen=True, slots=True)
class PlayGroups:
    """The groups of one rating list.

    Attributes:
        groups: the names in each group, sorted; the largest group first.
        by_forfeits: the sets of groups that met in forfeited games only; each set has the indices of its
            groups.
    """

    groups: tuple[tuple[str, ...], ...] = ()
    by_forfeits: tuple[tuple[int, ...], ...] = ()

    def index(self) -> dict[str, int]:
        """Return the index of each engine's group."""
        return {name: place for place, group in enumerate(self.groups) for name in group}


def play_groups(games: GameScoreCounts, settings: RatingSettings) -> PlayGroups:
    """Find the groups among the engines that have a rated game.

    Args:
        games: the games of one id that count.
        settings: they decide which games are rated.
    """
    played: _Sets[str] = _Sets()
    met: list[tuple[str, ...]] = []
    for outcome in games:
        if not settings.rates(outcome):
            continue
        for seat in outcome:
            played.join((seat.name,))
        played.join([seat.name for seat in outcome if not seat.forfeited])
        if any(seat.forfeited for seat in outcome):
            met.append(tuple(seat.name for seat in outcome))
    groups = tuple(sorted(map(tuple, map(sorted, played.all())), key=lambda group: (-len(group), group)))
    found = PlayGroups(groups)
    if len(groups) < 2:
        return found
    index = found.index()
    joined: _Sets[int] = _Sets()
    for names in met:
        joined.join([index[name] for name in names])
    return PlayGroups(groups, tuple(sorted(tuple(sorted(one)) for one in joined.all() if len(one) > 1)))


class _Sets(Generic[_Member]):
    """Disjoint sets that can be joined (union-find with path halving)."""

    def __init__(self) -> None:
        self._parents: dict[_Member, _Member] = {}

    def join(self, members: Sequence[_Member]) -> None:
        """Put the members into one set."""
        for member in members:
            self._parents.setdefault(member, member)
        for member in members[1:]:
            self._parents[self._root(member)] = self._root(members[0])

    def all(self) -> Iterable[list[_Member]]:
        """Return all sets."""
        sets: defaultdict[_Member, list[_Member]] = defaultdict(list)
        for member in self._parents:
            sets[self._root(member)].append(member)
        return sets.values()

    def _root(self, member: _Member) -> _Member:
        parents = self._parents
        while parents[member] != member:
            parents[member] = member = parents[parents[member]]
        return member
