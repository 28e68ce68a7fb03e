"""A ladder with ``games_per_pairing``: when it rests, and what wakes it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.config import TournamentSpec
from arena.formats.contest import ScheduleState
from arena.formats.format import Played
from arena.model import GameResult, Pairing, Stage
from tests.arena.formats.playing import by_strength, ended, names, tournament, with_keys
from tests.seeds import examples


def rests(limit: int) -> str:
    return f"rests: every pair has played its games (games_per_pairing = {limit})"


class Course:
    """A ladder without engines that is played until it rests, again and again."""

    def __init__(self, spec: TournamentSpec, seed: int = 0) -> None:
        self.spec = spec
        self.state = ScheduleState()
        self.versions: dict[str, str] = {}
        self._rng = Random(seed)
        self._judge = by_strength({name: self._rng.gauss(0, 0.7) for name in names(40)}, draws=0.1)

    def play(self, most: int = 10**6, at_once: int = 1) -> tuple[list[Pairing], str]:
        """Play at most so many games; return them, and what the ladder says when it rests."""
        state, began, reason = self.state, len(self.state.results), ""
        state.programs = self.versions
        pending, handed = self.spec.schedule().pending(state), []
        while len(state.results) - began < most:
            while len(state.running) < at_once:
                item = next(pending, None)
                if isinstance(item, Stage):
                    assert item.rests
                    reason = item.text
                elif item is None:
                    break
                else:
                    state.running[item.key] = item
                    handed.append(item)
            if not state.running:
                break
            pairing = state.running.pop(self._rng.choice(list(state.running)))
            self.end(pairing, ended(pairing, self._judge(pairing)))
        return handed, reason

    def end(self, pairing: Pairing, result: GameResult) -> None:
        players = tuple(
            replace(player, version=self.versions.get(player.name, "")) for player in result.players
        )
        self.state.results[pairing.key] = replace(result, players=players)


def course(count: int, limit: int | None, game: str = "quoridor") -> Course:
    return Course(tournament(names(count), "ladder", games=(game,), games_per_pairing=limit))


@examples(8)
@given(st.integers(2, 12), st.integers(1, 7), st.integers(1, 3))
def test_a_ladder_rests_when_every_pair_has_its_games_and_plays_each_opening_from_both_sides(
    count: int, limit: int, at_once: int
) -> None:
    handed, reason = course(count, limit).play(at_once=at_once)
    played = Counter(tuple(sorted(pairing.seats)) for pairing in handed)
    even = limit + limit % 2
    assert played == {tuple(sorted(pair)): even for pair in combinations(names(count), 2)}
    assert reason == rests(limit)


def test_each_two_at_tables_of_four_have_their_games() -> None:
    handed, reason = course(6, 5, "quoridor4").play()
    played = Counter(pair for pairing in handed for pair in combinations(sorted(pairing.seats), 2))
    assert min(played[pair] for pair in combinations(names(6), 2)) == 8
    assert reason == rests(5)


def test_of_many_engines_only_those_near_each_other_in_the_order_of_ratings_need_their_games() -> None:
    handed, reason = course(40, 2).play()
    assert len(handed) < 40 * 39
    assert reason == rests(2)


def test_a_ladder_that_rests_is_not_over() -> None:
    made = course(3, 2)
    handed, _ = made.play()
    plan = made.spec.plan
    assert plan.is_over("quoridor", Played(len(handed), made.state.results.values)) is False
    assert plan.total is None


def test_without_the_key_a_ladder_never_rests() -> None:
    handed, reason = course(2, None).play(500)
    assert (len(handed), reason) == (500, "")


def test_a_newcomer_wakes_a_ladder_and_plays_every_game_until_it_has_met_all() -> None:
    made = course(6, 4)
    made.play()
    assert made.play()[0] == []
    made.spec = course(7, 4).spec
    handed, reason = made.play()
    assert len(handed) == 6 * 4
    assert all("e6" in pairing.seats for pairing in handed)
    assert reason == rests(4)


def test_a_new_version_wakes_a_ladder_and_an_old_one_that_comes_back_does_not() -> None:
    made = course(5, 4)
    made.versions = dict.fromkeys(names(5), "1")
    made.play()
    made.versions = {**made.versions, "e2": "2"}
    handed, reason = made.play()
    assert len(handed) == 4 * 4
    assert all("e2" in pairing.seats for pairing in handed)
    assert reason == rests(4)
    made.versions = {**made.versions, "e2": "1"}
    assert made.play()[0] == []


def test_a_new_version_meets_first_the_engines_that_have_met_all_others() -> None:
    """Encounters of the old one would make its own look as if little could be learned from them."""
    made = course(5, 100)
    made.versions = dict.fromkeys(names(5), "1")
    made.play(200)
    made.versions = {**made.versions, "e2": "2"}
    handed, _ = made.play(20)
    assert sum("e2" in pairing.seats for pairing in handed) >= 15


def test_only_the_games_of_the_present_program_count() -> None:
    state = ScheduleState(programs={"a": "2", "b": ""})
    assert state.plays_on("a", "2", "f00d")
    assert state.plays_on("a", "1", "2")
    assert not state.plays_on("a", "1", "f00d")
    assert state.plays_on("a", "", "")
    assert state.plays_on("b", "7", "f00d")


def test_a_ladder_does_not_rest_before_its_running_games_have_ended() -> None:
    made = course(2, 4)
    pending = made.spec.schedule().pending(made.state)
    while (pairing := next(pending)) is not None:
        assert isinstance(pairing, Pairing)
        made.state.running[pairing.key] = pairing
    assert len(made.state.running) == 4
    for pairing in list(made.state.running.values()):
        made.end(made.state.running.pop(pairing.key), ended(pairing, [1, 2]))
    assert next(pending) == Stage("quoridor", rests(4), rests=True)


@pytest.mark.parametrize("limit", [6, None])
def test_more_games_of_a_pair_make_a_ladder_that_rests_play_on(limit: int | None) -> None:
    made = course(3, 4)
    assert len(made.play()[0]) == 12
    made.spec = with_keys(made.spec, games_per_pairing=limit)
    assert len(made.play(6)[0]) == 6
