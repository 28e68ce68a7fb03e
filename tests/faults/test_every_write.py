"""Faults at writes: a sample of what `python -m tests.faults` tries, and the library that it needs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.arena.forked import SHARED
from tests.faults.trial import FAULTS
from tests.faulty_machine import FaultyMachine, WriteFault, build_library
from tests.missing_tools import needs

pytestmark = [needs("linux", "cc"), pytest.mark.system]

ROOT = Path(__file__).parents[2]
WRITES = """
import os
file = os.open("a", os.O_RDWR | os.O_CREAT)
os.write(file, bytes(8))
os.pwrite(file, bytes(8), 8)
os.writev(file, [bytes(4), bytes(4)])
os.ftruncate(file, 30)
os.fdatasync(file)
os.fsync(file)
copy = os.open("b", os.O_WRONLY | os.O_CREAT)
os.sendfile(copy, file, 0, 8)
os.copy_file_range(file, copy, 8, 0)
os.mkdir("folder")
os.link("a", "folder/c")
os.replace("folder/c", "folder/d")
os.chmod("a", 0o600)
os.utime("a")
os.unlink("folder/d")
os.rmdir("folder")
os.symlink("a", "e")
os.open("a", os.O_RDONLY)
"""
CALLS = (
    "open a, write a, pwrite a, writev a, ftruncate a, fdatasync a, fsync a, open b, sendfile b,"
    " copy_file_range b, mkdir folder, link folder/c, rename folder/d, chmod a, utimensat a,"
    " unlink folder/d, rmdir folder, symlink e"
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_library(tmp_path_factory.mktemp("library"))


def struck(folder: Path, library: Path, program: str, fault: WriteFault) -> tuple[str, int, str]:
    """Run a program with a fault; return the call that had it, the exit code, and the last error."""
    work = folder / f"work-{fault.strike}"
    work.mkdir()
    machine = FaultyMachine(folder / "machine", library)
    machine.set_write(fault, work)
    done = subprocess.run(
        [sys.executable, "-S", "-E", "-c", program],
        cwd=work,
        env=os.environ | machine.environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    call = machine.writes()[1].replace("64 ", " ").replace(f"{work}/", "")
    return call, done.returncode, done.stderr


def test_every_call_that_changes_a_file_or_a_folder_counts_and_fails_in_its_turn(
    tmp_path: Path, library: Path
) -> None:
    calls = []
    for number in range(1, 100):
        call, code, error = struck(tmp_path, library, WRITES, WriteFault(strike=number, error=5))
        if not call:
            assert code == 0, error
            break
        assert error.splitlines()[-1].startswith("OSError: [Errno 5]"), error
        calls.append(call)
    assert ", ".join(calls) == CALLS


@pytest.mark.parametrize(("name", "size"), [("short write", 4), ("kill -9", 4), ("SIGINT", 8), ("EIO", 0)])
def test_a_write_is_done_in_half_or_not_at_all_as_the_fault_wants(
    name: str, size: int, tmp_path: Path, library: Path
) -> None:
    fault = FAULTS[name]
    program = 'import os; print(os.write(os.open("a", os.O_WRONLY | os.O_CREAT), bytes(8)))'
    place = 1 if name == "short write" else 2  # only writes of bytes can be short
    call, code, _ = struck(tmp_path, library, program, replace(fault, strike=place))
    assert call == "write a"
    assert code == (-fault.signal if fault.signal else 1 if fault.error else 0)
    assert (tmp_path / f"work-{place}" / "a").stat().st_size == size


def test_a_fault_at_a_write_of_a_command_loses_nothing_and_the_same_command_goes_on() -> None:
    faults = ("--fault", "ENOSPC", "--fault", "kill -9")
    writes = ("--first", "45", "--last", "120", "--every", "75")
    command = [sys.executable, "-m", "tests.faults", "run", "import", "hand-in", *faults, *writes]
    # The fork server that all tests share has not loaded the library.
    environment = {name: value for name, value in os.environ.items() if name != SHARED}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^run +2 of 2 +2 of 2$", done.stdout, re.MULTILINE), done.stdout
