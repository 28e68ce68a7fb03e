"""Import records into a database: check each game, and skip games that the database already has."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from arena.errors import ArenaError, ChangedSettings
from arena.model import GameRecord, GameResult, RatingListRecord, TournamentRecord
from arena.ratings.lists import EVERY, rating_list
from arena.ratings.settings import ListSettings
from arena.records.entries import DAY, ReadEntry, RefusedEntry
from arena.store.queries import GAMES_AT_ONCE
from protocol.wire.codec import parse_removal
from protocol.words import counted
from referee import CountingGame, Game, MoveError
from referee import game as find_game
from referee.errors import RefereeError
from referee.follower import Follower
from referee.match.adjudication import COUNT
from referee.outcome import Outcome, Termination
from referee.ply import FAULTS, Ply, is_fault

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
        self._batch: list[tuple[int, ReadEntry, GameRecord]] = []
        self._stored: dict[tuple[str, str], list[GameRecord]] = {}  # by tournament and key, for the batch
        self._known: dict[str, list[GameRecord]] = {}  # of all tournaments, by key, for the batch
        self._alike: dict[str, tuple[int, int, int]] = {}  # the first one's line and number, and how many

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
        self._report_alike()
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
        if name not in self._tournaments:
            self._refuse(entry.line, number, f"the tournament {name!a} has no entry before this game")
            return
        try:
            verify(record)
        except Unlawful as error:
            line = entry.plies[error.ply] if error.ply is not None and entry.plies else entry.line
            self._refuse(line, number, str(error))
            return
        self._batch.append((number, entry, _unnumbered(record)))

    def _flush(self) -> None:
        """Store the games of the batch that the database does not have yet."""
        self._find_stored()
        new = []
        for number, entry, record in self._batch:
            select = self._new_by_content if entry.other_keys else self._new
            added = select(number, entry, record)
            if added is not None:
                new.append(added)
                if entry.note:
                    self._report(entry.line, f"game {number} is added, but it {entry.note}")
        self._store.add_games(new)
        self.summary.added += len(new)
        self._added.update(record.result.game for record in new if record.result.counts)
        self._batch.clear()

    def _new(self, number: int, entry: ReadEntry, record: GameRecord) -> GameRecord | None:
        """Return a game if the database has none with its key; skip or refuse it otherwise."""
        same_key = self._stored.setdefault((record.result.tournament, record.result.key), [])
        if record in same_key:
            self.summary.existing += 1
            return None
        if record.result.counts and any(other.result.counts for other in same_key):
            key = record.result.key
            self._refuse(entry.line, number, f"the database has another game with the key {key!a}")
            return None
        same_key.append(record)
        return record

    def _new_by_content(self, number: int, entry: ReadEntry, record: GameRecord) -> GameRecord | None:
        """Return a game if the database has none like it; skip it otherwise."""
        keys = (record.result.key, *entry.other_keys)
        alike = [other for key in keys for other in self._known.get(key, ())]
        twin = next((other for other in alike if _same_game(record, other)), None)
        if twin is not None:
            self.summary.existing += 1
            if replace(record, result=replace(record.result, key=twin.result.key)) != twin:
                line, first, count = self._alike.get(twin.result.tournament, (entry.line, number, 0))
                self._alike[twin.result.tournament] = line, first, count + 1
            return None
        if any(other.result.tournament == record.result.tournament for other in self._known.get(keys[0], ())):
            record = replace(record, result=replace(record.result, key=keys[1]))
        self._known.setdefault(record.result.key, []).append(record)
        return record

    def _report_alike(self) -> None:
        for tournament, (line, number, count) in self._alike.items():
            others = f" and {counted(count - 1, 'other')}" if count > 1 else ""
            self._report(
                line,
                f"game {number}{others}: {tournament!a} has a game with the same players, date, round and"
                " moves, so it counts once",
            )

    def _rate(self) -> None:
        """Write checkpoints of ratings, at the end: a game out of order makes later ones invalid."""
        for game, count in self._added.items():
            if count >= EVERY:
                rating_list(self._store, game, self._store.tally(game=game).get(game, Counter()))

    def _find_stored(self) -> None:
        """Find the stored games that may be a game of the batch: in any tournament if it has other keys."""
        self._stored, self._known = {}, {}
        keys: defaultdict[tuple[str | None, bool], set[str]] = defaultdict(set)
        for _, entry, record in self._batch:
            result = record.result
            where = None if entry.other_keys else result.tournament
            keys[where, result.counts].update((result.key, *entry.other_keys))
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


def _same_game(one: GameRecord, other: GameRecord) -> bool:
    """Whether players and moves are the same, and the time may be: a file may say only the day, or none."""
    contents = [
        (
            record.result.game,
            [player.name for player in record.result.players],
            record.opening.position,
            (*record.opening.moves, *(ply.text for ply in record.record if not ply.fault)),
        )
        for record in (one, other)
    ]
    if contents[0] != contents[1]:
        return False
    only_days = [record.started % DAY == 0 for record in (one, other)]
    difference = abs(one.started - other.started)
    nearly = DAY * 1.5 if only_days[0] != only_days[1] else 1
    return not one.started or not other.started or difference < nearly


# --- the check by the rules


class Unlawful(Exception):
    """A game that contradicts the rules or itself; with the number of the wrong ply, from 0, or None."""

    def __init__(self, reason: str, ply: int | None = None) -> None:
        super().__init__(reason)
        self.ply = ply


def verify(record: GameRecord) -> None:
    """Play a recorded game again by the rules; raise `Unlawful` if it cannot have been played or ended so.

    A loss on time, a crash or most adjudications cannot be checked, because the moves do not show them.
    """
    result = record.result
    try:
        rules = find_game(result.game)
    except RefereeError as error:
        raise Unlawful(str(error)) from None
    if len(result.players) != rules.info.players:
        raise Unlawful(f"{result.game} has {rules.info.players} players, not {len(result.players)}")
    checker = _PlyChecker(_game_after_opening(rules, record))
    for number, ply in enumerate(record.record):
        try:
            checker.follow(ply)
        except ValueError as error:
            raise Unlawful(f"ply {number + 1}, {ply.text[:60]!a}: {error}", number) from None
    if result.plies != checker.moves:
        raise Unlawful(f"it has {counted(checker.moves, 'move')}, but says that it has {result.plies}")
    if record.final_position not in checker.ends and (record.final_position or record.record):
        raise Unlawful(f"the moves lead to {checker.ends[-1]!a}, not to {record.final_position!a}")
    _check_end(result, rules, checker.game)


def _game_after_opening(rules: Game, record: GameRecord) -> Follower:
    """Return the game after its opening."""
    start = record.opening.position
    try:
        game = Follower(rules.start() if start is None else rules.parse_position(start), rules.info.players)
    except RefereeError as error:
        raise Unlawful(f"the start position: {error}") from None
    for text in record.opening.moves:
        try:
            game.play(text)
        except MoveError as error:
            raise Unlawful(f"the move {text[:60]!a} of the opening: {error}") from None
    if game.outcome is not None:
        raise Unlawful("the opening ends the game before the players have moved")
    return game


class _PlyChecker:
    """Plays the plies of a game one by one, and checks each.

    Removals at the end leave several possible last positions: the turn may have passed on between them.
    """

    def __init__(self, game: Follower) -> None:
        self.game = game
        self.moves = 0
        self._before: list[str] = []

    @property
    def ends(self) -> list[str]:
        return [*self._before, str(self.game.position)]

    def follow(self, ply: Ply) -> None:
        """Play a ply."""
        seat, text = ply.seat, ply.text
        if self.game.outcome is not None:
            raise ValueError("the game was already over")
        removed = parse_removal(text) if self.game.players > 2 else None
        if removed is not None:
            self._remove(seat, removed)
            return
        if len(self.game.removed) >= self.game.players - 1:
            raise ValueError("the game was already over: at most one player was left")
        turn = self.game.position.turn
        if seat != turn:
            raise ValueError(f"it is player {turn + 1}'s turn, not player {seat + 1}'s")
        if is_fault(text):
            if ply.fault not in FAULTS:
                raise ValueError(f"a forgiven fault is one of {', '.join(FAULTS)}")
            return
        self.game.play(text)
        self._before.clear()
        self.moves += 1

    def _remove(self, seat: int, named: int) -> None:
        if seat != named or not seat < self.game.players or seat in self.game.removed:
            raise ValueError(f"player {named + 1} cannot be removed here")
        self._before.append(str(self.game.position))
        self.game.remove(seat)
        self.game.skip_removed()


def _check_end(result: GameResult, rules: Game, game: Follower) -> None:
    """Check that the result agrees with the position after the last move."""
    if result.termination is Termination.VOID:
        if any(player.rank is not None for player in result.players):
            raise Unlawful("it is void, but its players have ranks")
        return
    ranks = [player.rank for player in result.players]
    known_ranks = [rank for rank in ranks if rank is not None]
    if len(known_ranks) < len(ranks) or not _is_ranking(known_ranks):
        raise Unlawful(f"its ranks {', '.join(map(str, ranks))} are not a valid ranking")
    if (game.outcome is not None) != (result.termination is Termination.NORMAL):
        verb = "end" if game.outcome is not None else "do not end"
        raise Unlawful(
            f"the rules {verb} the game after its last move, but its termination is {result.termination}"
        )
    if game.outcome is not None:
        if result.reason != game.outcome.reason:
            raise Unlawful(f"by the rules its reason is {game.outcome.reason}, not {result.reason[:60]!a}")
        _check_ranks(known_ranks, game.outcome, game, "rules")
    elif result.termination is Termination.ADJUDICATED and result.reason == COUNT:
        if not isinstance(rules, CountingGame):
            raise Unlawful(f"its reason is {COUNT}, but {result.game} has no count")
        _check_ranks(known_ranks, Outcome.by_count(rules.count(game.position), COUNT), game, "count")


def _check_ranks(ranks: list[int], outcome: Outcome, game: Follower, judge: str) -> None:
    """Check the ranks of the seats that were not removed, among themselves."""
    left = [seat for seat in range(len(ranks)) if seat not in game.removed]
    expected = outcome.ranks
    if any(ranks[seat] != 1 + sum(expected[other] < expected[seat] for other in left) for seat in left):
        raise Unlawful(f"its ranks {', '.join(map(str, ranks))} are not the ranks by the {judge}, {expected}")


def _is_ranking(ranks: list[int]) -> bool:
    """Return whether each rank is 1 plus the number of better ranks."""
    return all(rank == 1 + sum(better < rank for better in ranks) for rank in ranks)
