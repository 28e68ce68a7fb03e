"""Rôdeurs: symmetry, counts, and random positions compared with the second implementation."""

from __future__ import annotations

import random

import pytest

from referee import Outcome, game
from referee.perft import perft
from tests.referee.games.rodeurs.slow_rules import SPECIAL, Slow, random_position
from tests.referee.games.texts import after, listed
from tests.seeds import seeds

EACH_GAME = pytest.mark.parametrize("game_id", SPECIAL)


@EACH_GAME
def test_both_implementations_agree_on_random_positions(game_id: str) -> None:
    for seed in seeds(8 if game_id == "rodeurs" else 3):  # with diagonal jumps there are many more moves
        text = random_position(random.Random(seed))
        there, slow = game(game_id).parse_position(text), Slow.read(game_id, text)
        successors = {str(later) for later in slow.successors().values()}
        assert sorted(str(there.play(move)) for move in there.legal_moves()) == sorted(successors)


@EACH_GAME
@pytest.mark.parametrize("number", range(0, len(SPECIAL["rodeurs"]), 3))
def test_mirrors_keep_the_number_of_lines_and_mirror_the_moves(game_id: str, number: int) -> None:
    text = SPECIAL[game_id][number]
    squares, pawns, player = text.split()
    position = game(game_id).parse_position
    there = position(text)
    sideways = position(" ".join("/".join(row[::-1] for row in field.split("/")) for field in text.split()))
    upside_down = position(f"{squares} {'/'.join(pawns.split('/')[::-1])} {player}")
    for mirrored, letters in ((sideways, str.maketrans("abcdefg", "gfedcba")), (upside_down, UP_AND_DOWN)):
        successors = {after(mirrored, move.translate(letters)) for move in listed(there)}
        assert len(successors) == len(listed(there)) == len(listed(mirrored))
    assert sideways.outcome() == there.outcome()
    outcome = there.outcome()
    if outcome is not None:  # the players change quarters
        assert outcome.scores is not None
        assert upside_down.outcome() == Outcome(outcome.ranks[::-1], outcome.reason, outcome.scores[::-1])


UP_AND_DOWN = str.maketrans("123456789", "987654321")


@pytest.mark.parametrize(("game_id", "counts"), [("rodeurs", [14, 2964]), ("rodeurs-diagonal", [34, 26842])])
def test_perft_from_the_start(game_id: str, counts: list[int]) -> None:
    assert [perft(game(game_id).start(), depth) for depth in (1, 2)] == counts
