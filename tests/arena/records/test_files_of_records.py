"""A file of records as a whole: what is written, and whose fault it is when it cannot be read."""

import errno
import gzip
import io
import lzma
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli import main
from arena.errors import ArenaError
from arena.model import GameRecord, GameResult, Opening, PlayerRecord, RatingListRecord
from arena.records import files as reader
from arena.records.entries import NO_LINE, ReadEntry, RefusedEntry
from arena.records.files import read_records, write_records
from referee import Termination

RATINGS = RatingListRecord("quoridor", {"beta": "4"})
PLAYERS = tuple(PlayerRecord(name, "1", None, 0.0, None, "10", 100, 0) for name in "ab")
RESULT = GameResult(7, "spring", 3, "key", "quoridor", Termination.VOID, "", "", 0, PLAYERS)
GAME = GameRecord(RESULT, Opening(), (), "", 100.5, 11)


class Broken(io.BytesIO):
    """A file on a disk with a fault."""

    def readline(self, size: int | None = -1, /) -> bytes:
        raise OSError(errno.EIO, "Input/output error")


def test_a_file_has_a_header_and_all_entries_and_the_games_are_counted() -> None:
    out = io.BytesIO()
    other = replace(GAME, result=replace(RESULT, key="another"))
    assert write_records([GAME, RATINGS, other], "jsonl", out) == 2
    assert out.getvalue().startswith(b'{"leapfrog-arena records":1}\n')
    parts = list(read_records("games", io.BytesIO(out.getvalue())))
    assert [part.entry for part in parts if isinstance(part, ReadEntry)] == [GAME, RATINGS, other]


def test_without_entries_there_is_a_header_and_no_game() -> None:
    out = io.BytesIO()
    assert write_records([], "jsonl", out) == 0
    assert list(read_records("games", io.BytesIO(out.getvalue()))) == []


def test_a_file_that_cannot_be_read_is_named() -> None:
    with pytest.raises(ArenaError) as caught:
        list(read_records("games.txt", Broken()))
    assert str(caught.value) == "games.txt: cannot be read: Input/output error"


@pytest.mark.parametrize("content", [b"", b"[Event]\n", b"x" * 30])
def test_a_file_of_something_else_is_told_how_files_begin(
    content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "LONGEST", 20)  # the last of them has a line that is too long
    with pytest.raises(ArenaError) as caught:
        list(read_records("games.txt", io.BytesIO(content)))
    assert str(caught.value) == (
        "games.txt: is not a file of games: it has no tag of PGN, and its first line is not"
        ' {"leapfrog-arena records":1}'
    )


def test_a_line_that_is_too_long_costs_one_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "LONGEST", 80)
    out = io.BytesIO()
    write_records([RATINGS], "jsonl", out)
    header, line = out.getvalue().splitlines(keepends=True)
    content = header + b" " * 200 + b"\n" + line
    assert list(read_records("games", io.BytesIO(content))) == [
        RefusedEntry(2, "text", NO_LINE),
        ReadEntry(3, RATINGS),
    ]


TEXT = b'{"leapfrog-arena records":1}\n'


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (gzip.compress(TEXT, mtime=0), "is compressed; use: gzip -dc FILE | arena import -"),
        (lzma.compress(TEXT), "is compressed; use: xz -dc FILE | arena import -"),
        (b"\x28\xb5\x2f\xfd\x04\x58", "is compressed; use: zstd -dc FILE | arena import -"),
        (TEXT.decode().encode("utf-16"), "is UTF-16, but records must be UTF-8; use: "),
        (TEXT.decode().encode("utf-16-be"), "is UTF-16, but records must be UTF-8; use: "),
        (TEXT.decode().encode("utf-16-le"), "is UTF-16, but records must be UTF-8; use: "),
        ('[Event "t"]\n'.encode("utf-16-le"), "is UTF-16, but records must be UTF-8; use: "),
        (b"SQLite format 3\x00", "is a database, not text; use: arena export --db FILE | arena import -"),
        (b"", "is not a file of games: it has no tag of PGN"),
    ],
)
def test_a_file_in_another_dress_is_known(content: bytes, reason: str, tmp_path: Path) -> None:
    database = tmp_path / "new.db"
    done = CliRunner().invoke(main, ["import", "-", "--db", str(database)], input=content)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: standard input: {reason}")
    assert not database.exists()
