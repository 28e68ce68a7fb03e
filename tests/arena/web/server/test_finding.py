"""Lists of games: what they show is in their address, and wrong values are refused with one sentence."""

from __future__ import annotations

import json
import re
from contextlib import closing
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, cast
from urllib.parse import urlencode

import pytest
from starlette.testclient import TestClient

from arena.config import load
from arena.model import GameRecord
from arena.records.files import read_records
from arena.store import Store
from arena.web.links import tournament_id
from arena.web.offer import Offer
from arena.web.server import finding
from arena.web.server.club import Club
from tests.arena.web.sites import BEGUN, EVIL, client_of, fill, played

if TYPE_CHECKING:
    from arena.run.local_referees import LocalReferees

GAMES = f"/tournaments/{tournament_id('cup', BEGUN)}/games"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory):  # type: ignore[no-untyped-def]  # as in conftest
    path = tmp_path_factory.mktemp("finding") / "arena.db"
    fill(path, plies=8, ids=("hops", "quoridor"))
    with closing(Store.open(path, create=False)) as store, client_of(store) as made:
        yield made


def test_people_can_play_against_an_engine_that_the_server_offers(tmp_path: Path) -> None:
    fill(tmp_path / "arena.db", plies=8, ids=("hops", "quoridor"))
    file = tmp_path / "play.toml"
    engines = "".join(
        f"[[engines]]\nname = {json.dumps(name)}\ncommand = 'true'\n" for name in (EVIL, "other")
    )
    file.write_text(f'game = "hops"\n{engines}')
    club = Club(Offer(load(file)), cast("LocalReferees", None), 1, lambda name, text: None)
    with (
        closing(Store.open(tmp_path / "arena.db", create=False)) as store,
        client_of(store, club) as client,
    ):
        for page in ("/engine", f"{GAMES.removesuffix('games')}engine"):
            text = client.get(page, params={"name": EVIL}).text
            against = re.findall(r'href="([^"]+)">(Play against [^<]+)<', text)
            wanted = f"/play/?{urlencode({'game': 'hops', 'engine': EVIL})}"
            assert [tuple(map(unescape, one)) for one in against] == [(wanted, f"Play against {EVIL}")]
            assert "Play against" not in client.get(page, params={"name": "beta"}).text


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
        ("engine=%01<b>", "engine: this tournament has no game of the engine '\\x01<b>'"),
        ("opponent=beta", "opponent and seat need engine, too"),
        ("seat=1", "opponent and seat need engine, too"),
        ("engine=beta&seat=9", "seat must be one of: 1, 2, 3, 4, 5, 6, 7, 8"),
        ("result=won", "result=won needs engine, too"),
        ("result=best", "result must be one of: won, lost, drawn, decided, forfeited, void"),
        ("reason=boredom", "reason: this tournament has no game that ended by 'boredom'"),
        ("game=go", "game: this tournament has no game of the id 'go'"),
        ("order=random", "order must be one of: newest, oldest, longest, shortest"),
        ("least=-1", f"least must be a whole number from 0 to {10**18 - 1}"),
        ("most=1e3", f"most must be a whole number from 0 to {10**18 - 1}"),
        ("after=x", f"after must be a whole number from 0 to {10**18 - 1}"),
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
    assert "<details" in page
    assert '" open="open">' not in client.get(f"{GAMES}?game=hops").text  # no field of the filter
    assert '" open="open">' in page
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


@pytest.mark.parametrize("kind", ["pgn", "jsonl"])
def test_the_records_of_a_list_are_of_its_games(client: TestClient, tmp_path: Path, kind: str) -> None:
    answer = client.get(f"{GAMES}.{kind}", params={"engine": EVIL, "game": "hops"})
    assert answer.headers["content-disposition"] == f'attachment; filename="cup.{kind}"'
    games = read(tmp_path, answer.content)
    assert len(games) == 3
    assert all(EVIL in [player.name for player in one.result.players] for one in games)
    (game,) = read(tmp_path, client.get(f"{GAMES}/3.{kind}").content)
    assert game.result.players
    assert client.get(f"{GAMES}.{kind}?engine=nobody").status_code == 400


def test_every_page_offers_the_records_of_its_games(client: TestClient) -> None:
    tournament = GAMES.removesuffix("games")
    pair = urlencode({"game": "hops", "engine": "alpha", "opponent": "beta"})
    for page, file in {
        tournament: f"{GAMES}.pgn",
        f"{GAMES}?reason=illegal": f"{GAMES}.pgn?reason=illegal",
        f"{GAMES}/2.html": f"{GAMES}/2.pgn",
        f"{tournament}engine?name=beta": f"{GAMES}.pgn?engine=beta",
        f"{tournament}pair?{pair}": f"{GAMES}.pgn?{pair}",
    }.items():
        text = client.get(page).text.replace("&amp;", "&")
        assert f'<a href="{file}" download="download">PGN</a>' in text
        assert client.get(file).status_code == 200


def tables(text: str) -> dict[str, list[list[str]]]:
    """Return the rows of each table, without their marks, by its caption."""
    found = {}
    for caption, body in re.findall(r"<caption>(.*?)</caption>.*?<tbody>(.*?)</tbody>", text, re.DOTALL):
        rows = re.findall(r"<tr>(.*?)</tr>", body, re.DOTALL)
        found[caption] = [
            [re.sub("<[^>]*>", "", cell).strip() for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL)]
            for row in rows
        ]
    return found


def test_a_pair_has_its_score_by_opening_seat_and_reason_and_its_games(client: TestClient) -> None:
    pair = {"game": "hops", "engine": "alpha", "opponent": "beta"}
    games = [
        one
        for one in client.get(f"/api{GAMES}").json()
        if one["game"] == "hops" and {player["name"] for player in one["players"]} == {"alpha", "beta"}
    ]
    points = [
        sum(p["points"] for one in games for p in one["players"] if p["name"] == name)
        for name in ("alpha", "beta")
    ]
    page = client.get(GAMES.replace("games", "pair"), params=pair).text
    assert f'<span class="score">{points[0]:.0f}–{points[1]:.0f}</span>' in page
    assert numbers(page) == [one["number"] for one in games]
    found = tables(page)
    for caption in ("By opening", "By seat of alpha", "By reason for the end"):
        assert sum(int(row[1]) for row in found[caption]) == len(games)
    other = client.get(GAMES.replace("games", "pair"), params=pair | {"engine": "beta", "opponent": "alpha"})
    assert f'<span class="score">{points[1]:.0f}–{points[0]:.0f}</span>' in other.text


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("game=hops&engine=alpha", 400),
        ("game=hops&engine=alpha&opponent=alpha", 400),
        ("engine=alpha&opponent=beta", 400),
        ("game=hops&engine=alpha&opponent=nobody", 400),
        ("game=quoridor&engine=alpha&opponent=beta", 200),
    ],
)
def test_a_pair_needs_a_game_and_two_engines(client: TestClient, query: str, status: int) -> None:
    answer = client.get(f"{GAMES.replace('games', 'pair')}?{query}")
    assert answer.status_code == status


@pytest.mark.usefixtures("no_drawing")
def test_every_link_of_a_pair_and_of_engines_leads_to_a_page(client: TestClient) -> None:
    pair = {"game": "hops", "engine": EVIL, "opponent": "beta"}
    starts = [f"{GAMES.replace('games', 'pair')}?{urlencode(pair)}", "/engines"]
    starts += [f"{GAMES.replace('games', 'engine')}?{urlencode({'name': EVIL})}"]
    starts += [f"/engine?{urlencode({'name': EVIL})}"]
    seen: set[str] = set()
    for start in starts:
        page = client.get(start)
        assert page.status_code == 200
        assert EVIL not in page.text
        seen |= {link.replace("&amp;", "&") for link in re.findall(r'href="(/[^"#]*)', page.text)}
    answers = {link: client.get(link).status_code for link in seen}
    assert {link: status for link, status in answers.items() if status != 200} == {}
    assert len(seen) > 30


def test_an_engine_has_a_page_over_all_tournaments_and_one_for_each(tmp_path: Path) -> None:
    with closing(Store.open(tmp_path / "arena.db", create=True)) as store:
        for tournament in ("spring", "autumn"):
            store.begin_tournament(tournament, {})
            for number in range(3):
                game = played("hops", ("a", "b"), number, plies=4)
                store.add_games([replace(game, result=replace(game.result, tournament=tournament))])
        with client_of(store) as client:
            whole = client.get("/engine?name=a").text
            ids = {one["name"]: one["id"] for one in client.get("/api/tournaments").json()}
            part = client.get(f"/tournaments/{ids['spring']}/engine?name=a").text
            listed = client.get("/engines").text
            assert client.get("/engine?name=c").status_code == 404
            assert client.get("/engine").status_code == 404
    assert {row[0] for row in tables(whole)["By tournament"]} == {"spring", "autumn"}
    assert f'href="/tournaments/{ids["autumn"]}/"' in whole
    assert [row[:2] for row in tables(whole)["Against each engine"]] == [["b", "6"]]
    assert [row[:2] for row in tables(part)["Against each engine"]] == [["b", "3"]]
    assert "By tournament" not in tables(part)
    assert "and not Elo" in whole
    assert "Games of all tournaments" in whole
    assert {name for name in "ab" if f'href="/engine?name={name}"' in listed} == {"a", "b"}
    assert f'href="/tournaments/{ids["spring"]}/games/1.html"' in whole
