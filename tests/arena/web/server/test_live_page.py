"""The page of a running tournament in a browser."""

import json
import os
import signal
import sys
from contextlib import suppress
from math import inf

import pytest

from arena.store import Store
from tests.arena.run.test_run_process import HOSTILE, running, stored, write
from tests.arena.web.accessible import violations
from tests.arena.web.server.test_serve import page_of, served
from tests.missing_tools import needs
from tests.processes import wait_for, with_argument

pytestmark = [pytest.mark.browser, needs("chromium", "chromedriver")]

PATIENT = '"3600+0"'
"""The time control of games with an engine that hangs, so that they go on however slow the machine is."""


WINDOW = {"width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": False}


def text_of(browser, selector):
    return browser.execute_script(
        "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)", selector
    )


def seconds_left(browser):
    """Return what the clock that runs shows; infinity if none runs, because there was no news for long."""
    clock = "".join(text_of(browser, ".strip.turn .clock"))
    if not clock:
        return inf
    hours, minutes, seconds = map(float, f"0:{clock}".split(":")[-3:])
    return hours * 3600 + minutes * 60 + seconds


def test_boards_appear_with_running_clocks_and_go_when_the_run_does(tmp_path, browser):
    Store.open(tmp_path / "arena.db", create=True).close()
    file = write(
        tmp_path, ("<b>a", "honest"), ("b", "hangs-in-search"), games_per_pairing=2, time_control=PATIENT
    )
    with served(tmp_path) as (_, port):
        browser.get(f"http://127.0.0.1:{port}/")
        nothing = ["No tournament yet"]
        wait_for(lambda: text_of(browser, "#stored .empty b") == nothing, "it does not say that it is empty")
        with running(file) as process:
            wait_for(lambda: text_of(browser, "#boards .last span")[:1] > [""], "the home page shows no run")
            wait_for(lambda: text_of(browser, "#stored .tag") == ["live"], "its row does not come")
            assert text_of(browser, "#boards .who") == ["b", "<b>a"]
            browser.get(page_of(port))
            wait_for(lambda: text_of(browser, "#boards .last span")[:1] > [""], "no board appears")
            assert text_of(browser, "#boards .who") == ["b", "<b>a"]
            assert len(browser.find_elements("css selector", "#boards svg.board")) == 1
            wait_for(lambda: text_of(browser, "#next li") == ["b – <b>a"], "the next game is not shown")
            wait_for(lambda: seconds_left(browser) < inf, "no clock runs")
            wait_for(lambda: text_of(browser, "#now.on") == ["1 game live"], "the header shows no game")
            assert violations(browser) == []
            wait_for(lambda: seconds_left(browser) < 3598, "the clock stands still")  # of 3600
            process.send_signal(signal.SIGKILL)
        wait_for(lambda: text_of(browser, "#status") == ["unfinished"], "the page does not see the end")
        assert text_of(browser, "#boards > *") == []
        wait_for(
            lambda: text_of(browser, "#now:not(.on)") == ["nothing live"], "the header does not see the end"
        )
    errors = [entry["message"] for entry in browser.get_log("browser") if "favicon" not in entry["message"]]
    assert [error for error in errors if "ERR_" not in error] == []  # the server has just ended


NOTE_SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const { value, sources } of list.getEntries()) {
    window.shifts.push([value, sources.map(({ node }) => node?.id || node?.className || node?.nodeName)]);
  }
}).observe({ type: "layout-shift", buffered: true });
"""


def test_results_come_in_and_the_reader_keeps_the_place(tmp_path, browser):
    Store.open(tmp_path / "arena.db", create=True).close()
    file = write(tmp_path, ("a", "thinks-a-little"), ("b", "thinks-a-little"), games_per_pairing=4)
    with served(tmp_path) as (_, port), running(file) as process:
        wait_for(lambda: stored(file) > 0, "no game is stored")
        browser.get(page_of(port))
        wait_for(lambda: len(text_of(browser, ".ranking tbody tr")) == 2, "no ranking")
        browser.execute_script(
            "document.querySelectorAll('.ranking tbody tr').forEach((row) => { row.mine = true; });"
            "document.querySelector('.ranking a').focus(); window.scrollTo(0, 200);"
        )
        focused = "return document.activeElement.textContent"
        name = browser.execute_script(focused)
        wait_for(lambda: text_of(browser, "#status") == ["finished"], "it does not end")
        wait_for(lambda: text_of(browser, ".feed .number")[:1] == ["4"], "the last result does not come")
        mine = "return [...document.querySelectorAll('.ranking tbody tr')].map((row) => row.mine === true)"
        assert browser.execute_script(mine) == [True, True]
        assert browser.execute_script(focused) == name
        assert browser.execute_script("return window.scrollY") == 200
        assert process.wait(60) == 0


def test_a_knockout_is_finished_on_an_open_page_although_more_games_were_possible(tmp_path, browser):
    Store.open(tmp_path / "arena.db", create=True).close()
    slow, quick = "thinks-a-little", "plays-illegal"
    file = write(tmp_path, ("a", slow), ("b", quick), ("c", quick), ("d", slow), format='"knockout"')
    with served(tmp_path) as (_, port), running(file) as process:
        wait_for(lambda: stored(file) > 0, "no game is stored")
        browser.get(page_of(port))
        wait_for(lambda: text_of(browser, "#facts b")[:1] == ["4"], "it does not say how many engines play")
        assert process.wait(60) == 0
        wait_for(lambda: text_of(browser, "#status") == ["finished"], "the page does not say it")
        wait_for(lambda: "".join(text_of(browser, ".winner")).endswith(" wins"), "the winner does not come")


def test_the_page_of_a_ladder_that_rests_says_why_until_an_engine_comes_in(tmp_path, browser):
    Store.open(tmp_path / "arena.db", create=True).close()
    file = write(
        tmp_path,
        ("a", "honest"),
        ("b", "honest"),
        format='"ladder"',
        games_per_pairing=2,
        door="{}",
        time_control=PATIENT,
    )
    (tmp_path / "door").mkdir()
    newcomer = {"name": "c", "command": [sys.executable, "-S", str(HOSTILE), "hangs-in-search"]}
    with served(tmp_path) as (_, port), running(file):
        browser.get(f"http://127.0.0.1:{port}/")
        wait_for(lambda: text_of(browser, "#stored td .tag") == ["resting"], "the home page does not say it")
        browser.get(page_of(port))
        wait_for(lambda: text_of(browser, "#status") == ["resting"], "the page does not say that it rests")
        (why,) = text_of(browser, "#stages li")
        assert why == "quoridor: rests: every pair has played its games (games_per_pairing = 2)"
        assert violations(browser) == []
        (tmp_path / "door" / "engines.json").write_text(json.dumps([newcomer]))
        wait_for(lambda: text_of(browser, "#status") == ["live"], "the newcomer does not wake it")
        assert not any("rests" in line for line in text_of(browser, "#stages li"))


def test_a_running_game_has_a_page_that_follows_it_to_its_end(tmp_path, browser):
    Store.open(tmp_path / "arena.db", create=True).close()
    file = write(
        tmp_path, ("a", "honest"), ("b", "hangs-in-search"), games_per_pairing=1, time_control=PATIENT
    )
    with served(tmp_path) as (_, port), running(file):
        browser.get(f"http://127.0.0.1:{port}/")
        wait_for(lambda: text_of(browser, "#boards .last span")[:1] > [""], "no board appears")
        browser.get(browser.execute_script("return document.querySelector('#boards a').href"))
        assert browser.current_url.endswith("/running/1")
        wait_for(lambda: text_of(browser, "#list tbody b"), "no move is shown")
        assert text_of(browser, ".tag") == ["live"]
        before = text_of(browser, ".strip.turn .clock")
        wait_for(lambda: text_of(browser, ".strip.turn .clock") != before, "the clock stands still")
        for pid in with_argument("hangs-in-search", tmp_path):
            with suppress(ProcessLookupError):  # the one before ended with it
                os.kill(pid, signal.SIGKILL)
        wait_for(lambda: browser.current_url.endswith("/games/1.html"), "it does not lead to the stored game")
    assert [entry["message"] for entry in browser.get_log("browser") if "ERR_" not in entry["message"]] == []


def test_one_running_game_and_the_top_of_the_ranking_are_in_the_first_window(tmp_path, browser):
    Store.open(tmp_path / "arena.db", create=True).close()
    file = write(
        tmp_path, ("a", "honest"), ("b", "thinks-a-little"), games_per_pairing=20, time_control=PATIENT
    )
    with served(tmp_path) as (_, port), running(file):
        wait_for(lambda: stored(file) > 2, "no game is stored")
        browser.get(page_of(port))
        wait_for(lambda: text_of(browser, ".details .moves tbody b"), "its moves do not come")
        wait_for(lambda: len(text_of(browser, ".ranking tbody tr")) == 2, "the ranking does not come")
        assert text_of(browser, ".details .duel tbody th[scope=row]")[:4] == [
            "score, each for itself",
            "depth",
            "speed",
            "time of the move",
        ]
        lowest = "return document.querySelector('.ranking tr:last-child').getBoundingClientRect().bottom"
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", WINDOW)
        assert browser.execute_script(lowest) <= WINDOW["height"]
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        assert violations(browser) == []
