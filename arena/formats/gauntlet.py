"""Gauntlet for two players: each seed plays each engine of the field.

The seeds do not play each other, and neither do the engines of the field.

As in a round-robin, a cycle is one opening that each pair plays twice with exchanged seats. It is the same
opening for all pairs, unless each of them has its own openings. Within a cycle the seeds take turns. Each of
them goes through the field, and each starts one engine later than the seed before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from arena.formats.contest import Entrants, Seating, duel
from arena.formats.format import FixedFormat, OpeningsKeys, Setting
from protocol.keys import Change, DocumentedValue, Key, WrongKey
from protocol.words import did_you_mean


@dataclass(frozen=True, slots=True, kw_only=True)
class GauntletKeys(OpeningsKeys):
    """The keys of a gauntlet."""

    seeds: Annotated[
        tuple[str, ...] | None,
        DocumentedValue("list of texts"),
        Key(
            "The names of the engines that play against all others.",
            Change.ANY_TIME,
            default="the first engine",
        ),
    ] = None


class _Gauntlet(FixedFormat[GauntletKeys]):
    name = title = "gauntlet"
    keys = GauntletKeys
    order = "score"
    may_grow = True

    def checked(self, keys: GauntletKeys, setting: Setting) -> GauntletKeys:
        if keys.seeds == ():
            problem = "name at least one engine, or remove this key to make the first engine the only seed"
            raise WrongKey(("seeds",), problem)
        engines = tuple(dict.fromkeys(name for names in setting.entrants.values() for name in names))
        chosen = keys.seeds or engines[:1]
        for item, name in enumerate(chosen):
            if name not in engines:
                raise WrongKey(("seeds", item), f"there is no engine {name!r}{did_you_mean(name, engines)}")
            if name in chosen[:item]:
                raise WrongKey(("seeds", item), f"{name!r} is in the list twice")
        for game_id, names in setting.entrants.items():
            if not set(names) & set(chosen):
                raise WrongKey(("seeds",), f"no seed enters {game_id}; add an engine that enters it")
            if not set(names) - set(chosen):
                problem = f"only seeds enter {game_id}, and seeds do not play each other; remove a seed"
                raise WrongKey(("seeds",), problem)
        return replace(keys, seeds=chosen, pairing_openings=keys.pairing_openings or "same")

    def seatings(self, keys: GauntletKeys, entrants: Entrants) -> Iterator[Seating]:
        names = entrants.names
        seeds = [names.index(name) for name in keys.seeds or () if name in names]
        field = [place for place in range(len(names)) if place not in seeds]
        openings_of_pair = keys.openings if keys.pairing_openings == "own" else 0
        return seatings(seeds, field, keys.games_per_pairing, openings_of_pair)

    def most_games(self, keys: GauntletKeys, entrants: Entrants) -> int:
        present = {entrants.names[place] for place in entrants.present}
        seeds = len(present.intersection(keys.seeds or ()))
        return seeds * (len(present) - seeds) * keys.games_per_pairing


GAUNTLET = _Gauntlet()


def seatings(
    seeds: Sequence[int], field: Sequence[int], per_pairing: int, own_openings: int
) -> Iterator[Seating]:
    """Yield the games in the order in which they are played. Each pair has ``own_openings`` for itself.

    With an odd ``per_pairing``, each pair plays one game without its return game. The first seat of this
    game alternates between seed and opponent along both lists. So the numbers of an engine's games on the two
    seats differ by one at most.
    """
    for cycle in range((per_pairing + 1) // 2):
        for step in range(len(field)):
            for row, seed in enumerate(seeds):
                column = (step + row) % len(field)
                opponent = field[column]
                first, second = (opponent, seed) if (row + column) % 2 else (seed, opponent)
                opening = own_openings * (column * len(seeds) + row)  # engines at the end change no opening
                for index in range(2 * cycle, min(2 * cycle + 2, per_pairing)):
                    yield duel(first, second, index, opening)
