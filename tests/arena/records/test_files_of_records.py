"""A file of records as a whole: what is written, and whose fault it is when it cannot be read."""

import errno
import io
from dataclasses import replace

import pytest

from arena.errors import ArenaError
from arena.model import GameRecord, GameResult, Opening, PlayerRecord, RatingListRecord
from arena.records import files as reader
from arena.records.entries import ReadEntry
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


def test_a_file_that_cannot_be_read_is_named() -> None:
    with pytest.raises(ArenaError) as caught:
        list(read_records("games.txt", Broken()))
    assert str(caught.value) == "games.txt: this cannot be read: Input/output error"


@pytest.mark.parametrize("content", [b"", b"[Event]\n", b"x" * 30])
def test_a_file_of_something_else_is_refused_with_how_files_start(
    content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "LONGEST", 20)  # the last of them has a line that is too long
    with pytest.raises(ArenaError) as caught:
        list(read_records("games.txt", io.BytesIO(content)))
    assert str(caught.value).startswith(
        "games.txt: is not a file of games: it has no tag of PGN, and its first line is not"
        ' {"leapfrog-arena records":1}; '
    )
