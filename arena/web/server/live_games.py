"""A running game as events and answers have it."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from typing import Any

from arena.live.messages import LiveGame, RunState
from arena.web.figures import score_text
from arena.web.links import ServerLinks
from arena.web.server.live_boards import LiveBoards
from referee.match.adjudication import centipawns
from referee.ply import Ply

__all__ = ["game_data", "moved_data", "next_data"]


def game_data(game: LiveGame, boards: LiveBoards, tournament: str) -> dict[str, Any]:
    """Return a running game as plain values: the values of `moved_data`, the others, and the whole board.

    Args:
        game: the game.
        boards: the boards of its run.
        tournament: the id of the tournament.
    """
    return {
        **moved_data(game, boards, 0),
        "number": game.number + 1,
        "game": game.game,
        "seats": list(game.seats),
        "url": ServerLinks(tournament).running(game.number),
        "time_controls": list(game.time_controls),
        "position": game.position,
        "opening": list(game.opening),
        "worker": game.worker,
        "board": boards.draw(game).svg,
    }


def moved_data(game: LiveGame, boards: LiveBoards, first: int) -> dict[str, Any]:
    """Return the changes of a running game after its first ``first`` plies, with its board.

    The plies are arrays of seat, text, nanoseconds, score and depth. ``scores`` has the last score of each
    seat as pages write it. ``chance`` is the chance of the first of two seats in percent, from the last score
    of any seat; None if there is none.
    """
    board = boards.draw(game)
    return {
        "key": game.key,
        "first": first,
        "plies": list(game.plies[first:]),
        "ply": len(game.opening) + len(game.plies),
        "turn": game.turn,
        "clocks_ms": list(game.clocks_ms),
        "seen": game.seen,
        **_scores(game),
        **({"items": board.items} if board.steady else {"board": board.svg}),
        "caption": board.caption,
    }


def next_data(run: RunState) -> list[dict[str, Any]]:
    """Return the games that come next as plain values."""
    return [{"number": one.number + 1, "game": one.game, "seats": list(one.seats)} for one in run.next]


def _scores(game: LiveGame) -> dict[str, Any]:
    last = {ply.seat: ply.score for ply in game.plies if ply.score}
    seats = range(len(game.seats))
    return {
        "scores": [score_text(last.get(seat, "")) for seat in seats],
        "chance": _chance(game.plies, len(seats)),
    }


def _chance(plies: Sequence[Ply], seats: int) -> int | None:
    """Return the chance of the first of two seats in percent, by the curve of lichess.org/page/accuracy."""
    ply = next((ply for ply in reversed(plies) if ply.score), None)
    units = None if ply is None or seats != 2 else centipawns(f"score {ply.score}")
    if ply is None or units is None:
        return None
    units = max(-2000, min(-units if ply.seat else units, 2000))
    return round(100 / (1 + exp(-0.00368208 * units)))
