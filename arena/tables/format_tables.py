"""The extra tables of some formats: the Swiss table, the knock-out bracket, the SPRT of a match."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from itertools import count
from math import isfinite

from rich.console import RenderableType

from arena.config import PairingPlan, Sprt
from arena.ended_games import EndedGame
from arena.ratings.match_statistics import EloEstimate, SprtStatus, count_pairs, estimate
from arena.schedule.knockout import EXTRA_PAIRS, bracket
from arena.schedule.match import SequentialTest, pair_points
from arena.schedule.seating import Entrants
from arena.schedule.tiebreaks import replay_rounds, swiss_table
from arena.tables.bracket import BracketView, bracket_rows
from arena.tables.text_table import TextTable
from arena.tables.titled_table import TitledTable
from protocol.plurals import counted

__all__ = ["FormatView", "format_view"]


@dataclass(frozen=True, slots=True)
class FormatView:
    """The extra tables of a format, for programs and for people.

    Attributes:
        data: the data for programs under one key: ``swiss``, ``bracket`` or ``match``; may be empty.
        renderables: the same as texts and tables for people.
    """

    data: dict[str, object]
    renderables: list[RenderableType]


def format_view(encoded_plan: str, game: str, results: Iterable[EndedGame]) -> FormatView:
    """Return the extra tables for one game id of a tournament; most formats have none.

    Args:
        encoded_plan: the tournament's `PairingPlan` as the database stores it.
        game: the game id.
        results: the results of the tournament's games; results of other game ids are ignored. They are read
            only if the format has extra tables.
    """
    try:
        plan = PairingPlan.decode(encoded_plan)
        entrants = Entrants(game, plan.entrants[game])
    except (ValueError, KeyError):  # an earlier version started it, or it did not come from a tournament file
        return FormatView({}, [])
    if plan.format not in ("swiss", "knockout", "match"):
        return FormatView({}, [])
    by_key = {result.key: result for result in results if result.counts}
    match plan.format:
        case "swiss":
            return _swiss(plan, entrants, by_key)
        case "knockout":
            return _knockout(plan, entrants, by_key)
    return _match(plan, entrants, by_key)


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
    return FormatView({"swiss": data}, [title, TitledTable(entrants.game, "swiss", table, note)])


def _knockout(plan: PairingPlan, entrants: Entrants, results: Mapping[str, EndedGame]) -> FormatView:
    rounds = bracket(entrants, plan.games_per_pairing, results)
    renderables: list[RenderableType] = ["Knock-out", BracketView(rounds, entrants.names)]
    by_seed = [match for matches in rounds for match in matches if match.reason == "seed"]
    if by_seed:
        names = ", ".join(entrants.names[match.winner] for match in by_seed if match.winner is not None)
        renderables.append(
            f"Still tied after {EXTRA_PAIRS} extra pairs, so the order of the file decided for: {names}"
        )
    return FormatView({"bracket": bracket_rows(rounds, entrants.names)}, renderables)


def _match(plan: PairingPlan, entrants: Entrants, results: Mapping[str, EndedGame]) -> FormatView:
    pairs = list(pair_points(entrants, results))
    counts = count_pairs(pairs)
    first, second = entrants.names
    elo = estimate(counts)
    data: dict[str, object] = {
        "engines": [first, second],
        "pairs": list(counts),
        "estimate": None if elo is None else _finite(asdict(elo)),
    }
    lines = [f"Match: {first} against {second}"]
    if elo is not None:
        lines.append(_elo_line(elo))
    lines.append(f"Pairs with 0, 1/2, 1, 3/2, 2 points: {', '.join(map(str, counts))}")
    if plan.sprt is not None:
        test = SequentialTest(plan.sprt, entrants)
        test.count(results)
        status = test.status
        low, high = plan.sprt.bounds
        data["sprt"] = {**asdict(plan.sprt), **asdict(status), "bounds": [low, high]}
        all_played = plan.max_games is not None and 2 * len(pairs) >= plan.max_games
        lines.append(_sprt_line(plan.sprt, status, all_played=all_played))
    return FormatView({"match": data}, ["\n".join(lines)])


def _elo_line(elo: EloEstimate) -> str:
    if not isfinite(elo.elo):
        return f"Elo cannot be estimated, because one engine has all points; LOS {elo.los:.1%}"
    margin = (elo.high - elo.low) / 2
    error = f" ± {margin:.1f}" if isfinite(margin) else f", {elo.low:+.1f} to {elo.high:+.1f}"
    return f"Elo {elo.elo + 0.0:+.1f}{error} (95 %), LOS {elo.los:.1%}"


def _sprt_line(sprt: Sprt, status: SprtStatus, *, all_played: bool) -> str:
    low, high = sprt.bounds
    undecided = "not decided after max_games" if all_played else "not decided"
    decisions = {
        None: undecided,
        "elo0": f"Elo {sprt.elo0:g} accepted",
        "elo1": f"Elo {sprt.elo1:g} accepted",
    }
    return (
        f"SPRT ({sprt}): LLR {status.llr:.2f} in [{low:.2f}, {high:.2f}]"
        f" after {counted(status.pairs, 'pair')}: {decisions[status.accepted]}"
    )


def _finite(values: dict[str, float]) -> dict[str, float | None]:
    """Replace infinity with ``None``, because JSON has no infinity."""
    return {name: value if isfinite(value) else None for name, value in values.items()}
