"""Files in PGN: each game is read with all its moves, or refused with a line and a reason."""

from __future__ import annotations

import io
import re
from random import Random

import pytest

from arena.errors import ArenaError
from arena.model import GameRecord, TournamentRecord
from arena.pgn import split
from arena.records.entries import ReadEntry, RefusedEntry
from arena.records.files import read_records
from arena.records.lawful import Unlawful, verify
from arena.records.pgn import write
from tests.fuzz import nasty
from tests.fuzz.explore import Findings, random_of, shares

TAGS = '[Event "t"]\n[Date "2026.01.02"]\n[Round "%d"]\n[White "Ann"]\n[Black "Bob"]\n[Result "%s"]\n'
GAMES = (
    "1. e4 {book} e5 {+0.31/12 0.512s, tl=9.488s} 2. Nf3 {[%%clk 0:01:02]} Nc6 3. Bb5 (3. Bc4 K {no)}) a6 %s",
    '[TimeControl "10+0.1"]\n\n1. f3 e5 {\n\n[a] b}\n2. g4 ; (a comment\nQh4# {0.1s, mate} %s',
    '[FEN "4k3/P6P/8/8/2p5/8/1P6/R3K2R w KQ - 0 1"]\n\n1. O-O Kd7 2. b4 cxb3 e.p. 3. a8=Q $1 b2 4. h8=Q %s',
    '[Variant "Chess960"]\n[FEN "1r2k2r/8/8/8/8/8/8/1R2K2R w KQkq - 0 1"]\n\n1. O-O-O Kd7 2. %s',
    '[FEN "8/8/4k3/8/8/3BK3/8/8 w - - 0 1"]\n\n1. Bc4+ Kd6 2. Bd3 Kd5 %s',
    "e2e4 e7e5\n%% escaped\nNg1-f3 Nb8-c6 3.\n%s",
    '[Variant "quoridor"]\n\n1. e2 e8 2. e3h {0.1s} d7h 3. e3 (3. x) "e7" %s',
    (
        '[Variant "quoridor4"]\n[Player3 "Cat"]\n[Player4 "Dan"]\n[Ranks "1 2 3 4"]\n\n'
        "1. e2 b5 e8 {[%%removed 4]} e3 2. c5 {+0.1/5 0.1s} e7 e4 c6h {time: late} %s"
    ),
)
RESULTS = ("1-0", "0-1", "1/2-1/2", "*", "½-½")
WORDS = (
    *nasty.BYTES,
    b" {", b" }", b" (", b") ", b" ;", b"\n%", b"\n\n", b"\r\n", b"\r\r\n", b"\xfc", "♘f3 ".encode(),
    b" Sf3 ", b" Nf3 ", b" e4 ", b"e5", b" 1-0\n", b" * ", b" 0-0 ", b" 1. ", b"7...", b"$1", b"!?", b" -- ",
    b'[Event "x"]\n', b'\n[White "Eve"]\n', b'[Result "1/2"]\n', b'[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n',
    b'[SetUp "0"]', b'[Variant "x"]', b'[TimeControl "1/1"]\n', b"{[%eval #-3][%emt 1:2:3]}",
    b'[Variant "quoridor"]\n', b'[Ranks "2 1 3 4"]\n', b" {[%removed 2]}", b' "e4" ', b'"', b" e2 e8 ",
    b"{d=1, mt=99999999999, wv=M1}", b"{+1.0/1 99999999}", b"{-M0/0 0}",
)  # fmt: skip


def example(rng: Random) -> bytes:
    """Return a file of one to three games, mostly with a few changes."""
    data = b""
    for number in range(rng.randint(1, 3)):
        result = rng.choice(RESULTS)
        moves = rng.choice(GAMES) % result
        data += (TAGS % (number, result) + ("" if moves[0] == "[" else "\n") + moves + "\n\n").encode()
    return nasty.changed_bytes(rng, data, WORDS) if rng.random() < 0.95 else data


HIDDEN = r'\[\s*\w[^\s"]*\s*"[^\r\n]*?"\s*\]|\{[^}]*\}|;[^\r\n]*|(?<![^\r\n])%[^\r\n]*'


def moves_in(text: str) -> int:
    """Count the words that look like moves outside of tags, comments and variations."""
    depth, kept = 0, ""
    for char in re.sub(HIDDEN, " ", text):
        depth += (char == "(") - (char == ")")
        kept += char if depth == 0 and char != ")" else " "
    return len(re.findall(r"[a-h][1-8](?![a-h]?[1-8]|[-x])|[O0]-[O0](?:-[O0])?", kept))


@pytest.mark.parametrize("numbers", shares(200, 20_000, size=5000))
def test_every_game_is_read_with_all_its_moves_or_refused(numbers: range) -> None:
    findings = Findings()
    for number in numbers:
        rng = random_of("pgn", number)
        data = example(rng)
        with findings.trying(number, data):
            texts = list(split([data]))
            assert "".join(text for _, text in texts).encode(errors="surrogateescape") in (data, b"")
            cuts = sorted(rng.choices(range(len(data) + 1), k=3))
            blocks = [data[start:end] for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True)]
            assert list(split(blocks)) == texts
            _read(data, texts)
    findings.check()


def _read(data: bytes, texts: list[tuple[int, str]]) -> None:
    try:
        entries = list(read_records("fuzz.pgn", io.BytesIO(data)))
    except ArenaError as error:
        assert "fuzz.pgn" in str(error)  # noqa: PT017 - most files are no error
        return
    lines = 1 + data.count(b"\n") + data.count(b"\r")
    games = [entry for entry in entries if not isinstance(getattr(entry, "entry", None), TournamentRecord)]
    assert len(games) == len(texts)
    for entry, (_, text) in zip(games, texts, strict=True):
        assert 1 <= entry.line <= lines
        if isinstance(entry, RefusedEntry):
            assert entry.reason.strip()
            continue
        record = entry.entry
        assert isinstance(record, GameRecord)
        played = len(record.opening.moves) + record.result.plies
        assert played == moves_in(text) or "is drawn by the laws" in entry.note
        try:
            verify(record)
        except Unlawful:
            continue  # the result contradicts the rules, which the import says
        assert_same_when_written_again(record)


def assert_same_when_written_again(record: GameRecord) -> None:
    """What is stored is written, read, and written again as the same text."""
    text = write(record)
    (again,) = [
        entry.entry
        for entry in read_records("t.pgn", io.BytesIO(text.encode()), record.result.tournament)
        if isinstance(entry, ReadEntry) and isinstance(entry.entry, GameRecord)
    ]
    assert (again.opening, again.final_position) == (record.opening, record.final_position)
    assert [ply.text for ply in again.record] == [ply.text for ply in record.record]
    assert write(again) == text
