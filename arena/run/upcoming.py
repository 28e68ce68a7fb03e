"""The next games of a tournament: one by one for a run, and as a forecast of a run that plays nothing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice
from math import inf
from random import Random
from typing import TYPE_CHECKING, Final

import trio

from arena.config import EngineEntry, TournamentSpec
from arena.config.spec import games_key
from arena.errors import ChangedSettings, MissingDatabase, OpeningError
from arena.events import Notice
from arena.formats.contest import Next, Past, ScheduleState
from arena.formats.format import UNTIL_RAISED, DrawKeys, LengthKeys
from arena.formats.plan import Plan
from arena.model import Pairing, Stage
from arena.scoring import GameScoreCounts, tally
from referee.match.job import Job, JobSeat
from referee.match.time_control import TimeControl

if TYPE_CHECKING:
    from arena.store import Store


_END: Final = Stage("", "")  # the end of the schedule


async def next_item(games: Iterator[Next]) -> Next:
    """Return what the schedule yields next, which may take long; a thread is abandoned if the run stops."""
    return await trio.to_thread.run_sync(next, games, _END, abandon_on_cancel=True)


class Upcoming:
    """The games that the schedule still wants; `refused` is the error of an opening that has ended it."""

    def __init__(
        self,
        spec: TournamentSpec,
        state: ScheduleState,
        observe: Callable[[Stage], None],
    ) -> None:
        self._state = state
        self._observe = observe
        self.change(spec)

    def change(self, spec: TournamentSpec) -> None:
        """Ask the schedule of the changed tournament from now on."""
        self._spec = spec
        self._pending = spec.schedule().pending(self._state)
        self._ended = False
        self._resting: set[str] = set()
        self.refused: OpeningError | None = None

    async def next(self) -> Pairing | None:
        """Return the next game; None if there is none now."""
        try:
            while isinstance(item := await next_item(self._pending), Stage):
                if item is _END:
                    self._ended = True
                    return None
                if item.rests:
                    self._resting.add(item.game)
                self._observe(item)
        except OpeningError as error:  # this has ended the schedule: from now on it yields nothing
            self.refused = error
            return None
        return item

    def rest(self) -> None:
        """Report of each game id that it rests, if its format has not reported why."""
        plan, played = self._spec.plan, len(self._state.results)
        limited = isinstance(plan.keys, LengthKeys) and plan.most is not None and played >= plan.most
        why = UNTIL_RAISED if limited else "no game is left to play"
        for game_id in self._spec.games:
            if game_id not in self._resting:
                self._resting.add(game_id)
                self._observe(Stage(game_id, f"rests: {why}", rests=True))

    @property
    def decided(self) -> bool:
        """Whether a test has ended a match before its last game."""
        plan = self._spec.plan
        known = len(self._state.results) + len(self._state.running)
        fewer = plan.most is None or known < plan.most
        return self._ended and plan.format.may_end_early(plan.keys) and fewer


ASSUMED_MOVES = 40  # the moves of each engine in a game, for an estimate before the first game


@dataclass(frozen=True, slots=True)
class Forecast:
    """The games that a run would play.

    ``total`` is None if it is not known, and ``most`` if there is no limit that is known. ``notices`` are
    as in `OpenedTournament`. ``game_seconds`` is the mean duration of the stored games, else the longest
    duration of a game with `ASSUMED_MOVES` moves of each engine, else None.
    """

    total: int | None
    most: int | None
    stored: int
    first: tuple[Pairing, ...]
    game_seconds: float | None
    notices: tuple[Notice, ...] = ()

    @property
    def left(self) -> int | None:
        """The largest number of games to play; None if it is not known."""
        return None if self.most is None else max(self.most - self.stored, 0)


def forecast(spec: TournamentSpec, most: int) -> Forecast:
    """Return what a run would play, with the first ``most`` games. This plays and stores nothing."""
    before = stored_before(spec)
    plan, seconds = before.spec.schedule(), before.game_seconds
    first = tuple(islice(next_games(before.spec, before.state), most))
    if seconds is None and first:
        seconds = _longest(before.spec, first[0])
    return Forecast(plan.total, plan.most, before.scores.total(), first, seconds, before.notices)


@dataclass(frozen=True, slots=True)
class OpenedTournament:
    """A tournament as it goes on after its stored games.

    ``scores`` are of the stored games that count, and ``notices`` are what the user should know before
    it goes on. ``game_seconds`` is the mean duration of the stored games; None if it is not known.
    """

    spec: TournamentSpec
    state: ScheduleState
    scores: GameScoreCounts
    notices: tuple[Notice, ...]
    game_seconds: float | None = None


def stored_before(spec: TournamentSpec) -> OpenedTournament:
    """Return a tournament as it would go on, without a run."""
    from arena.store import Store

    try:
        store = Store.open(spec.database, create=False)
    except MissingDatabase:
        return opened(None, spec, "")
    with closing(store):
        if spec.name in {info.name for info in store.tournaments()}:
            store.check_settings(spec.name, spec.settings())
        tournament = opened(store, spec, store.outline(spec.name))
        return replace(tournament, game_seconds=store.mean_duration(spec.name))


def opened(store: Store | None, spec: TournamentSpec, outline: str) -> OpenedTournament:
    """Return a tournament as it goes on. This stores nothing.

    ``outline`` is the stored plan of the last run; "" if there is none. ``store`` is None if there is no
    database yet. ChangedSettings: the stored games forbid a change of the file.
    """
    state, scores = stored_state(store, spec)
    spec = drawn(store, spec.after(outline, state), state)
    return OpenedTournament(spec, state, scores, tuple(_notices(spec, outline, state, scores)))


def _notices(
    spec: TournamentSpec, outline: str, state: ScheduleState, scores: GameScoreCounts
) -> Iterator[Notice]:
    plan, before = spec.plan, Plan.stored(outline)
    if (text := spec.repeats()) and (plan.most is None or scores.total() < plan.most):
        yield Notice(spec.name, text)
    if before is None:
        return
    if spec.door is None:  # a participant may take an engine back
        yield from _departed(spec, before, scores)
    others = before.names != plan.names
    if others and state.results and not (plan.format.keeps_places or plan.format.rereads):
        text = (
            f"the file has other engines than before, so the {plan.format.title} is paired again;"
            " games count again where the same two engines meet"
        )
        yield Notice(spec.name, text, warning=False)


def _departed(spec: TournamentSpec, before: Plan, scores: GameScoreCounts) -> Iterator[Notice]:
    """Yield a warning for each engine that has left the file, and whose stored games stay."""
    now = {entry.spec.name for entry in spec.engines}
    counts = Counter({name: 0 for names in before.names.values() for name in names if name not in now})
    for game_score, number in scores.items():
        for name in counts.keys() & {seat.name for seat in game_score}:
            counts[name] += number
    for name, number in counts.items():
        if number:
            stay = "game stays" if number == 1 else "games stay"
            text = f"it is no longer in the file; its {number} stored {stay} in the tables"
            yield Notice(name, text)


def drawn(store: Store | None, spec: TournamentSpec, state: ScheduleState) -> TournamentSpec:
    """Draw the engines of each game id without a result, if the format draws them; the plan keeps the draw.

    ChangedSettings: other engines have entered an id since it was drawn.
    """
    plan, past = spec.plan, dict(spec.past)
    if not isinstance(plan.keys, DrawKeys):
        return spec
    played = {result.game for result in state.results.values()}
    for game_id, names in plan.names.items():
        if game_id in played:
            if others := set(names) ^ set(past.get(game_id, Past(names)).names):
                raise ChangedSettings(
                    f"{spec.label}: the engines of {game_id} are drawn, so they must stay the same, but"
                    f" {', '.join(sorted(others))} came or left; set [[engines]] back, or give the tournament"
                    " another name"
                )
            continue
        order = list(names)
        if plan.keys.draw == "random":
            Random(f"{spec.seed}:draw").shuffle(order)
        elif plan.keys.draw == "rating" and store is not None:
            order.sort(key=_strengths(store, game_id).__getitem__, reverse=True)
        past[game_id] = Past(tuple(order))
    return replace(spec, past=past)


def _strengths(store: Store, game_id: str) -> defaultdict[str, float]:
    """Return the conservative ratings; an engine without one is weaker than all others."""
    from arena.ratings.lists import rating_list

    ratings = rating_list(store, game_id, store.tally(game=game_id).get(game_id, Counter())).ratings
    return defaultdict(lambda: -inf, {name: rating.conservative for name, rating in ratings.items()})


def next_games(spec: TournamentSpec, state: ScheduleState) -> Iterator[Pairing]:
    """Yield the next games, as if no game ended meanwhile; add them to ``state`` as running games."""
    for item in spec.schedule().pending(state):
        if item is None:
            return
        if not isinstance(item, Stage):
            state.running[item.key] = item
            yield item


def new_job(spec: TournamentSpec, pairing: Pairing, entries: Sequence[EngineEntry]) -> Job:
    """Return the order to play a game; ``entries`` are its engines in seat order."""
    specs = [entry.spec for entry in entries]
    if pairing.options:
        specs = [
            replace(spec, options={**spec.options, **own})
            for spec, own in zip(specs, pairing.options, strict=True)
        ]
    controls = [str(entry.time_control) for entry in entries]
    return Job(
        id=str(pairing.number + 1),
        game=pairing.game,
        seats=tuple(map(JobSeat, specs, controls)),
        position=pairing.opening.position,
        moves=pairing.opening.moves,
        adjudication=spec.adjudication,
        log=None if spec.log is None else str(spec.log),
        log_lost=spec.log_lost or 0,
        forgive=spec.forgive,
        seed=f"{spec.seed} {pairing.key}",
    )


def _longest(spec: TournamentSpec, pairing: Pairing) -> float | None:
    """Return how many seconds a game takes if each engine uses all its time; None without a limit of time."""
    entries = {entry.spec.name: entry for entry in spec.engines}
    times = [_most_time(entries[name].time_control) for name in pairing.seats]
    return None if None in times else sum(time for time in times if time is not None) / 1e9


def _most_time(control: TimeControl) -> int | None:
    """Return the most nanoseconds that an engine can use in `ASSUMED_MOVES` moves; None for no limit."""
    if control.movetime_ns is not None:
        return ASSUMED_MOVES * control.movetime_ns
    if control.base_ns is None:
        return None
    sessions = 1 if control.moves is None else -(-ASSUMED_MOVES // control.moves)
    return sessions * control.base_ns + ASSUMED_MOVES * control.increment_ns


def stored_state(store: Store | None, spec: TournamentSpec) -> tuple[ScheduleState, GameScoreCounts]:
    """Return the state of the stored games of a tournament, and the scores of those that count.

    ChangedSettings: a game that has stored games is not in the file any more.
    """
    games: GameScoreCounts = Counter()
    if store is None:
        return ScheduleState(), games
    form = spec.plan.format
    if not form.by_results:
        state = ScheduleState(stored=store.finished(spec.name))
        tallies = store.tally(tournament=spec.name)
        for counts in tallies.values():
            games.update(counts)
        played = tuple(tallies)
    else:
        endings = spec.plan.games(store, spec.name)
        games = tally(endings)
        state = ScheduleState.of(endings)
        played = tuple(dict.fromkeys(ending.game for ending in endings))
    if not set(played) <= set(spec.games):
        raise ChangedSettings(
            f"{store.address}: tournament {spec.name!r} was started with {games_key(played)} ="
            f" {', '.join(played)}, and now it is {', '.join(spec.games)}; set it back, or give the"
            " tournament another name"
        )
    state.numbers = store.numbers(spec.name)
    state.programs = spec.programs
    if form.decided_by == "ratings":
        from arena.ratings.settings import ListSettings

        texts = {game: store.rating_lists.settings(game) for game in spec.games}
        state.models = {
            game: ListSettings.of(text).model_for(game, Counter()) for game, text in texts.items()
        }
    return state, games
