"""Every command on damaged databases: one line that says what is wrong, or an answer; never a traceback."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import Result

from tests.arena.invoking import invoke
from tests.arena.store.copies import damaged_copy, sample
from tests.seeds import seeds

pytestmark = pytest.mark.system

GAMES = 30

COMMANDS = {
    "standings": ("standings",),
    "standings of all": ("standings", "--all", "--format", "csv"),
    "ratings": ("ratings", "--json"),
    "stats": ("stats", "--json"),
    "show": ("show", "3", "--json"),
    "show another": ("show", "20"),
    "export": ("export",),
    "export of one": ("export", "autumn", "--jsonl"),
    "import": ("import", "{folder}/games.txt"),
    "report": ("report", "-o", "{folder}/site", "--replay", "1"),
}
"""The commands that open a database, with ``--db`` at the end."""


@dataclass
class Samples:
    folder: Path
    whole: Path
    with_log: Path
    answers: dict[str, str]

    def call(self, name: str, path: Path) -> Result:
        words = [word.replace("{folder}", str(self.folder)) for word in COMMANDS[name]]
        return invoke(*words, "--db", path)


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Samples:
    folder = tmp_path_factory.mktemp("samples")
    (folder / "log").mkdir()
    whole = sample(folder, GAMES, open_log=False)
    made = Samples(folder, whole, sample(folder / "log", GAMES, open_log=True), {})
    invoke("export", "--jsonl", "--db", whole, "-o", folder / "games.txt")
    for name in COMMANDS:
        result = made.call(name, whole)
        assert result.exit_code == 0, result.output
        made.answers[name] = result.stdout
    return made


def contents(path: Path) -> tuple[bytes, bytes]:
    log = path.with_name(f"{path.name}-wal")
    return path.read_bytes(), log.read_bytes() if log.exists() else b""


def check(samples: Samples, seed: int, folder: Path) -> None:
    changed = False
    for name in COMMANDS:
        path, what = damaged_copy(seed, samples.whole, samples.with_log, folder)
        result = samples.call(name, path)
        told = (
            f"seed {seed}, {what}: {name}: {result.exit_code} {result.stdout[-300:]} {result.stderr[-600:]}"
        )
        assert isinstance(result.exception, SystemExit | None), (told, result.exc_info)
        if result.exit_code == 0:
            changed |= result.stdout != samples.answers[name]
            continue
        if name == "import" and result.exit_code == 1:
            changed = True  # a game of the file is another game now
            continue
        last = result.stderr.splitlines()[-1]
        assert re.match(rf"error: .*{re.escape(str(path))}: .+", last), told
        assert result.exit_code == 2, told
    check_and_rescue(samples, seed, folder, changed=changed)


def check_and_rescue(samples: Samples, seed: int, folder: Path, *, changed: bool) -> None:
    path, what = damaged_copy(seed, samples.whole, samples.with_log, folder)
    before = contents(path)
    checked = invoke("db", "check", path)
    told = f"seed {seed}, {what}: {checked.output[-600:]}"
    assert isinstance(checked.exception, SystemExit | None), (told, checked.exc_info)
    new = folder / "new.db"
    for end in ("", "-wal", "-shm"):
        Path(f"{new}{end}").unlink(missing_ok=True)
    rescued = invoke("db", "copy", "--damaged", path, new)
    told += rescued.output[-600:]
    assert isinstance(rescued.exception, SystemExit | None), (told, rescued.exc_info)
    assert contents(path) == before, told
    assert (rescued.exit_code == 2) == (not new.exists()), told
    if new.exists():
        again = invoke("db", "check", new)
        assert again.exit_code == 0, told + again.output
        exported = invoke("export", "--db", new, "--jsonl")
        assert exported.exit_code == 0, told + exported.output
    if checked.exit_code == 0:
        assert rescued.exit_code == 0, told
        # The checksum shows every change of a game that SQLite does not notice.
        assert not (changed and re.match("UPDATE (game|player|record|engine) ", what)), told


@pytest.mark.parametrize("seed", seeds(1))
def test_every_command_tells_damage_or_gives_an_answer(seed: int, samples: Samples, tmp_path: Path) -> None:
    check(samples, seed, tmp_path)
