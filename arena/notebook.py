"""What a notebook shows: boards as SVG, and games and tables as HTML, both without scripts."""

from __future__ import annotations

import sys
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass, fields
from html import escape
from typing import Any, Final, Self

from arena.errors import ArenaError
from arena.model import GameRecord, GameResult, game_title
from arena.replay import positions
from arena.scoring import Versus
from arena.tables.result_text import verdict
from arena.web.boards import draw
from referee import Position, RefereeError, game
from referee.ply import Ply

_SIDE: Final = 360  # of a board, in pixels
_SMALL: Final = 170  # the width of a board of a game
_BOARDS: Final = 8  # how many boards of a game are shown


@dataclass(frozen=True, slots=True)
class Board:
    """A position that a notebook draws; `str` gives the board as text.

    Attributes:
        game: the id of the game.
        position: the position, as of `referee.game(...).start()`.
        move: the move that led to it, which is marked; None for none.
    """

    game: str
    position: Position
    move: str | None = None

    def __str__(self) -> str:
        return self.position.diagram()

    def _repr_svg_(self) -> str:
        from arena.web.boards.picture import board_element, document, text_element

        drawing = draw(self.game, self.position, self.move)
        caption = text_element(drawing.caption, 13, "#808080")
        below = f'<g transform="translate(0 {_SIDE + 16})">{caption}</g>'
        return document(board_element(drawing, 0, 0, _SIDE) + below, _SIDE, _SIDE + 24)


class NotebookGame(GameRecord):
    """A game that a notebook shows with its players, some boards, and all moves."""

    __slots__ = ()

    @classmethod
    def of(cls, record: GameRecord) -> Self:
        """Return the same game."""
        return cls(*(getattr(record, field.name) for field in fields(record)))

    def _repr_html_(self) -> str:
        moves = (*self.opening.moves, *(ply.text for ply in self.record))
        names = " - ".join(f"<b>{escape(player.name)}</b>" for player in self.result.players)
        listed = " ".join(f"{number}.&nbsp;{escape(move)}" for number, move in enumerate(moves, 1))
        heading = f"{names}: {escape(game_title(self.result.game))}, {escape(verdict(self.result))}"
        detail = f"<p>{escape(self.result.detail)}</p>" if self.result.detail else ""
        return f"<p>{heading}</p>{detail}{self._boards(moves)}<p>{listed}</p>"

    def _boards(self, moves: tuple[str, ...]) -> str:
        """Return some boards as images, so that nothing of the page changes their colours."""
        try:
            drawn = list(positions(game(self.result.game), self))
        except (ArenaError, RefereeError):  # its rules are not there any more: the moves say enough
            return ""
        figures = []
        for number in sorted({round(len(moves) * part / (_BOARDS - 1)) for part in range(_BOARDS)}):
            board = Board(self.result.game, drawn[number], moves[number - 1] if number else None)
            source = b64encode(board._repr_svg_().encode()).decode()
            title = f"{number}. {escape(moves[number - 1])}" if number else "start"
            figures.append(
                f'<figure style="display:inline-block;margin:4px"><img width="{_SMALL}" alt="{title}"'
                f' src="data:image/svg+xml;base64,{source}"><figcaption>{title}</figcaption></figure>'
            )
        return "".join(figures)


class NotebookTables(dict[str, Any]):
    """A table for each game id, which a notebook shows as tables."""

    def _repr_html_(self) -> str:
        return "".join(f"<h4>{escape(game_title(name))}</h4>{_table(table)}" for name, table in self.items())


def _table(table: Any) -> str:  # noqa: ANN401 - rows that are dataclasses, or the scores of pairs
    if isinstance(table, dict):
        names = list(dict.fromkeys(first for first, _ in table))
        head = ["", *names]
        rows = [[name, *(_score(table.get((name, other))) for other in names)] for name in names]
    else:
        head = [field.name.replace("_", " ") for field in fields(table[0])] if table else []
        rows = [[_cell(getattr(row, field.name)) for field in fields(row)] for row in table]
    lines = [_row("th", head), *(_row("td", row) for row in rows)]
    return f"<table>{''.join(lines)}</table>"


def _row(tag: str, cells: Iterable[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"


def _cell(value: object) -> str:
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def _score(score: Versus | None) -> str:
    return "" if score is None else f"{score.points:g} of {score.games}"


def progress(event: GameResult | Ply) -> None:
    """Show what was played last, in one line of a cell or a terminal: for ``on_game`` and ``on_move``."""
    if isinstance(event, Ply):
        text = f"player {event.seat + 1}: {event.text}"
    else:
        names = " - ".join(player.name for player in event.players)
        text = f"game {event.id}: {names}: {verdict(event)}"
    sys.stdout.write(f"\r{text:<79}")
    sys.stdout.flush()
