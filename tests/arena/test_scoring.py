"""Points for places among two or four players, and counts of scores."""

import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.model import GameRecord, GameResult, Opening, Pairing, PlayerRecord, game_title
from arena.scoring import (
    GameEnding,
    SeatScore,
    fault_of,
    game_record,
    not_played,
    points,
    seat_endings,
    tally,
    with_names,
)
from protocol.spec import EngineSpec
from referee import game
from referee.match.job import Job, JobFinished, JobSeat, SeatResult
from referee.outcome import Termination
from referee.ply import Ply


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


def job(*names: str, **values: object) -> Job:
    options = {"Hash": "16"}
    seats = tuple(JobSeat(EngineSpec(name, ("x",), margin=7, options=options), "10+0.1") for name in names)
    return Job("j", "quoridor", seats, **values)


def ended(*seats: SeatResult, record: tuple[Ply, ...] = (), **values: object) -> JobFinished:
    return JobFinished("j", Termination.TIME, "time", "late", seats, record, "final", 12.5, 99, **values)


def test_the_record_of_a_game_has_all_that_its_referee_reported():
    moves = (Ply(0, "e2", 3), Ply(1, "e8", 4))
    seats = (SeatResult("A", "1", 1, None, 3, 7), SeatResult("B", "2", 2, Termination.TIME, 4, 6))
    pairing = Pairing(4, "k", "quoridor", ("a", "b"), Opening(None, ("d1",)))
    record = game_record(
        job("a", "b"),
        ended(*seats, record=moves, worker="w"),
        tournament="t",
        pairing=pairing,
        versions=("", "file"),
        programs=("p", "q"),
    )
    a = PlayerRecord("a", "1", 1, 1.0, None, "10+0.1", 7, 3, "p", {"Hash": "16"})
    b = PlayerRecord("b", "file", 2, 0.0, Termination.TIME, "10+0.1", 7, 4, "q", {"Hash": "16"})
    result = GameResult(None, "t", 4, "k", "quoridor", Termination.TIME, "time", "late", 2, (a, b))
    assert record == GameRecord(result, pairing.opening, moves, "final", 12.5, 99, "w")


def test_a_game_without_a_tournament_is_the_first_one_and_keeps_its_start():
    seats = (SeatResult("A", "1", None, None, 3, 7), SeatResult("B", "", None, None, 4, 6))
    record = game_record(job("a", "b", moves=("e2",)), ended(*seats))
    assert [(player.points, player.version, player.program) for player in record.result.players] == [
        (0.0, "1", ""),
        (0.0, "", ""),
    ]
    result = record.result
    assert (result.tournament, result.number, result.key, result.game) == ("", 0, "j", "quoridor")
    assert record.opening == Opening(None, ("e2",))
    assert record.worker == ""
    placed = game_record(job("a", "b", position="somewhere"), ended(*seats))
    assert placed.opening == Opening("somewhere", ())
    number = Job("j", "chess960", job("a", "b").seats, setup="random:7")
    assert game_record(number, ended(*seats)).opening == Opening(str(game("chess960").start("random:7")), ())


def test_disabled_engines_lose_without_a_move_and_the_others_share_the_first_place():
    before = time.time()
    end = not_played(job("a", "b", "c", "d"), {"d", "b", "elsewhere"})
    lost = SeatResult("", "", 3, Termination.DISABLED, 0, 0)
    won = SeatResult("", "", 1, None, 0, 0)
    assert before <= end.started <= time.time()
    assert end == JobFinished(
        "j",
        Termination.DISABLED,
        "disabled",
        "not played: b, d were disabled",
        (won, lost, won, lost),
        (),
        "",
        end.started,
        0,
    )
    assert not_played(job("a", "b"), {"a"}).detail == "not played: a was disabled"


@pytest.mark.parametrize(
    ("detail", "first", "second"),
    [
        ("", "", ""),
        ("no progress; a draw", "no progress; a draw", "no progress; a draw"),
        ("seat 1 crashed; it said: a; b", "seat 1 crashed; it said: a; b", ""),
        ("seat 2 crashed; seat 1 was late", "seat 1 was late", "seat 2 crashed"),
        ("seat 1 fell; seat 2 hung; seat 1 died", "seat 1 fell; seat 1 died", "seat 2 hung"),
        ("seat 12 crashed", "", ""),
    ],
)
def test_the_failure_of_one_seat_is_not_the_failure_of_another(detail, first, second):
    assert (fault_of(detail, 0), fault_of(detail, 1)) == (first, second)


@pytest.mark.parametrize(
    ("detail", "named"),
    [
        ("", ""),
        ("no progress; a draw", "no progress; a draw"),
        ("seat 2 crashed; seat 1 was late; it said: seat 2 ", "b crashed; a was late; it said: seat 2 "),
        ("seat 12 crashed", "seat 12 crashed"),
    ],
)
def test_a_detail_names_the_engines_of_its_seats(detail, named):
    assert with_names(detail, ["a", "b"]) == named
