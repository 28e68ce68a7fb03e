"""A running game as its page shows it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from arena.live.messages import LiveGame
from arena.model import GameRecord, GameResult, Opening, PlayerRecord
from arena.web.figures import clock_text
from arena.web.views.game import GameBoards, GameView, SeatStrip, game_view
from referee.outcome import Termination

__all__ = ["running_view"]


def running_view(tournament: str, live: LiveGame) -> GameView:
    """Return the view of a running game, in the same form as the view of a finished game."""
    view = game_view(_record(tournament, live))
    controls = " and ".join(dict.fromkeys(live.time_controls))
    begun = f"an opening of {len(live.opening)} plies" if live.opening else "no opening"
    return replace(
        view,
        number=live.number + 1,
        strips=tuple(_strips(view, live)),
        score="–",
        verdict="This game is being played",
        facts=", ".join(filter(None, (controls, begun))),
        boards=None if view.boards is None else _still_running(view.boards),
        running=True,
    )


def _record(tournament: str, live: LiveGame) -> GameRecord:
    """Return the game so far, in the shape of a finished one. It has no result."""
    controls = live.time_controls or tuple("none" for _ in live.seats)
    players = tuple(
        PlayerRecord(name, "", None, 0.0, None, control, 0, _used(live, seat))
        for seat, (name, control) in enumerate(zip(live.seats, controls, strict=True))
    )
    result = GameResult(
        None, tournament, live.number, live.key, live.game, Termination.VOID, "", "", len(live.plies), players
    )
    return GameRecord(result, Opening(live.position, live.opening), live.plies, "", 0.0, 0)


def _used(live: LiveGame, seat: int) -> int:
    return sum(ply.time for ply in live.plies if ply.seat == seat and not ply.is_removal)


def _strips(view: GameView, live: LiveGame) -> Iterator[SeatStrip]:
    """Yield the players with the clocks that the run has reported."""
    for strip in view.strips:
        left = live.clocks_ms[strip.seat - 1] if live.clocks_ms else None
        clock = strip.clock if left is None or not strip.clock else clock_text(left * 1_000_000)
        yield replace(strip, points="", clock=clock)


def _still_running(boards: GameBoards) -> GameBoards:
    frames = boards.frames.copy()
    frames["running"] = True
    frames["results"] = ["" for _ in frames["results"]]
    return replace(boards, frames=frames)
