"""Compares the rules of each game with a second implementation, and tests laws that hold in every position.

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
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee import MoveError, Position, PositionError, game
from referee.registry import BUILT_IN
from tests.seeds import examples, seeds

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
FREE_SPACING = {"quoridor", "quoridor4"}
"""Games in whose position strings any run of white space counts as one space."""
EACH_GAME = pytest.mark.parametrize("game_id", BUILT_IN)
ALIKE = ("movers-hoppers-expert", "rampants", "rodeurs-diagonal")
"""Games that read and print by the code of another game: only `make test-slow` tests how they do it."""
EACH_CODE = pytest.mark.parametrize(
    "game_id", [pytest.param(id_, marks=[pytest.mark.slow] if id_ in ALIKE else []) for id_ in BUILT_IN]
)
GAMES_PLAYED = 4
LONGEST = 150

few = examples(8)


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
    found = list(module(game_id).SPECIAL[game_id])
    for seed in seeds(max(2, GAMES_PLAYED // COSTLY.get(game_id, 1))):
        played = [str(position) for position in walk(game_id, seed)]
        found += rng.sample(played, min(len(played), 20)) + played[-2:]
    return list(dict.fromkeys(found))


@cache
def with_moves(game_id: str, text: str) -> tuple[Position, list[Any]]:
    """A position and its legal moves."""
    position = game(game_id).parse_position(text)
    return position, list(position.legal_moves())


def some(game_id: str, count: int) -> list[str]:
    """Position strings of the pool, the same in every run."""
    found = pool(game_id)
    return random.Random(game_id).sample(found, min(len(found), count // COSTLY.get(game_id, 1)))


def drawn(game_id: str) -> st.SearchStrategy[str]:
    return st.deferred(lambda: st.sampled_from(pool(game_id)))


def canonical(successors: dict[str, str]) -> dict[str, str]:
    """The one text for each successor: the shortest, then the smallest."""
    best: dict[str, str] = {}
    for text, after in successors.items():
        if after not in best or (len(text), text) < (len(best[after]), best[after]):
            best[after] = text
    return {text: after for after, text in best.items()}


def single_spaced(text: str) -> str:
    return re.sub(r"[ \t]+", " ", text).strip(" ")


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


@EACH_CODE
def test_every_listed_move_is_accepted_and_leads_somewhere_else_than_the_others(game_id: str) -> None:
    for text in some(game_id, 24):
        position, moves = with_moves(game_id, text)
        assert (moves == []) == (position.outcome() is not None)
        assert all(position.parse_move(str(move)) == move for move in moves)
        assert len({position.play(move) for move in moves}) == len(moves)
        assert len({str(move) for move in moves}) == len(moves)


@EACH_CODE
def test_printing_is_the_inverse_of_reading(game_id: str) -> None:
    for text in some(game_id, 24):
        position, moves = with_moves(game_id, text)
        assert str(position) == text
        for move in moves[:: len(moves) // 25 + 1]:  # hops has hundreds
            after = position.play(move)
            again = game(game_id).parse_position(str(after))
            assert (again, hash(again), again.key()) == (after, hash(after), after.key())
            assert (again.turn, again.outcome()) == (after.turn, after.outcome())
            assert again.turn == (position.turn + 1) % game(game_id).info.players


@EACH_CODE
@few
@given(data=st.data())
def test_a_mutated_position_string_is_refused_in_one_line_or_printed_as_it_was(
    game_id: str, data: st.DataObject
) -> None:
    text = data.draw(drawn(game_id))
    letters = st.sampled_from([*set(text), "x", "0", "9", "-", "\t", "\u0661"])
    for _ in range(data.draw(st.integers(1, 3))):
        place, length = data.draw(st.integers(0, len(text))), data.draw(st.integers(0, 2))
        text = text[:place] + "".join(data.draw(st.lists(letters, max_size=2))) + text[place + length :]
    try:
        position = game(game_id).parse_position(text)
    except PositionError as error:
        shown, field = str(error), error.field
    else:
        assert str(position) == (single_spaced(text) if game_id in FREE_SPACING else text)
        position.outcome()
        position.diagram()
        assert all(position.play(move) is not None for move in position.legal_moves())
        return
    assert shown.startswith(f"{field}: ")
    assert shown.isprintable()


@EACH_CODE
@few
@given(data=st.data())
def test_a_mutated_move_is_a_legal_one_or_a_move_error_in_one_line(game_id: str, data: st.DataObject) -> None:
    position, moves = with_moves(game_id, data.draw(drawn(game_id)))
    text = str(data.draw(st.sampled_from(moves))) if moves else "pass"
    letters = st.sampled_from([*set(text), "a", "1", "5", ",", "*", "#", "+", ">", "@", " "])
    for _ in range(data.draw(st.integers(1, 3))):
        place, length = data.draw(st.integers(0, len(text))), data.draw(st.integers(0, 2))
        text = text[:place] + "".join(data.draw(st.lists(letters, max_size=3))) + text[place + length :]
    try:
        move = position.parse_move(text)
    except MoveError as error:
        sentence = str(error)
    else:
        assert position.play(move) in {position.play(other) for other in moves}
        return
    assert sentence.isprintable()


@EACH_CODE
@few
@given(data=st.data(), text=st.text())
def test_any_text_is_a_move_error_or_a_position_error_in_one_line(
    game_id: str, data: st.DataObject, text: str
) -> None:
    position = game(game_id).parse_position(data.draw(drawn(game_id)))
    for read, kind in ((position.parse_move, MoveError), (game(game_id).parse_position, PositionError)):
        with pytest.raises(kind) as caught:
            read(text)
        assert str(caught.value).isprintable()


@EACH_GAME
def test_boards_are_drawn_with_and_without_unicode(game_id: str) -> None:
    for text in some(game_id, 12):
        position, _ = with_moves(game_id, text)
        assert position.diagram(ascii_only=True).isascii()
        assert len(position.diagram().splitlines()) == len(position.diagram(ascii_only=True).splitlines())
