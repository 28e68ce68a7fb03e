"""Explains why a text is not a legal move in a position of Quatre en ligne."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NoReturn

from referee.errors import IllegalMove, MoveSyntaxError
from referee.games.common import check_move_text, quoted, refuse_pass
from referee.games.quatre_en_ligne.board import (
    BIT,
    FARTHEST,
    MOVE,
    NOTATION,
    PASS,
    PLAYERS,
    Coordinates,
    QuatreMove,
    beside,
    free_sides,
    is_placing,
    named,
    place_of,
    read_text,
    splits,
    square_of,
)

_LOOSE_PLACE = r"[+-]?[0-9]+,[+-]?[0-9]+"
_LOOSE_MOVE = re.compile(f"{_LOOSE_PLACE}(?:>{_LOOSE_PLACE}(?:@{_LOOSE_PLACE})?)?")


def refuse(
    text: str,
    corner: Coordinates,
    tiles: int,
    pieces: tuple[int, int],
    turn: int,
    winner: int | None,
    moves: Iterator[QuatreMove],
) -> NoReturn:
    """Raise the error that says why a text is none of the legal ``moves`` in a position with these tiles."""
    move = read_text(text)
    if move is None:
        _refuse_text(text)
    if winner is not None:
        raise IllegalMove(f"the game is over: {PLAYERS[winner]} has four in a line")
    if move is PASS:
        refuse_pass(PLAYERS[turn], moves)
    if move.source is not None:
        _check_source(move.source, corner, pieces, turn)
    elif not is_placing(pieces):
        raise IllegalMove(
            "all twelve pieces are placed: a move names the piece's place and its target, as in 2,1>3,2"
        )
    if move.taken is None:
        _check_target(move.target, corner, tiles, pieces)
    else:
        _check_tile(move.taken, move.target, corner, tiles, pieces)
    assert move.source is not None  # a new piece needs only a tile
    middle = (square_of(move.source, corner) + square_of(move.target, corner)) // 2
    raise IllegalMove(
        f"the piece at {named(move.source)} cannot jump to {named(move.target)}: "
        f"there is no piece at {named(place_of(middle, corner))}"
    )


def _refuse_text(text: str) -> NoReturn:
    """Say why a text is not a move in any position."""
    check_move_text(text)
    if MOVE.fullmatch(text):
        way, _, taken = text.partition("@")
        if read_text(way) is None:
            reason = (
                "a piece steps to one of the eight places around it, or jumps two places in a straight line"
            )
        elif taken == way.partition(">")[2]:
            reason = "a tile must be laid at another place"
        else:
            reason = "the tile under the moving piece cannot be taken"
    elif _LOOSE_MOVE.fullmatch(text):
        reason = (
            f"coordinates are from -{FARTHEST} to {FARTHEST}, without a plus sign, leading zeros or a minus "
            "before 0"
        )
    else:
        reason = f"a move is {NOTATION}"
    raise MoveSyntaxError(f"{quoted(text)} is no move: {reason}")


def _check_source(place: Coordinates, corner: Coordinates, pieces: tuple[int, int], turn: int) -> None:
    """Raise IllegalMove unless the piece at a place may move now."""
    if is_placing(pieces):
        raise IllegalMove("no piece moves before all twelve are placed")
    owner, player = _owner(square_of(place, corner), pieces), PLAYERS[turn]
    if owner is None:
        raise IllegalMove(f"there is no piece at {named(place)}")
    if owner != player:
        raise IllegalMove(f"it is {player}'s turn, and the piece at {named(place)} is {owner}'s")


def _check_target(place: Coordinates, corner: Coordinates, tiles: int, pieces: tuple[int, int]) -> None:
    """Raise IllegalMove unless a place has a tile without a piece."""
    square = square_of(place, corner)
    if not tiles & BIT[square]:
        raise IllegalMove(f"there is no tile at {named(place)}")
    if owner := _owner(square, pieces):
        raise IllegalMove(f"{owner}'s piece is at {named(place)} already")


def _check_tile(
    taken_place: Coordinates, place: Coordinates, corner: Coordinates, tiles: int, pieces: tuple[int, int]
) -> None:
    """Raise IllegalMove unless the tile at ``taken_place`` can be laid at ``place``."""
    taken, target = square_of(taken_place, corner), square_of(place, corner)
    if not tiles & BIT[taken]:
        raise IllegalMove(f"there is no tile at {named(taken_place)}")
    problem = f"the tile at {named(taken_place)} cannot be taken: "
    if owner := _owner(taken, pieces):
        raise IllegalMove(f"{problem}{owner}'s piece is on it")
    free = free_sides(tiles, taken)
    if free < 2:
        raise IllegalMove(f"{problem}{('none', 'only one')[free]} of its sides is free")
    if splits(tiles, taken):
        raise IllegalMove(f"{problem}the others would not be connected without it")
    if tiles & BIT[target]:
        raise IllegalMove(f"no tile can be laid at {named(place)}: there is one already")
    if not beside(tiles ^ BIT[taken]) & BIT[target]:
        raise IllegalMove(f"no tile can be laid at {named(place)}: it would share no side with another tile")


def _owner(square: int, pieces: tuple[int, int]) -> str | None:
    """The player whose piece is on a square, or None."""
    for player, squares in zip(PLAYERS, pieces, strict=True):
        if squares & BIT[square]:
            return player
    return None
