"""A tournament in stages, played by real processes: run, cut off, shown and reported as one tournament."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

from tests.arena.forked import arena

TOP = """game = "rodeurs"
format = "stages"
time_control = "10"
concurrency = 1

[adjudication]
plies = {plies}
"""


def write(
    folder: Path, engines: int, stages: str, *, plies: int = 6, top: str = "", sample: str = "random"
) -> Path:
    tables = "".join(
        f'[[engines]]\nname = "e{number}"\ncommand = "sample:{sample}"\n' for number in range(1, engines + 1)
    )
    file = folder / "cup.toml"
    file.write_text(top + TOP.format(plies=plies) + stages + tables)
    return file


POOLS = """
[[stages]]
name = "pools"
format = "round-robin"
pools = 3
games_per_pairing = 1
ties = ["direct", "time"]

[[stages]]
name = "play-offs"
format = "knockout"
engines = 8
best_of = 3
third_place = true
ties = ["time"]
"""


def games(folder: Path) -> list[str]:
    with closing(sqlite3.connect(folder / "arena.db")) as database:
        return [key for (key,) in database.execute("SELECT key FROM game ORDER BY number")]


def test_pools_of_four_lead_to_play_offs_with_the_best_thirds_and_a_third_place(tmp_path: Path) -> None:
    write(tmp_path, 12, POOLS)
    forecast = arena("run", "cup.toml", "--dry-run", cwd=tmp_path).stdout
    assert "e1 - e12" in forecast
    assert "at most" in forecast
    done = arena("run", "cup.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    shown = arena("standings", cwd=tmp_path).stdout
    for words in (
        "pools, pool 3: round-robin",
        "pools, the best of place 3",
        "play-offs: knock-out",
        "Third place",
    ):
        assert words in shown
    assert len(re.findall(r"time used [0-9.]+ s a game +play-offs$", shown, re.MULTILINE)) == 8 + 2
    assert len(re.findall(r"e[0-9]+ won by time used", shown)) == 8
    table = json.loads(arena("standings", "--json", cwd=tmp_path).stdout)["games"][0]
    first, last = table["stages"]
    (final,), third = last["pools"][0]["bracket"][2], last["pools"][0]["third_place"]
    order = [place["engine"] for place in table["places"]]
    assert [place["place"] for place in table["places"]] == [1, 2, 3, 4, 5, 5, 5, 5, 9, 10, 11, 12]
    assert order[:4:2] == [final["winner"], third["winner"]]
    assert set(order[8:]) == {f"e{number}" for number in range(1, 13)} - set(first["go_on"])
    lines = [line.split() for line in shown.partition("\nPlaces\n")[2].splitlines()]
    assert lines[2:14] == [[str(place["place"]), place["engine"]] for place in table["places"]]
    assert (first["stage"], first["over"], len(first["go_on"])) == ("pools", True, 8)
    assert [row["place"] for row in first["pools"][0]["table"]] == [1, 2, 3, 4]
    assert [len(matches) for matches in last["pools"][0]["bracket"]] == [4, 2, 1]
    assert last["pools"][0]["third_place"]["winner"] is not None
    keys = games(tmp_path)
    assert len(keys) == len(set(keys)) == 3 * 6 + 8 * 3
    assert [key for key in keys if ":1." in key] == keys[:18]
    assert arena("show", "1", cwd=tmp_path).stdout.startswith("game 1 of cup, pools: rodeurs\n")
    assert arena("show", str(len(keys)), cwd=tmp_path).stdout.startswith(
        f"game {len(keys)} of cup, play-offs: "
    )
    again = arena("run", "cup.toml", cwd=tmp_path)
    assert "0 games played" in again.stderr
    (row,) = json.loads(arena("list", "--json", cwd=tmp_path).stdout)
    assert (row["format"], row["finished"], row["played"]) == ("stages", True, 42)


def test_a_report_shows_the_tables_of_all_stages_and_the_bracket(tmp_path: Path) -> None:
    write(tmp_path, 6, POOLS.replace("pools = 3", "pools = 2").replace("engines = 8", "engines = 4"), plies=2)
    assert arena("run", "cup.toml", cwd=tmp_path).returncode == 0
    assert arena("report", "cup", "-o", "out", cwd=tmp_path).returncode == 0
    pages = "".join(page.read_text() for page in (tmp_path / "out").rglob("*.html"))
    assert ">stages: pools, play-offs<" in pages
    for words in ("pools, pool 2: round-robin", "play-offs: knock-out", "decided by", "goes on to"):
        assert words in pages
    headings = re.findall(r'<h4 class="note">(.*?)</h4>', pages)
    assert headings == ["Semi-finals", "Final"]
    assert '<h3 class="block">Third place</h3>' in pages
    assert re.search(r'<p class="winner">\s*<a [^>]*>e[1-6]</a>\s*wins', pages)


def test_a_swiss_leads_to_a_final_of_eight_with_engines_seeded_by_their_ratings(tmp_path: Path) -> None:
    before = write(tmp_path, 2, '[[stages]]\nformat = "round-robin"\n', plies=400, sample="random")
    before.write_text(
        before.read_text().replace(
            'name = "e2"\ncommand = "sample:random"', 'name = "e9"\ncommand = "sample:greedy"'
        )
    )
    assert arena("run", before, cwd=tmp_path).returncode == 0
    swiss = '[[stages]]\nformat = "swiss"\nrounds = 2\ngames_per_pairing = 1\n'
    final = '[[stages]]\nname = "final"\nformat = "round-robin"\ngames_per_pairing = 1\nengines = 8\n'
    final += 'ties = ["game", "lot"]\n'
    write(tmp_path, 10, swiss + final, plies=2, top='name = "main"\ndraw = "rating"\n')
    done = arena("run", "cup.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    data = json.loads(arena("standings", "main", "--json", cwd=tmp_path).stdout)["games"][0]
    first, last = data["stages"]
    assert "e9" in first["pools"][0]["swiss"]["drawn"][0]["pairs"][0]  # the first seed, by its rating
    assert first["go_on"][0] == "e9"
    rows = last["pools"][0]["table"]
    assert [row["by"] for row in rows] == ["lot"] * 8
    assert len([key for key in games(tmp_path) if ":2+" in key]) == 28
    shown = arena("standings", "main", cwd=tmp_path).stdout
    assert "stage 1: Swiss, 2 rounds" in shown
    assert "final: round-robin" in shown


def test_other_engines_are_refused_once_the_stages_have_started(tmp_path: Path) -> None:
    file = write(tmp_path, 4, '[[stages]]\nformat = "round-robin"\npools = 2\n', plies=2)
    assert arena("run", "cup.toml", cwd=tmp_path).returncode == 0
    file.write_text(file.read_text().replace('"e4"', '"new"'))
    for words in ([], ["--dry-run"]):
        refused = arena("run", "cup.toml", *words, cwd=tmp_path)
        assert refused.returncode == 2
        assert (
            "the engines of rodeurs are drawn, so they must stay the same, but e4, new came or left"
            in refused.stderr
        )
        assert "Traceback" not in refused.stderr
    file.write_text(file.read_text().replace('"new"', '"e4"').replace("pools = 2", "pools = 1"))
    changed = arena("run", "cup.toml", cwd=tmp_path)
    assert changed.returncode == 2
    assert (
        "format=round-robin pools=2, and now it is format=round-robin pools=1; set it back" in changed.stderr
    )


def test_a_disabled_engine_loses_the_rest_of_its_stage_and_the_others_go_on(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        6,
        '[[stages]]\nformat = "round-robin"\npools = 2\n'
        '[[stages]]\nformat = "knockout"\nengines = 4\nties = []\n',
        plies=2,
    )
    broken = 'name = "e1"\ncommand = ["{python}", "-c", "print(1)"]\ntimeouts = { handshake = 5 }'
    file.write_text(file.read_text().replace('name = "e1"\ncommand = "sample:random"', broken))
    assert arena("run", "cup.toml", cwd=tmp_path).returncode in (0, 1)
    stages = json.loads(arena("standings", "--json", cwd=tmp_path).stdout)["games"][0]["stages"]
    assert [one["over"] for one in stages] == [True, True]
    assert "e1" not in stages[0]["go_on"]
