"""Tests of what no request can do."""

from __future__ import annotations

import random
import re

import pytest
from starlette.testclient import TestClient

from arena.web.server.app import HEADERS
from tests.sample_games import AUTUMN, SPRING
from tests.seeds import seeds

ADDRESSES = (
    "/",
    "/tournaments/1-1/",
    "/tournaments/1-1/games?order=longest",
    "/tournaments/1-1/engine?name=b",
    "/engines",
    "/engine?name=beta",
    "/tournaments/1-1/games/1.html",
    "/tournaments/1-1/style.css",
    "/live.js",
    "/api/tournaments",
    "/api/games/1",
    "/nothing",
)


@pytest.mark.parametrize("address", ADDRESSES)
def test_every_answer_forbids_foreign_scripts_frames_and_guesses(client: TestClient, address: str) -> None:
    headers = client.get(address).headers
    assert {name: headers.get(name) for name in HEADERS} == HEADERS
    assert "'unsafe" not in headers["content-security-policy"]


@pytest.mark.parametrize("address", ADDRESSES[:5])
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
    *("style.css", "index.html", "running", "7", "7.html", "openapi.json", "live", "ratings", "games.txt"),
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
