"""What a tournament's format has to show beside points and ratings: a Swiss table, a bracket, a test."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from itertools import count
from math import isfinite

from rich.console import RenderableType

from arena.config import PairingPlan, Sprt
from arena.ratings.match_statistics import EloEstimate, SprtStatus, count_pairs, estimate
from arena.schedule.knockout import EXTRA_PAIRS, bracket
from arena.schedule.match import SequentialTest, pair_points
from arena.schedule.seating import Entrants
from arena.schedule.tiebreaks import replay_rounds, swiss_table
from arena.scoring import EndedGame
from arena.tables.bracket import BracketView, bracket_rows
from arena.tables.text_table import TextTable
from arena.tables.titled_table import TitledTable
from protocol.plurals import counted

__all__ = ["FormatView", "format_view"]


@dataclass(frozen=True, slots=True)
class FormatView:
    """The same twice.

    Attributes:
        data: for programs, under the name of what it is: ``swiss``, ``bracket`` or ``match``.
        parts: for people.
    """

    data: dict[str, object]
    parts: list[RenderableType]


def format_view(outline: str, game: str, results: Iterable[EndedGame]) -> FormatView:
    """What is to be shown of one game of a tournament; nothing where the usual tables tell all.

    Args:
        outline: of the tournament, as it is stored.
        game: the game's id.
        results: of the tournament's games; those of other ids do no harm. Not looked at where the usual
            tables tell all.
    """
    try:
        known = PairingPlan.decode(outline)
        entrants = Entrants(game, known.entrants[game])
    except (ValueError, KeyError):  # begun by an earlier version, or never run from a file
        return FormatView({}, [])
    if known.format not in ("swiss", "knockout", "match"):
        return FormatView({}, [])
    by_key = {result.key: result for result in results if result.counts}
    match known.format:
        case "swiss":
            return _swiss(known, entrants, by_key)
        case "knockout":
            return _knockout(known, entrants, by_key)
    return _match(known, entrants, by_key)


def _swiss(outline: PairingPlan, entrants: Entrants, results: Mapping[str, EndedGame]) -> FormatView:
    each = outline.games_per_pairing
    players, rounds = replay_rounds(entrants, outline.rounds, each, results)
    rows = swiss_table(players, each)
    names = entrants.names
    drawn = [
        {
            "pairs": [[names[bout.first], names[bout.second]] for bout in drawn.bouts],
            "bye": None if drawn.bye is None else names[drawn.bye],
        }
        for drawn in rounds
    ]
    data = {
        "rounds": outline.rounds,
        "drawn": drawn,
        "table": [
            {"engine": names[row.place], **asdict(row), "place": rank} for rank, row in zip(count(1), rows)
        ],
    }
    grid = TextTable(
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
        " opponent's), direct encounter (where all who are level have met), order of the file."
    )
    title = f"Swiss: {len(rounds)} of {counted(outline.rounds, 'round')} drawn"
    return FormatView({"swiss": data}, [title, TitledTable(entrants.game, "swiss", grid, note)])


def _knockout(outline: PairingPlan, entrants: Entrants, results: Mapping[str, EndedGame]) -> FormatView:
    rounds = bracket(entrants, outline.games_per_pairing, results)
    parts: list[RenderableType] = ["Knock-out", BracketView(rounds, entrants.names)]
    by_seed = [match for matches in rounds for match in matches if match.reason == "seed"]
    if by_seed:
        names = ", ".join(entrants.names[match.winner] for match in by_seed if match.winner is not None)
        parts.append(f"Level after {EXTRA_PAIRS} extra pairs, and higher in the file: {names}")
    return FormatView({"bracket": bracket_rows(rounds, entrants.names)}, parts)


def _match(outline: PairingPlan, entrants: Entrants, results: Mapping[str, EndedGame]) -> FormatView:
    pairs = list(pair_points(entrants, results))
    counts = count_pairs(pairs)
    first, second = entrants.names
    found = estimate(counts)
    data: dict[str, object] = {
        "engines": [first, second],
        "pairs": list(counts),
        "estimate": None if found is None else _finite(asdict(found)),
    }
    lines = [f"Match: {first} against {second}"]
    if found is not None:
        lines.append(_estimated(found))
    lines.append(f"Pairs with 0, 1/2, 1, 3/2, 2 points: {', '.join(map(str, counts))}")
    if outline.sprt is not None:
        test = SequentialTest(outline.sprt, entrants)
        test.count(results)
        verdict = test.verdict
        low, high = outline.sprt.bounds
        data["sprt"] = {**asdict(outline.sprt), **asdict(verdict), "bounds": [low, high]}
        over = outline.max_games is not None and 2 * len(pairs) >= outline.max_games
        lines.append(_judged(outline.sprt, verdict, over=over))
    return FormatView({"match": data}, ["\n".join(lines)])


def _estimated(found: EloEstimate) -> str:
    if not isfinite(found.elo):
        return f"Elo cannot be told: one of them has all points; LOS {found.los:.1%}"
    margin = (found.high - found.low) / 2
    error = f" ± {margin:.1f}" if isfinite(margin) else f", {found.low:+.1f} to {found.high:+.1f}"
    return f"Elo {found.elo + 0.0:+.1f}{error} (95 %), LOS {found.los:.1%}"


def _judged(sprt: Sprt, verdict: SprtStatus, *, over: bool) -> str:
    low, high = sprt.bounds
    undecided = "not decided, and max_games are played" if over else "not decided"
    said = {None: undecided, "elo0": f"Elo {sprt.elo0:g} accepted", "elo1": f"Elo {sprt.elo1:g} accepted"}
    return (
        f"SPRT ({sprt}): LLR {verdict.llr:.2f} in [{low:.2f}, {high:.2f}]"
        f" after {counted(verdict.pairs, 'pair')}: {said[verdict.accepted]}"
    )


def _finite(values: dict[str, float]) -> dict[str, float | None]:
    """JSON has no infinity."""
    return {name: value if isfinite(value) else None for name, value in values.items()}
