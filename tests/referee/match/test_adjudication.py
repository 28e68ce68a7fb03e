"""Tests of adjudication: its settings, and the rules that end a game by repetition or by scores."""

from collections import Counter
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.game import GameInfo
from referee.match.adjudication import (
    Adjudication,
    DrawRule,
    RepetitionTracker,
    ResignRule,
    ScoreTracker,
    centipawns,
)


def info(ply_limit: int | None) -> GameInfo:
    return GameInfo("g", "G", 2, "3x3", ply_limit, 0.1, "sheet", ())


@pytest.mark.parametrize("limit", [400, None])
def test_a_game_is_adjudicated_at_the_third_time_and_at_its_own_length(limit: int | None):
    assert Adjudication().repetition == 3
    assert Adjudication().ply_limit(info(limit)) == limit
    assert Adjudication(plies=7).ply_limit(info(limit)) == 7
    assert Adjudication(plies=None).ply_limit(info(limit)) is None


def test_only_repetition_and_the_games_own_limits_are_on_by_default():
    usual = Adjudication(repetition=3, plies="game", resign=None, draw=None)
    assert Adjudication() == usual
    assert ResignRule(700) == ResignRule(700, moves=4, sides="both")
    assert DrawRule(7) == DrawRule(7, moves=8, after=0)


@given(st.integers(2, 5), st.lists(st.integers(0, 6), max_size=40))
def test_a_tracker_counts_like_counting(limit: int, keys: list[int]):
    tracker = RepetitionTracker(limit)
    seen: Counter[int] = Counter()
    for key in keys:
        seen[key] += 1
        assert tracker.update(key) == (seen[key] >= limit)


def test_equal_keys_are_one_position_though_not_the_same_object():
    tracker = RepetitionTracker(2)
    assert not tracker.update(("e2", *["e8"]))
    assert tracker.update(("e2", *["e8"]))


def test_after_a_reset_nothing_has_been_seen():
    tracker = RepetitionTracker(2)
    tracker.update("a")
    tracker.reset()
    assert not tracker.update("a")
    assert tracker.update("a")


def test_memory_is_one_entry_a_position():
    tracker = RepetitionTracker(3)
    for ply in range(1000):
        tracker.update(ply % 10)
    assert len(tracker._counts) == 10


def tracker_after(rule: ResignRule | DrawRule, *scores: str) -> ScoreTracker:
    """Return a tracker after moves in turn, each with its reported score: ``cp 5``, or "" for none."""
    resign, draw = (rule, None) if isinstance(rule, ResignRule) else (None, rule)
    tracker = ScoreTracker(resign, draw)
    for ply, score in enumerate(scores):
        tracker.update(ply % 2, f"depth 3 score {score} nodes 7" if score else "")
    return tracker


LOST = ["cp -600", "cp 600"] * 3
BOTH, ONE = ResignRule(500, moves=3), ResignRule(500, moves=3, sides="one")


@pytest.mark.parametrize(
    ("rule", "scores", "loser"),
    [
        (BOTH, LOST, 0),
        (BOTH, ["cp -500", "cp 500"] * 3, 0),
        (BOTH, ["cp -499", "cp 500"] * 3, None),
        (ONE, ["cp -500", "cp 1"] * 3, 0),
        (BOTH, ["cp 600", "cp -600"] * 3, 1),
        (BOTH, LOST[:5], None),
        (BOTH, ["cp 0", *LOST[1:]], None),
        (BOTH, ["cp 0", "cp 0", *LOST], 0),
        (BOTH, [*LOST[:5], "cp 499"], None),
        (ONE, [*LOST[:5], "cp 499"], 0),
        (ONE, [*LOST[:5], "cp 0"], None),
        (ONE, [*LOST[:5], ""], None),
        (ONE, ["cp -600", ""] * 3, None),
        (ONE, ["", "cp 600"] * 3, None),
        (BOTH, ["mate -3", "mate 4"] * 3, 0),
        (BOTH, ["mate 0", "mate 1"] * 3, 0),
        (BOTH, ["wdl 0 0 1000", "wdl 1000 0 0"] * 3, None),
        (BOTH, ["cp nan", "cp 600"] * 3, None),
        (BOTH, ["cp -600.0", "cp 600"] * 3, None),
        (BOTH, ["cp -" + "9" * 5000, "cp " + "9" * 5000] * 3, None),
        (BOTH, ["cp", "cp 600"] * 3, None),
        (BOTH, ["cp -30000", "cp 30000", "mate 1", "cp 30000", "cp -30000", "cp 30000"], None),
        (BOTH, ["mate 1", "mate 1"] * 9, None),
        (BOTH, ["cp 30000", "cp 0"] * 9, None),
        (ONE, ["cp 30000", "cp 0"] * 9, None),
        (BOTH, ["cp -600", "cp -600"] * 3, None),
        (BOTH, ["cp 600", "cp 600"] * 3, None),
        (DrawRule(5), LOST, None),
    ],
)
def test_a_game_is_lost_when_the_reports_agree_and_only_then(
    rule: ResignRule, scores: list[str], loser: int | None
):
    assert tracker_after(rule, *scores).loser() == loser


@pytest.mark.parametrize(
    ("scores", "plies", "drawn"),
    [
        (["cp 5", "cp -5"] * 2, 4, True),
        (["cp 5", "cp -5"] * 2, 3, False),
        (["cp 5", "cp -6"] * 2, 9, False),
        (["cp 6", "cp 0"] * 2, 9, False),
        (["cp 5", "cp 0", "cp 0"], 9, False),
        (["cp 0", ""] * 5, 9, False),
        (["cp 99", "cp 0", "cp 0", "cp 0", "cp 0"], 9, True),
    ],
)
def test_a_game_is_drawn_when_nobody_claims_to_be_ahead(scores: list[str], plies: int, drawn: bool):
    assert tracker_after(DrawRule(5, moves=2, after=4), *scores).drawn(plies) is drawn


def test_reports_are_quoted():
    sentence = "player 1 reported -600, -600, -600; player 2 reported +600, +600, +600"
    assert tracker_after(BOTH, *LOST).sentence() == sentence
    assert tracker_after(DrawRule(5, moves=1), "cp 1", "cp 2", "cp 0", "cp -3").sentence() == (
        "player 1 reported +0; player 2 reported -3"
    )


def test_no_more_is_quoted_than_the_shorter_rule_looks_at():
    tracker = ScoreTracker(ResignRule(500, moves=2), DrawRule(5, moves=1))
    for number in range(6):
        tracker.update(number % 2, f"score cp {number}")
    assert tracker.sentence() == "player 1 reported +4; player 2 reported +5"


def test_each_rule_is_asked_alone():
    level = ScoreTracker(ResignRule(5, moves=1), None)
    lost = ScoreTracker(None, DrawRule(5, moves=1))
    for seat, score in ((0, 0), (1, 0)):
        level.update(seat, f"score cp {score}")
    for seat, score in ((0, -900), (1, 900)):
        lost.update(seat, f"score cp {score}")
    assert (level.loser(), level.drawn(9)) == (None, False)
    assert (lost.loser(), lost.drawn(9)) == (None, False)


@pytest.mark.parametrize(
    ("info", "expected"),
    [
        ("depth 4 score cp 31 nodes 9", 31),
        ("score cp -31", -31),
        ("score mate 1", 999_999),
        ("score mate 12", 999_988),
        ("score mate 0", -1_000_000),
        ("score mate -1", -999_999),
        ("score mate -12", -999_988),
        ("score wdl 1000 0 0", None),
        ("depth 4", None),
        ("", None),
    ],
)
def test_a_mate_is_worth_more_the_nearer_it_is_and_what_is_no_score_is_worth_nothing(
    info: str, expected: int | None
):
    assert centipawns(info) == expected


@pytest.mark.parametrize(
    ("make", "name", "least", "most"),
    [
        (Adjudication, "repetition", 2, 1000),
        (Adjudication, "plies", 1, 1_000_000),
        (ResignRule, "score", 1, 1_000_000),
        (partial(ResignRule, 1), "moves", 1, 1_000_000),
        (DrawRule, "score", 0, 1_000_000),
        (partial(DrawRule, 1), "moves", 1, 1_000_000),
        (partial(DrawRule, 1), "after", 0, 1_000_000),
    ],
)
def test_every_setting_has_a_least_and_a_largest_value(make, name, least, most):
    for number in (least, most):
        assert getattr(make(**{name: number}), name) == number
    for number in (least - 1, most + 1):
        with pytest.raises(
            ValueError, match=rf"\.{name}: this must be from {least} to {most}\b.*, not {number}$"
        ):
            make(**{name: number})


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        (Adjudication(), "repetition 3, plies the game's own"),
        (Adjudication(repetition=None, plies=None), "repetition off, plies off"),
        (Adjudication(plies=7, at_limit="count"), "repetition 3, plies 7, at_limit count"),
        (
            Adjudication(resign=ResignRule(700, 3, "one"), draw=DrawRule(8, 5, 60)),
            "repetition 3, plies the game's own, resign 700 for 3 moves, one, draw 8 for 5 moves after 60",
        ),
    ],
)
def test_the_settings_of_a_tournament_say_each_rule_that_is_not_usual(rules: Adjudication, words: str):
    assert str(rules) == words
