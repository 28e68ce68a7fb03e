"""Statistics of games as tables for people and as data for programs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from math import ceil, floor

from arena.ended_games import GameScoreCounts
from arena.ratings.fit import Fit
from arena.tables.standings import points_format
from arena.tables.statistics.collector import NOT_PLAYED, OpeningLine, StatisticsCollector, mean_and_median
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

ALL_SEATS_NOTE = "Order: seats. Score: points per game that was played."
SEATS_NOTE = f"{ALL_SEATS_NOTE} Elo: the seat's advantage in all games in the database."
FORFEITS_NOTE = (
    "Order: forfeits, then name. Engines without forfeits are not listed. Games in the column `disabled`"
    " were not played, and are no forfeits."
)
OPENINGS_NOTE = "Order: games, then the opening's text. Points are the first player's."
ENDS_NOTE = "Order: games, then the reason. Share: of the games that were played."
_ENDED_BY = {
    Termination.NORMAL: "rules",
    Termination.ADJUDICATED: "adjudication",
    Termination.RESIGN: "resignation",
    Termination.VOID: "nobody",
}
TIMES_NOTE = (
    "Order: time per move, the longest first, then name; engines that never moved come last."
    " Times are seconds on the clock."
)


def seats_table(statistics: StatisticsCollector, strengths: Fit | None) -> TextTable:
    """Return the table of the scores of the seats.

    Args:
        statistics: the statistics of the games.
        strengths: the fit with the advantage of each seat in Elo; ``None`` for a table without Elo.
    """
    seat_elos = () if strengths is None else strengths.seats
    elo = [(f"{round(seat.elo):+d}", f"{seat.error:.0f}") for seat in seat_elos]
    points = points_format(seat.points for seat in statistics.seats)
    return TextTable(
        ("#", "seat", "games", "W-D-L", "points", "score", "95%", *(("Elo", "+-95%") if elo else ())),
        tuple(
            (
                str(seat + 1),
                f"player {seat + 1}",
                str(score.games),
                f"{score.wins}-{score.draws}-{score.games - score.wins - score.draws}",
                format(score.points, points),
                f"{score.score:.1%}",
                _interval_cell(*score.interval),
                *(elo[seat] if elo else ()),
            )
            for seat, score in enumerate(statistics.seats)
        ),
    )


def openings_table(statistics: StatisticsCollector, limit: int | None) -> TextTable:
    """Return the table of the most frequent openings, at most ``limit`` of them."""
    lines = _frequent(statistics)[:limit]
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


def openings_note(statistics: StatisticsCollector, limit: int | None) -> str:
    """Return the order of the table of openings, and the number of openings that are not in it."""
    omitted = 0 if limit is None else max(len(statistics.lines) - limit, 0)
    return OPENINGS_NOTE + (f" Left out: {counted(omitted, 'rarer opening')}." if omitted else "")


def ends_table(statistics: StatisticsCollector) -> TextTable:
    """Return the table of the reasons for the end of games."""
    rows = sorted(statistics.ends.items(), key=lambda item: (-item[1], item[0]))
    return TextTable(
        ("#", "reason", "by", "games", "share"),
        tuple(
            (
                str(number),
                reason,
                _by(why),
                str(games),
                f"{games / statistics.games:.1%}" if why not in NOT_PLAYED else "",
            )
            for number, ((reason, why), games) in enumerate(rows, 1)
        ),
    )


def forfeits_table(counts: GameScoreCounts) -> TextTable:
    """Return the table of forfeits of each engine, by kind."""
    terminations = [why for why in Termination if why.is_forfeit]
    rows = sorted(_forfeits(counts).items(), key=lambda item: (-_played_forfeits(item[1]), item[0]))
    return TextTable(
        ("#", "engine", "forfeits", *terminations),
        tuple(
            (
                str(number),
                name,
                str(_played_forfeits(forfeits)),
                *(str(forfeits[why] or "") for why in terminations),
            )
            for number, (name, forfeits) in enumerate(rows, 1)
        ),
    )


def times_table(statistics: StatisticsCollector) -> TextTable:
    """Return the table of the time that each engine used."""
    rows = sorted(
        statistics.times.items(),
        key=lambda item: (-item[1].thinking / item[1].moves if item[1].moves else 1, item[0]),
    )
    return TextTable(
        ("#", "engine", "games", "moves", "a move", "longest", "a game", "lost on time"),
        tuple(
            (
                str(number),
                name,
                str(use.games),
                str(use.moves),
                f"{use.thinking / use.moves / 1e9:.3f}" if use.moves else "",
                f"{use.longest / 1e9:.3f}" if use.moves else "",
                f"{use.total / use.games / 1e9:.2f}",
                str(use.lost or ""),
            )
            for number, (name, use) in enumerate(rows, 1)
        ),
    )


def summary(statistics: StatisticsCollector) -> str:
    """Return the numbers of games, draws and forfeits in a line. The shares are of the games played."""
    games = statistics.games
    parts = [f"{counted(games, 'game')} played"]
    if games:
        drawn = sum(line.draws for line in statistics.lines.values())
        forfeits = sum(
            count for (_, why), count in statistics.ends.items() if why.is_forfeit and why not in NOT_PLAYED
        )
        parts.append(f"drawn: {drawn} ({drawn / games:.1%})")
        parts.append(f"ended by a forfeit: {forfeits} ({forfeits / games:.1%})")
    if statistics.unplayed:
        parts.append(f"not played, because an engine was disabled: {statistics.unplayed}")
    return "; ".join(parts)


def lengths_note(lengths: Mapping[int, int]) -> str:
    """Return the mean, the median and the range of the lengths in a line."""
    if not lengths:
        return "no game was played"
    mean, median = mean_and_median(lengths)
    return f"plies: {mean:.1f} on average, median {median}, from {min(lengths)} to {max(lengths)}"


def stats_data(
    statistics: StatisticsCollector, counts: GameScoreCounts, strengths: Fit | None
) -> dict[str, object]:
    """Return all statistics as data for programs, with times in nanoseconds and all openings."""
    seat_elos = () if strengths is None else strengths.seats
    return {
        "played": statistics.games,
        "unplayed": statistics.unplayed,
        "seats": [
            {
                "games": score.games,
                "wins": score.wins,
                "draws": score.draws,
                "points": score.points,
                "score": score.score,
                "interval": score.interval,
                "elo": seat_elos[seat].elo if seat < len(seat_elos) else None,
                "elo_error": seat_elos[seat].error if seat < len(seat_elos) else None,
            }
            for seat, score in enumerate(statistics.seats)
        ],
        "lengths": [
            {"plies": plies, "games": statistics.lengths[plies]} for plies in sorted(statistics.lengths)
        ],
        "openings": [
            {
                "opening": opening,
                "games": line.games,
                "draws": line.draws,
                "points": line.points,
                "plies": line.plies / line.games,
            }
            for opening, line in _frequent(statistics)
        ],
        "ends": [
            {"reason": reason, "termination": why, "games": games}
            for (reason, why), games in sorted(statistics.ends.items(), key=lambda item: (-item[1], item[0]))
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
                "thinking": use.thinking,
                "total": use.total,
                "longest": use.longest,
                "lost": use.lost,
            }
            for name, use in sorted(statistics.times.items())
        ],
    }


def overall_data(statistics: StatisticsCollector, counts: GameScoreCounts) -> dict[str, object]:
    """Return the statistics of games of several ids, without openings and lengths, which differ by game."""
    data = stats_data(statistics, counts, None)
    return {key: data[key] for key in ("played", "unplayed", "seats", "ends", "forfeits", "times")}


def _forfeits(counts: GameScoreCounts) -> dict[str, Counter[Termination]]:
    """Return the number of forfeits by engine and kind; engines without forfeits are missing."""
    forfeits: defaultdict[str, Counter[Termination]] = defaultdict(Counter)
    for game_score, games in counts.items():
        for seat_score in game_score:
            if seat_score.forfeit is not None and seat_score.forfeited:
                forfeits[seat_score.name][seat_score.forfeit] += games
    return dict(forfeits)


def _interval_cell(least: float, most: float) -> str:
    """Return an interval in whole percent, rounded outwards, so that it is never narrower than it is."""
    return f"{floor(round(100 * least, 6))}%-{ceil(round(100 * most, 6))}%"


def _played_forfeits(forfeits: Counter[Termination]) -> int:
    return sum(count for why, count in forfeits.items() if why not in NOT_PLAYED)


def _frequent(statistics: StatisticsCollector) -> list[tuple[str, OpeningLine]]:
    return sorted(statistics.lines.items(), key=lambda item: (-item[1].games, item[0]))


def _by(why: Termination) -> str:
    return "forfeit" if why.is_forfeit else _ENDED_BY[why]
