"""The first command of each page works today: from a checkout, in an empty folder."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli import main

ROOT = Path(__file__).parents[2]
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md"), *(ROOT / "engines").rglob("*.md")])
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)

NOT_RUN = {
    r"^make demo\b": "works in the checkout itself, where .ci/run runs it",
    r"^(sudo|docker|pip|python3 -m venv|curl|fastchess)\b": "another program, with a network or rights",
    r"\./(mine|new)\b|mine\.py|\bbot\.py": "needs the reader's engine; arena/cli/test_examples.py has one",
    r"\b(league\.toml|others\.pgn)": "needs a file of the reader; arena/cli/test_examples.py has one",
    r"\bspring\b|^arena show 1\b": "needs a tournament that was played; test_docs.py has one",
    r"--dialect uci\b": "needs chess engines; tests/engines/test_uci.py has them",
    r"^export EXAMPLE_KEY": "needs a language model; tests/engines/test_llm_games.py has stand-ins",
    r"\bengines/tiny\b": "works in the checkout; tests/engines/test_tiny.py plays with these engines",
}
"""Which commands do not run here, and why."""

PATIENCE = 120.0  # seconds: for a busy machine


def first_command(page: Path) -> str | None:
    for language, body in BLOCK.findall(page.read_text(encoding="utf-8")):
        if language in ("console", "sh"):
            line = body.replace("\\\n", " ").splitlines()[0]
            return re.sub(r"\s+# .*", "", line.removeprefix("$ "))
    return None


FIRST = {str(page.relative_to(ROOT)): line for page in PAGES if (line := first_command(page))}
RUN = {page: line for page, line in FIRST.items() if not any(re.search(p, line) for p in NOT_RUN)}


@pytest.mark.parametrize("page", RUN)
def test_the_first_command_of_a_page_works(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, *words = shlex.split(RUN[page])
    assert program == "arena"
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ARENA_DB", raising=False)
    if words[0] == "serve":
        serves(words)
        return
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output


def serves(words: list[str]) -> None:
    """Start a server, which goes on until it gets Ctrl-C."""
    command = [sys.executable, "-m", "arena", *words, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
        assert server.stdout is not None
        try:
            assert any(line.startswith("serving on ") for line in server.stdout)
        finally:
            os.kill(server.pid, signal.SIGINT)
            server.communicate(timeout=PATIENCE)


def test_each_reason_for_a_command_that_does_not_run_has_such_a_command() -> None:
    assert [p for p in NOT_RUN if not any(re.search(p, line) for line in FIRST.values())] == []


def test_every_extra_that_a_page_installs_exists() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    named = {name for group in re.findall(r"['`\"]\.\[([\w,]+)\]", text) for name in group.split(",")}
    assert named == set(extras)
