"""The hash of a program, and the warnings about a program that changed."""

import os
import shlex
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from arena.config import EngineEntry, load
from arena.events import GameEnded, Notice, RunEvent
from arena.model import GameRecord, GameResult
from arena.run import engines
from arena.run.engines import ProgramWatch, changed_programs, program_hash, with_program_hashes
from arena.store import Store
from protocol.spec import EngineSpec
from referee.match.time_control import TimeControl
from tests.arena.forked import arena
from tests.arena.run.test_run_process import results, write
from tests.rights import without_root_warning

MakeResult = Callable[..., GameResult]
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


def test_an_argument_that_can_be_no_file_does_no_harm(tmp_path: Path) -> None:
    assert program_hash(EngineSpec("a", (sys.executable, "x" * 5000, "/"), cwd=str(tmp_path)))


@pytest.fixture
def events() -> list[RunEvent]:
    return []


def ended(result: MakeResult, program: str, version: str = "1") -> GameEnded:
    played = result(("a", 1), ("b", 2), version=version)
    players = tuple(replace(player, program=program) for player in played.players)
    return GameEnded(replace(played, players=players))


def names(events: list[RunEvent]) -> list[str]:
    return [event.about for event in events if isinstance(event, Notice)]


def test_another_program_under_the_same_name_and_version_is_reported_once(
    result: MakeResult, events: list[RunEvent]
) -> None:
    watch = ProgramWatch({("a", "1"): frozenset({"old"})}, events.append)
    for program in ("old", "new", "new"):
        watch.observe(ended(result, program))
    assert names(events) == ["b", "a"] or names(events) == ["a", "b"]
    assert sum(isinstance(event, GameEnded) for event in events) == 3
    text = next(event.text for event in events if isinstance(event, Notice) and event.about == "a")
    assert text.startswith("its program differs from the one that played before as a, version 1;")


def test_another_version_or_a_program_without_a_hash_is_no_change(
    result: MakeResult, events: list[RunEvent]
) -> None:
    watch = ProgramWatch({("a", "1"): frozenset({"old"}), ("b", "1"): frozenset({"old"})}, events.append)
    watch.observe(ended(result, "new", version="2"))
    watch.observe(ended(result, ""))
    assert names(events) == []


def test_a_version_from_the_file_is_checked_before_the_first_game(events: list[RunEvent]) -> None:
    entry = EngineEntry(EngineSpec("a", ("a",)), TimeControl.parse("1"), ("quoridor",), "1", "new")
    watch = ProgramWatch({("a", "1"): frozenset({"old"})}, events.append)
    watch.begin((replace(entry, version=""),))
    assert events == []
    watch.begin((entry,))
    assert names(events) == ["a"]


def test_a_program_that_changed_during_the_run_is_reported_at_the_end_if_it_has_played(
    result: MakeResult, events: list[RunEvent]
) -> None:
    watch = ProgramWatch({}, events.append)
    watch.observe(ended(result, "old"))
    entry = EngineEntry(EngineSpec("a", ("a",)), TimeControl.parse("1"), ("quoridor",), "1", "new")
    same = replace(entry, spec=replace(entry.spec, name="b"), program="old")
    idle = replace(entry, spec=replace(entry.spec, name="c"))
    watch.end((replace(entry, program="old"), replace(entry, program=""), same, idle))
    assert names(events) == []
    watch.end((entry, same, idle))
    assert names(events) == ["a"]


def test_a_file_that_many_engines_share_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = []

    def digest(path: Path) -> bytes:
        read.append(path.name)
        return path.name.encode()

    monkeypatch.setattr(engines, "_digest", digest)
    for name in ("network", "one", "two"):
        (tmp_path / name).write_text(name)
    (tmp_path / "t.toml").write_text(
        'name = "t"\ngame = "quoridor"\ntime_control = "1"\n'
        + "".join(
            f'[[engines]]\nname = "{name}"\ncommand = ["{sys.executable}", "{name}", "network"]\n'
            for name in ("one", "two")
        )
    )
    one, two = with_program_hashes(load(tmp_path / "t.toml")).engines
    assert one.program != two.program
    assert sorted(read) == sorted([Path(sys.executable).name, "network", "one", "two"])


def test_an_engine_that_was_built_again_during_the_run_is_reported(tmp_path: Path) -> None:
    engine = tmp_path / "engine.py"
    text = HOSTILE.read_text()
    engine.write_text(text.replace("\nimport", "\nopen(__file__, 'a').write('#')\nimport", 1))
    lines = ['name = "t"', 'game = "quoridor"', 'time_control = "60+0"', "concurrency = 1"]
    lines += ["[adjudication]", "plies = 4"]
    for name, file in (("a", engine), ("b", HOSTILE)):
        lines += [
            "[[engines]]",
            f'name = "{name}"',
            f'command = ["{sys.executable}", "-S", "{file}", "honest"]',
        ]
    (tmp_path / "t.toml").write_text("\n".join(lines))
    done = arena("run", "t.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "warning: a: its program changed while the tournament ran" in done.stderr
    assert "warning: b" not in done.stderr


def test_a_run_with_a_changed_engine_warns_and_so_do_the_ratings(tmp_path: Path) -> None:
    engine = tmp_path / "engine.py"
    engine.write_text(HOSTILE.read_text())
    lines = ['game = "quoridor"', 'time_control = "60+0"', "concurrency = 1", "[adjudication]", "plies = 4"]
    for name in "ab":
        command = f'["{sys.executable}", "-S", "{engine if name == "a" else HOSTILE}", "honest"]'
        lines += ["[[engines]]", f'name = "{name}"', f"command = {command}"]
    file = tmp_path / "t.toml"

    def said(*arguments: object) -> str:
        done = arena(*arguments, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return without_root_warning(done.stderr)

    file.write_text("\n".join(['name = "one"', *lines]))
    assert "warning" not in said("run", file)
    engine.write_text(engine.read_text() + "\n# changed\n")
    file.write_text("\n".join(['name = "two"', *lines]))
    assert "warning: a: its program differs from the one that played before as a" in said("run", file)
    ratings = said("ratings")
    assert "warning: a" in ratings
    assert "2 different programs have this name and version" in ratings
    assert "warning: b" not in ratings


def test_a_run_says_which_engines_have_changed_and_how_to_begin_anew(tmp_path: Path) -> None:
    engine = tmp_path / "my engine.py"
    engine.write_text(HOSTILE.read_text())
    file = write(
        tmp_path,
        ("b", "honest"),
        games_per_pairing=1,
        more=f"""
[[engines]]
name = "a"
command = ["{sys.executable}", "-S", "{engine}", "honest"]
""",
    )

    def run(command: str = "arena run t.toml") -> list[str]:
        done = arena(*shlex.split(command)[1:], cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return without_root_warning(done.stderr).splitlines()

    assert "changed" not in "".join(run())
    engine.write_text(engine.read_text() + "\n# changed\n")
    for name in ("t-2", "t-3"):
        *_, changed, anew, played = run()
        assert changed == f"a has changed since its last game ({engine}), and nothing is left to play"
        beginning, _, command = anew.partition(": ")
        assert beginning == "to play a new tournament"
        assert command.endswith(f"arena run t.toml --name {name}")
        assert played.startswith("0 games played")
        assert run(command)[-1].startswith("1 game played")
    assert len(results(tmp_path, "t-3")) == 1
    file.write_text(file.read_text().replace("games_per_pairing = 1", "games_per_pairing = 2"))
    *said, anew, played = run("arena run t.toml --name t")
    (warning,) = (line for line in said if line.startswith("warning"))
    assert warning.startswith(
        f"warning: a: its program has changed since its last game in this tournament ({engine}), "
    )
    assert anew.endswith("arena run t.toml --name t-4")
    assert "changed" not in "".join(run())


def test_the_files_that_changed_are_those_that_are_newer_than_the_last_game(
    tmp_path: Path, record: Callable[..., GameRecord]
) -> None:
    script, network = tmp_path / "a.py", tmp_path / "network"
    for file in (script, network):
        file.touch()
        os.utime(file, (0, 0))
    spec = EngineSpec("a", ("sh", str(script), str(network)))
    entry = EngineEntry(spec, TimeControl.parse("1"), ("quoridor",), "", "new")
    with closing(Store.open(tmp_path / "arena.db", create=True)) as store:
        store.begin_tournament("cup", {})

        def changed(*entries: EngineEntry) -> dict[str, str]:
            return changed_programs(entries, store.last_uses("cup"), lambda: store.started("cup"))

        assert changed(entry) == {}
        for number, program in enumerate(("old", "")):
            game = record(number=number)
            players = tuple(replace(player, program=program) for player in game.result.players)
            store.add_games([replace(game, result=replace(game.result, players=players))])
            other = replace(entry, program="")
            assert changed(replace(entry, program=program), other) == {}
            if program:
                assert changed(entry)["a"].split(" or ")[1:] == [str(script), str(network)]
                os.utime(network)
                assert changed(entry) == {"a": str(network)}
            else:
                assert changed(entry) == {}
