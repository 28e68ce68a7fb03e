"""Compares the rules of each game with a second implementation. `check_game` tests the laws of all games.

A second implementation is the module ``slow_rules`` in a game's folder, with a class ``Slow``. It follows the
text of the rules, with sets of coordinates, and speed does not matter:

* ``Slow.read(game_id, text)`` reads a position string without checking it;
* ``str(slow)`` is the position string;
* ``slow.successors()`` maps legal texts to the positions after them. It has the canonical text of each
  distinct successor, and perhaps other texts. It is empty if the game is over;
* ``slow.result()`` is None or ``(ranks, reason)``;
* ``SPECIAL`` maps game ids to position strings that random games rarely reach.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any

import pytest

from referee import Position, game
from referee.registry import BUILT_IN
from tests.seeds import seeds

MANY = {
    "quoridor": 3000,
    "quoridor4": 3000,
    "movers-hoppers": 3000,
    "movers-hoppers-expert": 3000,
    "rampants": 3000,
    "eclaircissement": 2000,
    "quatre-en-ligne": 2000,
    "rodeurs": 1000,
    "rodeurs-diagonal": 300,
    "hops": 300,
}
"""Positions of random games that the slow tests compare: as many as a minute or so allows."""
COSTLY = {"quatre-en-ligne": 2, "rodeurs": 2, "rodeurs-diagonal": 6, "hops": 8}
"""Games with so many moves that a position costs as much as this many of other games, or more."""
EACH_GAME = pytest.mark.parametrize("game_id", BUILT_IN)
GAMES_PLAYED = 4
LONGEST = 150


def module(game_id: str) -> Any:
    """The second implementation, in the folder with the same name as the folder of the rules."""
    folder = BUILT_IN[game_id].split(".")[2]
    return import_module(f"tests.referee.games.{folder}.slow_rules")


def walk(game_id: str, seed: int) -> Iterator[Position]:
    """The positions of a random game."""
    rng = random.Random(seed)
    position = game(game_id).start()
    for _ in range(LONGEST):
        yield position
        moves = list(position.legal_moves())
        if not moves:
            return
        position = position.play(rng.choice(moves))


@cache
def pool(game_id: str) -> list[str]:
    """The special position strings, and a sample from some random games."""
    rng = random.Random(game_id)
    positions = list(module(game_id).SPECIAL[game_id])
    for seed in seeds(max(2, GAMES_PLAYED // COSTLY.get(game_id, 1))):
        played = [str(position) for position in walk(game_id, seed)]
        positions += rng.sample(played, min(len(played), 20)) + played[-2:]
    return list(dict.fromkeys(positions))


def some(game_id: str, count: int) -> list[str]:
    """Position strings of the pool, the same in every run."""
    positions = pool(game_id)
    return random.Random(game_id).sample(positions, min(len(positions), count // COSTLY.get(game_id, 1)))


def canonical(successors: dict[str, str]) -> dict[str, str]:
    """The one text for each successor: the shortest, then the smallest."""
    best: dict[str, str] = {}
    for text, after in successors.items():
        if after not in best or (len(text), text) < (len(best[after]), best[after]):
            best[after] = text
    return {text: after for after, text in best.items()}


@EACH_GAME
def test_both_implementations_agree_on_moves_successors_and_result(game_id: str) -> None:
    for text in some(game_id, 8):
        compare(game_id, text)


@EACH_GAME
def test_both_implementations_agree_on_positions_that_random_play_hardly_meets(game_id: str) -> None:
    for text in module(game_id).SPECIAL[game_id][:: 3 if COSTLY.get(game_id, 1) > 2 else 1]:
        compare(game_id, text)


@pytest.mark.slow  # some of the positions of a costly game take as long as all of the others together
@EACH_GAME
def test_both_implementations_agree_on_all_positions_that_random_play_hardly_meets(game_id: str) -> None:
    for text in module(game_id).SPECIAL[game_id]:
        compare(game_id, text)


@pytest.mark.slow
@pytest.mark.parametrize(("game_id", "count"), MANY.items())
def test_both_implementations_agree_on_thousands_of_positions(game_id: str, count: int) -> None:
    numbers = itertools.count(seeds(1)[0] + 1000)
    positions = (str(position) for seed in numbers for position in walk(game_id, seed))
    for text in itertools.islice(positions, count):
        compare(game_id, text)


def compare(game_id: str, text: str) -> None:
    """Compare moves, successors and result of one position."""
    position = game(game_id).parse_position(text)
    slow = module(game_id).Slow.read(game_id, text)
    assert str(position) == str(slow) == text
    outcome = position.outcome()
    assert (None if outcome is None else (outcome.ranks, outcome.reason)) == slow.result()
    successors = {move: str(after) for move, after in slow.successors().items()}
    moves = {str(move): move for move in position.legal_moves()}
    listed = {text: str(position.play(move)) for text, move in moves.items()}
    assert listed == canonical(successors)
    read = {move: position.parse_move(move) for move in successors}
    others = {text: str(position.play(move)) for text, move in read.items() if move != moves.get(text)}
    assert listed | others == successors
    if game_id != "quatre-en-ligne":  # where shifted positions have the same key
        assert len({position.play(move).key() for move in moves.values()}) == len(moves)
