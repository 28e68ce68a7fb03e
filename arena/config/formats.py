"""``format`` of a tournament file and the keys that go with one format only."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log2

from arena.config.outline import FORMATS, Outline, Sprt
from arena.config.schema import SprtTable, TournamentTable
from arena.config.source import Key, Source
from arena.config.spec import EngineEntry
from arena.config.values import at_least, chosen, hint
from protocol.plurals import counted
from referee import Game

__all__ = ["read_format"]

_FORMATS_OF: dict[str, tuple[str, ...]] = {
    "games_per_pairing": ("round-robin", "gauntlet", "swiss", "knockout"),
    "seeds": ("gauntlet",),
    "rounds": ("swiss",),
    "max_games": ("match", "ladder"),
    "sprt": ("match",),
}
"""The formats that a key goes with."""

_LARGEST_ELO = 1000


def read_format(
    source: Source, table: TournamentTable, games: tuple[Game, ...], engines: tuple[EngineEntry, ...]
) -> Outline:
    """Read the format and its keys; the other arguments are what the rest of the file says.

    Raises:
        ConfigError: keys that do not go together; a format that does not suit the games or the engines.
    """
    kind: str = chosen(source, ("format",), table.format, FORMATS)
    for name, formats in _FORMATS_OF.items():
        if getattr(table, name) is not None and kind not in formats:
            words = " or ".join(f'"{word}"' for word in formats)
            raise source.error((name,), f'this goes with format = {words}, not with format = "{kind}"')
    for rules in games:
        if rules.info.players != 2 and kind not in ("round-robin", "ladder"):
            problem = f"{rules.info.id} is for {rules.info.players} players; {kind} is for games of two"
            raise source.error(("format",), f'{problem}: use "round-robin" or "ladder"')
    entrants = {
        rules.info.id: tuple(entry.spec.name for entry in engines if rules.info.id in entry.games)
        for rules in games
    }
    return Outline(
        format=kind,
        entrants=entrants,
        games_per_pairing=at_least(source, ("games_per_pairing",), table.games_per_pairing, 1, 2),
        seeds=_seeds(source, table.seeds, entrants) if kind == "gauntlet" else (),
        rounds=_rounds(source, table.rounds, entrants) if kind == "swiss" else 0,
        max_games=_max_games(source, table),
        sprt=_sprt(source, table.sprt) if kind == "match" and _is_match(source, table, entrants) else None,
    )


def _seeds(
    source: Source, given: Sequence[str] | None, entrants: dict[str, tuple[str, ...]]
) -> tuple[str, ...]:
    """The engines that play against all others: by default the first of the file."""
    known = tuple(dict.fromkeys(name for names in entrants.values() for name in names))
    key: Key = ("seeds",)
    if given is None:
        seeds = known[:1]
    elif not given:
        raise source.error(
            key, "name at least one engine; without seeds the first in the file is the only one"
        )
    else:
        seeds = tuple(given)
    for item, name in enumerate(seeds):
        if name not in known:
            raise source.error(key, f"there is no engine {name!r}{hint(name, known)}", item=item)
        if name in seeds[:item]:
            raise source.error(key, f"{name!r} stands here twice", item=item)
    for game, names in entrants.items():
        if not set(names) & set(seeds):
            raise source.error(key, f"no seed enters {game}; add one that does")
        if not set(names) - set(seeds):
            raise source.error(key, f"only seeds enter {game}, and they do not play each other")
    return seeds


def _rounds(source: Source, given: int | None, entrants: dict[str, tuple[str, ...]]) -> int:
    largest = max(map(len, entrants.values()))
    if given is None:
        enough = max(1, ceil(log2(largest)))
        problem = (
            f"a Swiss needs rounds, e.g. rounds = {enough}, the fewest after which {largest} engines have one"
        )
        raise source.error(("format",), f"{problem} that won all")
    rounds = at_least(source, ("rounds",), given, 1, 1)
    for game, names in entrants.items():
        most = len(names) - (len(names) + 1) % 2
        if rounds > most:
            most_rounds = f"{counted(most, 'round')} of {game} at most"
            problem = f"{len(names)} engines can play {most_rounds} without meeting twice"
            raise source.error(("rounds",), f'{problem}; lower it, or use format = "round-robin"')
    return rounds


def _max_games(source: Source, table: TournamentTable) -> int | None:
    if table.max_games is None:
        return None
    most = at_least(source, ("max_games",), table.max_games, 1, 1)
    if table.sprt is not None and most % 2:
        raise source.error(("max_games",), f"[sprt] goes by pairs of games: this must be even, not {most}")
    return most


def _is_match(source: Source, table: TournamentTable, entrants: dict[str, tuple[str, ...]]) -> bool:
    for game, names in entrants.items():
        if len(names) != 2:
            problem = f"a match is between two engines, but {len(names)} enter {game}"
            raise source.error(("format",), f'{problem}; use "round-robin" or "gauntlet"')
    if table.sprt is None and table.max_games is None:
        problem = "a match needs an end: max_games = 100, or a table [sprt] with elo0 and elo1"
        raise source.error(("format",), problem)
    return True


def _sprt(source: Source, given: SprtTable | None) -> Sprt | None:
    if given is None:
        return None
    for name in ("elo0", "elo1"):
        if not -_LARGEST_ELO <= getattr(given, name) <= _LARGEST_ELO:
            problem = f"this must lie between -{_LARGEST_ELO} and {_LARGEST_ELO}"
            raise source.error(("sprt", name), f"{problem}, not {getattr(given, name):g}")
    if given.elo0 >= given.elo1:
        problem = f"this must be greater than elo0, {given.elo0:g}, not {given.elo1:g}"
        raise source.error(("sprt", "elo1"), problem)
    errors = {"alpha": given.alpha, "beta": given.beta}
    for name, value in errors.items():
        if value is not None and not 0 < value < 0.5:
            raise source.error(("sprt", name), f"this must lie between 0 and 0.5, not {value:g}")
    return Sprt(
        given.elo0, given.elo1, **{name: value for name, value in errors.items() if value is not None}
    )
