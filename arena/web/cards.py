"""Link cards: the pictures that other programs show beside a link to a page."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from textwrap import wrap
from typing import Final

from arena.extras import need_extra
from arena.model import GameRecord, game_title
from arena.tables.result_text import who_won
from arena.web.boards import has_board
from arena.web.boards.picture import (
    ACCENT,
    GROUND,
    INK,
    MUTED,
    board_element,
    drawable,
    letters_in,
    png,
    text_element,
)
from arena.web.boards.svg import Drawing
from arena.web.figures import points_text, titles_text
from arena.web.pages.engine import EngineView
from arena.web.pages.games import game_line, last_board
from arena.web.pages.section import EngineRating
from arena.web.pages.tournament import TournamentView
from protocol.words import counted, cut, shortened

WIDTH: Final = 1200
HEIGHT: Final = 630
MARGIN: Final = 80

_SIDE: Final = HEIGHT - 2 * MARGIN  # of the board
_GAP: Final = 60
_TEXT: Final = 32
_ROW: Final = 44
_NOTE: Final = 56
_CARD_ROWS: Final = 4
_TITLES: Final = ((68, 1), (60, 1), (52, 2), (44, 3))
"""The sizes of a title, and how many lines it may have in each."""

_LONGEST_PART: Final = 30  # of a title: the last line of an even longer title is cut
_CARDS_KEPT: Final = 64  # in memory: some 4 MB


@dataclass(frozen=True, slots=True)
class Card:
    """What a card says, from the top. Each text is cut where it has no room."""

    event: str
    title: tuple[str, ...]  # parts
    score: str = ""  # the part of the title that has the accent, beside the winner
    rows: tuple[tuple[str, str], ...] = ()  # a name and a figure
    note: str = ""
    board: Drawing | None = None
    winner: str = ""  # a part of the title; "" for none


def game_card(record: GameRecord) -> Card:
    """Return the card of a game: the players, the result and the last position."""
    result = record.result
    line = game_line(record)
    event = f"{result.tournament} · {game_title(result.game)}"
    note = f"{line.fault or line.why}, {counted(line.plies, 'ply', 'plies')}"
    if len(line.names) == 2:
        title = (line.names[0], line.score, line.names[1])
        first, second = line.firsts
        won = "" if first == second else line.names[0] if first else line.names[1]
        return Card(event, title, line.score, note=note, board=last_board(record), winner=won)
    winner = who_won(line.names, [player.rank for player in result.players])
    rows = tuple((player.name, points_text(player.points)) for player in result.players)
    return Card(event, tuple(winner.split()), "", rows, note, last_board(record))


def tournament_card(view: TournamentView, state: str) -> Card:
    """Return the card of a tournament: its leaders, and the last position of its newest game."""
    titles = titles_text([section.results.game for section in view.sections])
    sizes = f"{counted(view.facts.engines, 'engine')}, {counted(view.facts.games, 'game')}"
    lines = view.sections[0].ranking.lines[:_CARD_ROWS] if len(view.sections) == 1 else ()
    board = view.sections[0].picture if view.sections and has_board(view.sections[0].results.game) else None
    title, score, winner = tuple(view.name.split()), "", ""
    if len(view.sections) == 1 and len(view.sections[0].winners) == 1:
        (winner,) = view.sections[0].winners
        score = "–".join(line.points for line in lines) if view.facts.engines == 2 else ""
        title = (winner, "wins", *title, *filter(None, [score]))
    return Card(
        titles,
        title,
        score,
        tuple((f"{line.place}  {line.name}", line.deciding) for line in lines),
        " · ".join(filter(None, (sizes, state))),
        board,
        winner,
    )


def engine_card(
    tournament: str, view: EngineView, ratings: Mapping[str, EngineRating], board: Drawing | None
) -> Card:
    """Return the card of an engine in a tournament."""
    rows = []
    for scores in view.games[:_CARD_ROWS]:
        rating = ratings.get(scores.game)
        title = "" if len(view.games) == 1 else f"{game_title(scores.game)}: "
        if rating is not None and rating.elo:
            rows.append((f"{title}{rating.scale}", f"{rating.elo} ±{rating.error}"))
            rows.append((f"{title}place", f"{rating.place} of {rating.engines}"))
        rows.append((f"{title}won-drawn-lost", scores.total.record))
    titles = titles_text([scores.game for scores in view.games])
    event = f"{tournament} · {titles}"
    return Card(event, tuple(view.name.split()), rows=tuple(rows[:_CARD_ROWS]), board=board)


def pair_card(
    record: GameRecord, names: tuple[str, str], points: tuple[float, float] | None, games: int
) -> Card:
    """Return the card of two engines: their points against each other, and the end of their newest game."""
    result = record.result
    event = f"{result.tournament} · {game_title(result.game)}"
    score = "–".join(map(points_text, points or ())) or "–"
    note = counted(games, "game")
    first, second = points or (0.0, 0.0)
    winner = "" if first == second else names[0] if first > second else names[1]
    return Card(event, (names[0], score, names[1]), score, (), note, last_board(record), winner)


@lru_cache(_CARDS_KEPT)
def draw_card(card: Card) -> bytes:
    """Return a card as PNG, `WIDTH` pixels wide and `HEIGHT` pixels high."""
    need_extra("pictures", "link cards and films")
    width = WIDTH - 2 * MARGIN - (_SIDE + _GAP if card.board else 0)
    letters = letters_in(width, _TEXT)
    size, lines = _title(" ".join(drawable(shortened(part, _LONGEST_PART)) for part in card.title), width)
    event = text_element(cut(card.event, letters), _TEXT, MUTED)
    parts: list[tuple[float, str]] = [(32, _BRAND), (84, event), (12, "")]
    accented = {*card.score.split(), *drawable(cut(card.winner, _LONGEST_PART)).split()}
    parts += [(size * 1.2, _line(line, accented, size)) for line in lines]
    parts.append((20, ""))
    room = HEIGHT - 2 * MARGIN - sum(height for height, _ in parts) - _NOTE
    for name, figure in card.rows[: int(room / _ROW)]:
        text = text_element(shortened(name, letters - len(figure) - 5), _TEXT, INK)
        parts.append((_ROW, text + text_element(figure, _TEXT, ACCENT, x=width, end=True)))
    if card.note:
        parts.append((_NOTE, text_element(cut(card.note, letters), _TEXT, MUTED)))
    top = (HEIGHT - sum(height for height, _ in parts)) / 2  # of a line, whose end is the base of its letters
    items = []
    for height, item in parts:
        top += height
        items.append(f'<g transform="translate({MARGIN} {top:g})">{item}</g>')
    picture = (
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{GROUND}"/>'
        f'<clipPath id="texts"><rect width="{MARGIN + width}" height="{HEIGHT}"/></clipPath>'
        f'<g clip-path="url(#texts)">{"".join(items)}</g>'
    )
    if card.board:
        picture += board_element(card.board, WIDTH - MARGIN - _SIDE, MARGIN, _SIDE)
    return png(picture, WIDTH, HEIGHT)


_BRAND: Final = (
    f'<g transform="translate(-2 -38) scale(1.7)" fill="none" stroke="{ACCENT}" stroke-width="2.5"'
    ' stroke-linecap="round"><path d="M6 10Q17-3 28 10"/><circle cx="28" cy="18" r="3.25"/>'
    f'<g stroke="none"><circle cx="6" cy="18" r="4.5" fill="{ACCENT}"/>'
    f'<circle cx="17" cy="18" r="4.5" fill="{INK}"/></g></g>'
    f'<g transform="translate(70 0)">{text_element("Leapfrog Arena", _TEXT, INK, bold=True)}</g>'
)


def _title(title: str, width: float) -> tuple[int, list[str]]:
    """Return the largest size in which a title fits into the lines of that size, and the lines."""
    size, lines = 0, list[str]()
    for size, most in _TITLES:
        letters = letters_in(width, size)
        lines = wrap(title, letters, max_lines=most, placeholder="…", break_on_hyphens=False)
        if "…" not in "".join(lines[-1:]):
            break
    return size, lines


def _line(line: str, accented: Collection[str], size: float) -> str:
    """Return a line of the title, in which some words have the accent."""
    words = ((ACCENT if word in accented else INK, word) for word in line.split(" "))
    parts = [f'<tspan fill="{colour}">{escape(word)}</tspan>' for colour, word in words]
    return f'<text font-size="{size}" font-weight="700" xml:space="preserve">{" ".join(parts)}</text>'
