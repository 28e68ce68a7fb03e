"""Watch the cards of running games in a browser, and compare every end with the records.

A tournament of fast games runs (a league, a ladder, stages with a final, or a match of Stockfish on one large
board), and Chromium shows its page. A script in the page looks at all cards in
every frame and at every change. Each end that a card showed is compared with the stored game: names, points,
winners, the last clocks, the sentence, the bar as it is drawn, that no seat runs, and that the end stayed for
three seconds.

    .venv/bin/python benchmarks/watched_cards.py [--kind league] [--ends 500] [--slots 4] [--minutes 60]

The target: 0 differences.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any, TypeAlias
from urllib.request import urlopen

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from arena.model import GameRecord
from arena.replay import final_clocks
from arena.scoring import seat_endings
from arena.store import GameSearch, Store
from arena.tables.result_text import sentence
from arena.web.figures import clock_text, points_text

REPOSITORY = Path(__file__).parents[1]
ARENA = (sys.executable, "-m", "arena")
ENGINE = REPOSITORY / "tests" / "engines" / "hostile.py"
MODES = ("honest", "honest", "thinks-a-little", "thinks-a-little", "plays-illegal", "honest")
LEAST_MS = 2500
"""An end stays for 3000 ms, less what the first look comes late on a busy machine."""

LOOK = """
window.seen = new Map();
const look = () => {
  const shown = new Set();
  for (const card of document.querySelectorAll("#boards > .live:not(.vacant)")) {
    if (!card.classList.contains("ended")) continue;
    const texts = (selector) => [...card.querySelectorAll(selector)].map((one) => one.textContent);
    const bar = card.querySelector(".chance").getBoundingClientRect();
    const first = card.querySelector(".first").getBoundingClientRect();
    const now = JSON.stringify({
      names: texts(".who"), points: texts(".said"), clocks: texts(".clock"), says: texts(".end")[0],
      won: texts(".won .who"), runs: texts(".turn, .low").length,
      bar: Math.round(100 * first.height / bar.height),
    });
    const key = card.querySelector("a").href;
    const known = window.seen.get(key) ?? { looks: new Set(), since: performance.now() };
    known.looks.add(now);
    shown.add(key);
    window.seen.set(key, known);
  }
  for (const [key, known] of window.seen) if (!shown.has(key)) known.until ??= performance.now();
};
const lookAgain = () => { look(); requestAnimationFrame(lookAgain); };
const changes = { subtree: true, childList: true, attributes: true };
new MutationObserver(look).observe(document.getElementById("boards"), changes);
lookAgain();
"""
TAKE = """
const over = performance.now(); // no game follows the last ends, so they stay
const ends = [...window.seen].filter(([, { until }]) => until || arguments[0]);
return ends.map(([address, { looks, since, until }]) => [address, [...looks], until ? until - since : over]);
"""


SeenEnd: TypeAlias = tuple[str, list[str], float]
"""The address of a game, what its card showed of its end as JSON, and for how many milliseconds."""


def engines(commands: dict[str, list[str]]) -> str:
    """Return the tables of engines."""
    return "".join(
        f'[[engines]]\nname = "{name}"\ncommand = {list(words)}\n' for name, words in commands.items()
    )


def hostile(*modes: str) -> dict[str, list[str]]:
    """Return the commands of engines of these modes, by their names."""
    return {
        f"{mode} {number}": [sys.executable, "-S", str(ENGINE), mode] for number, mode in enumerate(modes)
    }


QUICK = 'game = "quoridor"\ntime_control = "20+0.1"\n'
PLAYERS = f"[adjudication]\nplies = 24\n{engines(hostile(*MODES))}"
POOLS = '[[stages]]\nformat = "round-robin"\npools = 2\ngames_per_pairing = 16\n'
FINAL = '[[stages]]\nformat = "knockout"\nengines = 4\nbest_of = 5\n'
BULLET = 'game = "chess"\ntime_control = "1+0.01"\ngames_per_pairing = 400\n[defaults]\ndialect = "uci"\n'
KINDS = {
    "league": f"{QUICK}games_per_pairing = 400\n{PLAYERS}",
    "ladder": f'{QUICK}format = "ladder"\n{PLAYERS}',
    "stages": f'{QUICK}format = "stages"\n{POOLS}{FINAL}{engines(hostile(*6 * ("thinks-a-little",)))}',
    "stockfish": BULLET + engines({f"Stockfish {number}": ["/usr/games/stockfish"] for number in (1, 2)}),
}
"""Tournaments: all but the stages without an end in sight."""


def expected(record: GameRecord) -> dict[str, Any]:
    """Return what a card of a stored game shows, with the last seat first."""
    players = record.result.players
    endings = seat_endings(players)
    return {
        "names": [player.name for player in players][::-1],
        "points": [points_text(player.points) for player in players][::-1],
        "clocks": ["" if clock is None else clock_text(clock) for clock in final_clocks(record)][::-1],
        "says": sentence(record.result),
        "won": [player.name for player, ending in zip(players, endings, strict=True) if ending == "won"],
        "runs": 0,
        "bar": round(100 * players[0].points),
    }


def compare(seen: list[SeenEnd], records: dict[int, GameRecord]) -> tuple[int, list[str]]:
    """Return the number of ends that were compared, and the differences."""
    differences, ends = [], 0
    for address, looks, lasted in seen:
        record = records.get(int(address.rpartition("/")[2]) - 1)
        if record is None:
            continue  # it was not stored yet when the run was stopped
        ends += 1
        wanted = expected(record)
        for look in map(json.loads, looks):
            different = {name: (value, wanted[name]) for name, value in look.items() if value != wanted[name]}
            if different:
                differences.append(f"{address}: {different}")
        if lasted < LEAST_MS:
            differences.append(f"{address}: its end stayed for {lasted:.0f} ms")
    return ends, differences


def tournament_page(address: str) -> str:
    """Return the path of the page of the only tournament, when it has started."""
    while True:
        with urlopen(f"{address}/api/tournaments") as answer:
            if listed := json.load(answer):
                return str(listed[0]["url"])
        time.sleep(0.1)


def browser() -> webdriver.Chrome:
    """Start Chromium without a window."""
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for flag in ("--headless", "--no-sandbox", "--disable-gpu", "--window-size=1280,900"):
        options.add_argument(flag)
    chromium = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    driver = chromium.command_executor
    assert not isinstance(driver, str)
    driver.client_config.timeout = 600  # seconds for an answer; the machine may be busy
    return chromium


def watch(folder: Path, kind: str, ends: int, slots: int, most_seconds: float) -> list[SeenEnd]:
    """Let the tournament run until the page has shown enough ends, and return what the cards showed."""
    file = folder / "t.toml"
    file.write_text(f"concurrency = {slots}\n{KINDS[kind]}")
    Store.open(folder / "arena.db", create=True).close()
    serve = subprocess.Popen([*ARENA, "serve", "--port", "0"], cwd=folder, stdout=subprocess.PIPE, text=True)
    run = subprocess.Popen(
        [*ARENA, "run", file.name], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    chromium = browser()
    try:
        assert serve.stdout is not None
        address = serve.stdout.readline().split()[-1].rstrip("/")
        chromium.get(f"{address}{tournament_page(address)}")
        chromium.execute_script(LOOK)
        deadline = time.monotonic() + most_seconds
        while time.monotonic() < deadline and run.poll() is None:
            time.sleep(2)
            if chromium.execute_script("return window.seen.size") >= ends + slots:
                break
        over = run.poll() is not None
        time.sleep(5 * over)
        return list(chromium.execute_script(TAKE, over))
    finally:
        chromium.quit()
        run.terminate()
        run.wait(60)
        serve.terminate()
        serve.wait(60)


def main() -> None:
    """Print how many ends were compared, and each difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kind", choices=KINDS, default="league")
    parser.add_argument("--ends", type=int, default=500)
    parser.add_argument("--slots", type=int, default=4)
    parser.add_argument("--minutes", type=float, default=60)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        most_seconds = 60 * arguments.minutes
        seen = watch(folder, arguments.kind, arguments.ends, arguments.slots, most_seconds)
        with closing(Store.open(folder / "arena.db", create=False)) as store:
            records = {record.result.number: record for record in store.finder.records(GameSearch())}
        ends, differences = compare(seen, records)
    print("\n".join(differences))
    print(f"{ends} ends of {len(records)} games, {len(differences)} differences")
    sys.exit(bool(differences))


if __name__ == "__main__":
    main()
