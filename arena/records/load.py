"""Records into a database: each game judged, those that are there already left alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from arena.errors import ArenaError, StoreError
from arena.model import GameRecord, RatingListRecord, TournamentRecord
from arena.ratings.lists import EVERY, rating_list
from arena.ratings.settings_text import ListSettings
from arena.records.entries import ReadEntry, RefusedEntry
from arena.records.handwritten import EVENT
from arena.records.verify import Unlawful, verify

if TYPE_CHECKING:
    from arena.store import Store

__all__ = ["ImportSummary", "RecordLoader"]

_BATCH: Final = 200
"""Games stored in one transaction."""


@dataclass(slots=True)
class ImportSummary:
    """What has come of a file.

    Attributes:
        games: how many there were, bad ones too.
        added: that were stored.
        known: that the database had, the same in every detail.
        refused: that were not stored.
        others: parts that are no games and were refused.
    """

    games: int = 0
    added: int = 0
    known: int = 0
    refused: int = 0
    others: int = 0

    @property
    def clean(self) -> bool:
        """Whether nothing was refused."""
        return not self.refused and not self.others


class RecordLoader:
    """Takes entries one by one into a database; a game is stored whole or not at all.

    Args:
        store: the database.
        report: is told the line and a sentence of everything that is refused.

    Attributes:
        summary: what has come of it so far; complete after `load`.
    """

    def __init__(self, store: Store, report: Callable[[int, str], None]) -> None:
        self.summary = ImportSummary()
        self._store = store
        self._fresh: Counter[str] = Counter()
        self._report = report
        self._tournaments = {info.name for info in store.tournaments()}
        self._refused: set[str] = set()
        self._batch: list[tuple[int, int, GameRecord]] = []

    def load(self, parts: Iterable[ReadEntry | RefusedEntry]) -> None:
        """Take everything in, to the last part.

        Raises:
            StoreError: the database has a fault, or another program stores the same games just now; what was
                stored before stays.
        """
        for part in parts:
            match part:
                case RefusedEntry(line, "game", reason):
                    self.summary.games += 1
                    self._refuse(line, self.summary.games, reason)
                case RefusedEntry(line, kind, reason):
                    self._refuse_other(line, reason if kind == "text" else f"{kind}: {reason}")
                case ReadEntry(_, GameRecord() as record, _):
                    self.summary.games += 1
                    self._take(part, record)
                case ReadEntry(line, TournamentRecord() as record, _):
                    self._begin(line, record)
                case ReadEntry(line, RatingListRecord() as record, _):
                    self._set(line, record)
            if len(self._batch) == _BATCH:
                self._flush()
        self._flush()
        self._rate()

    def _refuse(self, line: int, number: int, reason: str) -> None:
        self.summary.refused += 1
        self._report(line, f"game {number}: {reason}")

    def _refuse_other(self, line: int, reason: str) -> None:
        self.summary.others += 1
        self._report(line, reason)

    def _begin(self, line: int, record: TournamentRecord) -> None:
        """Register a tournament; who meets whom is left as it is where the database knows that."""
        outline = record.outline
        if record.name in self._tournaments:
            outline = self._store.outline(record.name) or outline
        try:
            self._store.begin_tournament(record.name, record.settings, outline, record.created)
        except StoreError as error:
            self._refused.add(record.name)
            self._refuse_other(line, f"tournament {record.name!a}, left out with its games: {error}")
            return
        self._tournaments.add(record.name)

    def _set(self, line: int, record: RatingListRecord) -> None:
        """Set a rating list that is set as usual; one that is set otherwise stays as it is."""
        lists = self._store.rating_lists
        there = lists.settings(record.game)
        try:
            ListSettings.of(record.settings)
        except ArenaError as error:
            self._refuse_other(line, f"rating list {record.game!a}: {error}")
            return
        if not there:
            lists.set(record.game, record.settings)
        elif there != record.settings:
            self._refuse_other(
                line, f"rating list {record.game!a}: is set otherwise in the database, and stays so"
            )

    def _take(self, part: ReadEntry, record: GameRecord) -> None:
        """Judge a game, and keep it to be stored with others."""
        number, name = self.summary.games, record.result.tournament
        if name in self._refused:
            self.summary.refused += 1  # said once for all games of the tournament
            return
        if name == EVENT and name not in self._tournaments:
            self._store.begin_tournament(name, {})
            self._tournaments.add(name)
        if name not in self._tournaments:
            self._refuse(part.line, number, f"the tournament {name!a} has no entry before it")
            return
        try:
            verify(record)
        except Unlawful as error:
            at = part.plies[error.ply] if error.ply is not None and part.plies else part.line
            self._refuse(at, number, str(error))
            return
        self._batch.append((part.line, number, replace(record, result=replace(record.result, id=None))))

    def _flush(self) -> None:
        """Store what waits and isn't there already."""
        there = self._there()
        fresh = []
        for line, number, record in self._batch:
            place = record.result.tournament, record.result.key
            same_key = there.setdefault(place, [])
            if record in same_key:
                self.summary.known += 1
            elif record.result.counts and any(other.result.counts for other in same_key):
                self._refuse(
                    line, number, f"the database has another game with the key {record.result.key!a}"
                )
            else:
                same_key.append(record)
                fresh.append(record)
        self._store.add_games(fresh)
        self.summary.added += len(fresh)
        self._fresh.update(record.result.game for record in fresh if record.result.counts)
        self._batch.clear()

    def _rate(self) -> None:
        """Leave checkpoints of the ratings, so that nobody waits for those of many new games later.

        Only in the end: games may come in any order, and one that is out of order makes checkpoints void.
        """
        for game, count in self._fresh.items():
            if count >= EVERY:
                rating_list(self._store, game, self._store.tally(game=game)[game])

    def _there(self) -> dict[tuple[str, str], list[GameRecord]]:
        """The games of the database that have the keys of those that wait, and count or don't as they do."""
        keys: dict[tuple[str, bool], list[str]] = {}
        for _, _, record in self._batch:
            keys.setdefault((record.result.tournament, record.result.counts), []).append(record.result.key)
        there: dict[tuple[str, str], list[GameRecord]] = {}
        for (tournament, counts), wanted in keys.items():
            for record in self._store.archive.with_keys(tournament, wanted, counts=counts):
                result = replace(record.result, id=None)
                there.setdefault((tournament, result.key), []).append(replace(record, result=result))
        return there
