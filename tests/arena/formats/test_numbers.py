"""The numbers of games: a number belongs to one game for ever, whatever becomes of the tournament."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from arena.config import TournamentSpec
from arena.formats.contest import ScheduleState
from arena.formats.format import DrawKeys, find_format, format_names
from arena.formats.tune import Parameter, TuneTable
from arena.model import Pairing
from tests.arena.formats.playing import ended, names, next_game, tournament
from tests.seeds import seeds


def first_wins(pairing: Pairing) -> list[int]:
    return [1 + (name != min(pairing.seats)) for name in pairing.seats]


def step(spec: TournamentSpec, state: ScheduleState, rng: Random, games: int) -> list[Pairing]:
    """Start and end games at random; return those that were started."""
    pending = spec.schedule().pending(state)
    began = []
    for _ in range(games):
        if len(state.running) < 3 and (game := next_game(pending)) is not None:
            state.running[game.key] = game
            state.numbers[game.number] = game.key
            began.append(game)
        elif state.running:
            game = state.running.pop(rng.choice(list(state.running)))
            if rng.random() > 0.2:  # otherwise it is void
                state.results[game.key] = ended(game, first_wins(game))
    return began


def own_keys(form: str, engines: Sequence[str], rng: Random) -> dict[str, Any]:
    if form in ("ladder", "match"):
        return {"max_games": rng.randint(20, 40)}
    if form == "place":
        return {"max_games": 40, "strengths": {name: 100.0 * place for place, name in enumerate(names(9))}}
    if form == "tune":
        parameter = Parameter(start=1, min=0, max=9, c_end=1, r_end=0.1)
        return {"tune": TuneTable(steps=20, parameters={"A": parameter})}
    keys: dict[str, Any] = {"each": rng.randint(2, 4)}
    if form == "gauntlet":
        keys["seeds"] = tuple(rng.sample(list(engines), rng.randint(1, 2)))
    return keys | ({"rounds": rng.randint(3, 5)} if form == "swiss" else {})


@pytest.mark.parametrize("games", [("quoridor",), ("hops", "quoridor")])
@pytest.mark.parametrize(
    "form", [one for one in format_names() if not issubclass(find_format(one).keys, DrawKeys)]
)
@pytest.mark.parametrize("seed", seeds(4))
def test_one_number_is_one_game_also_when_engines_come_and_go(
    form: str, games: tuple[str, ...], seed: int
) -> None:
    rng = Random(seed)
    state = ScheduleState()
    given: dict[int, str] = {}
    spec = None
    for _ in range(6):
        engines = rng.sample(names(9), 2 if form in ("match", "tune") else rng.randint(4, 7))
        new = tournament(engines, form, games=games, **own_keys(form, engines, rng))
        spec = new if spec is None else new.after(spec.plan.encode(), state)
        for game in step(spec, state, rng, 30):
            assert given.setdefault(game.number, game.key) == game.key
            assert set(game.seats) <= set(engines)
        if rng.random() < 0.5:  # a new run, which knows the stored games, also void ones
            state = replace(state, running={}, numbers=dict(given))
    assert len(given) > 15


def test_the_games_of_a_tournament_that_does_not_change_are_numbered_by_their_places() -> None:
    state = ScheduleState()
    began = step(tournament(names(5), "round-robin"), state, Random(1), 100)
    first = list(dict.fromkeys(game.number for game in began))
    assert first == list(range(20))


def test_a_game_whose_place_is_taken_has_the_next_free_number_on_every_machine() -> None:
    old = list(tournament(names(3), "round-robin").schedule().pending(ScheduleState()))
    stored = {game.key: ended(game, first_wins(game)) for game in old}
    more = tournament(names(4), "round-robin")
    new = list(more.schedule().pending(ScheduleState(dict(stored))))
    assert len(new) == 6
    assert {game.number for game in new}.isdisjoint(range(6))
    assert max(game.number for game in new) < 24
    for done in new:  # each machine finds the same numbers, whichever results it has
        known = stored | {done.key: ended(done, first_wins(done))}
        left = list(more.schedule().pending(ScheduleState(known)))
        assert left == [game for game in new if game is not done]
