"""Tests of the arbiter: who wins, why, and in which order it judges a move."""

import pytest

from protocol.wire.messages import Thought
from referee import MoveError, Termination, game
from referee.game import irreversibility
from referee.match.adjudication import Adjudication, DrawRule, ResignRule
from referee.match.arbiter import Arbiter, Ply, Verdict
from referee.match.clock import Clock
from referee.match.forfeits import Forfeit
from referee.match.time_control import TimeControl

MS = 1_000_000


def arbiter(game_id="quoridor", opening=(), position=None, control="1+0", foreign=(), **adjudication):
    rules = game(game_id)
    players = rules.info.players
    start = rules.start() if position is None else rules.parse_position(position)
    clock = Clock([TimeControl.parse(control)] * players, [100 * MS] * players)
    limits = Adjudication(**{"repetition": 3, "plies": None} | adjudication)
    return Arbiter(rules, start, opening, clock, limits, foreign)


def play(judge, *texts, used=0):
    for text in texts:
        judge.on_move(text, 0, used, "")


NEAR_GOAL = "/ / e8 d5 / 10 10 / 1"


def test_before_the_first_move_nothing_is_played_used_or_wrong():
    judge = arbiter()
    assert (judge.line, judge.record, judge.used, judge.plies) == ([], [], [0, 0], 0)
    assert (judge.verdict, judge.over, judge.last_fault) == (None, False, ("", ""))
    assert [judge.in_play(seat) for seat in (0, 1)] == [True, True]
    assert judge.budget() == 1100 * MS


def test_the_rules_end_is_the_result():
    judge = arbiter(position=NEAR_GOAL)
    play(judge, "e9")
    assert judge.record == [Ply(0, "e9", 0, "")]
    assert judge.verdict.ranks == (1, 2)
    assert (judge.verdict.termination, judge.verdict.reason) == ("normal", "goal")
    assert judge.verdict.forfeits == (None, None)


def test_an_illegal_move_loses_and_says_why():
    judge = arbiter()
    play(judge, "e5")
    assert judge.verdict.ranks == (2, 1)
    assert judge.verdict.forfeits == (Termination.ILLEGAL, None)
    assert judge.verdict.detail == "seat 1 played 'e5': the pawn on e1 cannot reach e5: it is too far away"
    assert judge.record == []


def test_no_more_than_60_characters_of_an_illegal_move_are_quoted():
    judge = arbiter()
    play(judge, "e" * 61)
    assert judge.verdict.detail.startswith(f"seat 1 played '{'e' * 60}': ")
    assert judge.last_fault[1].startswith(f"played '{'e' * 60}': ")


def test_no_move_and_resigning_lose():
    for text, word, detail in (
        ("", Termination.ILLEGAL, "said that it has no move"),
        ("0000", Termination.ILLEGAL, "said that it has no move"),
        ("resign", Termination.RESIGN, "resigned"),
        ("1-0 {White wins}", Termination.ILLEGAL, "claimed '1-0 {White wins}', but the game goes on"),
        ("1/2-1/2", Termination.ILLEGAL, "claimed '1/2-1/2', but the game goes on"),
    ):
        judge = arbiter()
        play(judge, text)
        assert judge.verdict == Verdict((2, 1), word, word.value, f"seat 1 {detail}", (word, None))
        assert judge.last_fault == (word, detail)
        assert not judge.in_play(0)


def test_only_foreign_seats_may_write_moves_in_another_notation():
    judge = arbiter("chess", foreign={0}, control="9+0")
    play(judge, "e4", "e7e5", "Nf3", "Nc6")
    assert judge.line == ["e2e4", "e7e5", "g1f3"]
    assert [ply.text for ply in judge.record] == judge.line
    assert judge.verdict.detail.startswith("seat 2 played 'Nc6': ")
    judge = arbiter("chess", foreign={0})
    play(judge, "Nd2")
    assert judge.verdict.detail == "seat 1 played 'Nd2': no piece of white can make this move"
    judge = arbiter(foreign={0})
    play(judge, "Nd2")
    assert judge.verdict.termination is Termination.ILLEGAL


def test_time_is_judged_before_a_winning_move():
    judge = arbiter(position=NEAR_GOAL)
    play(judge, "e9", used=1100 * MS + 1)
    assert judge.verdict.termination == "time"
    assert judge.verdict.ranks == (2, 1)
    assert judge.verdict.detail == "seat 1 was 0.0 ms over its time and margin"


@pytest.mark.parametrize(
    ("used", "over"), [(1350 * MS, "250.0"), (6200 * MS + 60_000, "5100.1"), (601_100 * MS, "600000.0")]
)
def test_a_forfeit_on_time_has_the_exact_number_of_milliseconds(used, over):
    judge = arbiter()
    play(judge, "e2", used=used)
    assert judge.verdict.detail == f"seat 1 was {over} ms over its time and margin"
    assert judge.used == [used, 0]


def test_the_margin_is_forgiven():
    judge = arbiter(position=NEAR_GOAL)
    play(judge, "e9", used=1100 * MS)
    assert judge.verdict.termination == "normal"
    assert judge.used == [1100 * MS, 0]


def test_the_time_used_is_a_sum_for_each_seat():
    judge = arbiter(control="10+0")
    for number, text in enumerate(("e2", "e8", "e3", "e7"), 1):
        play(judge, text, used=number * MS)
    assert judge.used == [4 * MS, 6 * MS]


def test_the_third_occurrence_is_a_draw():
    judge = arbiter()
    shuffle = ("e2", "e8", "e1", "e9")
    play(judge, *shuffle, *shuffle[:3])
    assert not judge.over
    play(judge, "e9")
    assert (judge.verdict.ranks, judge.verdict.reason) == ((1, 1), "repetition")
    assert judge.verdict.termination == "adjudicated"


def test_repetition_can_be_off_and_the_length_is_a_draw():
    judge = arbiter(repetition=None, plies=20)
    play(judge, *("e2", "e8", "e1", "e9") * 4, "e2", "e8", "e1")
    assert not judge.over
    play(judge, "e9")
    assert judge.verdict == Verdict((1, 1), Termination.ADJUDICATED, "length", "", (None, None))
    assert judge.record[-1].text == "e9"


def test_a_win_at_the_ply_limit_is_a_win():
    judge = arbiter(position=NEAR_GOAL, plies=1)
    play(judge, "e9")
    assert judge.verdict.reason == "goal"


def test_openings_are_played_and_counted():
    judge = arbiter(opening=("e2", "e8"), plies=3)
    assert judge.line == ["e2", "e8"]
    play(judge, "e3")
    assert judge.verdict.reason == "length"
    assert [ply.text for ply in judge.record] == ["e3"]


OVER = "the game is over before the engines have moved"


@pytest.mark.parametrize(
    ("opening", "position", "why"),
    [
        (("e5",), None, "the pawn on e1 cannot reach e5"),
        (("e9",), NEAR_GOAL, f"{OVER}$"),
        ((), "/ / e9 d5 / 10 10 / 2", f"{OVER}$"),
        (("e2", "e8", "e1", "e9"), None, f"{OVER}$"),  # by repetition
        (("e2", "e8", "e3"), None, f"{OVER}$"),  # by length
    ],
)
def test_an_opening_that_is_illegal_or_ends_the_game_is_refused(opening, position, why):
    with pytest.raises(MoveError, match=f"^{why}"):
        arbiter(opening=opening, position=position, repetition=2, plies=3 if len(opening) == 3 else None)


def test_a_removed_seat_is_passed_over_and_the_others_play_on():
    judge = arbiter("quoridor4")
    play(judge, "e2", "z9")
    assert not judge.over
    assert judge.seat == 2
    assert judge.line == ["e2", "!2"]
    assert [judge.in_play(seat) for seat in range(4)] == [True, False, True, True]
    play(judge, "e8", "h5", "e3", used=MS)
    assert judge.seat == 2
    assert judge.go().times == (999, 0, 999, 999)
    assert judge.record == [
        Ply(0, "e2", 0, ""),
        Ply(1, "!2", 0, ""),
        Ply(2, "e8", MS, ""),
        Ply(3, "h5", MS, ""),
        Ply(0, "e3", MS, ""),
    ]
    assert judge.plies == 4


def test_removed_seats_rank_below_all_the_later_the_better():
    judge = arbiter("quoridor4")
    play(judge, "e2", "z9", "e8", "z9", "z9")
    assert judge.verdict.ranks == (2, 4, 1, 3)
    assert (judge.verdict.termination, judge.verdict.reason) == (Termination.ILLEGAL, "illegal")
    assert judge.line == ["e2", "!2", "e8", "!4", "!1"]
    assert judge.verdict.forfeits == (Termination.ILLEGAL, Termination.ILLEGAL, None, Termination.ILLEGAL)


def test_a_win_among_four_leaves_the_removed_below_the_losers():
    judge = arbiter("quoridor4", position="/ / e8 a5 d4 i5 / 5 5 5 5 / 2")
    play(judge, "z9", "d3", "h5", "e9")
    assert judge.verdict.ranks == (1, 4, 2, 2)
    assert judge.verdict.termination == "normal"


def test_a_draw_among_those_left_leaves_the_removed_below():
    judge = arbiter("quoridor4", plies=3)
    play(judge, "z9", "b5", "e8", "h5")
    assert judge.verdict.ranks == (4, 1, 1, 1)


def test_positions_from_before_a_removal_do_not_count_as_repeated():
    judge = arbiter("quoridor4", repetition=2)
    play(judge, "e2", "b5")
    before = judge.position.key()
    play(judge, "e8", "h5", "e1", "z9", "e9", "i5", "e2")
    assert judge.position.key() == before
    assert not judge.over


def test_the_position_after_a_removal_is_the_first_that_counts():
    judge = arbiter("quoridor4", repetition=2)
    play(judge, "e2", "z9")
    alone = judge.position.key()
    play(judge, "e8", "h5", "e1", "e9", "i5")
    assert not judge.over
    play(judge, "e2")
    assert judge.position.key() == alone
    assert judge.verdict.reason == "repetition"


def test_seats_that_fail_together_share_the_last_place():
    judge = arbiter()
    judge.on_forfeit({0: Forfeit(Termination.CRASH, "is gone"), 1: Forfeit(Termination.STALL, "is mute")})
    assert judge.verdict.ranks == (1, 1)
    assert judge.verdict.detail == "seat 1 is gone; seat 2 is mute"
    assert judge.verdict.forfeits == (Termination.CRASH, Termination.STALL)


def test_a_void_game_has_no_ranks():
    judge = arbiter()
    judge.on_void("no more processes")
    assert judge.verdict == Verdict(None, Termination.VOID, "void", "no more processes", (None, None))


def reported(judge, text, score, used=0):
    judge.on_move(text, 0, used, f"score cp {score}" if score is not None else "")


@pytest.mark.parametrize(("first", "second", "ranks"), [(-300, 300, (2, 1)), (300, -300, (1, 2))])
def test_a_game_that_both_hold_for_lost_is_ended_and_says_by_whose_word(first, second, ranks):
    judge = arbiter(resign=ResignRule(300, moves=1))
    reported(judge, "e2", first)
    assert judge.verdict is None
    reported(judge, "e8", second)
    detail = f"player 1 reported {first:+}; player 2 reported {second:+}"
    assert judge.verdict == Verdict(ranks, Termination.ADJUDICATED, "score", detail, (None, None))
    assert [ply.score for ply in judge.record] == [f"cp {first}", f"cp {second}"]


def test_the_score_and_the_depth_that_an_engine_reports_are_recorded_with_its_move():
    judge = arbiter()
    judge.on_move("e2", 0, MS, "depth 7 score cp 31 nodes 9")
    assert judge.record == [Ply(0, "e2", MS, "cp 31", 7, Thought(nodes=9))]


def test_a_game_that_both_hold_for_level_is_drawn_and_says_by_whose_word():
    judge = arbiter(draw=DrawRule(10, moves=1, after=4))
    for text in ("e2", "e8", "e3", "e7"):
        assert judge.verdict is None
        reported(judge, text, 3)
    detail = "player 1 reported +3; player 2 reported +3"
    assert judge.verdict == Verdict((1, 1), Termination.ADJUDICATED, "balance", detail, (None, None))


@pytest.mark.parametrize(
    "adjudication",
    [
        {"resign": ResignRule(300, moves=1)},
        {"draw": DrawRule(300, moves=1)},
    ],
    ids=lambda settings: next(iter(settings)),
)
def test_an_end_by_the_rules_is_never_overtaken_by_reports(adjudication):
    judge = arbiter(position="/ / e8 d5 / 10 10 / 2", control="9+0", **adjudication)
    reported(judge, "d4", 300, used=1000 * MS)
    reported(judge, "e9", -300, used=1000 * MS)
    assert (judge.verdict.ranks, judge.verdict.reason, judge.verdict.detail) == ((1, 2), "goal", "")


@pytest.mark.parametrize(
    ("reason", "adjudication", "texts"),
    [("length", {"plies": 2}, ("e2", "e8")), ("repetition", {"repetition": 2}, ("e2", "e8", "e1", "e9"))],
)
def test_repetition_and_length_come_before_reports(reason, adjudication, texts):
    judge = arbiter(control="9+0", resign=ResignRule(300, moves=1), **adjudication)
    *first, second_last, last = texts
    play(judge, *first)
    reported(judge, second_last, -300)
    reported(judge, last, 300, used=2000 * MS)
    assert (judge.verdict.ranks, judge.verdict.reason) == ((1, 1), reason)


def test_repetition_comes_before_length():
    judge = arbiter(repetition=2, plies=4)
    play(judge, "e2", "e8", "e1", "e9")
    assert judge.verdict.reason == "repetition"


def test_the_clock_comes_before_reports():
    judge = arbiter(position="/ / e8 d5 / 10 10 / 2", resign=ResignRule(300, moves=1))
    reported(judge, "d4", 300)
    reported(judge, "e9", -300, used=1100 * MS + 1)
    assert (judge.verdict.ranks, judge.verdict.termination) == ((2, 1), "time")


def test_moves_count_from_the_first_position_and_not_from_its_number():
    rule = {"draw": DrawRule(10, moves=1, after=4)}
    judge = arbiter("chess", position="k7/8/8/8/8/8/8/K6R w - - 0 60", control="9+0", **rule)
    for text in ("h1h2", "a8a7", "h2h3"):
        reported(judge, text, 0)
        assert judge.verdict is None
    reported(judge, "a7a8", 0)
    assert judge.verdict.reason == "balance"


@pytest.mark.parametrize("sides", ["both", "one"])
@pytest.mark.parametrize("loser", [0, 1])
def test_a_lost_game_ends_after_the_last_report_of_either_seat(loser, sides):
    judge = arbiter(resign=ResignRule(300, moves=2, sides=sides), control="9+0")
    scores = [-400, 400] if loser == 0 else [400, -400]
    for number, text in enumerate(("e2", "e8", "e3", "e7")):
        assert judge.verdict is None
        reported(judge, text, scores[number % 2])
    assert judge.verdict.ranks == ((2, 1) if loser == 0 else (1, 2))


def test_four_players_are_not_adjudicated_by_reports():
    judge = arbiter("quoridor4", resign=ResignRule(300, moves=1), draw=DrawRule(10, moves=1))
    for text in ("e2", "b5", "e8", "h5"):
        reported(judge, text, 0)
    assert judge.verdict is None


def test_recent_moves_are_those_since_the_last_irreversible_one():
    judge = arbiter(opening=("e2", "e8"))
    assert judge.recent() is None
    play(judge, "e3", "e7")
    assert judge.recent() is None
    play(judge, "a1h")
    assert judge.recent() == ("a1 / / e3 e7 / 9 10 / 2", 5, ())
    play(judge, "e8", "e2")
    assert judge.recent() == ("a1 / / e3 e7 / 9 10 / 2", 5, ())
    play(judge, "h8v", "e3")
    assert judge.recent() == ("a1 / h8 / e2 e8 / 9 9 / 1", 8, ())


def test_recent_moves_have_the_removals_before_them():
    judge = arbiter("quoridor4")
    play(judge, "e2", "zz")
    assert judge.recent() is None
    play(judge, "e8", "h5", "e3", "a1h", "h6")
    base, *rest = judge.recent()
    assert base.endswith("/ 5 5 4 5 / 4")
    assert rest == [6, ["!2"]]
    play(judge, "zz")
    assert judge.recent() == (base, 6, ["!2"])
    assert judge.line[6:] == ["h6", "!1"]


def test_a_game_that_does_not_say_what_is_irreversible_keeps_all_moves():
    judge = arbiter()
    judge._is_irreversible = irreversibility(object())
    play(judge, "e2", "a1h")
    assert judge.recent() is None


BARE = "4k3/8/8/8/8/8/4P3/4K3 w - -"
MATE = "4k3/1R6/8/8/8/8/8/R3K3 w - -"


@pytest.mark.parametrize(
    ("position", "moves", "end"),
    [
        (f"{BARE} 98 99", "e1f2", None),
        (f"{BARE} 98 99", "e1f2 e8e7", ("adjudicated", "no-progress")),
        (f"{BARE} 99 99", "e2e3 e8e7", None),
        (f"{MATE} 99 99", "a1a8", ("normal", "checkmate")),
    ],
)
def test_a_game_without_progress_is_drawn_but_mate_comes_first(position, moves, end):
    rules = game("chess")
    clock = Clock([TimeControl()] * 2, [0, 0])
    judge = Arbiter(rules, rules.parse_position(position), [], clock, Adjudication())
    play(judge, *moves.split())
    verdict = judge.verdict
    assert (verdict and (verdict.termination, verdict.reason)) == end


# --- the count at the ply limit


@pytest.mark.parametrize(
    ("position", "move", "ranks", "detail"),
    [
        pytest.param(
            "/ / e4 e5 / 10 10 / 1",
            "d4",
            (2, 1),
            "player 1 counts -5; player 2 counts -4",
            id="one player is nearer",
        ),
        pytest.param(
            "/ / e4 d5 / 10 10 / 1",
            "e5",
            (1, 1),
            "player 1 counts -4; player 2 counts -4",
            id="equal counts are a draw",
        ),
    ],
)
def test_the_count_decides_at_the_limit_and_not_before(position, move, ranks, detail):
    judge = arbiter(position=position, plies=2, at_limit="count")
    play(judge, move)
    assert not judge.over
    judge = arbiter(position=position, plies=1, at_limit="count")
    play(judge, move)
    assert judge.verdict == Verdict(ranks, Termination.ADJUDICATED, "count", detail, (None, None))


def test_the_count_never_overtakes_the_rules_or_a_repetition():
    judge = arbiter(position=NEAR_GOAL, plies=1, at_limit="count")
    play(judge, "e9")
    assert (judge.verdict.termination, judge.verdict.reason) == ("normal", "goal")
    judge = arbiter(plies=8, at_limit="count")
    play(judge, *("e2", "e8", "e1", "e9") * 2)
    assert judge.verdict.reason == "repetition"


def test_four_players_are_ranked_by_count_and_removed_seats_below_them():
    judge = arbiter("quoridor4", plies=3, at_limit="count")
    play(judge, "e2")
    judge.on_forfeit({1: Forfeit(Termination.CRASH, "crashed")})
    play(judge, "e8", "e9h")  # an illegal move: seat 4 is removed, too
    play(judge, "e1")
    detail = judge.verdict.detail
    assert (judge.verdict.ranks, judge.verdict.reason) == ((2, 4, 1, 3), "count")
    assert detail.startswith("seat 2 crashed; seat 4 played 'e9h'")
    assert detail.endswith("; player 1 counts -8; player 3 counts -7")


def test_a_count_is_refused_for_a_game_that_has_none():
    with pytest.raises(ValueError, match='chess has no count, so at_limit must be "draw"'):
        arbiter("chess", plies=9, at_limit="count")
