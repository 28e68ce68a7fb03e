"""Files of openings: their index, their lines, and what makes a tournament reproducible."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import os
import zipfile
from pathlib import Path

import pytest

from arena.errors import ConfigError, OpeningError
from arena.model import Opening
from arena.openings.book import OpeningBook, OpeningSpec
from arena.openings.file import OpeningFile, open_file
from referee import game
from tests.arena.openings.listed import listed

QUORIDOR = game("quoridor")


def written(folder: Path, content: bytes | str) -> OpeningFile:
    path = folder / "book.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return open_file(path)


@pytest.mark.parametrize(
    "content",
    [
        "e2\ne2 e8\n\nd1",
        "\ufeffe2 # a mark before it\r\n  # nothing\r\n\r\n e2 e8 #\r\nd1\r\n",
        "# é,\u2028# and more\ne2\ne2 e8\n\n# ünd ÿ\nd1\n",
        "".join(f"# {number}{'é' * 3000}\n" for number in range(400))
        + "e2\ne2 e8\n"
        + "#" * 3_000_000
        + "\nd1\n",
    ],
)
def test_every_line_but_comments_is_an_opening(tmp_path: Path, content: str) -> None:
    file = written(tmp_path, content)
    assert (len(file), list(file), file[-1]) == (3, ["e2", "e2 e8", "d1"], "d1")
    assert file.digest == hashlib.sha256(b"e2\ne2 e8\nd1").hexdigest()[:12]
    lines = content.split("\n")
    assert all(opening in lines[file.line(index) - 1] for index, opening in enumerate(file))


def test_a_comment_starts_after_a_space_and_not_in_quotes(tmp_path: Path) -> None:
    file = written(
        tmp_path, 'a bm Qxf7#; # mate\nb id "no #1"; c9 "#"; # x "y"\n#c\n"d # e\nc "\\" #"; # f\n'
    )
    assert list(file) == ["a bm Qxf7#;", 'b id "no #1"; c9 "#";', '"d', 'c "\\" #";']


def test_the_settings_of_a_tournament_do_not_contain_the_path_of_a_list(tmp_path: Path) -> None:
    file = written(tmp_path, "e2\n\nd1 # two\n")
    assert str(OpeningSpec("list", file)) == str(OpeningSpec("list", listed("e2", "d1")))
    assert OpeningSpec("list", file) == OpeningSpec("list", open_file(file.path))
    assert hash(file) == hash(open_file(file.path))
    assert OpeningSpec("list", file) != OpeningSpec("list", written(tmp_path, "d1\n"))


def test_only_the_first_lines_are_checked_before_they_are_used(tmp_path: Path) -> None:
    file = written(tmp_path, "# book\n" + "e2 e8\n" * 150 + "e2 e5 # far\n")
    book = OpeningBook(OpeningSpec("list", file), QUORIDOR)
    book.check()
    with pytest.raises(OpeningError) as caught:
        book.opening(150)
    message = f"{file.path}, line 152: quoridor refuses it: opening 'e2 e5': move 2, 'e5': "
    assert str(caught.value).startswith(message)
    assert book.opening(151).moves == ("e2", "e8")


def test_a_file_that_changes_meanwhile_is_not_read_on(tmp_path: Path) -> None:
    file = written(tmp_path, "e2\nd1\n")
    os.utime(file.path, ns=(1, 1))
    with pytest.raises(
        OpeningError, match=r"book\.txt: this file has changed since the tournament was loaded"
    ):
        OpeningBook(OpeningSpec("list", file), QUORIDOR).opening(1)


def test_openings_have_the_names_of_their_books(tmp_path: Path) -> None:
    epd = "4k3/8/8/8/8/8/4P3/4K2R w K -"
    (tmp_path / "book.epd").write_text(f'{epd} bm O-O; id "rook and pawn";\n{epd}\n')
    (tmp_path / "book.pgn").write_text('[Opening "Open game"]\n\n1. e4 e5 *\n\n[ECO "A40"]\n\n1. d4 *\n')
    books = [
        OpeningBook(OpeningSpec("list", open_file(tmp_path / name)), game("chess"))
        for name in ("book.epd", "book.pgn")
    ]
    assert [[book.opening(number).name or "" for number in range(3)] for book in books] == [
        ["rook and pawn", "", "rook and pawn"],
        ["Open game", "A40", "Open game"],
    ]


def test_a_file_that_is_replaced_meanwhile_stays_what_it_was(tmp_path: Path) -> None:
    file = written(tmp_path, "e2\nd1\n")
    file.path.unlink()
    file.path.write_text("f1\n")
    assert list(file) == ["e2", "d1"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "book.txt: this has no openings; add one"),
        (b"# e2\n \n", "book.txt: this has no openings; add one"),
        (b"e2\nd1\n\xff\n", "book.txt, line 3: this is not UTF-8"),
        (b"e2\n" * 500_000 + b"\xff", "book.txt, line 500001: this is not UTF-8"),
    ],
)
def test_what_is_no_book_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        written(tmp_path, content)
    assert message in str(caught.value)


def test_what_cannot_be_opened_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="this is a folder; name a file in it"):
        open_file(tmp_path)
    with pytest.raises(ConfigError, match="there is no such file"):
        open_file(tmp_path / "none")
    with pytest.raises(ConfigError, match="this cannot be read: File name too long"):
        open_file(tmp_path / ("x" * 5000))


PGN = """[Event "a book"]
[Result "*"]

1. e4 e5 (1... c5 2. Nf3) 2. Nf3 {best} *

[Event "from a position"]
[SetUp "1"]
[FEN "4k3/8/8/8/8/8/4P3/4K2R w K - 5 20"]

20. O-O
{ [Event "no tag"]
} Kd7 *
[Event "a position alone"]
[FEN "4k3/8/8/8/8/8/4P3/4K2R b K - 5 20"]

*

[Event "bad"]

1. e4 e4 *

[Event "without a move"]

*
"""

BOOK = b"e2\ne2 e8\nd1\n"


def zipped(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return out.getvalue()


def without_bytes(value: object) -> str:
    """The name of a value in the name of a test: the bytes of gzip contain the time."""
    return value if isinstance(value, str) else "bytes"


def locked(archive: bytes) -> bytes:
    """Say in both headers of the only file that it is encrypted."""
    data = bytearray(archive)
    data[6] |= 1
    data[data.index(b"PK\1\2") + 8] |= 1
    return bytes(data)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("book.txt.gz", gzip.compress(BOOK)),
        ("book.GZ", gzip.compress(b"\xef\xbb\xbf# book\r\n" + BOOK)),
        ("book.epd", gzip.compress(BOOK[:3]) + gzip.compress(BOOK[3:])),
        ("book.zip", zipped(("folder/", b""), ("folder/book", BOOK), ("__MACOSX/folder/._book", b"\0"))),
        ("book.epd", zipped(("book.txt", BOOK), method=zipfile.ZIP_STORED)),
        ("book.zip", zipped(("book.EPD", BOOK), ("README.md", b"# book"), ("LICENSE", b""))),
        ("book.zip", zipped(("book", BOOK), method=zipfile.ZIP_LZMA)),
    ],
    ids=without_bytes,
)
def test_a_packed_file_is_read(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    file = open_file(path)
    assert list(file) == ["e2", "e2 e8", "d1"]
    assert file.digest == written(tmp_path, BOOK).digest
    assert file.place(2).startswith(f"{path}, line ")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (gzip.compress(BOOK)[:-9], "this cannot be unpacked: Compressed file ended before"),
        (gzip.compress(BOOK)[:-8] + b"\0" * 8, "this cannot be unpacked: CRC check failed"),
        (b"PK\3\4" + b"\0" * 98, "this cannot be unpacked: File is not a zip file"),
        (zipped(("a.epd", BOOK))[:-1], "this cannot be unpacked: File is not a zip file"),
        (locked(zipped(("a.epd", BOOK))), "this cannot be unpacked: File 'a.epd' is encrypted, password"),
        (zipped(), "one book was expected in this zip, not 0 files; unpack it, and name one"),
        (zipped(("a.epd", BOOK), ("b.pgn", BOOK)), "one book was expected in this zip, not 2 books"),
        (zipped(("a.txt", BOOK), ("b.md", BOOK)), "one book was expected in this zip, not 2 files"),
        (zipped(("a.bin", b"\0\1")), "this is a binary file"),
        (gzip.compress(gzip.compress(BOOK)), "this is a binary file"),
        (bz2.compress(BOOK), "this is a binary file"),
        (lzma.compress(BOOK), "this is a binary file"),
        (bytes(range(256)) * 16, "this is a binary file"),
        ("e2\n".encode("utf-16"), "line 1: this is not UTF-8; save the file as UTF-8"),
    ],
    ids=without_bytes,
)
def test_what_holds_no_text_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        written(tmp_path, content)
    assert message in str(caught.value)


def test_a_pipe_is_no_book(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ConfigError, match="this cannot be read: it is a pipe or a device, and no file"):
        open_file(tmp_path / "pipe")


def test_the_games_of_a_pgn_file_are_openings(tmp_path: Path) -> None:
    path = tmp_path / "book.PGN"
    path.write_text(PGN)
    file = open_file(path)
    book = OpeningBook(OpeningSpec("list", file), game("chess"))
    fen = "4k3/8/8/8/8/8/4P3/4K2R w K - 5 20"
    assert [book.opening(number) for number in range(3)] == [
        Opening(moves=("e2e4", "e7e5", "g1f3")),
        Opening(fen, ("e1g1", "e8d7")),
        Opening(fen.replace(" w ", " b ")),
    ]
    with pytest.raises(OpeningError, match=r"book\.PGN, line 20: the move 1\.\.\. 'e4' is illegal"):
        book.opening(3)
    assert book.opening(4).position == str(game("chess").start())
    assert len(file) == 5
    path.write_text(PGN.replace("best", "good"))
    assert str(OpeningSpec("list", open_file(path))) != str(OpeningSpec("list", file))


def test_pgn_in_a_file_of_another_name_is_refused_as_pgn(tmp_path: Path) -> None:
    with pytest.raises(OpeningError, match=r"book\.txt, line 2: this is PGN; give the file a name"):
        OpeningBook(OpeningSpec("list", written(tmp_path, f"\n{PGN}")), QUORIDOR).check()


def test_a_pgn_file_of_chess960_is_for_chess960(tmp_path: Path) -> None:
    path = tmp_path / "book.pgn"
    fen = "1r2k2r/8/8/8/8/8/8/1R2K2R w KQkq - 0 1"
    path.write_text(f'[Variant "Chess960"]\n[FEN "{fen}"]\n\n1. O-O-O *\n')
    spec = OpeningSpec("list", open_file(path))
    opening = OpeningBook(spec, game("chess960")).opening(0)
    assert opening == Opening(fen.replace("KQkq", "HBhb"), ("e1b1",))
    with pytest.raises(OpeningError, match=r"book\.pgn, line 1: chess refuses it: .* castling"):
        OpeningBook(spec, game("chess")).check()


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_pgn_book_may_have_moves_alone_empty_lines_and_letters_of_latin_1(tmp_path: Path, end: str) -> None:
    path = tmp_path / "book.pgn"
    games = [
        "; M\xfcller\n\n1. e4 e5\n\n{M\xfcller}\n\n2. Nf3 *",
        "1. d4\nd5 *",
        "1. d4\nSf6 2. c4 *",
        "1. c4 *",
    ]
    path.write_bytes("\n\n".join(games).replace("\n", end).encode("latin-1"))
    file = open_file(path)
    book = OpeningBook(OpeningSpec("list", file), game("chess"))
    assert [book.opening(number).moves for number in (0, 1, 3)] == [
        ("e2e4", "e7e5", "g1f3"),
        ("d2d4", "d7d5"),
        ("c2c4",),
    ]
    with pytest.raises(OpeningError, match=r"book\.pgn, line 13: 'Sf6' is no move in PGN, whose pieces"):
        book.opening(2)
