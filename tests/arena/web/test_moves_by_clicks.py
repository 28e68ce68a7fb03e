"""Tests of the parts of moves: exactly the legal moves of every game can be put together."""

import random

import pytest

from arena.web.boards import Choice, Part, places, ways_to_move
from arena.web.boards.moves import choices, cut, paths
from referee import game, game_ids
from tests.seeds import seeds

POSITIONS = 4


def line(id_, seed, plies):
    """Yield positions of a random game, some plies apart."""
    rng = random.Random(f"{id_} {seed}")
    position = game(id_).start()
    for number in range(plies):
        if position.outcome() is not None:
            return
        if number % (plies // POSITIONS) == 0:
            yield position
        position = position.play(rng.choice([*position.legal_moves()]))


@pytest.mark.parametrize("id_", game_ids())
def test_every_legal_move_can_be_built_and_nothing_else(id_):
    for position in line(id_, 1, 24):
        legal = {str(move): position.play(move) for move in position.legal_moves()}
        after = set(legal.values())
        found = ways_to_move(id_, position)
        assert {choice.text for choice in found} >= legal.keys()
        for choice in found:
            # Every text, also of actions in the other order, leads where a legal move leads.
            assert position.play(position.parse_move(choice.text)) in after
            assert sorted("".join(part.text for part in choice.parts)) == sorted(choice.text)


@pytest.mark.parametrize("id_", game_ids())
def test_no_two_moves_are_made_of_the_same_parts_and_each_place_is_on_the_board(id_):
    for position in line(id_, 2, 24):
        names = {place.name for place in places(id_, position)}
        found = ways_to_move(id_, position)
        assert len({choice.parts for choice in found}) == len(found)
        assert {part.place for choice in found for part in choice.parts if part.place} <= names


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("e2", ["e2"]),
        ("e3h", ["e3h"]),
        ("a1c1c3+", ["a1", "c1", "c3", "+"]),
        ("2,1>3,2", ["2,1", ">3,2"]),
        ("3,1>-5,-1@4,0", ["3,1", ">-5,-1", "@4,0"]),
        ("c3c5,f7f5", ["c3", "c5", ",f7", "f5"]),
        ("b5*b3d3f1", ["b5", "*b3", "d3", "f1"]),
        ("f4*d4b2#", ["f4", "*d4", "b2", "#"]),
        ("a1b2*#", ["a1", "b2", "*#"]),
        ("e7e8q", ["e7", "e8", "q"]),
        ("pass", ["pass"]),
        ("d1d2,a1a2", ["d1", "d2", ",a1", "a2"]),
    ],
)
def test_a_move_is_cut_at_its_places_and_signs(text, parts):
    assert [part.text for part in cut(text, {"e3h"})] == parts


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("e2", [["e2"]]),
        ("a1c1c3+", [["a1", "c1", "c3"]]),
        ("c3c5,f7f5", [["c3", "c5"], ["f7", "f5"]]),
        ("3,1>-5,-1", [["3,1", "-5,-1"]]),
        ("pass", []),
    ],
)
def test_a_move_has_a_path_for_each_action(text, found):
    assert paths(text) == found


def test_the_letters_of_a_setup_are_parts():
    found = choices(game("movers-hoppers").start(), (), {"m": "a mover", "h": "a hopper"})
    assert found[0] == Choice(
        "hhhmmm", tuple(Part(letter, "", {"m": "a mover", "h": "a hopper"}[letter]) for letter in "hhhmmm")
    )
    assert len(found) == 20


def test_the_letters_of_a_setup_have_the_squares_of_the_camp():
    for moves, squares in (((), "a1 b1 c1 a2 b2 c2"), (("mmmhhh",), "a8 b8 c8 a7 b7 c7")):
        position = game("rampants").start()
        for text in moves:
            position = position.play(position.parse_move(text))
        found = ways_to_move("rampants", position)
        assert {tuple(part.place for part in choice.parts) for choice in found} == {tuple(squares.split())}


def test_two_actions_can_be_chosen_in_both_orders():
    texts = {choice.text for choice in ways_to_move("hops", game("hops").start())}
    assert {"a1a2,d1d2", "d1d2,a1a2"} <= texts


def test_a_tile_can_be_chosen_before_the_piece():
    position = game("quatre-en-ligne").parse_position("__wrr/rrrw_/wr__w/__w_w 0,0 0 0 w")
    found = ways_to_move("quatre-en-ligne", position)
    first = {choice.parts[0].text[0] for choice in found if "@" in choice.text}
    assert "@" in first
    assert len(first) > 1


@pytest.mark.parametrize("seed", seeds(3))
@pytest.mark.parametrize("id_", game_ids())
def test_places_have_names_and_boxes_of_their_own(id_, seed):
    for position in line(id_, seed, 12):
        found = places(id_, position)
        assert len({place.name for place in found}) == len(found)
        assert len({(place.row, place.column) for place in found}) == len(found)
        assert len({place.box for place in found}) == len(found)
        assert all(place.name in place.label for place in found)
