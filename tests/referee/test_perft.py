"""Tests of perft: published counts, counts on which two implementations agree, and edge cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from referee import Position, game
from referee.perft import divide, perft

TABLES = json.loads(Path(__file__).parents[1].joinpath("data", "perft_quoridor.json").read_text("utf-8"))
PUBLISHED = {1: 131, 2: 16677, 3: 2062264, 4: 247569030}
WON = "/ / d9 e2 / 10 10 / 2"


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_quoridor_agrees_with_the_published_numbers(depth: int) -> None:
    assert perft(game("quoridor").start(), depth) == PUBLISHED[depth]


@pytest.mark.slow
def test_quoridor_agrees_with_the_published_number_of_depth_four() -> None:
    assert perft(game("quoridor").start(), 4) == PUBLISHED[4]


@pytest.mark.parametrize("row", TABLES, ids=lambda row: f"{row['game']}: {row['what']}")
def test_the_tables_of_both_games_hold(row: dict[str, Any]) -> None:
    position = game(row["game"]).parse_position(row["position"])
    quick = [count for count in row["counts"] if count < 100_000]
    assert [perft(position, depth) for depth in range(1, len(quick) + 1)] == quick


@pytest.mark.slow
@pytest.mark.parametrize("row", TABLES, ids=lambda row: f"{row['game']}: {row['what']}")
def test_the_tables_of_both_games_hold_to_their_last_column(row: dict[str, Any]) -> None:
    position = game(row["game"]).parse_position(row["position"])
    assert perft(position, len(row["counts"])) == row["counts"][-1]


def test_nothing_played_is_one_line() -> None:
    assert perft(game("quoridor").start(), 0) == 1
    assert perft(game("quoridor").parse_position(WON), 0) == 1


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_nothing_follows_a_finished_game(depth: int) -> None:
    assert perft(game("quoridor").parse_position(WON), depth) == 0


def test_a_game_that_ends_on_the_way_ends_its_lines() -> None:
    before = game("quoridor").parse_position("a1c1e1g1a3c3e3g3b5d5f5h5a7c7e7g7 / a2b2b8g8 / i8 e4 / 0 0 / 1")
    assert {str(move): count for move, count in divide(before, 2)} == {"i7": 3, "h8": 3, "i9": 0}


def test_divide_adds_up_and_keeps_the_order_of_legal_moves() -> None:
    start = game("quoridor4").start()
    divided = list(divide(start, 2))
    assert [move for move, _ in divided] == list(start.legal_moves())
    assert sum(count for _, count in divided) == perft(start, 2)


class OneAnswer:
    """A game with one move at every turn, and without ``count_moves``."""

    def __init__(self, moves: tuple[str, ...]) -> None:
        self.moves = moves

    def legal_moves(self) -> Any:
        return iter(self.moves)

    def play(self, move: str) -> OneAnswer:
        return OneAnswer(self.moves[1:] + self.moves[:1] * 2)


def test_a_position_need_not_offer_a_count() -> None:
    position: Position = OneAnswer(("a", "b"))  # type: ignore[assignment]
    assert [perft(position, depth) for depth in range(4)] == [1, 2, 6, 24]


@pytest.mark.parametrize(("count", "depth"), [(perft, -1), (divide, 0), (divide, -1)])
def test_an_impossible_depth_is_an_error(count: Any, depth: int) -> None:
    with pytest.raises(ValueError, match=rf"not {depth}$"):
        count(game("quoridor").start(), depth)
