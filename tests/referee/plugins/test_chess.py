"""Tests of chess, the game of an extra: known perft counts, the laws, its messages, and the registry."""

from __future__ import annotations

import random
import re
import sys
from importlib.metadata import Distribution, EntryPoint
from itertools import permutations

import chess
import pytest

from referee import IllegalMove, MoveSyntaxError, PositionError, UnknownGame
from referee.errors import MoveError
from referee.game import CountsProgress, Game, Position, foreign_parser, irreversibility
from referee.perft import perft
from referee.plugins.chess import _IMPOSSIBLE, CHESS, CHESS960, ChessGame, ChessPosition
from referee.registry import BUILT_IN, ENTRY_POINTS, Registry
from referee.testing import check_game

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
ENDGAME = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"
PROMOTIONS = "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1"


def after(line: str, position: Position | None = None) -> Position:
    at = CHESS.start() if position is None else position
    for text in line.split():
        at = at.play(at.parse_move(text))
    return at


@pytest.mark.parametrize("most", [3, pytest.param(4, marks=pytest.mark.slow)])
def test_the_numbers_that_everybody_counts(most: int) -> None:
    counted = [perft(CHESS.start(), depth) for depth in range(1, most + 1)]
    assert counted == [20, 400, 8902, 197281][:most]


WHOLE = pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.slow)])
"""The slow tests also play a game from each position whose perft is known, and count deeper."""
PERFTS = {KIWIPETE: [48, 2039], ENDGAME: [14, 191, 2812], PROMOTIONS: [6, 264, 9467]}


def assert_first_counts(perfts: dict[str, list[int]], rules: Game) -> None:
    for text, counts in perfts.items():
        position = rules.parse_position(text)
        assert [perft(position, depth) for depth in (1, 2)] == counts[:2]


@WHOLE
def test_the_rules_keep_the_laws_of_all_games(whole: bool) -> None:
    assert_first_counts(PERFTS, CHESS)
    check_game(
        CHESS,
        games=1,
        examined=3,
        positions=["4k3/8/8/8/8/8/4P3/4K2R w K - 146 200", "8/8/8/8/8/8/6p1/K1k5 b - - 0 90"],
        perft=PERFTS if whole else None,
    )


@pytest.mark.parametrize(
    ("fen", "texts", "move"),
    [
        (None, "e4 Pe4 e2-e4 e4! e4?! e2e4", "e2e4"),
        (None, "Nf3 Ng1f3 Ng1-f3 Ngf3 N1f3 Nf3!?", "g1f3"),
        (KIWIPETE, "O-O 0-0 o-o O-O+ 0-0! e1g1", "e1g1"),
        (KIWIPETE, "O-O-O 0-0-0 O-O-O# e1c1", "e1c1"),
        (KIWIPETE, "Bxa6 B:a6 Be2xa6 Ba6", "e2a6"),
        (KIWIPETE, "dxe6 d5xe6 dxe6+ d:e6", "d5e6"),
        ("8/P6k/8/8/8/8/8/K7 w - - 0 1", "a8=Q a8Q a8(Q) a8/Q a8=Q+ a7a8Q a7-a8=Q a8Q! a7a8q", "a7a8q"),
        ("8/P6k/8/8/8/8/8/K7 w - - 0 1", "a8=N a8N a8=n a7a8N", "a7a8n"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6 exd6e.p. exd6ep e5xd6e.p.+ e5d6", "e5d6"),
        ("1k6/8/8/1N6/8/8/8/1N3N1K w - - 0 1", "Nfd2 Nf1d2 Nf1-d2", "f1d2"),
    ],
)
def test_engines_of_xboard_may_write_algebraic_notation(fen: str | None, texts: str, move: str) -> None:
    position = CHESS.start() if fen is None else CHESS.parse_position(fen)
    for text in texts.split():
        assert str(foreign_parser(position)(position, text)) == move, text


def test_a_position_stays_as_it_is_while_a_move_is_written_so_that_threads_can_share_it() -> None:
    position = after("e2e4 e7e5")
    move, text, seen = position.parse_move("d1h5"), str(position), set()
    sys.setprofile(lambda *_: seen.add(str(position)))  # what another thread sees between any two calls
    try:
        position.write_move(move)
    finally:
        sys.setprofile(None)
    assert seen == {text}


@pytest.mark.parametrize("game", [CHESS, CHESS960])
def test_every_move_is_read_in_algebraic_notation(game: Game) -> None:
    rng = random.Random(5)
    for seed in range(8):
        position = game.start(f"random:{seed}" if game is CHESS960 else None)
        parse = foreign_parser(position)
        for _ in range(60):
            moves = list(position.legal_moves())
            if not moves:
                break
            board = chess.Board(str(position), chess960=game is CHESS960)
            for move in moves:
                assert position.write_move(move) == board.san(move)
                for text in (board.san(move), board.lan(move), str(move)):
                    assert parse(position, text) == move
            position = position.play(rng.choice(moves))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Nd2", "several pieces can make this move: add the start square"),
        ("Ke3", "no piece of white can make this move"),
        ("O-O", "no piece of white can make this move"),
        ("a8", "no piece of white can make this move"),
        ("a1a9", "a move is written like"),
        ("--", "a move is written like"),
        ("0000", "a move is written like"),
        ("Z0", "a move is written like"),
        ("@@@@", "a move is written like"),
        ("", "a move is written like"),
        ("resign", "a move is written like"),
        ("(none)", "a move is written like"),
        ("e1e3", "the king on e1 cannot go to e3"),
    ],
)
def test_other_texts_of_engines_of_xboard_are_refused_with_the_reason(text: str, why: str) -> None:
    position = CHESS.parse_position("k7/P7/8/8/8/1N6/8/4KN2 w - - 0 1")
    with pytest.raises(MoveError, match=re.escape(why)):
        foreign_parser(position)(position, text)


SHUFFLED = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"
CASTLING = "1r2k2r/8/8/8/8/8/8/1R2K2R w HBhb - 0 1"


@WHOLE
def test_chess960_keeps_the_laws_and_the_numbers_too(whole: bool) -> None:
    perfts = {
        SHUFFLED: [21, 528, 12189],
        "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9": [21, 807],
    }
    assert_first_counts(perfts, CHESS960)
    examined = 5 if whole else 3
    check_game(CHESS960, games=1, examined=examined, positions=[CASTLING], perft=perfts if whole else None)


def test_chess960_has_960_numbered_starts() -> None:
    starts = {str(CHESS960.start(f"random:{number}")) for number in range(960)}
    assert len(starts) == 960
    assert str(CHESS960.start("random:518")) == str(CHESS960.start()) == str(CHESS960.start("random:1478"))
    assert str(CHESS960.start("random:0")) == "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1"
    with pytest.raises(PositionError):
        CHESS.start("random:0")


def test_in_chess960_castling_is_the_king_taking_its_rook() -> None:
    position = CHESS960.parse_position(CASTLING)
    assert {"e1h1", "e1b1"} < {str(move) for move in position.legal_moves()}
    assert str(after("e1b1 e8h8", position)) == "1r3rk1/8/8/8/8/8/8/2KR3R w - - 2 2"


def test_the_columns_of_rooks_may_also_be_written_as_sides() -> None:
    assert str(CHESS960.parse_position(SHUFFLED.replace("HFhf", "KQkq"))) == SHUFFLED
    for wrong in ("FHfh", "HFhg", "KQhf", "HAha"):
        with pytest.raises(PositionError, match="castling"):
            CHESS960.parse_position(SHUFFLED.replace("HFhf", wrong))
    with pytest.raises(PositionError, match="castling"):
        CHESS.parse_position(KIWIPETE.replace("KQkq", "HAha"))


FOUR = KIWIPETE.removesuffix(" 0 1")


@pytest.mark.parametrize(
    ("rest", "clocks"),
    [
        ("", "0 1"),
        ("bm Qxf6;", "0 1"),
        ('id "no #1; hmvc 9"; hmvc 5; fmvn 20; bm Qxf7# O-O;c0  "x" "y" ;acd 3', "5 20"),
        ("7 30", "7 30"),
        ("7 30;", "7 30"),
        ("7 30 bm Qxf6; ce 30;", "7 30"),
        ('7 30 ; ; bm Qxf6;; id "x" ; ', "7 30"),
        ("7 30 noop", "7 30"),
        ("7 30 hmvc 7; fmvn 30;", "7 30"),
        ("7", "7 1"),
        ("7 bm Qxf6;", "7 1"),
        ("7 fmvn 4;", "7 4"),
        ("0 0", "0 1"),
        ("0 0 bm Qxf6;", "0 1"),
        ("hmvc 0; fmvn 0;", "0 1"),
        ("007 09", "7 9"),
        ("-", "0 1"),
        ("- -", "0 1"),
        ("- 9 bm Qxf6", "0 9"),
        (r'c0 "x\\y \"q\"";', "0 1"),
        (r'c0 "\"; hmvc 3;"; hmvc 4;', "4 1"),
        ("\t7\t\t30  bm  Qxf6 ;\t", "7 30"),
    ],
)
def test_an_epd_line_is_a_set_up(rest: str, clocks: str) -> None:
    assert str(CHESS.start(f"{FOUR} {rest}")) == f"{FOUR} {clocks}"
    assert str(CHESS.start(f"{FOUR} {rest}".replace(" ", "  \t", 4))) == f"{FOUR} {clocks}"


@pytest.mark.parametrize("order", ["".join(letters) for letters in permutations("KQkq")] + ["HAha", "ahAH"])
def test_the_castling_rights_of_a_set_up_may_be_in_any_order(order: str) -> None:
    assert str(CHESS.start(f"{FOUR} 0 1".replace("KQkq", order))) == f"{FOUR} 0 1"
    if order not in ("HAha", "ahAH"):
        order = order.translate(str.maketrans("KQkq", "HFhf"))
        assert str(CHESS960.start(SHUFFLED.replace("HFhf", order))) == SHUFFLED


@pytest.mark.parametrize(
    ("rest", "message"),
    [
        ("hmvc x;", "halfmove clock: a number from 0 was expected, not 'x'"),
        ("hmvc -5;", "halfmove clock: a number from 0 was expected, not '-5'"),
        ("fmvn 1000000;", "fullmove number: a number from 1 was expected, not '1000000'"),
        ("7 30 hmvc 8;", "operations: hmvc is '8' and '7'"),
        ("fmvn 3; fmvn 4;", "operations: fmvn is '4' and '3'"),
        ("7 30 40", "operations: an operation was expected, not '40'"),
        ("7x", "operations: an operation was expected, not '7x'"),
        ("bm e4; 5;", "operations: an operation was expected, not '5;'"),
        ('id "open;', "operations: an operation was expected"),
        ("\N{EN DASH}", "operations: an operation was expected"),
    ],
)
def test_a_damaged_epd_line_is_refused_with_the_name_of_its_field(rest: str, message: str) -> None:
    with pytest.raises(PositionError, match=message):
        CHESS.start(f"{FOUR} {rest}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (FOUR.replace("KQkq", "x"), "castling: some of KQkq"),
        (FOUR.replace("KQkq", "KKqq"), "castling: some of KQkq"),
        (FOUR.replace("KQkq", "HFhf"), "castling: some of KQkq in this order, or - was expected, not 'HFhf'"),
        (FOUR.removesuffix(" -"), r"position: at least 4 fields \(pieces, to move, castling, "),
        (f"fen {FOUR} 0 1", "pieces: 8 rows of pieces and numbers of empty squares was expected, not 'fen'"),
        (f"{FOUR} 0 1".replace(" - ", " e6 "), "en passant: impossible: no pawn has just passed over this"),
        ("8/8/8/8/8/8/8/4K3 w - - 0 1", "pieces: impossible: Black has no king"),
        ("k7/8/8/8/8/8/8/4K2k w - -", "pieces: impossible: a side has more than one king"),
        ("4k3/8/8/8/8/8/8/4K2p w - - 0 1", "pieces: impossible: a pawn is on row 1 or 8"),
        ("4k3/8/8/8/4R3/8/8/4K3 w - - 0 1", "to move: impossible: the side that is not to move is in check"),
        ("4k3/4R3/3N1N2/8/8/8/8/4K3 b - - 0 1", "pieces: impossible: more than two pieces give check"),
        ("4k3/4R3/8/1B6/8/8/8/4K3 b K - 0 1", "castling: impossible: a king or rook that it needs is not on"),
    ],
)
def test_a_position_that_is_impossible_is_refused_in_words(text: str, message: str) -> None:
    with pytest.raises(PositionError, match=message):
        CHESS.start(text)


def test_every_fault_of_a_position_has_words() -> None:
    races = chess.STATUS_RACE_CHECK | chess.STATUS_RACE_OVER | chess.STATUS_RACE_MATERIAL
    # An empty board lacks a king, too, which is said first.
    assert set(chess.Status) - set(races) - {chess.STATUS_EMPTY} == set(_IMPOSSIBLE)


ENDS = [
    ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", "checkmate", 1),
    ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "stalemate", None),
    ("8/8/4k3/8/8/3NK3/8/8 w - - 0 1", "insufficient-material", None),
    ("4k3/8/8/8/8/8/4P3/4K3 w - - 150 99", "seventyfive-moves", None),
    ("R3k3/8/4K3/8/8/8/8/8 b - - 150 99", "checkmate", 0),
]


@pytest.mark.parametrize(("fen", "reason", "winner"), ENDS)
def test_a_game_ends_by_mate_or_a_draw_that_nobody_has_to_claim(
    fen: str, reason: str, winner: int | None
) -> None:
    position = CHESS.parse_position(fen)
    outcome = position.outcome()
    assert outcome is not None
    assert (outcome.reason, outcome.winner) == (reason, winner)
    assert list(position.legal_moves()) == []
    with pytest.raises(IllegalMove):
        position.parse_move("e8e7")


def test_fifty_moves_and_repetition_are_no_end_by_the_rules() -> None:
    fifty = CHESS.parse_position("4k3/8/8/8/8/8/4P3/4K3 w - - 100 99")
    thrice = after("g1f3 g8f6 f3g1 f6g8 " * 3)
    assert fifty.outcome() is None
    assert thrice.outcome() is None
    assert thrice.key() == CHESS.start().key()


def test_captures_and_moves_of_pawns_are_progress() -> None:
    position = CHESS.parse_position("4k3/8/8/3p4/8/2N5/4P3/4K3 w - - 98 99")
    for move, count in (("e1f2", 99), ("e8e7", 100), ("e2e3", 0), ("e7e8", 1), ("c3d5", 0)):
        position = after(move, position)
        assert isinstance(position, CountsProgress)
        assert position.plies_without_progress == count
    assert CHESS.info.no_progress == CHESS960.info.no_progress == 100


def test_what_counts_as_the_same_position_for_repetition() -> None:
    """Castling rights make a difference; an en passant square does only if the capture is legal."""
    moved = after("g1f3 g8f6 h1g1 f6g8 g1h1 g8f6 f3g1 f6g8")
    assert moved.key() != CHESS.start().key()
    assert after("e2e4").key() == CHESS.parse_position(str(after("e2e4")).replace("e3", "-")).key()
    taking = after("e2e4 a7a6 e4e5 d7d5")
    assert taking.key() != CHESS.parse_position(str(taking).replace("d6", "-")).key()


def test_castling_is_a_move_of_the_king_also_when_it_is_written_as_taking_the_rook() -> None:
    position = CHESS.parse_position("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    assert [str(position.parse_move(text)) for text in ("e1g1", "e1h1", "e1c1", "e1a1")] == [
        "e1g1",
        "e1g1",
        "e1c1",
        "e1c1",
    ]
    assert str(after("e1g1 e8c8", position)) == "2kr3r/8/8/8/8/8/8/R4RK1 w - - 2 2"


REFUSALS = [
    ("e9e4", MoveSyntaxError, "a move is two squares"),
    ("0000", MoveSyntaxError, "a move is two squares"),
    ("a7a8Q", MoveSyntaxError, "a move is two squares"),
    ("e4e5", IllegalMove, "white has no piece on e4"),
    ("h8h7", IllegalMove, "white has no piece on h8"),
    ("h1a1", IllegalMove, "the rook on h1 cannot go to a1"),
    ("h1h2", IllegalMove, "white's king would be in check"),
    ("e1g1", IllegalMove, "the king on e1 cannot go to g1"),
    ("a7a8", IllegalMove, "a pawn that reaches a8 is promoted: add n, b, r or q"),
    ("h1h2q", IllegalMove, "the rook on h1 is not promoted there"),
]


@pytest.mark.parametrize(("text", "kind", "sentence"), REFUSALS)
def test_a_move_is_refused_with_its_reason(text: str, kind: type[Exception], sentence: str) -> None:
    position = CHESS.parse_position("4k3/P7/8/8/8/8/4r3/4K2R w K - 0 1")
    with pytest.raises(kind, match=sentence):
        position.parse_move(text)


DAMAGED = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", "position"),
    ("rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "pieces"),
    ("rnbqkbnr/pppppppp/8/8/8/44/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "pieces"),
    ("rnbq1bnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1", "pieces"),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1", "to move"),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w kqKQ - 0 1", "castling"),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1KNR w KQkq - 0 1", "castling"),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e3 0 1", "en passant"),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - x 1", "halfmove clock"),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 0", "fullmove number"),
]


@pytest.mark.parametrize(("fen", "field"), DAMAGED)
def test_a_damaged_fen_is_refused_with_the_name_of_its_field(fen: str, field: str) -> None:
    with pytest.raises(PositionError) as caught:
        CHESS.parse_position(fen)
    assert caught.value.field == field


# --- the registry


class FakeDistribution(Distribution):
    """A distribution that requires a package by an extra."""

    def __init__(self, requirement: str) -> None:
        self._requirement = requirement

    def read_text(self, filename: str) -> str | None:
        text = (
            f"Metadata-Version: 2.1\nName: leapfrog-arena\nVersion: 1\nRequires-Dist: {self._requirement}\n"
        )
        return text if filename in ("METADATA", "PKG-INFO") else None

    def locate_file(self, path: object) -> object:  # type: ignore[override]  # never asked for
        raise NotImplementedError


def offering(requirement: str, extra: str = "chess") -> Registry:
    """Return a registry whose only entry point belongs to an extra with this requirement."""
    entry = EntryPoint("chess", f"referee.plugins.chess:CHESS [{extra}]", ENTRY_POINTS)
    vars(entry).update(dist=FakeDistribution(requirement))
    return Registry(lambda: [entry])


def test_with_its_package_it_is_one_of_the_games() -> None:
    games = offering('chess<2,>=1.11; extra == "chess"')
    assert games.game_ids()[-1] == "chess"
    assert games.game("chess") is CHESS


@pytest.mark.parametrize(
    "requirement", ['no-such-package<2,>=1.11; extra == "chess"', "Gone ; extra=='chess'"]
)
def test_without_its_package_it_is_no_game_and_the_error_names_the_command(requirement: str) -> None:
    games = offering(requirement)
    assert games.game_ids() == tuple(BUILT_IN)
    assert games.plugin_problems() == ()
    with pytest.raises(UnknownGame, match=r"needs more packages: pip install 'leapfrog-arena\[chess\]'"):
        games.game("chess")


def test_what_another_extra_asks_for_does_not_matter() -> None:
    assert offering("no-such-package; extra == 'dev'").game_ids()[-1] == "chess"


@pytest.mark.parametrize(
    ("fen", "move", "irreversible"),
    [
        ("4k3/8/8/8/8/8/4P3/R3K2R w KQ - 9 20", "e2e3", True),
        ("4k3/8/8/8/8/8/4P3/R3K2R w KQ - 9 20", "a1a8", False),
        ("4k3/8/8/8/8/8/4P3/R3K2R w KQ - 9 20", "e1g1", False),
        ("r3k3/8/8/8/8/8/4P3/R3K2R w KQ - 9 20", "a1a8", True),
    ],
)
def test_in_chess_captures_and_pawn_moves_are_irreversible(fen: str, move: str, irreversible: bool) -> None:
    position = CHESS.parse_position(fen)
    assert irreversibility(position)(position, position.parse_move(move)) is irreversible


STARTS = {
    "usual": (CHESS, chess.STARTING_FEN),
    "castling, promotions": (CHESS, PROMOTIONS),
    "pins, en passant": (CHESS, ENDGAME),
    "few pieces": (CHESS, "8/8/3k4/8/2n5/8/3BK1P1/8 w - - 0 1"),
    "Chess960": (CHESS960, SHUFFLED),
}
PLIES = 60


def boards(rules: ChessGame, fen: str) -> list[chess.Board]:
    """Return the boards of a random game that the package plays, each with its last move on the stack."""
    rng = random.Random(fen)
    board = chess.Board(fen, chess960=rules is CHESS960)
    played = [board]
    while len(played) < PLIES and any(board.legal_moves):
        board = board.copy(stack=1)
        board.push(rng.choice(list(board.legal_moves)))
        played.append(board)
    return played


@pytest.mark.parametrize(("rules", "fen"), STARTS.values(), ids=STARTS)
def test_outcome_text_and_key_agree_with_the_package_after_every_move(rules: ChessGame, fen: str) -> None:
    keys: dict[object, object] = {}
    position = rules.parse_position(fen)
    for board in boards(rules, fen):
        assert isinstance(position, ChessPosition)
        if board.move_stack:
            position = position.play(position.parse_move(board.peek().uci()))
        text = board.shredder_fen(en_passant="fen") if board.chess960 else board.fen(en_passant="fen")
        assert str(position) == text
        outcome = position.outcome()
        package = board.outcome()
        ended = package is not None and package.termination not in (
            chess.Termination.FIVEFOLD_REPETITION,
            chess.Termination.THREEFOLD_REPETITION,
        )
        assert (outcome is not None) is ended
        same = board._transposition_key()
        assert keys.setdefault(position.key(), same) == same
    assert len(keys) == len(set(keys.values()))
