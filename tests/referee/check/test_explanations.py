"""Beginners' mistakes in the engine of README: the checker shows one failure, and it says what is wrong."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
import trio

from protocol.spec import EngineSpec
from referee import game
from referee.check import CheckResult, CheckStatus, EngineUnderTest, check_engine
from referee.check.positions import PositionBook

README = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
(ENGINE,) = re.findall(r"^```python\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
MOVE = '        answer = f"bestmove {random.choice(legal)}\\n"\n'
WRITE = "    sys.stdout.write(answer)\n    sys.stdout.flush()\n"
BUFFERED = ("no flush", "a move that joins the next answer")

MISTAKES = {
    "a misspelt answer": (
        ("bestmove ", "best_move "),
        (201, "did not say `bestmove` within 1.5 s; what it said is no answer: 'best_move ", "'"),
    ),
    "an answer before go": (
        ('legal = rest\n    elif word == "go":\n', "legal = rest\n"),
        (201, "; what it said is no answer: 'bestmove ", "'"),
    ),
    "an error on standard output": (
        (MOVE, '        print("Fatal error: no such move"); sys.exit(3)\n'),
        (
            201,
            "ended with exit code 3 after 'legal ",
            "; what it said is no answer: 'Fatal error: no such move'",
        ),
    ),
    "a crash": (
        ("random.choice(legal)", "random.choice([])"),
        (201, "ended with exit code 1 after 'legal ", "IndexError: Cannot choose from an empty sequence"),
    ),
    "a move without a newline": (
        ("random.choice(legal)}\\n", "random.choice(legal)}"),
        (102, "has a MISSING NEWLINE: it printed 'bestmove ", "' without an end of line"),
    ),
    "an ok without a newline": (
        ("nugiok\\n", "nugiok"),
        (102, "has a MISSING NEWLINE: it printed 'ugiok'", "without an end of line"),
    ),
    "a move that joins the next answer": (
        (WRITE, '    print(answer.strip(), end="" if word == "go" else "\\n", flush=word != "go")\n'),
        (102, "has a MISSING NEWLINE: another answer follows on the same line: 'bestmove ", "readyok'"),
    ),
    "a misspelt list": (
        ("protocol 1 legal", "protocol 1 legal_moves"),
        (109, "announced `legal_moves`, which is no capability", ""),
    ),
    "a comparison of whole lines": (
        ('elif word == "isready"', 'elif line == "isready\\n"'),
        (118, "did not say `readyok` within 0.5 s", "0.5 s"),
    ),
    "no flush": (
        ("    sys.stdout.flush()\n", ""),
        (102, "has a MISSING FLUSH: it printed `ugiok`", "when the buffer overflowed or the process ended"),
    ),
    "all lines before the first answer": (
        ("in sys.stdin:", "in sys.stdin.readlines():"),
        (102, "printed `ugiok` only after the end of its input", "read all of its input before it answers"),
    ),
    "one line": (
        ("    sys.stdout.flush()\n", "    sys.stdout.flush()\n    if word == 'ugi': break\n"),
        (104, "ended with exit code 0 after 'ugi'", ""),
    ),
    "no program": (
        ("import sys\n", "1 / 0\n"),
        (101, "did not wait for input: ended with exit code 1", "ZeroDivisionError: division by zero"),
    ),
    "ok in two words": (
        ("nugiok", "nugi ok"),
        (103, "; what it said is no answer: 'ugi ok'; if the engine only needs", "--timeout 60"),
    ),
    "silence": ((MOVE, "        pass\n"), (201, "did not say `bestmove` within 1.5 s", "")),
    "a misspelt capability": (
        ("protocol 1 legal", "protocol 1 legals"),
        (109, "announced `legals`, which is no capability", ""),
    ),
}
"""The replaced part of the source, and the failure: its number, its first words, and its last ones."""


@pytest.fixture(scope="module")
def failures(request: pytest.FixtureRequest) -> dict[str, list[CheckResult]]:
    """The failures of each engine. All are checked together, because the checker mostly waits."""
    failures: dict[str, list[CheckResult]] = {}
    book = PositionBook(game("quoridor"), 1)

    async def check(name: str) -> None:
        (old, new), _ = MISTAKES[name]
        assert old in ENGINE
        source = ENGINE.replace(old, new)
        if name in BUFFERED:  # the hub's PYTHONUNBUFFERED does not hide the mistake in this file
            source = source.replace("import sys\n", "import sys\nsys.stdout = open(1, 'w', 4096)\n")
        spec = EngineSpec("mine", (sys.executable, "-S", "-c", source))
        subject = EngineUnderTest(spec, game="quoridor", patience=0.5, book=book)
        report = await check_engine(subject, {109, 201, MISTAKES[name][1][0]}, jobs=2)
        failures[name] = [result for result in report.results if result.status is CheckStatus.FAILED]

    async def run() -> None:
        async with trio.open_nursery() as nursery:
            for name in MISTAKES:
                nursery.start_soon(check, name)

    trio.run(run)
    return failures


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_one_failure_that_explains_it(failures: dict[str, list[CheckResult]], name: str) -> None:
    number, start, end = MISTAKES[name][1]
    (failure,) = failures[name]
    assert failure.number == number, failure
    assert start in failure.text
    assert failure.text.endswith(end)


def test_the_advice_of_a_crash_is_not_about_the_answer(failures: dict[str, list[CheckResult]]) -> None:
    for name in ("a crash", "one line", "no program"):
        assert failures[name][0].advice.startswith("correct the error that the message names, and read lines")
    assert "`bestmove`" in failures["a misspelt answer"][0].advice


async def test_standard_error_that_comes_in_pieces_is_recorded_in_whole_lines() -> None:
    pieces = (b"    ", b"import", b"\n", b"    ^\r\nSyntaxError", b": ", b"invalid syntax\n", b"x" * 100_000)
    source = f"import os, sys\nfor piece in {pieces}: os.write(2, piece)\nsys.exit(1)"
    subject = EngineUnderTest(EngineSpec("mine", (sys.executable, "-S", "-c", source)), game="quoridor")
    (failure,) = (await check_engine(subject, {101})).results
    errors = [line.partition("!")[2] for line in failure.evidence if "!" in line]
    assert errors[:3] == ["     import", "     ^", " SyntaxError: invalid syntax"]
    assert errors[3].endswith(" characters)")
    assert all(len(line) < 200 for line in failure.evidence)
