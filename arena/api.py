"""What `arena` offers to programs. `arena.__all__` lists the names; nothing else here is public.

Each function that plays comes twice: a coroutine for a trio loop, and a function that blocks until it is
done. Both raise `ArenaError` for all that a caller can correct.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial, wraps
from hashlib import sha256
from inspect import getdoc, getsource, signature
from os import PathLike, fspath
from pathlib import Path
from textwrap import dedent
from types import TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, Self, TypeAlias, TypeVar

import trio

from arena.address import absolute, read_address
from arena.config import TournamentSpec, load, load_values
from arena.config.engines import engine_spec
from arena.config.tournament_keys import EngineTable
from arena.config.validation import read_engine
from arena.errors import ArenaError, ConfigError, leaves, user_errors
from arena.events import EngineDisabled, GameEnded, GameVoid, Notice, RunEvent, RunSummary
from arena.formats.plan import Plan
from arena.model import GameRecord, GameResult
from arena.notebook import Board, NotebookGame, NotebookTables
from arena.replay import start_position
from arena.scoring import game_record, versus
from arena.single import play_one
from protocol.keys import WrongKey
from protocol.process import sandbox
from protocol.process.machine import cache_folder, usable_cores
from protocol.spec import EngineSpec
from referee import Position
from referee import game as find_game
from referee.match.arbiter import Arbiter
from referee.match.job import Job, JobSeat
from referee.match.time_control import USUAL
from referee.outcome import Termination
from referee.ply import Ply

if TYPE_CHECKING:
    from arena.scoring import Versus
    from arena.store import Store, TournamentInfo
    from arena.tables.standings import Standing
    from referee.check import CheckReport, CheckResult


_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


@contextmanager
def _plain_errors() -> Iterator[None]:
    """Raise the error in a group by itself: callers need not know that nurseries are used inside.

    A user's error becomes an `ArenaError`; an error of a callback, a bug or a cancellation stays what it is.
    """
    try:
        yield
    except Exception as error:
        first, *others = leaves(error)
        if all(isinstance(leaf, user_errors()) for leaf in (first, *others)):
            plain = first if isinstance(first, ArenaError) else ArenaError(str(first))
            raise plain.with_traceback(None) from None  # a notebook would show every frame inside
        if others or first is error:
            raise
        raise first from error


def _blocking(
    function: Callable[_Arguments, Coroutine[Any, Any, _Result]],
) -> Callable[_Arguments, _Result]:
    """Return a function without ``_async`` in its name that runs a coroutine function in a new trio loop.

    It also raises a RuntimeError if a trio loop runs in this thread already, and KeyboardInterrupt after
    Ctrl-C, when all engines have ended.
    """
    name = function.__name__.removesuffix("_async")

    @wraps(function)
    def call(*args: _Arguments.args, **named: _Arguments.kwargs) -> _Result:
        if trio.lowlevel.in_trio_run():
            raise RuntimeError(
                f"arena.{name} would block the trio loop that runs in this thread: "
                f"write `await arena.{name}_async(...)` instead"
            )
        try:
            return trio.run(partial(function, *args, **named))
        except ArenaError as error:
            error.__context__ = None  # IPython shows an error as plain text if a group is in its context
            raise error.with_traceback(None) from None
        except BaseExceptionGroup as group:
            if any(isinstance(leaf, KeyboardInterrupt) for leaf in leaves(group)):
                raise KeyboardInterrupt from group
            raise

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"Do the same as `{name}_async`, and wait for its end.\n\n{getdoc(function)}"
    return call


Engine: TypeAlias = str | Sequence[str] | Mapping[str, object] | Callable[..., object]
"""An engine: a command as a text or a list of words, the keys of ``[[engines]]``, or a function (`_bot`)."""


def _find_engine(engine: Engine, name: str) -> tuple[EngineSpec, EngineTable]:
    """Check an engine and find its program; return how to start it, and all its keys."""
    keys = {"name": name, **_keys(engine, name)}
    try:
        table = read_engine(keys, Path.cwd())
        spec = engine_spec(table, Path.cwd())
    except WrongKey as wrong:
        raise ConfigError(f"engine {keys['name']}: {'.'.join(wrong.names)}: {wrong}") from None
    except ValueError as error:
        raise ArenaError(str(error)) from None
    sandbox.check(spec)
    return spec, table


def _bot(function: Callable[..., object]) -> dict[str, object]:
    """Return the keys of an engine whose moves a function chooses, in a process of its own.

    Its parameters name the values that it gets, as ``arena docs bridges`` lists them. An ArenaError says why
    it can be no bot.
    """
    try:
        source = dedent(getsource(function))
        parameters = ", ".join(signature(function).parameters)
    except (OSError, TypeError, ValueError) as error:
        raise ArenaError(f"{function!r} cannot be a bot: {error}") from None
    name = function.__name__
    if not name.isidentifier():
        raise ArenaError("a lambda cannot be a bot: write the function with def")
    file = cache_folder() / "functions" / sha256(source.encode()).hexdigest()[:16] / f"{name}.py"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(source, encoding="utf-8")
    return {"name": name, "command": ["bridge:class", f"{file}:{name}({parameters})"]}


def _keys(engine: Any, name: str = "") -> Any:  # noqa: ANN401 - a value of a user
    """Return the keys of an engine. In a tournament, a command is its own name."""
    if callable(engine):
        return _bot(engine)
    if isinstance(engine, str):
        return {"name": name or engine, "command": engine}
    if isinstance(engine, list | tuple):
        return {"name": name or " ".join(map(str, engine)), "command": list(engine)}
    return engine


def board(game: str, position: Position | str | None = None, move: str | None = None) -> Board:
    """Return a position for a notebook to draw.

    Args:
        game: the id of the game.
        position: the position, its string, or the name of a set-up; None for the start.
        move: the move that led to it, which is marked.

    Raises:
        ArenaError: there is no such game, or this is no position.
    """
    with _plain_errors():
        rules = find_game(game)
        if position is None or isinstance(position, str):
            position = start_position(rules, position)
        elif not hasattr(position, "diagram"):
            raise ArenaError(
                f"position: this must be a position or its string, not a {type(position).__name__}; "
                "a game has its last one as final_position"
            )
        return Board(game, position, move)


_SINGLE = "game"  # the id of the only game, in the names of its transcripts


async def play_game_async(
    game: str,
    engines: Sequence[Engine],
    *,
    time_control: str = USUAL,
    setup: str | None = None,
    position: str | None = None,
    moves: Iterable[str] = (),
    log: str | PathLike[str] | None = None,
    on_move: Callable[[Ply], object] | None = None,
    on_warning: Callable[[str, str], object] | None = None,
) -> GameRecord:
    """Play one game between engines. It is not stored.

    If the caller is cancelled, all engines are killed, and there is no result.

    Args:
        game: the id of the game, as in ``arena games``.
        engines: one engine for each seat: a command, or the keys of ``[[engines]]`` in a tournament file.
        time_control: the time control of engines without their own, as in a tournament file.
        setup: the name of a start position.
        position: a position string to start from, instead of a set-up.
        moves: an opening, played before the engines start.
        log: a folder for transcripts of the dialogue with each engine.
        on_move: called with every ply that an engine plays.
        on_warning: called with the name of an engine and a sentence, for example about an unknown option.

    Returns:
        The game. A crash or an illegal move of an engine is a result: the engine has lost.

    Raises:
        ArenaError: an argument is wrong, an engine cannot be started, or the machine failed.
    """
    with _plain_errors():
        rules = find_game(game)
        if len(engines) != rules.info.players:
            raise ArenaError(f"{game} has {rules.info.players} seats, but there are {len(engines)} engines")
        seats = await trio.to_thread.run_sync(_seats, engines, time_control)
        job = Job(
            _SINGLE,
            game,
            seats,
            setup=setup,
            position=position,
            moves=tuple(moves),
            log=None if log is None else fspath(log),
        )
        shown = 0

        def observe(arbiter: Arbiter) -> None:
            nonlocal shown
            for ply in arbiter.record[shown:]:
                shown += 1
                if on_move is not None:
                    on_move(ply)

        def warn(name: str, text: str) -> None:
            if on_warning is not None:
                on_warning(name, text)

        finished = await play_one(job, {}, observe, warn)
        if finished.termination is Termination.VOID:
            raise ArenaError(f"the game is void, and no engine is at fault: {finished.detail}")
        return NotebookGame.of(game_record(job, finished))


play_game = _blocking(play_game_async)


def _seats(engines: Sequence[Engine], time_control: str) -> tuple[JobSeat, ...]:
    """Return the seats of the engines, which are called after their numbers if they have no name."""
    seats = []
    for number, engine in enumerate(engines, 1):
        spec, keys = _find_engine(engine, f"seat {number}")
        seats.append(JobSeat(spec, str(keys.time_control or time_control)))
    return tuple(seats)


async def check_engine_async(
    engine: Engine,
    *,
    game: str | None = None,
    only: Collection[int] | None = None,
    seed: int = 1,
    jobs: int | None = None,
    on_result: Callable[[CheckResult], object] | None = None,
) -> CheckReport:
    """Check whether an engine follows the protocol and the rules.

    If the caller is cancelled, all processes of the engine are killed.

    Args:
        engine: a command, or the keys of ``[[engines]]`` in a tournament file.
        game: the id of the game; None for the game that the engine names.
        only: the numbers of checks, as in ``arena check --list``. The checks that they need run, too.
        seed: the seed of random positions.
        jobs: how many checks may run at the same time; None for one for each processor.
        on_result: called with each result when it is there.

    Returns:
        The results. An engine that fails is no error: see `CheckReport.conforms`.

    Raises:
        ArenaError: an argument is wrong, or the engine cannot be started.
    """
    from referee.check import CHECKS, EngineUnderTest
    from referee.check import check_engine as run_checks

    with _plain_errors():
        if game is not None:
            find_game(game)
        unknown = sorted(set(only or ()) - {check.number for check in CHECKS})
        if unknown:
            raise ArenaError(f"there is no check {unknown[0]}; `arena check --list` lists the checks")
        spec, _ = await trio.to_thread.run_sync(_find_engine, engine, "engine")
        subject = EngineUnderTest(spec, seed, game)
        tell = on_result or (lambda _: None)
        return await run_checks(subject, only, jobs or len(usable_cores()), tell)


check_engine = _blocking(check_engine_async)


async def run_tournament_async(
    tournament: str | PathLike[str] | Mapping[str, object],
    *,
    database: str | PathLike[str] | None = None,
    on_game: Callable[[GameResult], object] | None = None,
    on_warning: Callable[[str], object] | None = None,
) -> RunSummary:
    """Play the missing games of a tournament.

    If the caller is cancelled, the running games end without a result. The games before them are stored, and
    the same call continues the tournament.

    Args:
        tournament: the path of a tournament file, or its keys and values. Relative paths start in the folder
            of the file, or in the current folder.
        database: its file or ``postgresql://USER@HOST/NAME``, instead of the key ``database``.
        on_game: called with each result when it is stored.
        on_warning: called with each sentence about the tournament or an engine that a user should read.

    Returns:
        How many games were played now, and which engines are disabled.

    Raises:
        ConfigError: a key of the tournament is wrong. The message names it.
        StoreError: the database cannot be used, or the tournament was started with other settings.
        ArenaError: anything else that the caller can correct.
    """
    from arena.notify import play_and_notify
    from arena.run.tournament import Run
    from arena.workers import cluster_of

    def observe(event: RunEvent) -> None:
        if isinstance(event, GameEnded) and on_game is not None:
            on_game(event.result)
        text = _warning(event)
        if text and on_warning is not None:
            on_warning(text)

    with _plain_errors():
        spec = await trio.to_thread.run_sync(_spec, tournament, database)
        return await play_and_notify(Run(spec, observe, executor=cluster_of(spec), signals=False))


run_tournament = _blocking(run_tournament_async)


def _spec(
    tournament: str | PathLike[str] | Mapping[str, object], database: str | PathLike[str] | None
) -> TournamentSpec:
    if isinstance(tournament, Mapping):
        engines = tournament.get("engines")
        if isinstance(engines, list | tuple):
            tournament = {**tournament, "engines": [*map(_keys, engines)]}
        spec = load_values(tournament)
    else:
        spec = load(Path(tournament))
    return spec if database is None else spec.override(database=absolute(read_address(database)))


def _warning(event: RunEvent) -> str:
    """Return what a user should know of an event; "" for nothing."""
    match event:
        case Notice(name, text, warning=True) | EngineDisabled(name, text):
            return f"{name}: {text}"
        case GameVoid(pairing, text):
            return f"{' - '.join(pairing.seats)}: {text}"
        case _:
            return ""


@dataclass(frozen=True, slots=True)
class RatedEngine:
    """The ratings of one engine for one game id. All are None for an engine without a rated game.

    Attributes:
        name: the engine.
        mu: the mean of its skill in TrueSkill.
        sigma: the standard deviation of that skill.
        elo: its strength in the order-free fit. The mean of all engines is 0, unless an anchor is set.
        elo_error: half of the 95 % interval of ``elo``.
    """

    name: str
    mu: float | None
    sigma: float | None
    elo: float | None
    elo_error: float | None


class Database:
    """An open database, to read from. Use it in a ``with`` statement, or call `close`.

    All methods block for as long as the database takes: call them in a thread if an event loop runs. Each
    raises `StoreError` if the database cannot be read. Void games are in no table.
    """

    __slots__ = ("_store",)

    def __init__(self, store: Store) -> None:
        self._store = store

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the database."""
        self._store.close()

    def tournaments(self) -> tuple[TournamentInfo, ...]:
        """Return all tournaments, oldest first."""
        return self._store.tournaments()

    def results(self, tournament: str | None = None) -> tuple[GameResult, ...]:
        """Return the results of the games that count, in the order of the schedule.

        Args:
            tournament: only games of this tournament; None for all.

        Raises:
            ArenaError: there is no such tournament.
        """
        return tuple(
            result for result in self._store.results(tournament=self._known(tournament)) if result.counts
        )

    def game(self, number: int) -> GameRecord:
        """Return a whole game with its moves.

        Args:
            number: its number in the database, `GameResult.id`.

        Raises:
            ArenaError: there is no such game.
        """
        return NotebookGame.of(self._store.game(number))

    def standings(self, tournament: str | None = None) -> dict[str, tuple[Standing, ...]]:
        """Return the standings for each game id, best first: in a gauntlet by the score, else by points.

        Args:
            tournament: only games of this tournament; None for all.

        Raises:
            ArenaError: there is no such tournament.
        """
        from arena.tables.standings import standings

        tallies = self._store.tally(tournament=self._known(tournament))
        plan = None if tournament is None else Plan.stored(self._store.outline(tournament))
        order = "points" if plan is None else plan.format.order
        return NotebookTables({game: standings(counts, order) for game, counts in tallies.items()})

    def crosstable(self, tournament: str | None = None) -> dict[str, dict[tuple[str, str], Versus]]:
        """Return the score of each engine against each opponent, by (engine, opponent), for each game id.

        Args:
            tournament: only games of this tournament; None for all.

        Raises:
            ArenaError: there is no such tournament.
        """
        tallies = self._store.tally(tournament=self._known(tournament))
        return NotebookTables({game: versus(counts) for game, counts in tallies.items()})

    def ratings(self) -> dict[str, tuple[RatedEngine, ...]]:
        """Return the ratings for each game id over all tournaments, best first by mu - 3 sigma."""
        return NotebookTables({game: self._ratings(game) for game in self._store.tally()})

    def _ratings(self, game: str) -> tuple[RatedEngine, ...]:
        from arena.ratings.lists import elo_fit, rating_list
        from arena.tables.standings import standings

        games = self._store.tally(game=game)[game]
        rated = rating_list(self._store, game, games)
        fitted = elo_fit(self._store, rated)
        elo = {} if fitted is None else {strength.name: strength for strength in fitted.strengths}
        rows = []
        for standing in standings(rated.tally):
            rating, strength = rated.ratings.get(standing.name), elo.get(standing.name)
            rows.append(
                RatedEngine(
                    standing.name,
                    None if rating is None else rating.mu,
                    None if rating is None else rating.sigma,
                    None if strength is None else strength.elo,
                    None if strength is None else strength.error,
                )
            )
        return tuple(sorted(rows, key=_conservative, reverse=True))

    def _known(self, tournament: str | None) -> str | None:
        """Return the name of a tournament, or raise an ArenaError if the database has no such one."""
        names = [info.name for info in self.tournaments()]
        if tournament is not None and tournament not in names:
            there = ", ".join(map(ascii, names)) or "none yet"
            raise ArenaError(
                f"{self._store.address}: there is no tournament {tournament!a}; there are {there}"
            )
        return tournament


def _conservative(engine: RatedEngine) -> float:
    return float("-inf") if engine.mu is None or engine.sigma is None else engine.mu - 3 * engine.sigma


def open_database(address: str | PathLike[str]) -> Database:
    """Open the database of ``arena run`` or `arena.run_tournament`.

    Args:
        address: its file, or ``postgresql://USER@HOST/NAME``.

    Raises:
        StoreError: there is no such database, or arena did not make it.
        ValueError: it looks like an address on a server, but is not valid.
    """
    from arena.store import Store

    with _plain_errors():
        return Database(Store.open(read_address(address), create=False))
