"""Knock-out for two players: the loser of a match is out.

The number of lines in the bracket is the number of engines, rounded up to a power of two. The order of the
file is the seeding: the first and the second engine are in different halves, and the first engines have the
byes.

A match has a fixed number of games. If it is tied, extra pairs of games follow, each of one opening with
exchanged seats, until a pair is decided. If the match is still tied after `EXTRA_PAIRS` pairs, the engine
that comes first in the file wins it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from arena.formats.contest import Contest, Entrants, Next, ScheduleState, Seating, duel, first_opening
from arena.formats.format import (
    AdaptiveFormat,
    FormatView,
    MatchRow,
    PairingKeys,
    Played,
    Setting,
    check_round,
)
from arena.formats.ties import SEED, common_values, settle
from arena.model import Stage
from arena.scoring import EndedGame, ScoredSeat

EXTRA_PAIRS = 3
"""The largest number of pairs of games after a tied match."""

THIRD_PLACE = "Third place"
"""The title of the match for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnockoutKeys(PairingKeys):
    """The keys of a knock-out, and what only a stage can set; ``game`` in ``ties`` means extra pairs."""

    best_of: int | None = None  # a match of this many games ends when one engine cannot be caught up
    third_place: bool = False
    ties: tuple[str, ...] = ("game",)
    seed: int = 1

    @property
    def games(self) -> int:
        """The number of games of a match without extra ones."""
        return self.best_of or self.games_per_pairing

    @property
    def span(self) -> int:
        """The largest number of games of a match."""
        return self.games + self.games % 2 + 2 * EXTRA_PAIRS


@dataclass(frozen=True, slots=True)
class KnockoutMatch:
    """One match of a bracket."""

    number: int  # of its first game; every match reserves the numbers of all its extra games
    sides: tuple[int | None, int | None]  # the places, in the order of the lines; None if not yet known
    points: tuple[float, float] = (0.0, 0.0)
    games: tuple[tuple[int, str, Seating], ...] = ()  # needed, as is known: index in the match, key, seating
    played: int = 0
    winner: int | None = None  # the place of the winner; None while the match is open
    reason: str = ""  # "points", "extra games", "seed", "bye" or a tie-break in words; "" while it is open


def bracket(
    entrants: Entrants, rules: KnockoutKeys, results: Mapping[str, EndedGame]
) -> list[list[KnockoutMatch]]:
    """All rounds from the first to the final, with the winners that follow from the results.

    A match for the third place comes after the final.
    """
    count = len(entrants.names)
    lines: list[int | None] = list(_lines(count))
    rounds = []
    number = 0
    while len(lines) > 1:
        matches = []
        for upper, lower in zip(lines[::2], lines[1::2], strict=True):
            if upper is not None and lower is not None and max(upper, lower) >= count:
                winner = min(upper, lower)
                matches.append(KnockoutMatch(number, (upper, lower), winner=winner, reason="bye"))
                continue
            matches.append(_match(entrants, number, (upper, lower), rules, results))
            number += rules.span
        rounds.append(matches)
        lines = [match.winner for match in matches]
    if rules.third_place and len(rounds) > 1 and all(match.reason != "bye" for match in rounds[-2]):
        upper, lower = (
            next((side for side in match.sides if match.winner not in (None, side)), None)
            for match in rounds[-2]
        )
        rounds[-1].append(_match(entrants, number, (upper, lower), rules, results))
    return rounds


def first_round(count: int) -> list[tuple[int, int]]:
    """Return the places that meet in the first round of ``count`` engines; byes are left out."""
    lines = _lines(count)
    return [pair for pair in zip(lines[::2], lines[1::2], strict=True) if max(pair) < count]


def _lines(count: int) -> list[int]:
    """The places on the lines of the first round: 0, 3, 2, 1 for four engines; above the last is a bye."""
    lines = [0]
    while len(lines) < count:
        size = 2 * len(lines)
        pairs = [(place, size - 1 - place) for place in lines]
        lines = [place for row, pair in enumerate(pairs) for place in (pair[::-1] if row % 2 else pair)]
    return lines


def _match(
    entrants: Entrants,
    number: int,
    sides: tuple[int | None, int | None],
    rules: KnockoutKeys,
    results: Mapping[str, EndedGame],
) -> KnockoutMatch:
    upper, lower = sides
    if upper is None or lower is None:
        return KnockoutMatch(number, sides)
    first, second = min(upper, lower), max(upper, lower)
    points = {first: 0.0, second: 0.0}
    needed: list[tuple[int, str, Seating]] = []
    played = 0
    winner, reason = None, ""
    opening = first_opening((first, second), (rules.games + 1) // 2)
    for stage, indices in enumerate(_stages(rules.games, EXTRA_PAIRS if "game" in rules.ties else 0)):
        for index in indices:
            seating = duel(first, second, index, opening)
            key = entrants.key(seating)
            needed.append((index, key, seating))
            if (result := results.get(key)) is not None:
                played += 1
                players: Sequence[ScoredSeat] = result.players
                for place, player in zip(seating.seats, players, strict=True):
                    points[place] += player.points
        lead, missing = abs(points[first] - points[second]), len(needed) - played
        if missing and not (rules.best_of and lead > missing):
            if rules.best_of and not stage:  # more games could decide the match if the leader won them
                del needed[played + int(missing - lead) // 2 + 1 :]
            break
        if points[first] != points[second]:
            winner = max(points, key=lambda place: points[place])
            reason = "extra games" if stage else "points"
            break
    else:
        ended, lots = [results[key] for _, key, _ in needed], f"{rules.seed}:{entrants.mark}"
        names = [entrants.names[place] for place in (first, second)]
        (best, reason), _ = settle(names, rules.ties, partial(common_values, results=ended, lots=lots))
        winner = entrants.names.index(best)
    return KnockoutMatch(number, sides, (points[upper], points[lower]), tuple(needed), played, winner, reason)


def _stages(games: int, extra_pairs: int = EXTRA_PAIRS) -> Iterator[range]:
    """Yield the indices of a match's games, and of each extra pair, which starts with a new opening."""
    yield range(games)
    first = games + games % 2
    for pair in range(extra_pairs):
        yield range(first + 2 * pair, first + 2 * pair + 2)


class _Knockout(AdaptiveFormat[KnockoutKeys]):
    name = "knockout"
    title = "knock-out"
    keys = KnockoutKeys
    decided_by = "format"

    def checked(self, keys: KnockoutKeys, setting: Setting) -> KnockoutKeys:
        check_round(self.name, "best_of" if keys.best_of else "games_per_pairing", keys.games, setting)
        return keys

    def next_games(self, keys: KnockoutKeys, contest: Contest, state: ScheduleState) -> Iterator[Next]:
        announced = 0
        while True:
            rounds = bracket(contest.entrants, keys, state.results)
            if all(match.winner is not None for match in rounds[-1]):
                return
            first_open = next(
                number
                for number, matches in enumerate(rounds, 1)
                if any(match.winner is None for match in matches)
            )
            if first_open != announced:
                announced = first_open
                yield Stage(contest.entrants.game, f"round {first_open} of {len(rounds)}")
            missing = [
                (match.number + index, key, seating)
                for matches in rounds
                for match in matches
                if match.winner is None
                for index, key, seating in match.games
                if key not in state
            ]
            for number, key, seating in missing:
                yield contest.pairing(number, key, seating)
            if not missing:  # after a game, make the bracket again first: others may have ended, too
                yield None

    def most_games(self, keys: KnockoutKeys, entrants: Entrants) -> int:
        return (len(entrants.names) - 1 + keys.third_place) * keys.span

    def may_end_early(self, keys: KnockoutKeys) -> bool:
        return True

    def is_over(self, keys: KnockoutKeys, entrants: Entrants, played: Played) -> bool:
        rounds = bracket(entrants, keys, played.results)
        return not rounds or all(match.winner is not None for match in rounds[-1])

    def view(self, keys: KnockoutKeys, entrants: Entrants, played: Played) -> FormatView:
        rounds = bracket(entrants, keys, played.results)
        names = entrants.names
        rows = [
            [
                MatchRow(
                    engines=[_name(side, names) for side in match.sides],
                    points=list(match.points),
                    games=match.played,
                    winner=_name(match.winner, names),
                    by=match.reason,
                )
                for match in matches
            ]
            for matches in rounds
        ]
        tied = [row for matches in rows for row in matches if row["by"] not in ("", "bye", "points")]
        by_seed = [row["winner"] for row in tied if row["by"] == SEED]
        remark = f"Still tied after {EXTRA_PAIRS} extra pairs, so the order of the file decided for:"
        remark = f"{remark} {', '.join(filter(None, by_seed))}" if by_seed else ""
        if entrants.mark:  # a stage
            remark = "; ".join(f"{row['winner']} won by {row['by']}" for row in tied)
        third = rows[-1][1:]
        del rows[-1][1:]
        return FormatView(
            {"bracket": rows} | ({"third_place": third[0]} if third else {}),
            title="Knock-out",
            remark=remark,
            bracket=rows,
            places=_places(names, rows, third),
            parts=[FormatView(title=THIRD_PLACE, bracket=[third])] if third else (),
            note="Order: the last round that the engine reached.",
        )


KNOCKOUT = _Knockout()


def _name(place: int | None, names: Sequence[str]) -> str | None:
    return names[place] if place is not None and place < len(names) else None


def _places(
    names: Sequence[str], rounds: Sequence[Sequence[MatchRow]], third: Sequence[MatchRow]
) -> list[tuple[int, str]]:
    """The order of the engines; those that lost in the same round share a place, the better seed first."""
    reached = dict.fromkeys(names, (0, False))
    for number, matches in enumerate(rounds):
        for match in matches:
            for name in filter(None, match["engines"]):
                reached[name] = (number, match["winner"] == name)
    reached |= {match["winner"]: (len(rounds) - 2, True) for match in third if match["winner"] is not None}
    order = sorted(reached.items(), key=lambda item: item[1], reverse=True)
    keys = [key for _, key in order]
    return [(keys.index(key) + 1, name) for name, key in order]
