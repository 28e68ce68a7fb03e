"""`arena run --scheduler` with a real scheduler, real workers and real engines."""

from __future__ import annotations

import shutil
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli import main
from arena.config import load
from arena.formats.contest import ScheduleState
from arena.model import GameRecord
from arena.store import Store
from arena.workers.security import make_certificates
from protocol.process.lifetime import VARIABLE
from referee import Termination
from tests.arena.forked import arena, forked
from tests.arena.run.test_live_feed import follow, listener
from tests.arena.run.test_run_process import stored as count_stored
from tests.arena.workers.clusters import Cluster, cluster
from tests.missing_tools import needs
from tests.networks import other_machine, set_link
from tests.processes import wait_for

pytestmark = pytest.mark.system

QUICK = {"arena.workers.cluster.SILENT_SECONDS": 4.0}
"""A hub gives up a silent worker sooner than usual."""

HOSTILE = Path(__file__).parents[2] / "engines" / "hostile_engine.py"


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster with two workers, which tests share that leave it as it was."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, "none")  # in a process namespace no engine reaches its referee
        with cluster(tmp_path_factory.mktemp("cluster"), "w1", "w2") as made:
            yield made


def write(folder: Path, *modes: str, **keys: object) -> Path:
    """Write a tournament file."""
    values = {"game": '"quoridor"', "time_control": '"60+0"', "games_per_pairing": 4} | keys
    lines = [f"{key} = {value}" for key, value in values.items() if value is not None]
    # The machine that runs the tests may be busy: then workers would be refused, and games lost on time.
    lines += ["[adjudication]", "plies = 8", "[defaults]", "margin = 30000"]
    for number, mode in enumerate(modes):
        lines += ["[[engines]]", f'name = "{"abcdef"[number]}"']
        lines += [f'command = ["{{python}}", "-S", "{HOSTILE}", "{mode}"]']
    file = folder / "t.toml"
    file.write_text("\n".join(lines))
    return file


def words(made: Cluster) -> tuple[str, ...]:
    return "run", "t.toml", "--scheduler", made.address


def games(folder: Path) -> list[GameRecord]:
    with closing(Store.open(folder / "arena.db", create=False)) as store:
        return list(store.finder.records())


def stored(folder: Path) -> int:
    """Return the number of stored games; quick, because tests call it many times a second."""
    return count_stored(folder / "t.toml")


def assert_complete(file: Path) -> None:
    """Every game of the schedule has exactly one result that counts."""
    keys = Counter(game.result.key for game in games(file.parent) if game.result.counts)
    assert keys == Counter(pairing.key for pairing in load(file).schedule().pending(ScheduleState()))


def test_each_game_is_played_once_by_a_worker_and_both_games_of_a_pair_by_the_same(
    two: Cluster, tmp_path: Path
) -> None:
    file = write(tmp_path, "honest", "honest", openings='{kind = "random", plies = 2}')
    done = arena(*words(two), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "4 games played" in done.stderr
    assert_complete(file)
    pairs: dict[object, set[str]] = {}
    for game in games(tmp_path):
        names = frozenset(player.name for player in game.result.players)
        pairs.setdefault((names, game.opening), set()).add(game.worker)
    assert len(pairs) == 2
    assert all(len(workers) == 1 for workers in pairs.values())
    assert set.union(*pairs.values()) <= {"w1", "w2"}


@pytest.mark.slow  # engines that think, so that viewers see plies
def test_viewers_that_come_and_go_see_the_plies_on_each_worker_and_change_nothing(
    two: Cluster, tmp_path: Path
) -> None:
    file = write(tmp_path, "thinks-a-little", "thinks-a-little", games_per_pairing=24)
    seen = set()
    with forked(*words(two), cwd=tmp_path) as process:
        for _ in range(3):
            with listener() as lines:
                state, _ = follow(lines, lambda state: any(game.plies for game in state.games.values()))
                seen |= {game.worker for game in state.games.values()}
        _, err = process.communicate(120)
    assert process.returncode == 0, err
    assert seen
    assert seen <= {"w1", "w2"}
    assert_complete(file)


FORMATS = {
    "round-robin": {"game": '"quoridor4"'},
    "gauntlet": {"seeds": '["b"]'},
    "swiss": {"rounds": 3},
    "knockout": {},
    "ladder": {"games_per_pairing": None, "max_games": 12},
}


@pytest.mark.slow  # the runner does the same with every format; this shows that no game is missing in any
@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_played_to_its_end_as_on_one_machine(two: Cluster, tmp_path: Path, name: str) -> None:
    alone = tmp_path / "alone"
    alone.mkdir()
    keys = {"format": f'"{name}"', "games_per_pairing": 2} | FORMATS[name]
    file = write(tmp_path, "honest", "resigns", "honest", "resigns", **keys)
    (alone / "t.toml").write_text(file.read_text())
    done = arena(*words(two), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert arena("run", "t.toml", cwd=alone).returncode == 0
    played = [Counter(game.result.key for game in games(folder)) for folder in (tmp_path, alone)]
    assert max(played[0].values()) == 1
    if name == "ladder":  # who plays whom depends on which games end first
        assert played[0].total() == played[1].total() == 12
    else:
        assert played[0] == played[1]
        assert done.stdout == arena("run", "t.toml", cwd=alone).stdout


@pytest.mark.slow  # a few hundred games
def test_a_match_with_a_test_ends_with_the_decision_of_the_same_results_in_order(
    two: Cluster, tmp_path: Path
) -> None:
    file = write(
        tmp_path,
        "honest",
        "plays-illegal",
        format='"match"',
        games_per_pairing=None,
        sprt="{elo0 = 0, elo1 = 200}",
        max_games=2000,
    )
    done = arena(*words(two), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "accepted" in done.stdout
    played = games(tmp_path)
    assert len(played) < 2000
    alone = tmp_path / "alone"
    alone.mkdir()
    file.rename(alone / "t.toml")
    same = arena("run", "t.toml", cwd=alone)
    decision = [
        [line for line in out.splitlines() if line.startswith("SPRT")] for out in (done.stdout, same.stdout)
    ]
    assert decision[0] == decision[1] != []


@pytest.mark.slow  # a referee dies four times, each in a batch of its own
def test_an_engine_that_kills_its_referee_makes_its_games_void_and_no_worker_is_blamed(
    two: Cluster, tmp_path: Path
) -> None:
    write(tmp_path, "honest", "kills-its-referee", games_per_pairing=2)
    done = arena(*words(two), cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "without a result: 2 games; " in done.stderr
    assert not any(result.counts for result in games(tmp_path))
    assert "gets no more games" not in done.stderr


@needs("networks")
@pytest.mark.slow  # a worker is cut off for as long as it takes to notice that
def test_a_worker_on_another_machine_gets_the_engines_and_may_be_cut_off(
    tmp_path: Path,
) -> None:
    hub, engine = tmp_path / "hub", tmp_path / "hub" / "engine"
    engine.mkdir(parents=True)
    for name in ("hostile.py", "hostile_engine.py"):
        (engine / name).write_bytes((HOSTILE.parent / name).read_bytes())
    file = write(hub, "thinks-a-little", "thinks-a-little", games_per_pairing=12)
    file.write_text(file.read_text().replace(str(HOSTILE), "engine/hostile_engine.py"))
    make_certificates(tmp_path / "certificates")
    shutil.copytree(tmp_path / "certificates", hub / "certificates")
    cache = tmp_path / "cache"
    options = "--cores", "1", "--certificates", str(tmp_path / "certificates")
    with other_machine(77) as network, cluster(tmp_path, host="10.77.0.1") as made:
        made.start_worker("here", *options)
        far = {"XDG_CACHE_HOME": str(cache)}
        made.start_worker("there", *options, hidden=hub, network=network, environment=far)
        for name in ("here", "there"):
            made.wait_for_worker(name)
        with forked(*words(made), cwd=hub, settings=QUICK) as run:
            wait_for(
                lambda: "there" in {game.worker for game in games(hub)} if stored(hub) else False, "no game"
            )
            set_link(network, "down")
            wait_for(lambda: "there: this worker" in run.stderr, "nobody notices that the worker is cut off")
            set_link(network, "up")
            run.communicate(120)
            assert run.returncode == 0, run.stderr
        assert_complete(file)
        assert {game.result.termination for game in games(hub)} == {Termination.ADJUDICATED}
        (sent,) = (cache / "leapfrog-arena" / "engines").iterdir()
        assert (sent / str(engine)[1:] / "hostile.py").read_bytes() == (engine / "hostile.py").read_bytes()


def test_what_is_not_installed_or_not_reachable_is_one_sentence(tmp_path: Path) -> None:
    write(tmp_path, "honest", "honest")

    def error(*options: str) -> str:
        done = CliRunner().invoke(main, ["run", str(tmp_path / "t.toml"), *options])
        assert done.exit_code == 2
        return done.stderr.splitlines()[-1] if "Try '" not in done.stderr else done.stderr

    assert "use tls://" in error("--scheduler", "tcp://10.0.0.1:8786")
    assert "this must be an address" in error("--scheduler", "hub")
    assert "there is no ca.pem" in error("--scheduler", "tls://127.0.0.1:1")


@pytest.mark.slow  # two workers start
def test_a_worker_leaves_no_folder_and_removes_the_folder_of_a_killed_worker(tmp_path: Path) -> None:
    made = Cluster(tmp_path)
    made.address = "tcp://127.0.0.1:1"  # nobody is there: a worker waits

    def start() -> Path:
        made.start_worker("w", environment={"TMPDIR": str(tmp_path)})
        pid = made.workers["w"].pid
        log = tmp_path / "w.log"
        wait_for(lambda: "the worker waits" in log.read_text(), "the worker does not start")
        log.write_text("")
        (folder,) = tmp_path.glob(f"leapfrog-{pid}-*")
        return folder

    killed = start()
    made.kill_worker("w")
    assert killed.exists()
    folder = start()
    assert not killed.exists()
    made.workers["w"].send_signal(signal.SIGTERM)
    assert made.workers["w"].wait(30) == 0
    assert not folder.exists()
