"""What the page of a game asks a server for: the boards after the moves of lines, and the film."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace as changed
from selenium.webdriver.common.keys import Keys
from starlette.testclient import TestClient

from arena.web.boards import draw
from protocol.wire.messages import Thought
from referee import game
from tests.arena.stored import new_store
from tests.arena.web.accessible import violations
from tests.arena.web.server.test_serve import get, served
from tests.missing_tools import needs
from tests.processes import wait_for
from tests.sample_games import RUN, spring

START = "/ / e1 e9 / 10 10 / 1"


def boards(client: TestClient, **values: str) -> Any:
    return client.get("/boards", params=values)


def test_the_boards_after_moves_are_as_in_the_replay(client: TestClient) -> None:
    answer = boards(client, game="quoridor", position=START, moves="e2 a1h")
    position = game("quoridor").parse_position(START)
    expected = []
    for text in ("e2", "a1h"):
        position = position.play(position.parse_move(text))
        expected.append("".join(draw("quoridor", position, text).items))
    assert [board["items"] for board in answer.json()["boards"]] == expected
    assert answer.headers["etag"]


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({}, "no game has the id ''"),
        ({"game": "../etc"}, "no game"),
        ({"game": "quoridor", "position": "<b>"}, ""),
        ({"game": "quoridor", "position": START, "moves": "e2 z9"}, "z9"),
        ({"game": "quoridor", "position": START, "moves": "!1"}, "!1"),
        ({"game": "quoridor", "position": START, "moves": "e2 " * 31}, "at most 30 moves"),
        ({"game": "chess", "position": "8/8/8/8/8/8/8/8 w - - 0 1", "moves": "e2e4"}, ""),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_one_sentence(
    client: TestClient, values: dict[str, str], reason: str
) -> None:
    answer = boards(client, **values)
    assert answer.status_code == 400
    assert reason in answer.text
    assert answer.text.count("\n") == 1


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with a game in which both players expect the moves that follow, and one is hostile."""
    made = tmp_path_factory.mktemp("lines")
    record = spring()[0]
    words = RUN.split()
    plies = tuple(
        changed(ply, thought=Thought(1200, 34_000, 9, 55, " ".join([*words[at : at + 6], "<b>z</b>"][:6])))
        for at, ply in enumerate(record.record)
    )
    new_store(made / "arena.db", "spring", games=[replace(record, record=plies)]).close()
    return made


@pytest.fixture
def page(folder: Path) -> Iterator[str]:
    with served(folder) as (_, port):
        yield f"http://127.0.0.1:{port}{get(port, '/api/tournaments')[0]['url']}games/1.html"


def text(browser: Any, selector: str) -> list[str]:
    script = "return [...document.querySelectorAll(arguments[0])].map((one) => one.innerText.trim())"
    return [" ".join(one.split()) for one in browser.execute_script(script, selector)]


@pytest.mark.browser
@needs("chromium", "chromedriver")
def test_a_move_of_a_line_shows_its_position_until_the_reader_leaves_it(browser: Any, page: str) -> None:
    browser.get(f"{page}#ply=4")
    assert text(browser, "[data-said='0'] .line") == ["e3 e7 e4 e6 e5 e4"]
    assert text(browser, "#agreement") == ["They agree until ply 8."]
    assert text(browser, "[data-said='1'] dd") == ["–", "–", "1 200", "34 k/s", "6 %", "e7 e4 e6 e5 e4 e6"]
    shown = "return document.getElementById('items').innerHTML"
    before = browser.execute_script(shown)
    buttons = browser.find_elements("css selector", "[data-said='0'] .line button")
    browser.execute_script("arguments[0].focus()", buttons[0])
    buttons[0].send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    ghost = "Line of " + text(browser, "[data-said='0'] dt b")[0] + ", move 3: e4"
    wait_for(lambda: text(browser, "#says") == [ghost], "the position after the move is not shown")
    assert browser.execute_script(shown) != before
    assert browser.current_url.endswith("#ply=4"), "the replay has moved"
    assert violations(browser) == []
    browser.switch_to.active_element.send_keys(Keys.ESCAPE)
    assert browser.execute_script(shown) == before
    browser.find_element("css selector", "#forward").click()
    assert text(browser, "[data-said='0'] .line") == ["e4 e6 e5 e4 e6 e3"]
    assert [entry for entry in browser.get_log("browser") if "favicon" not in entry["message"]] == []


@pytest.mark.browser
@needs("chromium", "chromedriver")
def test_the_words_of_a_line_are_always_text(browser: Any, page: str) -> None:
    browser.get(f"{page}#ply=14")
    assert text(browser, "[data-said='1'] .line") == ["e1 <b>z</b> is not legal"]
    assert text(browser, ".line b") == []


@pytest.mark.browser
@needs("chromium", "chromedriver")
def test_the_short_film_gives_way_to_the_whole_one_when_it_is_drawn(
    browser: Any, page: str, tmp_path: Path
) -> None:
    browser.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)}
    )
    browser.get(page)
    link = browser.find_element("id", "film")
    assert link.get_attribute("textContent") == "GIF of the last ten plies"
    browser.find_element("css selector", "[popovertarget=share]").click()
    wait_for(lambda: link.text == "GIF of all plies", "the whole film is not drawn")
    assert text(browser, "#film-state") == [""]
    link.click()
    film = tmp_path / "game-1.gif"
    wait_for(lambda: film.exists() and film.read_bytes()[-1:] == b";", "the film is not saved")
