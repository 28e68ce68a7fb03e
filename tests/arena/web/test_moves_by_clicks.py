"""Tests of the parts of moves: exactly the legal moves of every game can be put together."""

import random

import pytest

from arena.web.boards import places, ways_to_move
from arena.web.boards.moves import Choice, Part, choices, cut, paths, why_not
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


def test_the_letters_of_a_setup_are_parts_that_put_a_piece_on_a_square():
    found = choices(game("movers-hoppers").start(), (), {"m": "a mover", "h": "a hopper"})
    assert found[0] == Choice(
        "hhhmmm",
        (
            *(Part("h", square, "a hopper", "H") for square in ("a1", "b1", "c1")),
            *(Part("m", square, "a mover", "M") for square in ("a2", "b2", "c2")),
        ),
    )
    assert len(found) == 20


def test_the_letters_of_a_setup_have_the_squares_of_the_camp():
    for moves, squares in (((), "a1 b1 c1 a2 b2 c2"), (("mmmhhh",), "a8 b8 c8 a7 b7 c7")):
        position = game("rampants").start()
        for text in moves:
            position = position.play(position.parse_move(text))
        found = ways_to_move("rampants", position)
        assert {tuple(part.place for part in choice.parts) for choice in found} == {tuple(squares.split())}


def pieces_drawn(position, choice):
    """The pieces that a page draws when all parts of a way are chosen."""
    pieces = dict(position.scene().pieces)
    paths = [[]]
    for part in choice.parts:
        if part.text.startswith(","):
            paths.append([])
        if part.piece:
            pieces[part.place] = part.piece
        elif part.place and not part.text.startswith("@"):
            paths[-1].append(part.place)
    for path in paths:
        if choice.parts[0].text.startswith("@"):
            path.reverse()  # the piece is chosen last
        if len(path) > 1:
            pieces[path[-1]] = pieces.pop(path[0])
    pieces |= {paths[number][-1]: key for number, key in choice.becomes.items()} | choice.stands
    return {place: key for place, key in pieces.items() if key}


@pytest.mark.parametrize("id_", game_ids())
def test_a_page_draws_the_board_after_each_move_from_its_parts(id_):
    for position in line(id_, 3, 24):
        for choice in ways_to_move(id_, position)[::3]:
            after = position.play(position.parse_move(choice.text)).scene()
            assert pieces_drawn(position, choice) == dict(after.pieces), choice


BALL_STAYS = (
    "Blue has the ball and must change its square in this turn: the carrier on d1 moves, or another pawn"
    " takes the ball"
)


def refused(id_, start, chosen, place):
    """Why a place cannot follow."""
    position = game(id_).parse_position(start) if start else game(id_).start()
    names = {one.name for one in places(id_, position)}
    return why_not(position, ways_to_move(id_, position), chosen, place, names)


@pytest.mark.parametrize(
    ("id_", "start", "chosen", "place", "why"),
    [
        ("quoridor", "", "", "e5", "the pawn on e1 cannot reach e5: it is too far away"),
        ("quoridor", "e3 / / e1 e9 / 9 10 / 1", "", "e3v", "a wall at e3v would cross the wall e3h"),
        ("chess", "", "e2", "e5", "the pawn on e2 cannot go to e5"),
        ("chess", "", "", "e7", "white has no piece on e7"),
        ("hops", "", "a1", "a4", "a1 to a4 is neither a step nor a jump over one pawn"),
        ("hops", "", "", "a7", "it is Blue's turn, and the pawn on a7 is Red's"),
        ("hops", "", "a1a2", "c4", "there is no pawn on c4"),
        ("hops", "", "c1c2", "b1", BALL_STAYS),
        ("rodeurs", "", "", "a5", "there is no pawn on a5"),
        ("eclaircissement", "", "", "c3", "there is no pawn on c3"),
        ("quatre-en-ligne", "__wrr/rrrw_/wr__w/__w_w 0,0 0 0 w", "", "0,0", "there is no piece at 0,0"),
        ("chess", "", "", "a1", ""),  # the rules have a reason for each target, but not for the rook
    ],
)
def test_the_rules_say_why_a_place_cannot_follow(id_, start, chosen, place, why):
    assert refused(id_, start, chosen, place) == why


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
