"""Whether a tournament is finished: every surface has the same answer, and none guesses what nobody knows."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from arena.store import Store
from tests.arena.invoking import invoke
from tests.arena.web.sites import client_of

TINY = Path(__file__).parents[4] / "engines/tiny/tiny.py"


def run(*words: str) -> str:
    result = invoke(*words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A finished knock-out of two engines, as JSON lines."""
    folder = tmp_path_factory.mktemp("cup")
    lines = ['format = "knockout"', 'game = "quatre-en-ligne"', "concurrency = 1"]
    for name in ("a", "b"):
        lines += ["[[engines]]", f'name = "{name}"', f'command = ["{sys.executable}", "-S", "{TINY}"]']
    (folder / "cup.toml").write_text("\n".join(lines))
    run("run", str(folder / "cup.toml"), "--quiet")
    run("export", "--jsonl", "--db", str(folder / "arena.db"), "-o", str(folder / "games.jsonl"))
    return (folder / "games.jsonl").read_text()


@pytest.mark.parametrize(
    ("change", "finished", "word"),
    [
        (lambda text: text, True, "finished"),
        (lambda text: re.sub(r'"outline":"(?:[^"\\]|\\.)*"', '"outline":""', text), None, "unknown"),
        (lambda text: re.sub(r"knockout", "unheard-of", text), None, "unknown"),
        (
            lambda text: text.replace(r"\"games_per_pairing\":2", r"\"games_per_pairing\":20"),
            False,
            "unfinished",
        ),
    ],
    ids=["finished", "no plan", "no such format", "unfinished"],
)
def test_every_surface_has_the_same_answer(
    records: str, tmp_path: Path, change, finished: bool | None, word: str
) -> None:
    changed = change(records)
    assert (changed == records) == (word == "finished")
    (tmp_path / "games.jsonl").write_text(changed)
    database = tmp_path / "new.db"
    run("import", str(tmp_path / "games.jsonl"), "--db", str(database))
    (row,) = json.loads(run("list", "--db", str(database), "--json"))
    assert row["finished"] is finished
    run("report", "-o", str(tmp_path / "site"), "--db", str(database))
    assert f">{word}<" in (tmp_path / "site/index.html").read_text()
    store = Store.open(database, create=False)
    with client_of(store) as client:
        (listed,) = client.get("/api/tournaments").json()
        assert listed["status"] == word
        assert f">{word}<" in client.get(listed["url"]).text
        assert f">{word}<" in client.get("/").text
    store.close()
