"""The archive in JSON lines: a written entry is read as it was, and a fault costs one entry."""

import io
import re
import tracemalloc
from codecs import BOM_UTF8
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.model import (
    GameRecord,
    GameResult,
    Opening,
    PlayerRecord,
    RatingListRecord,
    TournamentRecord,
)
from arena.records.entries import Entry, ReadEntry, RefusedEntry
from arena.records.files import FORMATS, read_records, write_records
from protocol.wire.messages import thought
from referee import Termination
from referee.ply import Ply
from tests.arena.any_games import GAMES, INSTANTS, SETTINGS, WORDS

PAGE = Path(__file__).parents[3] / "docs/reference/records.md"


ENTRIES = (
    GAMES
    | st.builds(TournamentRecord, WORDS, INSTANTS, SETTINGS, WORDS)
    | st.builds(RatingListRecord, WORDS, SETTINGS)
)


def written(entries: Iterable[Entry], form: str = "jsonl") -> bytes:
    out = io.BytesIO()
    write_records(entries, form, out)
    return out.getvalue()


def read(content: bytes) -> list[ReadEntry | RefusedEntry]:
    return list(read_records("games.jsonl", io.BytesIO(content)))


def faults(content: bytes) -> list[tuple[int, str]]:
    return [(part.line, part.reason) for part in read(content) if isinstance(part, RefusedEntry)]


SECOND = 10**9
SAMPLE = GameRecord(
    GameResult(
        None,
        "spring",
        0,
        "quatre-en-ligne:alpha|beta:0",
        "quatre-en-ligne",
        Termination.CRASH,
        "crash",
        "seat 2 ended with exit code 1",
        2,
        (
            PlayerRecord(
                "alpha",
                "1.0",
                1,
                1.0,
                None,
                "10+0.1",
                100,
                3 * SECOND,
                "",
                {"Hash": "16", "Skill Level": "3"},
            ),
            PlayerRecord('beta "b"', "", 2, 0.0, Termination.CRASH, "10+0.1", 100, SECOND, "", {}),
        ),
    ),
    Opening(None, ("0,0", "4,3")),
    (Ply(0, "1,1", 3 * SECOND, "cp 12", 5, thought(2400, 20000, 7, 3, "1,1 3,0")), Ply(1, "3,0", SECOND)),
    "____r/_____/_w___/w__r_ 0,0 4 4 w",
    1_774_116_001.5,
    4 * SECOND,
)


@pytest.fixture
def sample() -> GameRecord:
    """A game that an engine has lost by a crash."""
    return SAMPLE


@given(entries=st.lists(ENTRIES, max_size=3))
def test_what_is_written_is_what_is_read(entries: list[Entry]) -> None:
    parts = read(written(entries))
    assert [part.entry if isinstance(part, ReadEntry) else part for part in parts] == entries


def test_the_json_lines_of_the_page_can_be_read() -> None:
    (block,) = re.findall(r"^```json\n(\{.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert [type(part) for part in read(block.encode())] == [ReadEntry, ReadEntry]


def test_files_can_be_joined_and_have_windows_line_ends(sample: GameRecord) -> None:
    once = written([sample])
    parts = read((BOM_UTF8 + once + BOM_UTF8 + once).replace(b"\n", b"\r\n"))
    assert [part.entry for part in parts if isinstance(part, ReadEntry)] == [sample, sample]


def test_a_file_that_was_cut_off_has_a_bad_game_at_its_end(sample: GameRecord) -> None:
    content = written([sample, sample])
    for cut in range(len(written([sample])) + 1, len(content) - 2, 40):
        ((line, _),) = faults(content[:cut])
        assert line == 3


def change(record: GameRecord, **result: object) -> GameRecord:
    return replace(record, result=replace(record.result, **result))


@pytest.mark.parametrize("form", FORMATS)
def test_memory_does_not_grow_with_the_file(
    form: str, sample: GameRecord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.records.files._BLOCK", 4096)
    file = tmp_path / "games"

    def peak(count: int) -> int:
        tracemalloc.start()
        try:
            with file.open("wb") as out:
                write_records((change(sample, number=number) for number in range(count)), form, out)
            with file.open("rb") as source:
                parts = (part for part in read_records("games", source) if isinstance(part, ReadEntry))
                assert sum(isinstance(part.entry, GameRecord) for part in parts) == count
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(500)  # objects that are made once and kept
    few, size = peak(100), file.stat().st_size
    more = peak(500) - few
    assert more < (file.stat().st_size - size) / 4


@pytest.mark.parametrize("text", ["\\n", "x\n", '" "', "x ", "[x] "])
def test_a_long_comment_takes_no_more_memory_than_it_is_long(text: str) -> None:
    content = f'[Variant "quoridor"]\n[White "a"]\n[Black "b"]\n\n1. e2 {{{text * 100_000}}} e5 *\n'.encode()
    tracemalloc.start()
    try:
        ((_, reason),) = faults(content)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert "the move 1... 'e5' is illegal" in reason
    assert peak < 14_000_000
