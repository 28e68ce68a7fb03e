"""Irreversible moves: those that change a number that only grows or only shrinks, such as the walls left."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

import pytest

from referee import game, game_ids
from referee.game import irreversibility


def fields(*numbers: int) -> Callable[[str], object]:
    return lambda text: [text.split()[number] for number in numbers]


def letters(pattern: str) -> Callable[[str], object]:
    return lambda text: len(re.findall(pattern, text))


def walls_left(text: str) -> str:
    return re.split(r" ?/ ?", text)[3]


STOCKS: dict[str, Callable[[str], object]] = {
    "quoridor": walls_left,
    "quoridor4": walls_left,
    "movers-hoppers": letters("[MHmh]"),
    "eclaircissement": letters("[WR]"),
    "quatre-en-ligne": fields(2, 3),
    "rodeurs": letters("[gyr]"),
    "rampants": letters("[MHmh]"),
    "hops": lambda _: None,
}
"""What of a position string can only shrink or grow, by the first word of the game's id."""


@pytest.mark.parametrize("game_id", [word for word in game_ids() if not word.startswith("chess")])
def test_a_move_is_irreversible_if_it_changes_what_cannot_come_back(game_id: str) -> None:
    family = game_id.removesuffix("-expert").removesuffix("-diagonal")
    stock = STOCKS[family]
    rng = Random(game_id)
    seen = set()
    for _ in range(2):
        position = game(game_id).start()
        is_irreversible = irreversibility(position)
        for _ in range(60):
            if position.outcome() is not None:
                break
            move = rng.choice(list(position.legal_moves()))
            after = position.play(move)
            changed = stock(str(position)) != stock(str(after))
            if after.outcome() is None:
                assert is_irreversible(position, move) == changed, (str(position), str(move))
                seen.add(changed)
            position = after
    assert seen == {"rodeurs": {True}, "hops": {False}}.get(family, {True, False})
