"""Each game of a run has processors of its own, if there are enough, and no other run has leased them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.errors import ConfigError
from arena.run import cores
from arena.run.cores import ANY, cores_of_run, leased_cores, pinned
from protocol.process import machine
from tests.missing_tools import needs


def once() -> Callable[[], bool]:
    """Let `leased_cores` try once."""
    answers = iter([False])
    return lambda: next(answers, True)


@pytest.fixture
def eight(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the machine have eight cores that can be pinned."""
    monkeypatch.setattr(cores, "usable_cores", lambda: list(range(8)))
    monkeypatch.setattr(cores, "processors_of", lambda core: frozenset({core}))
    monkeypatch.setattr(cores, "shared_core", lambda core: {core})
    monkeypatch.setattr(os, "sched_setaffinity", lambda _pid, _cores: None, raising=False)


@pytest.mark.usefixtures("eight")
@pytest.mark.parametrize(
    ("games", "threads", "shares"),
    [
        (1, 1, [{0}]),
        (3, 1, [{0}, {1}, {2}]),
        (8, 1, [{number} for number in range(8)]),
        (2, 3, [{0, 1, 2}, {3, 4, 5}]),
        (3, 4, [{0, 1}, {2, 3}, {4, 5}]),
        (5, 4, [{0}, {1}, {2}, {3}, {4}]),
    ],
)
def test_a_game_has_as_many_cores_as_an_engine_has_threads_if_there_are_enough(
    games: int, threads: int, shares: list[set[int]], tmp_path: Path
) -> None:
    with cores_of_run(games, "auto", tmp_path, threads) as (cores, problem):
        assert (list(map(set, cores)), problem) == (shares, "")
        rest = 8 - len(set[int]().union(*shares))
        with leased_cores(rest, range(8), once(), tmp_path) as others:  # it leases no more than it uses
            assert len(others) == rest
    with cores_of_run(games, True, tmp_path, threads) as (cores, problem):
        assert (list(map(set, cores)), problem) == ([{number} for number in range(games)], "")
    with cores_of_run(games, False, tmp_path, threads) as (cores, problem):
        assert (cores, problem) == ((ANY,) * games, "")


@pytest.mark.usefixtures("eight")
def test_more_games_than_cores_are_pinned_only_if_the_file_demands_it(tmp_path: Path) -> None:
    for affinity in ("auto", False):
        with cores_of_run(9, affinity, tmp_path) as (cores, problem):
            assert cores == (ANY,) * 8
            assert problem.startswith("concurrency = 9, but only 8 cores: engines take time")
    with cores_of_run(9, True, tmp_path) as (cores, problem):
        assert cores == tuple(frozenset({number}) for number in range(8))
        assert problem.startswith("concurrency = 9, but only 8 cores")


@pytest.mark.usefixtures("eight")
def test_a_second_run_gets_the_cores_that_the_first_has_left(tmp_path: Path) -> None:
    with cores_of_run(6, "auto", tmp_path) as (first, _):
        assert sorted(set[int]().union(*first)) == [0, 1, 2, 3, 4, 5]
        with cores_of_run(1, "auto", tmp_path, threads=4) as (second, problem):
            assert (second, problem) == ((frozenset({6, 7}),), "")
            with cores_of_run(1, "auto", tmp_path) as (third, why):
                assert third == (ANY,)
                assert why.startswith("another run has leased cores of this machine")
    with cores_of_run(8, "auto", tmp_path) as (all_, _):
        assert set[int]().union(*all_) == set(range(8))


@pytest.mark.usefixtures("eight")
def test_a_run_and_the_workers_of_this_machine_respect_each_others_leases(tmp_path: Path) -> None:
    with leased_cores(7, range(8), once(), tmp_path), cores_of_run(2, "auto", tmp_path) as (cores, _):
        assert cores == (ANY, ANY)
    with cores_of_run(8, "auto", tmp_path), leased_cores(1, range(8), once(), tmp_path) as none:
        assert none == ANY


LEASES = """
import sys
from arena.run import cores

cores._LEASE = sys.argv[1].replace("@", "\\0")
with cores.leased_cores(1, [5], lambda: False) as found:
    print(*found, flush=True)
    sys.stdin.read()
"""


@needs("linux")
def test_leases_hold_for_runs_with_another_folder_for_temporary_files_until_they_are_killed(
    tmp_path: Path,
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", LEASES, cores._LEASE.replace("\0", "@")],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "5\n"
        with leased_cores(1, [5], once()) as leased:
            assert leased == ANY
        other.kill()
        other.wait()
    with leased_cores(1, [5], once()) as leased:
        assert leased == {5}


@needs("linux")
def test_processors_that_share_a_core_are_one_core_also_for_who_may_use_one_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def texts(path: Path) -> str:
        number = int(path.parts[-3].removeprefix("cpu")) % 4 if "topology" in path.parts else 0
        return f"{number},{number + 4}\n" if "topology" in path.parts else ""

    monkeypatch.setattr(machine, "_text", texts)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: set(range(8)))
    assert cores.usable_cores() == [0, 1, 2, 3]
    with cores_of_run(2, "auto", tmp_path) as (first, _):
        assert first == ({0, 4}, {1, 5})
        monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {4, 5, 6})
        with cores_of_run(1, "auto", tmp_path) as (second, _):
            assert second == ({6},)
    with cores_of_run(3, True, tmp_path) as (third, problem):
        assert (third, problem) == (({4}, {5}, {6}), "")


@needs("linux")
@pytest.mark.parametrize(
    ("files", "count"),
    [
        (
            {
                "self/cgroup": "0::/box/in\n",
                "box/cpu.max": "250000 100000\n",
                "box/in/cpu.max": "max 100000\n",
            },
            2,
        ),
        ({"self/cgroup": "0::/\n", "cgroup/cpu.max": "20000 100000\n"}, 1),
        (
            {
                "self/cgroup": "12:cpuset:/\n4:cpu,cpuacct:/docker/7\n0::/\n",
                "cgroup/cpu/cpu.cfs_quota_us": "300000\n",
                "cgroup/cpu/cpu.cfs_period_us": "100000\n",
            },
            3,
        ),
        ({"self/cgroup": "4:cpu:/\n", "cpu.cfs_quota_us": "-1\n", "cpu.cfs_period_us": "100000\n"}, 8),
    ],
)
def test_a_container_has_as_many_cores_as_its_quota_of_processor_time_is_worth(
    files: dict[str, str], count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def texts(path: Path) -> str:
        return next((text for name, text in files.items() if f"{path}".endswith(f"/{name}")), "")

    monkeypatch.setattr(machine, "_text", texts)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: set(range(8)))
    assert cores.usable_cores() == list(range(count))


def test_a_system_without_pinning_ignores_auto_and_refuses_true(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delattr(os, "sched_setaffinity", raising=False)
    with cores_of_run(1, "auto", tmp_path) as (cores, problem):
        assert (cores, problem) == ((ANY,), "")
    with pytest.raises(ConfigError, match=r"affinity = true: this system cannot pin"), cores_of_run(1, True):
        pass


@needs("linux")
def test_a_process_that_is_started_pinned_stays_so_and_its_starter_does_not() -> None:
    before = os.sched_getaffinity(0)
    core = frozenset({min(before)})
    with pinned(core):
        child = subprocess.run(
            [sys.executable, "-c", "import os; print(*os.sched_getaffinity(0))"],
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
    assert child.stdout.split() == [str(min(before))]
    assert os.sched_getaffinity(0) == before
