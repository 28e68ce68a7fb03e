"""The three kinds of boards: squares side by side, squares with grooves for walls, and tiles on a plane."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final, TypeAlias

from arena.web.boards import svg
from arena.web.boards.moves import TAKEN, paths
from arena.web.boards.svg import EDGE, RIM, UNIT, Box, Drawing, Place, Point, label, marks, rectangle
from referee.drawn_board import (
    Decision,
    Disc,
    Grooves,
    Line,
    Scene,
    Side,
    Squares,
    Tiles,
    chequered,
    square_name,
)

Kind: TypeAlias = Squares | Grooves | Tiles

_SIDE: Final = 36
_GAP: Final = 8
_SIZES: Final = {Squares: (UNIT, UNIT), Grooves: (_SIDE + _GAP, _SIDE)}
"""From square to square, and the side of a square."""

_BAND: Final = 3
"""The width of the strip that shows the goal of a player."""

_TO_EDGE: Final = (UNIT + EDGE) / 2
"""From the centre of a tile to the centre of its coordinate in the frame."""


def draw_board(board: Kind, scene: Scene, move: str | None) -> Drawing:
    """Draw a position, and mark its last move below the pieces, so that they stay whole."""
    match board:
        case Squares():
            return _draw_squares(board, scene, move)
        case Grooves():
            return _draw_grooves(board, scene, move)
        case Tiles():
            return _draw_tiles(board, scene, move)


def board_places(board: Kind, scene: Scene) -> Iterator[Place]:
    """Yield the places from the top row to the bottom, with what stands on them."""
    match board:
        case Squares():
            yield from _squares(board, scene)
        case Grooves():
            yield from _squares(board, scene)
            yield from _grooves(board, scene)
        case Tiles():
            yield from _tiles(board, scene)


# --- what decided a game -----------------------------------------------------------------------------------


def _decision(board: Kind, scene: Scene, move: str | None) -> list[str]:
    """Return the marks of what decided the game, which are below the pieces; none while the game goes on."""
    decision = scene.decision
    if decision is None:
        return []
    items = []
    if decision.side is not None and not isinstance(board, Tiles):
        items += _reached(board, decision.side)
        trails = paths(move or "")
        if decision.gone and trails:
            items += _departure(board, scene, decision, trails[-1][-1])
    for place in decision.losing:
        x, y = _middle(board, place)
        items.append(rectangle(x - 18, y - 18, 36, 36, "loses"))
    items += [svg.strong_line(_middle(board, place) for place in places) for places in decision.lines]
    items += [svg.strong_ring(*_middle(board, place)) for place in decision.winning]
    return items


def _reached(board: Squares | Grooves, side: Side) -> list[str]:
    """Return the marks of the squares at a side that a player has reached, and of the edge there."""
    pitch, size = _SIZES[type(board)]
    gap = pitch - size
    wide, high = board.columns * pitch - gap, board.rows * pitch - gap
    before, right, below = -gap / 2 - 2, wide + gap / 2 + 2, high + gap / 2 + 2
    squares = {
        "top": (0, 0, wide, size),
        "right": (wide - size, 0, size, high),
        "bottom": (0, high - size, wide, size),
        "left": (0, 0, size, high),
    }
    edges: dict[Side, list[Point]] = {
        "top": [(0, before), (wide, before)],
        "right": [(right, 0), (right, high)],
        "bottom": [(0, below), (wide, below)],
        "left": [(before, 0), (before, high)],
    }
    return [rectangle(*squares[side], "reached"), svg.strong_line(edges[side])]


def _departure(board: Squares | Grooves, scene: Scene, decision: Decision, last: str) -> list[str]:
    """Return the way of the piece that left the board at the top or the bottom, and its ghost beyond."""
    column, row = svg.square(last)
    step = 1 if decision.side == "top" else -1
    rows_left = board.rows - 1 - row if decision.side == "top" else row
    # From the row before the last one, the piece has jumped over another one, straight or aslant.
    aslant = next((by for by in (0, -1, 1) if square_name(column + by, row + step) in scene.pieces), 0)
    x, y = _middle(board, last)
    ghost_x = x + 2 * aslant * UNIT * (rows_left > 0)
    ghost = (min(max(ghost_x, 0), board.columns * UNIT - RIM), y - step * (rows_left + 1) * UNIT)
    piece = svg.piece(board, decision.gone, *ghost)
    return [svg.strong_line([(x, y), ghost]), svg.strong_ring(*ghost), f'<g class="departed">{piece}</g>']


# --- squares -----------------------------------------------------------------------------------------------


def _draw_squares(board: Squares, scene: Scene, move: str | None) -> Drawing:
    items = _trails(board, scene, move) + _decision(board, scene, move)
    for place in sorted(scene.pieces, key=lambda name: svg.square(name)[::-1]):
        items.append(svg.piece(board, scene.pieces[place], *_middle(board, place)))
    box, rim = svg.frame(0, 0, board.columns * UNIT, board.rows * UNIT, board.goals)
    letters = box[1] + box[3] - EDGE // 2  # beyond a goal, so that no piece there covers them
    ground = _chequers(_colours(board, scene), letters) + _inlays(board.drawn)
    return Drawing(f"on-{board.look}", box, rim + ground, tuple(items), scene.caption)


def _squares(board: Squares | Grooves, scene: Scene) -> Iterator[Place]:
    pitch, side = _SIZES[type(board)]
    for row in reversed(range(board.rows)):
        for column in range(board.columns):
            name = square_name(column, row)
            key = scene.pieces.get(name)
            stands = "empty" if key is None else board.pieces[key].name
            if key is not None and isinstance(board, Squares) and board.grounds:
                stands += f" on a {board.grounds[_colours(board, scene)[-1 - row][column]]}"
            box = (column * pitch, (board.rows - 1 - row) * pitch, side, side)
            yield Place(
                name, box, 2 * row, 2 * column, f"{name}, {stands}", empty=key is None, piece=key or ""
            )


def _trails(board: Squares | Grooves, scene: Scene, move: str | None) -> list[str]:
    trails = [] if move is None else [list(filter(board.has, path)) for path in paths(move)]
    points = ([_middle(board, place) for place in trail] for trail in trails)
    return marks(points, ends=scene.decision is None)


def _middle(board: Kind, place: str) -> Point:
    if isinstance(board, Tiles):
        return _centre(*_at(place))
    pitch, side = _SIZES[type(board)]
    column, row = svg.square(place)
    return column * pitch + side / 2, (board.rows - 1 - row) * pitch + side / 2


def _colours(board: Squares, scene: Scene) -> tuple[str, ...]:
    return scene.ground or board.ground or chequered(board.columns, board.rows)


@cache
def _chequers(colours: tuple[str, ...], letters: int) -> str:
    """Return the squares of the board and their coordinates, with the letters at this height."""
    rows, columns = len(colours), len(colours[0])
    parts = []
    for row in range(rows):
        top = (rows - row - 1) * UNIT
        parts += [
            rectangle(column * UNIT, top, UNIT, UNIT, f"c{colour}")
            for column, colour in enumerate(colours[-1 - row])
        ]
        parts.append(label(-EDGE / 2, top + UNIT / 2, str(row + 1), "co"))
    parts += [
        label((column + 0.5) * UNIT, letters, chr(ord("a") + column), "co") for column in range(columns)
    ]
    return "".join(parts)


@cache
def _inlays(items: tuple[Line | Disc, ...]) -> str:
    return "".join(
        svg.line([(x * UNIT, y * UNIT) for x, y in item.points], item.look)
        if isinstance(item, Line)
        else svg.disc(item.x * UNIT, item.y * UNIT, item.radius * UNIT, item.look)
        for item in items
    )


# --- squares with grooves ----------------------------------------------------------------------------------


def _draw_grooves(board: Grooves, scene: Scene, move: str | None) -> Drawing:
    """Draw a position. A wall that was just placed is marked, instead of a trail."""
    looks = ((wall, "wall new" if wall == move else "wall") for wall in scene.walls)
    items = [rectangle(*_wall_box(board.rows, wall), look) for wall, look in looks]
    items += [] if move is not None and board.has_wall(move) else _trails(board, scene, move)
    items += _decision(board, scene, move)
    items += [svg.piece(board, key, *_middle(board, place)) for place, key in scene.pieces.items()]
    wide, high = _extent(board.columns), _extent(board.rows)
    box, rim = svg.frame(-_GAP / 2, -_GAP / 2, wide + _GAP, high + _GAP)
    ground = rim + _grooved(board.columns, board.rows, board.goals)
    return Drawing(f"on-{board.look}", box, ground, tuple(items), scene.caption)


def _grooves(board: Grooves, scene: Scene) -> Iterator[Place]:
    for row in reversed(range(board.rows - 1)):
        for column in range(board.columns - 1):
            name = square_name(column, row)
            above = f"above {name} and {square_name(column + 1, row)}"
            beside = f"right of {name} and {square_name(column, row + 1)}"
            for kind, where, at in (
                ("h", above, (2 * row + 1, 2 * column)),
                ("v", beside, (2 * row, 2 * column + 1)),
            ):
                wall = f"{name}{kind}"
                empty = wall not in scene.walls
                words = f"{wall}, {'groove' if empty else 'wall'} {where}"
                yield Place(wall, _wall_box(board.rows, wall), *at, words, between=True, empty=empty)


def _extent(count: int) -> int:
    return count * (_SIDE + _GAP) - _GAP


def _wall_box(rows: int, wall: str) -> Box:
    pitch = _SIDE + _GAP
    column, row = svg.square(wall[:-1])
    left, top = column * pitch, (rows - 2 - row) * pitch
    length, thin = pitch + _SIDE, _GAP - 2
    if wall.endswith("h"):
        return left, top + _SIDE + 1, length, thin
    return left + _SIDE + 1, top, thin, length


@cache
def _grooved(columns: int, rows: int, goals: tuple[Side, ...]) -> str:
    """Return the squares, the grooves, the coordinates, and a strip for the goal of each player."""
    pitch, wide, high = _SIDE + _GAP, _extent(columns), _extent(rows)
    parts = [rectangle(-_GAP / 2, -_GAP / 2, wide + _GAP, high + _GAP, "groove")]
    parts += [
        rectangle(column * pitch, row * pitch, _SIDE, _SIDE, "c1")
        for row in range(rows)
        for column in range(columns)
    ]
    edge = (EDGE + _GAP) / 2
    for step in range(max(columns, rows)):
        along = step * pitch + _SIDE / 2
        if step < rows:
            parts.append(label(-edge, along, str(rows - step), "co"))
        if step < columns:
            parts.append(label(along, high + edge, chr(ord("a") + step), "co"))
    before = -_GAP / 2 - _BAND - 1
    right, below = wide + _GAP / 2 + 1, high + _GAP / 2 + 1
    strips = {
        "top": (0, before, wide, _BAND),
        "right": (right, 0, _BAND, high),
        "bottom": (0, below, wide, _BAND),
        "left": (before, 0, _BAND, high),
    }
    parts += [rectangle(*strips[side], f"goal g{number}") for number, side in enumerate(goals, 1)]
    return "".join(parts)


# --- tiles -------------------------------------------------------------------------------------------------


def _draw_tiles(board: Tiles, scene: Scene, move: str | None) -> Drawing:
    places = [_at(tile) for tile in scene.tiles]
    (left, wide), (low, high) = (_span({place[axis] for place in places}) for axis in (0, 1))
    box, rim = svg.frame(left * UNIT, -(low + high) * UNIT, wide * UNIT, high * UNIT)
    items = [rim]
    items += [label(*_centre(x, low, down=1), str(x), "co") for x in range(left, left + wide)]
    items += [label(*_centre(left, y, aside=1), str(y), "co") for y in range(low, low + high)]
    items += [_tile(*place) for place in places]
    items += [] if move is None else _tile_marks(move, ends=scene.decision is None)
    items += _decision(board, scene, move)
    items += [svg.piece(board, key, *_centre(*_at(place))) for place, key in scene.pieces.items()]
    return Drawing(f"on-{board.look}", box, "", tuple(items), scene.caption)


def _tiles(board: Tiles, scene: Scene) -> Iterator[Place]:
    """Yield the tiles, and the places around them where a tile can be laid."""
    columns, rows = ({_at(tile)[axis] for tile in scene.tiles} for axis in (0, 1))
    for y in range(max(rows) + 1, min(rows) - 2, -1):
        for x in range(min(columns) - 1, max(columns) + 2):
            name = f"{x},{y}"
            key = scene.pieces.get(name)
            ground = "empty" if name in scene.tiles else "no tile"
            stands = ground if key is None else board.pieces[key].name
            box = (x * UNIT, -(y + 1) * UNIT, UNIT, UNIT)
            bare = name not in scene.tiles
            words = f"{name}, {stands}"
            yield Place(name, box, 2 * y, 2 * x, words, empty=key is None, piece=key or "", bare=bare)


def _at(place: str) -> tuple[int, int]:
    x, y = map(int, place.split(","))
    return x, y


def _span(numbers: set[int]) -> tuple[int, int]:
    """Return the least number, and how many integers there are from the least to the greatest."""
    return min(numbers), max(numbers) - min(numbers) + 1


def _tile_marks(move: str, *, ends: bool) -> list[str]:
    """Return the marks for the move of a piece, and the hole that a removed tile leaves."""
    way, _, taken = move.partition(TAKEN)
    items = marks(([_centre(*_at(place)) for place in path] for path in paths(way)), ends=ends)
    if taken:
        x, y = _centre(*_at(taken))
        items.append(rectangle(x - UNIT / 2 + 3, y - UNIT / 2 + 3, UNIT - 6, UNIT - 6, "hole"))
    return items


def _centre(x: int, y: int, aside: int = 0, down: int = 0) -> Point:
    """Return the centre of a place, or of the coordinate beside or below it."""
    return (x + 0.5) * UNIT - aside * _TO_EDGE, -(y + 0.5) * UNIT + down * _TO_EDGE


def _tile(x: int, y: int) -> str:
    look = "c2" if (x + y) % 2 else "c1"
    return rectangle(x * UNIT + 1.5, -(y + 1) * UNIT + 1.5, UNIT - 3, UNIT - 3, f"tile {look}")
