"""Movers & Hoppers and Rampants et sauteurs: set-ups, moves, wins, passes and illegal moves."""

from __future__ import annotations

import pytest

from referee import IllegalMove, MoveSyntaxError, Outcome, Position, game
from tests.referee.games.movers_hoppers.slow_rules import BASIC, EXPERT, RAMPANTS, SPECIAL
from tests.referee.games.texts import after, listed, refusal

EACH_GAME = pytest.mark.parametrize("game_id", SPECIAL)

START = "3/3/3/3/3/3/3/3 w"
OPENED = "hhh/mmm/3/3/3/3/MMM/HHH w"
STUCK = "mmm/hhh/3/3/3/3/HHH/MMM w"
MIDDLE = "mhm/2h/3/1Hm/HM1/M1h/1HM/3 w"
LINES = "1hh/m2/M2/h2/m2/M1H/hHM/H2 w"
ALONE = "hmh/hm1/M2/3/1H1/3/HmM/M1M w"


def position(text: str, game_id: str = BASIC) -> Position:
    return game(game_id).parse_position(text)


def targets(text: str, square: str) -> list[str]:
    return [move[2:] for move in listed(position(text)) if move.startswith(square)]


# --- set-up ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("game_id", "count"), [(BASIC, 20), (EXPERT, 64), (RAMPANTS, 20)])
@pytest.mark.parametrize("text", [START, "3/3/3/3/3/3/MHM/HMH r"])
def test_a_set_up_has_three_movers_unless_the_players_are_experts(
    game_id: str, count: int, text: str
) -> None:
    setups = listed(position(text, game_id))
    assert setups == sorted(set(setups))
    assert len(setups) == count
    assert all(len(setup) == 6 and set(setup) <= set("mh") for setup in setups)
    assert all(setup.count("m") == 3 for setup in setups) == (game_id != EXPERT)


@EACH_GAME
def test_white_sets_up_and_then_red_each_from_the_own_back_row_to_the_front(game_id: str) -> None:
    start = game(game_id).start()
    assert str(after(start, "hhmhmm")) == "3/3/3/3/3/3/HMM/HHM r"
    assert str(after(start, "hhmhmm", "mmhhhm")) == "mmh/hhm/3/3/3/3/HMM/HHM w"
    assert str(after(start, "hhhmmm", "hhhmmm")) == OPENED


@pytest.mark.parametrize("setup", ["mmmmmm", "hhhhhh", "mhhhhh", "mmmmhh"])
def test_another_number_of_movers_is_for_experts_only(setup: str) -> None:
    there = after(position(START, EXPERT), setup, setup)
    upper = setup.upper()
    assert str(there) == f"{setup[:3]}/{setup[3:]}/3/3/3/3/{upper[3:]}/{upper[:3]} w"
    for game_id in (BASIC, RAMPANTS):
        for text in (START, "3/3/3/3/3/3/MHM/HMH r", OPENED):
            with pytest.raises(
                MoveSyntaxError, match=r"^'[mh]*' is no move: in this game 3 of the six letters must"
            ):
                position(text, game_id).parse_move(setup)


# --- movers and hoppers ------------------------------------------------------------------------------------


def test_legal_moves_go_by_the_pieces_square_and_then_by_target() -> None:
    assert listed(position(OPENED)) == [
        *("a1a3", "a1c3", "b1b3", "c1a3", "c1c3"),
        *("a2a3", "a2b3", "b2a3", "b2b3", "b2c3", "c2b3", "c2c3"),
    ]


def test_a_mover_goes_one_square_in_eight_directions_and_then_is_a_hopper() -> None:
    there = ALONE.replace("1H1", "1M1")
    assert targets(there, "b4") == ["a3", "b3", "c3", "a4", "c4", "a5", "b5", "c5"]
    assert str(after(position(there), "b4c5")) == "hmh/hm1/M2/2H/3/3/HmM/M1M r"
    assert targets(MIDDLE, "b4") == ["b3", "c4", "a5"]


def test_a_hopper_jumps_over_pieces_of_both_colours_and_then_is_a_mover() -> None:
    assert targets(MIDDLE, "b5") == ["b3"]
    assert targets(MIDDLE, "a4") == ["a2", "c4", "c6"]
    assert str(after(position(MIDDLE), "a4c6")) == "mhm/2h/2M/1Hm/1M1/M1h/1HM/3 r"
    assert str(after(position(MIDDLE), "b5b3")) == "mhm/2h/3/2m/HM1/MMh/1HM/3 r"


def test_a_hopper_that_stands_alone_cannot_move() -> None:
    assert targets(ALONE, "b4") == []
    assert listed(position(ALONE)) != []


def test_a_jump_may_go_over_six_pieces_in_a_row() -> None:
    assert targets(LINES, "a1") == ["a8"]
    assert str(after(position(LINES), "a1a8")) == "Mhh/m2/M2/h2/m2/M1H/hHM/3 r"


def test_a_jump_lands_on_the_first_square_behind_the_line_which_must_be_on_the_board() -> None:
    there = "hmm/1m1/M2/3/h2/M2/HHh/1MM w"
    assert targets(there, "a2") == ["a5"]  # over a3 and a4; not to a7, beyond the gap, nor beyond c2
    assert targets(there, "b2") == []
    assert "b1b3" not in listed(position(there))  # a mover never jumps


def test_backwards_is_allowed_and_so_is_leaving_a_camp() -> None:
    there = position("hhm/1H1/1H1/mM1/3/mh1/3/HMM w")
    assert "b7b5" not in listed(there)  # two pieces in the way
    assert "b7b4" in listed(there)
    assert str(after(there, "b7b4")) == "hhm/3/1H1/mM1/1M1/mh1/3/HMM r"


# --- the end -----------------------------------------------------------------------------------------------

GAP = "MHh/M1m/1M1/3/1Hm/3/2m/Hhh w"
BACK = "MHh/m1m/1m1/3/HH1/M2/3/Mhh r"


@EACH_GAME
@pytest.mark.parametrize(
    ("text", "move", "winner"),
    [
        pytest.param("M1M/HMH/1H1/mm1/hh1/3/3/mh1 w", "b6b8", 0, id="by a jump"),
        pytest.param("MHM/H1H/1M1/mm1/hh1/3/3/mh1 w", "b6b7", 0, id="by a step"),
        pytest.param("MH1/3/3/MM1/HH1/1h1/hmh/m1m r", "b3b1", 1, id="Red, by a jump"),
        pytest.param("MH1/3/3/MM1/HH1/1m1/h1h/mmm r", "b3b2", 1, id="Red, by a step"),
        pytest.param("M1M/HMH/1H1/mm1/hh1/3/3/mh1 w", "b7b8", None, id="only five"),
    ],
)
def test_six_pieces_in_the_opposite_camp_win_whatever_they_are(
    game_id: str, text: str, move: str, winner: int | None
) -> None:
    before = position(text, game_id)
    assert before.outcome() is None
    expected = None if winner is None else Outcome.win(winner, 2, "camp")
    assert after(before, move).outcome() == expected


@pytest.mark.parametrize("game_id", [BASIC, EXPERT])
def test_one_piece_in_the_opposite_camp_wins_when_that_is_full(game_id: str) -> None:
    won = after(position(GAP, game_id), "b6b7")
    assert str(won) == "MHh/MHm/3/3/1Hm/3/2m/Hhh r"
    assert won.outcome() == Outcome.win(0, 2, "full")


def test_in_rampants_a_full_camp_wins_nothing() -> None:
    there = after(position(GAP, RAMPANTS), "b6b7")
    assert there.outcome() is None
    assert "c7b6" in listed(there)


@pytest.mark.parametrize("game_id", [BASIC, EXPERT])
def test_who_fills_the_own_camp_round_an_intruder_makes_that_one_win(game_id: str) -> None:
    lost = after(position(BACK, game_id), "b6b7")
    assert str(lost) == "MHh/mhm/3/3/HH1/M2/3/Mhh w"
    assert lost.outcome() == Outcome.win(0, 2, "full")
    assert after(position(BACK, RAMPANTS), "b6b7").outcome() is None


@pytest.mark.parametrize("game_id", [BASIC, EXPERT])
def test_a_full_camp_without_an_intruder_wins_nothing(game_id: str) -> None:
    assert position("mhh/hhm/3/3/HHM/MMH/3/3 w", game_id).outcome() is None
    assert position(OPENED, game_id).outcome() is None


@pytest.mark.parametrize("game_id", [BASIC, EXPERT])
def test_a_camp_that_lacks_one_piece_is_not_full(game_id: str) -> None:
    assert position(GAP, game_id).outcome() is None
    assert position("MH1/mHm/3/3/H2/M1m/2h/Mhh r", game_id).outcome() is None


@pytest.mark.parametrize(
    ("board", "reason", "ids"),
    [
        ("MHM/HMH/3/3/3/3/mhm/hmh", "camp", [*SPECIAL]),
        ("MHM/mHM/3/3/3/3/hHm/hmh", "full", [BASIC, EXPERT]),
    ],
)
def test_of_two_winners_the_one_who_has_just_moved_has_won(board: str, reason: str, ids: list[str]) -> None:
    for game_id in ids:
        assert position(f"{board} w", game_id).outcome() == Outcome.win(1, 2, reason)
        assert position(f"{board} r", game_id).outcome() == Outcome.win(0, 2, reason)


@EACH_GAME
@pytest.mark.parametrize("turn", "wr")
def test_six_in_the_opposite_camp_have_won_whoever_is_said_to_be_next(game_id: str, turn: str) -> None:
    assert position(f"MMM/HMH/3/mm1/hh1/3/3/mh1 {turn}", game_id).outcome() == Outcome.win(0, 2, "camp")
    assert position(f"MH1/3/3/MM1/HH1/3/hmh/mmm {turn}", game_id).outcome() == Outcome.win(1, 2, "camp")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("MMM/HMH/3/mm1/hh1/3/3/mh1 r", "the game is over: White has all six pieces in the opposite camp"),
        (
            "3/1M1/M1H/3/mHh/3/HhM/mhm w",
            "the game is over: Red has a piece in the opposite camp, which is full",
        ),
    ],
)
def test_a_finished_game_has_no_move(text: str, sentence: str) -> None:
    over = position(text)
    assert listed(over) == []
    for move in ("a5a4", "a7b6", "hhhmmm", "pass"):
        assert refusal(over, move) == (IllegalMove, sentence)
    with pytest.raises(MoveSyntaxError):
        over.parse_move("a9b9")


# --- passing -----------------------------------------------------------------------------------------------


@EACH_GAME
def test_who_sets_up_the_hoppers_in_front_can_only_pass_at_first(game_id: str) -> None:
    there = after(game(game_id).start(), "mmmhhh", "hhhmmm")
    assert listed(there) == ["pass"]
    passed = after(there, "pass")
    assert str(passed) == "hhh/mmm/3/3/3/3/HHH/MMM r"
    assert "pass" not in listed(passed)


@EACH_GAME
def test_both_may_have_to_pass_for_ever(game_id: str) -> None:
    stuck = position(STUCK, game_id)
    assert after(stuck, "pass", "pass") == stuck
    assert stuck.outcome() is None


# --- illegal moves -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "move", "sentence"),
    [
        (START, "a2b3", "White has no pieces yet: the first move is a set-up such as hmhmhm"),
        (START, "pass", "White has no pieces yet: the first move is a set-up such as hmhmhm"),
        ("3/3/3/3/3/3/MMM/HHH r", "a2b3", "Red has no pieces yet: the first move is a set-up such as hmhmhm"),
        ("3/3/3/3/3/3/MMM/HHH r", "pass", "Red has no pieces yet: the first move is a set-up such as hmhmhm"),
        (OPENED, "hmhmhm", "White has set up already"),
        (OPENED.replace(" w", " r"), "hmhmhm", "Red has set up already"),
        (STUCK, "hmhmhm", "White has set up already"),
        (OPENED, "pass", "White may not pass while there is another move, such as a1a3"),
        (OPENED.replace(" w", " r"), "pass", "Red may not pass while there is another move, such as a7a6"),
        (OPENED, "a4a5", "there is no piece on a4"),
        (OPENED, "a7b6", "it is White's turn, and the piece on a7 is Red's"),
        (OPENED.replace(" w", " r"), "a2b3", "it is Red's turn, and the piece on a2 is White's"),
        (OPENED, "a2a4", "the piece on a2 is a mover: it goes one square, and a4 is farther away"),
        (MIDDLE, "b5c6", "the piece on b5 is a hopper: it only jumps, and c6 is next to it"),
        (OPENED, "a1a2", "the piece on a1 is a hopper: it only jumps, and a2 is next to it"),
        (OPENED, "a1a8", "the hopper on a1 cannot jump to a8: a3 is empty"),
        (MIDDLE, "a4a1", "the hopper on a4 cannot jump to a1: a2 is empty"),
        (MIDDLE, "b5b1", "the hopper on b5 cannot jump to b1: b3 is empty"),
        (OPENED, "a1c1", "White's piece is on c1 already"),
        ("hh1/mmm/3/3/3/h2/MMM/HHH w", "a1a3", "Red's piece is on a3 already"),
        ("hh1/mmm/3/3/3/h2/MMM/HHH w", "b2a3", "Red's piece is on a3 already"),
        ("hh1/mmm/3/3/3/h2/MMM/HHH w", "a2b2", "White's piece is on b2 already"),
    ],
)
@EACH_GAME
def test_a_move_is_refused_with_its_reason(game_id: str, text: str, move: str, sentence: str) -> None:
    assert refusal(position(text, game_id), move) == (IllegalMove, sentence)


FORMS = "a move is a piece's square and its target such as a2b3, a set-up such as hmhmhm, or pass"
STRAIGHT = "a piece goes to another square in a straight line, along a row, a column or a diagonal"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", f"'' is no move: {FORMS}"),
        ("a2", f"'a2' is no move: {FORMS}"),
        ("a2b3c4", f"'a2b3c4' is no move: {FORMS}"),
        ("a2-b3", f"'a2-b3' is no move: {FORMS}"),
        ("hmhmh", f"'hmhmh' is no move: {FORMS}"),
        ("hmhmhmh", f"'hmhmhmh' is no move: {FORMS}"),
        ("a2b3\n", f"'a2b3\\n' is no move: {FORMS}"),
        ("a\u0662b3", f"'a\\u0662b3' is no move: {FORMS}"),
        ("a2a2", f"'a2a2' is no move: {STRAIGHT}"),
        ("a2b4", f"'a2b4' is no move: {STRAIGHT}"),
        ("a1c8", f"'a1c8' is no move: {STRAIGHT}"),
        ("a2d2", "'d2' in 'a2d2' is no square: the squares are a1 to c8"),
        ("a8a9", "'a9' in 'a8a9' is no square: the squares are a1 to c8"),
        ("A2B3", "'A2B3' is no move: moves are written in lower case"),
        ("HMHMHM", "'HMHMHM' is no move: moves are written in lower case"),
        ("Pass", "'Pass' is no move: moves are written in lower case"),
        ("m" * 201, "a text longer than 200 characters is no move"),
    ],
)
@pytest.mark.parametrize("where", [START, OPENED, STUCK])
def test_what_is_no_move_in_any_position_is_a_syntax_error(where: str, text: str, sentence: str) -> None:
    for game_id in SPECIAL:
        assert refusal(position(where, game_id), text) == (MoveSyntaxError, sentence)
