"""The range of numbers in records, and the first line of a file."""

from __future__ import annotations

import io
from dataclasses import replace
from math import inf, nan

import pytest
from msgspec import structs

from arena.errors import ArenaError
from arena.model import (
    GameRecord,
    GameResult,
    Opening,
    PlayerRecord,
    RatingListRecord,
    TournamentRecord,
)
from arena.records import files as source
from arena.records.entries import LONGEST, NO_LINE, VERSION, Entry, ReadEntry, check
from arena.records.files import FORMATS, read_records
from referee import Termination
from referee.ply import Ply

# --- numbers for a database --------------------------------------------------------------------------------

MOST = 2**63 - 1
MARGIN = 30 * 24 * 3600 * 1000  # milliseconds in 30 days
YEAR_1000, YEAR_9000 = -30_610_224_000.0, 221_845_392_000.0
PLAYER = PlayerRecord("a", "", 1, 0.5, None, "none", MARGIN, MOST)
SECOND = replace(PLAYER, name="b")
NINETY_NINE = tuple(replace(PLAYER, name=str(number)) for number in range(99))
RESULT = GameResult(None, "t", MOST, "k", "quoridor", Termination.CRASH, "crash", "", 1, (PLAYER, SECOND))
PLY = Ply(0, "e2", MOST, "", MOST)
GAME = GameRecord(RESULT, Opening(), (PLY, PLY), "f", 0.0, MOST)
SCHEDULE, DURATION = "the number in the schedule", "the duration"
TOO_LARGE = "is too large, or negative"
OUT = "is not a number from .* to .*"
NO_DATE = "is not between the years 1000 and 9000"


def second(**changes: object) -> GameRecord:
    return replace(GAME, result=replace(RESULT, players=(PLAYER, replace(SECOND, **changes))))


def ply(**changes: object) -> GameRecord:
    return replace(GAME, record=(PLY, structs.replace(PLY, **changes)))


@pytest.mark.parametrize(
    "entry",
    [
        GAME,
        ply(seat=0, time=0, depth=None),
        ply(depth=-MOST),
        second(margin=0, time_used=0, points=-1.5),
        second(points=1e6),
        second(points=-1e6),
        replace(GAME, started=YEAR_1000),
        replace(GAME, started=YEAR_9000),
        TournamentRecord("t", YEAR_1000, {}),
        replace(GAME, result=replace(RESULT, players=NINETY_NINE)),
        RatingListRecord("hops", {}),
    ],
)
def test_numbers_within_their_bounds_can_be_held(entry: Entry) -> None:
    assert check(entry) is entry


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        (replace(GAME, result=replace(RESULT, number=-1)), f"{SCHEDULE} {OUT}"),
        (replace(GAME, result=replace(RESULT, number=MOST + 1)), f"{SCHEDULE} {OUT}"),
        (replace(GAME, duration=-1), f"{DURATION} {OUT}"),
        (replace(GAME, duration=MOST + 1), f"{DURATION} {OUT}"),
        (replace(GAME, started=inf), f"the start of the game {NO_DATE}"),
        (replace(GAME, started=YEAR_1000 - 1), f"the start of the game {NO_DATE}"),
        (replace(GAME, started=YEAR_9000 + 1), f"the start of the game {NO_DATE}"),
        (replace(GAME, result=replace(RESULT, players=(PLAYER,) * 100)), "it has more than 99 players"),
        (second(name="a"), "two of its players have the same name, or one has none"),
        (second(name=""), "two of its players have the same name, or one has none"),
        (second(margin=-1), f"the margin of player 2 {OUT}"),
        (second(margin=MARGIN + 1), f"the margin of player 2 {OUT}"),
        (second(points=1e6 + 1), f"the points of player 2 {OUT}"),
        (second(points=-1e6 - 1), f"the points of player 2 {OUT}"),
        (second(time_used=MOST + 1), f"the time used by player 2 {OUT}"),
        (second(points=nan), f"the points of player 2 {OUT}"),
        (ply(seat=-1), f"a number of ply 2 {TOO_LARGE}"),
        (ply(time=-1), f"a number of ply 2 {TOO_LARGE}"),
        (ply(time=MOST + 1), f"a number of ply 2 {TOO_LARGE}"),
        (ply(depth=MOST + 1), f"a number of ply 2 {TOO_LARGE}"),
        (ply(depth=-MOST - 1), f"a number of ply 2 {TOO_LARGE}"),
        (TournamentRecord("t", nan, {}), f"the start of the tournament {NO_DATE}"),
        (TournamentRecord("t", 1e300, {}), f"the start of the tournament {NO_DATE}"),
    ],
)
def test_a_number_that_cannot_be_held_is_named(entry: Entry, problem: str) -> None:
    with pytest.raises(ValueError, match=f"^{problem}$"):
        check(entry)


# --- the first line, and other lines -----------------------------------------------------------------------

HEADER = b'{"leapfrog-arena records":1}\n'
CUP = b'{"tournament":{"name":"cup","created":0.0,"settings":{}}}\n'


def records(content: bytes) -> list[object]:
    return list(read_records("games.txt", io.BytesIO(content)))


def test_the_page_has_the_limits_and_the_version() -> None:
    assert (VERSION, LONGEST, list(FORMATS)) == (1, 16 * 1024 * 1024, ["pgn", "jsonl"])


@pytest.mark.parametrize(
    "header",
    [HEADER, b"\xef\xbb\xbf" + HEADER, HEADER.replace(b"1", b"0"), b'{ "leapfrog-arena records" : 1 } \r\n'],
)
def test_the_first_line_tells_the_format(header: bytes) -> None:
    (part,) = records(header + CUP)
    assert isinstance(part, ReadEntry)
    assert (part.line, part.entry) == (2, TournamentRecord("cup", 0.0, {}))


HINT = "is not a file of games: it has no tag of PGN, and its first line is not "


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", HINT),
        (b" " + HEADER, HINT),
        (b'{"leapfrog-arena records":1234567890}\n', HINT),
        (b"x" + b"\x1f\x8b", HINT),
        (b'{"leapfrog-arena records": 017}\n', "has version 17 of the format; read it with"),
        (b"\x1f\x8b\x08\n", HINT),
        (b"{\x00\n", HINT),
    ],
)
def test_another_first_line_is_refused_with_a_hint(content: bytes, reason: str) -> None:
    with pytest.raises(ArenaError) as caught:
        records(content)
    assert str(caught.value).startswith(f"games.txt: {reason}")


def test_a_line_that_is_too_long_or_no_text_is_none_and_the_next_one_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(source, "LONGEST", 30)
    for length, fits in ((29, True), (30, False), (59, False), (60, False), (61, False)):
        parts = records(HEADER + b" " * length + b"\n" + b"{}\n")
        assert [part.line for part in parts] == ([3] if fits else [2, 3])
    parts = records(HEADER + b"\xff\n{}\n")
    assert [(part.line, part.reason) for part in parts if not isinstance(part, ReadEntry)][:1] == [
        (2, NO_LINE)
    ]
