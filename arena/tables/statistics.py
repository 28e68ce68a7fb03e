"""Statistics of games: the scores of seats, openings, reasons for the end, lengths, time and workers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import islice
from math import ceil, floor, sqrt
from operator import attrgetter
from statistics import fmean, median_low
from typing import TYPE_CHECKING, Final

from rich.console import RenderableType

from arena.model import GameRecord
from arena.ratings import DEVIATIONS
from arena.scoring import seat_endings
from arena.tables.standings import points_format
from arena.tables.text_table import TextTable, numbered
from arena.tables.thinking import ThinkingCollector, UsageCollector
from protocol.words import counted, percent
from referee.outcome import Termination
from referee.ply import FAULTS, Ply

if TYPE_CHECKING:
    from arena.ratings.fit import Fit

NOT_PLAYED: Final = frozenset({Termination.VOID, Termination.DISABLED})
"""The reasons of games that were not played to an end."""


@dataclass(slots=True)
class SeatStatistics:
    """The score of one seat: sums of its games, its points and their squares."""

    games: int = 0
    wins: int = 0
    draws: int = 0
    points: float = 0.0
    squares: float = 0.0

    @property
    def score(self) -> float:
        """Points per game, from 0 to 1. There must be at least one game."""
        return self.points / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the score, if the player of the seat is random in each game.

        It is the mean plus and minus 1.96 standard errors after two added wins and losses: without them it
        would be too small for few games or equal results (Agresti and Coull 1998: plus four).
        """
        games, points, squares = self.games + 4, self.points + 2, self.squares + 2
        mean = points / games
        error = DEVIATIONS * sqrt((squares / games - mean**2) / games)
        return max(mean - error, 0.0), min(mean + error, 1.0)


@dataclass(slots=True)
class OpeningLine:
    """The games with the same opening; draws shared the first place, and plies leave out a given opening."""

    games: int = 0
    draws: int = 0
    plies: int = 0
    points: list[float] = field(default_factory=list)


@dataclass(slots=True)
class TimeUse:
    """The time that one engine used, in nanoseconds."""

    games: int = 0
    moves: int = 0
    thinking: int = 0  # the time of the moves
    total: int = 0  # on its clock, with the turns that a forfeit ended
    longest: int = 0  # move
    lost: int = 0  # games lost on time


class StatisticsCollector:
    """Collects the statistics of games; `opening_line` returns the opening of a game."""

    def __init__(self, plies: int = 2) -> None:
        self._plies = plies
        self.games = 0
        self.seats: list[SeatStatistics] = []
        self.lengths: Counter[int] = Counter()
        self.lines: defaultdict[str, OpeningLine] = defaultdict(OpeningLine)
        self.ends: Counter[tuple[str, Termination]] = Counter()
        self.times: defaultdict[str, TimeUse] = defaultdict(TimeUse)
        self.thinking = ThinkingCollector()
        self.usage = UsageCollector()
        self.forfeits: defaultdict[str, Counter[Termination]] = defaultdict(Counter)
        self.forgiven: defaultdict[str, Counter[str]] = defaultdict(Counter)

    @property
    def unplayed(self) -> int:
        """The number of games that count and were not played, because an engine was disabled."""
        return sum(games for (_, why), games in self.ends.items() if why is Termination.DISABLED)

    def add(self, record: GameRecord) -> None:
        """Count one game."""
        result = record.result
        self.ends[result.reason, result.termination] += 1
        for player in result.players if result.counts else ():
            if player.forfeit is not None and player.forfeit.is_forfeit:
                self.forfeits[player.name][player.forfeit] += 1
        if result.termination in NOT_PLAYED:
            return
        self.games += 1
        self.lengths[result.plies] += 1
        self._count_points(record)
        self._count_times(record)
        self.thinking.add(result.players, moves_of(record))
        self.usage.add(result.players, moves_of(record))
        for ply in record.record if has_more_than_moves(record) else ():
            if ply.fault:
                self.forgiven[result.players[ply.seat].name][ply.fault] += 1

    def _count_points(self, record: GameRecord) -> None:
        players = record.result.players
        while len(self.seats) < len(players):
            self.seats.append(SeatStatistics())
        endings = seat_endings(players)
        line = self.lines[opening_line(record, self._plies)]
        line.games += 1
        line.draws += "drew" in endings
        line.plies += record.result.plies
        line.points += [0.0] * (len(players) - len(line.points))  # games of several ids differ in players
        for seat, player in enumerate(players):
            line.points[seat] += player.points
            statistics = self.seats[seat]
            statistics.games += 1
            statistics.wins += endings[seat] == "won"
            statistics.draws += endings[seat] == "drew"
            statistics.points += player.points
            statistics.squares += player.points**2

    def _count_times(self, record: GameRecord) -> None:
        uses = [self.times[player.name] for player in record.result.players]
        for use, player in zip(uses, record.result.players, strict=True):
            use.games += 1
            use.total += player.time_used
            use.lost += player.forfeit is Termination.TIME
        for ply in moves_of(record):
            use = uses[ply.seat]
            use.moves += 1
            use.thinking += ply.time
            use.longest = max(use.longest, ply.time)


def moves_of(record: GameRecord) -> Iterable[Ply]:
    """Return the plies of a game that are moves."""
    return filter(attrgetter("is_move"), record.record) if has_more_than_moves(record) else record.record


def has_more_than_moves(record: GameRecord) -> bool:
    """Whether a game has removals or forgiven faults. Most have none, and to look at each ply takes time."""
    return len(record.record) != record.result.plies


def opening_line(record: GameRecord, plies: int) -> str:
    """Return the opening that was given for a game as a text; without one, its first ``plies`` moves."""
    given = [*filter(None, [record.opening.position]), *record.opening.moves]
    return " ".join(given or [ply.text for ply in islice(moves_of(record), plies)]) or "(no move)"


_SEATS_NOTE = "Order: seats. Score: points per game that was played."
_ELO_NOTE = " Elo: the seat's advantage in all games of the ratings."
_FORFEITS_NOTE = (
    "Order: forfeits, then name. Engines without forfeits are not listed. Games in the column `disabled`"
    " were not played, and are no forfeits."
)
_FORGIVEN_NOTE = (
    " Forgiven: illegal moves and late moves that did not lose. Random: the moves that the seed has drawn."
)
_FORGIVEN_COLUMNS = {"illegal": "forgiven illegal", "time": "forgiven time", "random": "random moves"}
_OPENINGS_NOTE = (
    "Order: games, then the opening's text. Points are the first player's. Where no opening was given, it is"
    " the first moves."
)
_OPENINGS_SHOWN: Final = 10

_ENDS_NOTE = "Order: games, then the reason. Share: of the games that were played."
_ENDED_BY = {
    Termination.NORMAL: "rules",
    Termination.ADJUDICATED: "adjudication",
    Termination.RESIGN: "resignation",
    Termination.VOID: "nobody",
}
_TIMES_NOTE = (
    "Order: time per move, the longest first, then name; engines that never moved come last."
    " Times are seconds on the clock."
)


@dataclass(frozen=True, slots=True)
class GameStatistics:
    """The statistics of games with all that is shown of them by terminals, files, programs and pages."""

    collected: StatisticsCollector
    game: str = ""  # "" for games of several ids
    strengths: Fit | None = None  # with the advantage of each seat in all games of the database

    def data(self) -> dict[str, object]:
        """Return everything for programs, with times in nanoseconds; openings only of one game id."""
        statistics = self.collected
        seat_elos = () if self.strengths is None else self.strengths.seats
        data: dict[str, object] = {
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
        }
        if self.game:
            data["lengths"] = [
                {"plies": plies, "games": statistics.lengths[plies]} for plies in sorted(statistics.lengths)
            ]
            data["openings"] = [
                {"opening": opening, **asdict(line), "plies": line.plies / line.games}
                for opening, line in self._frequent()
            ]
        return data | {
            "ends": [
                {"reason": reason, "termination": why, "games": games}
                for (reason, why), games in self._ends()
            ],
            "forfeits": [
                {"engine": name, **{why.value: number for why, number in sorted(lost.items())}}
                for name, lost in sorted(statistics.forfeits.items())
            ],
            "forgiven": [
                {"engine": name, **{word: faults[word] for word in FAULTS}}
                for name, faults in sorted(statistics.forgiven.items())
            ],
            "times": [{"engine": name, **asdict(use)} for name, use in sorted(statistics.times.items())],
            "thinking": statistics.thinking.data(),
            "usage": statistics.usage.data(),
        }

    def renderables(self, title: str) -> Iterator[RenderableType]:
        """Yield what people read; ``title`` says which games these are."""
        played = bool(self.collected.games)
        if self.game:
            yield f"{title}, {self.game}: {self.summary()}; {self.lengths()}"
        else:
            yield f"{title}, all games: {self.summary()}"
        if played:
            yield self.seats()
        if played and self.game:
            yield self.openings(_OPENINGS_SHOWN)
        yield self.ends()
        forfeits = self.forfeits()
        if forfeits.rows:
            yield forfeits
        if played:
            yield self.times()
        if self.collected.thinking.engines:
            yield self.thinking()
        if self.collected.usage.totals:
            yield self.usage()

    def seats(self) -> TextTable:
        """Return the table of the scores of the seats."""
        seats = self.collected.seats
        seat_elos = () if self.strengths is None else self.strengths.seats
        elo = [(f"{round(seat.elo):+d}", f"{seat.error:.0f}") for seat in seat_elos]
        points = points_format(seat.points for seat in seats)
        headers = ["seat", "games", "W-D-L", "points", "score", "95 %", *(("Elo", "+-95%") if elo else ())]
        rows = [
            (
                f"player {seat + 1}",
                str(score.games),
                f"{score.wins}-{score.draws}-{score.games - score.wins - score.draws}",
                format(score.points, points),
                percent(score.score),
                _interval_cell(*score.interval),
                *(elo[seat] if elo else ()),
            )
            for seat, score in enumerate(seats)
        ]
        return numbered(self.game, "seats", headers, rows, _SEATS_NOTE + (_ELO_NOTE if self.game else ""))

    def openings(self, limit: int) -> TextTable:
        """Return the table of the most frequent openings."""
        lines = self._frequent()[:limit]
        points = points_format(line.points[0] for _, line in lines)
        rows = [
            (
                opening,
                str(line.games),
                format(line.points[0], points),
                percent(line.points[0] / line.games),
                percent(line.draws / line.games),
                f"{line.plies / line.games:.0f}",
            )
            for opening, line in lines
        ]
        omitted = len(self.collected.lines) - len(lines)
        left_out = f" Left out: {counted(omitted, 'rarer opening')}." if omitted else ""
        headers = ("opening", "games", "points", "score", "draws", "plies")
        return numbered(self.game, "openings", headers, rows, _OPENINGS_NOTE + left_out)

    def ends(self) -> TextTable:
        """Return the table of the reasons for the end of games."""
        rows = [
            (
                reason,
                "forfeit" if why.is_forfeit else _ENDED_BY[why],
                str(games),
                percent(games / self.collected.games) if why not in NOT_PLAYED else "",
            )
            for (reason, why), games in self._ends()
        ]
        return numbered(self.game, "ends", ("reason", "by", "games", "share"), rows, _ENDS_NOTE)

    def forfeits(self) -> TextTable:
        """Return the table of forfeits of each engine, by kind, and of the faults that were forgiven."""
        kinds = [why for why in Termination if why.is_forfeit]
        forfeits, forgiven = self.collected.forfeits, self.collected.forgiven
        words = FAULTS if forgiven else ()
        played = {name: _faults(forfeits[name]) for name in forfeits.keys() | forgiven.keys()}
        rows = [
            (
                name,
                str(played[name]),
                *(str(forfeits[name][why] or "") for why in kinds),
                *(str(forgiven[name][word] or "") for word in words),
            )
            for name in sorted(played, key=lambda name: (-played[name], name))
        ]
        headers = ("engine", "forfeits", *kinds, *(_FORGIVEN_COLUMNS[word] for word in words))
        note = _FORFEITS_NOTE + (_FORGIVEN_NOTE if forgiven else "")
        return numbered(self.game, "forfeits", headers, rows, note)

    def times(self) -> TextTable:
        """Return the table of the time that each engine used."""
        slowest_first = sorted(
            self.collected.times.items(),
            key=lambda item: (-item[1].thinking / item[1].moves if item[1].moves else 1, item[0]),
        )
        rows = [
            (
                name,
                str(use.games),
                str(use.moves),
                f"{use.thinking / use.moves / 1e9:.3f}" if use.moves else "",
                f"{use.longest / 1e9:.3f}" if use.moves else "",
                f"{use.total / use.games / 1e9:.2f}",
                str(use.lost or ""),
            )
            for name, use in slowest_first
        ]
        headers = ("engine", "games", "moves", "a move", "longest", "a game", "lost on time")
        return numbered(self.game, "times", headers, rows, _TIMES_NOTE)

    def thinking(self) -> TextTable:
        """Return the table of how fast and how deep each engine searched."""
        return self.collected.thinking.table(self.game)

    def usage(self) -> TextTable:
        """Return the table of what moves took by the reports of the engines."""
        return self.collected.usage.table(self.game)

    def summary(self) -> str:
        """Return the numbers of games, draws and forfeits in a line. The shares are of the games played."""
        statistics = self.collected
        games = statistics.games
        parts = [f"{counted(games, 'game')} played"]
        if games:
            drawn = sum(line.draws for line in statistics.lines.values())
            parts.append(f"drawn: {drawn} ({percent(drawn / games)})")
            parts.append(f"forfeits: {sum(map(_faults, statistics.forfeits.values()))}")
        if statistics.unplayed:
            parts.append(f"not played, because an engine was disabled: {statistics.unplayed}")
        return "; ".join(parts)

    def lengths(self) -> str:
        """Return the mean, the median and the range of the lengths in a line."""
        lengths = self.collected.lengths
        if not lengths:
            return "no game was played"
        mean, median = fmean(lengths.elements()), median_low(lengths.elements())
        return f"plies: {mean:.1f} on average, median {median}, from {min(lengths)} to {max(lengths)}"

    def _ends(self) -> list[tuple[tuple[str, Termination], int]]:
        return sorted(self.collected.ends.items(), key=lambda item: (-item[1], item[0]))

    def _frequent(self) -> list[tuple[str, OpeningLine]]:
        return sorted(self.collected.lines.items(), key=lambda item: (-item[1].games, item[0]))


def _faults(forfeits: Mapping[Termination, int]) -> int:
    """Return how many forfeits an engine had while its games were played."""
    return sum(count for why, count in forfeits.items() if why.is_fault)


def _interval_cell(least: float, most: float) -> str:
    """Return an interval in whole percent, rounded outwards, so that it is never narrower than it is."""
    return f"{floor(round(100 * least, 6))}-{ceil(round(100 * most, 6))} %"
