"""From a tournament file to a `TournamentSpec`."""

from __future__ import annotations

import os
from pathlib import Path

from arena.config.adjudication import read_adjudication
from arena.config.engines import SkipMissing, parse_time_control, read_engines
from arena.config.formats import read_format
from arena.config.openings import read_openings
from arena.config.schema import TournamentTable, understand
from arena.config.source import Key, Source
from arena.config.spec import EngineEntry, TournamentSpec
from arena.config.values import at_least, chosen, hint, resolve
from referee import Game, PositionError, RefereeError, game, game_ids
from referee.match.time_control import TimeControl

__all__ = ["load", "locate"]


def load(path: Path, *, skip_missing: SkipMissing | None = None) -> TournamentSpec:
    """Read a tournament file, and judge all of it: programs, openings and settings.

    Args:
        path: the file.
        skip_missing: if given, an engine whose program cannot be started is left out, and this is told its
            name and the reason; otherwise that is an error.

    Raises:
        ConfigError: the first thing that is wrong, with the file, the line and the key where it stands.
    """
    source = Source.read(path)
    table = understand(source)
    games = _games(source, table)
    ids = tuple(rules.info.id for rules in games)
    control = _time_control(source, table)
    engines = read_engines(source, table, ids, control, skip_missing)
    _check_entrants(source, games, engines)
    form = read_format(source, table, games, engines)
    seed = 1 if table.seed is None else table.seed
    setups = _setups(source, table, games)
    adjudication = read_adjudication(source, table.adjudication)
    return TournamentSpec(
        name=_name(source, table),
        path=path.absolute(),
        database=_database(source, table),
        games=ids,
        format=form.format,
        games_per_pairing=form.games_per_pairing,
        time_control=str(control),
        concurrency=at_least(source, ("concurrency",), table.concurrency, 1, _cores()),
        affinity=bool(table.affinity),
        seed=seed,
        disabled=chosen(source, ("disabled",), table.disabled, ("lose", "skip")),
        openings=read_openings(source, table.openings, games, setups, seed, adjudication),
        adjudication=adjudication,
        engines=engines,
        setups=setups,
        log=None if table.log is None else resolve(source, ("log",), table.log),
        seeds=form.seeds,
        rounds=form.rounds,
        max_games=form.max_games,
        sprt=form.sprt,
    )


def locate(path: Path) -> tuple[str, Path]:
    """The name of a file's tournament, and its database; engines and openings need not be there any more.

    Raises:
        ConfigError: the file cannot be read, or has a key that doesn't exist.
    """
    source = Source.read(path)
    table = understand(source)
    return _name(source, table), _database(source, table)


def _name(source: Source, table: TournamentTable) -> str:
    name = source.path.absolute().stem if table.name is None else table.name
    if not name.strip() or not name.isprintable():
        raise source.error(("name",), "a tournament's name must be printable and not empty")
    return name


def _database(source: Source, table: TournamentTable) -> Path:
    text = "arena.db" if table.database is None else table.database
    if "://" in text:
        raise source.error(("database",), f"this must be the name of a file, not an address like {text!r}")
    return resolve(source, ("database",), text)


def _games(source: Source, table: TournamentTable) -> tuple[Game, ...]:
    if table.game is not None and table.games is not None:
        raise source.error(("games",), "the file has game as well; keep one of the two")
    if table.game is not None:
        return (_game(source, ("game",), table.game, None),)
    if not table.games:
        known = ", ".join(game_ids())
        raise source.error(
            ("game",), f'the file must say what is played, e.g. game = "quoridor"; there are {known}'
        )
    for item, game_id in enumerate(table.games):
        if game_id in table.games[:item]:
            raise source.error(("games",), f"{game_id!r} stands here twice", item=item)
    return tuple(_game(source, ("games",), game_id, item) for item, game_id in enumerate(table.games))


def _game(source: Source, key: Key, game_id: str, item: int | None) -> Game:
    try:
        return game(game_id)
    except RefereeError as error:
        raise source.error(key, str(error), item=item) from None


def _setups(source: Source, table: TournamentTable, games: tuple[Game, ...]) -> dict[str, str]:
    """The set-up of each game that has another than its usual one."""
    if isinstance(table.setup, dict):
        chosen = table.setup
        ids = [rules.info.id for rules in games]
        for game_id in chosen:
            if game_id not in ids:
                problem = f"{game_id!r} is not played in this tournament{hint(game_id, ids)}"
                raise source.error(("setup", game_id), problem)
    else:
        chosen = {} if table.setup is None else {rules.info.id: table.setup for rules in games}
    for rules in games:
        setup = chosen.get(rules.info.id)
        try:
            rules.start(setup)
        except PositionError as error:
            key = ("setup", rules.info.id) if isinstance(table.setup, dict) else ("setup",)
            raise source.error(key, f"{rules.info.id} cannot start like this: {error}") from None
    return {game_id: setup for game_id, setup in chosen.items() if setup != "default"}


def _time_control(source: Source, table: TournamentTable) -> TimeControl:
    common = table.defaults.time_control
    if common is None:
        text = "10+0.1" if table.time_control is None else table.time_control
        return parse_time_control(source, ("time_control",), text)
    key = ("defaults", "time_control")
    if table.time_control is not None:
        raise source.error(key, "time_control stands at the top as well; keep one of the two")
    return parse_time_control(source, key, common)


def _check_entrants(source: Source, games: tuple[Game, ...], engines: tuple[EngineEntry, ...]) -> None:
    for rules in games:
        need = rules.info.players
        entered = sum(rules.info.id in engine.games for engine in engines)
        if entered < need:
            verb = "enters" if entered == 1 else "enter"
            problem = (
                f"{rules.info.id} needs at least {need} engines, but {entered} {verb} it; add [[engines]]"
            )
            raise source.error(("engines",), problem)


def _cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
