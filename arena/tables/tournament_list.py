"""The tournaments and the engines of a database, in rows."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import chain
from typing import TypedDict

from arena.formats.plan import Plan
from arena.store import Store, TournamentInfo


class TournamentRow(TypedDict):
    """A tournament, as `arena list --json` prints it; None or empty for what is not known."""

    tournament: str
    started: float  # seconds since the epoch
    format: str | None
    games: list[str]  # the ids
    engines: int | None
    played: int  # games that count
    total: int | None  # None also if results decide it
    most: int | None  # None also if there is no limit
    finished: bool | None  # whether nothing is left to play


def tournament_list(store: Store) -> list[TournamentRow]:
    """Return the tournaments in the order in which they came into the database."""
    rows: list[TournamentRow] = []
    outlines = {record.name: record.outline for record in store.contents().tournaments}
    for info in store.tournaments():
        plan = Plan.stored(outlines.get(info.name, ""))
        rows.append(
            {
                "tournament": info.name,
                "started": info.created,
                "format": None if plan is None else plan.format.name,
                "games": [] if plan is None else list(plan.names),
                "engines": None if plan is None else len({*chain(*plan.names.values())}),
                "played": info.games,
                "total": None if plan is None else plan.total,
                "most": None if plan is None else plan.most,
                "finished": None if plan is None else _finished(store, info, plan),
            }
        )
    return rows


def total_text(row: TournamentRow) -> str:
    """Return how many games there are in the end; "" if that is not known."""
    if row["finished"]:
        return str(row["played"])
    if row["most"] is None or row["most"] < row["played"]:
        return ""
    return f"{'at most ' if row['total'] is None else ''}{row['most']}"


def _finished(store: Store, info: TournamentInfo, plan: Plan) -> bool | None:
    counts = (
        {game: tally.total() for game, tally in store.tally(tournament=info.name).items()}
        if len(plan.names) > 1
        else dict.fromkeys(plan.names, info.games)
    )
    return plan.is_finished(counts, lambda: plan.games(store, info.name))


class EngineRow(TypedDict):
    """An engine of a database: its name, its versions, and the number of its games by game id."""

    engine: str
    versions: list[str]
    games: dict[str, int]


def engine_list(store: Store) -> list[EngineRow]:
    """Return the engines, sorted by name."""
    games: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for game_id, tally in store.tally().items():
        for game_score, number in tally.items():
            for name in {seat_score.name for seat_score in game_score}:
                games[name][game_id] += number
    versions: defaultdict[str, list[str]] = defaultdict(list)
    for name, version in store.versions():
        versions[name].append(version)
    return [
        {"engine": name, "versions": sorted(versions[name]), "games": counts}
        for name, counts in sorted(games.items())
    ]
