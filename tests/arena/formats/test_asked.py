"""Asking a schedule for its next game: it changes no state, and it yields stages before their games."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from arena.formats.contest import ScheduleState
from arena.model import Pairing, Stage
from arena.ratings.sprt import Sprt
from tests.arena.formats.playing import ended, names, play, tournament

FORMATS: list[tuple[str, int, dict[str, Any]]] = [
    ("round-robin", 4, {}),
    ("gauntlet", 4, {"seeds": ("e0",)}),
    ("swiss", 5, {"rounds": 3}),
    ("knockout", 5, {}),
    ("match", 2, {"max_games": 12, "sprt": Sprt(0, 5)}),
    ("ladder", 4, {"max_games": 12}),
]


def first_in_the_file(pairing: Pairing) -> list[int]:
    return [1 + sum(other < name for other in pairing.seats) for name in pairing.seats]


def drawn(pairing: Pairing) -> list[int]:
    return [1] * len(pairing.seats)


@pytest.mark.parametrize(("form", "engines", "keys"), FORMATS)
def test_asking_a_schedule_changes_nothing_in_the_state(
    form: str, engines: int, keys: dict[str, Any]
) -> None:
    state = ScheduleState()
    pending = tournament(names(engines), form, **keys).schedule().pending(state)
    games = 0
    while True:
        before = deepcopy(state)
        found = next(pending, None)
        assert state == before
        if isinstance(found, Pairing):
            games += 1
            state.running[found.key] = found
        elif found is None:
            if not state.running:
                break
            pairing = state.running.pop(next(iter(state.running)))
            state.results[pairing.key] = ended(pairing, first_in_the_file(pairing))
    assert games >= 6


@pytest.mark.parametrize(
    ("form", "engines", "keys", "played", "stage"),
    [
        ("swiss", 4, {"rounds": 3}, 4, "round 2 of 3"),
        ("swiss", 4, {"rounds": 3}, 12, None),
        ("knockout", 4, {}, 4, "round 2 of 2"),
        ("match", 2, {"max_games": 8, "sprt": Sprt(0, 5)}, 4, None),
        ("match", 2, {"max_games": 8}, 4, None),
    ],
)
def test_a_tournament_that_goes_on_first_announces_its_stage(
    form: str, engines: int, keys: dict[str, Any], played: int, stage: str | None
) -> None:
    spec = tournament(names(engines), form, **keys)
    _, results = play(spec, drawn if form == "match" else first_in_the_file, until=played)
    assert len(results) == played
    found = next(spec.schedule().pending(ScheduleState.of(results)), None)
    assert (found.text if isinstance(found, Stage) else None) == stage


def test_a_stage_comes_before_its_games_and_takes_no_turn_from_them() -> None:
    spec = tournament(names(4), "swiss", games=("quoridor", "hops"), rounds=2)
    state = ScheduleState()
    said: list[str] = []
    for found in spec.schedule().pending(state):
        assert found is not None
        if isinstance(found, Stage):
            said.append(f"{found.game} {found.text}")
        else:
            said.append(found.game)
            state.results[found.key] = ended(found, first_in_the_file(found))
    rest = ["quoridor", "hops"] * 3
    for number in (1, 2):
        begin = [f"quoridor round {number} of 2", "quoridor", f"hops round {number} of 2", "hops"]
        assert said[10 * (number - 1) : 10 * number] == begin + rest
    assert len(said) == 20
