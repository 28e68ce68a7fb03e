"""The page of one game: a board for each position, the moves, and plots of clocks and scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypedDict

from markupsafe import Markup

from arena.errors import ArenaError
from arena.model import GameRecord
from arena.replay import clocks, positions
from arena.tables.result_text import verdict
from arena.web.boards import Drawing, draw, union
from arena.web.plots import PlotAxes, Series, line_plot
from arena.web.templating import page
from referee import Position, game
from referee.errors import RefereeError
from referee.match.adjudication import centipawns
from referee.ply import Ply

__all__ = ["Neighbours", "game_page"]

_MAX_SCORE = 1000
"""The largest score, in centipawns, in the plot of scores. Larger scores are drawn at the edge."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The links of a game's page.

    Attributes:
        anchor: the anchor of its game id on the index page.
        list: the file of the list page that has the game.
        previous, next: the numbers of the previous and the next game; ``None`` if there is none.
    """

    anchor: str
    list: str
    previous: int | None
    next: int | None


class ReplayFrames(TypedDict):
    """The positions of a game, as data for ``replay.js``.

    Attributes:
        opening: the number of moves in the opening.
        items: the different SVG elements of all boards.
        frames: the board of each position: indexes into ``items``, from the bottom layer to the top.
        says: a line of text about each position.
        captions: the caption of each board.
        positions: the position strings.
    """

    opening: int
    items: list[str]
    frames: list[list[int]]
    says: list[str]
    captions: list[str]
    positions: list[str]


def game_page(record: GameRecord, neighbours: Neighbours, *, served: bool = False) -> str:
    """Return the page. It has no boards if the rules are not installed any more, or reject a move.

    Args:
        record: the game.
        neighbours: the links of the page.
        served: whether a server sends it, with a content security policy in its head.
    """
    result = record.result
    plies = list(clocks(record))
    values: dict[str, Any] = {
        "root": "../",
        "tournament": result.tournament,
        "game": result.game,
        "number": result.id,
        "anchor": neighbours.anchor,
        "list": neighbours.list,
        "previous": neighbours.previous,
        "next": neighbours.next,
        "title": " – ".join(player.name for player in result.players),
        "verdict": verdict(result),
        "detail": result.detail,
        "players": [
            {
                "seat": seat,
                "name": player.name,
                "version": player.version,
                "control": player.time_control,
                "place": "" if player.rank is None else player.rank,
                "points": f"{player.points:.3g}",
                "used": _seconds(player.time_used),
                "forfeit": player.forfeit or "",
            }
            for seat, player in enumerate(result.players, 1)
        ],
        "moves": list(_moves(record, plies)),
        **_plots(record, plies),
    }
    if served:
        values["served"] = True
    try:
        values |= {"missing": "", **_replay(record, plies)}
    except (ArenaError, RefereeError) as error:
        values |= {"frames": None, "missing": f"The boards cannot be drawn: {error}."}
    return page("game.html.j2", values)


def _moves(record: GameRecord, plies: list[tuple[Ply, int | None]]) -> Iterator[dict[str, Any]]:
    opening = record.opening.moves
    for number, text in enumerate(opening, 1):
        blank = dict.fromkeys(("seat", "time", "clock", "score", "depth"), "")
        yield {**blank, "ply": number - len(opening), "number": "opening", "text": text}
    for number, (ply, left) in enumerate(plies, 1):
        yield {
            "ply": number,
            "number": number,
            "seat": ply.seat + 1,
            "text": ply.text,
            "time": "" if ply.is_removal else _seconds(ply.time),
            "clock": "" if left is None else _seconds(left),
            "score": ply.score,
            "depth": "" if ply.depth is None else ply.depth,
        }


def _replay(record: GameRecord, plies: list[tuple[Ply, int | None]]) -> dict[str, Any]:
    """Return the template's values for the boards.

    Raises:
        ArenaError: the rules reject a move.
        RefereeError: the game is not installed, or the position string of the opening is wrong.
    """
    moves = [None, *record.opening.moves, *(ply.text for ply, _ in plies)]
    game_positions: list[Position] = list(positions(game(record.result.game), record))
    drawings = [
        draw(record.result.game, position, move) for position, move in zip(game_positions, moves, strict=True)
    ]
    items, frames = _number_items(drawings)
    frames_data = ReplayFrames(
        opening=len(record.opening.moves),
        items=items,
        frames=frames,
        says=list(_descriptions(record, plies)),
        captions=[drawing.caption for drawing in drawings],
        positions=[str(position) for position in game_positions],
    )
    return {
        "frames": frames_data,
        "box": union(drawing.box for drawing in drawings),
        "ground": Markup(drawings[-1].ground),  # noqa: S704 - `draw` escapes it
        "items": Markup("".join(drawings[-1].items)),  # noqa: S704 - as above
        "says": frames_data["says"][-1],
        "caption": drawings[-1].caption,
        "position": frames_data["positions"][-1],
    }


def _number_items(drawings: list[Drawing]) -> tuple[list[str], list[list[int]]]:
    """Return the different items of all drawings, and the indexes of the items in each drawing."""
    numbers: dict[str, int] = {}
    frames = [[numbers.setdefault(item, len(numbers)) for item in drawing.items] for drawing in drawings]
    return list(numbers), frames


def _descriptions(record: GameRecord, plies: list[tuple[Ply, int | None]]) -> Iterator[str]:
    """Yield a line of text about each position."""
    yield "Start"
    for move in record.opening.moves:
        yield f"Opening: {move}"
    for number, (ply, left) in enumerate(plies, 1):
        player = f"{number}. player {ply.seat + 1}, {record.result.players[ply.seat].name}"
        if ply.is_removal:
            yield f"{player}: removed by the referee"
            continue
        clock = "" if left is None else f", clock {_seconds(left)} s"
        yield f"{player}: {ply.text} in {_seconds(ply.time)} s{clock}"


def _plots(record: GameRecord, plies: list[tuple[Ply, int | None]]) -> dict[str, Markup | None]:
    """Return the plots of the clocks and of the scores; without clocks, a plot of the time of each move."""
    seats = range(len(record.result.players))
    remaining: list[list[tuple[float, float]]] = [[] for _ in seats]
    used: list[list[tuple[float, float]]] = [[] for _ in seats]
    scores: list[list[tuple[float, float]]] = [[] for _ in seats]
    for number, (ply, clock) in enumerate(plies, 1):
        if ply.is_removal:
            continue
        used[ply.seat].append((number, ply.time / 1e9))
        if clock is not None:
            remaining[ply.seat].append((number, clock / 1e9))
        score = centipawns(f"score {ply.score}") if ply.score else None
        if score is not None:
            scores[ply.seat].append((number, max(-_MAX_SCORE, min(score, _MAX_SCORE))))
    x_range = (0.0, float(len(plies)))
    return {
        "clocks": _plot("Clocks", "seconds", remaining, x_range),
        "times": None if any(remaining) else _plot("Time of each move", "seconds", used, x_range),
        "scores": _plot("Scores", "score", scores, x_range, (-_MAX_SCORE, _MAX_SCORE)),
    }


def _plot(
    title: str,
    y_label: str,
    lines: list[list[tuple[float, float]]],
    x_range: tuple[float, float],
    y_range: tuple[float, float] | None = None,
) -> Markup | None:
    values = [value for line in lines for _, value in line]
    if not values:
        return None
    axes = PlotAxes(title, "ply", y_label, x_range, y_range or (0, max(*values, 0.001)))
    return line_plot(axes, [Series(tuple(line)) for line in lines], cursor=True)


def _seconds(ns: int) -> str:
    return f"{ns / 1e9:.3f}"
