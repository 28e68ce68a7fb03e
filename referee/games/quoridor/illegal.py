"""Explains why a text is not a legal move in a position of Quoridor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn

from referee.errors import IllegalMove, MoveSyntaxError
from referee.games.common import check_move_text, refuse_pass
from referee.games.quoridor.board import (
    BIT,
    MOVES,
    NAMES,
    PASS,
    PAWN,
    SIZE,
    SKIP,
    SQUARE,
    UPRIGHT,
    QuoridorMove,
    SeatGeometry,
    Walls,
    notation,
)


def refuse(
    text: str,
    seating: SeatGeometry,
    walls: Walls,
    pawns: tuple[int, ...],
    hands: tuple[int, ...],
    turn: int,
    winner: int | None,
    moves: Iterator[QuoridorMove],
) -> NoReturn:
    """Raise the error that says why a text is none of the legal ``moves`` in a position with these pawns."""
    move = PASS if text == PASS.text and seating.players > 2 else MOVES.get(text)
    if move is None:
        _refuse_text(text, seating)
    if winner is not None:
        raise IllegalMove(f"the game is over: player {winner + 1} has reached {seating.goal_names[winner]}")
    player = f"player {turn + 1}"
    if move.kind == PAWN:
        _refuse_pawn_move(pawns[turn], move.square, pawns, walls)
    if move.kind == SKIP:
        refuse_pass(player, moves)
    if not hands[turn]:
        raise IllegalMove(f"{player} has no walls left")
    _refuse_wall(move, seating, walls, pawns)


def _refuse_text(text: str, seating: SeatGeometry) -> NoReturn:
    """Say why a text is not a move in any position."""
    check_move_text(text)
    quoted_text = ascii(text)
    if text.lower() in MOVES:
        raise MoveSyntaxError(f"{quoted_text} is no move: moves are written in lower case")
    if text == PASS.text:
        raise MoveSyntaxError(f"{quoted_text} is no move: with {seating.players} players there is no pass")
    if len(text) == 3 and text[:2] in SQUARE and text[2] in "hv":
        raise MoveSyntaxError(f"{quoted_text} is no move: the places of walls are a1 to h8")
    raise MoveSyntaxError(f"{quoted_text} is no move: a move is {notation(seating)}")


def _refuse_pawn_move(start: int, target: int, pawns: tuple[int, ...], walls: Walls) -> NoReturn:
    """Say why the pawn on ``start`` cannot go to ``target``."""
    across, up = target % SIZE - start % SIZE, target // SIZE - start // SIZE
    if target == start:
        reason = "it is there already"
    elif target in pawns:
        reason = f"player {pawns.index(target) + 1}'s pawn is there"
    elif abs(across) + abs(up) == 1:
        reason = f"a wall is between {NAMES[start]} and {NAMES[target]}"
    elif abs(across) + abs(up) > 2:
        reason = "it is too far away"
    elif across and up:
        reason = _why_no_side_step(start, target, pawns, walls)
    else:
        reason = _why_no_jump(start, (start + target) // 2, pawns, walls) or (
            f"a wall is behind the pawn on {NAMES[(start + target) // 2]}"
        )
    raise IllegalMove(f"the pawn on {NAMES[start]} cannot reach {NAMES[target]}: {reason}")


def _why_no_jump(start: int, jumped: int, pawns: tuple[int, ...], walls: Walls) -> str | None:
    """Why a pawn on ``start`` cannot jump over ``jumped``, without regard to what is behind it; or None."""
    if jumped not in pawns:
        return f"{NAMES[jumped]} is empty"
    if not walls.near(BIT[start]) & BIT[jumped]:
        return f"a wall is between {NAMES[start]} and {NAMES[jumped]}"
    return None


def _why_no_side_step(start: int, target: int, pawns: tuple[int, ...], walls: Walls) -> str:
    """Why a pawn cannot side-step to ``target``, for each of the two pawns that it could jump."""
    corner_up = target // SIZE * SIZE + start % SIZE  # above or below the start
    corner_across = start // SIZE * SIZE + target % SIZE
    beside = [corner for corner in (corner_up, corner_across) if corner in pawns]
    if not beside:
        return f"{NAMES[corner_up]} and {NAMES[corner_across]} are empty"
    reasons = []
    for jumped in beside:
        name = NAMES[jumped]
        behind = 2 * jumped - start
        reason = _why_no_jump(start, jumped, pawns, walls)
        if reason is None and not walls.near(BIT[jumped]) & BIT[target]:
            reason = f"a wall is between {name} and {NAMES[target]}"
        elif reason is None and behind in pawns:
            reason = f"behind the pawn on {name} is another pawn, not a barrier"
        elif reason is None:
            reason = f"no barrier is behind the pawn on {name}"
        reasons.append(reason)
    return "; ".join(reasons)


def _refuse_wall(move: QuoridorMove, seating: SeatGeometry, walls: Walls, pawns: tuple[int, ...]) -> NoReturn:
    """Say why a wall cannot be placed although the player has walls left."""
    anchor, upright = move.square, move.kind == UPRIGHT
    if walls.free(upright) & BIT[anchor]:
        seat = walls.cuts(anchor, pawns, seating.goals, upright)
        assert seat is not None  # otherwise the wall is legal
        goal = seating.goal_names[seat]
        raise IllegalMove(f"a wall at {move} would leave player {seat + 1} no path to {goal}")
    parallel, crossing = walls.horizontal, walls.vertical
    letter, other, step = "h", "v", 1
    if upright:
        parallel, crossing = crossing, parallel
        letter, other, step = "v", "h", SIZE
    if parallel & BIT[anchor]:
        raise IllegalMove(f"there is a wall at {move} already")
    if crossing & BIT[anchor]:
        raise IllegalMove(f"a wall at {move} would cross the wall {NAMES[anchor]}{other}")
    neighbour = anchor + step if parallel & BIT[anchor + step] else anchor - step
    raise IllegalMove(f"a wall at {move} would overlap the wall {NAMES[neighbour]}{letter}")
