"""The ranking of one game id as pages show it: in the order of the format, with Elo and its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from markupsafe import Markup

from arena.ratings import DEVIATIONS
from arena.ratings.fit import Fit
from arena.ratings.trueskill import Rating
from arena.tables.bracket import MatchRow
from arena.tables.format_tables import FormatView
from arena.tables.ratings import RANKING_NOTES
from arena.tables.standings import ORDER_NOTES, Standing
from arena.web.figures import points_text, signed
from arena.web.pages.games import RecentGames
from arena.web.plots import interval


@dataclass(frozen=True, slots=True)
class RankingLine:
    """An engine in the ranking.

    Attributes:
        place: its place; engines that share a place have the same.
        name: the engine.
        points: its points.
        total: its points as a number.
        games: the number of its games that count.
        record: its games won, drawn and lost.
        elo: Elo with its sign, or mu if nothing can be fitted; "" without a rated game.
        error: half of the 95 % interval.
        interval: the drawing of the interval; "" if there is none.
        form: the letters of its last six games, see `arena.web.pages.games.outcome_letters`.
        forfeits: the number of its forfeits.
    """

    place: int
    name: str
    points: str
    total: float
    games: int
    record: str
    elo: str
    error: str
    interval: Markup | str
    form: tuple[str, ...]
    forfeits: int


@dataclass(frozen=True, slots=True)
class Ranking:
    """The engines by what decides the format, and the note below them."""

    lines: tuple[RankingLine, ...]
    note: str

    @property
    def leaders(self) -> tuple[str, ...]:
        """The engines in the first place."""
        return tuple(line.name for line in self.lines if line.place == 1)

    @property
    def podium(self) -> tuple[RankingLine, ...]:
        """The first three places, the winner first; ties share a step's height."""
        return tuple(line for line in self.lines[:3] if line.place <= 3)


def decisive_places(
    format_: FormatView, standings: Sequence[Standing], ratings: Mapping[str, Rating]
) -> list[tuple[int, str]]:
    """Return the place of each engine and its name, the best first, by what decides the format.

    Engines that are equal in everything but their names share a place. In a knock-out, engines that lost
    in the same round share a place.
    """
    names = {standing.name: standing for standing in standings}
    if "swiss" in format_.data:
        table = format_.data["swiss"]
        assert isinstance(table, dict)
        order = [(int(row["place"]), str(row["engine"])) for row in table["table"]]
    elif "bracket" in format_.data:
        order = _by_round(cast("list[list[MatchRow]]", format_.data["bracket"]))
    elif format_.decided_by == "ratings":
        rated = sorted(
            (name for name in names if name in ratings), key=lambda name: -ratings[name].conservative
        )
        order = list(enumerate(rated, 1))
    else:
        keys = [
            (one.score, one.wins)
            if format_.order == "score"
            else (one.points, one.wins, one.sonneborn_berger)
            for one in standings
        ]
        return [(keys.index(key) + 1, one.name) for key, one in zip(keys, standings, strict=True)]
    played = [(place, name) for place, name in order if name in names]
    ordered = {name for _, name in played}
    others = [name for name in names if name not in ordered]
    return played + [(len(played) + 1, name) for name in others]


def _by_round(rounds: Sequence[Sequence[MatchRow]]) -> list[tuple[int, str]]:
    reached: dict[str, tuple[int, bool]] = {}
    for number, matches in enumerate(rounds):
        for match in matches:
            for name in filter(None, match["engines"]):
                reached[name] = (number, match["winner"] == name)
    order = sorted(reached.items(), key=lambda item: item[1], reverse=True)
    keys = [key for _, key in order]
    return [(keys.index(key) + 1, name) for name, key in order]


def ranking(
    format_: FormatView,
    standings: Sequence[Standing],
    strengths: Fit | None,
    ratings: Mapping[str, Rating],
    recent: RecentGames,
) -> Ranking:
    """Return the ranking; all intervals have one axis.

    Args:
        format_: the extra tables of the format.
        standings: the standings.
        strengths: the Elo fit; None if nothing can be fitted, and then mu takes the place of Elo.
        ratings: the TrueSkill ratings of the engines that have one.
        recent: the last games of the game id.
    """
    places = decisive_places(format_, standings, ratings)
    by_name = {standing.name: standing for standing in standings}
    if strengths is None:
        fitted = {name: (rating.mu, DEVIATIONS * rating.sigma) for name, rating in ratings.items()}
    else:
        fitted = {one.name: (one.elo, one.error) for one in strengths.strengths}
    digits = 2 if strengths is None else 0
    shown = [fitted[name] for _, name in places if name in fitted]
    span = (
        min((elo - error for elo, error in shown), default=0.0),
        max((elo + error for elo, error in shown), default=1.0),
    )
    lines = []
    for place, name in places:
        row = by_name[name]
        elo, error = fitted.get(name, (None, 0.0))
        lines.append(
            RankingLine(
                place,
                name,
                points_text(row.points),
                row.points,
                row.games,
                f"{row.wins}-{row.draws}-{row.losses}",
                "" if elo is None else signed(elo) if digits == 0 else f"{elo:.2f}",
                "" if elo is None else f"{error:.{digits}f}",
                "" if elo is None else interval(elo, error, span),
                recent.form(name),
                row.forfeits,
            )
        )
    return Ranking(tuple(lines), _note(format_))


def _note(format_: FormatView) -> str:
    if "swiss" in format_.data:
        return "Order: points, Buchholz, Sonneborn-Berger, direct encounter, order of the file."
    if "bracket" in format_.data:
        return "Order: the last round that the engine reached."
    return RANKING_NOTES["trueskill"] if format_.decided_by == "ratings" else ORDER_NOTES[format_.order]
