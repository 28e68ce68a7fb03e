"""An engine is tuned by pairs of games against itself, from a fixed part of the stored games alone."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from arena.config import TournamentSpec, load_values
from arena.errors import ConfigError
from arena.formats.contest import ScheduleState
from arena.formats.format import Played, VariedOption
from arena.formats.tune import TuneKeys, Tuning, tuned
from arena.model import GameResult, Pairing
from arena.openings.book import OpeningBook
from benchmarks.tune import WITHIN, farthest
from referee import Termination, game
from tests.arena.formats.playing import ended, keys, next_game, play

BEST = {"A": 70.0, "B": 0.2}
PARAMETERS = {
    "A": {"start": 10, "min": 0, "max": 100},
    "B": {"start": 0.5, "min": 0.0, "max": 1.0, "c_end": 0.2, "r_end": 0.05},
}


def tuning(steps: int = 60, parallel: int = 4, **values: Any) -> TournamentSpec:
    return load_values(
        {
            "game": "rodeurs",
            "format": "tune",
            "tune": {"steps": steps, "parallel": parallel, "parameters": PARAMETERS},
            "engines": [{"name": "e", "command": "sample:random", "options": {"C": 1}}],
        }
        | values
    )


def judge(pairing: Pairing) -> tuple[int, int]:
    """Let the side win that is nearer the best values; by chance if they are about as near."""
    first, second = (
        sum(abs(float(options[name]) - best) / PARAMETERS[name]["max"] for name, best in BEST.items())
        for options in pairing.options
    )
    return (1, 2) if first < second + Random(pairing.key).gauss(0, 0.2) else (2, 1)


def values_after(spec: TournamentSpec, results: list[GameResult]) -> Tuning:
    entrants = spec.plan.entrants("rodeurs")
    assert isinstance(spec.format_keys, TuneKeys)
    assert entrants is not None
    return tuned(spec.format_keys, entrants, ScheduleState.of(results).results)


def options(pairings: list[Pairing]) -> dict[str, tuple[Any, ...]]:
    return {pairing.key: pairing.options for pairing in pairings}


def test_both_options_come_within_5_percent_of_the_range_of_their_best_values() -> None:
    games, distance = farthest(1)
    assert games == 10_000
    assert distance <= WITHIN


@pytest.mark.slow
def test_19_of_20_seeds_come_near_the_best_values() -> None:
    assert sum(farthest(seed)[1] <= WITHIN for seed in range(1, 21)) >= 19


def test_a_step_is_a_pair_from_one_opening_with_values_on_both_sides_and_both_seats() -> None:
    spec = tuning(steps=10, openings={"kind": "random", "plies": 2})
    pairings, _ = play(spec, judge)
    assert [pairing.number for pairing in pairings] == list(range(20))
    for step, (first, second) in enumerate(zip(pairings[::2], pairings[1::2], strict=True)):
        assert (first.seats, second.seats) == (("e+", "e-"), ("e-", "e+"))
        assert (first.key, second.key) == (f"rodeurs:e+|e-:{step}", f"rodeurs:e-|e+:{step}")
        assert first.opening == second.opening
        assert first.options == second.options[::-1]
    first, _, other, *_ = pairings
    assert first.opening == OpeningBook(spec.openings, game("rodeurs")).opening(0) != other.opening
    (plus, minus) = first.options
    assert int(plus["A"]) != int(minus["A"])
    assert (float(plus["B"]) + float(minus["B"])) / 2 == pytest.approx(0.5)


@pytest.mark.parametrize("seed", range(4))
def test_the_values_of_a_step_depend_on_no_order_in_which_games_end(seed: int) -> None:
    spec = tuning()
    whole, results = play(spec, judge)
    others, other_results = play(spec, judge, at_once=7, seed=seed)
    assert options(others) == options(whole)
    assert keys(other_results) == keys(results)
    assert values_after(spec, other_results).path == values_after(spec, results).path


@pytest.mark.parametrize("at_once", [1, 5])
def test_it_goes_on_from_stored_games_alone_and_plays_none_twice(at_once: int) -> None:
    spec = tuning()
    whole, results = play(spec, judge)
    found = options(whole)
    stored: list[GameResult] = []
    for number in range(60):
        known = keys(stored)
        more, stored = play(spec, judge, stored, at_once=at_once, seed=number, until=7)
        assert not known & keys([game for game in more if game.key in known])
        assert options(more).items() <= found.items()
    assert keys(stored) == keys(whole)
    assert values_after(spec, stored).values == values_after(spec, results).values


def test_a_step_waits_for_all_that_are_as_many_earlier_as_may_run() -> None:
    spec = tuning(parallel=3)
    state = ScheduleState()
    pending = spec.schedule().pending(state)
    started = []
    while (pairing := next_game(pending)) is not None:
        state.running[pairing.key] = pairing
        started.append(pairing)
    assert len(started) == 6
    for pairing in started[2:]:
        state.results[pairing.key] = ended(state.running.pop(pairing.key), judge(pairing))
    assert next_game(pending) is None
    for pairing in started[:2]:
        state.results[pairing.key] = ended(state.running.pop(pairing.key), judge(pairing))
    for _ in range(6):
        pairing = next_game(pending)
        assert pairing is not None
        state.running[pairing.key] = pairing
    assert next_game(pending) is None


def test_each_pair_moves_a_value_towards_the_better_side_by_the_gains_of_fishtest() -> None:
    steps, c_end, r_end = 60, 0.2, 0.05
    parameter = {"start": 0.5, "min": -9.0, "max": 9.0, "c_end": c_end, "r_end": r_end}
    spec = tuning(tune={"steps": steps, "parallel": 1, "parameters": {"B": parameter}})
    pairs = [((1, 2), (2, 1)), ((2, 1), (1, 2)), ((1, 2), (1, 2)), ((1, 1), (2, 1)), ((2, 2), (2, 2))]
    leads = [2, -2, 0, 1, 0]  # of the side "+", in points
    pairings, results = play(spec, lambda pairing: pairs[pairing.number // 2 % 5][pairing.number % 2])
    path = values_after(spec, results).path
    directions = set()
    for step in range(steps):
        (before,), (after,) = path[step : step + 2]
        distance = float(pairings[2 * step].options[0]["B"]) - before
        c = c_end * (steps / (step + 1)) ** 0.101
        assert abs(distance) == pytest.approx(c, rel=1e-4)
        direction = 1 if distance > 0 else -1
        a = r_end * c_end**2 * (1.1 * steps) ** 0.602 / (0.1 * steps + step + 1) ** 0.602
        assert after - before == pytest.approx(direction * a / c * leads[step % 5])
        directions.add(direction)
    assert directions == {1, -1}


def test_whole_numbers_are_rounded_by_chance_and_another_seed_gives_other_options() -> None:
    parameters = {"A": {"start": 10, "min": 0, "max": 100, "c_end": 0.6}}
    spec, other = (tuning(tune={"steps": 60, "parameters": parameters}, seed=seed) for seed in (1, 2))
    pairings, _ = play(spec, lambda _: (1, 1))
    for side in (0, 1):
        assert {pairing.options[side]["A"] for pairing in pairings[::2]} == {"9", "10", "11"}
    assert options(play(other, lambda _: (1, 1))[0]) != options(pairings)


def test_values_and_options_stay_within_the_bounds_and_whole_numbers_whole() -> None:
    spec = tuning()
    pairings, results = play(spec, lambda pairing: (1, 2) if pairing.seats[0] == "e+" else (2, 1), at_once=4)
    for pairing in pairings:
        for side in pairing.options:
            assert 0 <= int(side["A"]) <= 100
            assert 0.0 <= float(side["B"]) <= 1.0
            assert "." in side["B"]
    assert all(0 <= a <= 100 and 0 <= b <= 1 for a, b in values_after(spec, results).path)


def test_games_that_a_disabled_engine_did_not_play_move_nothing() -> None:
    spec = tuning()
    state = ScheduleState(disabled=["e-"])
    assert next_game(spec.schedule().pending(state)) is None
    results = play(spec, lambda pairing: (1, 2) if pairing.seats[0] == "e+" else (2, 1), until=2)[1]
    assert values_after(spec, results).values != {"A": 10, "B": 0.5}
    lost = [_unplayed(result) for result in results]
    assert values_after(spec, lost).values == {"A": 10, "B": 0.5}


def _unplayed(result: GameResult) -> GameResult:
    players = tuple(replace(player, forfeit=Termination.DISABLED) for player in result.players)
    return replace(result, termination=Termination.DISABLED, players=players)


def test_it_shows_the_values_their_paths_and_the_options_for_a_file() -> None:
    spec = tuning()
    results = play(spec, judge)[1]
    played = Played(len(results), lambda: results)
    assert spec.plan.is_over("rodeurs", played)
    view = spec.plan.view("rodeurs", played)
    data = view.data["tune"]
    a, b = values_after(spec, results).values.values()
    assert data["options"] == {"A": str(round(a)), "B": f"{b:.6g}"}
    assert view.title == "e: 60 of 60 steps"
    assert view.table is not None
    assert view.table.name == "parameters"
    assert [dict(zip(view.table.headers, row, strict=True)) for row in view.table.rows] == [
        {"#": "1", "parameter": "A", "value": str(round(a)), "start": "10", "min": "0", "max": "100"},
        {"#": "2", "parameter": "B", "value": f"{b:.6g}", "start": "0.5", "min": "0", "max": "1"},
    ]
    assert data["paths"] == {curve.name: curve.points for curve in view.curves}
    assert [(curve.name, curve.span) for curve in view.curves] == [("A", (0, 100)), ("B", (0.0, 1.0))]
    assert [len(curve.points) for curve in view.curves] == [61, 61]
    assert (data["steps"], data["of"], data["options"].keys()) == (60, 60, {"A", "B"})
    assert view.remark == f'options = {{ "A" = {data["options"]["A"]}, "B" = {data["options"]["B"]} }}'
    assert [curve.points[0] for curve in view.curves] == [(0, 10), (0, 0.5)]
    assert [curve.points[-1][0] for curve in view.curves] == [60, 60]
    assert not spec.plan.is_over("rodeurs", Played(118, lambda: results[:-2]))


def test_a_long_path_is_shown_by_a_few_hundred_points_with_its_end() -> None:
    found = values_after(tuning(steps=5000, engines=[ENGINE | {"name": "eve"}]), [])
    found.steps, found.path = 4999, [(step, 0.5) for step in range(5000)]
    assert found.view().title == "eve: 4999 of 5000 steps"
    points = found.view().curves[0].points
    assert 300 <= len(points) <= 320
    assert (points[0], points[-1]) == ((0, 0), (4999, 4999))


def test_its_keys_say_what_an_engine_must_take_and_how_many_games_there_are() -> None:
    spec = tuning()
    assert isinstance(spec.format_keys, TuneKeys)
    assert list(spec.plan.format.varied(spec.format_keys)) == [
        VariedOption("A", ("tune", "parameters", "A"), ("100", "0")),
        VariedOption("B", ("tune", "parameters", "B"), ("1.0", "0.0")),
    ]
    assert spec.plan.most_games("rodeurs") == 120
    a = "A: start=10 min=0 max=100 c_end=10.0 r_end=0.5"
    b = "B: start=0.5 min=0.0 max=1.0 c_end=0.2 r_end=0.05"
    assert str(spec.format_keys.tune) == f"60 steps, 4 parallel; {a}; {b}"


@pytest.mark.parametrize(
    ("parameter", "c_end"),
    [
        ({"start": 10, "min": 10, "max": 60}, 5.0),
        ({"start": 2, "min": 0, "max": 2}, 0.5),
        ({"start": 0.5, "min": 0, "max": 1}, 0.1),
        ({"start": 1, "min": 0, "max": 90, "c_end": 0.5}, 0.5),
    ],
)
def test_the_sides_are_a_tenth_of_the_range_away_unless_the_file_says_more(
    parameter: dict[str, Any], c_end: float
) -> None:
    spec = tuning(tune={"steps": 60, "parameters": {"A": parameter}})
    assert isinstance(spec.format_keys, TuneKeys)
    read = spec.format_keys.tune.parameters["A"]
    assert (read.c_end, read.r_end) == (c_end, 30 / 60)


def test_its_games_are_not_rated() -> None:
    assert tuning().settings()["rated"] == "no"


ONE = {"A": {"start": 1, "min": 0, "max": 9}}
ENGINE = {"name": "e", "command": "sample:random"}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({}, "[tune] parameters: no parameter is here; add e.g. Weight = {"),
        ({"A": {"start": 1, "min": 9, "max": 0}}, "A.max: this must be greater than min, 9, not 0"),
        ({"A": {"start": 9, "min": 9, "max": 9}}, "[tune] parameters.A.max: this must be greater than min"),
        ({"A": {"start": 1, "min": 0, "max": 10**10}}, "A.max: this must be a number from"),
        ({"A": {"start": 12, "min": 0, "max": 9}}, "A.start: this must be from min, 0, to max, 9, not 12"),
        ({"A": {"start": 1, "min": 0}}, "A: the max is missing"),
        ({"A": {"start": True, "min": 0, "max": 9}}, "A.start: this must be a number from"),
        ({"A": ONE["A"] | {"c_end": 0.4}}, "A.c_end: for whole numbers this must be at least 0.5, not 0.4"),
        ({"A": ONE["A"] | {"c_end": -1}}, "A.c_end: this must be more than 0"),
        ({"A": ONE["A"] | {"cend": 1}}, "A.cend: there is no such key; did you mean c_end?"),
        ({" ": ONE["A"]}, "parameters. : an option's name must be one printable line"),
    ],
)
def test_parameters_that_do_not_fit_are_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        tuning(tune={"parameters": wrong})
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"games": ["hops", "rodeurs"]}, "format: an engine is tuned in one game"),
        ({"game": "rodeurs", "engines": [ENGINE, ENGINE]}, "one engine plays itself, but the file has 2"),
        ({"game": "rodeurs", "engines": []}, "one engine plays itself, but the file has 0"),
    ],
)
def test_one_engine_is_tuned_in_one_game(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_values({"format": "tune", "tune": {"parameters": ONE}, "engines": [ENGINE]} | values)
    assert message in str(caught.value)
