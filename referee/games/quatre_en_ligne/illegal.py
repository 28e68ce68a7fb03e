"""Explains why a text is not a legal move in a position of Quatre en ligne."""

from __future__ import annotations

import re
from typing import NoReturn

from referee.errors import IllegalMove, MoveSyntaxError
from referee.games.common import check_move_text, quoted
from referee.games.quatre_en_ligne.position import (
    MOVE,
    NOTATION,
    PASS,
    PLAYERS,
    QuatreMove,
    QuatrePosition,
    read_text,
)
from referee.games.quatre_en_ligne.tiles import BIT, FARTHEST, Coordinates, beside, free_sides, named, splits

_LOOSE_PLACE = r"[+-]?[0-9]+,[+-]?[0-9]+"
_LOOSE_MOVE = re.compile(f"{_LOOSE_PLACE}(?:>{_LOOSE_PLACE}(?:@{_LOOSE_PLACE})?)?")


def refuse(text: str, position: QuatrePosition) -> NoReturn:
    """Raise the error that says why a text is not a legal move."""
    move = read_text(text)
    if move is None:
        _refuse_text(text)
    if position.winner is not None:
        raise IllegalMove(f"the game is over: {PLAYERS[position.winner]} has four in a line")
    if move is PASS:
        player, other = PLAYERS[position.turn], next(position.legal_moves())
        raise IllegalMove(f"{player} may not pass while there is another move, such as {other}")
    if move.source is None:
        _refuse_placing(move, position)
    _refuse_moving(move, move.source, position)


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


def _refuse_placing(move: QuatreMove, position: QuatrePosition) -> NoReturn:
    """Say why a piece cannot be placed."""
    if not position.is_placing:
        raise IllegalMove(
            "all twelve pieces are placed: a move names the piece's place and its target, as in 2,1>3,2"
        )
    raise IllegalMove(_why_not_onto(move.target, position))


def _refuse_moving(move: QuatreMove, source_place: Coordinates, position: QuatrePosition) -> NoReturn:
    """Say why a piece cannot move to its target, on the tile there or on a tile that is laid there."""
    if position.is_placing:
        raise IllegalMove("no piece moves before all twelve are placed")
    source = position.square_of(source_place)
    owner = _owner(source, position)
    if owner is None:
        raise IllegalMove(f"there is no piece at {named(source_place)}")
    player = PLAYERS[position.turn]
    if owner != player:
        raise IllegalMove(f"it is {player}'s turn, and the piece at {named(source_place)} is {owner}'s")
    if move.taken is not None:
        _check_tile(move.taken, move.target, position)
    elif problem := _why_not_onto(move.target, position):
        raise IllegalMove(problem)
    over = position.place_of((source + position.square_of(move.target)) // 2)
    raise IllegalMove(
        f"the piece at {named(source_place)} cannot jump to {named(move.target)}: "
        f"there is no piece at {named(over)}"
    )


def _why_not_onto(place: Coordinates, position: QuatrePosition) -> str:
    """The reason why a piece cannot go to a place; empty if the place has a tile without a piece."""
    square = position.square_of(place)
    if not position.tiles & BIT[square]:
        return f"there is no tile at {named(place)}"
    owner = _owner(square, position)
    return f"{owner}'s piece is at {named(place)} already" if owner else ""


def _check_tile(taken_place: Coordinates, place: Coordinates, position: QuatrePosition) -> None:
    """Raise IllegalMove unless the tile at ``taken_place`` can be laid at ``place``."""
    tiles, taken, target = position.tiles, position.square_of(taken_place), position.square_of(place)
    if not tiles & BIT[taken]:
        raise IllegalMove(f"there is no tile at {named(taken_place)}")
    problem = f"the tile at {named(taken_place)} cannot be taken: "
    if owner := _owner(taken, position):
        raise IllegalMove(f"{problem}{owner}'s piece stands on it")
    free = free_sides(tiles, taken)
    if free < 2:
        raise IllegalMove(f"{problem}{('none', 'only one')[free]} of its sides is free")
    if splits(tiles, taken):
        raise IllegalMove(f"{problem}the others would not be connected without it")
    if tiles & BIT[target]:
        raise IllegalMove(f"no tile can be laid at {named(place)}: there is one already")
    if not beside(tiles ^ BIT[taken]) & BIT[target]:
        raise IllegalMove(f"no tile can be laid at {named(place)}: it would share no side with another tile")


def _owner(square: int, position: QuatrePosition) -> str | None:
    """The player whose piece is on a square, or None."""
    for player, pieces in zip(PLAYERS, position.pieces, strict=True):
        if pieces & BIT[square]:
            return player
    return None
