"""Take the pictures of the README and of the documentation: ``make screenshots``.

The program plays the tournament of ``arena demo``, writes its report, and opens the pages in Chromium. It
plays it once more beside ``arena serve``, and films the page of the running tournament. Then it hands engines
in at a door. With ``--all`` it takes every page of the report at every width of the design, by day and by
night, for a comparison by eye.
"""

from __future__ import annotations

import argparse
import base64
import io
import shutil
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

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
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get("about:blank")
    browser.get(f"{site.as_uri()}/{PAGES[name].format(game=longest)}")
    _save(browser, width, target, most, scheme)


def _film(browser: Any, folder: Path) -> None:  # noqa: ANN401 - as above
    """Film the page of a tournament until it has ended, by day and by night."""
    size = {"width": 800, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    database = folder / "live.db"
    arena = [sys.executable, "-m", "arena"]
    demo = [*arena, "run", str(ROOT / "engines/demo.toml"), "--db", str(database), "--concurrency", "2"]
    frames: dict[str, list[bytes]] = {"light": [], "dark": []}
    times = []

    def take() -> None:
        times.append(time.monotonic())
        for scheme, shots in frames.items():
            shots.append(_shot(browser, scheme, 800, 780, beyond=False))

    with subprocess.Popen([*demo, "--quiet"], stdout=subprocess.DEVNULL) as run:
        while not database.exists() and run.poll() is None:
            time.sleep(0.1)
        serve = [*arena, "serve", str(database), "--port", "0"]
        with subprocess.Popen(serve, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                address = server.stdout.readline().split()[-1]
                browser.get(f"{address}/tournaments/1-1/")  # the first one, whatever its id is
                _wait(browser, "document.querySelectorAll('#boards .clock:not(:empty)').length > 1")
                _wait(browser, "document.querySelectorAll('.ranking tbody tr').length > 2")
                while run.poll() is None:
                    take()
                _wait(browser, "document.querySelector('.winner')")
                time.sleep(1)  # for its pictures
                take()
            finally:
                server.terminate()
                run.terminate()
    milliseconds = [round(1000 * (after - before)) for before, after in pairwise(times)]
    for scheme, shots in frames.items():
        _write_gif(shots, [*milliseconds, LAST_FRAME], IMAGES / f"live-{scheme}.gif")


def _write_gif(shots: list[bytes], milliseconds: list[int], target: Path) -> None:
    """Write frames, each for its time, with one palette. What a frame leaves as it was is transparent."""
    pictures = [Image.open(io.BytesIO(shot)).convert("RGB") for shot in shots]
    width, height = pictures[0].size
    sheet = Image.new("RGB", (width, 4 * height))
    for place in range(4):
        sheet.paste(pictures[place * (len(pictures) - 1) // 3], (0, place * height))
    palette = sheet.quantize(COLOURS, dither=Image.Dither.NONE)
    before = None
    frames = []
    for picture in pictures:
        frame = np.asarray(picture.quantize(palette=palette, dither=Image.Dither.NONE))
        changed = frame if before is None else np.where(frame == before, COLOURS, frame).astype(np.uint8)
        frames.append(Image.fromarray(changed))
        frames[-1].putpalette(palette.getpalette() or [])
        before = frame
    first, *others = frames
    first.save(
        target,
        save_all=True,
        append_images=others,
        duration=milliseconds,
        loop=0,
        transparency=COLOURS,
        disposal=1,
        optimize=False,
    )
    sys.stdout.write(f"{target}\n")


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
    clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
    shot = browser.execute_cdp_cmd(
        "Page.captureScreenshot",
        {"captureBeyondViewport": beyond, "optimizeForSpeed": not beyond, "clip": clip},
    )
    return base64.b64decode(shot["data"])


if __name__ == "__main__":
    main()
