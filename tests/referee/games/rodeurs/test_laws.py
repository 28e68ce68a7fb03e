"""Rôdeurs: symmetry, counts, and random positions compared with the second implementation."""

from __future__ import annotations

import random

import pytest

from referee import Outcome, game
from referee.games.rodeurs.position import RodeursPosition
from referee.perft import perft
from tests.referee.games.rodeurs.slow_rules import SPECIAL, Slow, random_position
from tests.seeds import seeds

IDS = pytest.mark.parametrize("game_id", ["rodeurs", "rodeurs-diagonal"])


def read(text: str, game_id: str = "rodeurs") -> RodeursPosition:
    found = game(game_id).parse_position(text)
    assert isinstance(found, RodeursPosition)
    return found


def start(game_id: str = "rodeurs") -> RodeursPosition:
    return read(str(game(game_id).start()), game_id)


def listed(there: RodeursPosition) -> list[str]:
    return [str(move) for move in there.legal_moves()]


@IDS
def test_both_implementations_agree_on_random_positions(game_id: str) -> None:
    for seed in seeds(15 if game_id == "rodeurs" else 6):  # with diagonal jumps there are many more moves
        text = random_position(random.Random(seed))
        there, slow = read(text, game_id), Slow.read(game_id, text)
        successors = {str(after) for after in slow.successors().values()}
        assert sorted(str(there.play(move)) for move in there.legal_moves()) == sorted(successors)


@IDS
@pytest.mark.parametrize("number", range(0, len(SPECIAL["rodeurs"]), 3))
def test_mirrors_keep_the_number_of_lines_and_mirror_the_moves(game_id: str, number: int) -> None:
    text = SPECIAL[game_id][number]
    squares, pawns, player = text.split()
    there = read(text, game_id)
    sideways = read(
        " ".join("/".join(row[::-1] for row in field.split("/")) for field in text.split()), game_id
    )
    upside_down = read(f"{squares} {'/'.join(pawns.split('/')[::-1])} {player}", game_id)
    for mirrored, letters in ((sideways, str.maketrans("abcdefg", "gfedcba")), (upside_down, UP_AND_DOWN)):
        successors = {mirrored.play(mirrored.parse_move(move.translate(letters))) for move in listed(there)}
        assert len(successors) == len(listed(there)) == len(listed(mirrored))
    assert sideways.outcome() == there.outcome()
    outcome = there.outcome()
    if outcome is not None:  # the players change quarters
        assert outcome.scores is not None
        assert upside_down.outcome() == Outcome(outcome.ranks[::-1], outcome.reason, outcome.scores[::-1])


UP_AND_DOWN = str.maketrans("123456789", "987654321")


@pytest.mark.parametrize(("game_id", "counts"), [("rodeurs", [14, 2964]), ("rodeurs-diagonal", [34, 26842])])
def test_perft_from_the_start(game_id: str, counts: list[int]) -> None:
    assert [perft(start(game_id), depth) for depth in (1, 2)] == counts
