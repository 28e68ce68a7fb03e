"""The pages of a report in a browser, opened as files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.arena.invoking import invoke
from tests.arena.web.accessible import violations
from tests.arena.web.sites import ALIKE, EVIL, IDS, fill
from tests.missing_tools import needs
from tests.processes import wait_for

pytestmark = [pytest.mark.browser, needs("chromium", "chromedriver")]

KINDS = ("index.html", "hops-1.html", "games/1.html", "engines/1.html", "words.html")
"""A page of each kind."""

FOCUS = """
((one) => one === document.body ? null
  : [getComputedStyle(one).outlineStyle, one.getBoundingClientRect().left])(document.activeElement)
""".strip()
"""The outline and the left edge of the element with the focus; null if none has it."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("browser")
    fill(folder / "arena.db", plies=12, pairings=2)
    args = ["report", "--db", str(folder / "arena.db"), "-o", str(folder / "site")]
    assert invoke(*args).exit_code == 0
    return folder / "site"


def go(browser: Any, page: Path, ply: str = "") -> None:
    if browser.current_url.partition("#")[0] == page.as_uri():
        browser.get("about:blank")  # a new anchor alone would not load the page again
    browser.get(page.as_uri() + ply)


def press(browser: Any, key: str) -> None:
    from selenium.webdriver.common.by import By

    browser.find_element(By.TAG_NAME, "body").send_keys(key)


def script(browser: Any, text: str) -> Any:
    return browser.execute_script(f"return {text}")


def board(browser: Any) -> str:
    return str(script(browser, "document.getElementById('items').innerHTML"))


def says(browser: Any) -> str:
    return str(script(browser, "document.getElementById('says').textContent"))


def test_the_bar_of_chances_belongs_to_the_ply_that_is_shown(browser: Any, site: Path) -> None:
    chances = "JSON.parse(document.getElementById('replay').textContent).chances"
    bar = "document.querySelector('.chance .first').getAttribute('height')"
    for ply in (3, 5, 12):
        go(browser, site / "games/1.html", f"#ply={ply}")
        assert script(browser, bar) == f"{script(browser, f'{chances}.at({ply - 13})')}%"


def test_keys_step_through_a_game_and_the_link_follows(browser: Any, site: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    go(browser, site / "games/1.html")
    last = board(browser)
    assert says(browser).startswith("Ply 12 of 12, ")
    press(browser, Keys.ARROW_LEFT)
    assert says(browser).startswith("Ply 11 of ")
    assert board(browser) != last
    assert script(browser, "location.hash") == "#ply=11"
    assert script(browser, "document.getElementById('here').hash") == "#ply=11"
    assert script(browser, "document.querySelector('.moves [aria-current]').id") == "ply=11"
    press(browser, Keys.ARROW_RIGHT)
    press(browser, Keys.ARROW_RIGHT)  # the second step has no effect at the last position
    assert board(browser) == last
    press(browser, Keys.HOME)
    assert says(browser) == "Start"
    assert script(browser, "document.getElementById('back').disabled") is True
    press(browser, Keys.END)
    assert board(browser) == last


def test_a_link_shows_its_position_and_the_board_is_in_sight(browser: Any, site: Path) -> None:
    go(browser, site / "games/1.html", "#ply=5")
    assert says(browser).startswith("Ply 5 of ")
    box = script(browser, "document.getElementById('board').getBoundingClientRect().toJSON()")
    assert box["top"] >= 0
    name = script(browser, "document.querySelector('.strip').getBoundingClientRect().top")
    assert name >= script(browser, "document.querySelector('.top').getBoundingClientRect().bottom")
    assert box["bottom"] <= script(browser, "innerHeight") + 1
    script(browser, "void (location.hash = '#ply=7')")
    assert browser.execute_async_script("setTimeout(arguments[0], 50)") is None
    assert says(browser).startswith("Ply 7 of ")


def test_a_page_opens_with_the_move_that_it_shows_in_sight_of_the_list(browser: Any, tmp_path: Path) -> None:
    fill(tmp_path / "arena.db", plies=120, ids=["quoridor"], pairings=1)
    args = ["report", "--db", str(tmp_path / "arena.db"), "-o", str(tmp_path / "site")]
    assert invoke(*args).exit_code == 0
    shown = "document.querySelector('.moves a[aria-current]')"
    for ply, expected in (("", 88), ("?ply=60", 60), ("#ply=7", 7)):
        go(browser, tmp_path / "site/games/1.html", ply)
        assert script(browser, f"{shown}.id") == f"ply={expected}"
        edges = [
            f"document.getElementById('list').getBoundingClientRect().{edge}" for edge in ("top", "bottom")
        ]
        top, middle, bottom = (
            script(browser, text) for text in (edges[0], f"{shown}.getBoundingClientRect().top", edges[1])
        )
        assert top < middle < bottom


def test_space_runs_the_game_after_a_click_on_a_move_of_an_address(browser: Any, site: Path) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    go(browser, site / "games/1.html", "?ply=5")
    browser.find_element(By.ID, "ply=3").click()
    assert script(browser, "location.search + location.hash") == "#ply=3"
    browser.switch_to.active_element.send_keys(Keys.SPACE)
    assert script(browser, "document.getElementById('run').getAttribute('aria-pressed')") == "true"


def test_one_part_of_a_tournament_is_shown_by_its_address_and_all_in_print(browser: Any, site: Path) -> None:
    def shown() -> list[str]:
        parts = "[...document.querySelectorAll('[aria-labelledby=game-hops] > .part')]"
        return list(script(browser, f"{parts}.filter((one) => one.checkVisibility()).map((one) => one.id)"))

    go(browser, site / "index.html")
    assert shown() == ["game-hops-overview"]
    for part in ("game-hops-cross", "game-hops-ratings", "game-hops-ends"):
        go(browser, site / "index.html", f"#{part}")
        assert shown() == [part]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        assert len(shown()) == 4
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


@pytest.mark.parametrize("part", ["cross", "ratings", "ends"])
def test_every_part_of_a_tournament_is_accessible(browser: Any, site: Path, part: str) -> None:
    go(browser, site / "index.html", f"#game-hops-{part}")
    browser.execute_script("scrollTo(0, 0)")  # else the header that stays may cover a half of a link
    assert violations(browser) == []


def test_a_list_is_searched_and_sorted_on_its_page(browser: Any, site: Path) -> None:
    def numbers() -> list[str]:
        rows = "[...document.querySelectorAll('.games tbody tr')].filter((one) => one.checkVisibility())"
        return list(script(browser, f"{rows}.map((one) => one.cells[0].textContent)"))

    go(browser, site / "hops-1.html")
    wait_for(numbers, "the page shows no game")
    every = numbers()
    go(browser, site / "hops-1.html", "#words=beta&order=longest")
    wait_for(numbers, "no game of beta is shown")
    assert set(numbers()) < set(every)
    go(browser, site / "hops-1.html", "#words=%3Cscript%3E+nobody")
    assert numbers() == []
    assert script(browser, "document.getElementById('found').textContent") == f"0 of {len(every)} games"


def test_times_are_the_readers_with_their_zone(browser: Any, site: Path) -> None:
    browser.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": "Asia/Kolkata"})
    try:
        go(browser, site / "games/1.html")
        assert script(browser, "document.querySelector('.because time').textContent") == (
            "15 Nov 2023, 03:43 GMT+5:30"
        )
        assert script(browser, "document.querySelector('.because time').dateTime") == "2023-11-14T22:13:20Z"
    finally:
        browser.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": ""})


def test_the_board_turns_the_game_runs_and_a_plot_leads_to_a_ply(browser: Any, site: Path) -> None:
    from selenium.webdriver.common.by import By

    go(browser, site / "games/1.html")
    first = "document.querySelector('.strip').getBoundingClientRect().top"
    above = script(browser, first)
    press(browser, "f")
    assert script(browser, first) > above + 100
    press(browser, "f")
    assert script(browser, first) == above
    browser.find_element(By.ID, "run").click()  # from the last position it starts again
    assert says(browser) == "Start"
    assert script(browser, "document.getElementById('run').getAttribute('aria-label')") == "Stop"
    browser.find_element(By.ID, "run").click()
    browser.find_element(By.CSS_SELECTOR, ".plots svg.plot").click()  # its middle
    assert script(browser, "location.hash") in ("#ply=6", "#ply=7")


def test_the_choice_of_day_or_night_stays(browser: Any, site: Path) -> None:
    from selenium.webdriver.common.by import By

    go(browser, site / "words.html")
    ground = "getComputedStyle(document.body).backgroundColor"
    day = script(browser, ground)
    browser.find_element(By.ID, "theme").click()
    night = script(browser, ground)
    assert night != day
    go(browser, site / "words.html")
    assert script(browser, ground) == night
    browser.find_element(By.ID, "theme").click()
    script(browser, "localStorage.clear()")


def test_a_word_of_a_table_is_explained_in_its_place(browser: Any, site: Path) -> None:
    from selenium.webdriver.common.by import By

    go(browser, site / "index.html")
    word = browser.find_element(By.CSS_SELECTOR, ".ranking button.word")
    box = browser.find_element(By.ID, word.get_attribute("popovertarget"))
    assert not box.is_displayed()
    word.click()
    assert box.is_displayed()


@pytest.mark.parametrize(
    "id_", [pytest.param(id_, marks=[pytest.mark.slow] if id_ in ALIKE else []) for id_ in IDS]
)
def test_every_board_is_drawn_and_nothing_is_refused(id_: str, browser: Any, site: Path) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    go(browser, site / f"{id_}-1.html")
    browser.find_element(By.CSS_SELECTOR, "tbody a").click()
    press(browser, Keys.ARROW_LEFT)
    width = script(browser, "document.querySelector('#board use').getBoundingClientRect().width")
    assert width > 10
    assert script(browser, "document.querySelector('#items').lastElementChild.namespaceURI").endswith("/svg")
    assert EVIL in script(browser, "document.querySelector('main').textContent")
    assert browser.get_log("browser") == []


@pytest.mark.parametrize("page", KINDS)
def test_a_page_fits_its_window(page: str, browser: Any, site: Path) -> None:
    go(browser, site / page)
    for width in (360, 390, 1280):
        size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        assert script(browser, "innerWidth") == width
        assert script(browser, "document.documentElement.scrollWidth") <= width
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_name_of_200_letters_takes_a_few_lines_shows_its_end_and_widens_no_page(
    browser: Any, tmp_path: Path
) -> None:
    fill(
        tmp_path / "arena.db",
        plies=4,
        ids=["quoridor"],
        entrants=("W" * 200, "a very long name " * 11 + "of mine"),
    )
    args = ["report", "--db", str(tmp_path / "arena.db"), "-o", str(tmp_path / "site")]
    assert invoke(*args).exit_code == 0
    lines = """
    [...document.querySelectorAll("main :is(a[title], b, .strip .who)")]
      .filter((one) => (one.title || one.textContent).length > 150 && one.offsetParent)
      .map((one) => one.getBoundingClientRect().height / parseFloat(getComputedStyle(one).lineHeight))
    """
    clipped = """
    [...document.querySelectorAll("main a[title]")]
      .filter((one) => one.title.endsWith("of mine") && one.scrollHeight > one.clientHeight + 1)
      .map((one) => one.outerHTML)
    """
    for page in ("index.html", "games/1.html", "engines/1.html", "quoridor-1.html", "quoridor-1v2.html"):
        go(browser, tmp_path / "site" / page)
        for width in (390, 1280):
            size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
            browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
            assert script(browser, "document.documentElement.scrollWidth") <= width, page
            found = script(browser, lines.strip())
            assert found, page
            assert max(found) < (5.5 if width == 390 else 3.5), (page, width)
            assert script(browser, clipped.strip()) == [], (page, width)
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize(
    "page",
    # The page of a tournament of ten games has thousands of elements.
    [pytest.param(page, marks=[pytest.mark.slow] if page == "index.html" else []) for page in KINDS],
)
def test_a_page_is_accessible_by_day_and_night(page: str, browser: Any, site: Path) -> None:
    go(browser, site / page)
    for scheme in ("light", "dark"):
        feature = {"name": "prefers-color-scheme", "value": scheme}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
        assert script(browser, f"matchMedia('(prefers-color-scheme: {scheme})').matches")
        assert violations(browser) == []
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_without_javascript_there_are_the_last_board_and_the_moves(browser: Any, site: Path) -> None:
    from selenium.webdriver.common.by import By

    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        go(browser, site / "games/1.html")
        assert browser.find_element(By.CSS_SELECTOR, "#board use").is_displayed()
        assert browser.find_element(By.CSS_SELECTOR, "a[id='ply=12']").is_displayed()
        assert not browser.find_element(By.ID, "controls").is_displayed()
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_no_name_and_no_detail_runs_as_a_script(browser: Any, site: Path) -> None:
    watch = {"source": "window.ran = []; window.alert = (text) => window.ran.push(text);"}
    added = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", watch)
    for page in [*sorted(site.glob("*-1.html"))[:2], site / "index.html", site / "games/1.html"]:
        go(browser, page)
        assert script(browser, "window.ran") == [], page
    browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)


def test_the_tab_key_comes_to_everything_is_seen_where_it_is_and_is_never_caught(
    browser: Any, site: Path
) -> None:
    from selenium.webdriver.common.keys import Keys

    go(browser, site / "games/1.html")
    later = ".moves tbody tr:nth-child(n+2)"
    script(browser, f"document.querySelectorAll('{later}').forEach((row) => row.remove())")
    focusable = "a, button:enabled, input, summary, [tabindex='0']"
    wanted = script(browser, f'document.querySelectorAll("{focusable}").length')
    press(browser, Keys.TAB)
    reached = 0
    focus = script(browser, FOCUS)
    while focus is not None and reached <= wanted:
        reached += 1
        outline, left = focus
        assert outline == "solid"
        assert left >= 0
        browser.switch_to.active_element.send_keys(Keys.TAB)
        focus = script(browser, FOCUS)
    assert reached == wanted


def test_the_way_back_leads_to_the_list_and_not_through_every_move(browser: Any, site: Path) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    go(browser, site / "hops-1.html")
    browser.find_element(By.CSS_SELECTOR, "tbody a").click()
    press(browser, Keys.HOME)
    press(browser, Keys.ARROW_RIGHT)
    browser.back()
    assert browser.current_url.endswith("hops-1.html")
