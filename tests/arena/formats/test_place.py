"""An engine is placed by pairs against near opponents, until its strength is known, from stored games."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from arena.config import TournamentSpec, load_values
from arena.errors import ConfigError
from arena.formats.format import Played
from arena.model import GameResult, Pairing
from arena.strength.interval import expected_score
from referee import Termination
from tests.arena.formats.playing import Judge, keys, play, tournament

STRENGTHS = {f"e{number}": 200.0 * number for number in range(1, 9)}


THREE = [{"name": name, "command": "sample:random"} for name in "abc"]


def placing(**keys: Any) -> TournamentSpec:
    return tournament(["e0", *STRENGTHS], "place", **{"strengths": STRENGTHS, "within": 100.0} | keys)


def strong(elo: float, seed: int = 0) -> Judge:
    """Judge the games of an engine that is worth so much."""

    def judge(pairing: Pairing) -> tuple[int, int]:
        first, second = (elo if name == "e0" else STRENGTHS[name] for name in pairing.seats)
        wins = Random(f"{seed} {pairing.key}").random() < expected_score(first - second, 0)
        return (1, 2) if wins else (2, 1)

    return judge


def seen(spec: TournamentSpec, results: list[GameResult]) -> dict[str, Any]:
    """Return what the format shows for programs."""
    found = spec.plan.view("quoridor", Played(len(results), lambda: results)).data["place"]
    assert isinstance(found, dict)
    return found


def test_a_place_ends_when_the_strength_is_known_and_says_place_elo_points_and_cost() -> None:
    spec = placing()
    _, results = play(spec, strong(900))
    assert spec.plan.is_over("quoridor", Played(len(results), lambda: results))
    found = seen(spec, results)
    assert found["known"]
    assert found["high"] - 100 <= found["elo"] <= found["low"] + 100
    assert found["low"] < 900 < found["high"]
    assert (found["place"], found["of"], found["games"]) == (5, 9, len(results))
    assert sum(row["games"] for row in found["opponents"]) == len(results) < 200
    points = [player.points for game in results for player in game.players if player.name == "e0"]
    assert sum(row["points"] for row in found["opponents"]) == sum(points)
    unplayed = [replace(game, termination=Termination.DISABLED) for game in results]
    assert seen(spec, unplayed)["games"] == 0
    rungs = [row["reached"] for row in found["opponents"]]
    assert (rungs[:5], rungs[-1]) == ([False] * 5, True)


def test_opponents_far_away_play_few_games_and_both_seats_play_each_opening() -> None:
    _, results = play(placing(), strong(900))
    counts = {row["engine"]: row["games"] for row in seen(placing(), results)["opponents"]}
    assert counts["e4"] + counts["e5"] > len(results) / 2
    assert counts["e1"] == counts["e8"] == 0
    openings = [
        (frozenset(seats), key.rpartition(":")[2])
        for key in keys(results)
        for seats in [key.split(":")[1].split("|")]
    ]
    assert all(openings.count(opening) == 2 for opening in openings)


@pytest.mark.parametrize("at_once", [1, 3])
def test_it_goes_on_from_stored_games_alone(at_once: int) -> None:
    spec = placing()
    whole = play(spec, strong(500))[1]
    stored: list[GameResult] = []
    for number in range(200):
        stored = play(spec, strong(500), stored, at_once=at_once, seed=number, until=7)[1]
        if seen(spec, stored)["known"]:
            break
    assert not play(spec, strong(500), stored)[0]
    numbers = sorted(result.number for result in stored)
    assert len(set(numbers)) == len(numbers)
    assert at_once > 1 or numbers == list(range(len(numbers)))
    assert abs(len(stored) - len(whole)) <= 60
    if at_once == 1:
        assert keys(stored) == keys(whole)


def test_games_after_the_end_change_nothing() -> None:
    spec = placing()
    results = play(spec, strong(900))[1]
    longer = play(placing(within=50.0), strong(900))[1]
    assert seen(spec, results) == seen(spec, longer)


def test_it_ends_at_the_limit() -> None:
    spec = placing(within=10.0, max_games=40)
    results = play(spec, strong(300), at_once=4)[1]
    assert len(results) == 40
    assert spec.plan.is_over("quoridor", Played(40, lambda: results))
    assert not spec.plan.is_over("quoridor", Played(39, lambda: results[:39]))
    assert spec.plan.format.may_end_early(spec.format_keys)
    assert not seen(spec, results)["known"]


def test_the_interval_of_twenty_engines_holds() -> None:
    held = 0
    for engine in range(20):
        elo = 80.0 * engine
        results = play(placing(), strong(elo, engine))[1]
        found = seen(placing(), results)
        held += (found["low"] or -1e9) <= elo <= (found["high"] or 1e9)
    assert held >= 19


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({}, "format: 'b' has no Elo here, so its games say nothing; add it, or remove the engine"),
        ({"strengths": {"b": 1, "z": 2}}, "[strengths] z: there is no opponent 'z'"),
        ({"strengths": {"b": 1, "be": 2}}, "[strengths] be: there is no opponent 'be'; did you mean b?"),
        ({"strengths": {"b": 1}, "engines": THREE}, "strengths: 'c' has no Elo here"),
        ({"strengths": {"b": 1e9}}, "[strengths] b: this must be from -10000 to 10000, not 1e+09"),
        ({"strengths": {"b": 1}, "max_games": 7}, "max_games: an engine is placed by pairs of games"),
        ({"strengths": {"b": 1}, "games": ["hops", "rodeurs"]}, "format: an engine is placed in one game"),
    ],
)
def test_a_scale_that_does_not_fit_is_refused(wrong: dict[str, Any], message: str) -> None:
    engines = [{"name": name, "command": "sample:random"} for name in "ab"]
    game = {} if "games" in wrong else {"game": "hops"}
    with pytest.raises(ConfigError) as caught:
        load_values({**game, "format": "place", "engines": engines, **wrong})
    assert message in str(caught.value)


@pytest.mark.parametrize("values", [{}, {"max_games": 8}, {"strengths": {"b": 10_000}}])
def test_a_scale_up_to_its_bounds_is_taken_with_an_even_limit_or_none(values: dict[str, Any]) -> None:
    engines = [{"name": name, "command": "sample:random"} for name in "ab"]
    spec = load_values(
        {"game": "hops", "format": "place", "engines": engines, "strengths": {"b": 1}} | values
    )
    assert spec.plan.most_games("hops") == values.get("max_games")
