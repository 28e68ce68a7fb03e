"""The page that says how the project is tested names all tests, and the release runs what it promises."""

from __future__ import annotations

import re
from collections import Counter

import yaml

from tests.counts import PAGE, ROOT, belongs, places

TEXT = PAGE.read_text(encoding="utf-8")
NAMES = [name for line in TEXT.splitlines() for name in places(line)]


def test_each_place_is_named_once_and_has_tests() -> None:
    files = [file.relative_to(ROOT).as_posix() for file in ROOT.glob("tests/**/test_*.py")]
    assert Counter(belongs(file, NAMES) for file in files).keys() == Counter(NAMES).keys()
    assert len(NAMES) == len({*NAMES})


def test_all_tests_of_a_promise_were_counted() -> None:
    assert not re.search(r"\| 0 \| \d+ \|", TEXT)


def test_a_release_waits_for_all_longer_runs() -> None:
    release = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())["jobs"]
    runs = release["long"]["strategy"]["matrix"]["run"]
    assert {run.split(" ")[1] for run in runs[1:]} == {
        *re.findall(r"^\| `make ([\w-]+)` \|", TEXT, re.MULTILINE)
    }
    assert runs[0] == ".ci/run"
    assert "long" in release["publish"]["needs"]
