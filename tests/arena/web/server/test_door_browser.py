"""The door in a browser: the whole way of a participant, and of the organiser."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.config import load
from arena.door.folder import DoorFolder
from arena.door.register import DoorRegister, RequestState, State
from arena.store import Store
from tests.arena.forked import Forked, forked
from tests.arena.invoking import invoke
from tests.arena.web.accessible import look
from tests.missing_tools import needs
from tests.processes import wait_for

pytestmark = [pytest.mark.browser, needs("chromium", "chromedriver")]

ROOT = Path(__file__).parents[4]
RANDOM = ROOT / "engines" / "python-random" / "engine.py"
WRONG = b"""
import sys
for line in sys.stdin:
    word = line.split()[0]
    if word == "ugi": print("id name x\\nprotocol 1\\nugiok", flush=True)
    if word == "isready": print("readyok", flush=True)
    if word == "go": print("bestmove z99", flush=True)
    if word == "quit": break
"""
AT_HOME = "[aria-label='Try it at home']"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    tmp_path.chmod(0o755)
    engines = ", ".join(
        f'{{ name = "{name}", command = ["{{python}}", "{RANDOM}"] }}' for name in ("rnd", "dice")
    )
    path = tmp_path / "league.toml"
    path.write_text(
        f'game = "quoridor"\nformat = "ladder"\ntime_control = "2+0.02"\nengines = [{engines}]\n'
        '[door]\nlanguages = ["python"]\n'
    )
    return path


@contextmanager
def opened(file: Path, *names: str, organiser: str = "teacher") -> Iterator[dict[str, str]]:
    """Serve the door, and give the link of each participant and of the organiser."""
    invite = ["door", "invite", str(file)]
    lines = invoke(*invite, *names).output.splitlines()
    lines += invoke(*invite, organiser, "--organiser").output.splitlines()
    with forked("door", "pages", file, "--port", 0, cwd=file.parent) as pages:
        wait_for(lambda: pages.stdout.endswith("/door/\n"), "it does not serve")
        address = pages.stdout.split()[-1].removesuffix("/door/")
        yield {
            name: address + link[link.index("/door/") :] for name, link in (one.split("\t") for one in lines)
        }
        pages.kill()


def door_worker(file: Path) -> AbstractContextManager[Forked]:
    """Start a worker that lets each submission play one game."""
    return forked("door", "worker", file, cwd=file.parent, settings={"arena.door.worker._TRIAL_GAMES": 1})


def text(browser: Any, selector: str = "main") -> str:
    found = "return document.querySelector(arguments[0])?.innerText ?? ''"
    return str(browser.execute_script(found, selector))


def press(browser: Any, label: str, within: str = "main") -> None:
    """Press the first button with this label."""
    buttons = browser.find_elements("css selector", f"{within} button")
    button = next(one for one in buttons if one.text == label)
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)  # not below the header
    button.click()


def go_home(browser: Any) -> None:
    browser.execute_script("document.querySelector('.crumb a').click()")  # the header may lie over it


def enter(browser: Any, link: str) -> None:
    browser.get(link)
    press(browser, next(one.text for one in browser.find_elements("css selector", "main button")))


def hand_in(browser: Any, path: Path, content: bytes) -> None:
    path.write_bytes(content)
    wait_for(lambda: text(browser, "h1") == "ann", "ann is not in")
    browser.find_element("name", "file").send_keys(str(path))
    press(browser, "Hand in")


def copy(browser: Any) -> None:
    """Press "Copy": the clipboard has the command, and the button says so."""
    rights = {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}
    browser.execute_cdp_cmd("Browser.grantPermissions", rights)
    press(browser, "Copy", AT_HOME)
    wait_for(
        lambda: text(browser, f"{AT_HOME} [data-copy]") == "Copied", "the button does not say that it copied"
    )
    copied = browser.execute_async_script("navigator.clipboard.readText().then(arguments[0])")
    assert copied == text(browser, f"{AT_HOME} pre")
    browser.execute_cdp_cmd("Browser.resetPermissions", {})


def errors(browser: Any) -> list[str]:
    return [entry["message"] for entry in browser.get_log("browser") if "401" not in entry["message"]]


@needs("bwrap")
def test_a_participant_comes_in_hands_in_and_sees_what_is_wrong(
    browser: Any, file: Path, tmp_path: Path
) -> None:
    with opened(file, "ann") as links, door_worker(file) as worker:
        browser.get(links["ann"])
        assert "This is the link of ann" in text(browser)
        look(browser, "enter")
        press(browser, "Come in as ann")
        hand_in(browser, tmp_path / "bot.py", WRONG)
        wait_for(lambda: "refused" in text(browser, ".title"), "it is not refused live", 60)
        assert re.search(r"quoridor: check \d+ failed, .*: it .*; advice: ", text(browser, "[role=alert]"))
        assert "arena check --game quoridor --only " in text(browser, f"{AT_HOME} pre")
        copy(browser)
        look(browser, "refused")
        go_home(browser)
        wait_for(lambda: "version 1" in text(browser, "[aria-label=Versions]"), "the version is not listed")
        look(browser, "own")
        press(browser, "Leave: forget me in this browser")
        wait_for(lambda: "You are not in" in text(browser), "ann is still in")
        look(browser, "left")
        worker.kill()
    assert errors(browser) == []


@pytest.mark.slow  # all checks and a game: a good version is shown until it plays
@needs("bwrap")
def test_a_good_version_is_shown_live_until_it_plays(browser: Any, file: Path, tmp_path: Path) -> None:
    with opened(file, "ann") as links, door_worker(file) as worker:
        enter(browser, links["ann"])
        hand_in(browser, tmp_path / "bot.py", RANDOM.read_bytes())
        seen: set[str] = set()
        wait_for(
            lambda: seen.add(text(browser, ".title .tag")) or "plays" in seen, "it is not admitted live", 120
        )
        assert len(seen) > 1, "nothing was shown while it was tried"
        assert "admitted: version 1 plays in the tournament now" in text(browser)
        look(browser, "admitted")
        go_home(browser)
        wait_for(lambda: "plays" in text(browser, "[aria-label=Versions]"), "the version is not listed")
        worker.kill()
    assert errors(browser) == []


def test_a_participant_asks_for_a_game_and_sees_the_queue_move(browser: Any, file: Path) -> None:
    with opened(file, "ann", "bob") as links:
        store = Store.open(load(file).database, create=False)
        door = DoorRegister(store, "league")
        plan = {"language": "python", "build": [], "command": ["{python}", "bot.py"], "found": "bot.py"}
        for who in door.participants()[:2]:
            door.move_on(door.hand_in(who.id, who.name, "bot.py", plan, 9).id, State.PLAYS)
        enter(browser, links["ann"])
        for here in ("Ask for a game", "it is next"):
            wait_for(lambda here=here: here in text(browser), "ann cannot ask")
            press(browser, "Ask")
        wait_for(lambda: "1 before it" in text(browser, "#asked"), "the queue is not shown")
        look(browser, "queue")
        press(browser, "Take back", "#asked tr:last-child")
        wait_for(lambda: "its participant has taken it back" in text(browser, "#asked"), "it is still there")
        (request,) = door.queue()
        plays = replace(request, state=RequestState.PLAYS)
        door.change_request(request, plays)
        wait_for(lambda: "plays now" in text(browser, "#asked"), "the page does not follow the queue")
        look(browser, "plays")
        problem = "bob is not in the tournament any more"
        door.change_request(plays, replace(plays, state=RequestState.ENDED, problem=problem))
        wait_for(lambda: "bob is not in the" in text(browser, "#asked"), "the end is not shown")
        store.close()
    assert errors(browser) == []


def test_the_organiser_sees_all_pauses_rolls_back_removes_and_writes(browser: Any, file: Path) -> None:
    with opened(file, "ann", "bob") as links:
        store = Store.open(load(file).database, create=False)
        door = DoorRegister(store, "league")
        ann, bob, _ = door.participants()
        plan = {"language": "python", "build": [], "command": ["{python}", "bot.py"], "found": "bot.py"}
        for who, state in ((ann, State.PLAYS), (ann, State.PLAYS), (bob, State.REFUSED)):
            one = door.hand_in(who.id, os.urandom(32).hex(), "bot.py", plan, 9)
            door.take(3)
            door.move_on(one.id, state, "it lost by crash" if state is State.REFUSED else "")
            DoorFolder(file.parent / "door").engine(one.id).mkdir(
                parents=True, exist_ok=True
            )  # what was built
        enter(browser, links["teacher"])
        wait_for(lambda: "2 participants" in text(browser), "the organiser is not in")
        assert re.search(r"bob\s+version 1\s+refused.*it lost by crash", text(browser, "#live"), re.DOTALL)
        look(browser, "organiser")

        def states() -> list[str]:
            return [one.state for one in door.participants()]

        press(browser, "Pause", "#p1")
        wait_for(lambda: "Let play" in text(browser, "#p1"), "ann is not paused")
        assert states() == ["paused", "open", "open"]
        press(browser, "Let play", "#p1")
        wait_for(lambda: "Pause" in text(browser, "#p1"), "ann does not play")
        press(browser, "Play this again", "#v1")
        wait_for(lambda: "Play this again" in text(browser, "#v2"), "version 2 is not replaced")
        assert [one.state for one in door.submissions(ann.id)] == [State.REPLACED, State.PLAYS]
        browser.find_element("name", "text").send_keys("No games tonight")
        press(browser, "Write")
        wait_for(lambda: "No games tonight" in text(browser), "the note is not shown")
        browser.find_element("css selector", "#p2 summary").click()
        assert "Take the engine of bob out of the tournament" in text(browser, "#p2")
        assert states() == ["open", "open", "open"]
        look(browser, "remove-asks")
        press(browser, "Remove bob", "#p2")
        wait_for(lambda: "removed" in text(browser, "#p2"), "bob is not removed")
        assert states() == ["open", "removed", "open"]
        marks = browser.execute_async_script(
            "fetch(document.querySelector('a[href$=csv]').href).then((a) => a.text()).then(arguments[0])"
        )
        assert [line.split(",")[:5] for line in marks.splitlines()[1:]] == [
            ["ann", "open", "2", "1", "passed"],
            ["bob", "removed", "1", "", "failed"],
        ]
        enter(browser, links["ann"])
        wait_for(lambda: "No games tonight" in text(browser), "ann does not see the note")
        browser.get(links["bob"])
        assert "works no more" in text(browser, "body")
        store.close()
