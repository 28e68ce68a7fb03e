"""A format of a third party in one file: an engine holds the hill until another one beats it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated

from arena.formats.contest import Contest, Entrants, Next, ScheduleState, Seating
from arena.formats.format import AdaptiveFormat, FormatTable, FormatView, Played, Setting
from arena.model import Stage
from arena.scoring import EndedGame
from protocol.keys import NUMBER, Change, Key, KeyTable, WrongKey


@dataclass(frozen=True, slots=True, kw_only=True)
class HillKeys(KeyTable):
    climbs: Annotated[int, NUMBER, Key("How many engines climb the hill.", Change.ANY_TIME)] = 4


class KingOfTheHill(AdaptiveFormat[HillKeys]):
    name = "king-of-the-hill"
    title = "king of the hill"
    keys = HillKeys
    decided_by = "format"

    def checked(self, keys: HillKeys, setting: Setting) -> HillKeys:
        for game, names in setting.entrants.items():
            if keys.climbs < len(names) - 1:
                raise WrongKey(("climbs",), f"not all {len(names)} engines of {game} reach the hill")
        return keys

    def next_games(self, keys: HillKeys, contest: Contest, state: ScheduleState) -> Iterator[Next]:
        for number in range(keys.climbs):
            while len(kings := self._kings(contest.entrants, state.results)) <= number:
                yield None
            seating = self._climb(contest.entrants, kings[: number + 1])
            key = contest.entrants.key(seating)
            if key not in state:
                yield Stage(contest.entrants.game, f"{contest.entrants.names[kings[number]]} holds the hill")
                yield contest.pairing(number, key, seating)

    def most_games(self, keys: HillKeys, entrants: Entrants) -> int:
        return keys.climbs

    def view(self, keys: HillKeys, entrants: Entrants, played: Played) -> FormatView:
        kings = self._kings(entrants, played.results)
        held = Counter(entrants.names[king] for king in kings)
        ranked = sorted(entrants.names, key=lambda name: -held[name])
        return FormatView(
            {"hill": {"king": entrants.names[kings[-1]], "held": dict(held)}},
            title=f"{entrants.names[kings[-1]]} holds the hill",
            table=FormatTable(
                "hill",
                ("#", "engine", "held"),
                tuple((str(place), name, str(held[name])) for place, name in enumerate(ranked, 1)),
            ),
            places=list(enumerate(ranked, 1)),
            note="Order: how long they held the hill.",
        )

    def _kings(self, entrants: Entrants, results: Mapping[str, EndedGame]) -> list[int]:
        """Who held the hill before each climb that can be played, and last who holds it now."""
        kings = [0]
        while (result := results.get(entrants.key(seating := self._climb(entrants, kings)))) is not None:
            won = result.players[1].points > result.players[0].points
            kings.append(seating.seats[1] if won else kings[-1])
        return kings

    def _climb(self, entrants: Entrants, kings: list[int]) -> Seating:
        others = [place for place in range(len(entrants.names)) if place != kings[-1]]
        seats = (kings[-1], others[(len(kings) - 1) % len(others)])
        earlier = [self._climb(entrants, kings[:end]).seats for end in range(1, len(kings))]
        return Seating(seats, earlier.count(seats), len(kings) - 1)


KING_OF_THE_HILL = KingOfTheHill()
