"""The hash of a program, and the warning about a program that changed."""

import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from arena.config import EngineEntry
from arena.model import GameRecord
from arena.run.engines import changed_programs, program_hash
from protocol.spec import EngineSpec
from referee.match.time_control import TimeControl
from tests.arena.forked import arena
from tests.arena.run.test_run_process import write
from tests.arena.stored import new_store
from tests.rights import without_root_warning

HOSTILE = Path(__file__).parents[2] / "engines" / "hostile.py"


def test_the_hash_covers_the_program_and_every_file_among_its_arguments(tmp_path: Path) -> None:
    program, script = tmp_path / "program", tmp_path / "script"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    script.write_text("one")
    spec = EngineSpec("a", (str(program), "script", "--fast"), cwd=str(tmp_path))
    first = program_hash(spec)
    assert first == program_hash(spec) != ""
    assert program_hash(replace(spec, name="b", command=(*spec.command, "--slow"))) == first
    script.write_text("two")
    second = program_hash(spec)
    program.write_text("#!/bin/sh\n#\n")
    assert len({first, second, program_hash(spec)}) == 3


def test_a_program_that_cannot_be_found_has_no_hash() -> None:
    assert program_hash(EngineSpec("a", ("/no/such/program",))) == ""


def test_a_run_warns_of_an_engine_whose_program_has_changed_since_its_last_game(tmp_path: Path) -> None:
    engine = tmp_path / "my engine.py"
    engine.write_text(HOSTILE.read_text())
    more = f"""
[[engines]]
name = "a"
command = ["{sys.executable}", "-S", "{engine}", "honest"]
"""
    write(tmp_path, ("b", "honest"), games_per_pairing=1, more=more)

    def warnings(*words: str) -> list[str]:
        done = arena("run", "t.toml", *words, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return [line for line in without_root_warning(done.stderr).splitlines() if line.startswith("warning")]

    assert warnings() == []
    engine.write_text(engine.read_text() + "\n# changed\n")
    (warning,) = warnings()
    assert warning.startswith("warning: a: its program has changed since its last game in this tournament")
    assert warnings("--name", "t-2") == []


def test_a_program_has_changed_if_its_hash_and_the_hash_of_its_last_game_are_known_and_differ(
    tmp_path: Path, record: Callable[..., GameRecord]
) -> None:
    entry = EngineEntry(EngineSpec("a", ("sh",)), TimeControl.parse("1"), ("quoridor",), "", "new")
    with closing(new_store(tmp_path / "arena.db", "cup")) as store:
        assert changed_programs([entry], store.last_uses("cup")) == []
        for number, (program, changed) in enumerate({"old": ["a"], "new": [], "": []}.items()):
            game = record(number=number)
            players = tuple(replace(player, program=program) for player in game.result.players)
            store.add_games([replace(game, result=replace(game.result, players=players))])
            assert changed_programs([entry], store.last_uses("cup")) == changed
            assert changed_programs([replace(entry, program="")], store.last_uses("cup")) == []
