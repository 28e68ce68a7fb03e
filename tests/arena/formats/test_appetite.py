"""A ladder that may rest: when it rests, what wakes it, and which games it does not repeat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.config import TournamentSpec
from arena.formats.appetite import REPEATS, most_games, rating_error
from arena.formats.contest import ScheduleState
from arena.formats.format import Played
from arena.formats.ladder import _Beliefs
from arena.model import GameResult, Pairing, Stage
from arena.openings.book import OpeningSpec
from arena.ratings.settings import settings_for
from arena.scoring import GameTrace
from tests.arena.formats.playing import by_strength, ended, names, tournament, with_keys
from tests.seeds import examples

RANDOM = OpeningSpec("random", plies=2)

Moves = Callable[[Pairing], Sequence[str]]


def other_moves(pairing: Pairing) -> Sequence[str]:
    """The moves of engines that never play the same game again."""
    return (pairing.key,)


def same_moves(pairing: Pairing) -> Sequence[str]:
    """The moves of engines that always play the same from one opening."""
    return ("e2", "e8")


class Course:
    """A ladder without engines that is played until it rests, again and again."""

    def __init__(self, spec: TournamentSpec, moves: Moves = other_moves, seed: int = 0) -> None:
        self.spec = spec
        self.state = ScheduleState()
        self.moves = moves
        self.versions: dict[str, str] = {}
        self._rng = Random(seed)
        self._judge = by_strength({name: self._rng.gauss(0, 0.7) for name in names(40)}, draws=0.1)

    def play(self, most: int = 10**6, at_once: int = 1) -> tuple[list[Pairing], str]:
        """Play at most so many games; return them, and what the ladder said when it rested."""
        state, began, said = self.state, len(self.state.results), ""
        state.programs = self.versions
        pending, handed = self.spec.schedule().pending(state), []
        while len(state.results) - began < most:
            while len(state.running) < at_once:
                item = next(pending, None)
                if isinstance(item, Stage):
                    assert item.rests
                    said = item.text
                elif item is None:
                    break
                else:
                    state.running[item.key] = item
                    handed.append(item)
            if not state.running:
                break
            pairing = state.running.pop(self._rng.choice(list(state.running)))
            self.end(pairing, ended(pairing, self._judge(pairing)))
        return handed, said

    def end(self, pairing: Pairing, result: GameResult) -> None:
        programs = tuple((self.versions.get(name, ""), "") for name in pairing.seats)
        self.state.results[pairing.key] = result
        self.state.traces[pairing.key] = GameTrace.made(pairing.opening, self.moves(pairing), programs)

    def errors(self) -> Mapping[str, float]:
        """Half of the interval of each engine, in Elo, from all games."""
        beliefs = _Beliefs(settings_for("quoridor"), "quoridor")
        beliefs.follow(self.state)
        return {name: rating_error(sigma, beliefs.beta) for name, (_, sigma) in beliefs.now.items()}


def course(count: int, rest: int, moves: Moves = other_moves, openings: OpeningSpec = RANDOM) -> Course:
    return Course(tournament(names(count), "ladder", rest=rest, openings=openings), moves)


@examples(8)
@given(st.integers(2, 12), st.integers(90, 250), st.integers(1, 3))
def test_a_ladder_rests_when_every_rating_is_known_and_not_before(
    count: int, rest: int, at_once: int
) -> None:
    made = course(count, rest)
    handed, said = made.play(at_once=at_once)
    played = Counter(name for pairing in handed for name in pairing.seats)
    errors = made.errors()
    assert all(errors[name] <= rest or played[name] >= most_games(rest) for name in names(count))
    assert said.startswith("rests: engines known ")
    assert len(handed) <= count * (most_games(rest) + 2 * at_once)
    before = Course(made.spec)
    before.play(len(handed) - 2 * at_once - 2)
    assert any(before.errors()[name] > rest for name in names(count))


def test_a_ladder_that_rests_is_not_over() -> None:
    made = course(3, 200)
    handed, _ = made.play()
    plan = made.spec.plan
    assert plan.is_over("quoridor", Played(len(handed), made.state.results.values)) is False
    assert plan.total is None


def test_without_the_key_a_ladder_never_rests() -> None:
    made = course(2, 0, same_moves, OpeningSpec())
    handed, said = made.play(500)
    assert (len(handed), said) == (500, "")


@examples(6)
@given(st.integers(3, 8), st.integers(0, 60), st.booleans())
def test_a_ladder_that_was_cut_off_rests_as_if_it_had_not_been(count: int, cut: int, same: bool) -> None:
    moves = same_moves if same else other_moves
    openings = OpeningSpec("list", entries=("e2 e8", "d1")) if same else RANDOM
    whole, parts = course(count, 200, moves, openings), course(count, 200, moves, openings)
    handed, said = whole.play()
    first, _ = parts.play(cut)
    assert (first + parts.play()[0], parts.play()[1]) == (handed, said)


def test_the_same_game_is_played_three_times_and_no_fourth_time() -> None:
    made = course(4, 60, same_moves, OpeningSpec("list", entries=("e2 e8", "d1")))
    handed, said = made.play()
    same = Counter((pairing.seats, pairing.opening) for pairing in handed)
    assert set(same.values()) == {REPEATS}
    assert len(same) == 4 * 3 * 2
    assert said == "rests: engines that would play the same games more than 3 times: 4"


def test_games_that_differ_are_no_repeats() -> None:
    made = course(2, 60, lambda pairing: ("e2", pairing.key[-1]), OpeningSpec())
    assert len(made.play()[0]) > 100


def test_the_same_game_at_a_table_of_four_is_no_endless_one() -> None:
    spec = tournament(names(5), "ladder", rest=30, games=("quoridor4",), openings=OpeningSpec())
    handed, said = Course(spec, same_moves).play(2000)
    assert max(Counter(pairing.seats for pairing in handed).values()) <= REPEATS
    assert said == ("rests: engines known to ±30 Elo: 1, that would play the same games more than 3 times: 4")


def test_a_newcomer_wakes_a_ladder_and_plays_every_game_until_it_is_known() -> None:
    made = course(6, 150)
    made.play()
    assert made.play()[0] == []
    made.spec = course(7, 150).spec
    handed, said = made.play()
    assert 10 < len(handed) <= most_games(150) + 1
    assert all("e6" in pairing.seats for pairing in handed)
    assert said == "rests: engines known to ±150 Elo: 7"


@pytest.mark.parametrize("moves", [other_moves, same_moves])
def test_a_new_version_wakes_a_ladder_at_once_and_an_old_one_that_comes_back_does_not(moves: Moves) -> None:
    made = course(5, 150, moves, RANDOM if moves is other_moves else OpeningSpec())
    made.versions = dict.fromkeys(names(5), "1")
    first, _ = made.play()
    made.versions = {**made.versions, "e2": "2"}
    handed, said = made.play()
    assert 10 < len(handed) < len(first)
    assert all("e2" in pairing.seats for pairing in handed)
    assert said
    made.versions = {**made.versions, "e2": "1"}
    again, _ = made.play()
    assert len(again) < len(handed)


def test_the_games_of_the_present_program_count_and_those_of_others_do_not() -> None:
    state = ScheduleState(programs={"a": "2", "b": ""})
    assert state.plays_on("a", ("2", "f00d"))
    assert state.plays_on("a", ("1", "2"))
    assert not state.plays_on("a", ("1", "f00d"))
    assert state.plays_on("a", ("", ""))
    assert state.plays_on("b", ("7", "f00d"))


def test_a_ladder_does_not_rest_before_its_running_games_have_ended() -> None:
    made = course(2, 150)
    pending = made.spec.schedule().pending(made.state)
    while (pairing := next(pending)) is not None:
        assert isinstance(pairing, Pairing)
        made.state.running[pairing.key] = pairing
    assert len(made.state.running) == 2 * -(-most_games(150) // 2)
    for pairing in list(made.state.running.values()):
        made.end(made.state.running.pop(pairing.key), ended(pairing, [1, 2]))
    assert next(pending) == Stage("quoridor", "rests: engines known to ±150 Elo: 2", rests=True)


def test_fewer_elo_make_a_ladder_that_rests_play_on() -> None:
    made = course(3, 200)
    first, _ = made.play()
    made.spec = with_keys(made.spec, rest=100)
    assert len(made.play()[0]) > len(first)


def test_of_equals_an_interval_of_100_elo_needs_half_of_the_most_games() -> None:
    assert most_games(100) == 93
    assert rating_error(25 / 3, 25 / 6) == pytest.approx(784, abs=1)
