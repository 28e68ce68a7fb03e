"""The link cards: the pictures that other programs show beside a link to a page of the server."""

from __future__ import annotations

import io
import re
import struct
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from html import unescape
from pathlib import Path
from threading import Event
from typing import Any

import pytest
import trio
from PIL import Image
from starlette.testclient import TestClient

from arena.config import load
from arena.store import Store
from arena.web.boards import draw, has_board
from arena.web.boards.picture import _MISSING, FONTS, _rules, without_use
from arena.web.cards import HEIGHT, MARGIN, WIDTH, Card, draw_card
from arena.web.film import Film
from arena.web.server import sharing
from referee import game, game_ids
from tests.arena.invoking import invoke
from tests.arena.web.sites import client_of, page_of
from tests.processes import wait_for
from tests.sample_games import AUTUMN, SPRING, spring

DRAWN = [name for name in game_ids() if has_board(name)]
BOARD = draw("quoridor", game("quoridor").start())
GROUND = (15, 20, 18)
PAIR = "game=quoridor&engine=beta&opponent=alpha"
PAGES = {
    "/": "/picture.png",
    "/words": "/picture.png",
    "/play/": "/picture.png",
    f"/tournaments/{SPRING}/": f"/tournaments/{SPRING}/picture.png",
    f"/tournaments/{SPRING}/games": f"/tournaments/{SPRING}/picture.png",
    f"/tournaments/{SPRING}/words": f"/tournaments/{SPRING}/picture.png",
    f"/tournaments/{SPRING}/engine?name=beta": f"/tournaments/{SPRING}/engine.png?name=beta",
    f"/tournaments/{SPRING}/pair?{PAIR}": f"/tournaments/{SPRING}/pair.png?{PAIR}",
    f"/tournaments/{SPRING}/games/1.html": f"/tournaments/{SPRING}/games/1.png",
}


def facts(client: TestClient, address: str, **headers: str) -> dict[str, str]:
    text = client.get(address, headers=headers).text
    return dict(re.findall(r'<meta (?:property|name)="((?:og|twitter):[^"]*)" content="([^"]*)"', text))


@pytest.fixture
def without_pictures(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No package of the extra ``pictures``, and no card that was drawn with them."""
    draw_card.cache_clear()
    with monkeypatch.context() as patched:
        patched.setattr("arena.extras.find_spec", lambda name: None)
        yield


@pytest.mark.usefixtures("without_pictures")
def test_without_the_extra_pages_name_no_picture_and_what_needs_it_names_the_extra(
    client: TestClient, sample_database: Path
) -> None:
    page = client.get(f"/tournaments/{SPRING}/games/1.html").text
    assert not [word for word in ("og:image", "twitter:card", 'id="film"', "film.js") if word in page]
    card = client.get("/picture.png")
    shown = invoke("show", "1", "--gif", "-", "--db", sample_database)
    assert (card.status_code, shown.exit_code) == (503, 2)
    for answer in (card.text, shown.output):
        assert "link cards and films need more packages: pip install 'leapfrog-arena[pictures]'" in answer


@pytest.mark.parametrize(("page", "card"), PAGES.items())
def test_every_page_names_its_card_with_its_size_and_a_text(client: TestClient, page: str, card: str) -> None:
    found = facts(client, page)
    assert unescape(found["og:image"]) == f"http://localhost{card}"
    answer = client.get(unescape(found["og:image"]))
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")
    assert struct.unpack(">II", answer.content[16:24]) == (WIDTH, HEIGHT)
    assert (found["og:image:width"], found["og:image:height"]) == (str(WIDTH), str(HEIGHT))
    assert found["og:title"] in found["og:image:alt"]
    assert found["twitter:card"] == "summary_large_image"


def test_a_card_is_small_and_is_not_sent_twice(client: TestClient) -> None:
    first = client.get(f"/tournaments/{SPRING}/games/1.png")
    assert first.content[:8] == b"\x89PNG\r\n\x1a\n"
    assert len(first.content) < 150_000
    again = client.get(f"/tournaments/{SPRING}/games/1.png", headers={"if-none-match": first.headers["etag"]})
    assert again.status_code == 304


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        (f"/tournaments/{SPRING}/games/99.png", "there is no game 99"),
        (f"/tournaments/{AUTUMN}/games/1.png", "a game of another tournament"),
        ("/tournaments/x/picture.png", ""),
        (f"/tournaments/{SPRING}/engine.png?name=nobody", "no such engine"),
        (f"/tournaments/{SPRING}/engine.png", "no such engine"),
    ],
)
def test_a_card_of_nothing_is_not_found(client: TestClient, address: str, reason: str) -> None:
    answer = client.get(address)
    assert answer.status_code == 404
    assert reason in answer.text


def test_the_server_sends_a_film_once(client: TestClient) -> None:
    address = f"/tournaments/{SPRING}/games/1"
    found = client.get(f"{address}.gif")
    assert (found.status_code, found.headers["content-type"]) == (200, "image/gif")
    assert found.content[:6] == b"GIF89a"
    again = client.get(f"{address}.gif", headers={"if-none-match": found.headers["etag"]})
    assert again.status_code == 304
    assert client.get(f"/tournaments/{SPRING}/games/99.gif").status_code == 404
    assert f'data-whole="{address}.gif"' in client.get(f"{address}.html").text


@pytest.mark.usefixtures("no_drawing")
def test_one_button_shares_a_game_a_tournament_a_pair_and_an_engine(client: TestClient) -> None:
    at = f"/tournaments/{SPRING}/"
    embedded, film = "&lt;iframe src=", f"{at}games/1.gif"
    for page, wanted in {
        at: ("picture.png", "games.pgn", "games.jsonl", embedded),
        f"{at}games/1.html": ("games/1.png", "games/1.pgn", film, f"{film}?last", embedded),
        f"{at}pair?{PAIR}": ("pair.png?", "games.jsonl?", ".gif", embedded),
        f"{at}engine?name=beta": ("engine.png?", "games.jsonl?", ".gif", embedded),
        "/engine?name=beta": ("picture.png", ".gif", embedded),
    }.items():
        text = client.get(page).text
        assert text.count('popovertarget="share"') == 1
        shared = text.partition('id="share"')[2].partition('<p class="downloads">')
        assert all(part in "".join(shared) for part in wanted), page
    assert client.get(f"{film}?last").content[:6] == b"GIF89a"


@pytest.fixture
def fresh(sample_database: Path) -> Iterator[TestClient]:
    """A client of a server that has no films yet."""
    with closing(Store.open(sample_database, create=False)) as store, client_of(store) as made:
        yield made


def film(client: TestClient, game: int) -> Any:
    return client.get(f"/tournaments/{SPRING}/games/{game}.gif")


def test_a_film_that_is_slow_can_be_asked_for_again(
    fresh: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sharing, "_LONGEST_DRAWING", 0)
    answer = film(fresh, 1)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "60")
    assert "long" not in answer.text  # the game is not to blame


def test_only_four_films_wait_and_pages_are_answered_meanwhile(
    fresh: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_end, drawn = Event(), []

    async def draw(asked: Film) -> bytes:
        drawn.append(asked)
        await trio.to_thread.run_sync(may_end.wait, 60)
        return b"GIF89a"

    monkeypatch.setattr(sharing, "_drawn", draw)
    with ThreadPoolExecutor(6) as threads:
        try:
            asked = [threads.submit(film, fresh, number) for number in range(1, 7)]
            refused = next(as_completed(asked, 60))
            assert (refused.result().status_code, refused.result().headers["retry-after"]) == (503, "10")
            assert fresh.get(f"/tournaments/{SPRING}/games/5.html").status_code == 200
            assert len(drawn) == 1  # one at a time
        finally:
            may_end.set()
    assert [answer.result().status_code for answer in asked].count(200) == 5
    assert len(drawn) == 5


def test_one_card_is_drawn_at_a_time_and_pages_are_answered_meanwhile(
    fresh: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_end, begun = Event(), []

    def draw(card: Card) -> bytes:
        begun.append(card)
        assert may_end.wait(60)
        return b"PNG"

    monkeypatch.setattr(sharing, "draw_card", draw)
    with ThreadPoolExecutor(3) as threads:
        try:
            asked = [
                threads.submit(fresh.get, f"/tournaments/{SPRING}/games/{number}.png") for number in (1, 2, 3)
            ]
            wait_for(lambda: begun, "no card is drawn")
            assert fresh.get(f"/tournaments/{SPRING}/games/4.html").status_code == 200
            assert len(begun) == 1
        finally:
            may_end.set()
    assert [answer.result().content for answer in asked] == [b"PNG"] * 3


def test_a_card_tells_who_has_won(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engines = "".join(f'[[engines]]\nname = "{name}"\ncommand = "true"\n' for name in ("alpha", "beta"))
    file = tmp_path / "t.toml"
    file.write_text(f'name = "spring"\ngame = "quoridor"\ngames_per_pairing = 1\n{engines}')
    cards: list[Card] = []
    monkeypatch.setattr(sharing, "draw_card", lambda card: cards.append(card) or b"PNG")
    with closing(Store.open(tmp_path / "arena.db", create=True)) as store:
        spec = load(file)
        store.begin_tournament("spring", spec.settings(), spec.plan.encode())
        store.add_games([spring()[0]])  # beta wins
        with client_of(store) as made:
            home = page_of(made)
            for picture in ("picture.png", "games/1.png", f"pair.png?{PAIR}"):
                assert made.get(f"{home}{picture}").content == b"PNG"
    assert cards[0].title == ("beta", "wins", "spring", "1–0")
    assert [card.winner for card in cards] == ["beta"] * 3


def pixels(card: Card) -> Any:
    return Image.open(io.BytesIO(draw_card(card))).convert("RGB")


HOSTILE = {
    "long": "lea" * 70,
    "many words": "a long name " * 20,
    "markup": "</text><script>alert(1)</script>&amp;",
    "control": "a\x00b\x1b[2J\ud800\ufffe\u202e",
    "other letters": "שלום 中文 🐸 Жλü",
    "nothing": "",
    "spaces": "   ",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_text_leaves_its_place(text: str) -> None:
    rows = tuple((text, "12½") for _ in range(4))
    for card in (
        Card(text, (text, "1–0", text), "1–0", rows, text, BOARD),
        Card(text, tuple(text.split()), "", rows, text, BOARD),
    ):
        picture = pixels(card)
        board = WIDTH - MARGIN - (HEIGHT - 2 * MARGIN)
        for box in (
            (0, 0, MARGIN, HEIGHT),
            (board - 50, 0, board, HEIGHT),
            (0, 0, WIDTH, MARGIN // 2),
            (0, HEIGHT - MARGIN // 2, WIDTH, HEIGHT),
        ):
            assert picture.crop(box).getcolors() == [((box[2] - box[0]) * (box[3] - box[1]), GROUND)], box


def test_the_font_has_every_character_that_is_not_replaced() -> None:
    from PIL import ImageFont

    for weight in ("Regular", "Bold"):
        font = ImageFont.truetype(FONTS / f"Inter-{weight}.otf", 40)
        missing = bytes(font.getmask("\ue000"))
        for number in range(0x20, 0x2600):
            letter = chr(number)
            if not _MISSING.match(letter) and not letter.isspace():
                assert bytes(font.getmask(letter)) != missing, hex(number)
        assert bytes(font.getmask("□")) != missing


@pytest.mark.parametrize("name", DRAWN)
def test_every_shape_of_a_board_has_its_own_colours(name: str) -> None:
    drawing = draw(name, game(name).start())
    style = "".join(rule for _, rule in _rules())
    shapes = without_use(drawing.ground + "".join(drawing.items))
    assert "var(" not in style
    assert "<use" not in shapes
    coloured = set(re.findall(r"\.([a-z][a-z0-9-]*)\{(?:fill|stroke):", style))
    for look in re.findall(r'<(?:rect|circle|ellipse|path|polyline)[^>]* class="([^"]*)"', shapes):
        assert coloured & set(look.split()), look
