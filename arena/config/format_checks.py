"""Checks whether the format of a tournament fits its games and its engines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import ceil, log2

from arena.config.pairing_plan import MOST_NORMALIZED_ELO, Sprt
from arena.config.toml_file import TomlFile
from arena.config.tournament_keys import TournamentFile
from protocol.keys import did_you_mean
from referee import Game

__all__ = ["Entrants", "check_entrants", "check_format", "seeds"]

Entrants = Mapping[str, tuple[str, ...]]
"""The names of the engines that enter a game, by game id."""

_LARGEST_ROUND = 100_000
"""The most games in a round of a Swiss or a knock-out. It takes a fraction of a second to go through them."""


def check_entrants(file: TomlFile, games: Iterable[Game], entrants: Entrants) -> None:
    """Check that each game has enough engines.

    Raises:
        ConfigError: a game has too few.
    """
    for rules in games:
        need, entered = rules.info.players, len(entrants[rules.info.id])
        if entered < need:
            verb = "enters" if entered == 1 else "enter"
            problem = f"{rules.info.id} needs at least {need} engines, but {entered} {verb} it"
            raise file.error(("engines",), f"{problem}; add [[engines]]")


def check_format(file: TomlFile, keys: TournamentFile, games: Iterable[Game], entrants: Entrants) -> None:
    """Check whether the format fits the games and the engines, and whether it has the keys that it needs.

    Raises:
        ConfigError: the format does not fit, or a key is missing or wrong.
    """
    for rules in games:
        if rules.info.players != 2 and keys.format not in ("round-robin", "ladder"):
            problem = (
                f"{rules.info.id} is for {rules.info.players} players; {keys.format} is for games of two"
            )
            raise file.error(("format",), f'{problem}: use "round-robin" or "ladder"')
    if keys.format in ("swiss", "knockout"):
        _check_round_size(file, keys, entrants)
    if keys.format == "swiss":
        _check_rounds(file, keys.rounds, entrants)
    if keys.format == "match":
        _check_match(file, keys, entrants)


def seeds(file: TomlFile, keys: TournamentFile, entrants: Entrants) -> tuple[str, ...]:
    """The seeds of a gauntlet, by default the first engine of the file; () for another format.

    Raises:
        ConfigError: an engine does not exist, or all engines of a game are seeds, or none is.
    """
    if keys.format != "gauntlet":
        return ()
    if file.has(("seeds",)) and not keys.seeds:
        problem = "name at least one engine, or remove this key to make the first engine the only seed"
        raise file.error(("seeds",), problem)
    engines = tuple(dict.fromkeys(name for names in entrants.values() for name in names))
    chosen = keys.seeds or engines[:1]
    for item, name in enumerate(chosen):
        if name not in engines:
            problem = f"there is no engine {name!r}{did_you_mean(name, engines)}"
            raise file.error(("seeds", item), problem)
        if name in chosen[:item]:
            raise file.error(("seeds", item), f"{name!r} is in the list twice")
    for game_id, names in entrants.items():
        if not set(names) & set(chosen):
            raise file.error(("seeds",), f"no seed enters {game_id}; add an engine that enters it")
        if not set(names) - set(chosen):
            problem = f"only seeds enter {game_id}, and seeds do not play each other; remove a seed"
            raise file.error(("seeds",), problem)
    return chosen


def _check_round_size(file: TomlFile, keys: TournamentFile, entrants: Entrants) -> None:
    """Check that a round is small enough: it is paired at once, and then gone through often."""
    for game_id, names in entrants.items():
        most = max(1, _LARGEST_ROUND * 2 // len(names))
        if keys.games_per_pairing > most:
            problem = f"with {len(names)} engines in {game_id} this must be at most {most} in a {keys.format}"
            raise file.error(("games_per_pairing",), f"{problem}, not {keys.games_per_pairing}")


def _check_rounds(file: TomlFile, rounds: int | None, entrants: Entrants) -> None:
    if rounds is None:
        largest = max(map(len, entrants.values()))
        enough = max(1, ceil(log2(largest)))
        problem = (
            f"a Swiss needs rounds, e.g. rounds = {enough}; after fewer rounds, several of the {largest}"
            " engines can have won all their games"
        )
        raise file.error(("format",), problem)
    for game_id, names in entrants.items():
        most = len(names) - (len(names) + 1) % 2
        if rounds > most:
            problem = (
                f"{len(names)} engines can play at most {most} rounds of {game_id} without meeting twice;"
                ' use fewer rounds or format = "round-robin"'
            )
            raise file.error(("rounds",), problem)


def _check_match(file: TomlFile, keys: TournamentFile, entrants: Entrants) -> None:
    for game_id, names in entrants.items():
        if len(names) != 2:
            problem = f"a match has two engines, but {len(names)} enter {game_id}"
            raise file.error(("format",), f'{problem}; use "round-robin" or "gauntlet"')
    if keys.sprt is None:
        if keys.max_games is None:
            problem = "a match needs max_games, e.g. max_games = 100, or a table [sprt] with elo0 and elo1"
            raise file.error(("format",), problem)
        return
    _check_test(file, keys.sprt, keys.max_games)


def _check_test(file: TomlFile, sprt: Sprt, max_games: int | None) -> None:
    if sprt.unit == "pair" and max_games is not None and max_games % 2:
        problem = f"[sprt] counts pairs of games, so this must be even, not {max_games}"
        raise file.error(("max_games",), problem)
    if sprt.elo0 >= sprt.elo1:
        problem = f"this must be greater than elo0, {sprt.elo0:g}, not {sprt.elo1:g}"
        raise file.error(("sprt", "elo1"), problem)
    for key, elo in (("elo0", sprt.elo0), ("elo1", sprt.elo1)):
        if sprt.model == "normalized" and abs(elo) > MOST_NORMALIZED_ELO:
            most = MOST_NORMALIZED_ELO
            problem = f'with model = "normalized" this must be from -{most} to {most}, not {elo:g}'
            raise file.error(("sprt", key), problem)
