"""Facts about the machine are asked for only once, and a process that has ended does not count as running."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from protocol.process import machine


def forget() -> None:
    machine.which.cache_clear()
    machine.complaint.cache_clear()


@pytest.fixture(autouse=True)
def forgetful() -> Iterator[None]:
    """Let no test know what another one asked."""
    forget()
    yield
    forget()


def test_a_command_that_ends_well_has_nothing_to_complain_of():
    assert machine.complaint("sh", "-c", "echo loud >&2") == ""


def test_a_command_that_fails_complains_in_its_own_words_or_by_its_exit_code():
    assert machine.complaint("sh", "-c", "echo ' no rights' >&2; exit 1") == "no rights"
    assert machine.complaint("sh", "-c", r"printf '\377' >&2; exit 1") == "\ufffd"
    assert machine.complaint("sh", "-c", "exit 3") == "exit code 3"
    assert "no-such-program" in machine.complaint("no-such-program")


def test_a_question_is_put_to_the_machine_once(tmp_path: Path, monkeypatch):
    asked = tmp_path / "asked"
    for _ in range(2):
        assert machine.complaint("sh", "-c", f"echo again >>'{asked}'; exit 1") == "exit code 1"
    assert asked.read_text() == "again\n"
    tool = tmp_path / "a-tool"
    tool.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert machine.which("a-tool") == str(tool)
    assert machine.which("another") is None
    tool.rename(tmp_path / "another")
    assert machine.which("a-tool") == str(tool)
    assert machine.which("another") is None
    machine.which.cache_clear()
    assert machine.which("a-tool") is None


def test_the_tools_of_the_system_are_found_with_any_path(tmp_path: Path, monkeypatch):
    for path in (str(tmp_path), ""):
        monkeypatch.setenv("PATH", path)
        forget()
        assert machine.which("sh") == shutil.which("sh", path=os.defpath)
        assert machine.complaint("sh", "-c", "rmdir ./none 2>&1 | grep -q none") == ""
    monkeypatch.delenv("PATH")
    forget()
    assert machine.which("sh") is not None
