"""Swiss system for two players: each round pairs engines with equal scores that have not met before.

The rules follow FIDE's Dutch system (Handbook C.04.3). They apply in this order:

1. No two engines meet twice. If a round cannot be paired without repeated meetings, it has as few of them as
   possible.
2. If a match has an odd number of games, two engines with an absolute preference for the same seat do not
   meet. A preference is absolute if the engine had the other seat in both of its last two games, or has had
   the other seat two more times than the preferred seat.
3. With an odd number of engines, the lowest engine in the table that has not had a bye gets it. A bye gives
   the points of a match in which every game is won.
4. From the top of the table down, each engine meets an engine with the same score, if possible: the upper
   half of a score group meets its lower half, in order. If seats or earlier meetings rule out an opponent,
   the next one below is tried, and then the next one above. An engine without an opponent in its score group
   meets the top of the next group.

`arena.formats.swiss_pairing` pairs the rounds. It differs from the Dutch system in two ways. It ignores the
next score group when it chooses the engine that leaves a group. And an engine may leave its score group in
two successive rounds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import ceil, log2
from typing import Annotated

from arena.formats.contest import (
    Contest,
    Entrants,
    Next,
    PastMatch,
    PastRound,
    ScheduleState,
    Seating,
    duel,
    first_opening,
)
from arena.formats.format import (
    AdaptiveFormat,
    FormatTable,
    FormatView,
    PairingKeys,
    Played,
    Setting,
    check_round,
)
from arena.formats.swiss_pairing import SwissPlayer, pair_round
from arena.formats.ties import SEED, swiss_table
from arena.model import Stage
from arena.scoring import EndedGame, ScoredSeat
from protocol.keys import NUMBER, Change, Key, WrongKey
from protocol.words import counted


@dataclass(frozen=True, slots=True)
class SwissRound:
    """A round as in a `PastRound`, from the top of the table down, and the games of each match by key."""

    matches: tuple[PastMatch, ...]
    bye: int | None
    games: tuple[tuple[tuple[str, Seating], ...], ...]

    @property
    def needed(self) -> list[str]:
        """The keys of the games without which the round is not complete."""
        matches = zip(self.matches, self.games, strict=True)
        return [key for match, games in matches if match.played is None for key, _ in games]


class Swiss:
    """A Swiss tournament. Call `next_round` and `score` in turn, once for each round."""

    def __init__(self, entrants: Entrants, games: int) -> None:
        self._entrants = entrants
        self._games = games
        self._past = iter(entrants.past)
        self.players = [SwissPlayer(place) for place in range(len(entrants.names))]

    def next_round(self) -> SwissRound:
        """Pair the next round. It depends only on the earlier rounds and their results."""
        drawn = next(self._past, None) or self._draw()
        return SwissRound(*drawn, tuple(tuple(self._duels(match)) for match in drawn.matches))

    def _draw(self) -> PastRound:
        present = (player for player in self.players if player.place not in self._entrants.absent)
        table = sorted(present, key=lambda player: (-player.score, player.place))
        pairing = pair_round(table, seats=self._games % 2 == 1)
        matches = []
        for board, (higher, lower) in enumerate(pairing.pair()):
            first, second = (lower, higher) if _exchange(higher, lower, board) else (higher, lower)
            matches.append(PastMatch(first.place, second.place))
        return PastRound(tuple(matches), None if pairing.bye is None else pairing.bye.place)

    def _duels(self, match: PastMatch) -> Iterator[tuple[str, Seating]]:
        """Yield the games of a match in this round."""
        first, second = match.first, match.second
        # An earlier meeting counts as an even number of games, so that this one starts with a new opening.
        before = len(self.players[first].met.get(second, ())) * (self._games + self._games % 2)
        opening = first_opening((first, second), (self._games + 1) // 2)
        for index in range(before, before + self._games):
            seating = duel(first, second, index, opening)
            yield self._entrants.key(seating), seating

    def score(self, round_: SwissRound, results: Mapping[str, EndedGame]) -> bool:
        """Add the results of a round to the scores. Return whether all its games have a result."""
        for player in self.players:
            player.missed += 1
            player.missed_since += 1
        for match, games in zip(round_.matches, round_.games, strict=True):
            if match.played == 0:
                if match.winner is not None:
                    self._give_bye(match.winner)
                continue
            points = {match.first: 0.0, match.second: 0.0}
            for key, seating in games:
                result = results.get(key)
                if result is None and match.winner is not None:
                    points[match.winner] += 1.0
                players: Sequence[ScoredSeat] = result.players if result else ()
                for place, seat in zip(seating.seats, players, strict=False):
                    points[place] += seat.points
            self._meet(match.first, match.second, points)
            self._meet(match.second, match.first, points)
            if self._games % 2:
                self.players[match.first].seats.append(1)
                self.players[match.second].seats.append(-1)
        if round_.bye is not None:
            self._give_bye(round_.bye)
        return all(key in results for key in round_.needed)

    def _give_bye(self, place: int) -> None:
        self._take_part(place)
        self.players[place].byes += 1
        self.players[place].score += self._games

    def _take_part(self, place: int) -> None:
        self.players[place].missed -= 1
        self.players[place].missed_since = 0

    def _meet(self, place: int, opponent: int, points: Mapping[int, float]) -> None:
        self._take_part(place)
        self.players[place].score += points[place]
        self.players[place].met.setdefault(opponent, []).append(points[place])


def _exchange(higher: SwissPlayer, lower: SwissPlayer, board: int) -> bool:
    """Whether the lower of two engines in the table has the first seat in their first game.

    The seats are allocated like colours in the Dutch system, by these rules in this order: the stronger seat
    preference; the larger seat difference; the opposite of the last round in which the two had different
    seats; the preference of the higher engine; the number of the board.
    """
    if higher.seat_preference != lower.seat_preference:
        return higher.seat_preference < lower.seat_preference
    if higher.seat_difference != lower.seat_difference:
        return higher.seat_difference > lower.seat_difference
    for higher_seat, lower_seat in zip(reversed(higher.seats), reversed(lower.seats), strict=False):
        if higher_seat != lower_seat:
            return higher_seat > lower_seat
    return higher.seat_preference < 0 if higher.seat_preference else bool(board % 2)


def replay_rounds(
    entrants: Entrants, rounds: int, games: int, results: Mapping[str, EndedGame]
) -> tuple[list[SwissPlayer], list[SwissRound]]:
    """The engines with their scores, and the rounds that have started; the last one may be incomplete."""
    swiss = Swiss(entrants, games)
    started: list[SwissRound] = []
    complete = True
    while complete and len(started) < rounds:
        round_ = swiss.next_round()
        if len(started) >= len(entrants.past) and not any(key in results for key in round_.needed):
            break
        complete = swiss.score(round_, results)
        started.append(round_)
    return swiss.players, started


@dataclass(frozen=True, slots=True, kw_only=True)
class SwissKeys(PairingKeys):
    """The keys of a Swiss."""

    rounds: Annotated[int | None, NUMBER, Key("The number of rounds.", Change.ANY_TIME, default="needed")] = (
        None
    )


class _SwissFormat(AdaptiveFormat[SwissKeys]):
    name = "swiss"
    title = "Swiss"
    keys = SwissKeys
    decided_by = "format"
    keeps_places = True

    def checked(self, keys: SwissKeys, setting: Setting) -> SwissKeys:
        check_round(self.name, "games_per_pairing", keys.games_per_pairing, setting)
        if keys.rounds is None:
            largest = max(map(len, setting.entrants.values()))
            enough = max(1, ceil(log2(largest)))
            problem = (
                f"a Swiss needs rounds, e.g. rounds = {enough}; after fewer rounds, several of the {largest}"
                " engines can have won all their games"
            )
            raise WrongKey(("format",), problem)
        for game_id, names in setting.entrants.items():
            most = len(names) - (len(names) + 1) % 2
            if keys.rounds > most:
                problem = (
                    f"{len(names)} engines can play at most {most} rounds of {game_id} without meeting twice;"
                    ' use fewer rounds or format = "round-robin"'
                )
                raise WrongKey(("rounds",), problem)
        return keys

    def next_games(self, keys: SwissKeys, contest: Contest, state: ScheduleState) -> Iterator[Next]:
        swiss = Swiss(contest.entrants, keys.games_per_pairing)
        first_number, rounds = 0, _rounds(keys, contest.entrants)
        for index in range(rounds):
            round_ = swiss.next_round()
            round_games = [game for games in round_.games for game in games]
            needed = frozenset(round_.needed)
            if any(key not in state.results for key in needed):
                yield Stage(contest.entrants.game, f"round {index + 1} of {rounds}")
            for number, (key, seating) in enumerate(round_games, first_number):
                if key in needed and key not in state:
                    yield contest.pairing(number, key, seating)
            first_number += len(round_games)
            while any(key not in state.results for key in needed):
                yield None  # the next round depends on them
            swiss.score(round_, state.results)

    def most_games(self, keys: SwissKeys, entrants: Entrants) -> int:
        each = keys.games_per_pairing
        past = [match for round_ in entrants.past for match in round_.matches]
        new = (_rounds(keys, entrants) - len(entrants.past)) * (len(entrants.present) // 2)
        return sum(each if match.played is None else match.played for match in past) + new * each

    def is_over(self, keys: SwissKeys, entrants: Entrants, played: Played) -> bool:
        if not entrants.past and not entrants.mark:  # a stage may have games of rounds that are paired again
            return super().is_over(keys, entrants, played)
        rounds = _rounds(keys, entrants)
        _, started = replay_rounds(entrants, rounds, keys.games_per_pairing, played.results)
        complete = all(key in played.results for round_ in started for key in round_.needed)
        return complete and len(started) == rounds

    def started_rounds(
        self, keys: SwissKeys, entrants: Entrants, stay: Collection[str], results: Mapping[str, EndedGame]
    ) -> tuple[PastRound, ...]:
        _, started = replay_rounds(entrants, _rounds(keys, entrants), keys.games_per_pairing, results)
        left = {place for place, name in enumerate(entrants.names) if name not in stay}
        return tuple(
            PastRound(
                tuple(
                    _past_match(match, games, left, results)
                    for match, games in zip(round_.matches, round_.games, strict=True)
                ),
                round_.bye,
            )
            for round_ in started
        )

    def text(self, keys: SwissKeys) -> str:
        return f"{self.title}, {keys.rounds} rounds"

    def view(self, keys: SwissKeys, entrants: Entrants, played: Played) -> FormatView:
        each, rounds = keys.games_per_pairing, _rounds(keys, entrants)
        players, started = replay_rounds(entrants, rounds, each, played.results)
        rows, names = swiss_table(players, each), entrants.names
        left = [names[place] for place in sorted(entrants.absent)]
        pairings = [
            {
                "pairs": [[names[match.first], names[match.second]] for match in round_.matches],
                "bye": None if round_.bye is None else names[round_.bye],
            }
            for round_ in started
        ]
        ranked = [
            {"engine": names[row.place], **asdict(row), "place": rank} for rank, row in enumerate(rows, 1)
        ]
        last = SEED if entrants.mark else "order of the file"
        order = f"Order: points, Buchholz{{}}, Sonneborn-Berger{{}}, direct encounter{{}}, {last}."
        return FormatView(
            {"swiss": {"rounds": rounds, "drawn": pairings, "table": ranked}},
            title=f"Swiss: {len(started)} of {counted(rounds, 'round')} paired",
            remark=f"Not paired any more: {', '.join(left)}" if left else "",
            table=FormatTable(
                "swiss",
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
                order.format(
                    " (the opponents' points)",
                    " (points scored times the opponent's)",
                    " (if all tied engines have met)",
                ),
            ),
            places=[(rank, names[row.place]) for rank, row in enumerate(rows, 1)],
            note=order.format("", "", ""),
        )


def _rounds(keys: SwissKeys, entrants: Entrants) -> int:
    """The number of rounds: no fewer than had started when engines came or left."""
    return max(keys.rounds or 0, len(entrants.past))


def _past_match(
    match: PastMatch,
    games: Iterable[tuple[str, Seating]],
    left: set[int],
    results: Mapping[str, EndedGame],
) -> PastMatch:
    """A match of a round that has started, after the engines at some places have left."""
    places = (match.first, match.second)
    if match.played is not None or left.isdisjoint(places):
        return match
    played = sum(key in results for key, _ in games)
    return PastMatch(*places, played, next((place for place in places if place not in left), None))


SWISS = _SwissFormat()
