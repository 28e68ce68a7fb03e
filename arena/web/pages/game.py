"""The page of one game: the board with the players beside it, the moves, and plots under one cursor."""

from __future__ import annotations

from dataclasses import dataclass
from math import asinh
from typing import Any

from markupsafe import Markup

from arena.web.figures import clock_text, seconds_text
from arena.web.links import Links
from arena.web.plots import PlotAxes, Series, line_plot, time_bars
from arena.web.templating import page
from arena.web.views.game import GameView
from referee.match.adjudication import centipawns

__all__ = ["Neighbours", "game_page"]

_MAX_SCORE = 10
"""The largest score in the plot, in units of the engines. Larger scores are drawn at the edge."""

_SCORE_TICKS = tuple(
    (asinh(units), text) for units, text in ((-10, "−10"), (-1, "−1"), (0, "0"), (1, "+1"), (10, "+10"))
)
_PLOT_HEIGHT = 150


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The pages that the page of a game links to.

    Attributes:
        anchor: the anchor of its game id on the page of the tournament.
        list: the page of the list that has the game.
        previous, next: the numbers of the previous and the next game; None if there is none.
    """

    anchor: str
    list: str
    previous: int | None
    next: int | None


def game_page(view: GameView, links: Links, neighbours: Neighbours, events: str = "") -> str:
    """Return the page.

    Args:
        view: the game.
        links: the links of the page.
        neighbours: the pages that it links to.
        events: the address of the events of a running game; "" for a finished one.
    """
    count = len(view.strips)
    boards = view.boards
    values: dict[str, Any] = {
        "links": links,
        "place": "game",
        "tournament": view.tournament,
        "view": view,
        "neighbours": neighbours,
        "events": events,
        "above": view.strips[: (count - 1) // 2 : -1],
        "below": view.strips[(count - 1) // 2 :: -1],
        "frames": None if boards is None else boards.frames,
        "ground": "" if boards is None else Markup(boards.ground),  # noqa: S704 - `draw` escapes it
        "items": "" if boards is None else Markup(boards.last),  # noqa: S704 - as above
        **_plots(view),
    }
    return page("game.html.j2", values)


def _plots(view: GameView) -> dict[str, Markup | None]:
    """Return the plots of the scores, the clocks and the time of each move; None for an empty plot."""
    seats = range(len(view.strips))
    clocks: list[list[tuple[float, float]]] = [[] for _ in seats]
    times: list[list[tuple[float, float]]] = [[] for _ in seats]
    scores: list[list[tuple[float, float]]] = [[] for _ in seats]
    for number, (ply, left) in enumerate(view.plies, 1):
        if ply.is_removal:
            continue
        times[ply.seat].append((number, float(ply.time)))
        if left is not None:
            clocks[ply.seat].append((number, float(left)))
        score = centipawns(f"score {ply.score}") if ply.score else None
        if score is not None:
            units = max(-_MAX_SCORE, min(score / 100, _MAX_SCORE))
            sign = -1 if len(view.strips) == 2 and ply.seat == 1 else 1
            scores[ply.seat].append((number, asinh(sign * units)))
    x_range = (0.0, float(max(len(view.plies), 1)))
    most = max((value for line in clocks for _, value in line), default=0.0)
    longest = max((value for line in times for _, value in line), default=0.0)
    high = asinh(_MAX_SCORE)
    return {
        "scores": _lines("Score", scores, x_range, (-high, high), _SCORE_TICKS),
        "clocks": _lines(
            "Clock",
            clocks,
            x_range,
            (0.0, most),
            tuple((part * most, clock_text(int(part * most))) for part in (0.0, 0.5, 1.0)),
        ),
        "times": time_bars(
            PlotAxes(
                "Time a move",
                "",
                "",
                x_range,
                (-longest, longest) if len(view.strips) == 2 else (0.0, longest),
                tuple((value, seconds_text(abs(value))) for value in (-longest, 0.0, longest)),
                _PLOT_HEIGHT,
            ),
            times,
        )
        if longest
        else None,
    }


def _lines(
    title: str,
    lines: list[list[tuple[float, float]]],
    x_range: tuple[float, float],
    y_range: tuple[float, float],
    marks: tuple[tuple[float, str], ...],
) -> Markup | None:
    if not any(lines) or y_range[0] >= y_range[1]:
        return None
    axes = PlotAxes(title, "", "", x_range, y_range, marks, _PLOT_HEIGHT)
    return line_plot(axes, [Series(tuple(line)) for line in lines], cursor=True)
