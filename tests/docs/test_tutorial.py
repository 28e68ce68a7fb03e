"""Tests tutorials and a how-to: writes their files and runs their commands, in order, in an empty folder."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.rights import without_root_warning

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [*sorted(DOCS.joinpath("tutorial").glob("*.md")), DOCS / "howto/bring-your-bots.md"]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
NAMED = re.compile(r"(?:#|//) ([\w./-]+\.\w+)\n")
LEASED = re.compile(r"^warning: .*: another run has leased cores .*\n", re.MULTILINE)
"""What a run says while another test plays games on this machine."""
PATIENCE = 120.0  # seconds: for a busy machine

steps = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


def blocks(page: Path) -> list[tuple[str, str]]:
    return BLOCK.findall(page.read_text(encoding="utf-8"))


def typed(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command as a user types it. Standard error goes to standard output, as in a terminal."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {key: value for key, value in os.environ.items() if key != "ARENA_DB"} | {"PATH": path}
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE,
    )


@steps
def test_its_files_and_commands_work_one_after_the_other_and_print_what_it_shows(
    page: Path, tmp_path: Path
) -> None:
    same = doctest.OutputChecker().check_output
    for language, body in blocks(page):
        if language == "sh":  # a server in a browser
            continue
        if language != "console":
            name = NAMED.match(body)
            assert name is not None, f"no first line says how this file is called:\n{body}"
            (tmp_path / name[1]).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name[1]).write_text(body, encoding="utf-8")
            continue
        for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            done = typed(command, tmp_path)
            assert done.returncode == 0, f"{command}\n{done.stdout}"
            if shown:
                printed = LEASED.sub("", without_root_warning(done.stdout))
                shown, got = shown.rstrip("\n") + "\n", printed.rstrip("\n") + "\n"
                assert same(shown, got, doctest.ELLIPSIS), f"$ {command}\n{done.stdout}"


@steps
def test_every_block_is_a_file_or_commands(page: Path) -> None:
    assert {language for language, _ in blocks(page)} <= {"console", "python", "toml", "sh"}
    assert all(body.startswith("$ ") for language, body in blocks(page) if language == "console")


def test_the_first_engine_has_at_most_twelve_lines() -> None:
    (page,) = [page for page in PAGES if page.stem == "first-engine"]
    language, engine = blocks(page)[1]
    assert language == "python"
    assert len(engine.splitlines()) <= 12
