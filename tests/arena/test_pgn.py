"""The reader of PGN: where games start, and which moves they have. What it does not read, it says."""

from __future__ import annotations

import re

import chess
import pytest

from arena.pgn import PgnError, PgnGame, has_games, parse, result, split

TAGS = '[Event "t"]\n[White "A"]\n[Black "B"]\n[Result "1-0"]\n'
MOVES = "1. e4 e5 {one two} 2. Nf3 $1 (2. f4 exf4) 2... Nc6 !? ; to the end\n3. Bb5 a6 1-0"
UCI = ("e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6")


def games(data: bytes | str) -> list[PgnGame | str]:
    """Return the games of a file, or the line and the message of those that are refused."""
    data = data if isinstance(data, bytes) else data.encode()
    found: list[PgnGame | str] = []
    before = 0
    for _, text in split([data]):
        try:
            found.append(parse(text))
        except PgnError as error:
            found.append(f"{before + error.line}: {error}")
        before += text.count("\n") or text.count("\r")
    return found


def moves(text: str) -> tuple[str, ...]:
    """Return the moves of the only game of a file."""
    (game,) = games(text)
    assert isinstance(game, PgnGame), game
    return game.moves


@pytest.mark.parametrize(
    "gap", ["\n\n", "\n\n\n", "\r\n\r\n", "\r\r", "\r\r\n\r\r\n", " \n \t\n ", "\n{}\n", "\n%x\n"]
)
def test_an_empty_line_ends_nothing_in_any_place(gap: str) -> None:
    text = TAGS + "\n" + MOVES
    places = [found.start() for found in re.finditer(r"\s", text) if '"' not in text[found.start() :][:4]]
    for place in places:
        if "{" in gap and "{" in text[:place].rpartition("}")[2]:
            continue  # braces are not nested
        if text[: place + 1].endswith(("[Event ", "[White ", "[Black ", "[Result ")):
            continue
        changed = text[:place] + gap + text[place:]
        if ";" in text[:place].rpartition("\n")[2]:
            continue  # the rest of a comment would be moves
        assert moves(changed) == UCI, changed


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\r\r\n"])
@pytest.mark.parametrize(
    "before", ["", "\ufeff", "\n\n", "; written by x\n", "% x\n", "{ x }\n", "\ufeff\n;x [y]\n\n  "]
)
def test_files_start_and_break_their_lines_in_many_ways(before: str, end: str) -> None:
    text = (before + TAGS + "\n" + MOVES + "\n\n" + TAGS + "\n" + MOVES + "\n").replace("\n", end)
    first, second = games(text)
    assert isinstance(first, PgnGame)
    assert isinstance(second, PgnGame)
    assert (first.moves, second.moves) == (UCI, UCI)
    assert first.line == 1 + before.count("\n")
    assert first.tags == {"event": "t", "white": "A", "black": "B", "result": "1-0"}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('[Event "t"] [White "A"] [Black "B"]\n\n*', ["t", "A", "B"]),
        ('  [Event "t"]\n\n\t[White "A"]\n; x\n{y\n}\n[Black "B"]\n\n*', ["t", "A", "B"]),
        ('[ event "t" ]\n[white   "A"]\n[ Black "B" ]\n*', ["t", "A", "B"]),
        ('[Event "x \\"y\\" \\\\ {"]\n[White "A; (1-0"]\n[Black "[!]"]\n*', ['x "y" \\ {', "A; (1-0", "[!]"]),
        ('[Event "a "b" c"]\n[White "A /Level 6\\"]\n[Black ""]\n*', ['a "b" c', "A /Level 6\\", ""]),
        ("[Event \"t\"]\n[White \"M\udcfcller\"]\n[Black \"Élo 棋\"]\n*", ["t", "Müller", "Élo 棋"]),
    ],
)  # fmt: skip
def test_tags_are_read_in_many_forms(text: str, values: list[str]) -> None:
    (game,) = games(text.encode(errors="surrogateescape"))
    assert isinstance(game, PgnGame)
    assert list(game.tags.values()) == values


@pytest.mark.parametrize(
    ("text", "played"),
    [
        ("1. e4 a6 2. e5 d5 3. exd6 ep *", "e2e4 a7a6 e4e5 d7d5 e5d6"),
        ("1. e4 a6 2. e5 d5 3. exd6e.p. *", "e2e4 a7a6 e4e5 d7d5 e5d6"),
        ("1. e4 a6 2. e5 d5 3. exd6ep+ *", "e2e4 a7a6 e4e5 d7d5 e5d6"),
        ("e4 e5 Nf3 *", "e2e4 e7e5 g1f3"),
        ("1.e4 e5 2.Nf3 *", "e2e4 e7e5 g1f3"),
        ("1 e4 e5 2 Nf3 *", "e2e4 e7e5 g1f3"),
        ("1. e4 1. ... e5 2.\nNf3 2... *", "e2e4 e7e5 g1f3"),
        ("1. e4 1\u2026 e5 *", "e2e4 e7e5"),
        ("1. e2e4 e7-e5 2. Ng1-f3 *", "e2e4 e7e5 g1f3"),
        ("1. e4! e5?! 2. Nf3!! $14 ± = ⩲ +- *", "e2e4 e7e5 g1f3"),
        ("1. e4 e5 2. ♘f3 ♞c6 3. ♗b5 ♟a6 *", "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6"),
        ("1. ♙e4 e5 2. ♘\ufe0ef3 *", "e2e4 e7e5 g1f3"),
        ("1. e4 d5 2. e\u2013d5 *", "e2e4 d7d5 e4d5"),
        ("1. e4 d5 2. e×d5 *", "e2e4 d7d5 e4d5"),
        ("1. f3 e5 2. g4 Qh4++ 0-1", "f2f3 e7e5 g2g4 d8h4"),
        ("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. 0-0 Nf6 *", "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1 g8f6"),
        ("1. e4 (1. x ( [y] {)} 1-0 * ) $ <>) e5 *", "e2e4 e7e5"),
        ("1. e4 (1. d4 ; )\n ) e5 *", "e2e4 e7e5"),
        ("1. e4 {a {b (c 1-0 [d] % ; e} e5 *", "e2e4 e7e5"),
        ("1. e4 {first\n\n[Event \"no tag\"]\n\nlast} e5 *", "e2e4 e7e5"),
        ("1. e4 {[%clk 0:01:00]}{x} e5 1-0 {after} ; it\n% x", "e2e4 e7e5"),
        ("1. e4 e5 2. 1-0", "e2e4 e7e5"),
        ("*", ""),
    ],
)  # fmt: skip
def test_moves_are_read_in_many_forms(text: str, played: str) -> None:
    assert moves(text) == tuple(played.split())


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("1. e4 e5\n2. Nf3 Nc6\n3. Bb5 Ke5\n4. O-O 1-0", "3: the move 3... 'Ke5' is illegal"),
        ("1. e4 e4 ) {x} *", "1: the move 1... 'e4' is illegal"),
        ("1. Nf3 a6 2. d3 a5 3. Nd2 *", "1: the move 3. 'Nd2' is ambiguous"),
        ("1. d4 d5\n2. Cf3 Cf6 *", "2: 'Cf3' is no move in PGN, whose pieces are K, Q, R, B and N"),
        ("1. e4 c5 2. Sf3 *", "1: 'Sf3' is no move in PGN, whose pieces are K, Q, R, B and N"),
        ("1. e4 c5 2. Кf3 *", "1: 'Кf3' is no move in PGN, whose pieces are K, Q, R, B and N"),
        ("1. Pe4 *", "1: 'Pe4' is no move in PGN, whose pieces are K, Q, R, B and N"),
        ("1. e4 e5 2. Nf3 N 3. c6 *", "1: 'N' is no part of a game"),
        ("1. e4 e5 2. Nf3 Nc6 a6?? blunder *", "1: the move 3. 'a6' is illegal"),
        ("1. e4\nblunder e5 *", "2: 'blunder' is no part of a game"),
        ("1. e4 e5 2. -- *", "1: '--' is no move of chess"),
        ("1. e4 e5 2. Z0 *", "1: 'Z0' is no move of chess"),
        ("1. e4 } e5 *", "1: '}' is no part of a game"),
        ("1. e4 [x] e5 *", "1: '[' is no part of a game"),
        ("1. e4 < e5 *", "1: '<' is no part of a game"),
        ("1. e4\n(1. d4 (1. c4) e5 *", "2: the variation that starts here has no ) at its end"),
        ("1. e4 (1. d4)\n) e5 *", "2: a variation ends here, but none has started"),
        ("1. e4\n{never closed 1... e5 *", "2: the comment that starts here has no } at its end"),
        ("1. e4 e5 2. Nf3 Nc6 3. Bb", "1: the game is cut: it ends with 'Bb'"),
        ("1. e4 e5 2. Nf3 Nc6 3. Bb5\n\n", "1: the game ends without a result: it is cut, or"),
        ("1. e4 e5 2. Nf3 Nc6 1/2-", "1: the game is cut: it ends with '1/2-'"),
        ("1. e4 e5 1", "1: the game is cut: it ends with '1'"),
        ("1. e4 e5 2. Nf3 1-", "1: the game is cut: it ends with '1-'"),
        ('[Event "t"]\n[Bla', "2: the game is cut: it ends with '[Bla'"),
        ("1. e4 e5 2. exd4 ep *", "1: the move 2. 'exd4' is illegal"),
        ("1. e4 e5 draw", "1: 'draw' is no part of a game"),
        ("1. e4 e5 =-=", "1: '=-=' is no part of a game"),
        ("1. e4 e5 1-0F", "1: '1-0F' is no part of a game"),
        ("1. e4 e5 1-0} 2. d4 *", "1: '1-0' is no part of a game"),
        ("1. e4 e5 2. 0-0 Nf6 *", "1: the move 2. '0-0' is illegal"),
        ("1. e4 e5\n0-0 {nobody came}", "2: 0-0 is a double forfeit"),
        ('[Event "t"]\n[Result "0-0"]\n\n*', "1: 0-0 is a double forfeit"),
        ("1. e4 {x e5 2. Nf3 {y} Nc6\n3. Bb5 *", "2: the number 3 is not the next one: moves are missing"),
        ("1. e4 e5\n\n1. d4 d5 *", "3: the number 1 is not the next one"),
        ("1. e4 1. e5 1. Nf3 1. Nc6 *", "1: the number 1 is not the next one: moves are missing before"),
        ("1. d3 d5\n2... d4 *", "2: the number 2... is not the next one: moves are missing before it"),
        ('[White "A"]\n[White "B"]\n*', "1: the game ends without a result"),
        ('[Event "t"]\n[White "A"]\n[White "B"]\n*', "3: the tag White occurs twice, with two values"),
        ('[Event "t"]\n[White A]\n\n*', "2: '[White A]' is no tag; write it as [Name \"text\"]"),
        ('[Event "t"]\n[White "A]\n\n*', "2: '[White \"A]' is no tag; write it as [Name \"text\"]"),
        ('[Event "t"]\n[Variant "Atomic"]\n\n1. e4 *', "1: the tag Variant: no game has the id 'atomic'"),
        ('[Event "t"]\n[FEN "8/8"]\n\n1. e4 *', "1: the tag FEN is no position: expected 8 rows"),
        ('[SetUp "0"]\n[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]\n*', "1: the tag SetUp is 0, which"),
    ],
)  # fmt: skip
def test_what_is_no_part_of_a_game_refuses_it_with_its_own_line(text: str, problem: str) -> None:
    refused = games(text)[0]
    assert isinstance(refused, str), refused
    assert refused.startswith(problem)


@pytest.mark.parametrize(
    "bad",
    [
        "1. e4 e4 ) {x} 1-0",
        "1. e4 {never closed 1-0",
        "1. e4 {+0.1/2 0.1s} e5 {never closed 1-0",
        "1. e4 (1. d4 (1... d5) 1... e5 1-0",
        "1. e4 ) e5 1-0",
        "1. e4 e5 2. Re",
        "1. e4 e5",
        "",
        "1. e4 e5 blunder\n\n{x}",
        "[White X\n[",
        "<pre>",
    ],
)
@pytest.mark.parametrize("good", [MOVES, "1. e4 {+0.1/2 0.1s} e5 {0.1s} 2. Nf3 Nc6 3. Bb5 a6 1-0"])
@pytest.mark.parametrize("between", ["\n\n", "\n", ""])
def test_a_bad_game_takes_no_other_with_it(bad: str, good: str, between: str) -> None:
    if between == "" and bad.startswith(("<", "[")):
        between = "\n"
    whole = TAGS + "\n" + good
    found = games(whole + "\n\n" + TAGS + bad + between + whole + "\n\n" + whole)
    read = [game for game in found if isinstance(game, PgnGame)]
    if between == "" and "{" in bad and "closed" in bad:  # the tag of the next game does not start a line
        assert [game.moves for game in read] in ([UCI] * 3, [UCI] * 2)
        return
    assert [game.moves for game in read] == [UCI] * 3, found
    assert len(found) > 3


def test_games_of_moves_alone_follow_each_other_after_results() -> None:
    first, second, third = games("1. e4 e5 2. Nf3 Nc6 *\n\n1. d4 d5 1/2-1/2 c4 (1... e5) 1-0")
    assert isinstance(first, PgnGame)
    assert isinstance(second, PgnGame)
    assert isinstance(third, PgnGame)
    assert (first.moves[-1], second.moves, third.moves) == ("b8c6", ("d2d4", "d7d5"), ("c2c4",))


@pytest.mark.parametrize(
    "text",
    ["3. Nc3 Nf6 4. e4 *", "2.Nc3 *", "7 Nc3 *", "3 . Nc3 *", "1... Nf6 2. e4 *", "1 ... e5 *", "0. e4 *"],
)
@pytest.mark.parametrize(
    "before",
    [
        TAGS + "\n",
        TAGS,
        "",
        TAGS + "{a comment}\n(2. e4) $1 ",
        f'{TAGS}[FEN "{chess.STARTING_FEN}"]\n',
        TAGS + '[Variant "Chess960"]\n[FEN "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1"]\n\n',
        TAGS + '[FEN "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 9"]\n\n',
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_game_whose_first_moves_are_missing_is_refused_where_they_should_be(
    before: str, text: str, end: str
) -> None:
    first, second = games(f"{MOVES}\n\n{before}{text}\n".replace("\n", end))
    assert isinstance(first, PgnGame)
    line = 4 + before.count("\n")
    number = text.split()[0].partition(".")[0]
    assert re.fullmatch(
        rf"{line}: the number {number}(\.\.\.)? is not the next one: the first moves are missing; add them,"
        " or the tag FEN with the position before it",
        str(second),
    )


def test_a_position_of_a_later_move_may_lack_its_number() -> None:
    for position in ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 34", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"):
        assert moves(f'[FEN "{position}"]\n34. e4 Kd7 35. e5 *') == ("e2e4", "e8d7", "e4e5")


def test_numbers_may_count_from_any_move_and_pairs_from_blacks() -> None:
    fen = '[FEN "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 9"]\n'
    assert moves(f"{fen}9... e5 10. Nf3 Nc6 *") == moves(f"{fen}1... e5 2. Nf3 Nc6 *")
    assert moves(f"{fen}1. e5 Nf3 2. Nc6 *") == moves(f"{fen}e5 Nf3 Nc6 *")
    assert moves(f"{fen}1. e5 1... Nf3 2. Nc6 *") == moves(f"{fen}e5 Nf3 Nc6 *")


@pytest.mark.parametrize(
    ("spelled", "plain"),
    [
        *((word, "1-0") for word in ("1-0", "1:0", "1 - 0", "1\u20130", "1\u22120", "1-0 (time)", " 1-0 ")),
        *((word, "0-1") for word in ("0-1", "0:1", "0 - 1", "0\u20131")),
        *((word, "1/2-1/2") for word in ("1/2-1/2", "1/2", "\u00bd", "\u00bd-\u00bd", "0.5-0.5", ".5-.5")),
        *((word, "1/2-1/2") for word in ("0,5-0,5", "1/2 - 1/2", "0.5 : 0.5", "\u00bd \u2013 \u00bd")),
        *((word, "") for word in ("", "?", "*", " ")),
        *((word, None) for word in ("draw", "+/-", "1-0F", "0-0", "=-=", "White wins", "1-1", "1/2-0")),
    ],
)  # fmt: skip
def test_results_are_read_where_they_are_clear(spelled: str, plain: str | None) -> None:
    assert result(spelled) == plain
    if plain:
        (game, *others) = games(f"1. e4 e5 2. Nf3 {spelled}")
        assert isinstance(game, PgnGame)
        assert (game.result, len(game.moves), others) == (plain, 3, [])


def test_a_game_without_a_result_is_whole_if_it_is_over_or_its_tag_counts_the_moves() -> None:
    assert len(moves("1. f3 e5 2. g4 Qh4#")) == 4
    assert len(moves('[PlyCount "3"]\n\n1. e4 e5 2. Nf3')) == 3
    assert isinstance(games('[PlyCount "4"]\n\n1. e4 e5 2. Nf3')[0], str)


BOM = "\ufeff"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "before", [BOM, f"{BOM}%by a program\n", f"%x\n{BOM}%y\n", f"{BOM};x\n", f"{BOM}{{x}}"]
)
@pytest.mark.parametrize(
    "between", ["\n\n", "\n", BOM, f"\n{BOM}", f"{BOM}%1. e4\n", f"\n\n{BOM}%[x]\n{BOM}%y\n", f"\n{BOM}; x\n"]
)
def test_files_with_byte_order_marks_can_be_joined(before: str, between: str, end: str) -> None:
    second = TAGS + "\n1. d4 d5 1-0"
    data = f"{before}{TAGS}\n{MOVES}{between}{second}{between}".replace("\n", end).encode()
    for size in (1, 7, len(data)):
        texts = [text for _, text in split(data[at : at + size] for at in range(0, len(data), size))]
        assert [parse(text).moves for text in texts] == [UCI, ("d2d4", "d7d5")]


def test_games_are_split_the_same_in_blocks_of_any_size() -> None:
    data = (
        TAGS + "\n" + MOVES.replace("a6", "a6 {ü[%x]}") + "½-½\n\n" + TAGS + "1. e4 {" + TAGS * 2
    ).encode()
    whole = list(split([data]))
    assert "".join(text for _, text in whole).encode() == data
    for size in (1, 2, 3, 7, 50):
        blocks = [data[begin : begin + size] for begin in range(0, len(data), size)]
        assert list(split(blocks)) == whole


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ('\n\n; x\n[Event "t"]', True),
        ("1. e4 e5 *", True),
        ("3... e5 *", True),
        ('junk\n [Event "t"]\n', True),
        ("", False),
        ("(;FF[4]GM[1])", False),
        ("hello", False),
    ],
)  # fmt: skip
def test_a_file_of_games_is_known_by_a_tag_or_a_first_move(text: str, there: bool) -> None:
    assert has_games(text) is there
