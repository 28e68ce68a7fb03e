"""The board of the example of a plug-in, in a real browser: drawn on all pages, and clicked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from referee.registry import ENTRY_POINTS
from tests.arena.web.play.play_browser import Person, tournament_file
from tests.missing_tools import needs

pytestmark = [pytest.mark.browser, needs("chromium", "chromedriver")]

ROOT = Path(__file__).parents[4]


def installed(folder: Path) -> dict[str, str]:
    """The environment of a process that finds the example as an installed package."""
    info = folder / "arena_chomp-1.0.dist-info"
    info.mkdir()
    info.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: arena-chomp\nVersion: 1.0\n", "utf-8")
    info.joinpath("entry_points.txt").write_text(f"[{ENTRY_POINTS}]\nchomp = arena_chomp:CHOMP\n", "utf-8")
    places = (folder, ROOT / "docs" / "examples" / "plugin-game", ROOT)
    return os.environ | {"PYTHONPATH": os.pathsep.join(map(str, places)), "PYTHONDONTWRITEBYTECODE": "1"}


def test_a_plug_in_gets_a_drawn_board_thumbnails_pictures_and_clicks(browser: Any, tmp_path: Path) -> None:
    file, environment = tournament_file(tmp_path, ["chomp"]), installed(tmp_path)
    arena = [sys.executable, "-m", "arena"]
    run = [*arena, "run", file, "--db", "arena.db"]
    subprocess.run(run, cwd=tmp_path, env=environment, check=True, capture_output=True)
    with subprocess.Popen(
        [*arena, "serve", "arena.db", "--engines", file, "--port", "0"],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as server:
        assert server.stdout is not None
        address = server.stdout.readline().removeprefix("serving on ").strip()
        try:
            person = Person(browser, address, game="chomp", seats=[None, "mate-2"])
            drawn = "#board.on-lane #standing use"
            person.wait(lambda: len(browser.find_elements("css selector", drawn)) == 21)  # one is a cross
            last = person.play(lambda moves: person.choose_way(moves, person.random.choice(moves["ways"])))
            assert last["result"]["text"].endswith("poison")
            with urllib.request.urlopen(f"{address}/api/tournaments") as answer:
                tournament = address + json.load(answer)[0]["url"]
            for page in (address, f"{tournament}games/1.html"):
                browser.get(page)
                person.wait(lambda: browser.find_elements("css selector", "svg.on-lane .c2"))
            with urllib.request.urlopen(f"{tournament}games/1.png") as answer:
                assert answer.read(8) == b"\x89PNG\r\n\x1a\n"
            assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []
        finally:
            server.terminate()
