"""Knock-out for two players: who loses a match is out.

The bracket has as many lines as the next power of two; the engines stand in it by the order of the file, the
first and the second in different halves, and the lines that are left over are byes against the first ones.
A match is a fixed number of games. On equal points pairs of games follow, one opening with seats exchanged,
until one of them is decided; after `EXTRA_PAIRS` of those the engine that stands higher in the file goes on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from arena.model import Stage
from arena.schedule.contest import Contest
from arena.schedule.seating import Entrants, Seating, duel
from arena.schedule.state import Next, ScheduleState
from arena.scoring import EndedGame

__all__ = ["EXTRA_PAIRS", "KnockoutMatch", "bracket", "pending"]

EXTRA_PAIRS = 3
"""Pairs of games after a tied match, at most."""


@dataclass(frozen=True, slots=True)
class KnockoutMatch:
    """One match of a bracket.

    Attributes:
        number: of the match's first game among all that could be played.
        sides: the places of the two engines, the one from the upper half of the bracket first; None for one
            that is not known yet.
        points: of either side.
        games: what is to be played as far as is known, with the place within the match and the key.
        played: how many of them have a result.
        winner: who goes on; None as long as that is open.
        reason: how it was decided: ``points``, ``extra games``, ``seed``, ``bye``; "" while it is open.
    """

    number: int
    sides: tuple[int | None, int | None]
    points: tuple[float, float] = (0.0, 0.0)
    games: tuple[tuple[int, str, Seating], ...] = ()
    played: int = 0
    winner: int | None = None
    reason: str = ""


def bracket(entrants: Entrants, games: int, results: Mapping[str, EndedGame]) -> list[list[KnockoutMatch]]:
    """All rounds, from the first to the final, as far as the results decide them.

    Args:
        entrants: the strongest first.
        games: of a match, without the extra ones.
        results: by key.
    """
    span = games + games % 2 + 2 * EXTRA_PAIRS
    count = len(entrants.names)
    lines: list[int | None] = list(_lines(count))
    rounds = []
    number = 0
    while len(lines) > 1:
        matches = []
        for one, other in zip(lines[::2], lines[1::2], strict=True):
            if one is not None and other is not None and max(one, other) >= count:
                matches.append(KnockoutMatch(number, (one, other), winner=min(one, other), reason="bye"))
                continue
            matches.append(_match(entrants, number, (one, other), games, results))
            number += span
        rounds.append(matches)
        lines = [match.winner for match in matches]
    return rounds


def _lines(count: int) -> list[int]:
    """The lines of the first round, from the top: 0, 3, 2, 1 of four. Places from ``count`` on are byes."""
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
    games: int,
    results: Mapping[str, EndedGame],
) -> KnockoutMatch:
    one, other = sides
    if one is None or other is None:
        return KnockoutMatch(number, sides)
    first, second = min(one, other), max(one, other)
    points = {first: 0.0, second: 0.0}
    listed: list[tuple[int, str, Seating]] = []
    played = 0
    winner, reason = None, ""
    for stage, indices in enumerate(_stages(games)):
        for index in indices:
            seating = duel(first, second, index)
            key = entrants.key(seating)
            listed.append((index, key, seating))
            if (result := results.get(key)) is not None:
                played += 1
                for place, player in zip(seating.seats, result.players, strict=True):
                    points[place] += player.points
        if played < len(listed):
            break
        if points[first] != points[second]:
            winner = max(points, key=lambda place: points[place])
            reason = "extra games" if stage else "points"
            break
    else:
        winner, reason = first, "seed"
    return KnockoutMatch(number, sides, (points[one], points[other]), tuple(listed), played, winner, reason)


def _stages(games: int) -> Iterator[range]:
    """The games of a match, and after them the pairs that may be needed; an opening belongs to one stage."""
    yield range(games)
    begin = games + games % 2
    for pair in range(EXTRA_PAIRS):
        yield range(begin + 2 * pair, begin + 2 * pair + 2)


def pending(part: Contest, state: ScheduleState, *, games: int) -> Iterator[Next]:
    """The games of every match whose two sides are known."""
    told = 0
    while True:
        rounds = bracket(part.entrants, games, state.results)
        if rounds[-1][0].winner is not None:
            return
        played = next(
            turn for turn, matches in enumerate(rounds, 1) if any(m.winner is None for m in matches)
        )
        if played != told:
            told = played
            yield Stage(part.entrants.game, f"round {played} of {len(rounds)}")
        missing = [
            (match.number + index, key, seating)
            for matches in rounds
            for match in matches
            if match.winner is None
            for index, key, seating in match.games
            if key not in state
        ]
        for number, key, seating in missing:
            yield part.pairing(number, key, seating)
        if not missing:  # otherwise games may have ended since the bracket was looked at
            yield None
