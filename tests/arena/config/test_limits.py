"""The keys ``limits``, ``sandbox`` and ``readable`` in a tournament file, and ``{cwd}`` in a command."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.config import EngineEntry, load
from arena.errors import ConfigError
from protocol.process import machine
from protocol.spec import ResourceLimits
from tests.missing_tools import needs

Read = Callable[..., EngineEntry]

needs_bwrap = needs("bwrap")


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Loads a file with two engines, and returns the first one. Its keys and ``[defaults]`` are given."""

    def read_keys(own: str = "", defaults: str = "", command: str = "./bot") -> EngineEntry:
        for name in ("bot", "students/ann/bot.py"):
            program = tmp_path / name
            program.parent.mkdir(parents=True, exist_ok=True)
            program.write_text("#!/bin/sh\n")
            program.chmod(0o755)
        tmp_path.chmod(0o755)  # an engine of root in the sandbox is another user
        file = tmp_path / "cup.toml"
        file.write_text(
            f'game = "quoridor"\n[defaults]\n{defaults}\n'
            f'[[engines]]\nname = "ann"\ncommand = "{command}"\n{own}\n'
            '[[engines]]\nname = "bob"\ncommand = "./bot"\n'
        )
        return load(file).engines[0]

    return read_keys


def test_without_keys_an_engine_runs_as_its_author_would_run_it(read: Read, tmp_path: Path) -> None:
    spec = read().spec
    assert (spec.sandbox, spec.limits, spec.readable) == ("none", ResourceLimits(), ())
    assert spec.cwd == str(tmp_path)


def test_limits_are_merged_with_the_defaults_and_can_be_taken_back(read: Read) -> None:
    defaults = 'limits = { memory = "512M", processes = 64 }'
    assert read("limits = {}", defaults).spec.limits == ResourceLimits(memory=512 << 20, processes=64)
    own = 'limits = { memory = "none", processes = 9 }'
    assert read(own, defaults).spec.limits == ResourceLimits(processes=9)
    own = 'limits = { memory = "10 K" }'
    assert read(own, defaults).spec.limits == ResourceLimits(memory=10 << 10, processes=64)


MISTAKES = {
    'limits = { memory = "lots" }': "limits.memory: this must be from 1 to 9223372036854775807 bytes, a",
    'limits = { processes = "4K" }': 'limits.processes: this must be from 1 to 4194304, or "none" for',
    "limits = { memori = 1 }": "limits.memori: there is no such key; did you mean memory?",
    'sandbox = "docker"': 'sandbox: this must be "none" or "folder" or "bwrap", not \'docker\'',
    'readable = ["books"]': "readable, item 1: there is no file or folder",
}


@pytest.mark.parametrize(("keys", "words"), MISTAKES.items())
def test_a_value_that_makes_no_sense_is_named_with_its_line(read: Read, keys: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(keys)
    assert 'cup.toml, line 7: [[engines]] "ann": ' in str(caught.value)
    assert words in str(caught.value)


def test_cwd_in_a_command_is_the_engines_folder(read: Read, tmp_path: Path) -> None:
    spec = read('cwd = "students/ann"\nsandbox = "folder"', command="{python} {cwd}/bot.py").spec
    assert spec.command == (sys.executable, f"{tmp_path}/students/ann/bot.py")


@needs_bwrap
def test_a_sandbox_shows_the_engines_own_folder_python_and_what_is_listed(read: Read, tmp_path: Path) -> None:
    keys = 'sandbox = "bwrap"\nreadable = ["bot"]'
    assert read(keys).spec.readable == (str(tmp_path / "bot"),)
    spec = read(f'{keys}\ncwd = "students/ann"', command="{python} {cwd}/bot.py").spec
    assert spec.readable[:2] == (str(tmp_path / "students/ann"), str(tmp_path / "bot"))
    assert {sys.prefix, sys.base_prefix} <= set(spec.readable)
    assert str(tmp_path) not in spec.readable


def test_a_sandbox_that_cannot_be_had_is_an_error_before_the_first_game(
    read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "which", lambda program: None)
    with pytest.raises(ConfigError, match=r"cup\.toml, line \d+: .*install the package bubblewrap"):
        read('sandbox = "bwrap"')


@needs_bwrap
def test_a_script_that_a_sandbox_hides_is_an_error_before_the_first_game(read: Read) -> None:
    hidden = 'sandbox = "bwrap"'
    script = "{python} {cwd}/students/ann/bot.py"
    with pytest.raises(
        ConfigError, match=r"line \d+: .*hides .*/students/ann/bot\.py from the engine; give .* cwd, or"
    ):
        read(hidden, command=script)
    assert read(f"{hidden}\ncwd = 'students/ann'", command="{python} {cwd}/bot.py").spec.sandbox == "bwrap"
    assert read(f"{hidden}\nreadable = ['students']", command=script).spec.sandbox == "bwrap"


def test_a_script_beside_the_file_is_not_in_the_empty_folder_of_a_sandbox(read: Read) -> None:
    with pytest.raises(ConfigError, match=r"no students/ann/bot\.py; write \{cwd\}/students/ann/bot\.py"):
        read('sandbox = "folder"', command="{python} students/ann/bot.py")
    assert read(command="{python} students/ann/bot.py").spec.sandbox == "none"
