"""Films of games: GIFs, which show in a chat or a document without a player.

A film takes seconds of a processor, and its library keeps other threads from running. So a server lets this
module run as a program: it reads a `Film` in JSON, and writes the GIF.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import msgspec

from arena.errors import ArenaError, exhausted
from arena.extras import need_extra
from arena.model import GameRecord
from arena.replay import replay as replay_plies
from arena.web.boards import draw, seat_signs
from arena.web.boards.picture import (
    ACCENT,
    GROUND,
    INK,
    board_element,
    letters_in,
    png,
    text_element,
    without_use,
)
from arena.web.boards.svg import Drawing, union
from arena.web.figures import points_text
from protocol.words import shortened
from referee import RefereeError, game

if TYPE_CHECKING:
    from PIL import Image

LARGEST: Final = 1_000_000
"""The most bytes of a film: a longer one gets fewer frames."""

_MOST_FRAMES: Final = 100
_SIDE: Final = 360  # of the board, in pixels
_MARGIN: Final = 16
_STRIP: Final = 40  # the height of a player's strip
_TEXT: Final = 20  # the size of letters
_BAR: Final = 4  # the height of the bar of progress
_COLOURS: Final = 128
_LONGEST_STEP: Final = 700
_LENGTH: Final = 40_000  # of the whole film, in milliseconds
_LAST: Final = 5000  # of the last frame


@dataclass(frozen=True, slots=True)
class Film:
    """What a film shows: a start position (None for the usual one), all plies, and the players."""

    game: str
    start: str | None
    plies: tuple[str, ...]
    names: tuple[str, ...]  # in seat order
    points: tuple[str, ...]
    first: int = 0  # the plies before the first frame


def film_of(record: GameRecord, last: int | None = None) -> Film:
    """Return the film of a game, or of its last plies."""
    opening, players = record.opening, record.result.players
    plies = (*opening.moves, *(ply.text for ply in record.record))
    names = tuple(player.name for player in players)
    points = tuple(points_text(player.points) if record.result.counts else "–" for player in players)
    first = 0 if last is None else max(len(plies) - last, 0)
    return Film(record.result.game, opening.position, plies, names, points, first)


def draw_film(film: Film) -> bytes:
    """Return a film as GIF: each position of a short game, and a sample of a long one; the last one stays.

    Takes seconds of a processor. Raises ArenaError or RefereeError if the rules refuse the game.
    """
    need_extra("pictures", "link cards and films")
    from PIL import ImageDraw

    drawings = list(_drawings(film))
    box = union(drawing.box for drawing in drawings)
    corner = (_MARGIN, _STRIP * (len(film.names) // 2))
    width = _SIDE + 2 * _MARGIN
    height = _SIDE + _STRIP * len(film.names) + 2 * _BAR
    ground = board_element(replace(drawings[0], box=box, items=()), *corner, _SIDE)
    playing, over = (_picture(_strips(film, over=over) + ground, width, height) for over in (False, True))
    frames = []
    for number, drawing in enumerate(drawings):
        frame = (over if number == len(drawings) - 1 else playing).copy()
        items = _picture(board_element(replace(drawing, box=box, ground=""), 0, 0, _SIDE), _SIDE, _SIDE)
        frame.paste(items, corner, items)
        bar = width * number // max(len(drawings) - 1, 1)
        ImageDraw.Draw(frame).rectangle((0, height - _BAR, bar, height), fill=ACCENT)
        frames.append(frame.convert("RGB"))
    while True:
        step = min(_LONGEST_STEP, _LENGTH // len(frames))
        data = write_gif(frames, [*[step] * (len(frames) - 1), _LAST], _COLOURS)
        if len(data) <= LARGEST or len(frames) < 4:
            return data
        frames = [*frames[:-1:2], frames[-1]]


def _drawings(film: Film) -> Iterator[Drawing]:
    rules = game(film.game)
    start = rules.start() if film.start is None else rules.parse_position(film.start)
    length = len(film.plies) - film.first
    shown = min(length, _MOST_FRAMES - 1)
    wanted = {film.first + round(number * length / max(shown, 1)) for number in range(shown + 1)}
    if not film.first:
        yield draw(film.game, start)
    for number, position in enumerate(replay_plies(rules, start, film.plies), 1):
        if number in wanted:
            yield draw(film.game, position, film.plies[number - 1])


def _picture(inside: str, width: int, height: int) -> Image.Image:
    from PIL import Image

    return Image.open(io.BytesIO(png(inside, width, height))).convert("RGBA")


def _strips(film: Film, over: bool) -> str:
    """Return the ground with the players: the later seats above the board, as on the page of a game."""
    seats = list(reversed(range(len(film.names))))
    signs = seat_signs(film.game, len(seats))
    above = len(seats) // 2
    longest = letters_in(_SIDE - 120, _TEXT)
    items = [f'<rect width="9999" height="9999" fill="{GROUND}"/>']
    for place, seat in enumerate(seats):
        top = _STRIP * place + (_SIDE if place >= above else 0)
        won = over and film.points[seat] not in ("0", "–")
        text = text_element(shortened(film.names[seat], longest), _TEXT, INK, x=34, bold=won)
        points = text_element(film.points[seat], _TEXT, ACCENT if won else INK, x=_SIDE, bold=won, end=True)
        items.append(
            f'<g transform="translate({_MARGIN} {top + 27})">'
            f'<g transform="translate(14 -7) scale(.8)">{without_use(signs[seat])}</g>'
            f"{text}{points if over else ''}</g>"
        )
    return "".join(items)


def write_gif(pictures: Sequence[Image.Image], milliseconds: Sequence[int], colours: int) -> bytes:
    """Return pictures as a GIF, each for its time, with one palette of at most 255 colours."""
    from PIL import Image

    width, height = pictures[0].size
    sheet = Image.new("RGB", (width, 4 * height))
    for place in range(4):
        sheet.paste(pictures[place * (len(pictures) - 1) // 3], (0, place * height))
    palette = sheet.quantize(colours, dither=Image.Dither.NONE)
    first, *others = (picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures)
    data = io.BytesIO()
    first.save(
        data, "GIF", save_all=True, append_images=others, duration=list(milliseconds), loop=0, optimize=True
    )
    return data.getvalue()


def main() -> None:
    """Read a film, and write its GIF; or end with a sentence that says why there is none."""
    os.nice(19)  # games that run on this machine come first
    film = msgspec.json.decode(sys.stdin.buffer.read(), type=Film)
    try:
        sys.stdout.buffer.write(draw_film(film))
    except (ArenaError, RefereeError, ImportError, MemoryError) as error:
        sys.exit(f"there is no film of this game: {exhausted(error) or error}")


if __name__ == "__main__":
    main()
