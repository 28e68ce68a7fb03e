"""The pages of a server in a browser, each at two widths by day and by night, and the search by its key."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.keys import Keys

from tests.arena.web.accessible import look
from tests.arena.web.server.test_serve import served
from tests.missing_tools import needs
from tests.processes import wait_for
from tests.sample_games import SPRING

pytestmark = [pytest.mark.browser, needs("chromium", "chromedriver")]

PAGES = (
    "/",
    "/engines",
    "/engine?name=alpha",
    "/search?q=alpha",
    "/docs/",
    "/docs/ratings",
    "/words",
    "/play/",
    "/nothing",
    f"/tournaments/{SPRING}/",
    f"/tournaments/{SPRING}/engine?name=alpha",
    f"/tournaments/{SPRING}/games",
    f"/tournaments/{SPRING}/games/1.html",
    f"/tournaments/{SPRING}/pair?game=quoridor&engine=beta&opponent=alpha",
)


@pytest.fixture(scope="module")
def origin(sample_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("pages")
    shutil.copy(sample_database, folder / "arena.db")
    with served(folder) as (_, port):
        yield f"http://127.0.0.1:{port}"


@pytest.mark.parametrize("page", PAGES)
def test_a_page_of_a_server_is_accessible_at_both_widths_by_day_and_night(
    browser: Any, origin: str, page: str
) -> None:
    browser.get(origin + page)
    look(browser, page)


def test_the_key_of_the_search_leads_to_it_but_not_where_one_writes(browser: Any, origin: str) -> None:
    browser.get(f"{origin}/words")
    browser.find_element("tag name", "body").send_keys("/")
    wait_for(lambda: browser.current_url.endswith("/search"), "the search does not open")
    browser.switch_to.active_element.send_keys("beta - a/b", *3 * [Keys.BACKSPACE], "alpha", Keys.ENTER)
    wait_for(lambda: "/search?" in browser.current_url, "nothing is searched for")
    browser.find_element("link text", "beta – alpha").click()
    wait_for(lambda: "/pair?" in browser.current_url, "it leads nowhere")
