"""What is refused: a page with a way back for browsers, JSON for programs, a line for others."""

from __future__ import annotations

import html
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from arena.errors import StoreError
from arena.store import Store
from arena.web.server.app import CHANGING, HEADERS, LOOPBACK, Guarded, application
from arena.web.server.databases import Databases
from arena.web.server.live import Broadcast
from tests.sample_games import SPRING

BROWSER = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
JSON = {"content-type": "application/json"}
OTHER_SITE = {"sec-fetch-site": "cross-site"}
GAME = f"/tournaments/{SPRING}/games/99.html"

REFUSED = {
    "400": (
        "GET",
        f"/tournaments/{SPRING}/games?least=x",
        {},
        400,
        "Least must be a whole number from 0 to",
    ),
    "400 of a null": (
        "GET",
        f"/tournaments/{SPRING}/engine?name=%00",
        {},
        400,
        "An address must not have a null character.",
    ),
    "403": ("POST", "/api/play/games", JSON | OTHER_SITE, 403, "from a page of another site"),
    "404": ("GET", "/nothing", {}, 404, "There is no such address."),
    "404 of a tournament": ("GET", "/tournaments/x/", {}, 404, "There is no such tournament."),
    "404 of a game": ("GET", GAME, {}, 404, "There is no game 99; the last one is game 7."),
    "404 without play": ("GET", "/play/x/", {}, 404, "Nothing can be played here"),
    "405": ("POST", "/", {}, 405, "This server only answers GET and HEAD."),
    "405 of an address": ("GET", "/api/play/games/x/move", {}, 405, "this address only answers POST"),
    "415": ("POST", "/api/play/games", {}, 415, "this request must be application/json"),
    "421": ("GET", "/", {"host": "evil.example"}, 421, "does not answer for this name"),
}


@pytest.fixture
def changing(sample_database: Path) -> Iterator[TestClient]:
    """A client of a server whose POST addresses are guarded as with --engines."""
    store = Store.open(sample_database, create=False)
    databases = Databases([store], patience=60)
    app: Any = application(databases, Broadcast(databases), LOOPBACK)
    guarded = Guarded(app._app, LOOPBACK, CHANGING)
    with TestClient(guarded, base_url="http://localhost", backend="trio", follow_redirects=False) as made:
        yield made
    store.close()


@pytest.mark.parametrize(("method", "path", "headers", "status", "sentence"), REFUSED.values(), ids=REFUSED)
def test_a_refusal_fits_who_asks(
    changing: TestClient, method: str, path: str, headers: dict[str, str], status: int, sentence: str
) -> None:
    def ask(**accept: str) -> Any:
        return changing.request(method, path, headers={**headers, **accept})

    browser, program, other = ask(**BROWSER), ask(accept="application/json"), ask(accept="*/*")
    assert {one.status_code for one in (browser, program, other)} == {status}
    assert {name: browser.headers.get(name) for name in HEADERS} == HEADERS
    assert list(program.json()) == ["error"]
    assert sentence.lower().rstrip(".") in program.json()["error"].lower()
    if path.startswith("/api/"):
        assert program.content == browser.content == other.content
        return
    assert other.text == f"{program.json()['error']}\n"
    assert sentence in browser.text
    assert browser.headers["content-type"] == "text/html; charset=utf-8"
    assert "accept" in browser.headers["vary"]
    if status != 421:
        assert '<a class="button' in browser.text


def test_a_database_that_cannot_be_read_is_named_without_its_folder(
    changing: TestClient, sample_database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_store: Store, number: int) -> None:
        raise StoreError(f"{sample_database}: is locked by another program")

    monkeypatch.setattr(Store, "game", refuse)
    answer = changing.get(f"/tournaments/{SPRING}/games/1.html", headers=BROWSER)
    assert answer.status_code == 503
    assert "Arena.db: is locked by another program." in answer.text
    assert str(sample_database.parent) not in answer.text


def test_a_machine_without_memory_is_an_answer_and_the_server_goes_on(
    changing: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_store: Store, number: int) -> None:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(Store, "game", fail)
        answer = changing.get("/api/games/1")
        assert answer.status_code == 503
        assert "this machine has run out of a resource: Cannot allocate memory" in answer.json()["error"]
    assert changing.get("/api/games/1").status_code == 200


def test_a_page_that_could_not_be_computed_without_a_thread_is_computed_when_there_is_one(
    changing: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr("arena.web.server.databases.Thread.start", start)
        answer = changing.get(f"/tournaments/{SPRING}/", headers=BROWSER)
        assert answer.status_code == 503
        assert "This machine has run out of a resource: can't start new thread" in html.unescape(answer.text)
    answer = changing.get(f"/tournaments/{SPRING}/", headers=BROWSER)
    assert (answer.status_code, "<table" in answer.text) == (200, True)


def test_a_mistake_of_the_server_is_an_answer_without_its_reason(
    sample_database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_store: Store, number: int) -> None:
        raise ZeroDivisionError("secret")

    monkeypatch.setattr(Store, "game", fail)
    store = Store.open(sample_database, create=False)
    databases = Databases([store], patience=60)
    app = application(databases, Broadcast(databases), LOOPBACK)
    with TestClient(
        app, base_url="http://localhost", backend="trio", raise_server_exceptions=False
    ) as client:
        answer = client.get(f"/tournaments/{SPRING}/games/1.html", headers=BROWSER)
        assert (answer.status_code, "secret" in answer.text) == (500, False)
        assert f'href="/tournaments/{SPRING}/"' in answer.text
        assert client.get("/api/games/1").json() == {
            "error": "the server has made a mistake; its user can see which"
        }
    store.close()
