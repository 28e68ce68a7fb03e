"""Stages: one tournament after another, each in a format of its own, fed by the table of the one before.

The games of a stage are those that its format plays between the engines that the stage admits. Which these
are follows from the results of the stage before, so the stored games tell everything. The key of a game names
its stage: two engines may meet again in a later one. Numbers go on from stage to stage, and so do openings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import chain, zip_longest
from math import comb
from typing import Annotated, Any, Final, Literal

from arena.formats.contest import Contest, Entrants, Next, ScheduleState, Seating, first_opening
from arena.formats.format import (
    AdaptiveFormat,
    DrawKeys,
    Format,
    FormatTable,
    FormatView,
    Played,
    Setting,
    find_format,
)
from arena.formats.knockout import first_round
from arena.formats.ties import SEED, TIES, PoolTies, TableRow, common_values, ranked, totals
from arena.model import Pairing, Stage
from arena.scoring import EndedGame, contested, tally
from protocol.keys import NUMBER, Between, Change, DocumentedValue, Key, KeyTable, WrongKey, either
from protocol.words import printable
from referee import game as find_game

_TABLES: Final = ("round-robin", "gauntlet")
_POOLS: Final = ("format", ("round-robin",))
_SWISS: Final = ("format", ("swiss",))
_MATCHES: Final = ("format", ("knockout",))
_TIED: Final = ("format", (*_TABLES, "knockout"))
"""The formats with a table of points, and the conditions of keys."""

_TABLE_TIES: Final = ("direct", "sonneborn-berger")
_MATCH_TIES: Final = ("game", "time", "lot")
_BETWEEN: Final = ("time", "lot")
"""The usual tie-breaks of a table, those that a match can have, and those between pools."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageKeys(KeyTable):
    """``[[stages]]``: one stage."""

    name: Annotated[str | None, Key("Its name in tables.", default="`stage` and its number")] = None
    format: Annotated[
        Literal["round-robin", "gauntlet", "swiss", "knockout"],
        Key("Its format. In a gauntlet the first of its engines plays against the others."),
    ]
    engines: Annotated[
        int | None,
        Between(2, 10_000),
        Key(
            "How many engines of the stage before enter: all pool winners first, then the runners-up, and so"
            " on; the best ones if not all of a place fit.",
            default="all in the first stage, else needed",
        ),
    ] = None
    pools: Annotated[int, Between(1, 1000), Key("How many pools it has.", only=_POOLS)] = 1
    games_per_pairing: Annotated[int | None, NUMBER, Key("As at the top of the file.", default="`2`")] = None
    rounds: Annotated[int | None, NUMBER, Key("How many it has.", default="needed", only=_SWISS)] = None
    best_of: Annotated[
        int | None,
        Between(1, 1000),
        Key("Instead of `games_per_pairing`: this many games, or fewer if they decide it.", only=_MATCHES),
    ] = None
    third_place: Annotated[bool, Key("Whether the losers of semi-finals play for it.", only=_MATCHES)] = False
    ties: Annotated[
        tuple[str, ...] | None,
        DocumentedValue("list of " + ", ".join(f'`"{tie}"`' for tie in TIES)),
        Key(
            "What decides between engines with equal points, in order; see [Ties](formats/stages.md#ties).",
            default="see there",
            only=_TIED,
        ),
    ] = None

    def __str__(self) -> str:
        given = {name: getattr(self, name) for name in self.declarations()}
        return " ".join(f"{name}={value}" for name, value in given.items() if value not in (None, False))


@dataclass(frozen=True, slots=True, kw_only=True)
class StagesKeys(DrawKeys):
    """The keys of a tournament in stages."""

    stages: Annotated[
        tuple[StageKeys, ...],
        Key("The stages, one table each, see [Formats](#formats).", Change.NEVER, default="needed"),
    ] = ()

    def label(self, number: int) -> str:
        """The name of a stage, by its number from 1; "" after the last one."""
        if number > len(self.stages):
            return ""
        return printable(self.stages[number - 1].name or f"stage {number}")

    def sizes(self, engines: int) -> Iterator[tuple[StageKeys, int]]:
        """Yield each stage with the number of its engines, from the number in the file."""
        for stage in self.stages:
            engines = stage.engines or engines
            yield stage, engines

    def format_keys(self, stage: StageKeys, entrants: Entrants) -> KeyTable:
        """The keys of the format of a stage that these engines enter."""
        form = find_format(stage.format)
        table: type[KeyTable] = form.keys
        values = {name: getattr(stage, name) for name in stage.declarations()} | {"seed": self.seed}
        names = {field.name for field in fields(table)}  # type: ignore[arg-type]  # every table is a dataclass
        made = table(**{name: value for name, value in values.items() if name in names and value is not None})
        checked: KeyTable = form.checked(made, Setting({entrants.game: entrants.names}))
        return checked


class _Stages(AdaptiveFormat[StagesKeys]):
    name = title = "stages"
    keys = StagesKeys
    two_players = False
    decided_by = "format"
    keeps_places = True

    def checked(self, keys: StagesKeys, setting: Setting) -> StagesKeys:
        if not keys.stages:
            raise WrongKey(("format",), "a tournament in stages needs [[stages]], one for each stage")
        for game_id, names in setting.entrants.items():
            before = 0
            for place, (stage, engines) in enumerate(keys.sizes(len(names))):
                try:
                    _check_stage(stage, game_id, engines, before)
                    keys.format_keys(stage, _unknown_entrants(game_id, engines))
                except WrongKey as wrong:
                    raise WrongKey(("stages", place, *wrong.key), str(wrong)) from None
                before = engines
        return keys

    def next_games(self, keys: StagesKeys, contest: Contest, state: ScheduleState) -> Iterator[Next]:
        whole, names = contest.entrants, contest.entrants.names
        numbers = _numbers_per_stage(keys, whole)
        for number in range(1, len(keys.stages) + 1):
            first = (number - 1) * numbers  # of its games, and of its openings
            part = replace(contest.part(first, 1), first=first)
            stage = _stage_result(keys, number, whole, names, state.results)
            if not stage.over:
                yield Stage(whole.game, stage.rules.label)
                yield from stage.games(part, state)
            while not (stage := _stage_result(keys, number, whole, names, state.results)).over:
                yield from list(stage.deciding_games(part, state, numbers)) or (None,)
            names = stage.go_on

    def whole_results(self, keys: StagesKeys) -> bool:
        return any("time" in (stage.ties or ()) for stage in keys.stages)

    def most_games(self, keys: StagesKeys, entrants: Entrants) -> int:
        return sum(most for _, most in _needs(keys, entrants))

    def may_end_early(self, keys: StagesKeys) -> bool:
        return True

    def places(self, keys: StagesKeys, entrants: Entrants) -> int:
        return len(keys.stages) * _numbers_per_stage(keys, entrants)

    def is_over(self, keys: StagesKeys, entrants: Entrants, played: Played) -> bool:
        started = _started_stages(keys, entrants, played.results)
        return len(started) == len(keys.stages) and started[-1].over

    def text(self, keys: StagesKeys) -> str:
        return f"{self.title}: {', '.join(keys.label(number + 1) for number in range(len(keys.stages)))}"

    def stage_of(self, keys: StagesKeys, key: str) -> str:
        mark = re.search(r":([1-9][0-9]*)([.+])[0-9]+$", key)
        label = "" if mark is None else keys.label(int(mark[1]))
        return f"{label}, {TIES['game']}" if mark is not None and mark[2] == "+" else label

    def view(self, keys: StagesKeys, entrants: Entrants, played: Played) -> FormatView:
        started = _started_stages(keys, entrants, played.results)
        places: list[tuple[int, str]] = []
        for stage in reversed(started):
            names = {name for _, name in places}
            others = [(place, name) for place, name in stage.places if name not in names]
            ranks = [place for place, _ in others]
            places += [(len(names) + ranks.index(place) + 1, name) for place, name in others]
        return FormatView(
            {"stages": [stage.data() for stage in started]},
            parts=[view for stage in started for view in stage.views()],
            places=places,
            note="Order: the last stage that the engine reached, and its place there.",
        )


STAGES = _Stages()


def _check_stage(stage: StageKeys, game_id: str, engines: int, before: int) -> None:
    """Check a stage with this number of engines of a game id; ``before`` are in the stage before, if any."""
    players = find_game(game_id).info.players
    if not before and stage.engines is not None:
        raise WrongKey(("engines",), "all engines enter the first stage; remove this key")
    if before and stage.engines is None:
        raise WrongKey(("engines",), f"this key is missing: how many of the {before} engines before enter?")
    if before and engines > before:
        raise WrongKey(("engines",), f"only {before} engines of {game_id} are in the stage before")
    if players != 2 and find_format(stage.format).two_players:
        problem = f'{game_id} is for {players} players; {stage.format} is for games of two: use "round-robin"'
        raise WrongKey(("format",), problem)
    if engines < players * stage.pools:
        problem = f"{engines} engines of {game_id} are too few: a pool needs at least {players}"
        raise WrongKey(("pools",) if stage.pools > 1 else ("engines",), problem)
    if stage.best_of is not None and stage.games_per_pairing is not None:
        raise WrongKey(("best_of",), "the stage has games_per_pairing, too; keep one of the two")
    allowed = _MATCH_TIES if stage.format == "knockout" else tuple(TIES)
    for item, tie in enumerate(stage.ties or ()):
        if tie not in allowed:
            raise WrongKey(("ties", item), f"in a {stage.format} this must be {either(allowed)}, not {tie!a}")
        if tie == "game" and players != 2:
            raise WrongKey(("ties", item), f"{game_id} is for {players} players; a deciding game is for two")


def _needs(keys: StagesKeys, whole: Entrants) -> Iterator[tuple[int, int]]:
    """Yield how many numbers each stage needs, and how many games it has at most."""
    for stage, engines in keys.sizes(len(whole.names)):
        pool = _unknown_entrants(whole.game, -(-engines // stage.pools))
        form, format_keys = find_format(stage.format), keys.format_keys(stage, pool)
        pairs = comb(len(pool.names), 2)
        deciding = pairs if stage.format in _TABLES and "game" in (stage.ties or ()) else 0
        most = (form.most_games(format_keys, pool) or 0) + deciding
        yield stage.pools * (form.places(format_keys, pool) + deciding), stage.pools * most


def _numbers_per_stage(keys: StagesKeys, whole: Entrants) -> int:
    """How many numbers of games, and of openings, there are for each stage."""
    return max(numbers for numbers, _ in _needs(keys, whole))


def _unknown_entrants(game_id: str, count: int) -> Entrants:
    """Engines that are not known yet."""
    return Entrants(game_id, tuple(map(str, range(count))), find_game(game_id).info.players)


def _started_stages(
    keys: StagesKeys, whole: Entrants, results: Mapping[str, EndedGame]
) -> list[_StageResult]:
    """The stages that have started; the last one may lack games."""
    started = [_stage_result(keys, 1, whole, whole.names, results)]
    while started[-1].over and len(started) < len(keys.stages):
        started.append(_stage_result(keys, len(started) + 1, whole, started[-1].go_on, results))
    return started


# --- one stage


@dataclass(frozen=True, slots=True)
class _StageRules:
    """What the file says of a stage, and the engines that enter it, by their seeds."""

    keys: StageKeys
    format_keys: KeyTable
    label: str
    next_label: str
    lots: str  # what lots depend on, as in `common_values`
    names: tuple[str, ...]

    @property
    def form(self) -> Format[Any]:
        """The format of the stage."""
        return find_format(self.keys.format)

    @property
    def ties(self) -> Sequence[str]:
        """The tie-breaks of a pool."""
        return _TABLE_TIES if self.keys.ties is None else self.keys.ties

    @property
    def ties_between_pools(self) -> list[str]:
        """The tie-breaks between engines of different pools."""
        return [tie for tie in self.ties if tie in _BETWEEN]

    def dealt(self) -> list[tuple[str, ...]]:
        """The engines of each pool: they are dealt out forth and back."""
        pools: list[list[str]] = [[] for _ in range(self.keys.pools)]
        for place, name in enumerate(self.names):
            row, column = divmod(place, len(pools))
            pools[-1 - column if row % 2 else column].append(name)
        return list(map(tuple, pools))


@dataclass(frozen=True, slots=True)
class _PoolResult:
    """The engines of a pool, or of a stage without pools, with their games."""

    entrants: Entrants
    results: dict[str, EndedGame]
    complete: bool  # whether its format misses no game
    view: FormatView
    rows: list[TableRow]  # the best first
    missing: dict[str, Seating]  # the deciding games without a result, by key


def _pool_result(rules: _StageRules, entrants: Entrants, results: Mapping[str, EndedGame]) -> _PoolResult:
    """Rank the engines of a pool by its games, which are among the results."""
    mark, names, form, keys = f":{entrants.mark}", set(entrants.names), rules.form, rules.format_keys
    games = {
        key: result
        for key, result in results.items()
        if result.game == entrants.game
        and key.startswith(mark, key.rfind(":"))
        and names.issuperset(entrants.seats(key))
    }
    left = form.left(keys, entrants, frozenset(games))  # if games became void
    played = Played(len(games), games.values).without(left)
    complete = form.is_over(keys, entrants, played)
    view = form.view(keys, entrants, played)
    if view.places:
        return _PoolResult(entrants, games, complete, view, [TableRow(name) for _, name in view.places], {})
    scores = tally(games.values())
    ties = PoolTies(entrants, games, scores, results if complete else None, rules.lots)
    rows = totals(entrants.names, scores)
    in_order = ranked(rows, rules.ties, ties.values, by_score=form.order == "score")
    return _PoolResult(entrants, games, complete, view, in_order, ties.missing)


def _tiers(rules: _StageRules, pools: Sequence[_PoolResult]) -> list[list[TableRow]]:
    """The rows of each place in the pools, with what decided between the rows of one place.

    Rows of several pools are compared by the games that say how strong the engines are.
    """
    if len(pools) == 1:
        return [[row] for row in pools[0].rows]
    comparable = contested(result for pool in pools for result in pool.results.values())
    values = partial(common_values, results=comparable, lots=rules.lots)
    rows = totals(rules.names, tally(comparable))
    places = zip_longest(*([row.engine for row in pool.rows] for pool in pools))
    by_seed = [{name: rows[name] for name in rules.names if name in tier} for tier in places]
    return [ranked(tier, rules.ties_between_pools, values, by_score=True) for tier in by_seed]


def _admitted(
    following: StageKeys, tiers: Sequence[Sequence[TableRow]], pools: Sequence[_PoolResult]
) -> tuple[str, ...]:
    """The engines that go on. None of one pool meet in the first round, as far as exchanges help."""
    tier_of = {row.engine: place for place, tier in enumerate(tiers) for row in tier}
    order = list(tier_of)[: following.engines]
    pool_of = {name: pool for pool in pools for name in pool.entrants.names}
    pairs = first_round(len(order)) if following.format == "knockout" and len(pools) > 1 else []
    opponent = dict(pairs) | {lower: upper for upper, lower in pairs}

    def meets(place: int) -> bool:
        return place in opponent and pool_of[order[place]] is pool_of[order[opponent[place]]]

    for place in filter(meets, reversed(range(len(order)))):
        same = [other for other, name in enumerate(order) if tier_of[name] == tier_of[order[place]]]
        for other in sorted(same, key=lambda other: abs(other - place)):
            order[place], order[other] = order[other], order[place]
            if not meets(place) and not meets(other):
                break
            order[place], order[other] = order[other], order[place]
    return tuple(order)


def _stage_result(
    keys: StagesKeys,
    number: int,
    whole: Entrants,
    names: tuple[str, ...],
    results: Mapping[str, EndedGame],
) -> _StageResult:
    """Rank the engines that enter a stage by its games, which are among the results."""
    stage_keys = keys.stages[number - 1]
    format_keys = keys.format_keys(stage_keys, replace(whole, names=names))
    labels = keys.label(number), keys.label(number + 1)
    rules = _StageRules(stage_keys, format_keys, *labels, f"{keys.seed}:{number}.", names)
    pools = tuple(
        _pool_result(rules, Entrants(whole.game, dealt, whole.players, mark=f"{number}."), results)
        for dealt in rules.dealt()
    )
    tiers = _tiers(rules, pools)
    over = all(pool.complete and not pool.missing for pool in pools)
    go_on = _admitted(keys.stages[number], tiers, pools) if over and number < len(keys.stages) else ()
    return _StageResult(rules, pools, tiers, over, go_on)


@dataclass(frozen=True, slots=True)
class _StageResult:
    """A stage with the results of its games."""

    rules: _StageRules
    pools: tuple[_PoolResult, ...]
    tiers: list[list[TableRow]]
    over: bool  # whether no game is missing
    go_on: tuple[str, ...]  # the engines that enter the next stage

    def games(self, contest: Contest, state: ScheduleState) -> Iterator[Next]:
        """Yield the missing games that the format wants."""
        contests = [replace(contest, entrants=pool.entrants) for pool in self.pools]
        for item in self.rules.form.games(self.rules.format_keys, contests, state):
            yield Stage(item.game, f"{self.rules.label}, {item.text}") if isinstance(item, Stage) else item

    def deciding_games(self, contest: Contest, state: ScheduleState, numbers: int) -> Iterator[Pairing]:
        """Yield the missing games between engines with equal points, at the end of the stage's numbers."""
        for index, pool in enumerate(self.pools, 1):
            pool_contest = replace(contest, entrants=pool.entrants)
            for key, seating in pool.missing.items():
                if key not in state:
                    place = len(self.pools) * first_opening(seating.seats) + index
                    yield pool_contest.pairing(numbers - place, key, seating)

    @property
    def places(self) -> list[tuple[int, str]]:
        """The engines with their places; engines that lost in the same round share one."""
        rows = enumerate(chain.from_iterable(self.tiers), 1)
        return list(self.pools[0].view.places) or [(place, row.engine) for place, row in rows]

    def views(self) -> Iterator[FormatView]:
        """Yield what each pool shows, and each place in the pools of which only some engines go on."""
        rules, form = self.rules, self.rules.form
        points = "points a game" if form.order == "score" else "points"
        for number, pool in enumerate(self.pools, 1):
            title = f"{rules.label}, pool {number}" if len(self.pools) > 1 else rules.label
            view = pool.view
            if not view.places:
                view = FormatView(table=self._table(title, pool.rows, points, rules.ties))
            yield replace(view, title=f"{title}: {form.text(rules.format_keys)}")
        for place, tier in enumerate(self.tiers, 1):
            if 0 < sum(row.engine in self.go_on for row in tier) < len(tier):
                title = f"{rules.label}, the best of place {place}"
                points = "points a game against engines that played"
                yield FormatView(
                    title=title, table=self._table(title, tier, points, rules.ties_between_pools)
                )

    def _table(self, title: str, rows: Sequence[TableRow], points: str, ties: Sequence[str]) -> FormatTable:
        next_label = self.rules.next_label
        cells = [
            (str(place), name, str(games), f"{total:g}", by, next_label if name in self.go_on else "")
            for place, (name, games, total, by) in enumerate(rows, 1)
        ]
        headers = ("#", "engine", "games", "points", "decided by", "goes on to")
        order = ", ".join([points, *map(TIES.__getitem__, ties), SEED])
        return FormatTable("-".join(re.findall(r"\w+", title)), headers, tuple(cells), f"Order: {order}.")

    def data(self) -> dict[str, object]:
        """What it shows, for programs."""
        pools = [
            pool.view.data
            or {"table": [{"place": place, **row._asdict()} for place, row in enumerate(pool.rows, 1)]}
            for pool in self.pools
        ]
        head = {"stage": self.rules.label, "format": self.rules.form.name, "over": self.over}
        return {**head, "pools": pools, "go_on": self.go_on}
