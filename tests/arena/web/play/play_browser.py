"""A person in a browser who plays against engines: by clicks, by keys, or by typing."""

from __future__ import annotations

import json
import random
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.arena.forked import Forked, forked
from tests.processes import wait_for

ENGINES = Path(__file__).parents[3] / "engines"


def tournament_file(
    folder: Path, games: list[str], engine: str = "hostile_engine.py", names: int = 4
) -> Path:
    """A tournament file with engines that answer at once with the first legal move."""
    engines = "".join(
        f'[[engines]]\nname = "mate-{number}"\n'
        f'command = ["{sys.executable}", "-S", "{ENGINES / engine}", "honest"]\n'
        for number in range(1, names + 1)
    )
    file = folder / "play.toml"
    file.write_text(f'name = "play"\ngames = {json.dumps(games)}\ntime_control = "60+0"\n{engines}')
    return file


@contextmanager
def server(file: Path, *options: str) -> Iterator[tuple[Forked, str]]:
    """A server for the engines of a file, and its address."""
    with forked("serve", "--engines", file, "--port", "0", *options, cwd=file.parent) as process:
        wait_for(lambda: process.stdout.endswith("\n"), "it does not serve")
        yield process, process.stdout.removeprefix("serving on ").strip()


def ask(address: str, wish: dict[str, Any] | None = None) -> Any:
    """The JSON at an address; with a wish, by POST."""
    request = urllib.request.Request(address)
    if wish is not None:
        request = urllib.request.Request(
            address, json.dumps(wish).encode(), {"content-type": "application/json"}
        )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


class Person:
    """Somebody who plays a game in a browser.

    Args:
        browser: the browser.
        address: the server.
        wish: the game.
    """

    def __init__(self, browser: Any, address: str, **wish: Any) -> None:
        self.browser = browser
        begun = ask(f"{address}/api/play/games", wish)
        self.api = f"{address}/api/play/games/{begun['id']}"
        self.random = random.Random(7)
        browser.get(f"{address}{begun['url']}")

    def state(self) -> Any:
        """The state of the game."""
        return ask(self.api)

    def wait(self, ready: Callable[[], Any]) -> None:
        """Wait until something is so."""
        wait_for(ready, "the page does not show what it should")

    def text(self, id_: str) -> str:
        """The text of an element."""
        found: str = self.browser.execute_script(
            "return document.getElementById(arguments[0]).textContent", id_
        )
        return found

    def ready(self) -> Any:
        """Wait for the turn; return the ways to move, or None when the game is over."""
        # The page is ready when it marks the places, or offers buttons.
        self.wait(lambda: self.state()["status"] in ("yours", "over"))
        if self.state()["status"] == "over":
            return None
        moves = ask(f"{self.api}/moves")
        shown = (
            "return document.querySelectorAll('#moves b').length === arguments[0] &&"
            " Boolean(document.querySelector('.place.open, #meanings button'))"
        )
        plies = len(self.state()["moves"])
        self.wait(lambda: self.browser.execute_script(shown, plies))
        return moves

    def click_way(self, moves: Any, way: Any) -> None:
        """Choose the parts of a move by clicks, and play it if it could go on."""
        for number in way[1]:
            self.click_part(moves["parts"][number])
        if self.browser.execute_script("return !document.getElementById('send').disabled"):
            self.browser.find_element("id", "send").click()

    def click_part(self, part: Any) -> None:
        """Choose a part of a move by clicks."""
        from selenium.webdriver import ActionChains

        wanted = ", ".join(text for text in (part["place"], part["word"]) if text) or part["text"]
        if self.click_button(wanted):
            return
        drawn = self.browser.find_elements("css selector", f'[data-place="{part["place"]}"]')
        if drawn:
            upright = part["text"] == part["place"] and part["place"].endswith("v")
            chain = ActionChains(self.browser, duration=0)
            # The header covers what is at the top of the window.
            self.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", drawn[0])
            # The middle of an upright groove is where a flat one crosses it.
            chain.move_to_element_with_offset(drawn[0], 0, 15 if upright else 0).click().perform()
        assert self.click_button(wanted) or drawn, f"no button says {wanted}"

    def click_button(self, wanted: str) -> bool:
        """Click the button that has this text; return whether there is one."""
        for button in self.browser.find_elements("css selector", "#meanings button"):
            if button.text == wanted:
                button.click()
                return True
        return False

    def play(self, move: Callable[[Any], None], most: int = 400) -> Any:
        """Play to the end, and return the last state."""
        for _ in range(most):
            moves = self.ready()
            if moves is None:
                break
            plies = self.state()["ply"]
            move(moves)
            self.wait(lambda plies=plies: (new := self.state())["ply"] > plies or new["status"] == "over")
        return self.state()
