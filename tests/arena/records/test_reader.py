"""The reader of the text format: the value of each tag and ply, and the line of each fault."""

from __future__ import annotations

import pytest

from arena.model import (
    GameRecord,
    GameResult,
    Opening,
    PlayerRecord,
    RatingListRecord,
    TournamentRecord,
)
from arena.records import text as text_format
from arena.records.entries import ReadEntry, RefusedEntry
from referee import Termination
from referee.ply import Ply

SECOND = 1_000_000_000

TAGS = """\
[Game "quoridor"]
[Event "cup"]
[Id "17"]
[Number "3"]
[Key "k"]
[Started "1970-01-01T00:00:05.5Z"]
[Duration "1.5"]
[Player1 "a"]
[Version1 "1.0"]
[Program1 "sha"]
[TimeControl1 "10+0.1"]
[Margin1 "100"]
[TimeUsed1 "0.25"]
[Rank1 "2"]
[Points1 "0.5"]
[Forfeit1 "crash"]
[Player2 "b"]
[Version2 "2.0"]
[Program2 "shb"]
[TimeControl2 "none"]
[Margin2 "0"]
[TimeUsed2 "2"]
[Rank2 "1"]
[Points2 "1"]
[Forfeit2 "resign"]
[Start "s"]
[Opening "e2" "e 8"]
[Termination "crash"]
[Reason "why"]
[Detail "what"]
[Final "f"]
"""

BARE = """\
[Game "quoridor"]
[Event "cup"]
[Number "1"]
[Key "k"]
[Started "0"]
[Duration "0"]
[Player1 "a"]
[TimeControl1 "none"]
[Margin1 "0"]
[TimeUsed1 "0"]
[Points1 "0"]
[Termination "void"]
[Reason "void"]
"""

CUP = '[Tournament "cup"]\n[Begun "1970-01-01T00:00:01Z"]\n'


def read(text: str, first: int = 2) -> list[ReadEntry | RefusedEntry]:
    """Return the entries of some lines; the first line has the number `first`."""
    return list(text_format.read(enumerate(text.splitlines(), first)))


def refused(text: str) -> tuple[int, str, str]:
    (part,) = read(text)
    assert isinstance(part, RefusedEntry), part
    return part.line, part.kind, part.reason


def game(text: str) -> GameRecord:
    (part,) = read(text)
    assert isinstance(part, ReadEntry), part
    assert isinstance(part.entry, GameRecord)
    return part.entry


def plies(line: str) -> tuple[Ply, ...]:
    return game(f'{BARE}[Final "f"]\n\n{line}\nend').record


# --- values of tags and plies ------------------------------------------------------------------------------


def test_each_tag_of_a_game_has_its_place() -> None:
    (part,) = read(f"{TAGS}\n1: e3 {{time 0.25}}\n1: !1\n2: e7 {{time 2}} 1: e4\nend")
    players = (
        PlayerRecord("a", "1.0", 2, 0.5, Termination.CRASH, "10+0.1", 100, SECOND // 4, "sha"),
        PlayerRecord("b", "2.0", 1, 1.0, Termination.RESIGN, "none", 0, 2 * SECOND, "shb"),
    )
    result = GameResult(17, "cup", 2, "k", "quoridor", Termination.CRASH, "why", "what", 3, players)
    record = (
        Ply(0, "e3", SECOND // 4),
        Ply(0, "!1", 0),
        Ply(1, "e7", 2 * SECOND),
        Ply(0, "e4", 0),
    )
    expected = GameRecord(result, Opening("s", ("e2", "e 8")), record, "f", 5.5, 3 * SECOND // 2)
    assert part == ReadEntry(2, expected, (34, 35, 36, 36))


def test_what_a_game_need_not_tell_is_empty_or_none() -> None:
    players = (PlayerRecord("a", "", None, 0.0, None, "none", 0, 0, ""),)
    result = GameResult(None, "cup", 0, "k", "quoridor", Termination.VOID, "void", "", 0, players)
    assert game(f"{BARE}end") == GameRecord(result, Opening(None, ()), (), "", 0.0, 0)


def test_a_game_tells_which_worker_played_it_and_by_how_much_its_times_were_scaled() -> None:
    found = game(f'{BARE}[Worker "m2"]\n[Scale "1.25"]\nend')
    assert (found.worker, found.scale) == ("m2", 1.25)
    reason = "the tag Scale: 'fast' is not a number"
    assert refused(f'{BARE}[Scale "fast"]\nend') == (15, "game", reason)


def test_tournaments_and_rating_lists_have_settings_in_their_order() -> None:
    settings = '[Setting "b" "1"]\n[Setting "a" ""]\n'
    assert read(f'{CUP}{settings}[Outline "{{}}"]\nend\n[RatingList "hops"]\n{settings}end') == [
        ReadEntry(2, TournamentRecord("cup", 1.0, {"b": "1", "a": ""}, "{}")),
        ReadEntry(8, RatingListRecord("hops", {"b": "1", "a": ""})),
    ]
    assert read(f"{CUP}end") == [ReadEntry(2, TournamentRecord("cup", 1.0, {}, ""))]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("1: e2", [Ply(0, "e2", 0)]),
        ("99:   e2   ", [Ply(98, "e2", 0)]),
        ("1: e2 {time 1}", [Ply(0, "e2", SECOND)]),
        ("1: e2 {time 0.000000001, clock 9.5}", [Ply(0, "e2", 1)]),
        ("1: e2 {time 09.5, score cp 20}", [Ply(0, "e2", 19 * SECOND // 2, "cp 20")]),
        ("1: e2 {time 1, clock 2, score mate -3, depth 5}", [Ply(0, "e2", SECOND, "mate -3", 5)]),
        ("1: e2 {time 1, depth -5}", [Ply(0, "e2", SECOND, "", -5)]),
        ("1: e2 {time 0, depth 0}", [Ply(0, "e2", 0, "", 0)]),
        ('1: "e 2" {time 1, score "a \\"b\\""}', [Ply(0, "e 2", SECOND, 'a "b"')]),
        ('1: "\\u00e9"', [Ply(0, "é", 0)]),
        ("1: e2 2: e8  1: e3", [Ply(0, "e2", 0), Ply(1, "e8", 0), Ply(0, "e3", 0)]),
        ("1: e2 {time 1} 2: e8 {time 2}", [Ply(0, "e2", SECOND), Ply(1, "e8", 2 * SECOND)]),
    ],
)
def test_a_ply_is_a_seat_a_move_and_what_is_known_of_it(line: str, expected: list[Ply]) -> None:
    assert list(plies(line)) == expected


def test_comments_empty_lines_headers_and_blanks_around_a_line_are_passed_over() -> None:
    content = (
        f"; a comment\n%leapfrog-arena records 1\n\n \t\n{CUP}; another\n\n%leapfrog-arena records 1\n end \r"
    )
    assert read(content) == [ReadEntry(6, TournamentRecord("cup", 1.0, {}, ""))]
    spaced = CUP.replace("\n", " \t\r\n").replace('"cup"', '   "cup"  ')
    assert read(f"\t{spaced}end") == [ReadEntry(2, TournamentRecord("cup", 1.0, {}, ""))]
    assert read("") == []


def test_games_without_a_number_have_that_of_their_place_in_the_file() -> None:
    numberless = BARE.replace('[Number "1"]\n', "") + "end\n"
    parts = read(f'{numberless}{CUP}end\n[Game "x" "y"]\nend\n{numberless}')
    entries = [part.entry for part in parts if isinstance(part, ReadEntry)]
    assert len(parts) == 4
    assert [entry.result.number for entry in entries if isinstance(entry, GameRecord)] == [0, 2]


# --- refused lines -----------------------------------------------------------------------------------------

NO_TAG = 'this is not a tag; write it as [Name "text"]'
NO_PLY = "column {}: this is not a ply; write it as `1: MOVE {{time 0.25, score cp 20}}`"


@pytest.mark.parametrize(
    "tag",
    [
        "[Event]",
        "[Event cup]",
        '[Event"cup"]',
        '["cup"]',
        '[Event "cup"',
        '[Event "cup"] x',
        '[Event "cup]',
        '[Event "c\\up"]',
        '[Event "c\tup"]',
        '[Player0 "a"]',
        '[Player100 "a"]',
        '[Pläyer1 "a"]',
    ],
)
def test_what_is_no_tag_is_refused(tag: str) -> None:
    assert refused(f'[Game "quoridor"]\n{tag}\nend') == (3, "game", NO_TAG)


@pytest.mark.parametrize(
    ("line", "column"),
    [
        ("e2", 1),
        ("0: e2", 1),
        ("100: e2", 1),
        ("1:e2", 1),
        ("1: ", 1),
        ("1. e2", 1),
        ("1: e2 e8", 7),
        ("1: e2 2: e8 x", 13),
        ("1: e2 {time 1}2: e8", 7),
        ("1: e2 {}", 7),
        ("1: e2 {score cp 1}", 7),
        ("1: e2 {time 1, depth 5, score cp 1}", 7),
        ("1: e2 {time 1, clock}", 7),
        ("1: e2 {time .5}", 7),
        ("1: e2 {time 0.0000000001}", 7),
        ("1: e2 {time 1, depth 5.0}", 7),
        ("1: e2 {time 1, score a  b}", 7),
        ("1: e{2", 1),
    ],
)
def test_what_is_no_ply_is_refused_with_its_column(line: str, column: int) -> None:
    content = f'{BARE}[Final "f"]\n{line}\nend'
    assert refused(content) == (16, "game", NO_PLY.format(column))


def test_a_depth_has_20_digits_at_most_and_what_the_database_cannot_hold_is_refused() -> None:
    assert plies(f"1: e2 {{time 0, depth {2**63 - 1}}}")[0].depth == 2**63 - 1
    for depth, reason in (
        (2**63, "a number of ply 1 is too large, or negative"),
        (10**20 - 1, "a number of ply 1 is too large, or negative"),
        (10**20, NO_PLY.format(7)),
    ):
        assert refused(f'{BARE}[Final "f"]\n1: e2 {{time 0, depth {depth}}}\nend')[2] == reason


HALF = "an escape \\u is only half of a character; add the other half"
TIME = "is not a time in seconds, such as 0.25 (with at most nine decimal places)"
DATE = "is not a date and time, such as 2023-11-14T22:13:20Z"
WORDS = ", ".join(Termination)
NEGATIVE = "is too large, or negative"


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ('[Event "cup"]', '[Evnet "cup"]', 3, "a game has no tag Evnet"),
        ('[Event "cup"]', '[Event1 "cup"]', 3, "a game has no tag Event1"),
        ('[Player1 "a"]', '[Player "a"]', 9, "a game has no tag Player"),
        ('[Event "cup"]', '[Setting "a" "b"]', 3, "a game has no tag Setting"),
        ('[Event "cup"]', '[Event "cup" "x"]', 3, "the tag Event takes 1 string, not 2"),
        ('[Key "k"]', '[Event "k"]', 6, "the tag Event occurs twice"),
        ('[Player2 "b"]', '[Player1 "b"]', 18, "the tag Player1 occurs twice"),
        ('[Event "cup"]', '[Event "\\ud800"]', 3, HALF),
        ('[Id "17"]', '[Id "1.0"]', 4, "the tag Id: '1.0' is not a whole number"),
        ('[Id "17"]', f'[Id "{10**19}"]', 4, f"the tag Id: '{10**19}' is not a whole number"),
        ('[Number "3"]', '[Number "é"]', 5, "the tag Number: '\\xe9' is not a whole number"),
        ('[Duration "1.5"]', '[Duration "1e3"]', 8, f"the tag Duration: '1e3' {TIME}"),
        ('[Started "1970-01-01T00:00:05.5Z"]', '[Started "soon"]', 7, f"the tag Started: 'soon' {DATE}"),
        ('[Rank1 "2"]', '[Rank1 "first"]', 15, "the tag Rank1: 'first' is not a whole number"),
        ('[Points2 "1"]', '[Points2 "1/2"]', 25, "the tag Points2: '1/2' is not a number"),
        ('[Margin1 "100"]', '[Margin1 ""]', 13, "the tag Margin1: '' is not a whole number"),
        ('[TimeUsed2 "2"]', '[TimeUsed2 "-2"]', 23, f"the tag TimeUsed2: '-2' {TIME}"),
        ('[Forfeit1 "crash"]', '[Forfeit1 "bored"]', 17, f"the tag Forfeit1: 'bored' is not one of {WORDS}"),
        (
            '[Termination "crash"]',
            '[Termination "Crash"]',
            29,
            f"the tag Termination: 'Crash' is not one of {WORDS}",
        ),
        ('[Number "3"]', '[Number "0"]', 33, f"the number in the schedule {NEGATIVE}"),
        ('[Margin1 "100"]', '[Margin1 "-1"]', 33, f"the margin of player 1 {NEGATIVE}"),
        ('[Player2 "b"]', '[Player3 "b"]', 33, "there are tags of player 2, but no tag Player2"),
        ('[Id "17"]', '[Rank4 "1"]\n[Rank5 "1"]', 34, "there are tags of player 4, but no tag Player3"),
    ],
)
def test_a_fault_of_a_game_is_reported_with_the_line_of_its_tag(
    old: str, new: str, line: int, reason: str
) -> None:
    assert TAGS.count(old) == 1
    assert refused(f"{TAGS.replace(old, new)}end") == (line, "game", reason)


LIST = '[RatingList "hops"]\n'
NO_MOVES = "has only tags and `end`"


@pytest.mark.parametrize(
    ("text", "line", "kind", "reason"),
    [
        ('[Tournament "cup"]\n', 3, "tournament", "the tag Begun is missing"),
        (f'{CUP}[Setting "a"]\n', 4, "tournament", "the tag Setting takes 2 strings, not 1"),
        (f'{CUP}[Setting "a" "b" "c"]\n', 4, "tournament", "the tag Setting takes 2 strings, not 3"),
        (f'{CUP}[Setting "a" "b"]\n[Setting "a" "b"]\n', 5, "tournament", "the setting 'a' occurs twice"),
        (f'{CUP}[Player1 "a"]\n', 4, "tournament", "a tournament has no tag Player1"),
        (f'{CUP}[Key "a"]\n', 4, "tournament", "a tournament has no tag Key"),
        (f"{CUP}1: e2\n", 4, "tournament", f"a tournament {NO_MOVES}"),
        (f'{LIST}[Outline "x"]\n', 3, "rating list", "a rating list has no tag Outline"),
        (f"{LIST}hops\n", 3, "rating list", f"a rating list {NO_MOVES}"),
        ('[RatingList "hops" "x"]\n', 2, "rating list", "the tag RatingList takes 1 string, not 2"),
        (
            '[Tournament "cup"]\n[Begun "1e999"]\n',
            4,
            "tournament",
            "the beginning of the tournament is not a finite number",
        ),
    ],
)
def test_a_fault_of_a_tournament_or_a_rating_list_is_reported(
    text: str, line: int, kind: str, reason: str
) -> None:
    assert refused(f"{text}end") == (line, kind, reason)


@pytest.mark.parametrize("tag", ["Event", "TimeControl1"])
def test_a_tag_stands_before_the_moves(tag: str) -> None:
    content = f'{BARE.replace(f"[{tag} ", "; [")}\n1: e2\n[{tag} "x"]\nend'
    reason = "a tag after the first ply; tags must be before the moves"
    assert refused(content) == (17, "game", reason)


# --- after a fault -----------------------------------------------------------------------------------------


def test_a_fault_costs_what_follows_up_to_the_end_of_its_entry() -> None:
    assert read(f"{CUP}x\n[y]\nz\nend\n{CUP}end") == [
        RefusedEntry(4, "tournament", "a tournament has only tags and `end`"),
        ReadEntry(8, TournamentRecord("cup", 1.0, {}, "")),
    ]


def test_a_fault_costs_what_follows_up_to_the_next_beginning_where_the_end_is_missing() -> None:
    assert read(f"{CUP}x\ny\n{CUP}end") == [
        RefusedEntry(4, "tournament", "a tournament has only tags and `end`"),
        ReadEntry(6, TournamentRecord("cup", 1.0, {}, "")),
    ]


def test_an_entry_without_end_is_refused_where_the_next_one_begins_or_the_file_ends() -> None:
    next_one = "the next entry begins before the line `end`: the entry before it is incomplete"
    file_end = "the file ends before the line `end`: the last entry is incomplete"
    assert read(f'{CUP}[RatingList "hops"]\n[Game "quoridor"]\n; nothing more\n') == [
        RefusedEntry(4, "tournament", next_one),
        RefusedEntry(5, "rating list", next_one),
        RefusedEntry(6, "game", file_end),
    ]


def test_text_between_entries_is_refused_once_for_each_stretch() -> None:
    stray = "an entry must begin with a tag Tournament, RatingList or Game"
    assert read(f'hello\nworld\n[Event "x"]\nend\nagain\n{CUP}end\nend\nlast\n') == [
        RefusedEntry(2, "text", stray),
        RefusedEntry(6, "text", stray),
        ReadEntry(7, TournamentRecord("cup", 1.0, {}, "")),
        RefusedEntry(10, "text", stray),
        RefusedEntry(11, "text", stray),
    ]


def test_after_an_entry_that_fails_at_its_end_the_next_text_is_a_fault_of_its_own() -> None:
    assert read('[Tournament "cup"]\nend\nhello') == [
        RefusedEntry(3, "tournament", "the tag Begun is missing"),
        RefusedEntry(4, "text", "an entry must begin with a tag Tournament, RatingList or Game"),
    ]


def test_a_line_that_is_no_text_is_a_fault_of_the_entry_in_which_it_stands() -> None:
    no_text = "this line is not UTF-8 text, or is longer than 16 MiB"
    lines = [(2, '[Tournament "cup"]'), (3, None), (4, "end"), (5, None), (6, "x")]
    assert list(text_format.read(lines)) == [
        RefusedEntry(3, "tournament", no_text),
        RefusedEntry(5, "text", "an entry must begin with a tag Tournament, RatingList or Game"),
    ]


def test_an_entry_has_so_many_characters_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    size = sum(map(len, CUP.split("\n"))) + len("end")
    monkeypatch.setattr(text_format, "LONGEST", size)
    assert isinstance(read(f"{CUP}; however long a comment is\n   end")[0], ReadEntry)
    monkeypatch.setattr(text_format, "LONGEST", size - 1)
    assert refused(f"{CUP}end") == (4, "tournament", "this entry is longer than 16 MiB")


def test_what_the_tags_do_not_tell_follows_from_the_plies() -> None:
    found = game(BARE.replace('[Duration "0"]\n', "") + "1: e2 {time 0.25}\n2: e8 {time 0.5}\nend\n")
    assert found.duration == 3 * SECOND // 4


@pytest.mark.parametrize("line", ["endX", "end\u00a0"])
def test_nothing_but_blanks_and_tabs_may_stand_around_a_line(line: str) -> None:
    entry = '[RatingList "quoridor"]\n'
    assert read(f"{entry} \tend\t \n") == read(f"{entry}end\n")
    assert refused(f"{entry}{line}\n")[:2] == (3, "rating list")


@pytest.mark.parametrize(
    ("strings", "options"),
    [
        ("", None),
        ('"none"', {}),
        ('"none" ""', {"none": ""}),
        ('"Hash" "16" "Skill Level" "3"', {"Hash": "16", "Skill Level": "3"}),
    ],
)
def test_the_options_of_a_player_are_pairs_and_no_tag_means_that_they_are_not_known(
    strings: str, options: dict[str, str] | None
) -> None:
    (part,) = read(f"{with_options(strings)}end")
    assert isinstance(part, ReadEntry)
    assert isinstance(part.entry, GameRecord)
    assert part.entry.result.players[0].options == options


@pytest.mark.parametrize("strings", ['"Hash"', '"a" "1" "a" "2"', '"a" "1" "b"'])
def test_options_that_are_no_pairs_are_refused(strings: str) -> None:
    problem = "the tag Options1: it needs a name and a value of each option, and each name once"
    assert refused(f"{with_options(strings)}end") == (12, "game", problem)


def with_options(strings: str) -> str:
    return TAGS.replace(
        "[TimeControl1", f"[Options1 {strings}]\n[TimeControl1" if strings else "[TimeControl1"
    )
