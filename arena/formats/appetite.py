"""What a ladder still wants to know. When it wants to know nothing more, it rests.

An engine is *known* when its rating is, or when its present program has played so many games that more would
hardly help: an engine that loses every game never has a narrow interval. A ladder plays no game of two known
engines. It plays no game, either, that has had the same moves `REPEATS` times: the same seats, opening and
programs would only repeat it. Both follow from stored games alone, so a ladder that was cut off still rests.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from math import ceil, log
from typing import Final

from arena.formats.contest import Contest, ScheduleState, Seating
from arena.ratings import DEVIATIONS
from arena.scoring import EndedGame, ScoredSeat, was_played

REPEATS: Final = 3
"""How often the same game is played."""

_ELO_OF_BETA: Final = 200.0
"""Who is stronger by beta wins 76 of 100 games, and so does who is stronger by 200 Elo."""

_ONE_GAME: Final = 800 / log(10)
"""The standard deviation of a strength in Elo that one game between equals shows."""


def rating_error(sigma: float, beta: float) -> float:
    """Convert a deviation of TrueSkill to half of a 95 % interval in Elo."""
    return DEVIATIONS * _ELO_OF_BETA * sigma / beta


def most_games(elo: int) -> int:
    """Return how many games a program plays until it counts as known to ± ``elo``, whatever its rating is.

    It is twice as many as it needs if all of its opponents are known, and as strong as it is.
    """
    return ceil(2 * (DEVIATIONS * _ONE_GAME / elo) ** 2)


class Appetite:
    """What the ladder of one game id wants to know: ratings to ± ``elo``; with 0 more and more, for ever."""

    def __init__(self, elo: int, contest: Contest, state: ScheduleState, beta: float) -> None:
        self._elo, self._contest, self._state, self._beta = elo, contest, state, beta
        self._games: Counter[str] = Counter()  # of each engine's present program
        self._moves: defaultdict[tuple[str, ...], defaultdict[int, deque[int]]] = defaultdict(
            lambda: defaultdict(lambda: deque(maxlen=REPEATS))  # by seats and opening, of the last games
        )

    def begin(self, names: Iterable[str]) -> None:
        """Count a game that is running, or is about to start."""
        self._games.update(names)

    def read(self, result: EndedGame) -> None:
        """Count a game that had ended before, and its moves."""
        if was_played(result.players):
            trace = self._state.traces.get(result.key)
            players: Sequence[ScoredSeat] = result.players
            programs = (("", ""),) * len(players) if trace is None else trace.programs
            self._games.update(
                player.name
                for player, program in zip(players, programs, strict=True)
                if self._state.plays_on(player.name, program)
            )
        self.end(result)

    def end(self, result: EndedGame) -> None:
        """Note the moves of a game that has ended."""
        trace = self._state.traces.get(result.key)
        names = tuple(player.name for player in result.players)
        if trace is None or not was_played(result.players):
            return
        if all(map(self._state.plays_on, names, trace.programs)):
            self._moves[names][trace.opening].append(trace.moves)

    def repeats(self, seating: Seating) -> bool:
        """Whether a game would only repeat what its engines have played before."""
        names = tuple(self._contest.entrants.names[place] for place in seating.seats)
        if not self._elo or names not in self._moves:
            return False
        last = self._moves[names][hash(self._contest.book.opening(seating.opening))]
        return len(last) == REPEATS and len(set(last)) == 1

    def known(self, name: str, sigma: float) -> bool:
        """Whether an engine with this deviation is known."""
        if not self._elo:
            return False
        return rating_error(sigma, self._beta) <= self._elo or self._games[name] >= most_games(self._elo)

    def reason(self, sigmas: Mapping[str, float]) -> str:
        """Say why nothing is left to learn about engines with these deviations; "" without an end."""
        if not self._elo:
            return ""
        close = [name for name, sigma in sigmas.items() if rating_error(sigma, self._beta) <= self._elo]
        known = [name for name, sigma in sigmas.items() if self.known(name, sigma)]
        parts = (
            (len(close), f"known to ±{self._elo} Elo"),
            (len(known) - len(close), f"known after {most_games(self._elo)} games"),
            (len(sigmas) - len(known), f"that would play the same games more than {REPEATS} times"),
        )
        return f"rests: engines {', '.join(f'{what}: {count}' for count, what in parts if count)}"
