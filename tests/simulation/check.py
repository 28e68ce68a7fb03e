"""Checks what must be true of a simulated tournament, after all its faults."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Final

from arena.config import load
from arena.model import GameRecord, GameResult, Opening, TournamentRecord
from arena.records.files import read_records, write_records
from arena.records.load import RecordLoader
from arena.store import GameSearch, Store
from arena.tables.tournament_tables import tournament_tables
from referee.ply import RANDOM
from tests.arena.formats.playing import wrong_options
from tests.simulation.engines import FAULTS, Thought, draw_of, errs
from tests.simulation.plan import NEWCOMER, Plan
from tests.simulation.play import DATABASE, TOURNAMENT, History, Run, play

_SLACK: Final = 2_000_000
"""Nanoseconds: reading a clock costs a microsecond in a simulated world, and a search reads it some times."""

_RARE: Final = 4
"""One in this many tournaments is imported, and one in this many is compared with an undisturbed one."""

_KEPT: Final = re.compile(rf"cup\.toml|bot|{re.escape(DATABASE)}(-wal|-shm)?")


def faults(history: History) -> Iterator[str]:
    """Yield a sentence for everything that is wrong."""
    for number, run in enumerate(history.runs, 1):
        for text in _faults_of_run(run):
            yield f"run {number}: {text}"
        if _was_last(run) and not history.grown and any(later.ended for later in history.runs[number:]):
            yield f"run {number} says that all games were played, and a later one plays more"
    yield from history.mistaken
    last = history.runs[-1]
    if last.summary is None:
        yield f"the undisturbed run failed: {last.error}"
        return
    with closing(Store.open(history.folder / DATABASE, create=False)) as store:
        games = list(store.finder.records(GameSearch(TOURNAMENT), verify=True))
        yield from _faults_of_games(history, [game for game in games if game.result.counts])
        if _drawn(history, "tables"):
            yield from _faults_of_tables(history, store, games)
    yield from _faults_of_files(history.folder)
    alike = history.plan.same_again and not history.killed and not history.grown
    if history.plan.runs and alike and _drawn(history, "again"):
        yield from _differences(history, games)


def _drawn(history: History, check: str) -> bool:
    """Whether a check that takes as long as the tournament is made."""
    return draw_of(history.plan.seed, check).randrange(_RARE) == 0


def _was_last(run: Run) -> bool:
    """Whether a run says that it has left nothing to play."""
    end = run.summary
    return end is not None and not (end.stopped or end.void or end.disabled or end.refused)


def _differences(history: History, games: list[GameRecord]) -> Iterator[str]:
    """Compare the games with the games of a tournament that nothing disturbs."""
    folder = history.folder / "undisturbed"
    folder.mkdir()
    play(replace(history.plan, runs=()), folder)
    with closing(Store.open(folder / DATABASE, create=False)) as store:
        undisturbed = list(store.finder.records(GameSearch(TOURNAMENT)))
    games_by_key, other = _by_key(games), _by_key(undisturbed)
    for key in games_by_key.keys() | other.keys():
        if games_by_key.get(key) != other.get(key):
            yield f"game {key} is {games_by_key.get(key)}, and undisturbed {other.get(key)}"


def _by_key(games: list[GameRecord]) -> dict[str, object]:
    """Return what counts of the games, by key."""
    counting = (game for game in games if game.result.counts)
    return {
        game.result.key: (_result(game.result), game.opening, [ply.text for ply in game.record])
        for game in counting
    }


def _faults_of_run(run: Run) -> Iterator[str]:
    if run.bug:
        yield f"a traceback: {run.bug}"
    if not run.killed and run.left:
        yield f"these are left: {', '.join(run.left)}"
    # One more may have ended that very moment: the database has not taken it yet.
    if run.at_stop is not None and run.after_stop > run.at_stop + 1:
        yield f"the user asked for a stop with {run.at_stop} games, and {run.after_stop} ended after that"


# --- games


def _faults_of_games(history: History, games: list[GameRecord]) -> Iterator[str]:
    for key, count in Counter(game.result.key for game in games).items():
        if count > 1:
            yield f"game {key} is stored {count} times"
    for number, run in enumerate(history.runs, 1):
        for text in _missing(run, games):
            yield f"run {number}: {text}"
    yield from _faults_of_openings(games)
    if history.plan.format == "tune":
        yield from wrong_options(load(history.folder / f"{TOURNAMENT}.toml"), [game.result for game in games])
    thoughts: defaultdict[tuple[str, int], list[Thought]] = defaultdict(list)
    for thought in history.thoughts:
        thoughts[thought.game, thought.seat].append(thought)
    for game in games:
        yield from _faults_of_seats(history, game)
        yield from _faults_of_clocks(history.plan, game, thoughts)


def _faults_of_openings(games: list[GameRecord]) -> Iterator[str]:
    """Two engines play an opening from both seats, and then another one."""
    openings: dict[tuple[str, str], Opening] = {}
    for game in games:
        before, _, repeat = game.result.key.rpartition(":")
        if len(game.result.players) == 2:
            pair = "|".join(sorted(player.name for player in game.result.players))
            other = openings.setdefault((f"{game.result.game} {pair}", repeat), game.opening)
            if other != game.opening:
                yield f"game {before}:{repeat} has the opening {game.opening}, and the other seats {other}"


def _missing(run: Run, games: list[GameRecord]) -> Iterator[str]:
    """Compare what a run has told and read with what is stored. The same game played again does not count."""
    stored = {game.result.key: _played(game.result) for game in games}
    for key, ended in run.ended.items():
        if stored.get(key) != _played(ended.result):
            yield f"game {key} was told, and is not stored"
    if run.killed or run.error or run.summary is None:
        return
    durations = {game.duration for game in games}
    if missing := [id_ for id_, duration in run.finished.items() if duration not in durations]:
        yield f"games {missing} ended in a run that ended well, and are not stored"


def _result(result: GameResult) -> object:
    players = [(player.name, player.rank, player.points, player.forfeit) for player in result.players]
    return players, result.termination


def _played(result: GameResult) -> object:
    """Return what tells a game from the same one played again: its nanoseconds."""
    return _result(result), [player.time_used for player in result.players]


def _faults_of_seats(history: History, game: GameRecord) -> Iterator[str]:
    """Only the seat of a faulty engine forfeits, and for its own fault; no fault is overlooked."""
    result = game.result
    for seat, player in enumerate(result.players):
        kind = history.plan.engines.get(player.name, NEWCOMER[1])
        allowed = {FAULTS[kind], "disabled"} if FAULTS[kind] else set()
        if player.name in history.killed:
            allowed |= {"crash", "disabled"}
        if player.forfeit is not None and player.forfeit not in allowed:
            forfeit = f"forfeits by {player.forfeit}: {result.detail}"
            yield f"game {result.key}: {player.name} is {kind}, and {forfeit}"
        moves = sum(ply.is_move and ply.seat == seat for ply in game.record)
        plain = FAULTS[kind] not in ("", "resign") and not history.plan.forgiving
        if plain and moves > 1 and errs(history.plan.seed, player.name, str(result.number + 1)):
            yield f"game {result.key}: {player.name} is {kind}, and played {moves} moves"


def _faults_of_clocks(
    plan: Plan, game: GameRecord, thoughts: dict[tuple[str, int], list[Thought]]
) -> Iterator[str]:
    """Each move is charged the true time of its search, and the clocks that engines see follow from that."""
    base, _, increment = str(plan.keys["time_control"]).rpartition("+")
    for seat, player in enumerate(game.result.players):
        searches = thoughts[str(game.result.number + 1), seat]
        charged = _charged(game, seat)
        left = float(base or 0) * 1000
        for number, used in enumerate(charged):
            same = [a for a in searches if abs(used - (a.ended - a.started)) < _SLACK]
            if not plan.forgiving:  # a forgiven fault is charged, and is no move
                same = [a for a in same if a.ply == number]
            if not same:
                true = [a.ended - a.started for a in searches]
                yield f"game {game.result.key}: {player.name} was charged {charged}, and searched {true}"
                break
            if base and not plan.forgiving:
                if all(abs(a.left - left) > 1 + _SLACK / 1e6 for a in same):
                    yield f"game {game.result.key}: {player.name} sees {same[0].left} ms left, not {left}"
                left = max(0.0, left - used / 1e6) + float(increment) * 1000
        if player.forfeit is None and player.time_used < sum(charged):
            yield f"game {game.result.key}: {player.name} has used {player.time_used} ns for {charged}"


def _charged(game: GameRecord, seat: int) -> list[int]:
    """Return the times of its own moves. The referee has drawn those that follow a forgiven fault."""
    after = zip((None, *game.record), game.record, strict=False)
    return [
        ply.time
        for last, ply in after
        if ply.seat == seat and ply.is_move and (last is None or last.fault != RANDOM)
    ]


# --- tables


def _faults_of_tables(history: History, store: Store, games: list[GameRecord]) -> Iterator[str]:
    """The same games give the same tables when they are read from a file."""
    tables = _tables(store)
    copy = history.folder / "copy"
    copy.mkdir()
    with (copy / "games.jsonl").open("wb") as file:
        entries: list[TournamentRecord | GameRecord] = [*store.contents().tournaments, *games]
        write_records(entries, "jsonl", file)
    refused: list[str] = []
    with (
        (copy / "games.jsonl").open("rb") as file,
        closing(Store.open(copy / DATABASE, create=True)) as other,
    ):
        RecordLoader(other, lambda line, text: refused.append(f"line {line}: {text}")).load(
            read_records("games.jsonl", file, None)
        )
        if refused:
            yield f"an import refuses what was stored: {refused[0]}"
        elif _tables(other) != tables:
            yield "an import of the same games gives other tables"


def _tables(store: Store) -> object:
    return tournament_tables(store, TOURNAMENT).data


def _faults_of_files(folder: Path) -> Iterator[str]:
    for file in sorted(folder.iterdir()):
        if file.is_file() and not _KEPT.fullmatch(file.name):
            yield f"the file {file.name} is left"
