"""What the page of a game against engines shows, as values that msgspec writes as JSON."""

from __future__ import annotations

from typing import Any

from arena.tables.result_text import who_won
from arena.web.boards import Part, draw, places, ways_to_move
from arena.web.figures import points_text, score_text, seconds_text
from arena.web.pages.game import SEAT_SHAPES
from arena.web.play.casual_game import CasualGame, Status
from referee.match.job import JobFinished

__all__ = ["game_state", "legal_moves"]


def game_state(game: CasualGame) -> dict[str, Any]:
    """Return the whole state of a game, without the legal moves."""
    info, position = game.order.rules.info, game.follower.position
    texts = game.texts
    drawing = draw(info.id, position, next((text for text in reversed(texts) if text[0] != "!"), None))
    found = places(info.id, position)
    return {
        "id": game.id,
        "game": info.id,
        "title": info.title,
        "status": game.status,
        "turn": game.turn,
        "ply": game.ply,
        "position": str(position),
        "seats": _seats(game),
        "moves": [
            {
                "seat": ply.seat,
                "text": ply.text,
                "score": score_text(ply.score),
                "depth": ply.depth,
                "time": "" if ply.is_removal else seconds_text(ply.time),
            }
            for ply in (*game.played, *game.plies)
        ],
        "hint": game.hint,
        "result": _result(game),
        "record": _has_record(game),
        "stored": game.stored,
        "board": {
            "look": drawing.look,
            "box": drawing.box,
            "markup": drawing.ground + "".join(drawing.items),
            "caption": drawing.caption,
        },
        "places": found,
    }


def _has_record(game: CasualGame) -> bool:
    return game.finished is not None and game.finished.void is None


def _seats(game: CasualGame) -> list[dict[str, Any]]:
    control, clock = game.order.control, game.order.clock
    found = []
    for seat, entry in enumerate(game.order.seats):
        shape, colours = SEAT_SHAPES[seat % len(SEAT_SHAPES)]
        timed = control.base_ns is not None and (entry is not None or clock)
        found.append(
            {
                "name": "You" if entry is None else entry.spec.name,
                "person": entry is None,
                "shape": shape,
                "colours": colours,
                "clock_ms": game.clocks_ms[seat] if timed and game.clocks_ms else None,
                "removed": seat in game.follower.removed,
                "said": game.said[seat] if game.said else "",
                "points": _points(game.finished, seat),
            }
        )
    return found


def _points(finished: JobFinished | None, seat: int) -> str:
    """Return what a seat got: points in a game of two, a place in a game of more; "" without a result."""
    ranks = [] if finished is None else [one.rank for one in finished.seats]
    rank = ranks[seat] if ranks else None
    if rank is None:
        return ""
    if len(ranks) > 2:
        return f"place {rank}"
    return points_text(1.0 if rank == 1 else 0.0) if ranks.count(1) == 1 else points_text(0.5)


def _result(game: CasualGame) -> dict[str, str] | None:
    """Return who has won and why; None while the game goes on."""
    if game.status is not Status.OVER:
        return None
    finished = game.finished
    if finished is None or finished.void is not None:
        return {"text": "The game has no result", "detail": game.ended}
    names = ["you" if entry is None else entry.spec.name for entry in game.order.seats]
    seats = finished.seats
    who = who_won(names, [seat.rank for seat in seats], [seat.forfeit for seat in seats])
    who = who.replace("you wins", "you win")
    return {"text": f"{who[:1].upper()}{who[1:]}: {finished.reason}", "detail": finished.detail}


def legal_moves(game: CasualGame) -> dict[str, Any]:
    """Return the parts of all legal moves, and the ways to make each move: a text, and indexes of parts."""
    numbers: dict[Part, int] = {}
    ways = [
        (choice.text, [numbers.setdefault(part, len(numbers)) for part in choice.parts])
        for choice in ways_to_move(game.order.rules.info.id, game.follower.position)
    ]
    return {"ply": game.ply, "parts": list(numbers), "ways": ways}
