"""A tournament's format with its keys and engines, and the games that follow from it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from arena.errors import ConfigError
from arena.formats.contest import Contest, Entrants, Next, Past, PastRound, ScheduleState
from arena.formats.format import Format, FormatView, Played, find_format
from arena.formats.match_progress import MatchProgress
from arena.model import Pairing
from arena.openings.book import OpeningBook
from arena.scoring import EndedGame
from protocol.keys import KeyTable
from referee import game
from referee.errors import RefereeError

if TYPE_CHECKING:
    from arena.store import Store


class _StoredPlan(msgspec.Struct, omit_defaults=True):
    format: str
    entrants: dict[str, tuple[str, ...]]
    keys: msgspec.Raw
    past: dict[str, Past] = {}


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that decides which engines meet, as the database stores it."""

    format: Format[Any]
    keys: KeyTable
    names: dict[str, tuple[str, ...]]  # the engines by game id, in the order of the file
    past: Mapping[str, Past] = field(
        default_factory=dict
    )  # by game id, of a tournament whose engines changed

    def encode(self) -> str:
        """Convert the plan to text for the database."""
        keys = msgspec.Raw(msgspec.json.encode(self.keys))
        return msgspec.json.encode(_StoredPlan(self.format.name, self.names, keys, dict(self.past))).decode()

    @staticmethod
    def stored(text: str) -> Plan | None:
        """Read a stored plan; None if the tournament came from no file, or its format is not installed."""
        try:
            stored = msgspec.json.decode(text, type=_StoredPlan)
            format_ = find_format(stored.format)
            keys = msgspec.json.decode(stored.keys, type=format_.keys)
            return Plan(format_, keys, stored.entrants, stored.past)
        except (ValueError, ConfigError):
            return None

    def after(self, stored: Plan, state: ScheduleState) -> Plan:
        """Continue a stored plan: what has been played stays, although engines have come or left."""
        keys, results = state.stored | state.results.keys(), state.results
        if stored.format is not self.format:
            return self
        past = dict(stored.past)
        # Then games that were known from the start may not be in the schedule any more.
        may_lack = self.keys != stored.keys and not self.format.by_results
        for game_id, names in self.names.items():
            entrants = stored.entrants(game_id)
            if entrants is None or (names == stored.names[game_id] and not may_lack):
                continue
            if any(key.startswith(f"{game_id}:") for key in keys):
                rounds = self.format.started_rounds(stored.keys, entrants, names, results)
                past[game_id] = self._past(game_id, entrants.names, rounds, keys)
        return replace(self, past=past)

    def without(self, void: Collection[str], results: Mapping[str, EndedGame]) -> Plan:
        """Continue after games with these keys become void: rounds that have started stay as they are."""
        past, keys = dict(self.past), results.keys() - set(void)
        for game_id, names in self.names.items():
            entrants = self.entrants(game_id)
            if entrants is None:
                continue
            rounds = self.format.started_rounds(self.keys, entrants, names, results)
            if rounds or game_id in past:
                past[game_id] = self._past(game_id, entrants.names, rounds, keys)
        return replace(self, past=past)

    def _past(
        self, game_id: str, names: tuple[str, ...], rounds: tuple[PastRound, ...], keys: Collection[str]
    ) -> Past:
        """Return what stays of one id, whose engines so far have these names, with the keys of all games."""
        now = replace(self, past={game_id: Past(names, rounds)}).entrants(game_id)
        games = frozenset(key for key in keys if key.startswith(f"{game_id}:"))
        return Past(names, rounds, 0 if now is None else self.format.left(self.keys, now, games))

    @property
    def total(self) -> int | None:
        """The number of games; None if results decide it, or if it is not known."""
        return None if self.format.may_end_early(self.keys) else self.most

    @property
    def most(self) -> int | None:
        """The largest number of games; None if that is not known."""
        known = [self.most_games(game_id) for game_id in self.names]
        return None if None in known else sum(number for number in known if number is not None)

    def _left(self, game_id: str) -> int:
        """The number of stored games that the format does not count any more."""
        return self.past[game_id].left if game_id in self.past else 0

    def most_games(self, game_id: str) -> int | None:
        """The largest number of games that one id can have; None if that is not known."""
        entrants = self.entrants(game_id)
        most = None if entrants is None else self.format.most_games(self.keys, entrants)
        return None if most is None else most + self._left(game_id)

    def is_over(self, game_id: str, played: Played) -> bool | None:
        """Whether no game of an id is missing; None if that is not known."""
        entrants = self.entrants(game_id)
        if entrants is None:
            return None
        return self.format.is_over(self.keys, entrants, played.without(self._left(game_id)))

    def finished(self, over: Callable[[str], bool | None]) -> bool | None:
        """Whether no game is missing, from whether each id is over; None if that is not known."""
        answers = {over(game_id) for game_id in self.names}
        return False if False in answers else None if None in answers else True

    def is_finished(self, counts: Mapping[str, int], read: Callable[[], Iterable[EndedGame]]) -> bool | None:
        """Whether no game is missing, from the number of games by id, and their results; None as above."""
        once = cache(read)
        return self.finished(lambda game_id: self.is_over(game_id, Played(counts.get(game_id, 0), once)))

    def games(self, store: Store, tournament: str) -> Sequence[EndedGame]:
        """Read the games of a tournament with what its format depends on; void ones may be among them."""
        whole = self.format.whole_results(self.keys)
        return store.results(tournament=tournament) if whole else store.endings(tournament)

    def view(self, game_id: str, played: Played) -> FormatView:
        """What the format shows of one game id."""
        entrants = self.entrants(game_id)
        view = FormatView() if entrants is None else self.format.view(self.keys, entrants, played)
        return replace(view, order=self.format.order, decided_by=self.format.decided_by)

    def progress(self) -> list[MatchProgress]:
        """The counters of the game ids while they are played; [] if the format has none."""
        entrants = filter(None, map(self.entrants, self.names))
        counters = [self.format.progress(self.keys, entered) for entered in entrants]
        return [counter for counter in counters if counter is not None]

    def entrants(self, game_id: str) -> Entrants | None:
        """The engines of one id; None if it is not played, or if the game is not installed any more."""
        if game_id not in self.names:
            return None
        try:
            players = game(game_id).info.players
        except RefereeError:
            return None
        names = self.names[game_id]
        past = self.past.get(game_id)
        if past is None or not self.format.keeps_places:
            return Entrants(game_id, names, players)
        all_names = tuple(dict.fromkeys(past.names + names))
        absent = frozenset(place for place, name in enumerate(all_names) if name not in names)
        return Entrants(game_id, all_names, players, past.rounds, absent)


class Schedule:
    """The games of a tournament, in the order in which they are played, from plan and results alone."""

    def __init__(self, plan: Plan, books: Mapping[str, OpeningBook]) -> None:
        self._plan = plan
        entrants = filter(None, map(plan.entrants, plan.names))
        self._contests = [Contest(entered, books[entered.game]) for entered in entrants]
        self.total, self.most = plan.total, plan.most

    def pending(self, state: ScheduleState) -> Iterator[Next]:
        """Yield the games that ``state`` does not know, in schedule order.

        Each game is yielded once. Add it to the results, the running games or the skipped games of ``state``
        before you ask for the next one. None means that the next game depends on the result of a running
        game. If no game is running, it depends on a skipped game, and there is nothing to play. A `Stage`
        describes the games that follow it; ask again immediately.

        The number of a game is its place in the schedule. If another game had this number before the plan
        changed, it is the place plus the least multiple of the schedule's length that is free.

        Raises:
            OpeningError: a random opening cannot be found.
        """
        taken = state.taken()
        for item in self._plan.format.games(self._plan.keys, self._contests, state):
            if isinstance(item, Pairing):
                number = item.number
                while taken.setdefault(number, item.key) != item.key:
                    number += self._length
                item = item if number == item.number else replace(item, number=number)  # noqa: PLW2901 - it is the same game
            yield item

    @cached_property
    def _length(self) -> int:
        """At least as many as the games of the schedule, so that no two of them want the same number."""
        form, keys = self._plan.format, self._plan.keys
        return len(self._contests) * max(form.places(keys, contest.entrants) for contest in self._contests)
