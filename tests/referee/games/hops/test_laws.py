"""HOPS: symmetry, counts, and laws that hold in all positions."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from referee.games.hops.position import HOPS
from referee.perft import perft
from tests.referee.games.hops.slow_rules import SPECIAL, Slow
from tests.seeds import seeds

START = "rrrrrrr/7/7/7/7/7/bbbBbbb b"
ON = [text for text in SPECIAL["hops"] if "B" in text or "R" in text]
position = HOPS.parse_position


def left_right(text: str) -> str:
    board, side = text.split()
    return "/".join(row[::-1] for row in board.split("/")) + " " + side


def up_down(text: str) -> str:
    """The position upside down, with colours and turn exchanged."""
    board, side = text.split()
    swapped = str.maketrans("bBrR", "rRbB")
    return ("/".join(reversed(board.split("/"))) + " " + side).translate(swapped)


# Upside down, the colours change, too; both mirrors compare sets of moves of the same positions.
@pytest.mark.parametrize("mirror", [pytest.param(left_right, marks=pytest.mark.slow), up_down])
@pytest.mark.parametrize("text", SPECIAL["hops"])
def test_the_mirrored_board_has_the_mirrored_turns(text: str, mirror: Callable[[str], str]) -> None:
    here, there = position(text), position(mirror(text))
    after_here = {str(here.play(move)) for move in here.legal_moves()}
    after_there = {str(there.play(move)) for move in there.legal_moves()}
    assert after_there == {mirror(after) for after in after_here}
    assert (here.outcome() is None) == (there.outcome() is None)


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        (START, [100, 21600]),
        ("7/7/7/b1br3/brrr3/brb4/bBrr3 b", [2, 1474]),
        ("2b2r1/7/7/2b4/2b1rrr/2b2rr/3brbB b", [1, 669]),
        ("3Rbbb/3brbr/4rrb/4rrb/7/7/7 b", [149, 26840]),
        ("rr1rr1r/7/7/4Br1/2r4/7/b1bbbbb r", [741]),
    ],
)
def test_perft(text: str, counts: list[int]) -> None:
    for mirrored in (text, left_right(text), up_down(text)):
        assert perft(position(mirrored), 1) == counts[0]
    assert [perft(position(text), depth) for depth in range(1, len(counts) + 1)] == counts


def crowded(seed: int) -> str:
    """Random positions with pawns close together: many jumps, and sometimes a blocked player."""
    rng = random.Random(seed)
    column, row = rng.choice([(0, 0), (6, 0), (0, 6), (6, 6), (3, 3)])
    board = sorted(
        [(c, r) for c in range(7) for r in range(7)],
        key=lambda square: max(abs(square[0] - column), abs(square[1] - row)) + 2 * rng.random(),
    )
    pawns = {square: "br"[index % 2] for index, square in enumerate(board[:14])}
    return str(Slow(pawns, rng.choice(board[:14]), rng.choice("br")))


@pytest.mark.parametrize("seed", seeds(4))
def test_both_implementations_agree_on_crowded_boards(seed: int) -> None:
    text = crowded(seed)
    there, slow = position(text), Slow.read("hops", text)
    successors = slow.successors()
    assert {str(there.play(move)) for move in there.legal_moves()} == set(successors.values())
    assert {move: str(there.play(there.parse_move(move))) for move in successors} == successors
    assert (there.outcome() is None) == (slow.result() is None)


@pytest.mark.parametrize("text", ON)
def test_a_player_who_has_a_turn_has_not_lost_and_the_other_way_round(text: str) -> None:
    there = position(text)
    for here in (there, there.skip_turn()):
        assert (here.outcome() is None) == any(True for _ in here.legal_moves())
