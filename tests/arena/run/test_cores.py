"""Each game of a run has processors of its own, if there are enough, and no other run has leased them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.errors import ConfigError
from arena.run import cores
from arena.run.cores import ANY, cores_of_run, leased_cores, pinned
from tests.missing_tools import needs


@pytest.fixture
def eight(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the machine have eight processors that can be pinned."""
    monkeypatch.setattr(cores, "usable_cores", lambda: list(range(8)))
    monkeypatch.setattr(os, "sched_setaffinity", lambda _pid, _cores: None, raising=False)


@pytest.mark.usefixtures("eight")
@pytest.mark.parametrize(
    ("games", "shares"),
    [
        (1, [set(range(8))]),
        (2, [{0, 1, 2, 3}, {4, 5, 6, 7}]),
        (3, [{0, 1}, {2, 3}, {4, 5}]),
        (5, [{0}, {1}, {2}, {3}, {4}]),
        (8, [{number} for number in range(8)]),
    ],
)
def test_the_cores_are_divided_equally_among_the_games(
    games: int, shares: list[set[int]], tmp_path: Path
) -> None:
    with cores_of_run(games, "auto", tmp_path) as (own, problem):
        assert (list(map(set, own)), problem) == (shares, "")
    with cores_of_run(games, True, tmp_path) as (own, problem):
        assert (list(map(set, own)), problem) == ([{number} for number in range(games)], "")
    with cores_of_run(games, False, tmp_path) as (own, problem):
        assert (own, problem) == ((ANY,) * games, "")


@pytest.mark.usefixtures("eight")
def test_more_games_than_cores_are_not_pinned_unless_the_file_says_so(tmp_path: Path) -> None:
    for affinity in ("auto", False):
        with cores_of_run(9, affinity, tmp_path) as (own, problem):
            assert own == (ANY,) * 8
            assert problem.startswith("concurrency = 9, but only 8 processors: engines wait")
    with cores_of_run(9, True, tmp_path) as (own, problem):
        assert own == tuple(frozenset({number}) for number in range(8))
        assert problem.startswith("concurrency = 9, but only 8 processors")


@pytest.mark.usefixtures("eight")
def test_a_second_run_gets_the_cores_that_the_first_has_left(tmp_path: Path) -> None:
    with cores_of_run(3, "auto", tmp_path) as (first, _):
        assert sorted(set[int]().union(*first)) == [0, 1, 2, 3, 4, 5]
        with cores_of_run(2, "auto", tmp_path) as (second, problem):
            assert (second, problem) == ((frozenset({6}), frozenset({7})), "")
            with cores_of_run(1, "auto", tmp_path) as (third, why):
                assert third == (ANY,)
                assert why.startswith("another run has leased processors of this machine")
    with cores_of_run(1, "auto", tmp_path) as (all_, _):
        assert all_ == (frozenset(range(8)),)


@pytest.mark.usefixtures("eight")
def test_a_run_and_the_workers_of_this_machine_respect_each_others_leases(tmp_path: Path) -> None:
    with leased_cores(7, range(8), lambda: False, tmp_path), cores_of_run(2, "auto", tmp_path) as (own, _):
        assert own == (ANY, ANY)
    with cores_of_run(1, "auto", tmp_path), leased_cores(1, range(8), lambda: True, tmp_path) as none:
        assert none == ANY


@pytest.mark.usefixtures("eight")
def test_a_run_without_a_place_for_leases_is_not_pinned_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with cores_of_run(2, "auto", tmp_path / "file" / "leases") as (own, problem):
        assert own == (ANY, ANY)
        assert problem.startswith("no processors can be leased, so no games")


def test_a_system_without_pinning_ignores_auto_and_refuses_true(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delattr(os, "sched_setaffinity", raising=False)
    with cores_of_run(1, "auto", tmp_path) as (own, problem):
        assert (own, problem) == ((ANY,), "")
    with pytest.raises(ConfigError, match=r"affinity = true: this system cannot pin"), cores_of_run(1, True):
        pass


@needs("linux")
def test_a_process_that_is_started_pinned_stays_so_and_its_starter_does_not() -> None:
    before = os.sched_getaffinity(0)
    one = frozenset({min(before)})
    with pinned(one):
        child = subprocess.run(
            [sys.executable, "-c", "import os; print(*os.sched_getaffinity(0))"],
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
    assert child.stdout.split() == [str(core) for core in one]
    assert os.sched_getaffinity(0) == before
