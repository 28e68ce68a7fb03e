"""One game of a site: every position to be stepped through, the moves, and how clocks and scores went."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypedDict

from markupsafe import Markup

from arena.errors import ArenaError
from arena.model import GameRecord
from arena.replay import clocks, positions
from arena.tables.verdict import verdict
from arena.web.boards import Drawing, draw, union
from arena.web.plots import PlotAxes, Series, line_plot
from arena.web.templating import page
from referee import Position, game
from referee.errors import RefereeError
from referee.match.adjudication import centipawns
from referee.ply import Ply

__all__ = ["Neighbours", "game_page"]

_RIM = 1000
"""Centipawns at the rim of the plot of scores."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """What a game's page links to.

    Attributes:
        anchor: its game id on the index.
        list: the page of the list that it is on.
        previous, next: the numbers of the games before and after it, if there are any.
    """

    anchor: str
    list: str
    previous: int | None
    next: int | None


class ReplayFrames(TypedDict):
    """All positions for the replay: each is the numbers of its items, from the bottom up."""

    opening: int
    items: list[str]
    frames: list[list[int]]
    says: list[str]
    captions: list[str]
    positions: list[str]


def game_page(record: GameRecord, around: Neighbours) -> str:
    """The page; without boards where the rules cannot be had any more, or don't know a move.

    Args:
        record: the game.
        around: what the page links to.
    """
    result = record.result
    plies = list(clocks(record))
    values: dict[str, Any] = {
        "root": "../",
        "tournament": result.tournament,
        "game": result.game,
        "number": result.id,
        "anchor": around.anchor,
        "list": around.list,
        "previous": around.previous,
        "next": around.next,
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
    try:
        values |= {"missing": "", **_replay(record, plies)}
    except (ArenaError, RefereeError) as error:
        values |= {"frames": None, "missing": f"There are no boards: {error}."}
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
    """What the template needs of the boards.

    Raises:
        ArenaError: the rules refuse a move.
        RefereeError: there are no such rules, or the opening's position is none.
    """
    moves = [None, *record.opening.moves, *(ply.text for ply, _ in plies)]
    found: list[Position] = list(positions(game(record.result.game), record))
    drawings = [draw(record.result.game, *shown) for shown in zip(found, moves, strict=True)]
    items, frames = _shared(drawings)
    frames_data = ReplayFrames(
        opening=len(record.opening.moves),
        items=items,
        frames=frames,
        says=list(_says(record, plies)),
        captions=[drawing.caption for drawing in drawings],
        positions=[str(position) for position in found],
    )
    return {
        "frames": frames_data,
        "box": union(drawing.box for drawing in drawings),
        "ground": Markup(drawings[-1].ground),  # noqa: S704 - escaped where it was drawn
        "items": Markup("".join(drawings[-1].items)),  # noqa: S704 - as above
        "says": frames_data["says"][-1],
        "caption": drawings[-1].caption,
        "position": frames_data["positions"][-1],
    }


def _shared(drawings: list[Drawing]) -> tuple[list[str], list[list[int]]]:
    """The different items, and the numbers of those in each drawing."""
    numbers: dict[str, int] = {}
    frames = [[numbers.setdefault(item, len(numbers)) for item in drawing.items] for drawing in drawings]
    return list(numbers), frames


def _says(record: GameRecord, plies: list[tuple[Ply, int | None]]) -> Iterator[str]:
    """A line on each position."""
    yield "Start"
    for move in record.opening.moves:
        yield f"Opening: {move}"
    for number, (ply, left) in enumerate(plies, 1):
        who = f"{number}. player {ply.seat + 1}, {record.result.players[ply.seat].name}"
        if ply.is_removal:
            yield f"{who}: removed by the referee"
            continue
        clock = "" if left is None else f", clock {_seconds(left)} s"
        yield f"{who}: {ply.text} in {_seconds(ply.time)} s{clock}"


def _plots(record: GameRecord, plies: list[tuple[Ply, int | None]]) -> dict[str, Markup | None]:
    """Clocks, or where there are none the time of each move; and scores."""
    seats = range(len(record.result.players))
    left: list[list[tuple[float, float]]] = [[] for _ in seats]
    took: list[list[tuple[float, float]]] = [[] for _ in seats]
    scores: list[list[tuple[float, float]]] = [[] for _ in seats]
    for number, (ply, clock) in enumerate(plies, 1):
        if ply.is_removal:
            continue
        took[ply.seat].append((number, ply.time / 1e9))
        if clock is not None:
            left[ply.seat].append((number, clock / 1e9))
        score = centipawns(f"score {ply.score}") if ply.score else None
        if score is not None:
            scores[ply.seat].append((number, max(-_RIM, min(score, _RIM))))
    span = (0.0, float(len(plies)))
    return {
        "clocks": _plot("Clocks", "seconds", left, span),
        "times": None if any(left) else _plot("Time of each move", "seconds", took, span),
        "scores": _plot("Scores", "score", scores, span, (-_RIM, _RIM)),
    }


def _plot(
    title: str,
    up: str,
    lines: list[list[tuple[float, float]]],
    across: tuple[float, float],
    range_: tuple[float, float] | None = None,
) -> Markup | None:
    values = [value for line in lines for _, value in line]
    if not values:
        return None
    frame = PlotAxes(title, "ply", up, across, range_ or (0, max(*values, 0.001)))
    return line_plot(frame, [Series(tuple(line)) for line in lines], cursor=True)


def _seconds(ns: int) -> str:
    return f"{ns / 1e9:.3f}"
