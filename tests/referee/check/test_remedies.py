"""Failures that a setting of arena heals: the check names the setting."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import trio

from protocol.spec import EngineSpec
from protocol.wire.messages import Go
from protocol.wire.options import AdvertisedOption
from referee import game
from referee.check import CheckReport, CheckStatus, EngineUnderTest, check_engine
from referee.check.checks.starting import _values
from referee.check.positions import PositionBook

FAULTY = Path(__file__).parents[2] / "engines"

NO_CLOCK = """
class Engine(faulty.Plain):
    def on_go(self, words):
        if words[0] == "movetime":
            super().on_go(words)
"""
DEPTH_ALONE = """
class Engine(faulty.Plain):
    def on_go(self, words):
        if words[0] != "depth":
            sys.exit("what is a " + words[0])
        super().on_go(words)
"""
SPEAKS_UCI = """
class Engine(faulty.Uci):
    def on_ugi(self, words):
        pass
    def on_uci(self, words):
        self.say("id name other\\nuciok")
"""
SPEAKS_UAI = """
class Engine(faulty.Plain):
    def on_ugi(self, words):
        sys.exit()
    on_unknown = on_ugi
    def on_uai(self, words):
        self.say("id name other\\nuaiok")
"""
JUDGES_EVERY_MOVE = """
class Engine(faulty.Good):
    def on_go(self, words):
        if len(self.legal) < 1000:
            super().on_go(words)
"""
MUTE = """
class Engine(faulty.Plain):
    def on_ugi(self, words):
        pass
    on_unknown = on_ugi
"""


WITH_LIMIT = {201, 202, 301, 302, 305, 416, 501, 703}
CHECKED = {
    "speaks-uci": (SPEAKS_UCI, {103}, None),
    "speaks-uai": (SPEAKS_UAI, {101}, None),
    "mute": (MUTE, {103}, None),
    "judges-every-move": (JUDGES_EVERY_MOVE, {215, 216}, None),
    "no-clock-limited": (NO_CLOCK, WITH_LIMIT, Go(movetime=50)),
    "depth-alone-limited": (DEPTH_ALONE, WITH_LIMIT, Go(depth=1)),
}
"""The sources of engines, the numbers of the checks to run, and the limit of their moves."""


@pytest.fixture(scope="module")
def remedied() -> dict[str, CheckReport]:
    """The reports of all engines. They are checked together, because the checker mostly waits."""
    reports: dict[str, CheckReport] = {}
    book = PositionBook(game("quoridor"), 1)

    async def check(name: str, source: str, numbers: set[int], limit: Go | None) -> None:
        program = f"import sys, faulty\n{source}\nEngine().run()"
        spec = EngineSpec("x", (sys.executable, "-S", "-c", program), cwd=str(FAULTY), margin=500)
        subject = EngineUnderTest(spec, patience=1.0, limit=limit, book=book)
        reports[name] = await check_engine(subject, numbers, jobs=4)

    async def run() -> None:
        async with trio.open_nursery() as nursery:
            for name, (source, numbers, limit) in CHECKED.items():
                nursery.start_soon(check, name, source, numbers, limit)

    trio.run(run)
    return reports


@pytest.mark.parametrize(
    ("name", "number", "text", "advice"),
    [
        ("speaks-uci", 103, "answers `uci` with `uciok`: it speaks UCI", "--dialect uci in a command"),
        ("speaks-uai", 101, "answers `uai` with `uaiok`: it speaks UAI", 'set dialect = "uai"'),
        ("mute", 103, "did not say `ugiok`", "answer the line `ugi`"),
    ],
)
def test_a_failure_that_a_setting_heals_names_the_setting(
    remedied: dict[str, CheckReport], name: str, number: int, text: str, advice: str
) -> None:
    (failure,) = [result for result in remedied[name].results if result.status is CheckStatus.FAILED]
    assert failure.number == number
    assert text in failure.text
    assert advice in failure.advice
    assert any(" > " in line for line in failure.evidence)


def test_an_engine_that_judges_every_move_of_an_endless_list_has_no_fault(
    remedied: dict[str, CheckReport],
) -> None:
    report = remedied["judges-every-move"]
    results = {result.number: result for result in report.results}
    assert report.conforms
    for number in (215, 216):
        assert results[number].status is CheckStatus.SKIPPED
        assert results[number].text.startswith("it read the list, but needs longer to choose one of ")


@pytest.mark.parametrize(
    ("name", "passed"),
    [("no-clock-limited", {201, 202, 301}), ("depth-alone-limited", {201, 202, 305})],
)
def test_an_engine_without_a_clock_is_checked_with_its_own_limit(
    remedied: dict[str, CheckReport], name: str, passed: set[int]
) -> None:
    results = remedied[name].results
    by_number = {result.number: result for result in results}
    assert not [result.text for result in results if result.status is CheckStatus.FAILED]
    assert passed <= {number for number, result in by_number.items() if result.status is CheckStatus.PASSED}
    assert by_number[302].text == "the time control of this check has no clock"


@pytest.mark.parametrize(
    ("name", "low", "high", "values"),
    [
        ("Threads", 1, 512, ["1", "2"]),
        ("Hash", 1, 33_554_432, ["1", "256"]),
        ("Hash", 512, 1024, ["512", "512"]),
        ("MultiPV", 1, 500, ["1", "500"]),
        ("Threads", None, 512, ["2"]),
        ("Threads", 1, None, ["1"]),
    ],
)
def test_no_more_threads_than_processors_are_set_and_not_much_memory(
    monkeypatch: pytest.MonkeyPatch, name: str, low: int | None, high: int | None, values: list[str]
) -> None:
    monkeypatch.setattr("referee.check.checks.starting._LARGE", {"hash": 256, "thread": 2})
    assert [*_values(AdvertisedOption(name, "spin", None, low, high))] == values
