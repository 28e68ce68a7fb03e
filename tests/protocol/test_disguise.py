"""A disguise: exact in both directions for all games, and rules that fit it."""

import random

import pytest

from arena import manual
from protocol.disguise import Disguise
from protocol.wire.codec import NO_MOVE, RESERVED_MOVES
from referee.registry import BUILT_IN, game


@pytest.mark.parametrize("game_id", BUILT_IN)
def test_every_position_and_every_move_comes_back_as_it_was(game_id):
    chance = random.Random(game_id)
    rules = game(game_id)
    for seed in range(8):
        disguise = Disguise(seed)
        position = rules.start(None)
        for _ in range(60):
            text = str(position)
            assert disguise.show(disguise.hide(text)) == text
            moves = [str(move) for move in position.legal_moves()]
            hidden = [disguise.hide(move) for move in moves]
            assert [disguise.answer(move) for move in hidden] == moves
            assert not {*hidden} & {*NO_MOVE, *RESERVED_MOVES}
            if not moves or position.outcome() is not None:
                break
            position = position.play(position.parse_move(chance.choice(moves)))


def test_a_seed_gives_the_same_names_in_every_process_and_another_seed_gives_others():
    assert Disguise(7).hide("e2e4") == "b9b1"
    assert Disguise(8).hide("e2e4") != Disguise(7).hide("e2e4")


def test_what_is_no_move_keeps_its_word():
    disguise = Disguise(7)
    assert [disguise.answer(word) for word in ("resign", "(none)", "0000")] == ["resign", "(none)", "0000"]
    assert disguise.hide("!3") == "!3"


@pytest.mark.parametrize("game_id", BUILT_IN)
def test_the_rules_have_the_names_of_the_disguise_and_not_the_name_of_the_game(game_id):
    disguise = Disguise(7)
    page = manual.prose(manual.pages()[game_id])
    title = game(game_id).info.title.partition(",")[0]
    rules = disguise.rules(page, game_id, title)
    assert title not in rules
    assert game_id not in rules.split()
    example = "HOPS starts with the ball on d1, at row 1, written `bbbBbbb`; `goal` ends it."
    told = disguise.rules(example, "hops").rpartition("\n")[2]
    assert told == "the game starts with the ball on u3, at row 3, written `eeeEeee`; `goal` ends it."
