"""Take the pictures of the README and of the documentation: ``make screenshots``.

The program plays the tournament of ``arena demo``, writes its report, and opens the pages in Chromium. It
plays it once more beside ``arena serve``, and films the page of the running tournament. It takes the page of
a running game, with the lines of both engines and the graph of their scores. Then it hands engines in at a
door. With ``--all`` it takes every page of the report at every width of the design, by day and by night, for
a comparison by eye.
"""

from __future__ import annotations

import argparse
import base64
import io
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from PIL import Image

from arena.door.client import Door
from arena.web.film import write_gif

IMAGES = Path(__file__).parents[1] / "images"
ROOT = Path(__file__).parents[2]
WRONG_ENGINE = """
import sys
for line in sys.stdin:
    word = line.split()[0]
    if word == "ugi": print("id name ann\\nprotocol 1\\nugiok", flush=True)
    if word == "isready": print("readyok", flush=True)
    if word == "go": print("bestmove e0", flush=True)
    if word == "quit": break
"""
DUEL = f"""
game = "quoridor"
time_control = "40+0.5"
[openings]
kind = "random"
plies = 4
[defaults]
margin = 1000
[[engines]]
name = "C alpha-beta"
command = "{ROOT}/engines/c-alphabeta/build/alphabeta"
[[engines]]
name = "Python alpha-beta"
command = "sample:alphabeta"
"""
"""A game whose engines report lines and scores."""

COURSE = """
game = "quoridor"
format = "ladder"
[door]
[[engines]]
name = "random"
command = "sample:random"
[[engines]]
name = "dice"
command = "sample:random"
"""
"""A tournament with a door."""

WIDTHS = (390, 768, 1280, 1920)
PAGES = {
    "home": "index.html",
    "tournament": "1-demo/index.html",
    "game": "1-demo/games/{game}.html#ply=20",
    "engine": "1-demo/engines/1.html",
}
SHOWN = ("tournament", "game")
"""The pages whose pictures are in the documentation, at 1280 px by day."""
COLOURS = 128
LAST_FRAME = 5000
"""How long a film shows the table at the end, in milliseconds."""


def main() -> None:
    """Play, write the report, take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", type=Path, metavar="DIR", help="write pictures of all pages into DIR")
    parser.add_argument("--db", type=Path, help="a database of `arena demo`; one is played if it is missing")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        database = args.db or folder / "demo.db"
        if not database.exists():
            _arena("demo", "--db", str(database))
        _arena("report", "--all", "--db", str(database), "-o", str(folder / "site"))
        browser = _browser(folder)
        try:
            if args.all is None:
                for name in SHOWN:
                    _take(browser, folder / "site", name, 1280, "light", IMAGES / f"{name}.png", most=1500)
                _film(browser, folder)
                _take_running(browser, folder)
                take_door(browser, folder / "course", IMAGES)
                return
            for name in PAGES:
                for width in WIDTHS:
                    for scheme in ("light", "dark"):
                        target = args.all / f"{name}-{width}-{scheme}.png"
                        _take(browser, folder / "site", name, width, scheme, target, most=6000)
        finally:
            browser.quit()


def _arena(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "arena", *words], check=True)


def _browser(folder: Path) -> Any:  # noqa: ANN401 - selenium has no types for its drivers
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    for flag in ("--headless", "--no-sandbox", "--hide-scrollbars", f"--user-data-dir={folder / 'profile'}"):
        options.add_argument(flag)
    options.binary_location = _found("chromium")
    return webdriver.Chrome(options=options, service=Service(_found("chromedriver")))


def _found(program: str) -> str:
    path = shutil.which(program)
    if path is None:
        sys.exit(f"error: {program} is not installed; it takes the pictures")
    return path


def _resize(browser: Any, width: int, height: int = 900) -> None:  # noqa: ANN401 - as above
    """Make the window of the browser so many pixels wide and high."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def _take(
    browser: Any,  # noqa: ANN401 - as above
    site: Path,
    name: str,
    width: int,
    scheme: str,
    target: Path,
    most: int,
) -> None:
    """Save a picture of a page from its top, at most ``most`` pixels high."""
    games = site / "1-demo" / "games"
    longest = max(games.glob("*.html"), key=lambda file: file.stat().st_size).stem
    _resize(browser, width)
    browser.get("about:blank")
    browser.get(f"{site.as_uri()}/{PAGES[name].format(game=longest)}")
    _save(browser, width, target, most, scheme)


def _film(browser: Any, folder: Path) -> None:  # noqa: ANN401 - as above
    """Film the page of a tournament until it has ended, by day and by night."""
    _resize(browser, 800, 1000)
    frames: dict[str, list[Image.Image]] = {"light": [], "dark": []}
    times = []

    def take() -> None:
        times.append(time.monotonic())
        for scheme, shots in frames.items():
            shot = _shot(browser, scheme, 800, 780, beyond=False)
            shots.append(Image.open(io.BytesIO(shot)).convert("RGB"))

    demo = ROOT / "engines/demo.toml"
    with _live(demo, folder / "live.db", "--concurrency", "2") as (run, address):
        browser.get(address)
        _wait(browser, "document.querySelectorAll('#boards .clock:not(:empty)').length > 1")
        while run.poll() is None:
            take()
        _wait(browser, "document.querySelector('.winner')")
        time.sleep(1)  # for its pictures
        browser.execute_script("document.querySelector('.winner').scrollIntoView({block: 'center'})")
        take()
    milliseconds = [round(1000 * (after - before)) for before, after in pairwise(times)]
    for scheme, shots in frames.items():
        target = IMAGES / f"live-{scheme}.gif"
        target.write_bytes(write_gif(shots, [*milliseconds, LAST_FRAME], COLOURS))
        sys.stdout.write(f"{target}\n")


def _take_running(browser: Any, folder: Path) -> None:  # noqa: ANN401 - as above
    """Save the page of a running game in its middle."""
    _resize(browser, 1280)
    file = folder / "duel.toml"
    file.write_text(DUEL)
    with _live(file, folder / "duel.db") as (_, address):
        browser.get(f"{address}running/1")
        _wait(browser, "document.querySelectorAll('.moves td a').length > 20")
        _save(browser, 1280, IMAGES / "live.png", 1380)


@contextmanager
def _live(file: Path, database: Path, *options: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Run a tournament beside a server; yield the run and the address of the tournament's page."""
    arena = [sys.executable, "-m", "arena"]
    command = [*arena, "run", str(file), "--db", str(database), "--quiet", *options]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as run:
        while not database.exists() and run.poll() is None:
            time.sleep(0.1)
        serve = [*arena, "serve", str(database), "--port", "0"]
        with subprocess.Popen(serve, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                origin = server.stdout.readline().split()[-1]
                known: list[Any] = []
                while not known:
                    with urlopen(f"{origin}/api/tournaments") as answer:  # noqa: S310 - the server above
                        known = json.load(answer)
                yield run, f"{origin}{known[0]['url']}"
            finally:
                server.terminate()
                run.terminate()


def take_door(browser: Any, folder: Path, images: Path) -> None:  # noqa: ANN401 - as above
    """Save pictures of the door: a version that failed a check, and the page of the organiser."""
    _resize(browser, 1280)
    folder.parent.chmod(0o755)
    folder.mkdir()
    sample = ROOT / "engines" / "python-random" / "engine.py"
    file = folder / "course.toml"
    file.write_text(COURSE)
    arena = [sys.executable, "-m", "arena", "door"]
    invite = [*arena, "invite", str(file)]
    links = subprocess.check_output([*invite, "ann", "bob"], text=True).splitlines()
    links += subprocess.check_output([*invite, "teacher", "--organiser"], text=True).splitlines()
    pages = subprocess.Popen([*arena, "pages", str(file), "--port", "0"], stdout=subprocess.PIPE, text=True)
    worker = subprocess.Popen([*arena, "worker", str(file)])
    try:
        assert pages.stdout is not None
        address = pages.stdout.readline().split()[-1].removesuffix("/door/")
        ann, bob, teacher = (f"{address}/door/enter/{link.rpartition('/')[2]}" for link in links)
        wrong = WRONG_ENGINE.encode()
        for link, content in ((ann, wrong), (bob, sample.read_bytes())):
            door = Door.of_link(link)
            number, _ = door.hand_in("bot.py", content)
            while door.look(number)["state"] not in ("refused", "plays"):
                time.sleep(0.5)
        _enter(browser, ann)
        browser.get(f"{address}/door/submissions/1")
        _save(browser, 1280, images / "door-version.png", 1500)
        _enter(browser, teacher)
        _save(browser, 1280, images / "door-organiser.png", 1300)
    finally:
        for process in (worker, pages):
            process.terminate()
            process.wait()


def _enter(browser: Any, link: str) -> None:  # noqa: ANN401 - as above
    """Open a link of the door, press its button, and wait for the page behind it."""
    browser.get(link)
    browser.execute_script(
        "document.body.dataset.old = 1; document.querySelector('main form button').click()"
    )
    while browser.execute_script("return !document.body || document.body.dataset.old == 1"):
        time.sleep(0.1)


def _wait(browser: Any, condition: str) -> None:  # noqa: ANN401 - as above
    """Wait until a page is as JavaScript says."""
    end = time.monotonic() + 60
    while not browser.execute_script(f"return {condition}"):
        if time.monotonic() > end:
            sys.exit(f"error: after a minute, this is not yet true in the page: {condition}")
        time.sleep(0.1)


def _save(browser: Any, width: int, target: Path, most: int, scheme: str = "light") -> None:  # noqa: ANN401 - as above
    """Save the page from its top, at most ``most`` pixels high."""
    browser.execute_script("scrollTo(0, 0)")
    height = min(browser.execute_script("return document.documentElement.scrollHeight"), most)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(_shot(browser, scheme, width, height))
    sys.stdout.write(f"{target}\n")


def _shot(
    browser: Any,  # noqa: ANN401 - as above
    scheme: str,
    width: int,
    height: int,
    beyond: bool = True,
) -> bytes:
    """A picture of the page by day or by night, as PNG; quicker if it needs not what is below the window."""
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    top = browser.execute_script("return scrollY")
    clip = {"x": 0, "y": top, "width": width, "height": height, "scale": 1}
    shot = browser.execute_cdp_cmd(
        "Page.captureScreenshot",
        {"captureBeyondViewport": beyond, "optimizeForSpeed": not beyond, "clip": clip},
    )
    return base64.b64decode(shot["data"])


if __name__ == "__main__":
    main()
