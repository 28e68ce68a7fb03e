"""Pages of a running tournament that many tabs show, and that outlive their server and their run."""

import signal
from contextlib import closing

import pytest

from arena.store import Store
from tests.arena.run.test_run_process import running, stored, write
from tests.arena.web.server.test_live_page import text_of
from tests.arena.web.server.test_serve import page_of, served
from tests.missing_tools import needs
from tests.processes import wait_for

# Seconds of Chromium's processor time: test_live_page.py tests one page that loses nothing.
pytestmark = [pytest.mark.slow, needs("chromium", "chromedriver")]

NO_WORKERS = "delete window.SharedWorker;"  # as in some browsers on phones

LOADED_TABLES = "return performance.getEntriesByType('resource').some((one) => one.initiatorType === 'fetch')"
"""A page does this when it gets the state."""

PAGES = 8
"""Two more than the connections of a browser to a server."""

WATCH = """
window.wasHidden = document.hidden;
document.addEventListener("visibilitychange", () => { window.wasHidden ||= document.hidden; });
"""


@pytest.fixture
def file(tmp_path):
    """A tournament that never ends while a test looks at it: each game takes more than a second."""
    Store.open(tmp_path / "arena.db", create=True).close()
    return write(tmp_path, ("a", "thinks-a-little"), ("b", "thinks-a-little"), games_per_pairing=2000)


@pytest.fixture
def only_window(browser):
    """Close all other tabs at the end."""
    first = browser.current_window_handle
    yield
    for handle in browser.window_handles:
        if handle != first:
            browser.switch_to.window(handle)
            browser.close()
    browser.switch_to.window(first)


def status(browser):
    return text_of(browser, "#status")[0]


def seen(browser):
    """What the page shows of the progress: the stored games, and the last ply of the running game."""
    return text_of(browser, "#played"), text_of(browser, "#boards .last")


def assert_follows(browser):
    """The page shows a running game, and changes by itself."""
    wait_for(lambda: status(browser) == "live" and seen(browser)[1], "the page shows no game")
    before = seen(browser)
    wait_for(lambda: seen(browser) != before, "the page does not change")


def assert_true(browser, file):
    """The page shows all results that are stored by now, and none that is not."""
    least = stored(file)
    wait_for(lambda: int(text_of(browser, "#played")[0]) >= least, "the page lacks results")
    assert int(text_of(browser, "#played")[0]) <= stored(file)
    wait_for(lambda: text_of(browser, ".statistics > .note"), "there are no tables")
    part = "document.querySelector({!r}).textContent"
    both = browser.execute_script(f"return [{part.format('#played')}, {part.format('.statistics > .note')}]")
    assert both[1].startswith(f"{both[0]} game")  # the page and its tables are of one moment


@pytest.mark.parametrize(("kind", "workers"), [("tab", True), ("window", True), ("tab", False)])
def test_many_pages_of_a_browser_follow_a_tournament(file, browser, only_window, kind, workers):
    """As in a class: the server is another machine for the browser, and has no TLS."""
    with served(file.parent, host="0.0.0.0") as (_, port), running(file) as process:
        wait_for(lambda: stored(file) > 0, "no game is stored")
        page = page_of(port).replace("127.0.0.1", "hub.test")
        handles = []
        for _ in range(PAGES):
            browser.switch_to.new_window(kind)
            handles.append(browser.current_window_handle)
            if not workers:
                browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": NO_WORKERS})
            browser.get(page)
            assert not browser.execute_script("return window.isSecureContext")
            assert browser.execute_script("return 'SharedWorker' in window") == workers
            browser.execute_script(WATCH)
        for handle in handles:
            browser.switch_to.window(handle)
            if kind == "window":
                assert not browser.execute_script(
                    "return window.wasHidden"
                )  # all want a stream at the same time
            assert_follows(browser)
            assert_true(browser, file)
        process.send_signal(signal.SIGKILL)
        for handle in handles:
            browser.switch_to.window(handle)
            wait_for(lambda: status(browser) == "unfinished", "a page does not see the end")
            assert_true(browser, file)


def test_a_page_follows_again_when_its_server_was_killed_and_started_again(file, browser):
    with running(file):
        with served(file.parent) as (server, port):
            wait_for(lambda: stored(file) > 0, "no game is stored")
            browser.get(page_of(port))
            browser.execute_script("window.mine = true")
            assert_follows(browser)
            server.kill()
            server.wait()
            played = stored(file)
            wait_for(lambda: stored(file) > played, "the run does not go on without a server")
        with served(file.parent, port):
            assert_follows(browser)
            assert_true(browser, file)
            assert browser.execute_script("return window.mine"), "the page was loaded again"


def test_a_page_shows_the_truth_when_its_run_is_killed_and_started_again(file, browser):
    with served(file.parent) as (_, port):
        with running(file) as process:
            wait_for(lambda: stored(file) > 0, "no game is stored")
            browser.get(page_of(port))
            assert_follows(browser)
            process.send_signal(signal.SIGKILL)
        wait_for(lambda: status(browser) == "unfinished", "the page does not see the end")
        assert text_of(browser, "#boards > *") == []
        assert_true(browser, file)
        with running(file):
            assert_follows(browser)
            assert_true(browser, file)


def test_pages_of_more_tournaments_than_connections_take_turns(tmp_path, browser, only_window):
    with closing(Store.open(tmp_path / "arena.db", create=True)) as store:
        for number in range(PAGES):
            store.begin_tournament(f"t{number}", {})
    with served(tmp_path, host="0.0.0.0") as (_, port):
        handles = []
        for number in range(PAGES):
            browser.switch_to.new_window("window")
            handles.append(browser.current_window_handle)
            browser.get(f"http://hub.test:{port}/tournaments/1-{number + 1}/")
        for handle in handles:
            browser.switch_to.window(handle)
            wait_for(lambda: browser.execute_script(LOADED_TABLES), "a page gets no state")
