"""Play tournaments without engines. The result of a game depends only on its key."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from arena.config import EngineEntry, TournamentSpec
from arena.formats.contest import Next, ScheduleState
from arena.formats.format import PairingKeys, find_format
from arena.formats.plan import Plan
from arena.formats.tune import TuneKeys, Tuning
from arena.model import GameResult, Pairing, PlayerRecord, Stage
from arena.openings.book import OpeningSpec
from arena.scoring import points
from protocol.spec import EngineSpec
from referee import Termination
from referee.match.adjudication import Adjudication
from referee.match.time_control import TimeControl

Judge = Callable[[Pairing], Sequence[int]]
"""Returns the ranks of a game's seats."""


def names(count: int) -> list[str]:
    return [f"e{number}" for number in range(count)]


def tournament(
    engines: Sequence[str], form: str, each: int = 2, games: tuple[str, ...] = ("quoridor",), **keys: Any
) -> TournamentSpec:
    entries = tuple(
        EngineEntry(EngineSpec(name, ("engine",)), TimeControl.parse("10"), games) for name in engines
    )
    usual: dict[str, Any] = {"openings": OpeningSpec(), "disabled": "lose"}
    table = find_format(form).keys
    own = {key: value for key, value in keys.items() if key in table.declarations()}
    if issubclass(table, PairingKeys):
        own["games_per_pairing"] = each
    return TournamentSpec(
        name="t",
        path=Path("/t.toml"),
        database=Path("/arena.db"),
        games=games,
        format=form,
        format_keys=table(**own),
        time_control="10",
        concurrency=1,
        affinity=False,
        seed=1,
        adjudication=Adjudication(),
        engines=entries,
        setup={},
        log=None,
        **usual | {key: value for key, value in keys.items() if key not in own},
    )


def plan(form: str, entrants: Mapping[str, Sequence[str]], **keys: Any) -> Plan:
    """The plan of a tournament."""
    found = find_format(form)
    return Plan(found, found.keys(**keys), {game: tuple(engines) for game, engines in entrants.items()})


def with_keys(spec: TournamentSpec, **changes: Any) -> TournamentSpec:
    """The tournament with other keys of its format."""
    return replace(spec, format_keys=replace(spec.format_keys, **changes))


def by_strength(strengths: Mapping[str, float], draws: float = 0.3) -> Judge:
    """Make a judge that mostly lets the stronger engine win, and always gives the same result for a game."""

    def judge(pairing: Pairing) -> Sequence[int]:
        rng = Random(pairing.key)
        performances = [strengths.get(name, 0.0) + rng.gauss(0, 1) for name in pairing.seats]
        return [1 + sum(better > own + draws for better in performances) for own in performances]

    return judge


def ended(pairing: Pairing, ranks: Sequence[int]) -> GameResult:
    scores = points(tuple(ranks), (None,) * len(ranks))
    players = tuple(
        PlayerRecord(name, "", rank, score, None, "10", 100, 0)
        for name, rank, score in zip(pairing.seats, ranks, scores, strict=True)
    )
    return GameResult(
        None, "t", pairing.number, pairing.key, pairing.game, Termination.NORMAL, "goal", "", 9, players
    )


def stalled(result: GameResult) -> GameResult:
    """The result if both engines had stalled at the start of the game."""
    stall = Termination.STALL
    players = tuple(replace(player, rank=1, points=0.0, forfeit=stall) for player in result.players)
    return replace(result, termination=stall, players=players)


def next_game(pending: Iterator[Next]) -> Pairing | None:
    """The next game of a schedule, or None. Stages are left out."""
    return next((item for item in pending if not isinstance(item, Stage)), None)


def play(
    spec: TournamentSpec,
    judge: Judge,
    stored: Sequence[GameResult] = (),
    *,
    at_once: int = 1,
    seed: int = 0,
    until: int | None = None,
) -> tuple[list[Pairing], list[GameResult]]:
    """Play the missing games of a tournament.

    Args:
        spec: the tournament.
        judge: decides the games.
        stored: the results so far.
        at_once: the number of games that run at the same time.
        seed: decides which of them ends first.
        until: the number of games after which to stop; None to play them all.

    Returns:
        The games in the order of the schedule, and all results in the order in which games ended.
    """
    rng = Random(seed)
    state = ScheduleState.of(stored)
    pending = spec.schedule().pending(state)
    handed: list[Pairing] = []
    while until is None or len(state.results) - len(stored) < until:
        while len(state.running) < at_once and (pairing := next_game(pending)) is not None:
            assert pairing.key not in state
            assert pairing.number not in {game.number for game in state.running.values()}
            state.running[pairing.key] = pairing
            handed.append(pairing)
        if not state.running:
            break
        pairing = state.running.pop(rng.choice(list(state.running)))
        state.results[pairing.key] = ended(pairing, judge(pairing))
    return handed, list(state.results.values())


def wrong_options(spec: TournamentSpec, results: Sequence[GameResult]) -> list[str]:
    """Return the games of a tuning whose options do not follow from the results of the steps before them."""
    (game,) = spec.games
    entrants = spec.plan.entrants(game)
    assert isinstance(spec.format_keys, TuneKeys)
    assert entrants is not None
    by_key = {result.key: result for result in results}
    tuning, table, wrong = Tuning(spec.format_keys, entrants), spec.format_keys.tune, []
    for step in range(table.steps):
        while tuning.steps <= step - table.parallel and tuning.move(by_key):
            pass
        sides = tuning.options(step)
        for key, options in zip(tuning.games(step), (sides, sides[::-1]), strict=True):
            players = by_key[key].players if key in by_key else ()
            for player, own in zip(players, options, strict=bool(players)):
                if not own.items() <= (player.options or {}).items():
                    wrong.append(f"game {key}: {player.name} has {player.options}, not {own}")
    return wrong


def keys(games: Sequence[Pairing | GameResult]) -> set[str]:
    return {game.key for game in games}


def check_that_it_goes_on(spec: TournamentSpec, judge: Judge, *, at_once: int, seed: int, until: int) -> None:
    """A run that stops after some games plays the same ones, when it goes on, as one that never stops."""
    whole, _ = play(spec, judge)
    _, stored = play(spec, judge, at_once=at_once, seed=seed, until=until)
    rest, results = play(spec, judge, stored, at_once=at_once)
    assert keys(results) == keys(whole)
    assert keys(rest) == keys(whole) - keys(stored)
    assert {game.key: game.number for game in results} == {game.key: game.number for game in whole}
