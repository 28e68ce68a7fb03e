"""The extra tables of some formats: the Swiss table, the knock-out bracket, the SPRT of a match."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from itertools import count
from typing import Literal

from rich.console import RenderableType

from arena.config import PairingPlan, stored_plan
from arena.ended_games import EndedGame
from arena.formats.contest import Entrants
from arena.formats.knockout import EXTRA_PAIRS, bracket
from arena.formats.swiss import replay_rounds, swiss_table
from arena.tables.bracket import BracketView, bracket_rows
from arena.tables.match import MatchProgress
from arena.tables.standings import StandingsOrder, standings_order
from arena.tables.text_table import TextTable, TitledTable
from protocol.plurals import counted

__all__ = ["FormatView", "format_view"]


DecidedBy = Literal["standings", "format", "ratings"]
"""What decides a tournament: the standings, its format's own table, or the ratings of a ladder."""


@dataclass(frozen=True, slots=True)
class FormatView:
    """The extra tables of a format, for programs and for people.

    Attributes:
        data: the data for programs under one key: ``swiss``, ``bracket`` or ``match``; may be empty.
        renderables: the same as texts and tables for people.
        order: how the format sorts standings.
        decided_by: what decides the tournament.
        decided: whether the results have decided a knock-out, or the test of a match.
    """

    data: dict[str, object]
    renderables: list[RenderableType]
    order: StandingsOrder = "points"
    decided_by: DecidedBy = "standings"
    decided: bool = False


def format_view(encoded_plan: str, game: str, results: Iterable[EndedGame]) -> FormatView:
    """Return the extra tables for one game id of a tournament; most formats have none.

    Args:
        encoded_plan: the tournament's `PairingPlan` as the database stores it.
        game: the game id.
        results: the results of the tournament's games; results of other game ids are ignored. They are read
            only if the format has extra tables.
    """
    plan = stored_plan(encoded_plan)
    if plan is None or game not in plan.entrants:
        return FormatView({}, [])
    entrants = Entrants(game, plan.entrants[game])
    if plan.format not in ("swiss", "knockout", "match"):
        decided_by: DecidedBy = "ratings" if plan.format == "ladder" else "standings"
        return FormatView({}, [], standings_order(plan.format), decided_by)
    by_key = {result.key: result for result in results if result.counts}
    match plan.format:
        case "swiss":
            return _swiss(plan, entrants, by_key)
        case "knockout":
            return _knockout(plan, entrants, by_key)
    return _match(plan, game, by_key)


def _swiss(plan: PairingPlan, entrants: Entrants, results: Mapping[str, EndedGame]) -> FormatView:
    each = plan.games_per_pairing
    players, rounds = replay_rounds(entrants, plan.rounds, each, results)
    rows = swiss_table(players, each)
    names = entrants.names
    pairings = [
        {
            "pairs": [[names[match.first], names[match.second]] for match in swiss_round.matches],
            "bye": None if swiss_round.bye is None else names[swiss_round.bye],
        }
        for swiss_round in rounds
    ]
    data = {
        "rounds": plan.rounds,
        "drawn": pairings,
        "table": [
            {"engine": names[row.place], **asdict(row), "place": rank} for rank, row in zip(count(1), rows)
        ],
    }
    table = TextTable(
        ("#", "engine", "points", "Buchholz", "Sonneborn-Berger", "direct", "byes"),
        tuple(
            (
                str(rank),
                names[row.place],
                f"{row.points:g}",
                f"{row.buchholz:g}",
                f"{row.sonneborn_berger:g}",
                "" if row.direct is None else f"{row.direct:g}",
                str(row.byes or ""),
            )
            for rank, row in enumerate(rows, 1)
        ),
    )
    note = (
        "Order: points, Buchholz (the opponents' points), Sonneborn-Berger (points scored times the"
        " opponent's), direct encounter (if all tied engines have met), order of the file."
    )
    title = f"Swiss: {len(rounds)} of {counted(plan.rounds, 'round')} paired"
    return FormatView(
        {"swiss": data}, [title, TitledTable(entrants.game, "swiss", table, note)], decided_by="format"
    )


def _knockout(plan: PairingPlan, entrants: Entrants, results: Mapping[str, EndedGame]) -> FormatView:
    rounds = bracket(entrants, plan.games_per_pairing, results)
    renderables: list[RenderableType] = ["Knock-out", BracketView(rounds, entrants.names)]
    by_seed = [match for matches in rounds for match in matches if match.reason == "seed"]
    if by_seed:
        names = ", ".join(entrants.names[match.winner] for match in by_seed if match.winner is not None)
        renderables.append(
            f"Still tied after {EXTRA_PAIRS} extra pairs, so the order of the file decided for: {names}"
        )
    data: dict[str, object] = {"bracket": bracket_rows(rounds, entrants.names)}
    decided = not rounds or rounds[-1][0].winner is not None
    return FormatView(data, renderables, decided_by="format", decided=decided)


def _match(plan: PairingPlan, game: str, results: Mapping[str, EndedGame]) -> FormatView:
    progress = MatchProgress(plan, game)
    progress.count(results)
    return FormatView(
        {"match": progress.data()}, ["\n".join(progress.lines())], decided=progress.games_left() == 0
    )
