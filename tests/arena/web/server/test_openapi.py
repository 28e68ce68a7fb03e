"""Tests that the description in OpenAPI and the application agree: in addresses, answers and types."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
from starlette.testclient import TestClient

from arena.config import load
from arena.errors import StoreError
from arena.events import LiveGame
from arena.model import Pairing
from arena.run.local_referees import LocalReferees
from arena.store import Store
from arena.store.finder import Finder
from arena.web.offer import Offer
from arena.web.server import answers, openapi
from arena.web.server.api import Api
from arena.web.server.app import LOOPBACK, application
from arena.web.server.club import Club, PlayRoutes
from arena.web.server.databases import Databases, ServedDatabase
from arena.web.server.live import Broadcast, LiveBoards, game_data
from referee.ply import Ply
from tests.arena.web.play.play_browser import tournament_file
from tests.arena.web.play.test_club import WISH, Referees
from tests.arena.workers.jobs import finished
from tests.sample_games import SPRING

PAGE = Path(__file__).parents[4] / "docs" / "reference" / "api.md"
JSON = {"content-type": "application/json"}
PLAY = "/api/play/games"


class Answering(Referees):
    """Referees that take a move, and play nothing."""

    async def answer(self, job: str, ply: int, move: str) -> None:
        assert job in self.jobs


@dataclass
class Served:
    """A server, and the ids of games of people in each state."""

    client: TestClient
    closed: TestClient  # of a server without play
    club: Club
    referees: Answering
    addresses: list[openapi.Address]

    def game(self, *plies: Ply, ended: bool = False) -> str:
        """Start a game, in which a person may be to move; return its address."""
        self.client.cookies.clear()
        self.client.get("/play/")  # a new cookie: one client has at most a few games
        made = self.client.post(PLAY, json=msgspec.to_builtins(WISH)).json()
        found = self.club.find(made["id"])
        assert found is not None
        found.hear(self.referees.begin_turn(found.job, *plies))
        if ended:
            found.hear(msgspec.structs.replace(finished(1), id=found.job))
        return f"{PLAY}/{made['id']}"


@pytest.fixture
def served(sample_database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    async def at_once(log: Any, last: str, state: Any) -> Any:
        """Send the state only, because the test client waits for the end of a stream."""
        yield log._event("state", state())

    monkeypatch.setattr(answers.EventLog, "stream", at_once)
    path = tmp_path / "arena.db"
    path.write_bytes(sample_database.read_bytes())
    store = Store.open(path, create=False)
    databases = Databases([store], patience=60)
    offer = Offer(load(tournament_file(tmp_path, ["quoridor"])))
    referees = Answering()
    club = Club(offer, cast("LocalReferees", referees), 500, lambda name, text: None, store)
    options: Any = {"base_url": "http://localhost", "backend": "trio", "follow_redirects": False}
    app = application(databases, Broadcast(databases), LOOPBACK, club)
    closed = application(databases, Broadcast(databases), LOOPBACK)
    play = PlayRoutes(club, behind_proxy=False)
    with TestClient(app, **options) as client, TestClient(closed, **options) as other:
        yield Served(
            client,
            other,
            club,
            referees,
            [*Api(databases, Broadcast(databases)).addresses(), *play.addresses()],
        )
    store.close()


def lock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each read and write of a database fail, as if another program had locked it."""

    def refuse(*_: object, **__: object) -> None:
        raise StoreError("arena.db: is locked")

    monkeypatch.setattr(ServedDatabase, "computed", refuse)
    monkeypatch.setattr(Finder, "results", refuse)
    for name in ("game", "begin_tournament"):
        monkeypatch.setattr(Store, name, refuse)


def good_requests(served: Served) -> dict[str, list[tuple[str, dict[str, Any]]]]:
    """Return what is asked for with success at each address: an address, and what is sent."""
    yours, over = served.game(), served.game(ended=True)
    after = served.game(Ply(0, "e2", 1), Ply(1, "e8", 1))
    game = "/api/play/games/{id}"
    return {
        "/api/tournaments": [("/api/tournaments", {})],
        "/api/tournaments/{id}": [(f"/api/tournaments/{SPRING}", {})],
        "/api/tournaments/{id}/games": [(f"/api/tournaments/{SPRING}/games", {})],
        "/api/tournaments/{id}/games/{number}": [(f"/api/tournaments/{SPRING}/games/3", {})],
        "/api/tournaments/{id}/events": [(f"/api/tournaments/{SPRING}/events", {})],
        "/api/events": [("/api/events", {})],
        "/api/live": [("/api/live", {})],
        "/api/games/{number}": [("/api/games/7", {})],
        "/api/ratings": [("/api/ratings", {})],
        "/api/engines": [("/api/engines", {})],
        "/api/openapi.json": [("/api/openapi.json", {})],
        "/api/play/offer": [("/api/play/offer", {})],
        "/api/play/games": [(PLAY, msgspec.to_builtins(WISH))],
        game: [(yours, {}), (over, {})],
        f"{game}/events": [(f"{yours}/events", {})],
        f"{game}/moves": [(f"{yours}/moves", {})],
        f"{game}/why": [(f"{yours}/why?place=e5", {})],
        f"{game}/record": [(f"{over}/record", {})],
        f"{game}/move": [(f"{yours}/move", {"move": "e2", "ply": 0})],
        f"{game}/takeback": [(f"{after}/takeback", {})],
        f"{game}/hint": [(f"{served.game()}/hint", {})],
        f"{game}/store": [(f"{over}/store", {})],
        f"{game}/end": [(f"{served.game()}/end", {})],
    }


def statuses(served: Served, path: str, method: str, good: list[tuple[str, Any]], patch: Any) -> set[int]:
    """Return the status of the answers to good and to all kinds of bad requests at an address."""
    client, found = served.client, set()

    def ask(address: str, headers: dict[str, str] | None = None, **more: Any) -> None:
        if method == "post":
            more = {"json": good[0][1]} | more
            if "content" in more:
                del more["json"]
                headers = JSON | (headers or {})
        answer = client.request(method, address, headers=headers, **more)
        found.add(answer.status_code)
        if answer.status_code >= 400:
            assert list(answer.json()) == ["error"], address
        if answer.status_code == 304:
            assert answer.content == b""

    first = good[0][0]
    for address, wish in good:
        answer = client.request(method, address, **({"json": wish} if method == "post" else {}))
        found.add(answer.status_code)
        ask(address, {"if-none-match": answer.headers.get("etag", '"x"')})
    plain, _, query = first.partition("?")
    for wrong in ("limit", "before", "db", "last", "format", "ply"):
        ask(f"{plain}?{query}&{wrong}=x")
    ask(f"{plain}?db=9&{query}")
    ask(first.replace("/7", "/99").replace("/3", "/99"))
    if "{id}" in path:
        id_ = first.split("/")[4 if "play" in path else 3]
        ask(first.replace(id_, "no-such-one"))
        ask(first.replace(id_, f"x-{id_[-6:]}"))
    ask(first, {"host": "evil.example"})
    ask(first, {"sec-fetch-site": "cross-site"})
    ask(first, {"content-type": "text/plain"})
    ask(first, content=b"x" * 20_000)
    ask(first, content=b"[")
    ask(first, json={"move": "no such move", "ply": 0, "engine": "nobody", "game": "hops"})
    found.add(client.request("PUT", first).status_code)
    if "play" in path and method == "get":
        found.add(served.closed.request(method, first).status_code)
    if path == "/api/play/games":
        served.club._most_games = 0
        ask(first)
        served.club._most_games = 500
    elif path.startswith("/api/play/games/{id}/") and not path.endswith("record"):
        ask(f"{served.game(Ply(0, 'e2', 1))}/{path.rpartition('/')[2]}")  # it is the engine's turn
        begun = f"{served.game()}/{path.rpartition('/')[2]}"
        ask(begun, json={"move": "e9", "ply": 0})
    ended = served.game(ended=True)
    with patch.context() as locked:
        lock(locked)
        ask(f"{ended}/store" if path.endswith("/store") else first)
    return found


def test_every_address_gives_the_answers_of_its_description_and_of_the_page(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = served.client.get("/api/openapi.json").json()
    good = good_requests(served)
    assert set(good) == set(document["paths"])
    explained = set(map(int, re.findall(r"\b[345]\d\d\b", PAGE.read_text(encoding="utf-8"))))
    for path, methods in document["paths"].items():
        ((method, operation),) = methods.items()
        given = statuses(served, path, method, good[path], monkeypatch)
        done = {status for status in given if status < 300}
        assert {*map(str, done), "3XX", "4XX", "5XX"} == set(operation["responses"]), path
        assert given - done <= explained, path


def test_every_answer_has_the_type_of_its_description(served: Served) -> None:
    good = good_requests(served)
    for address in served.addresses:
        for asked, content in good[address.path]:
            sent: dict[str, Any] = {"json": content} if content else {"headers": JSON}
            answer = served.client.request(address.method, asked, **sent)
            assert answer.status_code == address.status, asked
            if address.media_type != "application/json":
                assert answer.headers["content-type"].startswith(address.media_type)
                continue
            read = msgspec.json.decode(answer.content, type=address.types["return"])
            assert covers(read, answer.json()), asked  # nothing is left out of the description


def test_a_running_game_has_the_type_of_its_description() -> None:
    pairing = Pairing(6, "k", "quoridor", ("a", "b"))
    game = LiveGame(pairing, "lab3", ("10+0.1", "5+0"), (Ply(0, "e2", 5, "cp 12", 3),), 1, (9_000, 5_000))
    data = json.loads(json.dumps(game_data(game, LiveBoards(), SPRING)))
    read = msgspec.convert(data, openapi.RunningGame)
    assert set(read) == set(data) - {"items"} | {"board"}


def covers(read: Any, answer: Any) -> bool:
    """Return whether all keys of an answer are in what was read of it."""
    read = msgspec.to_builtins(read)
    if isinstance(answer, dict):
        return all(key in read and covers(read[key], value) for key, value in answer.items())
    return not isinstance(answer, list) or all(map(covers, read, answer))


def test_the_description_is_whole(served: Served) -> None:
    document = served.client.get("/api/openapi.json").json()
    text = json.dumps(document)
    named = set(re.findall(r'"#/components/schemas/([^"]*)"', text))
    assert named == set(document["components"]["schemas"])
    app: Any = served.client.app
    routes = {route.path for route in app._app.app.routes if route.path.startswith("/api/")}
    assert {path.replace("{number}", "{number:number}") for path in document["paths"]} == routes
    for path, methods in document["paths"].items():
        for parameter in re.findall(r"{(\w+)}", path):
            for one in methods.values():
                assert parameter in {known["name"] for known in one["parameters"] if known["required"]}


def test_the_examples_of_the_page_are_what_the_server_answers(served: Served) -> None:
    page = PAGE.read_text(encoding="utf-8")
    found = re.findall(
        r"```sh\ncurl '?http://127\.0\.0\.1:8321(/\S*?)'?\n```\n\n```json\n(.*?)```", page, re.DOTALL
    )
    assert len(found) == page.count("```sh\ncurl ") >= 3
    for address, expected in found:
        pattern = re.escape(expected.rstrip()).replace(re.escape("\n...\n"), r"\n(?:.*\n)*?")
        answer = served.client.get(address)
        assert re.fullmatch(pattern, json.dumps(answer.json(), indent=2)), address
        if "link" in answer.headers:
            assert f"`{answer.headers['link']}`" in page


def test_lists_lead_from_page_to_page(served: Served) -> None:
    address = f"/api/tournaments/{SPRING}/games"
    whole = served.client.get(address)
    assert "link" not in whole.headers
    found, following = [], f"{address}?limit=4"
    while following:
        answer = served.client.get(following)
        found += answer.json()
        link = re.fullmatch(r'<([^>]*)>; rel="next"', answer.headers.get("link", "<>"))
        following = link[1] if link else ""
    assert found == whole.json()
