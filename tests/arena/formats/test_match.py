"""Matches of two engines: the pairs of games, the sequential test, and its end."""

from collections.abc import Mapping
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.config import TournamentSpec
from arena.formats.contest import Entrants, ScheduleState
from arena.formats.format import Played
from arena.formats.match import MATCH, MatchKeys
from arena.formats.match_progress import MatchProgress, unit_points
from arena.formats.plan import Plan
from arena.model import GameResult, Pairing
from arena.ratings.sprt import Sprt, SprtStatus, llr
from referee import Termination
from tests.arena.formats.playing import by_strength, ended, keys, names, next_game, play, stalled, tournament
from tests.seeds import examples

PLAYERS = Entrants("quoridor", ("e0", "e1"))
steady = examples(8)


def match(sprt: Sprt | None = None, **keys_):
    return tournament(names(2), "match", sprt=sprt, **keys_)


def verdict(sprt: Sprt, results):
    test = MatchProgress(PLAYERS, "turns", None, sprt)
    test.count({result.key: result for result in results})
    return test.status


def test_no_pair_at_all_speaks_for_neither_hypothesis() -> None:
    assert verdict(Sprt(0, 5), []) == SprtStatus(0.0, 0, None)


@pytest.mark.parametrize(("better", "accepted"), [(0.5, "elo1"), (-0.1, "elo0")])
@pytest.mark.parametrize(("at_once", "seed"), [(1, 1), (4, 1), (4, 2)])
def test_a_test_stops_itself_and_its_verdict_stays(better, accepted, at_once, seed) -> None:
    sprt = Sprt(0, 50)
    judge = by_strength({"e0": better})
    alone, results = play(match(sprt), judge)
    expected = verdict(sprt, results)
    assert expected.accepted == accepted
    assert len(alone) == 2 * expected.units
    handed, results = play(match(sprt), judge, at_once=at_once, seed=seed)
    assert verdict(sprt, results) == expected
    assert len(alone) <= len(handed) <= len(alone) + 2 * at_once
    assert play(match(sprt), judge, results)[0] == []
    assert keys(play(match(sprt), judge, results[:3])[0]) == keys(alone) - keys(results[:3])


@steady
@given(st.integers(0, 200), st.integers(1, 6), st.integers(0, 99))
def test_a_run_that_goes_on_from_anywhere_comes_to_the_same_verdict(until, at_once, seed) -> None:
    sprt = Sprt(0, 40)
    judge = by_strength({"e0": 0.25})
    _, whole = play(match(sprt), judge)
    _, stored = play(match(sprt), judge, at_once=at_once, seed=seed, until=until)
    _, results = play(match(sprt), judge, stored)
    assert verdict(sprt, results) == verdict(sprt, whole)
    assert keys(whole) <= keys(results)


def test_errors_are_as_rare_as_they_may_be() -> None:
    rng = Random(1)
    sprt = Sprt(0, 100, 0.1, 0.1)
    wrong = 0
    for _ in range(100):
        pairs = iter(lambda: sum(rng.choice([0, 0.5, 1]) for _ in range(2)), None)
        counts = [0] * 5
        ratio = 0.0
        while sprt.bounds[0] < ratio < sprt.bounds[1]:
            counts[round(2 * next(pairs))] += 1
            ratio = llr(sprt, counts)
        wrong += ratio > 0
    assert wrong <= 17  # 10 of 100 tests are expected to go wrong, and more than 17 are very unlikely


def test_pairs_are_counted_from_the_first_engines_side_in_the_order_of_the_schedule() -> None:
    spec = match(max_games=6)

    def judge(pairing: Pairing) -> list[int]:
        return {0: [1, 2], 1: [2, 1], 2: [1, 1], 3: [1, 2], 4: [1, 2], 5: [1, 2]}[pairing.number]

    _, results = play(spec, judge)
    points = list(unit_points(PLAYERS, {result.key: result for result in results}))
    assert points == [2.0, 0.5, 1.0]
    assert list(unit_points(PLAYERS, {result.key: result for result in results[1:]})) == []


def test_a_pair_of_which_a_game_was_not_played_does_not_count() -> None:
    spec = match(max_games=6)
    _, results = play(spec, lambda pairing: [1, 2])
    results[3] = replace(results[3], termination=Termination.DISABLED)
    by_key = {result.key: result for result in results}
    assert list(unit_points(PLAYERS, by_key)) == [1.0, None, 1.0]
    assert verdict(Sprt(0, 5), results).units == 2


def test_a_pair_of_which_nobody_won_a_game_does_not_count_for_either_engine() -> None:
    spec = match(max_games=6)
    _, results = play(spec, lambda pairing: [1, 2])
    results[3] = stalled(results[3])
    by_key = {result.key: result for result in results}
    assert list(unit_points(PLAYERS, by_key)) == [1.0, None, 1.0]
    assert verdict(Sprt(0, 5), results) == SprtStatus(llr(Sprt(0, 5), (0, 0, 2, 0, 0)), 2, None)
    assert verdict(Sprt(0, 5), [stalled(result) for result in results]) == SprtStatus(0.0, 0, None)


def read(test: MatchProgress, results: Mapping[str, GameResult]) -> SprtStatus:
    """The state of a test after these results."""
    test.count(results)
    return test.status


def test_a_test_that_is_read_again_and_again_says_what_one_says_that_is_read_once() -> None:
    sprt = Sprt(0, 60)
    _, results = play(match(sprt), by_strength({"e0": 0.4}))
    again, by_key = MatchProgress(PLAYERS, "turns", None, sprt), {}
    for result in results:
        by_key[result.key] = result
        assert read(again, by_key) == read(MatchProgress(PLAYERS, "turns", None, sprt), by_key)
    decided = read(again, by_key)
    assert decided.accepted is not None
    assert decided.units == len(results) // 2
    more = {key: replace(result, players=result.players[::-1]) for key, result in by_key.items()}
    assert read(again, more) == decided


def test_a_match_tells_no_stage_and_without_a_test_goes_on_when_an_engine_is_disabled() -> None:
    state = ScheduleState(disabled=["e0"])
    handed = list(match(max_games=4).schedule().pending(state))
    assert [game and game.number for game in handed] == [0, 1, 2, 3]


def test_a_test_that_does_not_decide_ends_with_the_limit() -> None:
    handed, results = play(match(Sprt(0, 5), max_games=20), lambda pairing: [1, 1])
    assert len(handed) == 20
    assert verdict(Sprt(0, 5), results).accepted is None


def shown(spec: TournamentSpec, results: list[GameResult]) -> str:
    """What the stored plan of a match says about its results."""
    plan = Plan.stored(spec.plan.encode())
    assert plan is not None
    duel = plan.view("quoridor", Played(len(results), lambda: results)).duel
    assert duel is not None
    return "\n".join(f"{name} {text}" for name, text in duel.rows())


def test_a_test_that_is_not_decided_within_the_limit_is_shown_as_undecided() -> None:
    spec = match(Sprt(0, 5), max_games=8)
    for until, said in ((7, "3 pairs: not decided, 1"), (8, "4 pairs: not decided after max_games, 1")):
        _, results = play(spec, lambda pairing: [1, 1], until=until)
        text = shown(spec, results)
        assert f"after {said} % of the way to Elo 0 (elo0 0, elo1 5," in text
        assert "Elo +0.0 +- " in text


def test_a_test_stops_when_an_engine_is_disabled_as_nothing_is_learned_from_games_not_played() -> None:
    state = ScheduleState()
    pending = match(Sprt(0, 5)).schedule().pending(state)
    game = next_game(pending)
    assert game is not None
    state.results[game.key] = ended(game, [2, 1])
    state.disabled.append("e0")
    assert list(pending) == []


def test_a_plan_says_that_a_match_is_over_when_its_test_is_decided_or_its_games_are_played() -> None:
    entrants = Entrants("quoridor", ("a", "b"))

    def over(results: list[GameResult], **settings: object) -> list[bool]:
        found = MATCH.keys(**settings)
        played = [Played(count, lambda count=count: results[:count]) for count in range(len(results) + 1)]
        return [MATCH.is_over(found, entrants, one) for one in played]

    one_sided = by_strength({"a": 9.0})
    spec = tournament(["a", "b"], "match", sprt=Sprt(0, 100), max_games=400)
    _, results = play(spec, one_sided)
    assert len(results) < 400
    assert over(results, sprt=Sprt(0, 100), max_games=400) == [*[False] * len(results), True]
    assert over(results, max_games=len(results)) == [*[False] * len(results), True]
    assert over(results, sprt=Sprt(0, 100), max_games=4)[4]
    assert not any(over(results))
    assert not MATCH.may_end_early(MATCH.keys(max_games=4))
    assert MATCH.may_end_early(MATCH.keys(sprt=Sprt(0, 5)))


def test_games_against_an_engine_that_was_replaced_are_left() -> None:
    games = frozenset({"quoridor:e0|e1:0", "quoridor:e1|e0:0", "quoridor:e0|old:0"})
    assert MATCH.left(MatchKeys(), PLAYERS, games) == 1


# -- the loser starts ----------------------------------------------------------------------------------------


def loser_begins(games: int) -> TournamentSpec:
    return match(max_games=games, first="loser")


@pytest.mark.parametrize(
    ("endings", "begins"),
    [("", "0"), ("0", "01"), ("1", "00"), ("=", "01"), ("==", "010"), ("0110==1", "01001010")],
)
def test_the_loser_of_a_game_starts_the_next_and_after_a_draw_the_other_engine(endings, begins) -> None:
    def judge(game: Pairing) -> list[int]:
        winner = endings[game.number] if game.number < len(endings) else "="
        return [1 if winner in ("=", name[1]) else 2 for name in game.seats]

    handed, _ = play(loser_begins(len(begins)), judge, at_once=3)
    assert "".join(game.seats[0][1] for game in handed) == begins
    assert [game.number for game in handed] == list(range(len(begins)))
    seats = [game.seats for game in handed]
    repeats = [seats[:number].count(both) for number, both in enumerate(seats)]
    assert [int(game.key.rpartition(":")[2]) for game in handed] == repeats


@steady
@given(st.integers(1, 20), st.integers(0, 20), st.integers(0, 3), st.sampled_from([0.0, 0.5, 5.0]))
def test_where_the_loser_starts_each_game_waits_for_the_game_before_it(games, until, better, draws) -> None:
    spec, judge = loser_begins(games), by_strength({"e0": float(better)}, draws)
    handed, results = play(spec, judge)
    first, part = play(spec, judge, until=min(until, games), at_once=4)
    rest, again = play(spec, judge, part, at_once=4)
    assert keys(again) == keys(results)
    assert [game.key for game in (*first, *rest)] == [game.key for game in handed]
    assert len(handed) == games == spec.schedule().total
    assert {game.opening for game in handed} <= {handed[0].opening}
    before = [*results[1:], None]
    for game, following in zip(results, before, strict=True):
        if following is not None:
            loser = [player.name for player in game.players if player.points == 0]
            assert following.players[0].name == (loser or [game.players[1].name])[0]


def test_where_the_loser_starts_games_are_counted_and_not_pairs() -> None:
    spec = loser_begins(5)
    _, results = play(spec, by_strength({"e0": 9.0}))
    view = spec.plan.view("quoridor", Played(5, lambda: results))
    assert view.data["match"]["unit"] == "game"
    assert view.data["match"]["counts"] == [0, 0, 5]
    assert "sprt" not in view.data["match"]
    assert spec.plan.is_over("quoridor", Played(5, lambda: results))
    lost = [replace(seat, points=points) for seat, points in zip(results[0].players, (0.0, 1.0), strict=True)]
    others = [replace(results[0], players=tuple(lost)), *results[1:]]  # played in place of a void game
    assert not spec.plan.is_over("quoridor", Played(5, lambda: others))
    (counter,) = spec.plan.progress()
    for number in range(1, 6):
        counter.count({game.key: game for game in results[:number]})
        assert f"Games  0, 0, {number} with 0, 1/2, 1 points" in counter.lines()


def test_where_the_loser_starts_a_game_that_is_skipped_ends_the_match() -> None:
    state = ScheduleState()
    pending = loser_begins(3).schedule().pending(state)
    game = next_game(pending)
    state.skipped.add(game.key)
    assert next_game(pending) is None
