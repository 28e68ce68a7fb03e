"""Finds games by their ids: the built-in games, and the games of plug-ins.

A plug-in is an installed distribution with an entry point in the group ``leapfrog_arena.games``. The name of
the entry point is the game's id, and its value names a `Game` object as ``module:ATTRIBUTE``. The built-in
games are registered in the same way. The table `BUILT_IN` makes them available without a search through all
installed distributions.

The name of an entry point may end with a colon, as ``openspiel:``. It stands for all ids that start with it.
Its value names a function, which takes an id and returns its `Game`, or raises `UnknownGame`.

An entry point may belong to an extra of its distribution: ``module:ATTRIBUTE [extra]``. It is ignored until
the packages of that extra are installed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from referee.errors import BrokenPlugin, UnknownGame
from referee.game import Game, GameInfo

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINTS: Final = "leapfrog_arena.games"
"""The group of the entry points."""

BUILT_IN: Final[Mapping[str, str]] = MappingProxyType(
    {
        "quoridor": "referee.games.quoridor.position:QUORIDOR",
        "quoridor4": "referee.games.quoridor.position:QUORIDOR4",
        "movers-hoppers": "referee.games.movers_hoppers.position:MOVERS_HOPPERS",
        "movers-hoppers-expert": "referee.games.movers_hoppers.position:MOVERS_HOPPERS_EXPERT",
        "rampants": "referee.games.movers_hoppers.position:RAMPANTS",
        "eclaircissement": "referee.games.eclaircissement.position:ECLAIRCISSEMENT",
        "quatre-en-ligne": "referee.games.quatre_en_ligne.position:QUATRE_EN_LIGNE",
        "rodeurs": "referee.games.rodeurs.position:RODEURS",
        "rodeurs-diagonal": "referee.games.rodeurs.position:RODEURS_DIAGONAL",
        "hops": "referee.games.hops.position:HOPS",
    }
)
"""The built-in games by id, in the order of lists. A test compares this table with ``pyproject.toml``."""

_EXTRA_REQUIREMENT = re.compile(
    r"""(?P<package>[\w.-]+).*;.*\bextra\s*==\s*["'](?P<extra>[\w.-]+)["']""", re.ASCII
)


def _installed() -> Iterable[EntryPoint]:
    from importlib.metadata import entry_points

    return entry_points(group=ENTRY_POINTS)


class Registry:
    """The games that are available in one Python environment.

    It searches the installed distributions only once, at the first request for a game that is not built in.
    It loads each plug-in only once. ``entry_points`` returns the entry points of the group
    `ENTRY_POINTS`.
    """

    def __init__(self, entry_points: Callable[[], Iterable[EntryPoint]] = _installed) -> None:
        self._entry_points = entry_points
        self._games: dict[str, Game] = {}

    def game(self, game_id: str) -> Game:
        """Return the rules of a game. The first request for a plug-in's game imports its module.

        Raises:
            UnknownGame: no game has this id, or its extra is not installed. The message names the extra, or
                ids that are similar.
            BrokenPlugin: the plug-in cannot be loaded, or two plug-ins have the same id.
        """
        rules = self._games.get(game_id)
        if rules is None:
            rules = self._games[game_id] = self._find(game_id)
        return rules

    def game_ids(self) -> tuple[str, ...]:
        """Return all ids without importing a game: the built-in ones first, then the plug-ins from A to Z.

        The ids of an entry point for many games are not among them.
        """
        single = {name for name in self._plugins if not name.endswith(":")}
        return (*BUILT_IN, *sorted(single - BUILT_IN.keys()))

    def plugin_problems(self) -> tuple[str, ...]:
        """Import all plug-ins, and return one sentence for each one that cannot be used."""
        problems = []
        for game_id, claims in sorted(self._plugins.items()):
            if game_id in BUILT_IN or len(claims) > 1:
                problems.append(_conflict(game_id, claims))
                continue
            try:
                if not game_id.endswith(":"):
                    self.game(game_id)
            except BrokenPlugin as error:
                problems.append(str(error))
        return tuple(problems)

    def _find(self, game_id: str) -> Game:
        if game_id in BUILT_IN:
            module, _, attribute = BUILT_IN[game_id].partition(":")
            built_in: Game = getattr(import_module(module), attribute)
            return built_in
        claims = self._plugins.get(_entry_name(game_id))
        if claims is None:
            raise UnknownGame(self._unknown(game_id))
        if len(claims) > 1:
            raise BrokenPlugin(_conflict(game_id, claims))
        return _load(claims[0], game_id)

    @cached_property
    def _all_entry_points(self) -> tuple[EntryPoint, ...]:
        return tuple(self._entry_points())

    @cached_property
    def _plugins(self) -> Mapping[str, tuple[EntryPoint, ...]]:
        """The plug-ins' entry points by id. It leaves out built-in games and missing extras."""
        claims: dict[str, tuple[EntryPoint, ...]] = {}
        for entry in self._all_entry_points:
            if BUILT_IN.get(entry.name) != entry.value and _missing_extra(entry) is None:
                claims[entry.name] = (*claims.get(entry.name, ()), entry)
        return claims

    def _unknown(self, game_id: str) -> str:
        """Return the message for an id that no game has."""
        from protocol.words import did_you_mean

        for entry in self._all_entry_points:
            extra = _missing_extra(entry) if entry.name == _entry_name(game_id) else None
            if extra is not None and entry.dist is not None:
                return f"the game {game_id!a} needs more packages: pip install '{entry.dist.name}[{extra}]'"
        ids = self.game_ids()
        hint = did_you_mean(game_id, ids) or f"; the games are {', '.join(ids)}"
        return f"no game has the id {game_id!a}{hint}"


def _missing_extra(entry: EntryPoint) -> str | None:
    """Return the extra of an entry point if one of its packages is not installed; None otherwise."""
    from importlib.metadata import PackageNotFoundError, distribution

    for requirement in (entry.dist.requires or []) if entry.dist and entry.extras else []:
        match = _EXTRA_REQUIREMENT.match(requirement)
        if match and match["extra"] in entry.extras:
            try:
                distribution(match["package"])
            except PackageNotFoundError:
                return match["extra"]
    return None


def _entry_name(game_id: str) -> str:
    """Return the name of the entry point for an id: the id, or its part up to a colon."""
    prefix, colon, _ = game_id.partition(":")
    return prefix + colon


def _load(entry: EntryPoint, game_id: str) -> Game:
    """Load the game of an entry point, and check that it is one with the right id."""
    where = f"the game {game_id!a} ({entry.value}, of {_distribution(entry)})"
    try:
        loaded = entry.load()
        if entry.name.endswith(":"):
            loaded = loaded(game_id)
        # The check of `info` also rejects a class, and a game whose description raises an error.
        fits = isinstance(loaded, Game) and isinstance(loaded.info, GameInfo)
        name = loaded.info.id if fits else None
    except UnknownGame:
        raise
    except (Exception, SystemExit) as error:  # an import of unknown code can raise anything
        raise BrokenPlugin(f"{where} cannot be loaded: {type(error).__name__}: {error}") from error
    if not fits:
        raise BrokenPlugin(f"{where} is not a game: it needs info, start and parse_position")
    if name != game_id:
        raise BrokenPlugin(f"{where} has the id {name!a}: its entry point must have the same name as the id")
    rules: Game = loaded
    return rules


def _conflict(game_id: str, claims: tuple[EntryPoint, ...]) -> str:
    """Return the message for an id that several games have."""
    names = " and ".join(f"{_distribution(entry)} ({entry.value})" for entry in claims)
    if game_id in BUILT_IN:
        built_in = f"the built-in game ({BUILT_IN[game_id]}), which stays in use"
        return f"the id {game_id!a} is used by {built_in}, and by {names}"
    return f"the id {game_id!a} is used by {names}: uninstall all but one of them"


def _distribution(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else "an unknown distribution"


INSTALLED: Final = Registry()
"""The registry of the current environment, which the functions below use."""

game = INSTALLED.game
game_ids = INSTALLED.game_ids
plugin_problems = INSTALLED.plugin_problems
