"""The pages of the server are those of the report, about the games that are stored now."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from click.testing import CliRunner
from starlette.testclient import TestClient

from arena.cli import main
from arena.store import Store
from arena.web.server.app import application
from arena.web.server.broadcast import Broadcast
from arena.web.server.databases import Databases, ServedDatabase
from arena.web.server.serving import LOOPBACK
from tests.arena.web.sites import played

ODD = "a/b?c&d=é #1"


def test_the_page_of_a_tournament_has_what_the_report_has(
    client: TestClient, sample_database: Path, tmp_path: Path
) -> None:
    name = client.get("/api/tournaments/1-1").json()["name"]
    command = ["report", name, "--db", str(sample_database), "-o", str(tmp_path / "site")]
    CliRunner().invoke(main, command, catch_exceptions=False)

    def tables(text: str) -> list[str]:
        return [
            re.sub(r' href="[^"]*"', "", one) for one in re.findall(r"<table>.*?</table>", text, re.DOTALL)
        ]

    written = tables((tmp_path / "site/index.html").read_text(encoding="utf-8"))
    assert tables(client.get("/tournaments/1-1/").text) == written
    assert len(written) > 3


def test_every_link_of_a_tournament_leads_to_a_page(client: TestClient) -> None:
    page = client.get("/tournaments/1-1/").text
    links = {link.replace("&amp;", "&") for link in re.findall(r'href="(/[^"#]*)', page)}
    assert {re.sub(r"[\d?].*", "", link.removeprefix("/tournaments/1-1")) for link in links} >= {
        "/games",
        "/engine",
        "/games/",
        "/words",
    }
    assert {link: client.get(link).status_code for link in links if client.get(link).status_code != 200} == {}


def client_of(store: Store) -> TestClient:
    databases = Databases([store])
    app = application(databases, Broadcast(databases), LOOPBACK)
    return TestClient(app, base_url="http://localhost", backend="trio")


def test_new_games_are_read_and_names_may_hold_anything(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "arena.db", create=True)
    store.begin_tournament("cup", {})
    store.add_games([played("hops", (ODD, "c"), 0)])
    with client_of(store) as client:
        page = client.get("/tournaments/1-1/").text
        assert '<b id="played">1</b>' in page
        store.add_games([played("hops", ("c", ODD), 1), played("hops", ("c", "d"), 2)])
        page = client.get("/tournaments/1-1/").text
        assert '<b id="played">3</b>' in page
        (link,) = set(re.findall(r'href="(/tournaments/1-1/engine[^"]*)">a/b', page))
        engine = client.get(link.replace("&amp;", "&"))
        assert f"<h1>{ODD.replace('&', '&amp;')}</h1>" in engine.text
        games = client.get("/tournaments/1-1/games", params={"game": "hops", "between": [ODD, "c"]}).text
        assert re.findall(r'aria-label="game (\d+)"', games) == ["2", "1"]
        assert client.get("/tournaments/1-1/engine?name=nobody").status_code == 404
    store.close()


def test_a_tournament_without_games_has_a_page(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "arena.db", create=True)
    store.begin_tournament("spring", {})
    with client_of(store) as client:
        page = client.get("/tournaments/1-1/")
        assert page.status_code == 200
        assert "No games yet" in page.text
    store.close()


def test_a_value_rests_while_games_are_stored_and_is_computed_again_later(
    tmp_path: Path, monkeypatch: Any
) -> None:
    store = Store.open(tmp_path / "arena.db", create=True)
    database, now, version = ServedDatabase(1, store), [0.0], ["a"]
    monkeypatch.setattr("arena.web.server.databases.time.monotonic", lambda: now[0])
    monkeypatch.setattr(ServedDatabase, "version", property(lambda _: version[0]))
    computed = []

    def compute(_: Store) -> int:
        now[0] += 10
        computed.append(now[0])
        return len(computed)

    assert database.computed("x", compute, rest=3) == 1
    version[0] = "b"
    now[0] = 39.9
    assert database.computed("x", compute, rest=3) == 1
    now[0] = 40
    assert database.computed("x", compute, rest=3) == 2
    now[0] = 1000
    assert database.computed("x", compute, rest=3) == 2  # nothing was stored
    store.close()


def test_the_first_page_has_tournaments_ratings_and_engines(client: TestClient) -> None:
    page = client.get("/").text
    listed = client.get("/api/tournaments").json()
    assert re.findall(r'<th scope="row" class="name"><a href="([^"]*)">', page) == [
        one["url"] for one in listed
    ]
    engines = [one["engine"] for one in client.get("/api/engines").json()]
    table = page[page.index("<caption>Engines</caption>") :]
    assert re.findall(r'<th scope="row" class="name">([^<]*)', table)[: len(engines)] == engines
    rankings = [one["ranking"] for one in client.get("/api/ratings").json()]
    best = [row["engine"] for ranking in rankings for row in ranking if row["rank"] == 1]
    assert re.findall(r'<tr><td>1</td><th scope="row" class="name">([^<]*)', page) == best
