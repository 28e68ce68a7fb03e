"""Strings, times and numbers in records, the range of numbers, and the first line of a file."""

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
from arena.records.notation import (
    instant,
    nanoseconds,
    number,
    parse_instant,
    parse_number,
    parse_seconds,
    quoted,
    seconds,
    unquoted,
)
from referee import Termination
from referee.ply import Ply

SECOND = 1_000_000_000


# --- times and numbers -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (0, "0"),
        (1, "0.000000001"),
        (SECOND // 4, "0.25"),
        (SECOND - 1, "0.999999999"),
        (SECOND, "1"),
        (10 * SECOND, "10"),
        (100 * SECOND + 10, "100.00000001"),
        (2**63 - 1, "9223372036.854775807"),
    ],
)
def test_a_time_has_as_many_decimals_as_there_are(ns: int, text: str) -> None:
    assert seconds(ns) == text
    assert parse_seconds(text) == nanoseconds(text) == ns


def test_a_time_may_have_zeros_more_than_it_needs() -> None:
    assert parse_seconds("00.250000000") == SECOND // 4
    assert parse_seconds("999999999999") == 999_999_999_999 * SECOND


@pytest.mark.parametrize(
    "text", ["", "-1", "+1", ".5", "1.", "1e3", " 1", "1\n", "0.0000000001", "1000000000000", "\u0661", "1,5"]
)
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a time") as caught:
        parse_seconds(text)
    assert (
        str(caught.value)
        == f"{text!a} is not a time in seconds, such as 0.25 (with at most nine decimal places)"
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (1.0, "1"),
        (-2.5, "-2.5"),
        (0.1 + 0.2, "0.30000000000000004"),
        (1e300, "1e+300"),
        (5e-324, "5e-324"),
    ],
)
def test_a_number_has_the_fewest_digits_that_give_it_back(value: float, text: str) -> None:
    assert number(value) == text
    assert parse_number(text) == parse_instant(text) == value


def test_a_number_may_be_written_otherwise() -> None:
    assert [parse_number(text) for text in ("1e5", "1e+5", "100000.0", "0100000")] == [100_000] * 4


@pytest.mark.parametrize("text", ["1E5", "nan", "inf", "1_0", "", "1.", ".5", "1e1000", "--1", "+1", " 1"])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a number") as caught:
        parse_number(text)
    assert str(caught.value) == f"{text!a} is not a number"


@pytest.mark.parametrize(
    ("since_epoch", "text"),
    [
        (0.0, "1970-01-01T00:00:00Z"),
        (1_700_000_000.5, "2023-11-14T22:13:20.5Z"),
        (253_402_300_799.0, "9999-12-31T23:59:59Z"),
        (253_402_300_800.0, "253402300800"),
        (-1.0, "-1"),
        (1e-7, "1e-07"),
    ],
)
def test_an_instant_is_a_date_where_a_calendar_has_it(since_epoch: float, text: str) -> None:
    assert instant(since_epoch) == text
    assert parse_instant(text) == since_epoch


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("2023-02-29T00:00:00Z", "is not a valid date and time"),
        ("0000-01-01T00:00:00Z", "is not a valid date and time"),
        ("2023-11-14T24:00:00Z", "is not a valid date and time"),
        ("2023-11-14T22:13:20", "is not a date and time, such as 2023-11-14T22:13:20Z"),
        ("2023-11-14 22:13:20Z", "is not a date and time, such as 2023-11-14T22:13:20Z"),
        ("2023-11-14T22:13:20.Z", "is not a date and time, such as 2023-11-14T22:13:20Z"),
        ("2023-11-14", "is not a date and time, such as 2023-11-14T22:13:20Z"),
        ("nan", "is not a date and time, such as 2023-11-14T22:13:20Z"),
    ],
)
def test_what_is_no_instant_is_refused(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match="is ") as caught:
        parse_instant(text)
    assert str(caught.value) == f"{text!a} {problem}"


def test_strings_are_those_of_json() -> None:
    assert quoted('a"\\\n\u00e9') == '"a\\"\\\\\\n\u00e9"'
    assert unquoted(['"a"', '"\\u00e9\\n"', '""']) == ("a", "\u00e9\n", "")
    with pytest.raises(ValueError, match=r"^an escape \\u is only half of a character; add the other half$"):
        unquoted(['"a"', '"\\ud83d"'])


# --- numbers for a database --------------------------------------------------------------------------------

MOST = 2**63 - 1
MARGIN = 30 * 24 * 3600 * 1000  # milliseconds in 30 days
YEAR_1000, YEAR_9000 = -30_610_224_000.0, 221_845_392_000.0
PLAYER = PlayerRecord("a", "", 1, 0.5, None, "none", MARGIN, MOST)
RESULT = GameResult(None, "t", MOST, "k", "quoridor", Termination.CRASH, "crash", "", 1, (PLAYER, PLAYER))
PLY = Ply(0, "e2", MOST, "", MOST)
GAME = GameRecord(RESULT, Opening(), (PLY, PLY), "f", 0.0, MOST)
SCHEDULE, DURATION = "the number in the schedule", "the duration"
TOO_LARGE, FINITE = "is too large, or negative", "is not a finite number"
NO_DATE = "is not between the years 1000 and 9000"


def second(**changes: object) -> GameRecord:
    return replace(GAME, result=replace(RESULT, players=(PLAYER, replace(PLAYER, **changes))))


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
        replace(GAME, result=replace(RESULT, players=(PLAYER,) * 99)),
        RatingListRecord("hops", {}),
    ],
)
def test_numbers_within_their_bounds_can_be_held(entry: Entry) -> None:
    assert check(entry) is entry


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        (replace(GAME, result=replace(RESULT, number=-1)), f"{SCHEDULE} {TOO_LARGE}"),
        (replace(GAME, result=replace(RESULT, number=MOST + 1)), f"{SCHEDULE} {TOO_LARGE}"),
        (replace(GAME, scale=0.0), "the scale is not more than 0"),
        (replace(GAME, scale=float("inf")), "the scale is not a finite number"),
        (replace(GAME, duration=-1), f"{DURATION} {TOO_LARGE}"),
        (replace(GAME, duration=MOST + 1), f"{DURATION} {TOO_LARGE}"),
        (replace(GAME, started=inf), f"the beginning of the game {FINITE}"),
        (replace(GAME, started=YEAR_1000 - 1), f"the beginning of the game {NO_DATE}"),
        (replace(GAME, started=YEAR_9000 + 1), f"the beginning of the game {NO_DATE}"),
        (replace(GAME, result=replace(RESULT, players=(PLAYER,) * 100)), "it has more than 99 players"),
        (second(margin=-1), f"the margin of player 2 {TOO_LARGE}"),
        (second(margin=MARGIN + 1), f"the margin of player 2 {TOO_LARGE}"),
        (second(points=1e6 + 1), "the points of player 2 are more than 1000000"),
        (second(points=-1e6 - 1), "the points of player 2 are more than 1000000"),
        (second(time_used=MOST + 1), f"the time used by player 2 {TOO_LARGE}"),
        (second(points=nan), f"the points of player 2 {FINITE}"),
        (ply(seat=-1), f"a number of ply 2 {TOO_LARGE}"),
        (ply(time=-1), f"a number of ply 2 {TOO_LARGE}"),
        (ply(time=MOST + 1), f"a number of ply 2 {TOO_LARGE}"),
        (ply(depth=MOST + 1), f"a number of ply 2 {TOO_LARGE}"),
        (ply(depth=-MOST - 1), f"a number of ply 2 {TOO_LARGE}"),
        (TournamentRecord("t", nan, {}), f"the beginning of the tournament {FINITE}"),
        (TournamentRecord("t", 1e300, {}), f"the beginning of the tournament {NO_DATE}"),
    ],
)
def test_a_number_that_cannot_be_held_is_named(entry: Entry, problem: str) -> None:
    with pytest.raises(ValueError, match=f"^{problem}$"):
        check(entry)


# --- the first line, and other lines -----------------------------------------------------------------------

TEXT = b"%leapfrog-arena records 1\n"
CUP = b'[Tournament "cup"]\n[Begun "0"]\nend\n'
JSON = b'{"tournament":{"name":"cup","created":0.0,"settings":{}}}\n'


def records(content: bytes) -> list[object]:
    return list(read_records("games.txt", io.BytesIO(content)))


def test_the_limits_and_the_version_are_those_of_the_page() -> None:
    assert (VERSION, LONGEST, list(FORMATS)) == (1, 16 * 1024 * 1024, ["text", "jsonl"])


@pytest.mark.parametrize(
    ("header", "entry"),
    [
        (TEXT, CUP),
        (b"\xef\xbb\xbf" + TEXT, CUP),
        (b"%leapfrog-arena records 0\r\n", CUP),
        (b'{"leapfrog-arena records":1}\n', JSON),
        (b'{ "leapfrog-arena records" : 1 } \r\n', JSON),
    ],
)
def test_the_first_line_tells_the_format(header: bytes, entry: bytes) -> None:
    (part,) = records(header + entry)
    assert isinstance(part, ReadEntry)
    assert (part.line, part.entry) == (2, TournamentRecord("cup", 0.0, {}))


HINT = "is not a file of games: its first line must be %leapfrog-arena records 1 or "


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", HINT),
        (b" " + TEXT, HINT),
        (b"%leapfrog-arena records\n", HINT),
        (b"%leapfrog-arena records 1234567890\n", HINT),
        (b"x" + b"\x1f\x8b", HINT),
        (
            b"%leapfrog-arena records 2\n",
            "has version 2 of the format; read it with a newer version of",
        ),
        (b'{"leapfrog-arena records": 017}\n', "has version 17 of the format; read it with"),
        (b"\x1f\x8b\x08\n", "is compressed; use: gzip -dc FILE | arena import -"),
        (
            b"{\x00\n",
            "is UTF-16, but records must be UTF-8; use: iconv -f utf-16 -t utf-8 FILE | arena import -",
        ),
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
    monkeypatch.setattr("arena.records.text.LONGEST", 1000)
    for length, fits in ((29, True), (30, False), (59, False), (60, False), (61, False)):
        parts = records(TEXT + b";" + b"x" * (length - 1) + b"\n" + CUP)
        assert [part.line for part in parts if isinstance(part, ReadEntry)] == [3]
        assert len(parts) == (1 if fits else 2)
    parts = records(TEXT + CUP.replace(b"end", b"\xff\nend"))
    assert [(part.line, part.reason) for part in parts if not isinstance(part, ReadEntry)] == [(4, NO_LINE)]
