"""`arena openings`: lists of openings for tournaments, and the engine that filters them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import Result

from arena.openings.book import OpeningBook, OpeningSpec
from referee import game
from tests.arena.invoking import invoke, refusal
from tests.arena.openings.listed import listed

pytestmark = pytest.mark.usefixtures("no_warning_for_root")

HOSTILE = Path(__file__).parents[2] / "engines" / "hostile_engine.py"


def openings(*arguments: str) -> Result:
    return invoke("openings", *arguments)


def engine(mode: str) -> str:
    return f"'{sys.executable}' -S '{HOSTILE}' {mode}"


def test_openings_are_as_in_a_tournament_with_the_same_seed() -> None:
    done = openings("hops", "--plies", "2", "--count", "5", "--seed", "9")
    assert done.exit_code == 0, done.output
    book = OpeningBook(OpeningSpec("random", plies=2, seed=9), game("hops"))
    assert done.stdout.splitlines() == [" ".join(book.opening(number).moves) for number in range(5)]


def test_an_engine_keeps_what_it_holds_for_level(tmp_path: Path) -> None:
    file = tmp_path / "book.txt"
    done = openings(
        "quoridor", "--count", "3", "--filter", engine("sure-to-win"), "--window", "900", "-o", str(file)
    )
    assert done.exit_code == 0, done.output
    assert done.stderr == "within 900 centipawns: 3 of 3 openings\n"
    lines = file.read_text().splitlines()
    assert all(line.endswith("  # +900") for line in lines)
    entries = tuple(line.partition("#")[0].strip() for line in lines)
    OpeningBook(OpeningSpec("list", listed(*entries)), game("quoridor")).check()


def test_a_file_is_replaced_only_when_asked_to(tmp_path: Path) -> None:
    file = tmp_path / "book.txt"
    file.write_text("mine\n")
    refused = openings("hops", "--count", "1", "-o", str(file))
    assert (refused.exit_code, file.read_text()) == (2, "mine\n")
    assert f"{file} exists; choose another name, or replace it with --force" in refused.stderr
    assert openings("hops", "--count", "1", "-o", str(file), "--force").exit_code == 0
    assert file.read_text() != "mine\n"


@pytest.mark.parametrize(("answer", "replaced"), [("y\n", True), ("n\n", False)])
def test_on_a_terminal_a_question_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, replaced: bool
) -> None:
    file = tmp_path / "book.txt"
    file.write_text("mine\n")
    monkeypatch.setattr("arena.cli.common.output.is_terminal", lambda: True)
    done = invoke("openings", "hops", "--count", "1", "-o", file, input=answer)
    assert (done.exit_code == 0, file.read_text() != "mine\n") == (replaced, replaced)


def test_a_file_is_checked_whole_and_each_bad_line_is_named(tmp_path: Path) -> None:
    file = tmp_path / "book.txt"
    file.write_text("# book\n" + "e2 e8\n" * 120 + "e2 e5\nd1\nnonsense\n")
    done = openings("quoridor", "--check", str(file))
    assert done.exit_code == 1
    first, second, count = done.stdout.splitlines()
    assert first.startswith(f"{file}, line 122: quoridor refuses it: opening 'e2 e5': move 2")
    assert second.startswith(f"{file}, line 124: quoridor refuses it: opening 'nonsense': move 1")
    assert count == "123 openings, 2 bad"
    file.write_text("e2 e8\n")
    done = openings("quoridor", "--check", str(file))
    assert (done.exit_code, done.stdout) == (0, "1 opening, 0 bad\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--check", "none.txt"), "none.txt: there is no such file"),
        (("--count", "1", "--filter", engine("sure-to-win")), "only 0 of 100 openings are within 50"),
        (("--filter", engine("honest")), "the engine reported no score with its move"),
        (("--filter", engine("hangs-in-search")), "the filter: did not answer before its time was up"),
        (("--filter", engine("exits-at-start")), "the filter: ended with exit code 3"),
        (("--filter", "./nope"), "there is no file nope"),
        (("--filter", "'"), "can't be split into words"),
        (("--start", "halves"), "'halves' is no set-up of this game"),
    ],
)
def test_what_goes_wrong_is_one_message(
    arguments: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "did not answer" in message:
        monkeypatch.setattr("arena.cli.openings._MARGIN", 100)
    assert message in refusal(openings("quoridor", *arguments))
