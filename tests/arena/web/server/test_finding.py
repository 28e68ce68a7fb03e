"""Lists of games: what they show is in their address, and wrong values are refused with one sentence."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path
from urllib.parse import urlencode

import pytest
from starlette.testclient import TestClient

from arena.model import GameRecord
from arena.records.files import read_records
from arena.store import Store
from arena.web.links import tournament_id
from arena.web.server import finding
from arena.web.server.app import LOOPBACK, application
from arena.web.server.databases import Databases
from arena.web.server.live import Broadcast
from tests.arena.web.sites import BEGUN, EVIL, NAMES, fill

GAMES = f"/tournaments/{tournament_id('cup', BEGUN)}/games"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory):  # type: ignore[no-untyped-def]  # as in conftest
    path = tmp_path_factory.mktemp("finding") / "arena.db"
    fill(path, plies=8, ids=("hops", "quoridor"))
    with closing(Store.open(path, create=False)) as store:
        databases = Databases([store], patience=60)
        app = application(databases, Broadcast(databases), LOOPBACK)
        with TestClient(app, base_url="http://localhost", backend="trio") as made:
            yield made


def numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r'aria-label="game (\d+)"', text)]


def listed(client: TestClient, **parameters: object) -> list[int]:
    return numbers(client.get(f"{GAMES}?{urlencode(parameters)}").text)


def test_a_list_has_the_games_that_its_address_asks_for(client: TestClient) -> None:
    results = {one["number"]: one for one in client.get(f"/api{GAMES}").json()}

    def players(number: int) -> list[str]:
        return [player["name"] for player in results[number]["players"]]

    assert listed(client) == sorted(results, reverse=True)
    assert listed(client, order="oldest") == sorted(results)
    evil = [number for number in listed(client) if EVIL in players(number)]
    assert listed(client, engine=EVIL) == evil
    assert listed(client, engine=EVIL, opponent="beta", game="hops") == [
        number for number in evil if "beta" in players(number) and results[number]["game"] == "hops"
    ]
    won = listed(client, engine=EVIL, result="won")
    assert won == [
        number
        for number in evil
        if any(player["name"] == EVIL and player["rank"] == 1 for player in results[number]["players"])
    ]
    assert len(won) < len(evil)
    assert listed(client, least=9) == []


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("engine=nobody", "engine: this tournament has no game of the engine 'nobody'"),
        ("engine=%00<b>", "engine: this tournament has no game of the engine '\\x00<b>'"),
        ("opponent=beta", "opponent and seat need engine, too"),
        ("seat=1", "opponent and seat need engine, too"),
        ("engine=beta&seat=9", "seat must be one of: 1, 2, 3, 4, 5, 6, 7, 8"),
        ("result=won", "result=won needs engine, too"),
        ("result=best", "result must be one of: won, lost, drawn, decided, forfeited, void"),
        ("reason=boredom", "reason: this tournament has no game that ended by 'boredom'"),
        ("game=go", "game: this tournament has no game of the id 'go'"),
        ("order=random", "order must be one of: newest, oldest, longest, shortest"),
        ("least=-1", "least must be a whole number from 0 to 9223372036854775807"),
        ("most=1e3", "most must be a whole number from 0 to 9223372036854775807"),
        ("after=x", "after must be a whole number from 0 to 9223372036854775807"),
        ("upset=yes", "upset must be one of: 1"),
        ("upset=1", "upset needs game, too, because strengths differ between games"),
        (f"opening={'e' * 500}", "opening must have at most 400 characters"),
    ],
)
def test_a_wrong_value_is_refused_with_a_sentence(client: TestClient, query: str, sentence: str) -> None:
    answer = client.get(f"{GAMES}?{query}")
    assert answer.status_code == 400
    assert sentence.replace("<", "&lt;") in answer.text or answer.text.strip() == sentence


def test_a_form_keeps_what_was_asked_for_and_empty_fields_leave_the_address(client: TestClient) -> None:
    asked = {"engine": EVIL, "result": "lost", "opening": '"><b>', "least": "3"}
    page = client.get(f"{GAMES}?{urlencode(asked)}").text
    assert "<b>&#34;" not in page
    assert EVIL not in page
    assert '<option value="lost" selected="selected">' in page
    assert 'name="least" inputmode="numeric" pattern="[0-9]*" value="3"' in page
    empty = client.get(f"{GAMES}?engine=beta&opponent=&result=&x=", follow_redirects=False)
    assert (empty.status_code, empty.headers["location"]) == (303, f"{GAMES}?engine=beta")


def test_a_long_list_has_pages_that_keep_the_filter(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = listed(client, engine="beta", order="shortest")
    monkeypatch.setattr(finding, "PER_PAGE", 2)
    address, found = f"{GAMES}?engine=beta&order=shortest", []
    while address:
        page = client.get(address).text
        assert f"<b>{len(whole)}</b> games" in page
        found += numbers(page)
        (*_, address) = ["", *re.findall(r'href="([^"]*)" rel="next"', page)]
        address = address.replace("&amp;", "&")
    assert found == whole
    assert len(found) > 4


def read(tmp_path: Path, content: bytes) -> list[GameRecord]:
    path = tmp_path / "records"
    path.write_bytes(content)
    with path.open("rb") as source:
        entries = [one.entry for one in read_records("records", source) if hasattr(one, "entry")]
    return [one for one in entries if isinstance(one, GameRecord)]


@pytest.mark.parametrize("kind", ["txt", "jsonl"])
def test_the_records_of_a_list_are_those_of_its_games(client: TestClient, tmp_path: Path, kind: str) -> None:
    answer = client.get(f"{GAMES}.{kind}", params={"engine": EVIL, "game": "hops"})
    assert answer.headers["content-disposition"] == f'attachment; filename="cup.{kind}"'
    games = read(tmp_path, answer.content)
    assert len(games) == 3
    assert all(EVIL in [player.name for player in one.result.players] for one in games)
    (game,) = read(tmp_path, client.get(f"{GAMES}/3.{kind}").content)
    assert game.result.players
    assert client.get(f"{GAMES}.{kind}?engine=nobody").status_code == 400


def test_only_chess_has_pgn(client: TestClient) -> None:
    for address in (f"{GAMES}.pgn", f"{GAMES}/3.pgn"):
        answer = client.get(address)
        assert answer.status_code == 404
        assert "only games of chess can be written as PGN" in answer.text
    assert ".pgn" not in client.get(GAMES).text
    assert client.get(f"{GAMES}/99.txt").status_code == 404


def test_every_engine_can_be_chosen(client: TestClient) -> None:
    page = client.get(GAMES).text
    assert page.count("</option></datalist>") == 1
    assert page.partition('<datalist id="engines">')[2].count("<option") == len(NAMES)
