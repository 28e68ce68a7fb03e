"""Quoridor: laws that hold in every position, in addition to the laws of all games in `test_rules_agree`."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee import MoveError
from referee.games.quoridor.position import QUORIDOR, QUORIDOR4, QuoridorPosition
from tests.referee.games.quoridor.slow_rules import EVERYWHERE, PLAYERS, Slow, Square, name, special, square
from tests.referee.games.texts import listed
from tests.seeds import examples

RULES = {"quoridor": QUORIDOR, "quoridor4": QUORIDOR4}
EVERY_TEXT = [name(*place) + kind for kind in ("", "h", "v") for place in EVERYWHERE] + ["pass"]

many = examples(20)


def accepts(position: QuoridorPosition, text: str) -> bool:
    try:
        return str(position.parse_move(text)) == text
    except MoveError:
        return False


@pytest.mark.parametrize("game_id", PLAYERS)
@many
@given(data=st.data())
def test_of_all_texts_those_are_accepted_and_counted_that_are_listed(
    game_id: str, data: st.DataObject
) -> None:
    position = RULES[game_id].parse_position(data.draw(st.sampled_from(special()[game_id])))
    moves = listed(position)
    assert {text for text in EVERY_TEXT if accepts(position, text)} == set(moves)
    assert position.count_moves() == len(moves)


def moved(text: str, to: Callable[[int, int], Square], *, turned: bool = False) -> str:
    """The text of a move on the rearranged board. The four squares around its middle identify a wall."""
    column, row = square(text)
    if len(text) == 2:
        return name(*to(column, row))
    around = [to(column + right, row + up) for right in (0, 1) for up in (0, 1)]
    kind = {"h": "v", "v": "h"}[text[2]] if turned else text[2]
    return name(*min(around)) + kind


def rearranged(slow: Slow, to: Callable[[int, int], Square], *, turned: bool, seats: list[int]) -> Slow:
    """The position on the board that ``to`` rearranges, where seat ``seats[k]`` replaces seat k."""
    walls = set()
    for column, row, kind in slow.walls:
        text = moved(name(column, row) + kind, to, turned=turned)
        walls.add((*square(text), text[2]))
    pawns, hands = list(slow.pawns), list(slow.hands)
    for seat, other in enumerate(seats):
        pawns[other], hands[other] = to(*slow.pawns[seat]), slow.hands[seat]
    return Slow(walls, pawns, hands, seats[slow.turn])


def mirrored(column: int, row: int) -> Square:
    return 8 - column, row


def half_turn(column: int, row: int) -> Square:
    return 8 - column, 8 - row


def quarter_turn(column: int, row: int) -> Square:
    """A quarter turn clockwise: the lower edge becomes the left edge."""
    return row, 8 - column


@pytest.mark.parametrize(
    ("game_id", "to", "turned", "seats"),
    [
        pytest.param("quoridor", mirrored, False, [0, 1], id="two: left and right exchanged"),
        pytest.param("quoridor", half_turn, False, [1, 0], id="two: the players exchanged"),
        pytest.param("quoridor4", mirrored, False, [0, 3, 2, 1], id="four: left and right exchanged"),
        pytest.param("quoridor4", quarter_turn, True, [1, 2, 3, 0], id="four: everybody one seat on"),
    ],
)
@many
@given(data=st.data())
def test_the_rules_know_no_direction(
    game_id: str, to: Callable[[int, int], Square], turned: bool, seats: list[int], data: st.DataObject
) -> None:
    text = data.draw(st.sampled_from(special()[game_id]))
    other = rearranged(Slow.read(game_id, text), to, turned=turned, seats=seats)
    position = RULES[game_id].parse_position
    moves = listed(position(text))
    expected = {move if move == "pass" else moved(move, to, turned=turned) for move in moves}
    assert set(listed(position(str(other)))) == expected
