"""Match of two engines: pairs of games until a sequential test decides or a number of games is reached."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice
from typing import Annotated

from arena.formats.contest import Contest, Entrants, Next, ScheduleState, duel
from arena.formats.format import AdaptiveFormat, FormatView, LengthKeys, Played, Setting
from arena.formats.match_progress import First, MatchProgress, loser_first
from arena.ratings.sprt import MOST_NORMALIZED_ELO, Sprt
from protocol.keys import Change, Key, WrongKey


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchKeys(LengthKeys):
    """The keys of a match."""

    first: Annotated[
        First,
        Key(
            'Who starts a game. `"turns"`: the engines in turn, first the first one in the file. `"loser"`:'
            " the [loser of the game before](formats/match.md#the-loser-starts).",
            Change.NEVER,
        ),
    ] = "turns"
    sprt: Annotated[
        Sprt | None,
        Key("A test that ends the match, see [Formats](#formats).", Change.NEVER),
    ] = None


class _Match(AdaptiveFormat[MatchKeys]):
    name = title = "match"
    keys = MatchKeys

    def checked(self, keys: MatchKeys, setting: Setting) -> MatchKeys:
        for game_id, names in setting.entrants.items():
            if len(names) != 2:
                problem = f"a match has two engines, but {len(names)} enter {game_id}"
                raise WrongKey(("format",), f'{problem}; use "round-robin" or "gauntlet"')
        if keys.sprt is not None:
            if keys.first == "loser":
                problem = "[sprt] needs games in which the engines take turns; remove [sprt], or this key"
                raise WrongKey(("first",), problem)
            _check_test(keys.sprt, keys.max_games)
        elif keys.max_games is None:
            problem = "a match needs max_games, e.g. max_games = 100, or a table [sprt] with elo0 and elo1"
            raise WrongKey(("format",), problem)
        if keys.first == "loser" and setting.openings:
            problem = 'openings are played twice with seats exchanged; remove [openings], or first = "loser"'
            raise WrongKey(("openings", "kind"), problem)
        return keys

    def next_games(self, keys: MatchKeys, contest: Contest, state: ScheduleState) -> Iterator[Next]:
        if keys.first == "loser":
            seatings = loser_first(contest.entrants, state.results)
            for number, seating in enumerate(islice(seatings, keys.max_games)):
                key = contest.entrants.key(seating)
                if key not in state:
                    yield contest.pairing(number, key, seating)
                while key not in state.results:
                    yield None  # the next game depends on it
            return
        progress = self.progress(keys, contest.entrants)
        for index in count() if keys.max_games is None else range(keys.max_games):
            seating = duel(0, 1, index, 0)
            key = contest.entrants.key(seating)
            if key in state:
                continue
            if keys.sprt is not None:
                disabled = not set(contest.entrants.names).isdisjoint(state.disabled)
                progress.count(state.results)
                if disabled or progress.status.accepted is not None:  # a test needs games that are played
                    return
            yield contest.pairing(index, key, seating)

    def may_end_early(self, keys: MatchKeys) -> bool:
        return keys.sprt is not None

    def is_over(self, keys: MatchKeys, entrants: Entrants, played: Played) -> bool:
        if keys.first == "loser":
            seatings = islice(loser_first(entrants, played.results), keys.max_games)
            return all(entrants.key(seating) in played.results for seating in seatings)
        if super().is_over(keys, entrants, played):
            return True
        if keys.sprt is None:
            return False
        progress = self.progress(keys, entrants)
        progress.count(played.results)
        return progress.status.accepted is not None

    def left(self, keys: MatchKeys, entrants: Entrants, games: frozenset[str]) -> int:
        return sum(set(entrants.seats(key)) != set(entrants.names) for key in games)

    def view(self, keys: MatchKeys, entrants: Entrants, played: Played) -> FormatView:
        progress = self.progress(keys, entrants)
        progress.count(played.results)
        return FormatView({"match": progress.data()}, duel=progress)

    def progress(self, keys: MatchKeys, entrants: Entrants) -> MatchProgress:
        return MatchProgress(entrants, keys.first, keys.max_games, keys.sprt)


MATCH = _Match()


def _check_test(sprt: Sprt, max_games: int | None) -> None:
    if max_games is not None and max_games % 2:
        problem = f"[sprt] counts pairs of games, so this must be even, not {max_games}"
        raise WrongKey(("max_games",), problem)
    if sprt.elo0 >= sprt.elo1:
        problem = f"this must be greater than elo0, {sprt.elo0:g}, not {sprt.elo1:g}"
        raise WrongKey(("sprt", "elo1"), problem)
    for key, elo in (("elo0", sprt.elo0), ("elo1", sprt.elo1)):
        if sprt.model == "normalized" and abs(elo) > MOST_NORMALIZED_ELO:
            most = MOST_NORMALIZED_ELO
            problem = f'with model = "normalized" this must be from -{most} to {most}, not {elo:g}'
            raise WrongKey(("sprt", key), problem)
