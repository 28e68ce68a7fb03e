"""Failures that a setting of arena heals: the check names the setting."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from protocol.spec import EngineSpec
from protocol.wire.messages import Go
from protocol.wire.options import AdvertisedOption
from referee.check import CheckReport, CheckStatus, EngineUnderTest, Patience, check_engine
from referee.check.checks.wording import _values

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
NO_MOVES = """
class Engine(faulty.Plain):
    def on_position(self, words):
        super().on_position(words[:1] if words[0] == "startpos" else words)
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


async def checked(source: str, *numbers: int, limit: Go | None = None) -> CheckReport:
    program = f"import sys, faulty\n{source}\nEngine().run()"
    spec = EngineSpec("x", (sys.executable, "-S", "-c", program), cwd=str(FAULTY))
    subject = EngineUnderTest(spec, Patience(1.0, 5.0, margin=500), limit=limit)
    return await check_engine(subject, set(numbers), jobs=4)


@pytest.mark.parametrize(
    ("source", "number", "text", "advice"),
    [
        (NO_CLOCK, 201, "answers `go movetime 200` with a legal move", "--time-control movetime=0.2,"),
        (DEPTH_ALONE, 201, "answers `go depth 1` with a legal move", '"depth=1" in a tournament file'),
        (NO_MOVES, 202, "it seems to ignore the moves", 'write position = "fen" for this engine'),
        (SPEAKS_UCI, 103, "answers `uci` with `uciok`: it speaks UCI", "add --dialect uci;"),
        (SPEAKS_UAI, 101, "answers `uai` with `uaiok`: it speaks UAI", 'write dialect = "uai"'),
        (MUTE, 103, "did not say `ugiok`", "answer the line `ugi`"),
    ],
    ids=["no-clock", "depth-alone", "no-moves", "speaks-uci", "speaks-uai", "mute"],
)
async def test_a_failure_that_a_setting_heals_names_the_setting(
    source: str, number: int, text: str, advice: str
) -> None:
    report = await checked(source, number)
    (failure,) = [result for result in report.results if result.status is CheckStatus.FAILED]
    assert failure.number == number
    assert text in failure.text
    assert advice in failure.advice
    assert ">" in failure.evidence[0]


async def test_an_engine_that_judges_every_move_of_an_endless_list_has_no_fault() -> None:
    report = await checked(JUDGES_EVERY_MOVE, 215, 216)
    results = {result.number: result for result in report.results}
    assert report.conforms
    for number in (215, 216):
        assert results[number].status is CheckStatus.SKIPPED
        assert results[number].text.startswith("it read the list, but needs longer to choose one of ")


@pytest.mark.parametrize(
    ("source", "limit", "passed"),
    [(NO_CLOCK, Go(movetime=50), {201, 202, 301}), (DEPTH_ALONE, Go(depth=1), {201, 202, 305})],
    ids=["no-clock", "depth-alone"],
)
async def test_an_engine_without_a_clock_is_checked_with_its_own_limit(
    source: str, limit: Go, passed: set[int]
) -> None:
    report = await checked(source, 201, 202, 301, 302, 305, 416, 501, 703, limit=limit)
    by_number = {result.number: result for result in report.results}
    assert not [result.text for result in report.results if result.status is CheckStatus.FAILED]
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
    monkeypatch.setattr("referee.check.checks.wording._LARGE", {"hash": 256, "thread": 2})
    assert [*_values(AdvertisedOption(name, "spin", None, low, high))] == values
