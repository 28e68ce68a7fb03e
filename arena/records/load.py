"""Import records into a database: check each game, and skip games that the database already has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from arena.errors import ArenaError, ChangedSettings
from arena.model import GameRecord, RatingListRecord, TournamentRecord
from arena.ratings.lists import EVERY, rating_list
from arena.ratings.settings import ListSettings
from arena.records.entries import ReadEntry, RefusedEntry
from arena.records.text_reader import EVENT
from arena.records.verify import Unlawful, verify

if TYPE_CHECKING:
    from arena.store import Store


_BATCH: Final = 200  # the most games in one transaction


@dataclass(slots=True)
class ImportSummary:
    """How many games were in a file, added, there already, and refused, and what else was refused."""

    games: int = 0
    added: int = 0
    existing: int = 0
    refused: int = 0
    refused_others: int = 0

    @property
    def clean(self) -> bool:
        """Whether nothing was refused."""
        return not self.refused and not self.refused_others


class RecordLoader:
    """Imports entries; ``report`` gets the line number and a sentence for everything that is refused."""

    def __init__(self, store: Store, report: Callable[[int, str], None]) -> None:
        self.summary = ImportSummary()
        self._store = store
        self._added: Counter[str] = Counter()  # added games that count, by game id
        self._report = report
        self._tournaments = {info.name for info in store.tournaments()}
        self._refused: set[str] = set()
        self._batch: list[tuple[int, int, GameRecord]] = []

    def load(self, entries: Iterable[ReadEntry | RefusedEntry]) -> None:
        """Import all entries. After a StoreError, the games that were stored before are kept."""
        for entry in entries:
            match entry:
                case RefusedEntry(line, "game", reason):
                    self.summary.games += 1
                    self._refuse(line, self.summary.games, reason)
                case RefusedEntry(line, kind, reason):
                    self._refuse_other(line, reason if kind == "text" else f"{kind}: {reason}")
                case ReadEntry(_, GameRecord() as record, _):
                    self.summary.games += 1
                    self._add_game(entry, record)
                case ReadEntry(line, TournamentRecord() as record, _):
                    self._add_tournament(line, record)
                case ReadEntry(line, RatingListRecord() as record, _):
                    self._set_rating_list(line, record)
            if len(self._batch) == _BATCH:
                self._flush()
        self._flush()
        self._rate()

    def _refuse(self, line: int, number: int, reason: str) -> None:
        self.summary.refused += 1
        self._report(line, f"game {number}: {reason}")

    def _refuse_other(self, line: int, reason: str) -> None:
        self.summary.refused_others += 1
        self._report(line, reason)

    def _add_tournament(self, line: int, record: TournamentRecord) -> None:
        """Register a tournament; keep the pairing plan if the database has one."""
        outline = record.outline
        if record.name in self._tournaments:
            outline = self._store.outline(record.name) or outline
        try:
            self._store.begin_tournament(record.name, record.settings, outline, record.created)
        except ChangedSettings as error:
            self._refused.add(record.name)
            self._refuse_other(line, f"tournament {record.name!a} is left out with its games: {error}")
            return
        self._tournaments.add(record.name)

    def _set_rating_list(self, line: int, record: RatingListRecord) -> None:
        """Set a rating list that has default settings; keep the settings of any other list."""
        lists = self._store.rating_lists
        stored = lists.settings(record.game)
        try:
            ListSettings.of(record.settings)
        except ArenaError as error:
            self._refuse_other(line, f"rating list {record.game!a}: {error}")
            return
        if not stored:
            lists.set(record.game, record.settings)
        elif stored != record.settings:
            self._refuse_other(
                line, f"rating list {record.game!a}: the database has other settings for it, and keeps them"
            )

    def _add_game(self, entry: ReadEntry, record: GameRecord) -> None:
        """Check a game, and add it to the batch."""
        number, name = self.summary.games, record.result.tournament
        if name in self._refused:
            self.summary.refused += 1  # the tournament was reported, so do not report each game
            return
        if name == EVENT and name not in self._tournaments:
            self._store.begin_tournament(name, {})
            self._tournaments.add(name)
        if name not in self._tournaments:
            self._refuse(entry.line, number, f"the tournament {name!a} has no entry before this game")
            return
        try:
            verify(record)
        except Unlawful as error:
            line = entry.plies[error.ply] if error.ply is not None and entry.plies else entry.line
            self._refuse(line, number, str(error))
            return
        self._batch.append((entry.line, number, replace(record, result=replace(record.result, id=None))))

    def _flush(self) -> None:
        """Store the games of the batch that the database does not have yet."""
        stored = self._stored_games()
        new = []
        for line, number, record in self._batch:
            place = record.result.tournament, record.result.key
            same_key = stored.setdefault(place, [])
            if record in same_key:
                self.summary.existing += 1
            elif record.result.counts and any(other.result.counts for other in same_key):
                self._refuse(
                    line, number, f"the database has another game with the key {record.result.key!a}"
                )
            else:
                same_key.append(record)
                new.append(record)
        self._store.add_games(new)
        self.summary.added += len(new)
        self._added.update(record.result.game for record in new if record.result.counts)
        self._batch.clear()

    def _rate(self) -> None:
        """Write checkpoints of ratings, at the end: a game out of order makes later ones invalid."""
        for game, count in self._added.items():
            if count >= EVERY:
                rating_list(self._store, game, self._store.tally(game=game)[game])

    def _stored_games(self) -> dict[tuple[str, str], list[GameRecord]]:
        """Return the stored games that have the key of a game of the batch, by tournament and key."""
        keys: dict[tuple[str, bool], list[str]] = {}
        for _, _, record in self._batch:
            keys.setdefault((record.result.tournament, record.result.counts), []).append(record.result.key)
        stored: dict[tuple[str, str], list[GameRecord]] = {}
        for (tournament, counts), batch_keys in keys.items():
            for record in self._store.archive.with_keys(tournament, batch_keys, counts=counts):
                result = replace(record.result, id=None)
                stored.setdefault((tournament, result.key), []).append(replace(record, result=result))
        return stored
