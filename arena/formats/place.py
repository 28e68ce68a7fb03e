"""Place: one engine plays opponents of known strength until its own is known, by `arena.strength.interval`.

The first engine of the file is the one to place. It plays pairs of games, from one opening with the seats
exchanged, against the opponent whose games tell most by the results so far.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Annotated, Any, Final

from arena.formats.contest import Contest, Entrants, Next, ScheduleState, Seating, duel
from arena.formats.format import (
    AdaptiveFormat,
    FormatTable,
    FormatView,
    LengthKeys,
    Played,
    Setting,
)
from arena.scoring import EndedGame
from arena.strength.interval import Estimate, estimate, expected_score, most_telling
from protocol.keys import Between, Change, DocumentedValue, Key, WrongKey
from protocol.words import counted, did_you_mean, percent
from referee.outcome import Termination

_LOOK: Final = 4
"""The number of pairs from one look at the interval to the next."""

_MOST_ELO: Final = 10_000

RUNG: Final = 0.9
"""The share of points that an engine must be worth against an opponent to have reached its rung."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceKeys(LengthKeys):
    """The keys of a place."""

    within: Annotated[
        float,
        Between(1, 1000, "Elo"),
        Key("It ends when the Elo of the first engine is known to ± this.", Change.NEVER),
    ] = 30
    draws: Annotated[
        float,
        Between(0, 0.95),
        Key("The share of draws between equal engines, by which Elo is converted to points.", Change.NEVER),
    ] = 0.0
    strengths: Annotated[
        dict[str, float],
        DocumentedValue("table of numbers"),
        Key("The Elo of each opponent, by its name.", Change.NEVER, default="needed"),
    ] = field(default_factory=dict)


class _Place(AdaptiveFormat[PlaceKeys]):
    name = title = "place"
    keys = PlaceKeys
    order = "score"

    def checked(self, keys: PlaceKeys, setting: Setting) -> PlaceKeys:
        if len(setting.entrants) != 1:
            raise WrongKey(("format",), "an engine is placed in one game; keep one game id")
        (names,) = setting.entrants.values()
        for name, elo in keys.strengths.items():
            if abs(elo) > _MOST_ELO:
                raise WrongKey(
                    ("strengths", name), f"this must be from -{_MOST_ELO} to {_MOST_ELO}, not {elo:g}"
                )
            if name not in names[1:]:
                advice = did_you_mean(name, names[1:])
                raise WrongKey(("strengths", name), f"there is no opponent {name!r}{advice}")
        for name in names[1:]:
            if name not in keys.strengths:
                problem = f"{name!r} has no Elo here, so its games say nothing; add it, or remove the engine"
                raise WrongKey(("strengths",) if keys.strengths else ("format",), problem)
        if keys.max_games is not None and keys.max_games % 2:
            problem = f"an engine is placed by pairs of games, so this must be even, not {keys.max_games}"
            raise WrongKey(("max_games",), problem)
        return keys

    def next_games(self, keys: PlaceKeys, contest: Contest, state: ScheduleState) -> Iterator[Next]:
        placing = Placing(keys, contest.entrants)
        number = max((taken // contest.stride for taken in state.taken()), default=-1) + 1
        while True:
            running = [pairing.number for pairing in state.running.values()]
            placing.count(state.results, min(running, default=inf))
            seating = None if placing.is_known else placing.next_seating(state)
            if seating is None:
                return
            yield contest.pairing(number, contest.entrants.key(seating), seating)
            number += 1

    def may_end_early(self, keys: PlaceKeys) -> bool:
        return True

    def is_over(self, keys: PlaceKeys, entrants: Entrants, played: Played) -> bool:
        if super().is_over(keys, entrants, played):
            return True
        return _placed(keys, entrants, played).is_known

    def view(self, keys: PlaceKeys, entrants: Entrants, played: Played) -> FormatView:
        return _placed(keys, entrants, played).view()


PLACE = _Place()


def _placed(keys: PlaceKeys, entrants: Entrants, played: Played) -> Placing:
    """Return what all games say."""
    placing = Placing(keys, entrants)
    placing.count(played.results)
    return placing


@dataclass(slots=True)
class _Opponent:
    """What happened against one opponent."""

    name: str
    elo: float
    games: int = 0
    points: float = 0.0


class Placing:
    """What the games of an engine say about its strength, in the order of the schedule.

    The first look at which the strength is known ends it. So the result does not depend on the order in which
    games end, and games that end after it do not change it.
    """

    def __init__(self, keys: PlaceKeys, entrants: Entrants) -> None:
        self._keys = keys
        self._entrants = entrants
        self._opponents = {
            place: _Opponent(name, keys.strengths[name])
            for place, name in enumerate(entrants.names)
            if place and name in keys.strengths
        }
        self._pairs: Counter[tuple[float, int]] = Counter()
        self._half_done: dict[tuple[str, int], EndedGame] = {}  # by opponent and opening
        self._counted: set[str] = set()
        self._ended: dict[int, int] = {}  # by opponent, how many of its first games have certainly ended
        self.is_known = False

    def count(self, results: Mapping[str, EndedGame], before: float = inf) -> None:
        """Count the games with lower numbers than ``before`` that are new."""
        new = [
            result for key, result in results.items() if key not in self._counted and result.number < before
        ]
        for result in sorted(new, key=lambda result: result.number):
            if self.is_known:
                return
            self._counted.add(result.key)
            self._add(result)

    def _add(self, result: EndedGame) -> None:
        """Count a game; two games of one opening make a pair."""
        candidate = self._entrants.names[0]
        names = [player.name for player in result.players]
        opponents = [known for known in self._opponents.values() if known.name in names]
        if candidate not in names or not opponents or result.termination is Termination.DISABLED:
            return
        (opponent,) = opponents
        seat = names.index(candidate)
        opponent.games += 1
        opponent.points += result.players[seat].points
        pair = (opponent.name, int(result.key.rpartition(":")[2]))
        other = self._half_done.pop(pair, None)
        if other is None:
            self._half_done[pair] = result
            return
        points = result.players[seat].points + other.players[1 - seat].points
        self._pairs[opponent.elo, round(2 * points)] += 1
        if self._pairs.total() % _LOOK == 0:
            error = self.look().error
            self.is_known = error is not None and error <= self._keys.within

    def look(self) -> Estimate:
        """Estimate the strength from the pairs so far."""
        return estimate(self._pairs, self._keys.draws, self._keys.within)

    def next_seating(self, state: ScheduleState) -> Seating | None:
        """Return the next game: the second of a pair, or the first against the most telling opponent."""
        places = [place for place, opponent in self._opponents.items() if opponent.name not in state.disabled]
        if not places or self._entrants.names[0] in state.disabled:
            return None
        started = []
        for place in places:
            missing = self._first_missing(place, state)
            if self._entrants.key(duel(0, place, missing ^ 1, 0)) in state:
                return duel(0, place, missing, 0)
            started.append(missing // 2)
        if self._keys.max_games is not None and 2 * sum(started) >= self._keys.max_games:
            return None
        strengths = [self._opponents[place].elo for place in places]
        chosen = most_telling(strengths, started, self._pairs, self._keys.draws)
        return duel(0, places[chosen], 2 * started[chosen], 0)

    def _first_missing(self, place: int, state: ScheduleState) -> int:
        """Return the number of the first game with an opponent that has not started: 0 and 1 are a pair."""
        number, ended = self._ended.get(place, 0), True
        while (key := self._entrants.key(duel(0, place, number, 0))) in state:
            ended = ended and key in state.results
            number += 1
            if ended:
                self._ended[place] = number
        return number

    def view(self) -> FormatView:
        """Return what the games say: the place, the Elo, the points against each opponent, and the cost."""
        found = self.look()
        opponents = sorted(self._opponents.values(), key=lambda opponent: -opponent.elo)
        rows = [self._row(opponent, found) for opponent in opponents]
        games = sum(opponent.games for opponent in opponents)
        name, elo = self._entrants.names[0], found.elo
        above = [opponent for opponent in opponents if elo is not None and opponent.elo > elo]
        data: dict[str, Any] = {
            "engine": name,
            "elo": elo,
            "low": found.low,
            "high": found.high,
            "within": self._keys.within,
            "known": self.is_known,
            "place": None if elo is None else len(above) + 1,
            "of": len(opponents) + 1,
            "games": games,
            "opponents": rows,
        }
        return FormatView(
            {"place": data},
            title=self._sentence(found, len(above) + 1, games),
            table=FormatTable(
                "opponents",
                ("#", "engine", "Elo", "games", "points", "expected", f"worth {percent(RUNG)}"),
                tuple(
                    (
                        str(place),
                        row["engine"],
                        f"{row['elo']:.0f}",
                        str(row["games"]),
                        f"{row['points']:g}",
                        "" if row["expected"] is None else percent(row["expected"]),
                        {None: "", True: "yes", False: "no"}[row["reached"]],
                    )
                    for place, row in enumerate(rows, 1)
                ),
                "Expected: the points that the Elo is worth. The interval holds at every look.",
            ),
        )

    def _row(self, opponent: _Opponent, found: Estimate) -> dict[str, Any]:
        """Return the row of an opponent; its rung is reached, is not, or that is not known yet."""

        def worth(theta: float | None) -> float | None:
            return None if theta is None else expected_score(theta - opponent.elo, self._keys.draws)

        low, high = worth(found.low), worth(found.high)
        reached = None
        if low is not None and low >= RUNG:
            reached = True
        elif high is not None and high < RUNG:
            reached = False
        return {
            "engine": opponent.name,
            "elo": opponent.elo,
            "games": opponent.games,
            "points": opponent.points,
            "expected": worth(found.elo),
            "reached": reached,
        }

    def _sentence(self, found: Estimate, place: int, games: int) -> str:
        """Say what is known in one line."""
        name, cost = self._entrants.names[0], counted(games, "game")
        if found.elo is None:
            low = "" if found.low is None else f" more than {found.low:.0f}"
            high = "" if found.high is None else f" less than {found.high:.0f}"
            return f"{name}: Elo{low or high or ' not known yet'}, after {cost}"
        of = len(self._opponents) + 1
        error = "?" if found.error is None else f"{found.error:.0f}"
        return f"{name}: Elo {found.elo:.0f} ± {error}, place {place} of {of}, after {cost}"
