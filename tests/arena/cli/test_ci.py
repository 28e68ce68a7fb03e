"""`arena check --format` tells a CI server what fails, and where."""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import Result

from arena.cli.common import ci
from referee.check import CheckReport, CheckResult, CheckStatus, Severity
from tests.arena.invoking import invoke

FAULTY = Path(__file__).parents[2] / "engines/faulty.py"


def check(*words: str) -> Result:
    command = [sys.executable, str(FAULTY), "NeverFlushes"]
    return invoke("check", "--timeout", "0.5", *words, "--", *command)


def report(text: str) -> CheckReport:
    result = CheckResult(202, "legal, moves", Severity.MUST, 0, CheckStatus.FAILED, text, "play on")
    return CheckReport("mine", ("mine",), "quoridor", 0, (), 1, (result,))


def test_an_annotation_is_one_line_and_is_at_the_command_of_the_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = tmp_path / "bots/a,b"
    bot.mkdir(parents=True)
    (bot / "engine.toml").write_text('# my bot\nbuild = "make"\ncommand = "./bot"\n')
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    (line,) = ci.github(report("is at 100%\n::stop\r::"), str(bot))
    assert line == (
        "::error file=bots/a%2Cb/engine.toml,line=3,title=202 legal%2C moves::"
        "it is at 100%25%0A::stop?::%0Aadvice: play on"
    )
    (line,) = ci.github(report("fails"), str(tmp_path))
    assert line == "::error title=202 legal%2C moves::it fails%0Aadvice: play on"


def test_any_text_of_an_engine_makes_xml_that_can_be_read() -> None:
    (text,) = ci.junit(report("printed <b>\x00\ud800]]>"), "")
    (failure,) = ET.fromstring(text).iter("failure")
    assert failure.get("message") == "printed <b>??]]>"


@pytest.mark.usefixtures("no_warning_for_root")
def test_the_exit_code_counts_the_same_failures() -> None:
    done = check("--only", "101-105", "--format", "junit")
    suite = ET.fromstring(done.stdout)
    assert done.exit_code == bool(suite.findall(".//failure")) == 1
    assert suite.findall(".//skipped")
    assert " passed, " in done.stderr
