"""Load a tournament file as a `TournamentSpec`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import ceil, log2
from pathlib import Path

from arena.books import book_file
from arena.config.engines import SkipMissing, read_engines
from arena.config.pairing_plan import MOST_NORMALIZED_ELO, Sprt
from arena.config.spec import TournamentSpec
from arena.config.toml_file import KeyPath, TomlFile, did_you_mean
from arena.config.tournament_keys import OpeningKeys, PlainKeys, TournamentFile
from arena.config.validation import read_keys
from arena.errors import ConfigError, OpeningError
from arena.opening_book import OpeningBook, OpeningSpec
from arena.opening_file import OpeningFile, open_file
from referee import CountingGame, Game, PositionError, game, game_ids
from referee.match.time_control import TimeControl

__all__ = ["load", "load_values", "locate"]

_NO_FILE = "tournament"
"""The name of a tournament without a file, in messages and by default."""

_Entrants = Mapping[str, tuple[str, ...]]
"""The names of the engines that enter a game, by game id."""

_LARGEST_ROUND = 100_000
"""The most games in a round of a Swiss or a knock-out. It takes a fraction of a second to go through them."""

_KIND: KeyPath = ("openings", "kind")
_LIST: KeyPath = ("openings", "list")
_FILE: KeyPath = ("openings", "file")


def load(path: Path, *, skip_missing: SkipMissing | None = None) -> TournamentSpec:
    """Read and check a tournament file: each value by itself, and all values together.

    Args:
        path: the file.
        skip_missing: if given, an engine whose program cannot be started is left out, and this function is
            called with its name and the reason. Without it, such an engine is an error.

    Raises:
        ConfigError: something is wrong. The message has the file, the line and the key of the first problem.
    """
    return _checked(TomlFile.read(path), skip_missing)


def load_values(values: Mapping[str, object]) -> TournamentSpec:
    """Check a tournament whose keys and values do not come from a file.

    Args:
        values: the values, as `tomllib` would read them from a file in the current folder.

    Raises:
        ConfigError: something is wrong. The message has the key of the first problem.
    """
    return _checked(TomlFile(Path(_NO_FILE), "", dict(values)), None)


def _checked(file: TomlFile, skip_missing: SkipMissing | None) -> TournamentSpec:
    keys = read_keys(file)
    games = _games(file, keys)
    ids = tuple(rules.info.id for rules in games)
    control = _time_control(file, keys)
    engines = read_engines(file, keys.engines, ids, control, skip_missing)
    entrants = {
        game_id: tuple(engine.spec.name for engine in engines if game_id in engine.games) for game_id in ids
    }
    _check_entrants(file, games, entrants)
    _check_format(file, keys, games, entrants)
    _check_progress(file, games)
    _check_limit(file, keys, games)
    setup = _setup(file, keys, games)
    values = {name: getattr(keys, name) for name in PlainKeys.declarations()}
    return TournamentSpec(
        **values
        | {
            "name": _name(file, keys),
            "path": file.path.absolute(),
            "database": _database(file, keys),
            "games": ids,
            "seeds": _seeds(file, keys, entrants),
            "time_control": control,
            "setup": setup,
            "openings": _openings(file, keys, games, setup),
            "engines": engines,
        }
    )


def locate(path: Path) -> tuple[str, Path]:
    """Read the name of a tournament and the path of its database from its file.

    The engines, openings and other files of the tournament need not exist any more.

    Raises:
        ConfigError: the file cannot be read, or it has an unknown key or a wrong value.
    """
    file = TomlFile.read(path)
    keys = read_keys(file, must_exist=False)
    return _name(file, keys), _database(file, keys)


def _name(file: TomlFile, keys: TournamentFile) -> str:
    stem = file.path.absolute().stem
    if not keys.name and not (stem.strip() and stem.isprintable()):
        raise file.error(
            ("name",), f"the default is the file's name, but {stem!a} is not printable; set a name"
        )
    return keys.name or stem


def _database(file: TomlFile, keys: TournamentFile) -> Path:
    return file.folder / keys.database


def _games(file: TomlFile, keys: TournamentFile) -> tuple[Game, ...]:
    if keys.game is not None and keys.games is not None:
        raise file.error(("games",), "the file has the key game, too; keep one of the two")
    ids = (keys.game,) if keys.game is not None else keys.games
    if not ids:
        problem = f'this key is missing; write e.g. game = "quoridor"; the games are {", ".join(game_ids())}'
        raise file.error(("game",), problem)
    for item, game_id in enumerate(ids):
        if game_id in ids[:item]:
            raise file.error(("games", item), f"{game_id!r} is in the list twice")
    return tuple(game(game_id) for game_id in ids)


def _time_control(file: TomlFile, keys: TournamentFile) -> TimeControl:
    common = keys.defaults.time_control
    if common is not None and file.has(("time_control",)):
        problem = "time_control is at the top of the file, too; keep one of the two"
        raise file.error(("defaults", "time_control"), problem)
    return common or keys.time_control


def _setup(file: TomlFile, keys: TournamentFile, games: tuple[Game, ...]) -> dict[str, str]:
    """The set-up of each game that does not begin at its usual start position."""
    ids = [rules.info.id for rules in games]
    chosen = dict.fromkeys(ids, keys.setup) if isinstance(keys.setup, str) else keys.setup or {}
    for game_id in chosen:
        if game_id not in ids:
            problem = f"{game_id!r} is not played in this tournament{did_you_mean(game_id, ids)}"
            raise file.error(("setup", game_id), problem)
    for rules in games:
        try:
            rules.start(chosen.get(rules.info.id))
        except PositionError as error:
            place = ("setup", rules.info.id) if isinstance(keys.setup, dict) else ("setup",)
            raise file.error(place, f"{rules.info.id} cannot start like this: {error}") from None
    return {game_id: setup for game_id, setup in chosen.items() if setup != "default"}


def _check_progress(file: TomlFile, games: Iterable[Game]) -> None:
    place: KeyPath = ("adjudication", "no_progress")
    if file.has(place) and all(rules.info.no_progress is None for rules in games):
        ids = " and ".join(rules.info.id for rules in games)
        raise file.error(place, f"the rules of {ids} do not count moves without progress; remove this key")


def _check_entrants(file: TomlFile, games: tuple[Game, ...], entrants: _Entrants) -> None:
    for rules in games:
        need, entered = rules.info.players, len(entrants[rules.info.id])
        if entered < need:
            verb = "enters" if entered == 1 else "enter"
            problem = f"{rules.info.id} needs at least {need} engines, but {entered} {verb} it"
            raise file.error(("engines",), f"{problem}; add [[engines]]")


# --- format


def _check_format(file: TomlFile, keys: TournamentFile, games: Iterable[Game], entrants: _Entrants) -> None:
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


def _seeds(file: TomlFile, keys: TournamentFile, entrants: _Entrants) -> tuple[str, ...]:
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
    seeds = keys.seeds or engines[:1]
    for item, name in enumerate(seeds):
        if name not in engines:
            problem = f"there is no engine {name!r}{did_you_mean(name, engines)}"
            raise file.error(("seeds", item), problem)
        if name in seeds[:item]:
            raise file.error(("seeds", item), f"{name!r} is in the list twice")
    for game_id, names in entrants.items():
        if not set(names) & set(seeds):
            raise file.error(("seeds",), f"no seed enters {game_id}; add an engine that enters it")
        if not set(names) - set(seeds):
            problem = f"only seeds enter {game_id}, and seeds do not play each other; remove a seed"
            raise file.error(("seeds",), problem)
    return seeds


def _check_round_size(file: TomlFile, keys: TournamentFile, entrants: _Entrants) -> None:
    """Check that a round is small enough: it is paired at once, and then gone through often."""
    for game_id, names in entrants.items():
        most = max(1, _LARGEST_ROUND * 2 // len(names))
        if keys.games_per_pairing > most:
            problem = f"with {len(names)} engines in {game_id} this must be at most {most} in a {keys.format}"
            raise file.error(("games_per_pairing",), f"{problem}, not {keys.games_per_pairing}")


def _check_rounds(file: TomlFile, rounds: int | None, entrants: _Entrants) -> None:
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


def _check_match(file: TomlFile, keys: TournamentFile, entrants: _Entrants) -> None:
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


# --- adjudication


def _check_limit(file: TomlFile, keys: TournamentFile, games: Iterable[Game]) -> None:
    """Check that a count can decide games at the ply limit, if it should.

    Raises:
        ConfigError: there is no limit, or a game has no count.
    """
    place, adjudication = ("adjudication", "at_limit"), keys.adjudication
    if adjudication.at_limit == "draw":
        return
    if adjudication.plies is None:
        raise file.error(place, '"count" needs a limit of moves, but plies = 0 turns it off')
    for rules in games:
        if not isinstance(rules, CountingGame):
            raise file.error(place, f'{rules.info.id} has no count: use "draw", or remove this key')


# --- openings


def _openings(
    file: TomlFile, keys: TournamentFile, games: Iterable[Game], setup: Mapping[str, str]
) -> OpeningSpec:
    """Read the openings, and check them by the rules of each game.

    Args:
        file: the tournament file.
        keys: its keys.
        games: the games of the tournament.
        setup: set-ups by game id, for games that do not begin at their usual start position.

    Raises:
        ConfigError: a required key is missing, or a game refuses an opening.
    """
    table = keys.openings
    if table.kind == "random" and table.plies is None:
        raise file.error(_KIND, 'kind = "random" needs plies, e.g. plies = 4')
    spec = OpeningSpec(
        kind=table.kind,
        entries=_entries(file, table) if table.kind == "list" else (),
        plies=table.plies or 0,
        seed=keys.seed if table.seed is None else table.seed,
        order=table.order,
    )
    for rules in games:
        if table.book not in (None, rules.info.id):
            raise file.error(
                ("openings", "book"), f"this book has openings of {table.book}, not of {rules.info.id}"
            )
        adjudication = keys.adjudication.for_game(rules.info)
        try:
            OpeningBook(spec, rules, setup.get(rules.info.id), adjudication).check()
        except OpeningError as error:
            if isinstance(spec.entries, OpeningFile):
                raise
            if error.entry is not None:
                place: KeyPath = (*_LIST, error.entry)
            else:
                place = ("openings", "plies") if table.kind == "random" else _KIND
            raise file.error(place, str(error)) from None
    return spec


def _entries(file: TomlFile, table: OpeningKeys) -> Sequence[str]:
    """The openings of a list."""
    if sum(source is not None for source in (table.list, table.file, table.book)) != 1:
        raise file.error(_KIND, 'kind = "list" needs one of list = [...], file = "..." and book = "..."')
    if table.book is not None:
        return open_file(book_file(table.book))
    if table.file is not None:
        try:
            return open_file(table.file)
        except ConfigError as error:
            raise file.error(_FILE, str(error)) from None
    if not table.list:
        raise file.error(_LIST, "this has no openings; add one")
    return table.list
