"""The first page while a tournament runs."""

import re

import pytest

from tests.arena.run.test_run_process import running, stored, write
from tests.arena.stored import new_store
from tests.arena.web.accessible import violations
from tests.arena.web.server.test_live_page import NOTE_SHIFTS, text_of
from tests.arena.web.server.test_serve import served
from tests.missing_tools import needs
from tests.processes import wait_for

pytestmark = [pytest.mark.browser, needs("chromium", "chromedriver")]


def test_the_running_tournament_is_at_the_top_with_its_board_and_its_last_results(tmp_path, browser):
    new_store(tmp_path / "arena.db", "older").close()
    engines = [(name, "thinks-a-little") for name in ("<b>a", "b")]
    file = write(tmp_path, *engines, games_per_pairing=400)
    with served(tmp_path) as (_, port), running(file):
        wait_for(lambda: stored(file) > 1, "no game is stored")
        browser.get(f"http://127.0.0.1:{port}/")
        wait_for(lambda: text_of(browser, "#lead .tag") == ["live"], "the tournament is not at the top")
        wait_for(lambda: text_of(browser, "#hero .last span")[:1] > [""], "no board appears")
        assert sorted(text_of(browser, "#hero .who")) == ["<b>a", "b"]
        wait_for(lambda: len(text_of(browser, ".feed li")) > 1, "no results appear")
        assert set(text_of(browser, ".feed .who b")) <= {"<b>a", "b"}
        assert re.fullmatch(r"\d+ s", text_of(browser, ".feed time")[0])
        newest = int(text_of(browser, ".feed .number")[0])
        browser.execute_script(NOTE_SHIFTS)
        wait_for(lambda: int(text_of(browser, ".feed .number")[0]) > newest, "no result follows")
        assert violations(browser) == []
        shifts = browser.execute_script("return window.shifts")
        assert sum(value for value, _ in shifts) < 0.1, shifts
        assert browser.execute_script("return document.querySelector('#hero .live a').pathname").startswith(
            "/tournaments/t-"
        )
