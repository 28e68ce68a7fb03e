"""Link cards: the pictures that other programs show beside a link to a page."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from html import escape
from typing import TYPE_CHECKING, Final

from arena.model import GameRecord, game_title
from arena.tables.result_text import who_won
from arena.web.boards import Drawing, has_board
from arena.web.boards.picture import FONTS, board_element, png
from arena.web.figures import days, points_text
from arena.web.pages.engine import EngineRating, EngineView
from arena.web.pages.games import game_line, thumbnail
from arena.web.pages.home import titles_text
from arena.web.pages.tournament import TournamentView
from protocol.words import counted

if TYPE_CHECKING:
    from PIL import ImageFont

WIDTH: Final = 1200
HEIGHT: Final = 630
MARGIN: Final = 80

_SIDE: Final = HEIGHT - 2 * MARGIN  # of the board
_GAP: Final = 60
_GROUND, _INK, _MUTED, _ACCENT = "#0f1412", "#e7ede9", "#a1afa7", "#5dd0a0"  # of pages by night
_TEXT: Final = 32
_ROW: Final = 44
_NOTE: Final = 56
_MOST_ROWS: Final = 4
_TITLES: Final = ((68, 1), (60, 1), (52, 2), (44, 3))
"""The sizes of a title, and how many lines it may have in each."""

_SMALLEST, _MOST_LINES = _TITLES[-1]

_LONGEST: Final = 200  # longer texts are cut before they are measured
_MOST_CARDS: Final = 64  # in memory: some 4 MB
_MISSING: Final = re.compile(
    "[^ -~\xa0-\xac\xae-\u0148\u014a-\u017f\u0386\u0388-\u038a\u038c\u038e-\u03a1\u03a3-\u03ce\u0400-\u045f"
    "\u0490\u0491\u2010-\u2026\u202f\u2030\u2039\u203a\u20ac\u2190-\u2193\u2212]"
)
"""The characters that the font has not: it has the Latin, Greek and Cyrillic letters."""


@dataclass(frozen=True, slots=True)
class Card:
    """What a card says, from the top. Each text is cut where it has no room."""

    event: str
    title: tuple[str, ...]  # parts, each in one line
    score: str = ""  # the part of the title that has the accent
    rows: tuple[tuple[str, str], ...] = ()  # a name and a figure
    note: str = ""
    board: Drawing | None = None


def game_card(record: GameRecord) -> Card:
    """Return the card of a game: the players, the result and the last position."""
    result = record.result
    line = game_line(result, has_page=True)
    event = f"{result.tournament} · {game_title(result.game)}"
    note = f"{line.fault or line.why}, {counted(line.plies, 'ply', 'plies')}"
    if len(line.names) == 2:
        title = (line.names[0], line.score, line.names[1])
        return Card(event, title, line.score, note=note, board=last_board(record))
    winner = who_won(line.names, [player.rank for player in result.players])
    rows = tuple((player.name, points_text(player.points)) for player in result.players)
    return Card(event, tuple(winner.split()), "", rows, note, last_board(record))


def tournament_card(view: TournamentView, state: str) -> Card:
    """Return the card of a tournament: its leaders, and the last position of its newest game."""
    titles = titles_text([section.results.game for section in view.sections])
    sizes = f"{counted(view.facts.engines, 'engine')}, {counted(view.facts.games, 'game')}"
    lines = view.sections[0].ranking.lines[:_MOST_ROWS] if len(view.sections) == 1 else ()
    board = view.sections[0].picture if view.sections and has_board(view.sections[0].results.game) else None
    return Card(
        " · ".join(filter(None, (titles, sizes))),
        tuple(view.name.split()),
        "",
        tuple((f"{line.place}  {line.name}", line.points) for line in lines),
        " · ".join(filter(None, (state, days(view.facts.dates).striptags()))),
        board,
    )


def engine_card(
    tournament: str, view: EngineView, ratings: Mapping[str, EngineRating], board: Drawing | None
) -> Card:
    """Return the card of an engine in a tournament."""
    rows = []
    for one in view.games[:_MOST_ROWS]:
        rating = ratings.get(one.game)
        title = "" if len(view.games) == 1 else f"{game_title(one.game)}: "
        if rating is not None and rating.elo:
            rows.append((f"{title}{rating.scale}", f"{rating.elo} ±{rating.error}"))
        rows.append((f"{title}won-drawn-lost", one.total.record))
    titles = titles_text([one.game for one in view.games])
    event = f"{tournament} · {titles}"
    return Card(event, tuple(view.name.split()), rows=tuple(rows[:_MOST_ROWS]), board=board)


def last_board(record: GameRecord | None) -> Drawing | None:
    """Return the last position of a game; None if there is none, or it has no drawing of its own."""
    if record is None or not has_board(record.result.game):
        return None
    move = next((ply.text for ply in reversed(record.record) if ply.is_move), None)
    return thumbnail(record.result.game, record.final_position, move)


@lru_cache(_MOST_CARDS)
def draw_card(card: Card) -> bytes:
    """Return a card as PNG, `WIDTH` pixels wide and `HEIGHT` pixels high."""
    width = WIDTH - 2 * MARGIN - (_SIDE + _GAP if card.board else 0)
    size, lines = _title(card.title, width)
    event = _text(_cut(card.event, _TEXT, width), _TEXT, _MUTED)
    parts: list[tuple[float, str]] = [(32, _brand()), (84, event), (12, "")]
    parts += [(size * 1.2, _line(line, card.score, size)) for line in lines]
    parts.append((20, ""))
    room = HEIGHT - 2 * MARGIN - sum(height for height, _ in parts) - _NOTE
    for name, figure in card.rows[: int(room / _ROW)]:
        left = width - _length(figure, _TEXT) - 24
        row = _text(_cut(name, _TEXT, left), _TEXT, _INK) + _text(figure, _TEXT, _ACCENT, x=width, end=True)
        parts.append((_ROW, row))
    if card.note:
        parts.append((_NOTE, _text(_cut(card.note, _TEXT, width), _TEXT, _MUTED)))
    top = (HEIGHT - sum(height for height, _ in parts)) / 2  # of a line; its letters stand on its end
    items = [f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{_GROUND}"/>']
    for height, item in parts:
        top += height
        items.append(f'<g transform="translate({MARGIN} {top:g})">{item}</g>')
    if card.board:
        items.append(board_element(card.board, WIDTH - MARGIN - _SIDE, MARGIN, _SIDE, _SIDE))
    return png("".join(items), WIDTH, HEIGHT)


def _brand() -> str:
    return (
        f'<g transform="translate(-2 -38) scale(1.7)" fill="none" stroke="{_ACCENT}" stroke-width="2.5"'
        ' stroke-linecap="round"><path d="M6 10Q17-3 28 10"/><circle cx="28" cy="18" r="3.25"/>'
        f'<g stroke="none"><circle cx="6" cy="18" r="4.5" fill="{_ACCENT}"/>'
        f'<circle cx="17" cy="18" r="4.5" fill="{_INK}"/></g></g>'
        f'<g transform="translate(70 0)">{_text("Leapfrog Arena", _TEXT, _INK, bold=True)}</g>'
    )


def _title(parts: Sequence[str], width: float) -> tuple[int, list[list[str]]]:
    """Return the largest size in which the parts fit into the lines of that size, and the lines."""
    for size, most in _TITLES:
        lines = _wrapped(parts, size, width)
        if len(lines) <= most and all(_length(" ".join(line), size, bold=True) <= width for line in lines):
            return size, lines
    lines = _wrapped(parts, _SMALLEST, width)
    last = [part for line in lines[_MOST_LINES - 1 :] for part in line]
    texts = [" ".join(line) for line in (*lines[: _MOST_LINES - 1], last) if line]
    return _SMALLEST, [[_cut(text, _SMALLEST, width, bold=True)] for text in texts]


def _wrapped(parts: Sequence[str], size: int, width: float) -> list[list[str]]:
    lines: list[list[str]] = []
    for part in parts:
        if lines and _length(" ".join([*lines[-1], part]), size, bold=True) <= width:
            lines[-1].append(part)
        else:
            lines.append([part])
    return lines


def _line(line: Sequence[str], score: str, size: float) -> str:
    x, items = 0.0, []
    for part in line:
        items.append(_text(part, size, _ACCENT if part == score else _INK, x=x, bold=True))
        x += _length(f"{part} ", size, bold=True)
    return "".join(items)


def _text(text: str, size: float, colour: str, *, x: float = 0, bold: bool = False, end: bool = False) -> str:
    weight = ' font-weight="700"' if bold else ""
    anchor = ' text-anchor="end"' if end else ""
    shown = escape(_drawable(text))
    return f'<text x="{x:g}" font-size="{size:g}" fill="{colour}"{weight}{anchor}>{shown}</text>'


def _drawable(text: str) -> str:
    """Return a text without the characters that the font has not."""
    return _MISSING.sub("□", unicodedata.normalize("NFC", text[:_LONGEST]))


def _cut(text: str, size: float, width: float, *, bold: bool = False) -> str:
    """Return a text, or the beginning of it that has room and three dots."""
    text = _drawable(text)
    if _length(text, size, bold=bold) <= width:
        return text
    fits = bisect(range(len(text)), width, key=lambda end: _length(f"{text[:end]}…", size, bold=bold))
    return f"{text[: max(fits - 1, 0)].rstrip()}…"


def _length(text: str, size: float, *, bold: bool = False) -> float:
    return _font(bold).getlength(_drawable(text)) * size / 100


@cache
def _font(bold: bool) -> ImageFont.FreeTypeFont:
    from PIL import ImageFont

    return ImageFont.truetype(FONTS / f"Inter-{'Bold' if bold else 'Regular'}.otf", 100)
