"""A person in a browser who plays against engines: by clicks, by keys, or by typing."""

from __future__ import annotations

import json
import random
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar

from tests.arena.forked import Forked, forked
from tests.processes import wait_for

_SHOWN = """
// A place is found by its name and at once, because the page draws its board anew at any time.
const [wanted] = arguments;
const shown = typeof wanted === 'string' ? document.querySelector(`[data-place="${wanted}"]`) : wanted;
shown.scrollIntoView({block: 'center'}); // what sticks to an edge of the window covers what is there
const {x, y, width, height} = shown.getBoundingClientRect();
return {x, y, width, height};
"""
ENGINES = Path(__file__).parents[3] / "engines"


def tournament_file(
    folder: Path, games: list[str], engine: str = "hostile_engine.py", names: int = 4
) -> Path:
    """A tournament file with engines that answer immediately with the first legal move."""
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
    """Somebody who plays a game in a browser, with a mouse. A new game ends the one before.

    Args:
        browser: the browser.
        address: the server.
        wish: the game.
    """

    playing: ClassVar = ""  # the address of the last game

    def __init__(self, browser: Any, address: str, **wish: Any) -> None:
        self.browser = browser
        if Person.playing:
            with suppress(OSError):  # its server has ended, or has forgotten it
                ask(f"{Person.playing}/end", {})
        begun = ask(f"{address}/api/play/games", wish)
        self.api = Person.playing = f"{address}/api/play/games/{begun['id']}"
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

    def choose_way(self, moves: Any, way: Any) -> None:
        """Choose the parts of a move, and play it if it could go on, or if it is a wall."""
        for number in way[1]:
            self.choose_part(moves["parts"][number])
        if self.browser.execute_script("return !document.getElementById('send').disabled"):
            self.press(self.browser.find_element("id", "send"))

    def choose_part(self, part: Any) -> None:
        """Choose a part of a move."""
        wanted = ", ".join(text for text in (part["place"], part["word"]) if text) or part["text"]
        if self.press_button(wanted):
            return
        drawn = part["place"] and self.browser.find_elements(
            "css selector", f'[data-place="{part["place"]}"]'
        )
        if drawn:
            self.press_place(part["place"])
        assert self.press_button(wanted) or drawn, f"no button says {wanted}"

    def press_button(self, wanted: str) -> bool:
        """Press the button that has this label; return whether there is one."""
        for button in self.browser.find_elements("css selector", "#meanings button"):
            if button.get_attribute("aria-label") == wanted:
                self.press(button)
                return True
        return False

    def press_place(self, place: str) -> None:
        """Press a place of the board."""
        self.press_at(*self.point_of(place))

    def point_of(self, place: str) -> tuple[float, float]:
        """A point of a place: of a wall at a quarter of its length, because two cross in the middle."""
        box = self.browser.execute_script(_SHOWN, place)
        across, down = 4 if place[-1] == "h" else 2, 4 if place[-1] == "v" else 2
        return box["x"] + box["width"] / across, box["y"] + box["height"] / down

    def point_at(self, place: str) -> None:
        """Move the mouse over a place."""
        x, y = self.point_of(place)
        self.browser.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": x, "y": y})

    def press(self, element: Any) -> None:
        """Press the middle of an element."""
        box = self.browser.execute_script(_SHOWN, element)
        self.press_at(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def press_at(self, x: float, y: float) -> None:
        """Click a point of the window."""
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y)

    def mouse(self, kind: str, x: float, y: float) -> None:
        """Press or release the button of the mouse at a point of the window."""
        event = {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1, "pointerType": "mouse"}
        self.browser.execute_cdp_cmd("Input.dispatchMouseEvent", event)

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


class Finger(Person):
    """Somebody who plays by touching."""

    def press_at(self, x: float, y: float) -> None:
        """Touch a point for a moment; Chromium makes all events of it."""
        touch = {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]}
        self.browser.execute_cdp_cmd("Input.dispatchTouchEvent", touch)
        self.browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


class Walker(Person):
    """Somebody who plays by the keyboard alone."""

    def press_place(self, place: str) -> None:
        """Walk to a place with the arrow keys, and press Enter."""
        self.walk_to("#places")
        places = {one["name"]: (one["row"], one["column"]) for one in self.state()["places"]}
        for _ in range(100):
            here = self.browser.execute_script("return document.activeElement.dataset.place")
            (row, column), (target_row, target_column) = places[here], places[place]
            if (row, column) == (target_row, target_column):
                break
            # Between the columns of squares there are no walls to walk along.
            if column != target_column and (row == target_row or (column % 2 and target_row % 2)):
                self.type("ArrowRight" if column < target_column else "ArrowLeft")
            else:
                self.type("ArrowUp" if row < target_row else "ArrowDown")
        assert self.browser.execute_script("return document.activeElement.dataset.place") == place
        self.type("Enter")

    def press(self, element: Any) -> None:
        """Go to a button with the tabulator, and press Enter."""
        self.browser.execute_script("arguments[0].dataset.wanted = 'yes'", element)
        self.walk_to("[data-wanted]")
        self.type("Enter")

    def walk_to(self, selector: str) -> None:
        """Press the tabulator until the focus is on or in an element."""
        for _ in range(60):
            if self.browser.execute_script(f"return Boolean(document.activeElement.closest('{selector}'))"):
                return
            self.type("Tab")
        raise AssertionError(f"no key leads to {selector}")

    def type(self, key: str) -> None:
        """Press a key."""
        text = {"Enter": "\r"}.get(key)
        code = {"Enter": 13, "Tab": 9, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}[key]
        event = {"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": code}
        self.browser.execute_cdp_cmd("Input.dispatchKeyEvent", event | ({"text": text} if text else {}))
        self.browser.execute_cdp_cmd("Input.dispatchKeyEvent", event | {"type": "keyUp"})
