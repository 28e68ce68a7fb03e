"""Ladders: the choice of the next game, at tables of two and four, also when engines come and go."""

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from math import sqrt
from pathlib import Path
from random import Random

import pytest
import trueskill
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from arena.cli import main
from arena.formats.contest import ScheduleState, Seating, first_opening
from arena.formats.ladder import _Beliefs, _rotated, _Worths, gain
from arena.model import Pairing
from arena.ratings.settings import settings_for
from arena.run.tournament import Run
from tests.arena.formats.playing import by_strength, ended, keys, names, play, tournament
from tests.seeds import examples

steady = examples(6)


def best_of(worths: _Worths, strengths: dict[int, tuple[float, float]]) -> tuple[int, int]:
    """The encounter with the highest value for these strengths."""
    best = worths.follow(strengths)
    assert best is not None
    return best


def rated(beliefs: _Beliefs, state: ScheduleState) -> Mapping[str, tuple[float, float]]:
    """The means and deviations after the games of a state."""
    beliefs.follow(state)
    return beliefs.now


def ladder(count: int, most: int | None, **keys_):
    return tournament(names(count), "ladder", max_games=most, **keys_)


def strengths(count: int) -> dict[str, float]:
    return {name: place / 2 for place, name in enumerate(names(count))}


@st.composite
def ladders(draw):
    count = draw(st.integers(4, 9))
    game = draw(st.sampled_from(["quoridor", "quoridor4"]))
    return ladder(count, draw(st.integers(1, 60)), games=(game,)), by_strength(strengths(count))


@steady
@given(ladders(), st.integers(1, 6), st.integers(0, 99))
def test_an_encounter_is_one_opening_from_every_seat(made, at_once, seed) -> None:
    spec, judge = made
    handed, _ = play(spec, judge, at_once=at_once, seed=seed)
    assert len(handed) == len(keys(handed)) == spec.format_keys.max_games == spec.schedule().total
    assert [game.number for game in handed] == list(range(len(handed)))
    size = len(handed[0].seats)
    for first in range(0, len(handed) - size + 1, size):
        encounter = handed[first : first + size]
        sat = Counter((name, seat) for game in encounter for seat, name in enumerate(game.seats))
        assert len(sat) == size * size
        assert len({frozenset(game.seats) for game in encounter}) == 1


@steady
@given(ladders(), st.integers(1, 5), st.integers(0, 99), st.integers(0, 40))
def test_a_run_that_goes_on_completes_encounters_and_repeats_no_game(made, at_once, seed, until) -> None:
    spec, judge = made
    _, stored = play(spec, judge, at_once=at_once, seed=seed, until=until)
    rest, results = play(spec, judge, stored, at_once=at_once, seed=seed)
    assert len(results) == spec.format_keys.max_games
    assert len(rest) == spec.format_keys.max_games - len(stored)
    assert not keys(rest) & keys(stored)
    size = len(results[0].players)
    tables = Counter(frozenset(player.name for player in result.players) for result in results)
    assert sum(played % size for played in tables.values()) == spec.format_keys.max_games % size


@steady
@given(ladders(), st.integers(0, 40), st.integers(0, 9))
def test_what_comes_next_follows_from_the_results_and_not_from_their_order(made, until, seed) -> None:
    spec, judge = made
    _, stored = play(spec, judge, until=until)
    shuffled = Random(seed).sample(stored, len(stored))
    assert play(spec, judge, stored)[0] == play(spec, judge, shuffled)[0]


def test_a_game_that_ends_late_is_rated_in_its_place() -> None:
    games = [
        Pairing(number, f"quoridor:{number}", "quoridor", seats)
        for number, seats in enumerate((("a", "b"), ("b", "c"), ("c", "a"), ("a", "b")))
    ]
    settings_ = settings_for("quoridor")
    in_order = ScheduleState.of(ended(game, [1, 2]) for game in games)
    state, beliefs = ScheduleState(), _Beliefs(settings_, "quoridor")
    state.running = {game.key: game for game in games}
    for number in (1, 3, 0, 2):
        game = games[number]
        del state.running[game.key]
        state.results[game.key] = ended(game, [1, 2])
        found = rated(beliefs, state)
    assert found == rated(_Beliefs(settings_, "quoridor"), in_order)


def test_games_of_another_id_change_no_belief() -> None:
    quoridor = Pairing(0, "quoridor:a|b:0", "quoridor", ("a", "b"))
    hops = Pairing(1, "hops:b|a:0", "hops", ("b", "a"))
    state = ScheduleState.of(ended(game, [1, 2]) for game in (quoridor, hops))
    alone = ScheduleState.of([ended(quoridor, [1, 2])])
    settings_ = settings_for("quoridor")
    assert rated(_Beliefs(settings_, "quoridor"), state) == rated(_Beliefs(settings_, "quoridor"), alone)


def test_a_ladder_that_is_asked_while_games_run_goes_on_behind_them() -> None:
    spec = ladder(3, None, games=("quoridor", "hops"))
    state = ScheduleState()
    for _ in range(4):  # a ladder that forgets between its games what it has handed out
        for game in islice(spec.schedule().pending(state), 2):
            assert isinstance(game, Pairing)
            state.running[game.key] = game
    assert [(game.number, game.key) for game in state.running.values()] == [
        (0, "quoridor:e0|e1:0"),
        (1, "hops:e0|e2:0"),
        (2, "quoridor:e1|e0:0"),
        (3, "hops:e2|e0:0"),
        (4, "quoridor:e1|e2:0"),
        (5, "hops:e1|e2:0"),
        (6, "quoridor:e2|e1:0"),
        (7, "hops:e2|e1:0"),
    ]


def test_the_settings_of_a_rating_list_reach_a_ladder_that_starts_or_goes_on(tmp_path: Path) -> None:
    spec = replace(ladder(4, 20, games=("quoridor", "hops")), database=tmp_path / "arena.db")
    models = []
    for change in (None, "draw_probability=0.7", "draw_probability=default"):
        if change:
            done = CliRunner().invoke(
                main, ["ratings", "--db", str(spec.database), "--game", "hops", "--store", change]
            )
            assert done.exit_code == 0, done.output
        store, opened = Run(spec)._open()
        store.close()
        models.append(dict(opened.state.models))
    usual = {game: settings_for(game) for game in spec.games}
    assert models == [usual, usual | {"hops": replace(usual["hops"], draw_probability=0.7)}, usual]


def test_every_engine_plays_before_any_engine_has_a_second_opponent() -> None:
    handed, _ = play(ladder(8, 8), by_strength({}))
    assert Counter(name for game in handed for name in game.seats) == dict.fromkeys(names(8), 2)


def test_equals_meet_more_often_than_others_and_everybody_meets_everybody() -> None:
    handed, _ = play(ladder(6, 600), by_strength(strengths(6)))
    met = Counter(tuple(sorted(game.seats)) for game in handed)
    assert len(met) == 15
    neighbours = [met[f"e{one}", f"e{one + 1}"] for one in range(5)]
    assert min(neighbours) > met["e0", "e5"]


def test_an_engine_that_is_added_plays_immediately_and_most() -> None:
    _, stored = play(ladder(6, 120), by_strength(strengths(6)))
    rest, _ = play(ladder(7, 140), by_strength(strengths(7)), stored)
    assert all("e6" in game.seats for game in rest[:4])
    assert Counter(name for game in rest for name in game.seats).most_common(1)[0][0] == "e6"


def test_an_engine_that_has_left_the_file_is_paired_no_more_but_its_games_still_count() -> None:
    _, stored = play(ladder(5, 60), by_strength(strengths(5)))
    spec = ladder(5, 80)
    rest, _ = play(replace(spec, engines=spec.engines[1:]), by_strength({}), stored)
    assert len(rest) == 20
    assert not any("e0" in game.seats for game in rest)
    assert rest[0].number == 60


def test_disabled_engines_are_left_out_until_too_few_are_left() -> None:
    state = ScheduleState()
    pending = ladder(4, None).schedule().pending(state)
    first = next(pending)
    assert first is not None
    state.results[first.key] = ended(first, [1, 2])
    state.disabled += first.seats
    for _ in range(6):
        game = next(pending)
        assert game is not None
        assert not set(state.disabled) & set(game.seats)
        state.results[game.key] = ended(game, [1, 2])
    state.disabled += ["e2", "e3"]
    assert next(pending, "over") == "over"


def test_a_ladder_never_waits_and_never_ends_by_itself() -> None:
    state = ScheduleState()
    pending = ladder(3, None).schedule().pending(state)
    assert ladder(3, None).schedule().total is None
    for _ in range(40):
        game = next(pending)
        assert game is not None
        state.running[game.key] = game


def test_a_ladder_of_many_engines_pairs_quickly() -> None:
    begin = time.process_time()
    handed, _ = play(ladder(200, 200), by_strength({}))
    assert len({name for game in handed for name in game.seats}) == 200
    assert time.process_time() - begin < 10


@pytest.mark.parametrize("beta", [25 / 6, 4.0])
def test_what_is_learned_is_trueskills_match_quality_times_the_variances(beta: float) -> None:
    model = trueskill.TrueSkill(beta=beta, tau=0)
    for (mu, sigma), (nu, tau) in (((25, 8), (25, 8)), ((20, 2), (26, 3)), ((31, 1), (26, 5))):
        quality = model.quality([(trueskill.Rating(mu, sigma),), (trueskill.Rating(nu, tau),)])
        expected = pytest.approx(quality * (sigma**2 + tau**2))
        assert gain((mu, sigma), (nu, tau), beta) == expected


@pytest.mark.parametrize(("apart", "meet"), [(16, True), (17, False)])
def test_an_engine_meets_only_the_16_above_it_and_the_16_below_it(apart: int, meet: bool) -> None:
    by_rank = [rank * 7 % 18 for rank in range(18)]  # places in another order than ratings
    unknown = {by_rank[0], by_rank[apart]}
    found = best_of(
        _Worths(4.0),
        {place: (rank / 100, 9.0 if place in unknown else 1.0) for rank, place in enumerate(by_rank)},
    )
    assert (set(found) == unknown) is meet


def test_values_kept_from_the_last_encounter_equal_new_ones() -> None:
    rng = Random(7)
    kept = _Worths(25 / 6, 3)
    strengths_ = {place: (rng.gauss(25, 4), 8.0) for place in range(24)}
    encounters = []
    for turn in range(60):
        fresh = _Worths(25 / 6, 3)
        for places in encounters:
            fresh.meet(places)
        best = best_of(kept, dict(strengths_))
        assert best == best_of(fresh, dict(strengths_))
        places = best if turn % 3 else tuple(sorted(rng.sample(sorted(strengths_), 4)))
        kept.meet(places)
        encounters.append(places)
        for place in rng.sample(sorted(strengths_), 2):
            mu, sigma = strengths_[place]
            strengths_[place] = rng.choice([(mu + rng.gauss(0, 3), sigma), (mu, sigma * 0.9)])
        if turn in (20, 40):
            del strengths_[turn // 2]


def test_a_table_of_four_is_played_from_every_seat_in_every_order() -> None:
    table = (1, 2, 4, 7)
    games = [_rotated(table, number) for number in range(48)]
    first = first_opening(table)
    assert games[0] == Seating((1, 2, 4, 7), 0, first)
    assert games[1] == Seating((2, 4, 7, 1), 0, first)
    assert games[4] == Seating((1, 7, 4, 2), 0, first + 1)
    assert games[24] == Seating((1, 2, 4, 7), 1, first + 6)
    assert len({game.seats for game in games[:24]}) == 24
    assert _rotated((3, 5), 2) == Seating((3, 5), 1, first_opening((3, 5)) + 1)


def test_the_variance_of_an_engine_is_divided_by_its_running_games_and_one() -> None:
    state = ScheduleState()
    pending = ladder(5, None).schedule().pending(state)
    encounters = []
    for _ in range(20):
        game = next(pending)
        assert game is not None
        state.running[game.key] = game
        encounters.append(tuple(int(name[1:]) for name in sorted(game.seats)))
    expected = []
    worths, busy = _Worths(settings_for("quoridor").beta), Counter[int]()
    for _ in range(10):
        found = best_of(worths, {place: (25.0, 25 / 3 / sqrt(1 + busy[place])) for place in range(5)})
        worths.meet(found)
        expected += [found, found]
        busy.update(dict.fromkeys(found, 2))
    assert encounters == expected


@pytest.mark.parametrize("game_id", ["quoridor", "quoridor4"])
def test_of_engines_with_different_ratings_those_meet_from_whom_most_is_learned(game_id: str) -> None:
    settings_ = settings_for(game_id)
    judge = by_strength(strengths(9))
    state = ScheduleState()
    pending = ladder(9, None, games=(game_id,)).schedule().pending(state)
    beliefs = _Beliefs(settings_, game_id)
    encounters: list[tuple[int, ...]] = []
    for _ in range(25):
        worths = _Worths(settings_.beta)
        for places in encounters:
            worths.meet(places)
        now_rated = rated(beliefs, state)
        busy = Counter(name for game in state.running.values() for name in game.seats)
        usual = (settings_.mu, settings_.sigma)
        known = {place: now_rated.get(name, usual) for place, name in enumerate(names(9))}
        now = {place: (mu, sigma / sqrt(1 + busy[f"e{place}"])) for place, (mu, sigma) in known.items()}
        first = next(pending)
        assert isinstance(first, Pairing)
        table = list(best_of(worths, now))
        while len(table) < len(first.seats):
            free = [place for place in range(9) if place not in table]
            table.append(max(free, key=lambda place: sum(worths.of(place, other) for other in table)))
        state.running[first.key] = first
        for game in islice(pending, len(first.seats) - 1):
            assert isinstance(game, Pairing)
            state.running[game.key] = game
            assert sorted(game.seats) == [f"e{place}" for place in sorted(table)]
        encounters.append(tuple(sorted(table)))
        for game in list(state.running.values())[: -3 * len(first.seats)]:  # three encounters go on
            del state.running[game.key]
            state.results[game.key] = ended(game, judge(game))
