"""Tests that the API answers with what the commands print as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from arena.web.server.openapi import MOST_GAMES
from tests.arena.invoking import invoke
from tests.sample_games import SPRING


def printed(*words: str, database: Path) -> Any:
    done = invoke(*words, "--db", database, "--json", catch_exceptions=False)
    return json.loads(done.stdout)


def test_tournaments_have_what_programs_need_to_follow_them(
    client: TestClient, sample_database: Path
) -> None:
    known = printed("list", database=sample_database)[0]
    answer = client.get("/api/tournaments").json()
    assert [row["started"] for row in answer] == sorted((row["started"] for row in answer), reverse=True)
    (listed,) = (row for row in answer if row["name"] == known["tournament"])
    assert known.items() <= listed.items()
    assert listed["name"] == known["tournament"]
    assert listed["status"] in ("finished", "unfinished", "unknown")
    assert client.get(listed["url"]).status_code == 200
    one = client.get(f"/api/tournaments/{listed['id']}").json()
    assert listed.items() <= one.items()
    assert one["standings"] == printed("standings", listed["name"], database=sample_database)
    assert one["running"]["games"] == []
    assert one["running"]["running"] is False


def test_ratings_and_games_are_as_the_commands_print_them(client: TestClient, sample_database: Path) -> None:
    assert client.get("/api/ratings").json() == printed("ratings", database=sample_database)
    for number in (1, 7):
        shown = printed("show", str(number), "--board", database=sample_database)
        assert client.get(f"/api/games/{number}").json() == shown


@pytest.mark.parametrize(
    ("address", "status", "error"),
    [
        ("/api/games/99", 404, "there is no game 99; the last one is game 7"),
        (f"/api/games/{10**18 - 1}", 404, f"there is no game {10**18 - 1}; the last one is game 7"),
        (f"/api/games/{10**18}", 404, "there is no such address"),
        (f"/api/games/{'9' * 5000}", 404, "there is no such address"),
        ("/api/games/1?db=2", 404, "there is no database with this number"),
        ("/api/games/1?db=x", 400, f"db must be a whole number from 0 to {10**18 - 1}"),
        ("/api/tournaments/x", 404, "there is no such tournament; /api/tournaments lists them"),
        ("/api/tournaments/x/events", 404, "there is no such tournament; /api/tournaments lists them"),
        (
            f"/api/tournaments/{SPRING}/games?limit=1e3",
            400,
            f"limit must be a whole number from 0 to {MOST_GAMES}",
        ),
        ("/api/games/x", 404, "there is no such address"),
    ],
)
def test_what_is_not_there_is_named_in_one_sentence(
    client: TestClient, address: str, status: int, error: str
) -> None:
    answer = client.get(address)
    assert (answer.status_code, answer.json()) == (status, {"error": error})


def test_large_answers_are_compressed_for_clients_that_take_it(client: TestClient) -> None:
    packed = client.get("/api/games/1", headers={"accept-encoding": "gzip"})
    plain = client.get("/api/games/1", headers={"accept-encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.content == plain.content
    assert int(packed.headers["content-length"]) < len(plain.content)
