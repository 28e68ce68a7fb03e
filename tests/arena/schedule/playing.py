"""Tournaments that are played out without engines: who wins follows from the game's key alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from arena.config import AdjudicationSpec, EngineEntry, TournamentSpec
from arena.model import GameResult, Pairing, PlayerRecord, Stage
from arena.opening_book import OpeningSpec
from arena.schedule import Next, ScheduleState, schedule
from arena.scoring import points
from protocol.spec import EngineSpec
from referee import Termination
from referee.match.time_control import TimeControl

Judge = Callable[[Pairing], Sequence[int]]
"""From a game to the ranks of its seats."""


def names(count: int) -> list[str]:
    return [f"e{number}" for number in range(count)]


def tournament(
    engines: Sequence[str], form: str, each: int = 2, games: tuple[str, ...] = ("quoridor",), **keys: Any
) -> TournamentSpec:
    entries = tuple(
        EngineEntry(EngineSpec(name, ("engine",)), TimeControl.parse("10"), games) for name in engines
    )
    usual: dict[str, Any] = {"openings": OpeningSpec(), "disabled": "lose"}
    return TournamentSpec(
        name="t",
        path=Path("/t.toml"),
        database=Path("/arena.db"),
        games=games,
        format=form,
        games_per_pairing=each,
        time_control="10",
        concurrency=1,
        affinity=False,
        seed=1,
        adjudication=AdjudicationSpec(),
        engines=entries,
        setup={},
        log=None,
        **usual | keys,
    )


def by_strength(strengths: Mapping[str, float], draws: float = 0.3) -> Judge:
    """Games that the stronger engine mostly wins; the same game always ends the same way."""

    def judge(pairing: Pairing) -> Sequence[int]:
        rng = Random(pairing.key)
        shown = [strengths.get(name, 0.0) + rng.gauss(0, 1) for name in pairing.seats]
        return [1 + sum(other > one + draws for other in shown) for one in shown]

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


def next_game(pending: Iterator[Next]) -> Pairing | None:
    """What a schedule hands out next, whatever stage it says that belongs to."""
    return next((found for found in pending if not isinstance(found, Stage)), None)


def play(
    spec: TournamentSpec,
    judge: Judge,
    stored: Sequence[GameResult] = (),
    *,
    at_once: int = 1,
    seed: int = 0,
    until: int | None = None,
) -> tuple[list[Pairing], list[GameResult]]:
    """Play what is missing, or so many games of it: what was handed out, and all results as they came.

    With several games at once it is chance, by the seed, which of them ends first.
    """
    rng = Random(seed)
    state = ScheduleState.of(stored)
    pending = schedule(spec).pending(state)
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


def keys(games: Sequence[Pairing | GameResult]) -> set[str]:
    return {game.key for game in games}
