"""Tests of the follower, in games with and without removed seats."""

import random
from itertools import islice

import pytest

from protocol.engine.turn import Turn
from referee import MoveError, Termination, game
from referee.follower import Follower
from referee.match.adjudication import Adjudication
from referee.match.arbiter import Arbiter
from referee.match.clock import Clock
from referee.match.forfeits import Forfeit
from referee.match.time_control import TimeControl
from tests.seeds import seeds

FOUR = game("quoridor4")


def follower(*texts, game_id="quoridor4"):
    rules = game(game_id)
    followed = Follower(rules.start(), rules.info.players)
    for text in texts:
        followed.follow(text)
    return followed


def test_the_turn_passes_over_removed_seats_and_comes_back_to_those_in_play():
    assert [follower(*["e2", "!2", "e8", "h5", "e3"][:count]).position.turn for count in range(6)] == [
        0,
        1,
        2,
        3,
        0,
        2,
    ]


def test_a_seat_that_is_removed_before_its_turn_is_passed_over_when_it_comes():
    assert follower("e2", "!4", "b5", "e8").position.turn == 0


def test_with_all_seats_removed_the_turn_stays_where_it_is():
    last = follower("!1", "!2", "!3")
    assert last.position.turn == 3
    last.follow("!4")
    assert last.position.turn == 3


def test_a_removal_after_the_rules_have_ended_the_game_changes_no_position():
    done = Follower(FOUR.parse_position("/ / e8 a5 d4 i5 / 5 5 5 5 / 1"), 4)
    done.follow("e9")
    end = done.position
    assert done.outcome.winner == 0
    done.follow(f"!{end.turn + 1}")
    assert done.position == end


def test_seats_that_are_removed_together_differ_from_earlier_ones():
    followed = follower("!2")
    followed.remove(0, 3)
    assert followed.removed == {1: 0, 0: 1, 3: 1}


@pytest.mark.parametrize(("game_id", "text"), [("quoridor", "!1"), ("quoridor4", "!5"), ("quoridor4", "!x")])
def test_no_seat_is_removed_from_a_game_for_two_or_where_there_is_none(game_id, text):
    with pytest.raises(MoveError):
        follower(text, game_id=game_id)


@pytest.mark.parametrize("seed", seeds(8))
def test_arbiter_follower_and_engine_library_agree_on_every_position_with_removals(seed):
    """Three implementations read the same list of moves, and must agree."""
    chance = random.Random(seed)
    clock = Clock([TimeControl.parse("none")] * 4, [0] * 4)
    judge = Arbiter(FOUR, FOUR.start(), (), clock, Adjudication(repetition=None))
    followed = follower()
    while not judge.over and judge.plies < 24:
        if chance.random() < 0.08:
            seat = chance.choice([seat for seat in range(4) if judge.in_play(seat)])
            judge.on_forfeit({seat: Forfeit(Termination.CRASH, "is gone")})
        else:
            move = chance.choice(list(islice(judge.position.legal_moves(), 20)))
            judge.on_move(str(move), 0, 0, "")
        followed.follow(judge.line[-1])
        if not judge.over:  # after the last ply, no seat is to move
            assert followed.position == judge.position
            assert Turn("quoridor4", moves=judge.line).replay(FOUR) == judge.position
    assert len(followed.removed) == sum(text.startswith("!") for text in judge.line)
