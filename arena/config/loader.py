"""Load a tournament file as a `TournamentSpec`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from arena.address import Address
from arena.config.door_keys import DOOR, DOOR_ENGINES, DOOR_LOST, with_door_engines
from arena.config.engines import SkipMissing, read_engines, with_globs, with_sides
from arena.config.spec import EngineEntry, TournamentSpec, games_key, keys_that_change
from arena.config.toml_file import TomlFile
from arena.config.tournament_keys import OpeningKeys, PlainKeys, TournamentFile
from arena.config.validation import read_keys
from arena.errors import ConfigError, OpeningError
from arena.formats.format import Names, SeedKeys, Setting, built_in_formats, find_format
from arena.openings.book import OpeningBook, OpeningSpec
from arena.openings.file import OpeningFile, book_file, open_file
from protocol.keys import Change, KeyPath, KeyTable, WrongKey, either
from protocol.words import did_you_mean
from referee import CountingGame, Game, PositionError, game, game_ids
from referee.match.time_control import TimeControl

_NO_FILE = "tournament"
"""The name of a tournament without a file, in messages and by default."""

_MAY_BE_GONE = frozenset({"game", "games", "setup", "defaults", "engines"})
"""The keys that name what must exist only to play."""

_KIND: KeyPath = ("openings", "kind")
_FILE: KeyPath = ("openings", "file")


def load(path: Path, *, skip_missing: SkipMissing | None = None) -> TournamentSpec:
    """Read and check a tournament file: each value by itself, and all values together.

    The engines that came in through its door count as if they were in the file. With ``skip_missing``, one
    that cannot be started is left out. A ConfigError has the file, the line and the key of the first problem.
    """
    return _checked(with_door_engines(TomlFile.read(path)), skip_missing)


def load_with(path: Path, engine: Mapping[str, object]) -> EngineEntry:
    """Return an engine as it would play in a tournament, without its door's other engines.

    It has these keys of ``[[engines]]``, and ``[defaults]`` of the file apply. It has the errors of `load`.
    """
    file = TomlFile.read(path)
    tables = file.data.get("engines")
    engines = [*(tables if isinstance(tables, list) else []), dict(engine)]
    return _checked(replace(file, data={**file.data, "engines": engines}), None).engines[-1]


def load_values(values: Mapping[str, object], path: Path = Path(_NO_FILE)) -> TournamentSpec:
    """Check a tournament whose values come from no file; messages start with ``path``, where it would be."""
    return _checked(TomlFile(path, "", dict(values)), None)


def _checked(file: TomlFile, skip_missing: SkipMissing | None) -> TournamentSpec:
    file = with_sides(with_globs(file))
    keys, own_keys = read_keys(file)
    games = _games(file, keys)
    ids = tuple(rules.info.id for rules in games)
    control = _time_control(file, keys)
    engines = read_engines(file, keys.engines, ids, control, skip_missing, keys.door)
    entrants = {
        game_id: tuple(engine.spec.name for engine in engines if game_id in engine.games) for game_id in ids
    }
    _check_entrants(file, games, entrants)
    format_keys = _format_keys(file, keys, own_keys, games, entrants)
    _check_limit(file, keys, games)
    _check_executor(file, keys)
    setup = _setup(file, keys, games)
    values = {name: getattr(keys, name) for name in PlainKeys.declarations()}
    return TournamentSpec(
        **values
        | {
            "name": _name(file, keys),
            "path": file.path.absolute(),
            "database": _database(file, keys),
            "games": ids,
            "format_keys": format_keys,
            "time_control": control,
            "setup": setup,
            "openings": _openings(file, keys, games, setup),
            "engines": engines,
            "log_lost": (0 if keys.door is None else DOOR_LOST) if keys.log_lost is None else keys.log_lost,
        }
    )


def key_error(spec: TournamentSpec, place: KeyPath, problem: str) -> ConfigError:
    """Return the error of a key, with its line, when it is found after the file was read."""
    file = TomlFile.read(spec.path) if spec.path.exists() else TomlFile(Path(spec.label), "", {})
    return file.error(place, problem)


def locate(path: Path) -> tuple[str, Address]:
    """Read the name of a tournament and the address of its database from its file.

    The games, engines, openings and other files of the tournament need not exist any more.
    """
    file = TomlFile.read(path)
    data = {key: value for key, value in file.data.items() if key not in _MAY_BE_GONE}
    keys, _ = read_keys(replace(file, data=data))
    return _name(file, keys), _database(file, keys)


def _name(file: TomlFile, keys: TournamentFile) -> str:
    stem = file.path.absolute().stem
    if not keys.name and not (stem.strip() and stem.isprintable()):
        raise file.error(
            ("name",), f"the default is the file's name, but {stem!a} is not printable; set a name"
        )
    return keys.name or stem


def _database(file: TomlFile, keys: TournamentFile) -> Address:
    address = keys.database
    return file.folder / address if isinstance(address, Path) else address


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


def _check_entrants(file: TomlFile, games: Iterable[Game], entrants: Names) -> None:
    for rules in games:
        need, entered = rules.info.players, len(entrants[rules.info.id])
        if entered < need:
            verb = "enters" if entered == 1 else "enter"
            problem = f"{rules.info.id} needs at least {need} engines, but {entered} {verb} it"
            raise file.error(("engines",), f"{problem}; add [[engines]]")


def _format_keys(
    file: TomlFile, keys: TournamentFile, own: KeyTable, games: Iterable[Game], entrants: Names
) -> KeyTable:
    """Return the keys of the format with all defaults, if it fits the games, the engines and the door."""
    form = find_format(keys.format)
    for rules in games:
        if rules.info.players != 2 and form.two_players:
            others = either(other.name for other in built_in_formats() if not other.two_players)
            problem = f"{rules.info.id} is for {rules.info.players} players; {form.name} is for games of two"
            raise file.error(("format",), f"{problem}: use {others}")
    if keys.door is not None and not form.may_grow:
        others = either(other.name for other in built_in_formats() if other.may_grow)
        problem = f'this key is only for format = {others}, but here format = "{form.name}"'
        raise file.error(("door",), problem)
    if isinstance(own, SeedKeys):
        own = replace(own, seed=keys.seed)
    setting = Setting(entrants, keys.openings.kind != "start", keys.door is not None)
    try:
        checked: KeyTable = form.checked(own, setting)
    except WrongKey as wrong:
        raise file.error(wrong.key, str(wrong)) from None
    return checked


def _time_control(file: TomlFile, keys: TournamentFile) -> TimeControl:
    common = keys.defaults.time_control
    if common is not None and file.has(("time_control",)):
        problem = "time_control is at the top of the file, too; keep one of the two"
        raise file.error(("defaults", "time_control"), problem)
    return common or keys.time_control


def _setup(file: TomlFile, keys: TournamentFile, games: tuple[Game, ...]) -> dict[str, str]:
    """The set-up of each game that does not start at its usual position."""
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


def _check_limit(file: TomlFile, keys: TournamentFile, games: Iterable[Game]) -> None:
    """Check that a count can decide games at the ply limit, if it should."""
    place, adjudication = ("adjudication", "at_limit"), keys.adjudication
    if adjudication.at_limit == "draw":
        return
    if adjudication.plies is None:
        raise file.error(place, '"count" needs a limit of moves, but plies = 0 turns it off')
    for rules in games:
        if not isinstance(rules, CountingGame):
            raise file.error(place, f'{rules.info.id} has no count: use "draw", or remove this key')


def _check_executor(file: TomlFile, keys: TournamentFile) -> None:
    """Check that games with remote bots are played on this machine."""
    if keys.executor.scheduler is not None and keys.door is not None and keys.door.bots != "uploaded":
        raise file.error(("executor", "scheduler"), "only this machine reaches the remote bots of the door")


# --- openings


def _openings(
    file: TomlFile, keys: TournamentFile, games: Iterable[Game], setup: Mapping[str, str]
) -> OpeningSpec:
    """Read the openings, and check them by the rules of each game."""
    table = keys.openings
    if table.kind == "random" and table.plies is None:
        raise file.error(_KIND, 'kind = "random" needs plies, e.g. plies = 4')
    spec = OpeningSpec(
        kind=table.kind,
        file=_listed(file, table) if table.kind == "list" else None,
        plies=table.plies or 0,
        seed=keys.seed,
        order=table.order,
    )
    for rules in games:
        if table.book not in (None, rules.info.id):
            raise file.error(
                ("openings", "book"), f"this book has openings of {table.book}, not of {rules.info.id}"
            )
        try:
            OpeningBook(spec, rules, setup.get(rules.info.id), keys.adjudication).check()
        except OpeningError as error:
            if table.kind == "list":
                raise
            place = ("openings", "plies") if table.kind == "random" else _KIND
            raise file.error(place, str(error)) from None
    return spec


def _listed(file: TomlFile, table: OpeningKeys) -> OpeningFile:
    if table.file is not None and table.book is None:
        try:
            return open_file(table.file)
        except ConfigError as error:
            raise file.error(_FILE, str(error)) from None
    if table.file is None and table.book is not None:
        return open_file(book_file(table.book))
    raise file.error(_KIND, 'kind = "list" needs either file = "..." or book = "..."')


class FileWatch:
    """Reloads the file of a tournament when it changes, or when an engine comes in through its door."""

    def __init__(self, spec: TournamentSpec) -> None:
        self._spec = spec
        # Unknown at first: a file may have changed since it was loaded.
        self._stamps: list[tuple[int, ...]] | None = None

    def changed(self) -> TournamentSpec | None:
        """The tournament with the file's changes; None if nothing has changed since the last call.

        Keys whose changes apply to the next run keep their values. A change that cannot be used raises one
        ConfigError.
        """
        path = self._spec.path
        stamps = [_stamp(file) for file in (path, path.parent / DOOR / DOOR_ENGINES)]
        if stamps == self._stamps:
            return None
        self._stamps = stamps
        old = self._spec
        kept = old.overridden.union(keys_that_change(Change.NEXT_RUN))
        values: dict[str, Any] = {key: getattr(old, key) for key in kept}
        file = _with_door(TomlFile.read(old.path), door=old.door is not None)
        new = replace(_checked(with_door_engines(file), None), overridden=old.overridden, **values)
        _check_same(old, new)
        if new == old:
            return None
        self._spec = new
        return new


def _stamp(file: Path) -> tuple[int, ...]:
    """Return a value that changes when a file does; () if it is not there."""
    try:
        status = file.stat()
    except OSError:
        return ()
    return status.st_mtime_ns, status.st_size, status.st_ino


def _with_door(file: TomlFile, *, door: bool) -> TomlFile:
    """Return a file with a door, or without one, as when its run started: other keys depend on it."""
    data = {key: value for key, value in file.data.items() if key != "door"}
    return replace(file, data={**data, "door": file.data.get("door", {})} if door else data)


def _check_same(old: TournamentSpec, new: TournamentSpec) -> None:
    before, after = _identity(old), _identity(new)
    for key in before:
        if before[key] != after[key]:
            raise ConfigError(
                f"{old.path}: {key} was {before[key]} and is now {after[key]};"
                f" {', '.join(before)} must not change while a tournament runs"
            )
    if not set(old.games) <= set(new.games):
        raise ConfigError(
            f"{old.path}: {games_key(old.games)} was {', '.join(old.games)} and is now"
            f" {', '.join(new.games)}; no game must go while a tournament runs"
        )


def _identity(spec: TournamentSpec) -> dict[str, str]:
    """The keys that must not change while a tournament runs, with their values."""
    return {key: str(getattr(spec, key)) for key in keys_that_change(Change.IDENTITY)} | spec.settings()
