"""Points for places among two or four players, and counts of scores."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.model import game_title
from arena.scoring import GameEnding, SeatScore, points, seat_endings, tally
from referee.outcome import Termination


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ((1, 2), (1, 0)),
        ((1, 1), (0.5, 0.5)),
        ((2, 1), (0, 1)),
        ((1, 2, 2, 2), (1, 1 / 3, 1 / 3, 1 / 3)),
        ((1, 2, 3, 4), (1, 2 / 3, 1 / 3, 0)),
        ((1, 1, 1, 1), (0.5, 0.5, 0.5, 0.5)),
    ],
)
def test_points_of_places(ranks, expected):
    assert points(ranks, (None,) * len(ranks)) == pytest.approx(expected)


@given(st.lists(st.integers(1, 4), min_size=2, max_size=4))
def test_a_game_without_forfeits_gives_half_a_point_a_seat(raw):
    ranks = tuple(1 + sum(other < rank for other in raw) for rank in raw)
    assert sum(points(ranks, (None,) * len(ranks))) == pytest.approx(len(ranks) / 2)


def test_a_forfeit_scores_nothing_even_shared_and_resigning_is_none():
    assert points((1, 1), (Termination.CRASH, Termination.CRASH)) == (0, 0)
    assert points((1, 3, 2, 4), (None, Termination.RESIGN, None, Termination.TIME)) == pytest.approx(
        (1, 1 / 3, 2 / 3, 0)
    )


@pytest.mark.parametrize(
    ("forfeit", "forfeited"),
    [(None, False), (Termination.RESIGN, False), (Termination.TIME, True), (Termination.DISABLED, True)],
)
def test_who_was_removed_for_misbehaving_forfeited_and_who_resigned_did_not(forfeit, forfeited):
    assert SeatScore("a", 2, 0.0, forfeit).forfeited is forfeited


def test_a_tally_counts_outcomes_in_seat_order_and_leaves_out_void_games(result):
    time = Termination.TIME
    won, lost = result(("a", 1), ("b", 2), number=1), result(("b", 2), ("a", 1), number=2)
    flagged = result(("a", 1), ("b", 2), number=3, termination=time, forfeits={"b": time})
    void = result(("a", None), ("b", None), number=4, termination=Termination.VOID)
    a, b = SeatScore("a", 1, 1.0, None), SeatScore("b", 2, 0.0, None)
    expected = {(a, b): 2, (b, a): 1, (a, SeatScore("b", 2, 0.0, time)): 1}
    counts = tally([won, lost, void, won, flagged])
    assert isinstance(counts, Counter)
    assert counts == expected
    assert tally([void]) == Counter()


def test_a_stored_game_that_schedules_ask_for_counts():
    assert GameEnding(3, "key", "quoridor", Termination.NORMAL, ()).counts


@pytest.mark.parametrize(
    ("ranks", "forfeits", "endings"),
    [
        ((1, 2), (None, None), ("won", "lost")),
        ((2, 1), (Termination.RESIGN, None), ("lost", "won")),
        ((2, 1), (Termination.TIME, None), ("forfeited", "won")),
        ((1, 1), (None, None), ("drew", "drew")),
        ((1, 1), (Termination.DISABLED, Termination.DISABLED), ("forfeited", "forfeited")),
        ((1, 3, 1, 4), (None, None, None, Termination.CRASH), ("drew", "lost", "drew", "forfeited")),
        ((None, None), (None, None), ("void", "void")),
    ],
)
def test_how_each_seat_ended_a_game(ranks, forfeits, endings):
    seats = [SeatScore("", rank, 0.0, forfeit) for rank, forfeit in zip(ranks, forfeits, strict=True)]
    assert seat_endings(seats) == endings


def test_the_title_of_a_game_is_its_id_if_its_rules_are_not_installed():
    assert (game_title("quoridor"), game_title("go")) == ("Quoridor, two players", "go")
