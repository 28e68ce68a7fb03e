"""Tests of the conformance checker: each check finds its fault, and good engines pass all checks."""

from __future__ import annotations

import json
import os
import re
import runpy
import sys
import threading
from collections.abc import Collection, Iterable
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path

import pytest
import trio
from click.testing import CliRunner, Result

from arena.cli import main
from protocol.spec import EngineSpec
from protocol.wire.session import Session
from referee import game as find_game
from referee import game_ids
from referee.check import (
    CHECKS,
    CheckReport,
    CheckStatus,
    EngineUnderTest,
    Severity,
    check_engine,
    conversation,
    processor,
)
from referee.check.catalogue import CheckContext, closure
from referee.check.checks import clocks, control
from referee.check.positions import PositionBook
from referee.check.run import _Run
from tests.missing_tools import needs
from tests.processes import assert_gone, children, wait_for, with_argument

ROOT = Path(__file__).parents[3]
FAULTY = ROOT / "tests/engines/faulty.py"
PROGRAM = runpy.run_path(str(FAULTY))
FAULTS: dict[str, tuple[int, str]] = PROGRAM["FAULTS"]
GREETING = ("capabilities", "options", "identify", "announce", "advertise", "on_ugi")
"""What decides the greeting of an engine."""
PYTHON = (sys.executable, "-S")

IMPATIENT = {"NotReadyForAGame": 0.4, "LosesALine": 0.4, "NeverFlushesAndNeverEnds": 0.6, "Mute": 0.6}
"""Seconds to wait for each answer of engines that miss several answers."""
PATIENT = {"GreetsSlowly": 2.0}
"""Seconds to wait for each answer of engines that are slow."""

linux = needs("linux")


@cache
def drawn(game: str) -> PositionBook:
    """Return the positions of a game, drawn once for all tests."""
    return PositionBook(find_game(game), 1)


def subject(word: str, game: str = "quoridor") -> EngineUnderTest:
    """Return an engine of faulty.py. It is imported as a module, so that Python compiles it only once."""
    command = (*PYTHON, "-c", "import faulty; faulty.main()", word)
    spec = EngineSpec(word, command, cwd=str(FAULTY.parent), margin=150)
    seconds = IMPATIENT.get(word) or PATIENT.get(word, 1.0)
    return EngineUnderTest(spec, game=game, patience=seconds, book=drawn(game))


def failed(report: CheckReport) -> list[int]:
    return [result.number for result in report.results if result.status is CheckStatus.FAILED]


async def greet(checked: EngineUnderTest, known: dict[tuple[object, ...], Session], lock: trio.Lock) -> None:
    """Give an engine its greeting. Of those with the same one, only the first is started for it."""
    key = tuple(getattr(PROGRAM[checked.spec.name], name) for name in GREETING)
    async with lock:
        if key not in known:
            async with trio.open_nursery() as nursery, CheckContext(checked, nursery).greeted():
                assert checked.session is not None
                known[key] = checked.session
    checked.add_session(known[key])


async def check_alone(checked: EngineUnderTest, number: int) -> CheckReport:
    """Run one check, and none of those that it needs: that takes a third of the time."""
    checks = [replace(check, needs=()) for check in CHECKS if check.number == number]
    run = _Run(checked, checks, lambda _: None)
    await run.in_turn(checks)
    return run.report()


def run_all(words: Iterable[str], together: int, *, whole: bool) -> dict[str, CheckReport]:
    """Check each engine. Several run together, because the engines and the checker mostly wait."""
    reports: dict[str, CheckReport] = {}
    greetings: dict[tuple[object, ...], Session] = {}
    limit, lock = trio.CapacityLimiter(together), trio.Lock()

    async def check_one(word: str) -> None:
        number, game = FAULTS[word]
        checked = subject(word, game)
        async with limit:
            if number >= 104 and not whole:
                await greet(checked, greetings, lock)
            reports[word] = await (check_engine(checked) if whole else check_alone(checked, number))

    async def run() -> None:
        async with trio.open_nursery() as nursery:
            for word in words:
                nursery.start_soon(check_one, word)

    trio.run(run)
    return reports


def chosen(request: pytest.FixtureRequest) -> set[str]:
    """Return the engines of the selected tests that use the same fixture."""
    return {
        item.callspec.params["word"]
        for item in request.session.items
        if item.path == request.path
        and isinstance(item, pytest.Function)
        and request.fixturename in item.fixturenames
    }


@pytest.fixture(scope="module")
def reports(request: pytest.FixtureRequest) -> dict[str, CheckReport]:
    """Reports of the checks that the engines must fail.

    If an engine does not end, or moves late, half a second shows that as well as two. An engine that spins
    uses a processor all the time. This process waits for a processor all the time, which is no excuse here.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(processor, "waits_here", dict)
        patch.setattr(conversation, "waits_here", dict)
        patch.setattr(control, "_END_SECONDS", 0.5)
        patch.setattr(clocks, "_LATE", 0.5)
        return run_all(chosen(request), 4 * (os.cpu_count() or 1), whole=False)


@pytest.fixture(scope="module")
def whole_reports(request: pytest.FixtureRequest) -> dict[str, CheckReport]:
    return run_all(chosen(request), os.cpu_count() or 1, whole=True)


# --- every check catches something


@pytest.mark.parametrize("word", FAULTS)
def test_a_faulty_engine_fails_the_check_that_was_made_for_it(reports, word) -> None:
    report = reports[word]
    number = FAULTS[word][0]
    assert failed(report) == [number], [result.text for result in report.results]
    severity = next(check.severity for check in CHECKS if check.number == number)
    assert report.conforms == (severity is not Severity.MUST)


@pytest.mark.slow  # thousands of processes; the quick test above runs one check of each engine
@pytest.mark.parametrize("word", FAULTS)
def test_a_faulty_engine_fails_one_check_of_the_whole_catalogue(whole_reports, word) -> None:
    assert failed(whole_reports[word]) == [FAULTS[word][0]], [
        result.text for result in whole_reports[word].results if result.status is CheckStatus.FAILED
    ]


def test_there_is_a_faulty_engine_for_every_check() -> None:
    only_reports = {218}
    assert {number for number, _ in FAULTS.values()} | only_reports == {check.number for check in CHECKS}


def test_checks_have_numbers_in_order_advice_on_one_line_and_needs_that_run_before() -> None:
    numbers = [check.number for check in CHECKS]
    assert numbers == sorted(set(numbers))
    assert len(numbers) >= 40
    by_number = {check.number: check for check in CHECKS}
    for check in CHECKS:
        assert check.advice.isprintable()
        assert all(check.alone or not by_number[number].alone for number in check.needs)
        assert check.number not in closure(check.needs, CHECKS)


@pytest.mark.parametrize("word", ["FlushesAllButItsMove"])
def test_a_missing_flush_is_called_by_its_name_with_advice_for_the_language(reports, word) -> None:
    (result,) = reports[word].results
    assert "MISSING FLUSH: it printed `bestmove`" in result.text
    assert "flush=True" in result.advice
    assert any(line.split()[1:] == [">", "ugi"] for line in result.evidence) or len(result.evidence) == 20


@pytest.mark.parametrize("word", ["SeesNoMoveWhereThereIsOne"])
def test_an_engine_that_sees_no_move_gets_the_only_one(reports, word) -> None:
    (result,) = reports[word].results
    assert "it said `bestmove (none)`; the only legal move is `" in result.text


@linux
@pytest.mark.parametrize(("word", "spins"), [("SpinsAtTheEndOfInput", True), ("StaysAtTheEndOfInput", False)])
def test_an_engine_that_spins_at_the_end_of_its_input_is_named(reports, word, spins) -> None:
    assert ("SPINNING" in reports[word].results[0].text) == spins


async def test_what_needs_a_failed_check_is_skipped_with_its_number() -> None:
    report = await check_engine(subject("StartsIllegally"), {205})
    blocked = {
        result.number: result.blocker for result in report.results if result.status is CheckStatus.SKIPPED
    }
    assert blocked == {202: 201, 205: 201}
    assert report.results[-1].text == "check 201 failed"


@pytest.mark.parametrize("word", ["StartsIllegally"])
def test_the_evidence_is_the_end_of_the_conversation(reports, word) -> None:
    (result,) = reports[word].results
    assert result.evidence[-1].split()[1:] == ["<", "bestmove", "e5"]
    assert [line.split()[2] for line in result.evidence if ">" in line][-3:] == ["legal", "isready", "go"]


# --- engines that are right


async def passes(checked: EngineUnderTest, only: Collection[int] | None = None) -> CheckReport:
    report = await check_engine(checked, only, jobs=8)
    wrong = [result for result in report.results if result.status is CheckStatus.FAILED]
    assert [result for result in wrong if result.severity is not Severity.INFO] == []
    return report


def passed(report: CheckReport) -> set[int]:
    return {result.number for result in report.results if result.status is CheckStatus.PASSED}


async def patient(word: str, only: Collection[int] | None = None) -> CheckReport:
    checked = subject(word)
    checked.patience, checked.spec = 5.0, replace(checked.spec, margin=500)
    return await check_engine(checked, only, jobs=8)


async def test_the_engine_that_the_faulty_ones_are_made_of_passes_everything_that_there_is_for_it() -> None:
    report = await patient("Good")
    skipped = {result.number for result in report.results if result.status is CheckStatus.SKIPPED}
    assert skipped == {214, 217, 218, 601}
    assert failed(report) == []


async def test_a_level_0_engine_is_sent_only_what_plain_ugi_has() -> None:
    plain, extended = {202, 302, 411, 415, 701}, {117, 215, 401, 404, 602}
    report = await patient("Plain", plain | extended)
    assert (report.level, failed(report)) == (0, [])
    assert plain <= passed(report)
    assert not extended & passed(report)


async def test_a_slow_engine_gets_fewer_positions_and_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.check.checks.moves._LONG", 0.0)
    monkeypatch.setattr("referee.check.checks.moves._GAMES_SECONDS", 0.0)
    remarks = {result.number: result.text for result in (await patient("Good", {202, 701})).results}
    assert remarks[202] == "6 of 30 positions, because the engine takes long"
    assert remarks[701] == "the engine takes long: 0 games in 0 s"


@pytest.mark.slow  # the quick test above runs some of the checks
async def test_a_level_0_engine_passes_every_check() -> None:
    report = await patient("Plain")
    assert (report.level, failed(report)) == (0, [])
    assert {201, 202, 203, 204, 205, 302, 411, 415, 601, 701} <= passed(report)


async def test_an_engine_that_speaks_uci_can_be_checked() -> None:
    checked = subject("Uci")
    checked.spec = replace(checked.spec, dialect="uci")
    assert {103, 109, 202, 204, 413} <= passed(await passes(checked, {103, 109, 204, 413}))


async def test_new_moves_alone_and_four_seats_are_checked_where_they_apply() -> None:
    assert 214 in passed(await passes(subject("Delta"), {214}))
    assert {207, 217, 304} <= passed(await passes(subject("Four", "quoridor4"), {207, 217, 304}))


# --- processes


def engines_left() -> set[int]:
    """Return the engines that this process has started and that are still running."""
    return set(children(os.getpid())) & set(with_argument("faulty"))


@linux
@pytest.mark.parametrize("word", ["LeavesAChild"])
def test_nothing_is_left_of_an_engine_that_leaves_processes_behind(reports, word) -> None:
    pid = reports[word].results[0].text.split()[-1]
    assert_gone([int(pid)])
    assert not engines_left()


@linux
async def test_nothing_is_left_when_a_run_is_cancelled() -> None:
    checked = subject("StaysAtTheEndOfInput")  # so it must be killed
    with trio.move_on_after(0.5) as scope:
        await check_engine(checked, jobs=4)
    assert scope.cancelled_caught
    wait_for(lambda: not engines_left(), "engines are left")


# --- positions


def test_positions_are_the_same_for_the_same_seed_and_others_for_another() -> None:
    def texts(seed: int) -> list[str]:
        return [str(spot) for spot in PositionBook(find_game("quoridor"), seed).random("x", 5, 0)]

    assert texts(1) == texts(1)
    assert not set(texts(1)) & set(texts(2))


async def test_drawing_positions_holds_nobody_up_and_takes_none_of_the_engines_time() -> None:
    released = threading.Event()

    async def release() -> None:
        await trio.sleep(0.1)
        released.set()

    async with trio.open_nursery() as nursery:
        context = CheckContext(subject("Mute"), nursery)
        nursery.start_soon(release)
        with trio.move_on_after(0.05) as context.scope:
            assert await context.draw(lambda _: released.wait(5.0))
        assert not context.scope.cancelled_caught


def test_a_search_for_rare_positions_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.check.positions._EFFORT", 1000)
    book = PositionBook(find_game("quoridor"), 1)
    assert 1 < len(book.long.moves) < 1000
    assert not book.forced


def test_the_longest_game_has_a_thousand_moves_and_forced_positions_have_one() -> None:
    book = drawn("quoridor")
    assert len(book.long.moves) == 1000
    assert {len(spot.legal()) for spot in book.forced} == {1}
    assert {len(spot.legal()) > 1 for spot in book.random("x", 30, 0)} == {True}


SLOW_TO_DRAW = {"hops", "rodeurs", "rodeurs-diagonal", "chess960"}


@pytest.mark.parametrize("name", sorted(set(game_ids()) - SLOW_TO_DRAW))
def test_in_every_game_positions_near_the_end_and_with_few_moves_are_drawn(name: str) -> None:
    book = PositionBook(find_game(name), 1)
    threats = 0
    for seat in (0, 1):
        spots = book.near_ends(seat)
        assert len(spots) >= 4
        for spot in spots:
            assert spot.position.turn == seat
            assert len(spot.legal()) > 1
            threats += any(
                spot.position.play(move).outcome() is not None for move in spot.position.legal_moves()
            )
    assert threats
    widths = [len(spot.legal()) for spot in book.narrow]
    assert 1 < widths[0] < widths[-1]
    assert widths == sorted(widths)


@pytest.mark.parametrize("word", ["PlaysWhatItPlayedBefore"])
def test_a_stale_board_is_named_by_the_advice(reports, word) -> None:
    (stale,) = reports[word].results
    assert stale.advice.startswith("set up the board again for every `position`")


def test_games_that_end_and_seats_that_are_removed_are_drawn() -> None:
    book = drawn("quoridor4")
    assert all(spot.moves[0] == "!4" and spot.position.turn == 0 for spot in book.without_seat(3, 6))
    assert all(1 in ending.ranks for _, _, ending in drawn("quoridor").ended)
    assert [spot.position.turn for spot in islice(book.walk("x", 3), 3)] == [1, 2, 3]


# --- the command line


def arena(*args: str) -> Result:
    return CliRunner().invoke(main, ["check", *args])


def engine(word: str) -> tuple[str, ...]:
    return ("--", *PYTHON, str(FAULTY), word)


def test_the_command_shows_a_table_what_failed_and_advice_and_exits_with_1() -> None:
    done = arena("--only", "201,106", *engine("StartsIllegally"))
    assert done.exit_code == 1
    lines = done.stdout.splitlines()
    assert lines[0] == "faulty: level 1, quoridor, positions of seed 1"
    assert lines[2].split() == ["number", "check", "severity", "result", "time", "remark"]
    assert [line.split()[0] for line in lines[3:9]] == ["101", "102", "103", "104", "106", "201"]
    assert "201 a legal move from the start (must)" in lines
    assert any(line.startswith("    it played 'e5' at the start: ") for line in lines)
    assert any(line.startswith("    advice: answer `go` with `bestmove`") for line in lines)
    assert lines[-1] == "5 passed, 0 skipped, failed: 1 must, 0 should; 0 notes"


def test_a_failed_should_leaves_the_exit_code_0() -> None:
    done = arena("--only", "106", *engine("HasNoName"))
    assert done.exit_code == 0
    assert done.stdout.splitlines()[-1] == "4 passed, 0 skipped, failed: 0 must, 1 should; 0 notes"


def test_information_that_does_not_hold_is_a_note_and_no_failure() -> None:
    done = arena("--only", "703", *engine("Varies"))
    assert done.exit_code == 0
    assert re.search(r"^ *703 .* info +note +\S+  see below$", done.stdout, re.MULTILINE)
    assert "FAILED" not in done.stdout
    assert done.stdout.splitlines()[-1].endswith(" passed, 0 skipped, failed: 0 must, 0 should; 1 note")


def test_skipped_checks_share_a_line_for_each_reason() -> None:
    lines = arena("--only", "602,603", *engine("Plain")).stdout.splitlines()
    (line,) = [line for line in lines if "602" in line]
    assert line.startswith("skipped 602, 603: for level 1; this engine announces no capabilities")


def test_json_has_every_result_with_evidence_for_what_failed() -> None:
    done = arena("--json", "--only", "202", "--seed", "7", *engine("StartsIllegally"))
    data = json.loads(done.stdout)
    assert done.exit_code == 1
    assert data.keys() == {"conforms", *CheckReport.__slots__}
    assert (data["conforms"], data["game"], data["seed"], data["level"]) == (False, "quoridor", 7, 1)
    assert [result["number"] for result in data["results"]] == [101, 102, 103, 104, 201, 202]
    wrong = data["results"][4]
    assert (wrong["status"], wrong["severity"], wrong["blocker"]) == ("failed", "must", None)
    assert wrong["evidence"][-1].endswith("< bestmove e5")
    assert data["results"][5]["blocker"] == 201
    assert data["results"][0]["evidence"] == []


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((), "name the engine's command after --"),
        (("--", "no-such-program-here"), "no program no-such-program-here is on the PATH"),
        (("--game", "chess", *engine("Good")), "chess"),
        (("--game", "quoridor4", "--only", "104", *engine("OneGame")), "does not play quoridor4"),
        (
            ("--game", "quoridor4", "--only", "104", *engine("Plain")),
            "can play only games for two players, not for 4",
        ),
        (("--only", "104-", *engine("Good")), "--only takes numbers and ranges"),
        (("--only", "999", *engine("Good")), "there is no check 999"),
    ],
)
def test_wrong_input_is_one_message_and_exit_code_2(args, message) -> None:
    done = arena(*args)
    assert done.exit_code == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_list_names_the_checks_and_runs_none() -> None:
    rows = arena("--list").stdout.splitlines()
    assert [int(row.split()[0]) for row in rows[1:]] == [check.number for check in CHECKS]
    (only,) = json.loads(arena("--list", "--json", "--only", "401").stdout)
    assert (only["capability"], only["severity"]) == ("stop", "must")
