"""Quoridor's rules against a plain second implementation, and laws that hold in every position."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee import MoveError, PositionError, game
from referee.games.quoridor import QuoridorPosition
from tests.referee.slow_quoridor import Slow, name, random_position

GAMES = {2: game("quoridor"), 4: game("quoridor4")}
PLAYERS = pytest.mark.parametrize("players", [2, 4])

EVERY_TEXT = [
    name(column, row) + kind for kind in ("", "h", "v") for row in range(9) for column in range(9)
] + ["pass"]

few = settings(max_examples=20, deadline=None, derandomize=True)
many = settings(max_examples=100, deadline=None, derandomize=True)


@cache
def pool(players: int) -> list[Slow]:
    """Made once, since the plain implementation takes its time."""
    return [random_position(random.Random(seed), players) for seed in range(100)]


def drawn(players: int) -> st.SearchStrategy[Slow]:
    return st.deferred(lambda: st.sampled_from(pool(players)))


def quick(slow: Slow) -> QuoridorPosition:
    found = GAMES[slow.players].parse_position(str(slow))
    assert isinstance(found, QuoridorPosition)
    return found


def texts(position: QuoridorPosition) -> list[str]:
    return [str(move) for move in position.legal_moves()]


def accepts(position: QuoridorPosition, text: str) -> bool:
    try:
        return str(position.parse_move(text)) == text
    except MoveError:
        return False


@PLAYERS
@few
@given(data=st.data())
def test_both_implementations_agree_on_moves_and_successors(players: int, data: st.DataObject) -> None:
    slow = data.draw(drawn(players))
    position = quick(slow)
    expected = slow.moves()
    assert sorted(texts(position)) == sorted(expected)
    assert position.count_moves() == len(expected)
    assert {text for text in EVERY_TEXT if accepts(position, text)} == set(expected)
    for text in expected:
        assert str(position.play(position.parse_move(text))) == str(slow.play(text))


@PLAYERS
@settings(max_examples=8, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32))
def test_both_implementations_agree_through_whole_games(players: int, seed: int) -> None:
    rng = random.Random(seed)
    slow = Slow.start(players)
    position = quick(slow)
    for _ in range(300):
        assert str(position) == str(slow)
        outcome = position.outcome()
        assert (None if outcome is None else outcome.winner) == slow.winner()
        if outcome is not None:
            break
        pawn_moves = [text for text in texts(position) if len(text) != 3]
        assert pawn_moves == ["pass"] or set(pawn_moves) == {name(*target) for target in slow.pawn_targets()}
        text = rng.choice(pawn_moves if pawn_moves and rng.random() < 0.6 else texts(position))
        slow = slow.play(text)
        position = position.play(position.parse_move(text))


@PLAYERS
@many
@given(data=st.data())
def test_every_listed_move_is_accepted_and_leads_somewhere_else_than_the_others(
    players: int, data: st.DataObject
) -> None:
    position = quick(data.draw(drawn(players)))
    moves = list(position.legal_moves())
    assert moves
    assert all(position.parse_move(str(move)) == move for move in moves)
    assert len({position.play(move).key() for move in moves}) == len(moves)


@PLAYERS
@many
@given(data=st.data())
def test_printing_is_the_inverse_of_reading_and_keys_tell_positions_apart(
    players: int, data: st.DataObject
) -> None:
    slow = data.draw(drawn(players))
    position = quick(slow)
    assert str(position) == str(slow)
    successor = position.play(data.draw(st.sampled_from(list(position.legal_moves()))))
    again = GAMES[players].parse_position(str(successor))
    assert again == successor
    assert hash(again) == hash(successor)
    assert successor.key() != position.key()
    assert again.outcome() == successor.outcome()


@PLAYERS
@many
@given(data=st.data())
def test_a_damaged_string_is_refused_or_is_the_printed_form_of_what_was_read(
    players: int, data: st.DataObject
) -> None:
    text = str(data.draw(drawn(players)))
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(text)))
        length = data.draw(st.integers(0, 2))
        text = text[:place] + data.draw(st.text("abehiv/ 0159\t\u0661", max_size=2)) + text[place + length :]
    try:
        printed = str(GAMES[players].parse_position(text))
    except PositionError as error:
        shown, field = str(error), error.field
    else:
        assert printed == re.sub(r"[ \t]+", " ", text).strip()
        return
    assert shown.startswith(f"{field}: ")
    assert shown.isprintable()


@PLAYERS
@many
@given(data=st.data(), text=st.text() | st.from_regex(r"[a-z0-9]{1,4}", fullmatch=True))
def test_any_text_is_a_legal_move_or_a_move_error_in_one_line(
    players: int, data: st.DataObject, text: str
) -> None:
    position = quick(data.draw(drawn(players)))
    legal = texts(position)
    try:
        move = position.parse_move(text)
    except MoveError as error:
        sentence = str(error)
    else:
        assert str(move) in legal
        return
    assert sentence.isprintable()
    assert text not in legal


@PLAYERS
@many
@given(text=st.text())
def test_any_text_is_a_position_or_a_position_error_in_one_line(players: int, text: str) -> None:
    with pytest.raises(PositionError) as caught:
        GAMES[players].parse_position(text)
    assert str(caught.value).isprintable()


def moved(text: str, square: Callable[[int, int], tuple[int, int]], *, turned: bool = False) -> str:
    """A move's text on the board that ``square`` rearranges; a wall is known by its middle's four squares."""
    column, row = "abcdefghi".index(text[0]), int(text[1]) - 1
    if len(text) == 2:
        return name(*square(column, row))
    around = [square(column + right, row + up) for right in (0, 1) for up in (0, 1)]
    kind = {"h": "v", "v": "h"}[text[2]] if turned else text[2]
    return name(*min(around)) + kind


def rearranged(
    slow: Slow, square: Callable[[int, int], tuple[int, int]], *, turned: bool, seats: list[int]
) -> Slow:
    """The position on the rearranged board, where seat ``seats[k]`` takes over from seat k."""
    walls = set()
    for column, row, kind in slow.walls:
        text = moved(name(column, row) + kind, square, turned=turned)
        walls.add(("abcdefghi".index(text[0]), int(text[1]) - 1, text[2]))
    pawns, hands = list(slow.pawns), list(slow.hands)
    for seat, to in enumerate(seats):
        pawns[to], hands[to] = square(*slow.pawns[seat]), slow.hands[seat]
    return Slow(walls, pawns, hands, seats[slow.turn])


def mirrored(column: int, row: int) -> tuple[int, int]:
    return 8 - column, row


def half_turn(column: int, row: int) -> tuple[int, int]:
    return 8 - column, 8 - row


def quarter_turn(column: int, row: int) -> tuple[int, int]:
    """Clockwise: what was below is on the left."""
    return row, 8 - column


@pytest.mark.parametrize(
    ("square", "turned", "seats"),
    [
        pytest.param(mirrored, False, [0, 1], id="two: left and right exchanged"),
        pytest.param(half_turn, False, [1, 0], id="two: the players exchanged"),
        pytest.param(mirrored, False, [0, 3, 2, 1], id="four: left and right exchanged"),
        pytest.param(quarter_turn, True, [1, 2, 3, 0], id="four: everybody one seat on"),
    ],
)
@many
@given(data=st.data())
def test_the_rules_know_no_direction(
    square: Callable[[int, int], tuple[int, int]], turned: bool, seats: list[int], data: st.DataObject
) -> None:
    slow = data.draw(drawn(len(seats)))
    other = rearranged(slow, square, turned=turned, seats=seats)
    expected = {text if text == "pass" else moved(text, square, turned=turned) for text in texts(quick(slow))}
    assert set(texts(quick(other))) == expected
