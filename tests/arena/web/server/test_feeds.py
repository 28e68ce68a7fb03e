"""Feeds of results are Atom as RFC 4287 has it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote
from uuid import UUID
from xml.etree import ElementTree as ET

import pytest
from starlette.testclient import TestClient

from arena.store import Store
from tests.arena.web.sites import EVIL, client_of, played
from tests.sample_games import SPRING

ATOM = "{http://www.w3.org/2005/Atom}"
RESULTS = f"/tournaments/{SPRING}/results.atom"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
ODD = f"{EVIL}]]>\x0b\x1b[2J\ufffe\u202e"


def feed(client: TestClient, address: str, **headers: str) -> ET.Element:
    answer = client.get(address, headers=headers)
    assert (answer.status_code, answer.headers["content-type"]) == (
        200,
        "application/atom+xml; charset=utf-8",
    )
    return ET.fromstring(answer.content)


def text(element: ET.Element, name: str) -> str:
    found = element.findall(ATOM + name)
    assert len(found) == 1, name
    return found[0].text or ""


def link(element: ET.Element, rel: str) -> str:
    (found,) = [one for one in element.findall(f"{ATOM}link") if one.get("rel") == rel]
    return found.get("href", "")


def entries(element: ET.Element) -> list[ET.Element]:
    return element.findall(f"{ATOM}entry")


@pytest.mark.parametrize("address", [RESULTS, f"/tournaments/{SPRING}/engine.atom?name=beta"])
def test_a_feed_has_what_the_standard_wants(client: TestClient, address: str) -> None:
    root = feed(client, address)
    assert root.tag == f"{ATOM}feed"
    assert text(root, "title")
    assert root.findtext(f"{ATOM}author/{ATOM}name")
    assert link(root, "self") == f"http://localhost{address}"
    assert client.get(link(root, "alternate")).status_code == 200
    assert entries(root)
    for element in (root, *entries(root)):
        assert UUID(text(element, "id").removeprefix("urn:uuid:"))
        assert TIME.fullmatch(text(element, "updated"))
        assert client.get(link(element, "alternate")).headers["content-type"].startswith("text/html")
    ids = [text(element, "id") for element in (root, *entries(root))]
    assert len(set(ids)) == len(ids)
    assert text(root, "updated") == max(text(entry, "updated") for entry in entries(root))


def test_entries_say_who_won_and_why_the_newest_first(client: TestClient) -> None:
    newest, *_, first = entries(feed(client, RESULTS))
    assert link(newest, "alternate") == f"http://localhost/tournaments/{SPRING}/games/6.html"
    assert text(first, "title") == "alpha 0–1 beta"
    assert text(first, "summary") == "Quoridor, two players: beta wins (goal), 14 plies"
    assert text(first, "updated") == "2023-11-14T22:13:20Z"


def test_the_feed_of_an_engine_has_its_games_only(client: TestClient) -> None:
    titles = [
        text(entry, "title")
        for entry in entries(feed(client, RESULTS.replace("results", "engine") + "?name=beta"))
    ]
    assert len(titles) == 4
    assert all("beta" in title for title in titles)


def test_a_feed_is_not_sent_twice_and_pages_name_it(client: TestClient) -> None:
    first = client.get(RESULTS)
    assert client.get(RESULTS, headers={"if-none-match": first.headers["etag"]}).status_code == 304
    named = 'rel="alternate" type="application/atom+xml" title="Results" href="{}"'
    assert named.format(RESULTS) in client.get(f"/tournaments/{SPRING}/").text
    of_engine = RESULTS.replace("results", "engine") + "?name=beta"
    assert named.format(of_engine) in client.get(f"/tournaments/{SPRING}/engine?name=beta").text
    assert "atom" not in client.get("/").text


@pytest.mark.parametrize(
    ("address", "status"),
    [
        (f"/tournaments/{SPRING}/engine.atom?name=nobody", 404),
        (f"/tournaments/{SPRING}/engine.atom", 400),
        ("/tournaments/none/results.atom", 404),
    ],
)
def test_there_is_no_feed_of_nothing(client: TestClient, address: str, status: int) -> None:
    assert client.get(address).status_code == status


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """Sixty games of an engine with a hostile name."""
    store = Store.open(tmp_path_factory.mktemp("odd") / "odd.db", create=True)
    store.begin_tournament("cup", {"time_control": "10+0.1"})
    store.add_games([played("quoridor", (ODD, "b"), number, plies=2) for number in range(60)])
    with client_of(store) as made:
        yield made
    store.close()


def test_hostile_names_stay_texts_and_a_feed_has_at_most_fifty_games(odd: TestClient) -> None:
    (tournament,) = odd.get("/api/tournaments").json()
    address = f"{tournament['url']}engine.atom?name={quote(ODD)}"
    root = feed(odd, address)
    assert len(entries(root)) == 50
    assert text(entries(root)[0], "title").startswith(f"{EVIL}]]>?")
    assert text(root, "title").startswith(EVIL)
    assert odd.get(link(root, "alternate")).status_code == 200
