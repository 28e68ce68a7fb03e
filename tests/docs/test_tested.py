"""The page that says how the project is tested names all tests, and the release runs what it promises."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/explanation/how-it-is-tested.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| [^|]+ \| [^|]+ \| (`tests[^|]*) \|$", TEXT, re.MULTILINE)
PLACES = [place for row in ROWS for place in re.findall(r"`(.*?)`", row)]


def test_each_place_has_tests_and_is_named_once() -> None:
    assert ROWS
    assert len(PLACES) == len({*PLACES})
    for place in PLACES:
        path = ROOT / place
        assert path.is_file() or any(path.rglob("test_*.py"))


def test_a_release_waits_for_all_longer_runs() -> None:
    release = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())["jobs"]
    runs = release["long"]["strategy"]["matrix"]["run"]
    assert {run.split(" ")[1] for run in runs[1:]} == {
        *re.findall(r"^\| `make ([\w-]+)` \|", TEXT, re.MULTILINE)
    }
    assert runs[0] == ".ci/run"
    assert release["publish"]["needs"] == release["image"]["needs"] == ["pure", "compiled", "long"]
