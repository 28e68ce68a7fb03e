"""Boards as SVG, for the start position and for random positions of every game."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path
from random import Random
from typing import get_args

import pytest

import arena.web
from arena.web.boards import draw, text_board
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


def test_a_move_is_marked_with_its_way() -> None:
    start = game("hops").start()
    drawing = draw("hops", start.play(start.parse_move("b1c2,d1b1")), "b1c2,d1b1")
    counts = looks(drawing)
    assert (counts["last"], counts["knob"], counts["trail"], counts["trail under"]) == (2, 2, 2, 2)


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
