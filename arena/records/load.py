"""Import records into a database: check each game, and skip games that the database already has."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from arena.errors import ArenaError, ChangedSettings
from arena.model import GameRecord, RatingListRecord, TournamentRecord
from arena.ratings.lists import EVERY, rating_list
from arena.ratings.settings import ListSettings
from arena.records import pgn, pgn_reading
from arena.records.entries import DAY, ReadEntry, RefusedEntry
from arena.records.lawful import Unlawful, verify
from arena.store.queries import GAMES_AT_ONCE

if TYPE_CHECKING:
    from arena.store import Store


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
        # Each game with its keys as a game from PGN.
        self._batch: list[tuple[int, ReadEntry, GameRecord, tuple[str, ...]]] = []
        self._stored: dict[tuple[str, str], list[GameRecord]] = {}  # by tournament and key, for the batch
        self._known: dict[str, list[GameRecord]] = {}  # of all tournaments, by key, for the batch
        self._has_pgn = store.finder.has_keys(pgn.KEY)
        self._says_alike = True  # whether the next game that is like a stored one is reported

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
            if len(self._batch) == GAMES_AT_ONCE:
                self._flush()
        self._flush()
        # At the end, because a game out of order makes checkpoints of ratings invalid.
        for game, count in self._added.items():
            if count >= EVERY:
                rating_list(self._store, game, self._store.tally(game=game).get(game, Counter()))

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
        if name not in self._tournaments:
            self._refuse(entry.line, number, f"the tournament {name!a} has no entry before this game")
            return
        try:
            if not entry.other_keys:  # what reads PGN has played the game by the rules
                verify(record)
        except Unlawful as error:
            self._refuse(entry.line, number, str(error))
            return
        keys = (record.result.key, *entry.other_keys) if entry.other_keys else ()
        if self._has_pgn and not keys:
            keys = _keys_as_pgn(record)
        self._batch.append((number, entry, _unnumbered(record), keys))

    def _flush(self) -> None:
        """Store the games of the batch that the database does not have yet."""
        self._find_stored()
        new = []
        for number, entry, record, keys in self._batch:
            add = self._new_by_content if entry.other_keys else self._new
            added = add(number, entry, record, keys)
            if added is not None:
                new.append(added)
                if entry.note:
                    self._report(entry.line, f"game {number} is added, but it {entry.note}")
        self._store.add_games(new)
        self.summary.added += len(new)
        self._added.update(record.result.game for record in new if record.result.counts)
        self._batch.clear()

    def _new(
        self, number: int, entry: ReadEntry, record: GameRecord, keys: tuple[str, ...]
    ) -> GameRecord | None:
        """Return a game if the database has none with its key or like it; skip or refuse it otherwise."""
        same_key = self._stored.setdefault((record.result.tournament, record.result.key), [])
        if record in same_key:
            self.summary.existing += 1
            return None
        if record.result.counts and any(other.result.counts for other in same_key):
            key = record.result.key
            self._refuse(entry.line, number, f"the database has another game with the key {key!a}")
            return None
        if self._has_like(number, entry, record, keys):
            return None
        same_key.append(record)
        return record

    def _new_by_content(
        self, number: int, entry: ReadEntry, record: GameRecord, keys: tuple[str, ...]
    ) -> GameRecord | None:
        """Return a game if the database has none like it; skip it otherwise."""
        if self._has_like(number, entry, record, keys):
            return None
        if any(other.result.tournament == record.result.tournament for other in self._known.get(keys[0], ())):
            record = replace(record, result=replace(record.result, key=keys[1]))
        self._known.setdefault(record.result.key, []).append(record)
        return record

    def _has_like(self, number: int, entry: ReadEntry, record: GameRecord, keys: tuple[str, ...]) -> bool:
        """Return whether the database has a game like this one with one of the keys, and count it."""
        alike = [other for key in keys for other in self._known.get(key, ())]
        twin = next((other for other in alike if _same_game(record, other)), None)
        if twin is None:
            return False
        self.summary.existing += 1
        if self._says_alike and replace(record, result=replace(record.result, key=twin.result.key)) != twin:
            self._says_alike = False
            self._report(
                entry.line,
                f"game {number}: {twin.result.tournament!a} has a game with the same players, date, round"
                " and moves; such games count once",
            )
        return True

    def _find_stored(self) -> None:
        """Find the stored games that may be a game of the batch: in any tournament by its keys from PGN."""
        self._stored, self._known = {}, {}
        keys: defaultdict[tuple[str | None, bool], set[str]] = defaultdict(set)
        for _, entry, record, keys_as_pgn in self._batch:
            result = record.result
            keys[None, result.counts].update(keys_as_pgn)
            if not entry.other_keys:
                keys[result.tournament, result.counts].add(result.key)
        for (where, counts), wanted in keys.items():
            for stored in map(_unnumbered, self._store.finder.with_keys(where, wanted, counts=counts)):
                key = stored.result.key
                if where is None:
                    self._known.setdefault(key, []).append(stored)
                else:
                    self._stored.setdefault((where, key), []).append(stored)


def _unnumbered(record: GameRecord) -> GameRecord:
    """Return a game without its number in a database."""
    return replace(record, result=replace(record.result, id=None))


def _keys_as_pgn(record: GameRecord) -> tuple[str, ...]:
    """Return the keys that a game has if it comes from PGN; none if PGN cannot have it."""
    for entry in pgn_reading.read([pgn.write(record).encode()], record.result.tournament):
        if isinstance(entry, ReadEntry) and isinstance(entry.entry, GameRecord):
            return entry.entry.result.key, *entry.other_keys
    return ()


def _same_game(first: GameRecord, second: GameRecord) -> bool:
    """Whether players and moves are the same, and the time may be: a file may say only the day, or none."""
    contents = [
        (
            record.result.game,
            record.result.names,
            record.opening.position,
            (*record.opening.moves, *(ply.text for ply in record.record if not ply.fault)),
        )
        for record in (first, second)
    ]
    if contents[0] != contents[1]:
        return False
    only_days = [record.started % DAY == 0 for record in (first, second)]
    difference = abs(first.started - second.started)
    nearly = DAY * 1.5 if only_days[0] != only_days[1] else 1
    return not first.started or not second.started or difference < nearly
