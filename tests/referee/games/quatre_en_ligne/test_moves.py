"""Quatre en ligne: legal moves, the positions after them, and the reasons why other moves are illegal."""

from __future__ import annotations

import pytest

from referee import IllegalMove, MoveSyntaxError, Outcome
from referee.games.quatre_en_ligne.position import QUATRE_EN_LIGNE
from tests.referee.games.texts import after, listed, refusal

START = "_____/_____/_____/_____ 0,0 6 6 w"
FULL = "wrwrw/rwrwr/_____/__w_r 0,0 0 0 w"  # all pieces are placed, and no tile has been moved
MIDDLE = "_rww_/__rrr/rwwrw/____w 0,0 0 0 w"
JUMPS = "_w_w_/.www./_rWr_/.rrr./_r__. 0,0 0 0 w"
GAP = "._w............./w._............./___wrwrwrwrrr___ 0,0 0 0 w"
RING = "wrwrwr/_...._/w....r/_...._/r....w/_wr___ 0,0 0 0 w"
BRIDGE = "wrw____wrw/rwr....rwr/__......__ 0,0 0 0 w"
ELBOW = "wrwrwrwrwr_......../.........._____wr__ 0,0 0 0 w"
STUCK = "wwwwwwrr________rrrr 0,0 0 0 w"
ROW = "_wwwwrr______rrrrww_ -19,-1 0 0 w"
WON = "WWWW_/rrrrr/r____/ww___ 0,0 0 0 r"
position = QUATRE_EN_LIGNE.parse_position


def plain(text: str, piece: str) -> list[str]:
    """The targets of a piece in moves that lay no tile."""
    moves = [move for move in listed(position(text)) if "@" not in move]
    return [move.split(">")[1] for move in moves if move.startswith(f"{piece}>")]


def taken(text: str) -> set[str]:
    """The tiles that may be taken."""
    return {move.split("@")[1] for move in listed(position(text)) if "@" in move}


# --- placing -----------------------------------------------------------------------------------------------


def test_pieces_are_placed_face_down_on_any_empty_tile_by_white_and_red_in_turn() -> None:
    start = position(START)
    assert listed(start) == [f"{x},{y}" for y in range(4) for x in range(5)]
    assert str(after(start, "2,1", "0,3")) == "r____/_____/__w__/_____ 0,0 5 5 w"
    assert listed(after(start, "2,1")) == [move for move in listed(start) if move != "2,1"]


def test_pieces_move_as_soon_as_all_twelve_stand() -> None:
    last = position("wrwrw/rwrwr/_____/__w__ 0,0 0 1 r")
    assert listed(last) == ["0,0", "1,0", "3,0", "4,0", "0,1", "1,1", "2,1", "3,1", "4,1"]
    assert str(after(last, "4,0")) == FULL
    assert all(">" in move for move in listed(position(FULL)))


# --- steps and jumps ---------------------------------------------------------------------------------------


def test_a_piece_steps_in_all_directions_to_empty_tiles() -> None:
    there = "___rw/_W_wr/___rw/rrrww 0,0 0 0 w"
    assert plain(there, "1,2") == ["0,1", "1,1", "2,1", "0,2", "2,2", "0,3", "1,3", "2,3"]
    assert plain(there, "3,2") == ["2,1", "2,2", "2,3"]


def test_a_piece_jumps_in_all_directions_over_pieces_of_both_colours() -> None:
    assert plain(JUMPS, "2,2") == ["0,0", "2,0", "0,2", "4,2", "0,4", "2,4", "4,4"]
    assert str(after(position(JUMPS), "2,2>4,0@0,4")) == ".w_w_/.www./_r_r_/.rrr./_r__w 0,0 0 0 r"


@pytest.mark.parametrize("face", ["w", "W"])
def test_a_jump_turns_a_piece_over_and_a_step_does_not(face: str) -> None:
    turned = face.swapcase()
    there = after(position(JUMPS.replace("W", face)), "2,2>0,4")
    assert str(there) == f"{turned}w_w_/.www./_r_r_/.rrr./_r__. 0,0 0 0 r"
    there = after(position(GAP.replace("/w", f"/{face}")), "0,1>1,0")
    assert str(there) == f"._w............./_._............./_{face}_wrwrwrwrrr___ 0,0 0 0 r"


def test_no_tile_is_needed_between_adjacent_places() -> None:
    assert plain(GAP, "0,1") == ["0,0", "1,0", "1,2"]
    there = after(position(GAP), "0,1>1,2")
    assert str(there) == ".ww............./_._............./___wrwrwrwrrr___ 0,0 0 0 r"


def test_a_jump_needs_the_piece_next_to_it_and_an_empty_tile_just_behind() -> None:
    assert plain("wrrw_/r_r_r/w_w_r/_w_w_ 0,0 0 0 w", "0,3") == [
        "1,2"
    ]  # not over two pieces, and not from a distance
    assert plain("wr_rw/w_w__/rr_r_/w_wr_ 0,0 0 0 w", "0,3") == ["1,2", "2,3"]


# --- tiles -------------------------------------------------------------------------------------------------


def test_only_empty_tiles_with_two_free_sides_can_be_taken() -> None:
    assert taken(FULL) == {"0,0"}
    assert taken(MIDDLE) == {"0,0", "0,3", "4,3"}


def test_two_opposite_free_sides_suffice() -> None:
    assert taken(RING) == {"0,0", "3,0", "4,0", "5,0", "0,2", "5,2", "0,4", "5,4"}


def test_a_tile_that_would_split_the_board_cannot_be_taken() -> None:
    assert taken(BRIDGE) == {"0,0", "1,0", "8,0", "9,0"}
    assert taken(ELBOW) == {"18,0"}  # not 10,1: the tiles on both sides of it touch only at a corner


def test_a_tile_goes_to_places_beside_the_others_and_the_piece_goes_onto_it() -> None:
    laid = [move for move in listed(position(MIDDLE)) if move.startswith("3,3>") and "@" in move]
    upper = ["3,3>5,1", "3,3>2,4", "3,3>3,4"]
    assert laid == [
        *(f"{way}@0,0" for way in (*upper, "3,3>4,4")),
        *(f"{way}@0,3" for way in (*upper, "3,3>4,4")),
        *(f"{way}@4,3" for way in upper),  # the only tile beside 4,4 is the tile that is taken
    ]


def test_a_tile_may_be_laid_into_a_hole() -> None:
    there = position("wr__wr/_....w/wr__wr/r...._/w_..r_ -1,-1 0 0 w")
    assert str(after(there, "3,3>2,2@0,-1")) == "wr___r/_..w.w/wr__wr/r...._/w...r_ -1,-1 0 0 r"


def test_coordinates_stay_while_the_box_grows_and_shrinks() -> None:
    middle, row = position(MIDDLE), position(ROW)
    assert str(after(middle, "1,1>-1,1@0,0")) == "._rww_/.__rrr/Wr_wrw/..___w -1,0 0 0 r"
    assert str(after(middle, "4,0>4,-1@0,3")) == ".rww_/__rrr/rwwrw/_____/....w 0,-1 0 0 r"
    assert str(after(middle, "2,3>2,4@4,3")) == "..w../_r_w./__rrr/rwwrw/____w 0,0 0 0 r"
    assert str(after(row, "-18,-1>-18,0@-19,-1")) == "w................../_wwwrr______rrrrww_ -18,-1 0 0 r"
    low = position("wrwrw/rwrwr/__r__/w___./_.... 4,4 0 0 w")
    assert str(after(low, "4,5>3,5@4,4")) == ".wrwrw/.rwrwr/.__r__/w____. 3,5 0 0 r"


# --- four in a line ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "move", "winner"),
    [
        pytest.param("WWW__/rrrrW/rrw__/w____ 2,2 0 0 w", "6,4>5,5", 0, id="by a step"),
        pytest.param("WWW_w/rrrrr/rw___/w____ 2,2 0 0 w", "3,3>5,5", 0, id="by a jump"),
        pytest.param("WWW../rrrrW/rrw__/w____/__... 2,2 0 0 w", "6,5>5,6@2,2", 0, id="onto a tile laid"),
        pytest.param("WW_WW/rrrWr/rr_w_/_____ 0,0 0 0 w", "3,2>2,3", 0, id="five"),
        pytest.param("W____/Wrrrr/Wrr__/_Www_ 0,0 0 0 w", "1,0>0,0", 0, id="vertical"),
        pytest.param("___W_/rrWr_/rWrr_/_Www_ 0,0 0 0 w", "1,0>0,0", 0, id="diagonal, upwards"),
        pytest.param("_R___/_wRww/_wwRw/_rrR_ 0,0 0 0 r", "3,0>4,0", 1, id="diagonal, downwards"),
        pytest.param("WWW__/rrrrw/rrw__/w____ 2,2 0 0 w", "6,4>5,5", None, id="one face down"),
        pytest.param("WWW__/rrrrr/rW___/ww___ 0,0 0 0 w", "1,1>3,3", None, id="turned down by the jump"),
        pytest.param("WWW__/rrrrW/rrw__/w____ 2,2 0 0 w", "6,4>6,5", None, id="with a gap"),
        pytest.param("WWW__/rrrrw/rrW__/w____ 2,2 0 0 r", "5,4>5,5", None, id="of two colours"),
    ],
)
def test_four_own_face_up_pieces_in_an_unbroken_line_win(text: str, move: str, winner: int | None) -> None:
    before = position(text)
    assert before.outcome() is None
    assert after(before, move).outcome() == (None if winner is None else Outcome.win(winner, 2, "line"))


def test_a_finished_game_has_no_move() -> None:
    over = position(WON)
    assert over.outcome() == Outcome.win(0, 2, "line")
    assert listed(over) == []
    assert over.count_moves() == 0
    for move in ("0,2>0,1", "9,9", "pass"):
        assert refusal(over, move) == (IllegalMove, "the game is over: White has four in a line")
    with pytest.raises(MoveSyntaxError):
        over.parse_move("zz")


# --- passing -----------------------------------------------------------------------------------------------


def test_a_player_without_a_move_passes() -> None:
    stuck = position(STUCK)
    assert listed(stuck) == ["pass"]
    assert stuck.count_moves() == 1
    assert after(stuck, "pass") == stuck.skip_turn()
    assert str(after(stuck, "pass")) == STUCK.replace("0 w", "0 r")
    assert str(after(stuck, "pass", "7,0>8,0")) == "wwwwwwr_r_______rrrr 0,0 0 0 w"


# --- illegal moves -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "move", "sentence"),
    [
        (START, "5,0", "there is no tile at 5,0"),
        (START, "-1,2", "there is no tile at -1,2"),
        (START, "999999,-999999", "there is no tile at 999999,-999999"),
        ("_____/_____/__w__/_____ 0,0 5 6 r", "2,1", "White's piece is at 2,1 already"),
        (START, "0,0>1,1", "no piece moves before all twelve are placed"),
        (START, "pass", "White may not pass while there is another move, such as 0,0"),
        (
            FULL,
            "0,0",
            "all twelve pieces are placed: a move names the piece's place and its target, as in 2,1>3,2",
        ),
        (MIDDLE, "pass", "White may not pass while there is another move, such as 4,0>3,0"),
        (MIDDLE, "1,0>2,0", "there is no piece at 1,0"),
        (MIDDLE, "8,8>9,9", "there is no piece at 8,8"),
        (MIDDLE, "999999,0>999998,0", "there is no piece at 999999,0"),
        (MIDDLE, "3,1>3,0", "it is White's turn, and the piece at 3,1 is Red's"),
        (MIDDLE, "4,0>5,0", "there is no tile at 5,0"),
        (MIDDLE, "4,0>3,1", "Red's piece is at 3,1 already"),
        (MIDDLE, "3,3>2,3", "White's piece is at 2,3 already"),
        (MIDDLE, "4,0>2,0", "the piece at 4,0 cannot jump to 2,0: there is no piece at 3,0"),
        (MIDDLE, "4,0>6,0@0,0", "no tile can be laid at 6,0: it would share no side with another tile"),
        (MIDDLE, "3,3>4,4@4,3", "no tile can be laid at 4,4: it would share no side with another tile"),
        (MIDDLE, "3,3>4,3@0,0", "no tile can be laid at 4,3: there is one already"),
        (MIDDLE, "3,3>3,4@5,5", "there is no tile at 5,5"),
        (MIDDLE, "3,3>3,4@1,3", "the tile at 1,3 cannot be taken: Red's piece stands on it"),
        (MIDDLE, "3,3>3,4@1,2", "the tile at 1,2 cannot be taken: none of its sides is free"),
        (MIDDLE, "3,3>3,4@1,0", "the tile at 1,0 cannot be taken: only one of its sides is free"),
        (
            BRIDGE,
            "2,2>2,3@4,2",
            "the tile at 4,2 cannot be taken: the others would not be connected without it",
        ),
        (
            ELBOW,
            "8,1>8,2@10,1",
            "the tile at 10,1 cannot be taken: the others would not be connected without it",
        ),
        (JUMPS, "1,4>-1,4@4,4", "the piece at 1,4 cannot jump to -1,4: there is no piece at 0,4"),
    ],
)
def test_a_move_is_refused_with_its_reason(text: str, move: str, sentence: str) -> None:
    assert refusal(position(text), move) == (IllegalMove, sentence)


FORMS = (
    "a move is a place such as 2,1, a step or jump such as 2,1>3,2, a step or jump onto a tile from another "
    "place such as 3,1>5,1@4,0, or pass"
)
NUMBERS = "coordinates are from -999999 to 999999, without a plus sign, leading zeros or a minus before 0"
WAYS = "a piece steps to one of the eight places around it, or jumps two places in a straight line"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", FORMS),
        ("PASS", FORMS),
        ("2,1 ", FORMS),
        ("2;1", FORMS),
        ("2", FORMS),
        ("2,1>", FORMS),
        ("2,1@3,1", FORMS),
        ("2,1>3,1>4,1", FORMS),
        ("2,1>3,1@0,0@1,1", FORMS),
        ("--1,2", FORMS),
        ("\u0662,1", FORMS),
        ("02,1", NUMBERS),
        ("+2,1", NUMBERS),
        ("-0,1", NUMBERS),
        ("2,-01", NUMBERS),
        ("1000000,0", NUMBERS),
        ("2,1>3,02", NUMBERS),
        ("2,1>3,2@00,0", NUMBERS),
        ("2,1>2,1", WAYS),
        ("2,1>5,1", WAYS),
        ("2,1>4,2", WAYS),
        ("2,1>3,-1", WAYS),
        ("2,1>3,2@3,2", "a tile must be laid at another place"),
        ("2,1>3,2@2,1", "the tile under the moving piece cannot be taken"),
    ],
)
@pytest.mark.parametrize("where", [START, MIDDLE])
def test_what_is_no_move_in_any_position_is_a_syntax_error(where: str, text: str, reason: str) -> None:
    kind, sentence = refusal(position(where), text)
    assert kind is MoveSyntaxError
    assert sentence.endswith(f" is no move: {reason}")


def test_a_text_that_is_too_long_is_no_move() -> None:
    with pytest.raises(MoveSyntaxError, match=r"^a text longer than 200 characters is no move$"):
        position(START).parse_move("1" * 201)


def test_no_tile_is_laid_beyond_the_last_coordinate() -> None:
    at = "___r_/__wwr/rwwrR/_wwr_ {} 0 0 w".format
    end, free, last = (listed(position(at(corner))) for corner in ("999995,-999999", "5,5", "999994,-999998"))
    assert [move for move in end if "1000000" in move] == []
    assert len(end) < len(free) == len(last)
