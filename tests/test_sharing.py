"""How the tests are shared among processes: listed files exist, and files that measure time stay together."""

from __future__ import annotations

from itertools import chain

import pytest

from tests.sharing import FOLDER, LONG, REAL_TIME, is_seen, unit


@pytest.mark.parametrize("file", [*chain(*REAL_TIME), *LONG])
def test_every_file_in_the_lists_exists(file: str) -> None:
    assert (FOLDER / file).is_file()


def test_no_file_is_listed_twice() -> None:
    listed = [*chain(*REAL_TIME), *LONG]
    assert len(set(listed)) == len(listed)


def test_each_group_of_real_time_is_one_unit_and_every_other_file_is_one_of_its_own() -> None:
    for number, group in enumerate(REAL_TIME, 1):
        assert {unit(f"tests/{file}::test_a[b::c]") for file in group} == {f"real time {number}"}
    others = [f"tests/{file}" for file in (*LONG, "arena/config/test_config.py")]
    assert [unit(f"{file}::test_a") for file in others] == others


def test_of_a_tests_reports_the_call_is_sent_and_every_other_one_that_did_not_pass() -> None:
    def sent(when: str, outcome: str) -> bool:
        return is_seen("testreport", {"data": {"when": when, "outcome": outcome}})

    outcomes = ("passed", "failed", "skipped")
    assert all(sent("call", outcome) for outcome in outcomes)
    for when in ("setup", "teardown"):
        assert [sent(when, outcome) for outcome in outcomes] == [False, True, True]
    assert is_seen("logfinish", {})
    assert is_seen("runtest_protocol_complete", {})
