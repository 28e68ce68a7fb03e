"""Boards as SVG, for the start position and for random positions of every game."""

from __future__ import annotations

import re
import runpy
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path
from random import Random
from typing import get_args

import pytest

import arena.web
from arena.web.boards import draw, seat_signs, text_board
from arena.web.boards.drawing import draw_board
from arena.web.boards.svg import Drawing
from arena.web.templating import asset
from referee import Position, game
from referee.drawn_board import Colours, Look, Shape
from tests.arena.web.sites import IDS


def elements(drawing: Drawing) -> list[ET.Element]:
    """Return all elements. The drawing must be valid XML."""
    tree = ET.fromstring(f"<svg>{drawing.ground}{''.join(drawing.items)}</svg>")
    return [element for element in tree.iter() if element.tag != "svg"]


def looks(drawing: Drawing) -> Counter[str]:
    """Count the elements of each class."""
    return Counter(element.get("class", "") for element in elements(drawing))


def shapes(drawing: Drawing) -> Counter[str]:
    """Count the uses of each shape."""
    return Counter(element.get("href", "")[1:] for element in elements(drawing) if element.tag == "use")


DECIDING = ("wins", "loses", "reached", "departed")
"""The looks of the marks of what decided a game."""

ROWS = ("wbwbwbw", "bwbwbwb", "wbwbwbw", "bwbwbwb", "-------", "wbwbwbw", "bwbwbwb", "wbwbwbw", "bwbwbwb")

BODIES = {"round", "block", "ring", "diamond", "wedge", "bars"}
"""The shapes that are a piece by themselves; others are signs upon them."""


def line(id_: str, plies: int, seed: int = 1) -> list[tuple[Position, str | None]]:
    rng = Random(seed)
    position = game(id_).start()
    positions: list[tuple[Position, str | None]] = [(position, None)]
    while len(positions) <= plies and position.outcome() is None:
        move = rng.choice(sorted(position.legal_moves(), key=str))
        position = position.play(move)
        positions.append((position, str(move)))
    return positions


@pytest.mark.parametrize("id_", [*IDS, "chess", "chess960"])
def test_every_position_of_a_random_game_is_drawn_as_valid_xml_inside_its_box(id_: str) -> None:
    for position, move in line(id_, 60):
        drawing = draw(id_, position, move)
        left, top, width, height = drawing.box
        for element in elements(drawing):
            if element.tag == "use":
                assert left <= float(element.get("x", "")) <= left + width
                assert top <= float(element.get("y", "")) <= top + height


@pytest.mark.parametrize("id_", [id_ for id_ in IDS if not id_.startswith("quoridor")])
def test_there_are_as_many_pieces_as_in_the_position_string(id_: str) -> None:
    for position, move in line(id_, 40):
        board = str(position).split()[1 if "rodeurs" in id_ else 0]
        pieces = sum(letter.isalpha() for letter in board)
        counts = shapes(draw(id_, position, move))
        assert sum(count for shape, count in counts.items() if shape in BODIES) == pieces


@pytest.mark.parametrize("id_", ["quoridor", "quoridor4"])
def test_quoridor_has_its_pawns_and_every_wall_and_the_last_one_is_marked(id_: str) -> None:
    position, move = line(id_, 12)[-1]
    flat, upright, pawns, *_ = (field.strip() for field in str(position).split("/"))
    counts = looks(draw(id_, position, move))
    assert counts["wall"] + counts["wall new"] == (len(flat) + len(upright)) // 2
    pieces = shapes(draw(id_, position, move))
    assert all(pieces[shape] == 1 for shape in ["ring", "diamond", "wedge", "bars"][: len(pawns.split())])
    placed = position.play(position.parse_move("a8h"))
    assert looks(draw(id_, placed, "a8h"))["wall new"] == 1


def test_captions_tell_what_the_board_does_not_show() -> None:
    starts = {id_: draw(id_, game(id_).start()).caption for id_ in IDS}
    assert starts["quoridor"] == "walls left: player 1: 10, player 2: 10; goals: player 1 top, 2 bottom"
    assert starts["quatre-en-ligne"].endswith("in hand: White 6, Red 6")
    assert starts["eclaircissement"].endswith("lit pawns have a sun: White 0, Red 0")
    assert "player 1, 55 points" in starts["rodeurs"]


def test_signs_of_light_and_dark_pieces_have_a_ground_that_shows_both() -> None:
    assert all(sign.startswith("<rect") and 'class="felt"' in sign for sign in seat_signs("chess", 2))
    assert all(sign.startswith("<use") for sign in seat_signs("hops", 2))


@pytest.mark.parametrize("id_", [*IDS, "chess"])
def test_a_small_board_has_no_frame_for_coordinates(id_: str) -> None:
    small = draw(id_, game(id_).start()).small()
    (frame,) = [element for element in elements(small) if element.get("class") == "rim"]
    assert tuple(int(frame.get(key, "")) for key in ("x", "y", "width", "height")) == small.box
    assert small.box[2] == draw(id_, game(id_).start()).box[2] - 12


def test_a_move_is_marked_with_its_way() -> None:
    start = game("hops").start()
    drawing = draw("hops", start.play(start.parse_move("b1c2,d1b1")), "b1c2,d1b1")
    counts = looks(drawing)
    assert (counts["last"], counts["knob"], counts["trail"], counts["trail under"]) == (2, 2, 2, 2)


ENDS = {
    "quoridor": ("b1h4e5c6a7d7h7e8 / a1g2e4g4h5g6b7 / d5 g1 / 3 2 / 1", "g1"),
    "quoridor4": ("b1h2e3g3b6f6a7h8 / a1e1f1g2a3b3d4f4g5c6b7e7 / a7 g1 e9 a9 / 0 0 0 0 / 1", "a9"),
    "movers-hoppers": ("2H/3/1H1/1h1/1mh/1M1/hhm/HHM w", "a4c2"),
    "movers-hoppers-expert": ("mhm/Hhh/3/MH1/3/1m1/1H1/MM1 r", "b6a7"),
    "rampants": ("MHH/HHM/1h1/1h1/1mh/hh1/3/3 r", "a6a7"),
    "eclaircissement": ("RWRR1/1W1WR/1W2W/W3R/RRWWR w", "d3d5"),
    "quatre-en-ligne": ("....__/.....w/.__w_R/._..../WwRRRR/.w__W./....R. 0,-1 0 0 w", "2,0>3,1"),
    "rodeurs": (f"{'/'.join(ROWS)} 3r2g/7/g4g1/6r/r4r1/7/2g4/6g/7 2", "c1c3,d7f7"),
    "rodeurs-diagonal": (f"{'/'.join(ROWS)} 5g1/2g4/4g2/7/7/7/2g1r1g/r6/4y2 2", "a6c8"),
    "hops": ("3r1rr/1rr1r2/4r2/7/4b1b/7/bbb1b2 r", "d2f4d6#"),
    "chess": ("8/8/3p2k1/6p1/n4p1P/8/q5N1/1r2K3 w - - 5 103", "b4b1"),
}
"""A last position of each game, and its last move."""

MARKS = {
    "quoridor": {"wins": 2, "reached": 1},  # the pawn and the edge
    "quoridor4": {"wins": 2, "reached": 1},
    "movers-hoppers": {"wins": 3},  # the pieces in the full camp
    "movers-hoppers-expert": {"wins": 1},
    "rampants": {"wins": 6},
    "eclaircissement": {"wins": 8},
    "quatre-en-ligne": {"wins": 5},  # the four and the line through them
    "rodeurs": {"loses": 4},  # the pawns that count against the loser
    "rodeurs-diagonal": {"loses": 6},
    "hops": {"wins": 3, "reached": 1, "departed": 1},  # the edge, the way over it, and the ghost
    "chess": {"wins": 1, "loses": 1},  # the line of the rook, and the king
}


@pytest.mark.parametrize("id_", [*IDS, "chess"])
def test_the_last_position_has_the_marks_of_what_decided_the_game(id_: str) -> None:
    text, move = ENDS[id_]
    position = game(id_).parse_position(text)
    assert position.outcome() is not None
    counts = looks(draw(id_, position, move))
    assert {look: counts[look] for look in DECIDING if counts[look]} == MARKS[id_]
    assert counts["last"] == 0, "the corners of the last move give way"
    assert not any(looks(draw(id_, game(id_).start()))[look] for look in DECIDING)


def test_the_last_position_of_a_plug_in_has_its_mark() -> None:
    rules = runpy.run_path("docs/examples/plugin-game/arena_chomp.py")["CHOMP"]
    scene = rules.parse_position("0/0/0/0 1").scene()
    assert looks(draw_board(rules.info.drawn, scene, "a1"))["loses"] == 1


@pytest.mark.parametrize(
    ("position", "move", "middle"),
    [
        ("3r1rr/1rr1r2/4r2/7/4b1b/7/bbb1b2 r", "d2f4d6#", 140),  # straight over d7
        ("4rrr/1rr1r2/4r2/7/4b1b/7/bbb1b2 r", "d2f4d6#", 220),  # aslant over e7
        ("r3rrr/2r1r2/4r2/7/4b1b/7/bbb1b2 r", "d4b6#", 0),  # over a7 and the corner: at the edge
    ],
)
def test_a_piece_that_left_the_board_is_a_ghost_beyond_the_goal(
    position: str, move: str, middle: int
) -> None:
    drawing = draw("hops", game("hops").parse_position(position), move)
    ghost = next(item for item in drawing.items if "departed" in item)
    assert f'x="{middle}" y="-20"' in ghost
    assert drawing.box == draw("hops", game("hops").start()).box


def test_pawns_that_cannot_complete_a_turn_and_a_king_without_a_move_are_marked() -> None:
    blocked = game("hops").parse_position("7/7/b1b1b2/1b1b3/r1r4/rr2b2/Brr3r b")
    assert looks(draw("hops", blocked))["loses"] == 7
    stalemate = game("chess").parse_position("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")
    assert looks(draw("chess", stalemate, "f6f7"))["loses"] == 1


def test_every_shape_of_a_board_is_defined() -> None:
    defined = set(re.findall(r'<symbol id="([\w-]+)"', asset("symbols.svg.j2")))
    for id_ in [*IDS, "chess"]:
        for position, move in line(id_, 30):
            assert set(shapes(draw(id_, position, move))) <= defined


def test_everything_that_a_game_may_declare_is_in_the_style_sheet_and_the_shapes() -> None:
    sheet, shapes_file = asset("style.css"), asset("symbols.svg.j2")
    assert all(f".on-{look} " in sheet for look in get_args(Look))
    assert all(f'<symbol id="{shape}"' in shapes_file for part in get_args(Shape) for shape in get_args(part))
    colours = [colour for part in get_args(Colours) for colour in get_args(part) if colour]
    assert all(f".{colour.replace(' ', '.')} {{" in sheet for colour in colours)


def test_the_pages_know_no_game_by_name() -> None:
    names = re.compile(
        r"quoridor|hoppers|rampants|[eé]claircissement|quatre|rodeurs|rôdeurs|\bhops\b|\bchess(?!-[prnbqk]\b)",
        re.IGNORECASE,
    )
    web = Path(arena.web.__file__).parent
    for path in [*web.rglob("*.py"), *web.joinpath("templates").iterdir()]:
        assert not names.search(path.read_text("utf-8")), path


def test_a_tile_that_was_taken_up_leaves_a_hole() -> None:
    with_tile = [(position, move) for position, move in line("quatre-en-ligne", 60) if "@" in (move or "")]
    for position, move in with_tile:
        assert looks(draw("quatre-en-ligne", position, move))["hole"] == 1
    assert with_tile


def test_a_game_that_nobody_drew_is_shown_by_its_diagram_as_text() -> None:
    drawing = text_board("┌─┐\n│<│ & \x1b[2J\n└─┘")
    tree = ET.fromstring(f"<svg>{''.join(drawing.items)}</svg>")
    assert [text.text for text in tree] == ["┌─┐", "│<│ & ?[2J", "└─┘"]
    assert draw("somebody's game", game("hops").start()).items[0].startswith("<text")
