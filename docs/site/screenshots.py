"""Take the pictures of the README and of the documentation: ``make screenshots``.

The program plays the tournament of ``arena demo``, writes its report, and opens the pages in Chromium. It
plays it once more beside ``arena serve``, for a picture of a running tournament. Then it hands engines in at
a door. With ``--all`` it takes every page of the report at every width of the design, by day and by night,
for a comparison by eye.
"""

from __future__ import annotations

import argparse
import base64
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from arena.door.client import Door

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
WIDTHS = (390, 768, 1280, 1920)
PAGES = {
    "home": "index.html",
    "tournament": "1-demo/index.html",
    "game": "1-demo/games/{game}.html#ply=20",
    "engine": "1-demo/engines/1.html",
}
SHOWN = ("tournament", "game")
"""The pages whose pictures are in the documentation, at 1280 px by day."""


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
                _take_live(browser, folder / "live.db", IMAGES / "live.png")
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
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get("about:blank")
    browser.get(f"{site.as_uri()}/{PAGES[name].format(game=longest)}")
    _save(browser, width, target, most)


def _take_live(browser: Any, database: Path, target: Path) -> None:  # noqa: ANN401 - as above
    """Save a picture of a tournament with running games and a result."""
    size = {"width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    arena = [sys.executable, "-m", "arena"]
    with subprocess.Popen([*arena, "demo", "--db", str(database)], stdout=subprocess.DEVNULL) as run:
        while not database.exists():
            time.sleep(0.1)
        serve = [*arena, "serve", str(database), "--port", "0"]
        with subprocess.Popen(serve, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            address = server.stdout.readline().split()[-1]
            browser.get(f"{address}/tournaments/1-1/")
            shown = "return document.querySelectorAll('#boards .clock:not(:empty)').length > 2"
            ranked = "return document.querySelectorAll('.ranking tbody tr').length > 2"
            while run.poll() is None and not (
                browser.execute_script(shown) and browser.execute_script(ranked)
            ):
                time.sleep(0.1)
            _save(browser, 1280, target, 1300)
            server.terminate()
        run.terminate()


def take_door(browser: Any, folder: Path, images: Path) -> None:  # noqa: ANN401 - as above
    """Save pictures of the door: a version that failed a check, and the page of the organiser."""
    folder.parent.chmod(0o755)
    folder.mkdir()
    sample = ROOT / "engines" / "python-random" / "engine.py"
    file = folder / "course.toml"
    engines = "".join(
        f'[[engines]]\nname = "{name}"\ncommand = "{{python}} {sample}"\n' for name in ("random", "dice")
    )
    file.write_text(f'game = "quoridor"\nformat = "ladder"\n[door]\ngames = 1\n{engines}')
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
        _press(browser, "#again form button")
        while browser.execute_script("return document.querySelector('#again .tag').innerText") != "ended":
            time.sleep(0.5)
        _save(browser, 1280, images / "door-version.png", 1500)
        _enter(browser, teacher)
        _save(browser, 1280, images / "door-organiser.png", 1300)
    finally:
        for process in (worker, pages):
            process.terminate()
            process.wait()


def _enter(browser: Any, link: str) -> None:  # noqa: ANN401 - as above
    browser.get(link)
    _press(browser, "main form button")


def _press(browser: Any, selector: str) -> None:  # noqa: ANN401 - as above
    """Press a button, and wait for the page behind it."""
    browser.execute_script(
        "document.body.dataset.old = 1; document.querySelector(arguments[0]).click()", selector
    )
    while browser.execute_script("return !document.body || document.body.dataset.old == 1"):
        time.sleep(0.1)


def _save(browser: Any, width: int, target: Path, most: int) -> None:  # noqa: ANN401 - as above
    """Save the page from its top, at most ``most`` pixels high."""
    browser.execute_script("scrollTo(0, 0)")
    height = min(browser.execute_script("return document.documentElement.scrollHeight"), most)
    clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
    shot = browser.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(base64.b64decode(shot["data"]))
    sys.stdout.write(f"{target}\n")


if __name__ == "__main__":
    main()
