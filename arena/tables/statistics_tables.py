"""Statistics as tables for people, and as data for programs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

from arena.ratings.fit import Fit
from arena.scoring import GameScoreCounts
from arena.tables.standings import points_format
from arena.tables.statistics import OpeningLine, StatisticsCollector, mean_and_median
from arena.tables.text_table import TextTable
from protocol.plurals import counted
from referee.outcome import Termination

__all__ = [
    "ends_table",
    "forfeits_table",
    "lengths_note",
    "openings_table",
    "overall_data",
    "seats_table",
    "stats_data",
    "summary",
    "times_table",
]

SEATS_NOTE = (
    "Order: seats. Score: points a game; Elo: by all games in the database, strengths taken into account."
)
ALL_SEATS_NOTE = "Order: seats. Score: points a game."
FORFEITS_NOTE = "Order: forfeits, then name; who has none is left out."
OPENINGS_NOTE = "Order: games, then the opening's text. Points are the first player's."
ENDS_NOTE = "Order: games, then the reason."
_JUDGES = {
    Termination.NORMAL: "rules",
    Termination.ADJUDICATED: "adjudication",
    Termination.RESIGN: "resignation",
    Termination.VOID: "nobody",
}
TIMES_NOTE = "Order: time a move, the longest first; then name. Seconds on the clock."


def seats_table(found: StatisticsCollector, strengths: Fit | None) -> TextTable:
    """What each seat scored."""
    worth = () if strengths is None else strengths.seats
    elo = [(f"{round(seat.elo):+d}", f"{seat.error:.0f}") for seat in worth]
    points = points_format(share.points for share in found.seats)
    return TextTable(
        ("#", "seat", "games", "W-D-L", "points", "score", "95%", *(("Elo", "+-95%") if elo else ())),
        tuple(
            (
                str(seat + 1),
                f"player {seat + 1}",
                str(share.games),
                f"{share.wins}-{share.draws}-{share.games - share.wins - share.draws}",
                format(share.points, points),
                f"{share.score:.1%}",
                "{:.0%}-{:.0%}".format(*share.interval),
                *(elo[seat] if elo else ()),
            )
            for seat, share in enumerate(found.seats)
        ),
    )


def openings_table(found: StatisticsCollector, most: int | None) -> TextTable:
    """How games began and what came of it: the most frequent openings."""
    lines = _frequent(found)[:most]
    points = points_format(line.points[0] for _, line in lines)
    return TextTable(
        ("#", "opening", "games", "points", "score", "draws", "plies"),
        tuple(
            (
                str(number),
                opening,
                str(line.games),
                format(line.points[0], points),
                f"{line.points[0] / line.games:.0%}",
                f"{line.draws / line.games:.0%}",
                f"{line.plies / line.games:.0f}",
            )
            for number, (opening, line) in enumerate(lines, 1)
        ),
    )


def openings_note(found: StatisticsCollector, most: int | None) -> str:
    """How the table is sorted, and how much of it was left out."""
    more = 0 if most is None else max(len(found.lines) - most, 0)
    return OPENINGS_NOTE + (f" Left out: {counted(more, 'rarer opening')}." if more else "")


def ends_table(found: StatisticsCollector) -> TextTable:
    """Why games ended."""
    total = sum(found.ends.values())
    rows = sorted(found.ends.items(), key=lambda item: (-item[1], item[0]))
    return TextTable(
        ("#", "reason", "by", "games", "share"),
        tuple(
            (str(number), reason, _by(why), str(games), f"{games / total:.1%}")
            for number, ((reason, why), games) in enumerate(rows, 1)
        ),
    )


def forfeits_table(counts: GameScoreCounts) -> TextTable:
    """Who lost games by misbehaving, and how."""
    kinds = [why for why in Termination if why.is_forfeit]
    rows = sorted(_forfeits(counts).items(), key=lambda item: (-item[1].total(), item[0]))
    return TextTable(
        ("#", "engine", "forfeits", *kinds),
        tuple(
            (str(number), name, str(found.total()), *(str(found[why] or "") for why in kinds))
            for number, (name, found) in enumerate(rows, 1)
        ),
    )


def times_table(found: StatisticsCollector) -> TextTable:
    """How engines spent their time."""
    rows = sorted(found.times.items(), key=lambda item: (-item[1].total / max(item[1].moves, 1), item[0]))
    return TextTable(
        ("#", "engine", "games", "moves", "a move", "longest", "a game", "lost on time"),
        tuple(
            (
                str(number),
                name,
                str(use.games),
                str(use.moves),
                f"{use.total / max(use.moves, 1) / 1e9:.3f}",
                f"{use.longest / 1e9:.3f}",
                f"{use.total / use.games / 1e9:.2f}",
                str(use.lost or ""),
            )
            for number, (name, use) in enumerate(rows, 1)
        ),
    )


def summary(found: StatisticsCollector) -> str:
    """How many of the games were drawn, and how many ended by a forfeit; there is at least one."""
    drawn = sum(line.draws for line in found.lines.values())
    forfeits = sum(games for (_, why), games in found.ends.items() if why.is_forfeit)
    return f"drawn: {drawn / found.games:.0%}; ended by a forfeit: {forfeits / found.ends.total():.0%}"


def lengths_note(lengths: Mapping[int, int]) -> str:
    """How long games were, in a line."""
    if not lengths:
        return "no game was played"
    mean, median = mean_and_median(lengths)
    return f"plies: {mean:.1f} on average, median {median}, from {min(lengths)} to {max(lengths)}"


def stats_data(
    found: StatisticsCollector, counts: GameScoreCounts, strengths: Fit | None
) -> dict[str, object]:
    """The same for programs: times in nanoseconds, all openings."""
    worth = () if strengths is None else strengths.seats
    return {
        "played": found.games,
        "seats": [
            {
                "games": share.games,
                "wins": share.wins,
                "draws": share.draws,
                "points": share.points,
                "score": share.score,
                "interval": share.interval,
                "elo": worth[seat].elo if seat < len(worth) else None,
                "elo_error": worth[seat].error if seat < len(worth) else None,
            }
            for seat, share in enumerate(found.seats)
        ],
        "lengths": [{"plies": plies, "games": found.lengths[plies]} for plies in sorted(found.lengths)],
        "openings": [
            {
                "opening": opening,
                "games": line.games,
                "draws": line.draws,
                "points": line.points,
                "plies": line.plies / line.games,
            }
            for opening, line in _frequent(found)
        ],
        "ends": [
            {"reason": reason, "termination": why, "games": games}
            for (reason, why), games in sorted(found.ends.items(), key=lambda item: (-item[1], item[0]))
        ],
        "forfeits": [
            {"engine": name, **{why.value: number for why, number in sorted(lost.items())}}
            for name, lost in sorted(_forfeits(counts).items())
        ],
        "times": [
            {
                "engine": name,
                "games": use.games,
                "moves": use.moves,
                "total": use.total,
                "longest": use.longest,
                "lost": use.lost,
            }
            for name, use in sorted(found.times.items())
        ],
    }


def overall_data(found: StatisticsCollector, counts: GameScoreCounts) -> dict[str, object]:
    """Of games of several ids: what they have in common, which openings and lengths are not."""
    data = stats_data(found, counts, None)
    return {key: data[key] for key in ("played", "seats", "ends", "forfeits", "times")}


def _forfeits(counts: GameScoreCounts) -> dict[str, Counter[Termination]]:
    """By engine; who has none is missing."""
    found: defaultdict[str, Counter[Termination]] = defaultdict(Counter)
    for outcome, games in counts.items():
        for share in outcome:
            if share.forfeit is not None and share.forfeited:
                found[share.name][share.forfeit] += games
    return dict(found)


def _frequent(found: StatisticsCollector) -> list[tuple[str, OpeningLine]]:
    return sorted(found.lines.items(), key=lambda item: (-item[1].games, item[0]))


def _by(why: Termination) -> str:
    return "forfeit" if why.is_forfeit else _JUDGES[why]
