"""The pictures that other programs show beside a link to a page of the server."""

from __future__ import annotations

import re
import struct

import pytest
from starlette.testclient import TestClient

from arena.web.boards import draw, has_board
from arena.web.boards.picture import SIDE, _svg, picture
from referee import game, game_ids

DRAWN = [name for name in game_ids() if has_board(name)]


def previews(client: TestClient, address: str, **headers: str) -> list[str]:
    return re.findall(r'"og:image" content="([^"]*)"', client.get(address, headers=headers).text)


def test_a_page_names_the_full_address_of_its_picture_as_the_reader_sees_the_server(
    client: TestClient,
) -> None:
    assert previews(client, "/tournaments/1-1/") == ["http://localhost/tournaments/1-1/picture.png"]
    secure = {"x-forwarded-proto": "https", "host": "localhost:8321"}
    address = "/tournaments/1-1/games/1.html"
    found = previews(client, address, **secure)
    assert found == ["https://localhost:8321/tournaments/1-1/games/1.png"]
    own = '<meta property="og:url" content="https://localhost:8321/tournaments/1-1/games/1.html" />'
    assert own in client.get(address, headers=secure).text
    for page in ("/", "/tournaments/1-1/games", "/words"):
        assert previews(client, page) == []


def test_a_picture_is_a_png_of_the_last_position(client: TestClient) -> None:
    first = client.get("/tournaments/1-1/games/1.png")
    assert (first.status_code, first.headers["content-type"]) == (200, "image/png")
    assert first.content[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", first.content[16:24]) == (SIDE, SIDE)
    assert len(first.content) < 100_000
    again = client.get("/tournaments/1-1/games/1.png", headers={"if-none-match": first.headers["etag"]})
    assert again.status_code == 304
    assert client.get("/tournaments/1-1/picture.png").content[:8] == first.content[:8]


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("/tournaments/1-1/games/99.png", "there is no game 99"),
        ("/tournaments/1-2/games/1.png", "a game of another tournament"),
        ("/tournaments/1-9/picture.png", ""),
    ],
)
def test_a_picture_of_nothing_is_not_found(client: TestClient, address: str, reason: str) -> None:
    answer = client.get(address)
    assert answer.status_code == 404
    assert reason in answer.text


@pytest.mark.parametrize("name", DRAWN)
def test_every_shape_of_a_board_has_its_own_colours(name: str) -> None:
    drawing = draw(name, game(name).start())
    style, _, shapes = _svg(drawing).partition("</style>")
    assert "var(" not in style
    assert "<use" not in shapes
    coloured = set(re.findall(r"\.([a-z][a-z0-9-]*)\{(?:fill|stroke):", style))
    for look in re.findall(r'<(?:rect|circle|ellipse|path|polyline)[^>]* class="([^"]*)"', shapes):
        assert coloured & set(look.split()), look


def test_two_positions_have_two_pictures() -> None:
    start = game("quoridor").start()
    move = next(iter(start.legal_moves()))
    assert picture(draw("quoridor", start)) != picture(draw("quoridor", start.play(move), str(move)))
