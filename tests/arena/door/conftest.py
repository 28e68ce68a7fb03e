"""A tournament with a door."""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

from arena.config import load
from arena.door.folder import DoorFolder
from arena.door.register import DoorRegister, Submission
from arena.door.upload import SourceFile, understand
from arena.door.worker import DoorWorker
from arena.store import Store
from tests.postgres import FILE_OR_SERVER

ROOT = Path(__file__).parents[3]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A tournament file with a door, and two engines of its own."""
    tmp_path.chmod(0o755)
    engine = next((ROOT / "engines" / "python-random").glob("*.py"))
    path = tmp_path / "league.toml"
    engines = "".join(
        f'[[engines]]\nname = "{name}"\ncommand = ["{{python}}", "{engine}"]\n'
        for name in ("sample", "other")
    )
    path.write_text(
        f'game = "quoridor"\nformat = "ladder"\ntime_control = "2+0.02"\n[door]\nmost_a_day = 5\n{engines}'
    )
    return path


BOTH = pytest.mark.parametrize("database", FILE_OR_SERVER, indirect=True)
"""For a test of the door with each kind of database."""


@pytest.fixture
def database(request: pytest.FixtureRequest) -> str:
    """The line of the tournament file that names its database; "" for the usual file."""
    if getattr(request, "param", "file") == "file":
        return ""
    return f'database = "{request.getfixturevalue("server_database")}"'


@pytest.fixture
def worker(file: Path, database: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[DoorWorker]:
    """The worker of that door, with one game for each submission; nobody runs it."""
    monkeypatch.setattr("arena.door.worker._TRIAL_GAMES", 1)
    file.write_text(f"{database}\n{file.read_text()}")
    spec = load(file)
    assert spec.door is not None
    store = Store.open(spec.database, create=True)
    folder = DoorFolder(spec.path.parent / "door")
    yield DoorWorker(spec, spec.door, DoorRegister(store, spec.name), folder)
    store.close()


HandIn = Callable[..., Submission]


@pytest.fixture
def hand_in(worker: DoorWorker) -> HandIn:
    """Hand in files by name and content under a participant's name."""

    def submit(name: str, files: dict[str, bytes]) -> Submission:
        known = {who.name: who for who in worker.register.participants()}
        who = known.get(name) or worker.register.invite({name: name})[0]
        sources = tuple(SourceFile(path, content, True) for path, content in files.items())
        plan = understand(sources, None)
        return worker.register.hand_in(who.id, worker.folder.add(sources), "upload", asdict(plan), 20)

    return submit
