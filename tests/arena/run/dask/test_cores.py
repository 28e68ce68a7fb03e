"""A core is leased to one game at a time."""

from __future__ import annotations

from pathlib import Path

from arena.run.executors.dask.cores import leased_cores


def never() -> bool:
    return False


def at_once() -> bool:
    return True


def test_two_leases_have_different_cores_and_a_third_gets_none_until_one_ends(tmp_path: Path) -> None:
    with leased_cores(1, [4, 7], never, tmp_path) as one, leased_cores(1, [4, 7], never, tmp_path) as two:
        assert (one, two) == ({4}, {7})
        with leased_cores(1, [4, 7], at_once, tmp_path) as none:
            assert none == set()
    with leased_cores(2, [4, 7], never, tmp_path) as both:
        assert both == {4, 7}


def test_who_waits_for_two_cores_holds_none_meanwhile(tmp_path: Path) -> None:
    asked = 0

    def gives_up_later() -> bool:
        nonlocal asked
        asked += 1
        if asked == 2:
            with leased_cores(1, [7], never, tmp_path) as free:  # otherwise this would wait for ever
                assert free == {7}
        return asked > 2

    with leased_cores(1, [4], never, tmp_path), leased_cores(2, [4, 7], gives_up_later, tmp_path) as none:
        assert none == set()
