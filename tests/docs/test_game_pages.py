"""Tests the pages of the games: the sample game, the perft table and the position strings."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from referee import game, game_ids
from referee.perft import perft

PAGES = Path(__file__).parents[2] / "docs" / "games"
WITH_PAGE = pytest.mark.parametrize("game_id", game_ids())


def text(game_id: str) -> str:
    return PAGES.joinpath(f"{game_id}.md").read_text(encoding="utf-8")


WITH_GAME = [game_id for game_id in game_ids() if "\n## A game\n" in text(game_id)]


def test_every_game_of_the_sheets_with_rules_on_its_own_page_has_a_sample_game() -> None:
    assert len(WITH_GAME) == 6


@pytest.mark.parametrize("game_id", WITH_GAME)
def test_the_sample_game_is_legal_comes_to_an_end_and_every_move_is_explained(game_id: str) -> None:
    moves, explained = text(game_id).split("```moves\n")[1].split("```\n")
    position = game(game_id).start()
    for move in moves.split():
        assert position.outcome() is None
        position = position.play(position.parse_move(move))
    assert position.outcome() is not None
    assert " ".join(re.findall(r"`([^`]*)`", explained)).split() == moves.split()


@WITH_PAGE
def test_the_perft_table_is_right(game_id: str) -> None:
    rows = re.findall(r"^\| `([^`]+)` \|((?: *\d* *\|)+)$", text(game_id), flags=re.MULTILINE)
    assert len(rows) >= 3
    for position, counts in rows:
        quick = [int(count) for count in re.findall(r"\d+", counts) if int(count) < 100_000]
        start = game(game_id).parse_position(position)
        assert [perft(start, depth) for depth in range(1, len(quick) + 1)] == quick


@WITH_PAGE
def test_the_start_position_is_shown(game_id: str) -> None:
    assert f"`{game(game_id).start()}`" in text(game_id)
