"""The commands of the how-to for many machines give other machines what they need, and no more."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli import main

PAGE = Path(__file__).parents[2] / "docs/howto/many-machines.md"
SENDING = re.findall(r"^ *(.*\| ssh .*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("line", SENDING)
def test_the_key_that_makes_certificates_stays_on_the_hub(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other machine"
    other.mkdir()
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(main, ["worker", "--new-certificates", "certificates"]).exit_code == 0
    assert (tmp_path / "certificates/ca-key.pem").exists()
    subprocess.run(["sh", "-c", re.sub(r"ssh \S+ tar", f"tar -C '{other}'", line)], check=True)
    sent = {path.name: path.stat().st_mode & 0o077 for path in (other / "certificates").iterdir()}
    assert sent.keys() == {"ca.pem", "machine.pem"}
    assert not sent["machine.pem"]  # nobody else can read it there


def test_no_command_sends_the_whole_folder() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert len(SENDING) == 2
    assert not re.findall(r"(?:scp|rsync|from-file=certificates(?: |$))", text)
