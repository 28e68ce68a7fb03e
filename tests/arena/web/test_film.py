"""Films of games."""

from __future__ import annotations

import io
import subprocess
import sys
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PIL import Image, ImageChops, ImageSequence

from arena.errors import ArenaError
from arena.web import film as films
from arena.web.boards.svg import Drawing
from arena.web.film import LARGEST, Film, draw_film, film_of
from tests.arena.invoking import invoke
from tests.arena.web.sites import ALIKE, EVIL, IDS, played


def frames(data: bytes) -> list[Any]:
    return [frame.convert("RGB").copy() for frame in ImageSequence.Iterator(Image.open(io.BytesIO(data)))]


def times(data: bytes) -> list[int]:
    return [frame.info["duration"] for frame in ImageSequence.Iterator(Image.open(io.BytesIO(data)))]


def has_ink(picture: Any) -> bool:
    return bool(picture.convert("L").point(lambda value: 255 * (value > 100)).getbbox())


def same(one: Any, other: Any) -> bool:
    """Whether two pictures differ no more than palettes do."""
    different = ImageChops.difference(one, other).convert("L").point(lambda value: 255 * (value > 60))
    return int(different.histogram()[255]) < 100


def pacing(plies: int) -> Film:
    """Two pawns go to and fro."""
    way = ("e2", "e8", "e1", "e9")
    return Film("quoridor", None, tuple(way[number % 4] for number in range(plies)), ("a", "b"), ("1", "0"))


def test_a_film_of_the_last_plies_ends_as_the_whole_one() -> None:
    record = played("hops", ("a", "b"), 1, plies=30)
    whole, end = frames(draw_film(film_of(record))), frames(draw_film(film_of(record, last=10)))
    assert len(end) == 11
    assert same(end[-1], whole[-1])


@pytest.mark.parametrize("name", [id_ for id_ in IDS if id_ not in ALIKE])
def test_every_game_has_a_small_film_from_its_start_to_its_end(name: str) -> None:
    from referee import game

    seats = game(name).info.players
    film = film_of(played(name, (EVIL, "b" * 200, "c\x1b[2J", "שלום")[:seats], 1, plies=8, opening=2))
    data = draw_film(film)
    assert data[:6] == b"GIF89a"
    assert len(data) < LARGEST
    shown = frames(data)
    assert len(shown) == len(film.plies) + 1
    assert len({frame.tobytes() for frame in shown}) > 5
    assert len({frame.size for frame in shown}) == 1


def test_the_last_frame_stays_and_shows_the_result() -> None:
    data = draw_film(pacing(4))
    *steps, last = times(data)
    assert last > 5 * max(steps)
    first, *_, end = frames(data)
    points = (280, 0, 380, 36)
    assert not has_ink(first.crop(points))
    assert has_ink(end.crop(points))


def test_a_long_game_has_few_frames_and_the_same_end_and_is_not_longer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(films, "_MOST_FRAMES", 12)
    data = draw_film(pacing(2001))
    shown = frames(data)
    assert len(shown) == 12
    assert sum(times(data)) < 60_000
    ended = frames(draw_film(pacing(1)))[-1]
    assert same(ended, shown[-1])
    assert not same(ended, shown[0])


def test_a_film_that_would_be_too_large_has_fewer_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = draw_film(pacing(16))
    monkeypatch.setattr(films, "LARGEST", len(whole) - 1)
    smaller = draw_film(pacing(16))
    assert len(smaller) < len(whole)
    assert same(frames(smaller)[-1], frames(whole)[-1])


def test_all_frames_show_the_same_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of tiles grows and shrinks; its squares keep their size and place."""
    boxes, scaled = set(), films.board_element

    def board_element(drawing: Drawing, left: float, top: float, side: float) -> str:
        boxes.add(drawing.box)
        return scaled(drawing, left, top, side)

    monkeypatch.setattr(films, "board_element", board_element)
    film = film_of(played("quatre-en-ligne", ("a", "b"), 0, plies=20))
    assert len({drawing.box for drawing in films._drawings(film)}) > 1
    draw_film(film)
    assert len(boxes) == 1


def test_a_removed_seat_and_forgiven_faults_are_no_moves_of_the_board() -> None:
    plies = ("e2", "?illegal x", "?random", "b5", "!3")
    film = Film("quoridor4", None, plies, ("a", "b", "c", "d"), ("0", "1", "0", "0"))
    assert len(frames(draw_film(film))) == 6


def test_a_game_that_the_rules_refuse_has_no_film() -> None:
    with pytest.raises(ArenaError, match="move 2"):
        draw_film(Film("quoridor", None, ("e2", "e2"), ("a", "b"), ("1", "0")))


def test_the_program_writes_a_film_or_says_why_there_is_none() -> None:
    def run(film: Film) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-m", "arena.web.film"]
        return subprocess.run(command, input=msgspec.json.encode(film), capture_output=True, check=False)

    assert run(pacing(1)).stdout == draw_film(pacing(1))
    refused = run(Film("no-such-game", None, (), ("a", "b"), ("1", "0")))
    assert refused.returncode == 1
    assert refused.stderr.startswith(b"there is no film of this game: ")
    assert b"Traceback" not in refused.stderr


def test_a_film_can_be_written_without_a_server(sample_database: Path, tmp_path: Path) -> None:
    target = tmp_path / "game.gif"
    done = invoke("show", "1", "--db", sample_database, "--gif", target)
    assert (done.exit_code, done.output) == (0, "")
    assert len(list(chain(frames(target.read_bytes())))) == 15
