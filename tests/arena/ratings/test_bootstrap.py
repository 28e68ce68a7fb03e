"""Errors by bootstrap allow for the dependence between the games on one opening."""

import json
import random
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli import main
from arena.ended_games import GameScoreCounts, SeatScore
from arena.model import GameRecord
from arena.ratings.fit import bootstrap_errors, fit
from arena.ratings.settings import Anchor, RatingSettings
from arena.store import GameFilter, Store

USUAL = RatingSettings()


def played(times: int) -> list[GameScoreCounts]:
    """Return 150 groups of games of three engines, each group the same game several times."""
    chance = random.Random(2)
    groups = []
    for _ in range(150):
        ranks = (1, 2) if chance.random() < 0.55 else (2, 1)
        seats = zip(chance.sample("abc", 2), ranks, strict=True)
        groups.append(Counter({tuple(SeatScore(name, rank, 0.0, None) for name, rank in seats): times}))
    return groups


def test_of_independent_games_the_errors_are_those_of_the_curvature() -> None:
    groups = played(1)
    found = fit(sum(groups, Counter()), USUAL)
    assert found is not None
    errors = bootstrap_errors(groups, USUAL, None, 150)
    for strength in found.strengths:
        assert errors[strength.name] == pytest.approx(strength.error, rel=0.25)


def test_games_that_are_repeated_do_not_make_the_errors_smaller() -> None:
    once, thrice = (bootstrap_errors(played(times), USUAL, None, 60) for times in (1, 3))
    assert thrice == pytest.approx(once, rel=0.1)


def test_the_order_of_the_groups_changes_no_digit() -> None:
    groups = played(1)
    assert bootstrap_errors(groups, USUAL, None, 5) == bootstrap_errors(groups[::-1], USUAL, None, 5)


def test_the_anchor_has_no_error_and_nothing_rated_has_none() -> None:
    errors = bootstrap_errors(played(1), USUAL, Anchor("a", 100.0), 5)
    assert errors["a"] == 0
    assert errors["b"] > 0
    assert bootstrap_errors([], USUAL, None, 5) == {}


def game(winner: str, loser: str) -> GameScoreCounts:
    return Counter({(SeatScore(winner, 1, 0.0, None), SeatScore(loser, 2, 0.0, None)): 1})


def test_an_engine_that_is_in_fewer_than_two_samples_has_no_error() -> None:
    rare = [*[game("b", "c"), game("c", "b")] * 6, game("b", "z")]
    known = [set(bootstrap_errors(rare, USUAL, None, samples)) for samples in range(2, 9)]
    assert known == [{"b", "c"}] + [{"b", "c", "z"}] * 6


def test_samples_without_the_anchor_are_left_out() -> None:
    rare = [*[game("b", "c"), game("c", "b")] * 4, game("b", "z")]
    errors = bootstrap_errors(rare, USUAL, Anchor("z", 0.0), 11)
    # The samples are always the same; five of these eleven have no game of the anchor.
    assert errors == pytest.approx({"b": 306.2, "c": 361.3, "z": 0.0}, abs=0.1)


def test_the_command_groups_games_by_engines_and_opening(
    tmp_path: Path, record: Callable[..., GameRecord]
) -> None:
    database = tmp_path / "arena.db"
    chance = random.Random(1)
    with closing(Store.open(database, create=True)) as store:
        store.begin_tournament("cup", {})
        for number in range(40):
            pair = [("a", 1), ("b", 2)] if chance.random() < 0.7 else [("a", 2), ("b", 1)]
            one = record(*pair[:: -1 if number % 2 else 1], number=number)
            moves = (f"d{number // 2}",) if number < 36 else ()
            store.add_games([replace(one, opening=replace(one.opening, moves=moves))])
        store.add_games([record(("a", 1), ("c", 2), number=99)])
        assert len(store.opening_groups("quoridor")) == 18 + 4 + 1
        assert sum(sum(group.values()) for group in store.opening_groups("quoridor")) == 41
        assert store.opening_groups("quoridor", only=GameFilter(since=2e9)) == []

    def data(*args: str):
        return json.loads(
            CliRunner().invoke(main, ["ratings", "--json", "--db", str(database), *args]).stdout
        )[0]

    usual, sampled = data(), data("--bootstrap", "20")
    for one, other in zip(usual["fit"]["strengths"], sampled["fit"]["strengths"], strict=True):
        assert one["elo"] == other["elo"]
        assert 0 < other["error"] != one["error"]
    assert usual["ranking"] == sampled["ranking"]
    shown = CliRunner().invoke(main, ["ratings", "--db", str(database), "--bootstrap", "20"]).stdout
    assert "+-95%: from 20 samples of 23 groups of games on one opening (bootstrap)" in shown
    clustered = "+-95%: the games of the same engines on one opening count as one observation"
    assert clustered not in shown
    assert clustered in CliRunner().invoke(main, ["ratings", "--db", str(database)]).stdout
