"""Tests of what no request can do."""

from __future__ import annotations

import random
import re
from typing import Any, cast

import pytest
from starlette.routing import Route
from starlette.testclient import TestClient

from arena.web.server.app import HEADERS
from tests.sample_games import AUTUMN, SPRING
from tests.seeds import seeds

ADDRESSES = (
    "/",
    f"/tournaments/{SPRING}/",
    f"/tournaments/{SPRING}/games?order=longest",
    f"/tournaments/{SPRING}/engine?name=b",
    "/engines",
    "/engine?name=beta",
    f"/tournaments/{SPRING}/games/1.html",
    f"/tournaments/{SPRING}/style.css",
    "/live.js",
    "/api/tournaments",
    "/api/games/1",
    "/nothing",
)


EMBEDDED = {f"/tournaments/{SPRING}/embed", f"/tournaments/{SPRING}/games/1/embed"}
PICTURES = {
    "/picture.png",
    f"/tournaments/{SPRING}/picture.png",
    f"/tournaments/{SPRING}/engine.png?name=beta",
    f"/tournaments/{SPRING}/pair.png",
    f"/tournaments/{SPRING}/games/1.png",
    f"/tournaments/{SPRING}/games/1.gif",
}


def addresses(client: TestClient) -> set[str]:
    """Return an address for each route of the application but streams, which have no end."""
    paths = [cast("Route", route).path for route in cast("Any", client.app)._app.app.routes]
    found = set()
    for path in paths:
        query = "?name=beta" if "/engine" in path else ""
        found.add(
            path.replace("{id}", SPRING).replace("{number:number}", "1").removesuffix("/events") + query
        )
    return found | set(ADDRESSES)


@pytest.mark.usefixtures("no_drawing")
def test_every_answer_forbids_foreign_scripts_frames_and_guesses(client: TestClient) -> None:
    """Only boards for frames can be framed, and only pictures can be shown in other pages."""
    asked = addresses(client)
    assert asked > EMBEDDED | PICTURES
    for address in asked:
        answer = client.get(address)
        expected = dict(HEADERS)
        if address in EMBEDDED:
            expected["content-security-policy"] = (
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
                " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *"
            )
        if address in PICTURES:
            expected["cross-origin-resource-policy"] = "cross-origin"
        headers = answer.headers
        assert {name: headers.get(name) for name in HEADERS} == expected, address
        assert "'unsafe" not in headers["content-security-policy"]
        assert "set-cookie" not in headers


def test_other_sites_may_frame_no_page_by_a_similar_address(client: TestClient) -> None:
    for address in ("/embed", "/tournaments/embed", f"/tournaments/{SPRING}/embed/x", "/api/embed"):
        assert "frame-ancestors 'none'" in client.get(address).headers["content-security-policy"]


@pytest.mark.parametrize("address", sorted(EMBEDDED))
def test_pages_for_frames_have_no_forms_and_no_links_within_the_frame(
    client: TestClient, address: str
) -> None:
    text = client.get(address).text
    assert '<base target="_blank" />' in text
    assert "<form" not in text
    assert "<header" not in text


@pytest.mark.parametrize("address", [*ADDRESSES[:5], *sorted(EMBEDDED)])
def test_pages_have_no_script_and_no_style_of_their_own(client: TestClient, address: str) -> None:
    text = client.get(address).text
    assert "<style" not in text
    assert " style=" not in text
    assert " on" + "click=" not in text
    for part in text.split("<script")[1:]:
        assert part.startswith((' src="', ' type="module" src="', ' type="application/json"'))


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("LOCALHOST:8321", 200),
        ("127.0.0.1:8321", 200),
        ("[::1]:8321", 200),
        ("evil.example", 421),
        ("localhost.evil.example:8321", 421),
        ("127.0.0.1.evil.example", 421),
        ("", 421),
    ],
)
def test_only_the_names_of_this_machine_are_answered(client: TestClient, host: str, status: int) -> None:
    assert client.get("/api/tournaments", headers={"host": host}).status_code == status


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"])
def test_nothing_can_be_changed(client: TestClient, method: str) -> None:
    answer = client.request(method, "/api/tournaments", content=b"x")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")


def test_head_is_get_without_the_answer(client: TestClient) -> None:
    answer = client.head("/api/tournaments")
    assert (answer.status_code, answer.content) == (200, b"")


MARK = SPRING.rpartition("-")[2]
IDS = (
    *(SPRING, AUTUMN, "1-1", "1-2", "2-1", "0-0", f"{SPRING}-2", f"{SPRING}-1", f"x-{SPRING}", MARK),
    *(f"-{MARK}", SPRING.upper(), f"\u202e-{MARK}", f"%2e%2e%2f{MARK}", f"%0d%0aX: y-{MARK}", f"?-{MARK}"),
    *(f"/evil.example/-{MARK}", f"\\evil.example-{MARK}", f"%00-{MARK}", f"{'-' * 3000}{MARK}", "", "%23"),
)
PARTS = (
    *("api", "tournaments", "games", "events", "1-1", "1", "1.html", "1.gif", "1.png", "tables"),
    *("style.css", "index.html", "running", "7", "7.html", "openapi.json", "live", "ratings", "games.pgn"),
    *("picture.png", "results.atom", "engine.atom", "embed"),
    *("play", "offer", "moves", "record", "engine", "words"),
    *("..", ".", "%2e%2e", "%2f", "etc", "passwd", "%00", "%0d%0aX: y", "\u202e", "é", "-1"),
    *("9" * 30, "a" * 3000),
)
QUERIES = (
    *("", "", "?limit=2", "?before=x", "?db=-1", "?db=1&db=2", "?limit=%00", "?last=1-1"),
    "?" + "a=b&" * 200,
)


def fuzz(client: TestClient, seed: str, requests: int) -> None:
    """Ask for odd addresses; every answer is one that the server means to give."""
    draw = random.Random(seed)
    for _ in range(requests):
        path = "/" + "/".join(draw.choice(PARTS) for _ in range(draw.randrange(6))) + draw.choice(["", "/"])
        if draw.random() < 0.5:
            path = f"{draw.choice(('', '/api'))}/tournaments/{draw.choice(IDS)}{path}"
        if path.rstrip("/").endswith("events"):
            continue  # it has no end
        address = path + draw.choice(QUERIES)
        headers = {
            name: draw.choice(["", "x", '"', "gzip", "\x7f", "1-1", "*"])
            for name in ("accept-encoding", "if-none-match", "last-event-id", "cookie", "range")
            if draw.random() < 0.3
        }
        headers["accept"] = draw.choice(("*/*", "text/html", "application/json", ""))
        answer = client.get(f"http://localhost{address}", headers=headers, follow_redirects=False)
        assert answer.status_code in (200, 304, 307, 308, 400, 404), address
        assert re.match(r"/(?![/\\])", answer.headers.get("location", "/")), address
        assert set(HEADERS) <= set(answer.headers)
        assert "Traceback" not in answer.text
        assert "arena.db" not in answer.text
        assert "root:x:0" not in answer.text


def test_odd_addresses_get_an_answer(client: TestClient) -> None:
    fuzz(client, "1", 300)


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(1))
def test_ten_thousand_odd_addresses_get_an_answer(client: TestClient, seed: int) -> None:
    fuzz(client, str(seed), 10_000)
