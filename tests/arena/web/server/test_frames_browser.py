"""What other sites can show of a server, in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from shutil import copy
from threading import Thread
from typing import Any

import pytest

from arena.store import Store
from tests.arena.run.test_run_process import running, write
from tests.arena.web.server.test_live_page import PATIENT
from tests.arena.web.server.test_serve import get, served
from tests.missing_tools import needs
from tests.processes import wait_for
from tests.sample_games import SPRING

pytestmark = [pytest.mark.browser, needs("chromium", "chromedriver")]


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the library calls it
        pass


@pytest.fixture
def other_site(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """The folder and the address of another site."""
    folder = tmp_path / "other"
    folder.mkdir()
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield folder, f"http://hub.test:{server.server_port}"
        server.shutdown()
        thread.join()


def in_frame(browser: Any, number: int, script: str) -> Any:
    frames = browser.find_elements("tag name", "iframe")
    browser.switch_to.frame(frames[number])
    try:
        return browser.execute_script(f"return {script}")
    finally:
        browser.switch_to.default_content()


def test_another_site_shows_boards_and_pictures_and_no_other_page(
    browser: Any, other_site: tuple[Path, str], sample_database: Path, tmp_path: Path
) -> None:
    folder, address = other_site
    copy(sample_database, tmp_path / "arena.db")
    with served(tmp_path) as (_, port):
        here = f"http://127.0.0.1:{port}"
        game = f"{here}/tournaments/{SPRING}/games/1"
        framed = [f"{game}/embed"]
        refused = [f"{game}.html", f"{here}/", f"{here}/play/", f"{here}/tournaments/{SPRING}/"]
        frames = "".join(
            f'<iframe src="{one}" width="480" height="640"></iframe>' for one in framed + refused
        )
        (folder / "index.html").write_text(
            f'<!DOCTYPE html>{frames}<img src="{game}.png"><img src="{game}.gif">'
        )
        browser.get(f"{address}/index.html")
        widths = "return [...document.images].map((one) => one.naturalWidth)"
        wait_for(lambda: 0 not in browser.execute_script(widths), "the pictures are not shown")
        assert browser.execute_script(widths)[0] == 1200
        says = "document.querySelector('#says')?.textContent"
        wait_for(lambda: in_frame(browser, 0, says), "there is no board")
        assert in_frame(browser, 0, says).startswith("Ply 14 of 14")
        in_frame(browser, 0, "document.querySelector('#first').click()")
        assert in_frame(browser, 0, says) == "Start"
        wide = "document.documentElement.scrollWidth <= innerWidth"
        assert in_frame(browser, 0, wide)
        for number in range(len(framed), len(framed) + len(refused)):
            assert not in_frame(browser, number, "document.querySelector('main')"), number
            assert in_frame(browser, number, "location.protocol") == "chrome-error:"
        errors = [entry["message"] for entry in browser.get_log("browser")]
    assert all("frame-ancestors" in error or "favicon" in error for error in errors), errors


def test_another_site_shows_the_games_of_a_running_tournament(
    browser: Any, other_site: tuple[Path, str], tmp_path: Path
) -> None:
    folder, address = other_site
    Store.open(tmp_path / "arena.db", create=True).close()
    file = write(
        tmp_path, ("<b>a", "honest"), ("b", "hangs-in-search"), games_per_pairing=2, time_control=PATIENT
    )
    with served(tmp_path) as (_, port), running(file):
        wait_for(lambda: get(port, "/api/tournaments"), "the tournament does not start")
        url = get(port, "/api/tournaments")[0]["url"]
        frame = f'<iframe src="http://127.0.0.1:{port}{url}embed" width="480" height="640"></iframe>'
        (folder / "index.html").write_text(f"<!DOCTYPE html>{frame}")
        browser.get(f"{address}/index.html")
        names = "[...document.querySelectorAll('#boards .who')].map((one) => one.textContent)"
        wait_for(lambda: in_frame(browser, 0, names) == ["b", "<b>a"], "the game does not appear")
        ticks = "document.querySelector('.turn .clock')?.textContent ?? ''"
        wait_for(lambda: in_frame(browser, 0, ticks), "no clock runs")
        before = in_frame(browser, 0, ticks)
        wait_for(lambda: in_frame(browser, 0, ticks) != before, "the clock stands still")
        assert in_frame(browser, 0, "document.documentElement.scrollHeight <= innerHeight")
        assert in_frame(browser, 0, "document.querySelector('#boards a').href").endswith("/running/1")
