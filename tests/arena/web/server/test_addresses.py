"""Addresses that stay: of a tournament, of a game, and of the server behind a proxy."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from arena.address import Address, web_origin
from arena.model import GameRecord
from arena.store import Store
from arena.web.links import tournament_id
from arena.web.server.app import LOOPBACK, application
from arena.web.server.databases import Databases
from arena.web.server.live import Broadcast
from tests.arena.invoking import invoke
from tests.arena.stored import new_store
from tests.sample_games import spring

PLACES = ("/", "", "/words", "/games", "/games?game=quoridor&between=a&between=b", "/engine?name=alpha")
PLACES_OF_GAMES = ("/games/1.html", "/games/1.png", "/picture.png", "/running/3")
PLACES_OF_API = ("", "/games?limit=2&before=5", "/games/1")


def arena(*words: object) -> None:
    done = invoke(*words, catch_exceptions=False)
    assert done.exit_code == 0, done.output


@contextmanager
def serving(*databases: Address, url: str = "") -> Iterator[TestClient]:
    with ExitStack() as stack:
        stores = [Store.open(path, create=False) for path in databases]
        for store in stores:
            stack.callback(store.close)
        served = Databases(stores, patience=60)
        app = application(served, Broadcast(served), LOOPBACK | {"arena.example.org"}, url=url)
        yield stack.enter_context(
            TestClient(app, base_url="http://localhost", backend="trio", follow_redirects=False)
        )


def ids(client: TestClient) -> dict[str, str]:
    """Return the id of each tournament by its name."""
    return {one["name"]: one["id"] for one in client.get("/api/tournaments").json()}


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Another database, whose games have numbers that games of the sample database have, too."""
    path = tmp_path / "other.db"
    new_store(path, "winter", games=[_of("winter", record) for record in spring()[:2]]).close()
    return path


def _of(tournament: str, record: GameRecord) -> GameRecord:
    return replace(record, result=replace(record.result, tournament=tournament))


@pytest.mark.parametrize(
    ("name", "created", "expected"),
    [
        ("spring", 1_700_000_000.0, "spring-06bt2r"),
        ("spring", 1_700_000_000.5, "spring-014nhr"),
        ("Spring League", 1_700_000_000, "spring-league-7v9v3s"),
        ("  Coupe d'été (2026)!  ", 0.0, "coupe-d-ete-2026-6f3g35"),
        ("棋", 1.0, "gzfcw6"),
        ("../<b>'\"&?#%2f", 1.0, "b-2f-3kn31j"),
        ("x" * 200, 1.0, f"{'x' * 40}-3f3dny"),
    ],
)
def test_the_id_of_a_tournament_never_changes(name: str, created: float, expected: str) -> None:
    assert tournament_id(name, created) == expected


def test_a_copy_and_an_export_keep_the_ids(sample_database: Path, tmp_path: Path, address: Address) -> None:
    records, imported = tmp_path / "records", tmp_path / "imported.db"
    arena("db", "copy", sample_database, address)
    arena("export", "--jsonl", "--db", sample_database, "-o", records)
    arena("import", records, "--db", imported)
    with serving(sample_database) as first, serving(address) as second, serving(imported) as third:
        assert ids(first) == ids(second) == ids(third)
        assert set(ids(first)) == {"spring", "autumn"}


def test_a_tournament_that_two_databases_have_has_two_addresses(
    sample_database: Path, other: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.db"
    arena("db", "copy", sample_database, copy)
    with serving(sample_database, other, copy) as client, serving(sample_database) as alone:
        found = sorted(one["id"] for one in client.get("/api/tournaments").json() if one["name"] == "spring")
        assert found == [ids(alone)["spring"], f"{ids(alone)['spring']}-2"]
        assert [client.get(f"/tournaments/{id_}/").status_code for id_ in found] == [200, 200]


def test_wrong_words_lead_to_the_one_address(sample_database: Path, other: Path) -> None:
    with serving(other, sample_database) as client:
        right = ids(client)["spring"]
        mark = right.removeprefix("spring-")
        for wrong in (mark, f"summer-{mark}", f"a-b-{mark}"):
            for place in (*PLACES, *PLACES_OF_GAMES):
                answer = client.get(f"/tournaments/{wrong}{place}")
                expected = f"/tournaments/{right}{place or '/'}"
                if place == "":  # only to the slash
                    expected = f"/tournaments/{right}"
                assert (answer.status_code, answer.headers["location"]) == (308, expected), place
            for place in PLACES_OF_API:
                answer = client.get(f"/api/tournaments/{wrong}{place}")
                assert (answer.status_code, answer.headers["location"]) == (
                    308,
                    f"/api/tournaments/{right}{place}",
                )
        for unknown in ("1-1", "1", f"{mark}-2", f"{mark}-", mark.upper(), "x"):
            assert client.get(f"/tournaments/{unknown}/").status_code == 404
            assert client.get(f"/api/tournaments/{unknown}").status_code == 404


def test_a_game_has_one_number(sample_database: Path, other: Path) -> None:
    with serving(other, sample_database) as client:
        autumn = ids(client)["autumn"]
        (listed,) = client.get(f"/api/tournaments/{autumn}/games").json()
        whole = client.get(f"/api/tournaments/{autumn}/games/7").json()["result"]
        assert {key: whole[key] for key in ("number", "place")} == {"number": 7, "place": 1}
        assert listed == {**whole, "url": f"/tournaments/{autumn}/games/7.html"}
        page = client.get(listed["url"]).text
        assert "<title>Game 7: " in page
        assert client.get("/api/games/7?db=2").json()["result"] == whole
        assert client.get("/api/games/1").json()["result"]["tournament"] == "winter"
        refused = client.get(f"/api/tournaments/{autumn}/games/1")
        assert (refused.status_code, refused.json()) == (
            404,
            {"error": "game 1 is a game of another tournament"},
        )


def test_a_server_behind_a_proxy_knows_its_address(sample_database: Path) -> None:
    url = web_origin("https://Arena.example.org/")
    with serving(sample_database, url=url) as client:
        page = f"/tournaments/{ids(client)['spring']}/games/1.html"
        for host in ("localhost", "arena.example.org"):
            text = client.get(page, headers={"host": host}).text
            picture = page.replace("html", "png")
            assert f'<meta property="og:image" content="https://arena.example.org{picture}"' in text
            assert f'<meta property="og:url" content="https://arena.example.org{page}"' in text
            assert not re.search(r"https?://localhost", text)
            slash = client.get("/play", headers={"host": host})
            assert (slash.status_code, slash.headers["location"]) == (307, "/play/")
        assert client.get(page, headers={"host": "evil.example"}).status_code == 421


@pytest.mark.parametrize(
    "text",
    [
        *("", "arena.example.org", "ftp://a.org", "https://", "https://a.org/x", "https://a.org/?x"),
        *("https://a.org#x", "https://u:p@a.org", "https://a.org:x", "https://a.org:0", "https://a b.org"),
        *("https://é.org", "https://a.org\n", 'https://a".org', "https://[::1", "https://a.org/\\"),
    ],
)
def test_what_is_no_address_of_a_server_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="must be an address without a path"):
        web_origin(text)
    done = invoke("serve", "--url", text)
    assert (done.exit_code, done.stdout) == (2, "")


def test_an_address_of_a_server_is_the_same_with_and_without_its_slash() -> None:
    assert web_origin("HTTPS://Arena.Example.org:8443/") == "https://arena.example.org:8443"
    assert web_origin("http://[::1]:80") == "http://[::1]:80"
