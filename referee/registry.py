"""The games that can be played: ours and those of plug-ins, by id.

A plug-in is an installed distribution with an entry point in the group ``leapfrog_arena.games``: its name is
the game's id, its value names a `Game` object as ``module:ATTRIBUTE``. Ours are registered in the same way;
the table here spares them the search through everything that is installed.

An entry point may be for an extra of its distribution, ``module:ATTRIBUTE [extra]``: it counts once the
packages that the extra asks for are installed, and is no problem before.
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

__all__ = ["BUILT_IN", "ENTRY_POINTS", "INSTALLED", "Registry", "game", "game_ids", "plugin_problems"]

ENTRY_POINTS: Final = "leapfrog_arena.games"
"""The group of entry points."""

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
"""Where our own games are, in the order in which they are listed; agrees with ``pyproject.toml``."""

_EXTRA_REQUIREMENT = re.compile(
    r"""(?P<package>[\w.-]+).*;.*\bextra\s*==\s*["'](?P<extra>[\w.-]+)["']""", re.ASCII
)


def _installed() -> Iterable[EntryPoint]:
    from importlib.metadata import entry_points

    return entry_points(group=ENTRY_POINTS)


class Registry:
    """The games that can be played in one environment.

    It looks through what is installed once, when it is first asked for a game that is not ours, and loads a
    plug-in once.

    Args:
        entry_points: gives the installed entry points of the group `ENTRY_POINTS`.
    """

    def __init__(self, entry_points: Callable[[], Iterable[EntryPoint]] = _installed) -> None:
        self._entry_points = entry_points
        self._games: dict[str, Game] = {}

    def game(self, game_id: str) -> Game:
        """The rules of one game; a plug-in's module is imported when its game is first asked for.

        Raises:
            UnknownGame: no game has this id, or its extra is not installed; the message tells which, and
                names those that resemble it.
            BrokenPlugin: the plug-in cannot be loaded, or two plug-ins claim the id.
        """
        found = self._games.get(game_id)
        if found is None:
            found = self._games[game_id] = self._find(game_id)
        return found

    def game_ids(self) -> tuple[str, ...]:
        """The ids of all games, ours first, then the plug-ins' by the alphabet; imports none of them."""
        return (*BUILT_IN, *sorted(self._plugins.keys() - BUILT_IN.keys()))

    def plugin_problems(self) -> tuple[str, ...]:
        """One sentence for each plug-in that cannot be used, after importing all; the others can be."""
        problems = []
        for game_id, claims in sorted(self._plugins.items()):
            if game_id in BUILT_IN or len(claims) > 1:
                problems.append(_clash(game_id, claims))
                continue
            try:
                self.game(game_id)
            except BrokenPlugin as error:
                problems.append(str(error))
        return tuple(problems)

    def _find(self, game_id: str) -> Game:
        if game_id in BUILT_IN:
            module, _, attribute = BUILT_IN[game_id].partition(":")
            built_in: Game = getattr(import_module(module), attribute)
            return built_in
        claims = self._plugins.get(game_id)
        if claims is None:
            raise UnknownGame(self._unknown(game_id))
        if len(claims) > 1:
            raise BrokenPlugin(_clash(game_id, claims))
        return _load(claims[0])

    @cached_property
    def _offered(self) -> tuple[EntryPoint, ...]:
        return tuple(self._entry_points())

    @cached_property
    def _plugins(self) -> Mapping[str, tuple[EntryPoint, ...]]:
        """Who claims each id, without our own games' entry points and those whose extra is not installed."""
        claims: dict[str, tuple[EntryPoint, ...]] = {}
        for entry in self._offered:
            if BUILT_IN.get(entry.name) != entry.value and _missing_extra(entry) is None:
                claims[entry.name] = (*claims.get(entry.name, ()), entry)
        return claims

    def _unknown(self, game_id: str) -> str:
        """What to say when no game has this id."""
        from difflib import get_close_matches

        for entry in self._offered:
            extra = _missing_extra(entry) if entry.name == game_id else None
            if extra is not None and entry.dist is not None:
                return f"the game {game_id!a} needs more packages: pip install '{entry.dist.name}[{extra}]'"
        ids = self.game_ids()
        near = get_close_matches(game_id, ids)
        hint = f"did you mean {' or '.join(near)}?" if near else f"the games are {', '.join(ids)}"
        return f"no game has the id {game_id!a}; {hint}"


def _missing_extra(entry: EntryPoint) -> str | None:
    """The extra that an entry point is for, when a package that the extra asks for is not installed."""
    from importlib.metadata import PackageNotFoundError, distribution

    for requirement in (entry.dist.requires or []) if entry.dist and entry.extras else []:
        wanted = _EXTRA_REQUIREMENT.match(requirement)
        if wanted and wanted["extra"] in entry.extras:
            try:
                distribution(wanted["package"])
            except PackageNotFoundError:
                return wanted["extra"]
    return None


def _load(entry: EntryPoint) -> Game:
    """The object that an entry point names, once it has been seen to be the game that it should be."""
    where = f"the game {entry.name!a} ({entry.value}, of {_distribution(entry)})"
    try:
        found = entry.load()
        # A class, or a game whose description fails, must not get through either.
        fits = isinstance(found, Game) and isinstance(found.info, GameInfo)
        name = found.info.id if fits else None
    except (Exception, SystemExit) as error:  # whatever a stranger's module does while it is imported
        raise BrokenPlugin(f"{where} cannot be loaded: {type(error).__name__}: {error}") from error
    if not fits:
        raise BrokenPlugin(f"{where} is no game: it needs info, start and parse_position")
    if name != entry.name:
        raise BrokenPlugin(
            f"{where} calls itself {name!a}: its entry point must have the game's id as its name"
        )
    game_found: Game = found
    return game_found


def _clash(game_id: str, claims: tuple[EntryPoint, ...]) -> str:
    """What to say when an id has more than one claim, one of them perhaps ours."""
    names = " and ".join(f"{_distribution(entry)} ({entry.value})" for entry in claims)
    if game_id in BUILT_IN:
        ours = f"our own {BUILT_IN[game_id]}, which stays in use"
        return f"the id {game_id!a} is claimed by {ours}, and by {names}"
    return f"the id {game_id!a} is claimed by {names}: uninstall all but one of them"


def _distribution(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else "an unknown distribution"


INSTALLED: Final = Registry()
"""The games of the environment that we run in; the functions below ask it."""

game = INSTALLED.game
game_ids = INSTALLED.game_ids
plugin_problems = INSTALLED.plugin_problems
