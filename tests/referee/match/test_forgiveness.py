"""What is forgiven does not lose: the engine is asked again or the referee plays, and the record has it."""

import random
import sys

import pytest

from protocol.spec import EngineSpec
from referee import Termination, game
from referee.match.adjudication import Adjudication
from referee.match.arbiter import Arbiter, Ply
from referee.match.clock import Clock
from referee.match.forfeits import Forfeit
from referee.match.forgiveness import Forgiveness, Forgiver
from referee.match.job import Job, JobSeat, decode_order, encode
from referee.match.time_control import TimeControl
from referee.ply import count_moves
from tests.referee.match import real_games
from tests.referee.match.real_games import quick_end, seat

__all__ = ["quick_end"]  # a fixture

MS = 1_000_000
SECOND = 1000 * MS
WHY = "played 'e5': the pawn on e1 cannot reach e5: it is too far away"
LATE = Forfeit(Termination.TIME, "did not answer before its time was up")


def arbiter(control="10+1", game_id="quoridor", seed="1 key", **rules):
    players = game(game_id).info.players
    clock = Clock([TimeControl.parse(control)] * players, [100 * MS] * players)
    forgiver = Forgiver(Forgiveness(**rules), seed)
    return Arbiter(game(game_id), game(game_id).start(), (), clock, Adjudication(), (), forgiver)


def move(judge, text, used=0):
    return judge.on_move(text, 0, used, "")


def lefts(judge):
    return [judge.clock.left_ns(seat) for seat in range(judge.players)]


def test_a_forgiven_illegal_move_leaves_the_seat_to_move_with_the_time_that_is_left():
    judge = arbiter(illegal=1)
    assert not move(judge, "e5", 2 * SECOND)
    assert (judge.seat, judge.over, judge.line, judge.plies) == (0, False, [], 0)
    assert judge.record == [Ply(0, f"?illegal {WHY}", 2 * SECOND)]
    assert judge.last_fault == ("illegal", f"{WHY}; forgiven, 1 of 1")
    assert lefts(judge) == [8 * SECOND, 10 * SECOND]  # the increment comes after the move
    assert judge.go().times == (8000, 10_000)
    assert move(judge, "e2", 3 * SECOND)
    assert lefts(judge) == [6 * SECOND, 10 * SECOND]
    assert judge.used == [5 * SECOND, 0]


def test_the_next_illegal_move_loses_and_only_its_own_kind_counts():
    judge = arbiter(illegal=2, timeouts=1)
    judge.on_timeout(LATE)
    assert [move(judge, "e5") for _ in range(3)] == [False] * 3
    assert judge.verdict.ranks == (2, 1)
    assert judge.verdict.detail == f"seat 1 {WHY}"
    assert judge.last_fault == ("illegal", WHY)  # nothing follows: the engine has lost
    assert [ply.fault for ply in judge.record] == ["time", "illegal", "illegal"]


def test_each_seat_has_its_own_faults():
    judge = arbiter(illegal=1)
    move(judge, "e5")
    move(judge, "e2")
    move(judge, "e2")
    assert (judge.over, judge.seat) == (False, 1)
    assert judge.last_fault[1].endswith("; forgiven, 1 of 1")
    move(judge, "e2")
    assert judge.verdict.ranks == (1, 2)


@pytest.mark.parametrize("then", ["lose", "random"])
def test_a_kind_without_a_number_loses_immediately(then):
    judge = arbiter(illegal=1, then=then)
    judge.on_timeout(LATE)
    assert judge.verdict.termination is Termination.TIME
    judge = arbiter(timeouts=1, then=then)
    move(judge, "e5")
    assert judge.verdict.termination is Termination.ILLEGAL


@pytest.mark.parametrize("word", ["resign", "claim"])
def test_a_resignation_is_no_fault_but_a_false_claim_is(word):
    judge = arbiter(illegal=1)
    move(judge, {"resign": "resign", "claim": "1-0 {I win}"}[word])
    assert judge.over == (word == "resign")


def test_a_late_move_is_taken_back_with_its_time():
    judge = arbiter(timeouts=2)
    move(judge, "e2", 4 * SECOND)
    move(judge, "e8")
    assert not move(judge, "e3", 8 * SECOND)  # 7 s and a margin of 0.1 s are left
    assert lefts(judge) == [7 * SECOND, 11 * SECOND]
    assert judge.record[-1] == Ply(0, "?time was 900.0 ms over its time and margin", 8 * SECOND)
    judge.on_timeout(LATE)
    assert lefts(judge) == [7 * SECOND, 11 * SECOND]
    assert judge.record[-1] == Ply(0, f"?time {LATE.detail}", 7100 * MS + 1)
    assert move(judge, "e3", 7050 * MS)  # within the margin
    assert lefts(judge) == [1 * SECOND, 11 * SECOND]
    assert judge.used[0] == (4000 + 8000 + 7100 + 7050) * MS


@pytest.mark.parametrize("session", [1, 2, 3])
def test_a_forgiven_move_does_not_count_for_its_session(session):
    judge = arbiter(f"{session}/10+1", illegal=9, timeouts=9)
    twin = arbiter(f"{session}/10+1", illegal=9, timeouts=9)
    for number, text in enumerate(["e2", "e8", "e3", "e7", "e4", "e6", "d4", "d6"]):
        for wrong in range(number % 3):
            move(judge, "z9", wrong * SECOND)
            move(twin, "z9", wrong * SECOND)
        move(judge, "z9", 99 * SECOND)  # this leaves no trace on the clock
        assert (judge.go(), lefts(judge)) == (twin.go(), lefts(twin))
        for each in (judge, twin):
            assert move(each, text, SECOND)
    moved, faults = 4, [sum(number % 3 == 2 for number in range(seat, 8, 2)) for seat in (0, 1)]
    assert lefts(judge) == [(10 + 10 * (moved // session) - fault) * SECOND for fault in faults]


@pytest.mark.parametrize("control", ["movetime=0.5", "depth=3", "nodes=100", "none"])
def test_an_engine_without_a_clock_gets_the_whole_limit_again(control):
    judge = arbiter(control, illegal=1, timeouts=1)
    before = judge.go(), judge.budget()
    move(judge, "e5", 300 * MS)
    assert (judge.go(), judge.budget()) == before
    judge.on_timeout(LATE)
    assert (judge.go(), judge.budget()) == before


def test_the_seed_draws_the_move_as_the_reference_says():
    for seed in ("1 a", "2 a"):
        judge = arbiter(illegal=0, then="random", seed=seed)
        move(judge, "e2", SECOND)
        drawn = random.Random(f"{seed} 1").choice(sorted(map(str, judge.position.legal_moves())))
        assert not move(judge, "e5", 2 * SECOND)
        assert judge.line == ["e2", drawn]
        assert judge.last_fault[1].endswith(f"; the referee has played {drawn}")
        fault, mark, ply = judge.record[1:]
        assert (fault.seat, fault.fault, fault.time) == (1, "illegal", 0)
        assert mark == Ply(1, "?random", 0)
        assert ply == Ply(1, drawn, 2 * SECOND)
        assert (judge.plies, count_moves(judge.record)) == (2, 2)
        assert lefts(judge) == [10 * SECOND, 9 * SECOND]


@pytest.mark.parametrize("answers", [False, True])
def test_a_drawn_move_for_a_late_one_costs_the_whole_clock(answers):
    judge = arbiter(timeouts=0, then="random")
    if answers:
        move(judge, "e2", 20 * SECOND)
    else:
        judge.on_timeout(LATE)
    assert judge.record[-1].time == 10 * SECOND
    assert lefts(judge) == [1 * SECOND, 10 * SECOND]
    assert judge.seat == 1


def test_an_engine_whose_clock_is_at_zero_still_has_its_margin():
    judge = arbiter("1", timeouts=0, then="random")
    judge.on_timeout(LATE)
    move(judge, "e8")
    assert (lefts(judge)[0], judge.budget()) == (0, 100 * MS)
    judge.on_timeout(LATE)
    assert judge.record[-1].time == 1  # 0 would be a time that is not known
    move(judge, "e7")
    assert move(judge, next(iter(map(str, judge.position.legal_moves()))), 90 * MS)


def test_a_drawn_move_can_end_the_game_by_the_rules():
    near = "/ / e8 d5 / 10 10 / 1"
    rules = game("quoridor")
    seeds = iter(range(1000))
    ended = False
    while not ended:
        clock = Clock([TimeControl.parse("10")] * 2, [0, 0])
        forgiver = Forgiver(Forgiveness(illegal=0, then="random"), str(next(seeds)))
        judge = Arbiter(rules, rules.parse_position(near), (), clock, Adjudication(), (), forgiver)
        move(judge, "none")
        ended = judge.over
    assert judge.line == ["e9"]
    assert (judge.verdict.ranks, judge.verdict.reason) == ((1, 2), "goal")
    assert judge.verdict.forfeits == (None, None)


def test_in_a_game_of_four_a_forgiven_seat_stays_and_the_next_fault_removes_it():
    judge = arbiter(game_id="quoridor4", illegal=1)
    move(judge, "z9")
    assert judge.in_play(0)
    move(judge, "z9")
    assert not judge.in_play(0)
    assert [ply.text[:8] for ply in judge.record] == ["?illegal", "!1"]


def test_an_order_has_the_rules_and_the_seed():
    job = Job("1", "quoridor", (), forgive=Forgiveness(illegal=2, then="random"), seed="1 key")
    assert decode_order(encode(job)) == job


@pytest.mark.parametrize(
    ("rules", "words"),
    [({}, "needs illegal, timeouts or both"), ({"illegal": -1}, "forgive.illegal: this must be from 0 to")],
)
def test_wrong_rules_are_refused(rules, words):
    with pytest.raises(ValueError, match=words):
        Forgiveness(**rules)


def test_a_fault_has_no_characters_that_a_terminal_obeys_and_is_not_long():
    judge = arbiter(illegal=9)
    move(judge, "\x1b[2J" + "x" * 500)
    assert judge.record[-1].text.isprintable()
    assert len(judge.record[-1].text) <= 300


# --- real engines


async def play(tmp_path, *seats, plies=8, game_id="quoridor", **rules):
    settings = {"game": game_id, "plies": plies, "log": str(tmp_path), "seed": "1 key"}
    return await real_games.play(*seats, forgive=Forgiveness(**rules), **settings)


def sent_lines(tmp_path, number):
    """Return the lines that a seat, from 1, got."""
    (log,) = tmp_path.glob(f"7-{number}-*.log")
    lines = [line.split(maxsplit=2)[1:] for line in log.read_text().splitlines()]
    return [words[1] for words in lines if words[0] == ">" and len(words) > 1]


async def test_an_engine_hears_why_and_gets_another_go(tmp_path):
    finished = await play(tmp_path, seat("honest"), seat("plays-illegal-at-first"), illegal=4)
    assert (finished.termination, finished.reason) == ("adjudicated", "length")
    assert [ply.fault for ply in finished.record if ply.seat == 1] == ["illegal", ""] * 4
    heard = sent_lines(tmp_path, 2)
    errors = [at for at, line in enumerate(heard) if line.startswith("error ")]
    assert [heard[at].rpartition("; ")[2] for at in errors] == [f"forgiven, {n} of 4" for n in (1, 2, 3, 4)]
    for at in errors:  # it has `delta`, and there is no new move
        assert [line.split()[0] for line in heard[at + 1 : at + 4]] == ["legal", "isready", "go"]
    legal = [line for line in heard if line.startswith("legal ")]
    assert legal[0] == legal[1]


async def test_an_engine_of_level_0_gets_the_same_position_and_another_go(tmp_path):
    plain = tmp_path / "plain.py"
    plain.write_text(
        "import sys\n"
        "moves = iter(['e5', 'e8', 'e5', 'e7', 'e6', 'e5', 'd5'])\n"
        "for line in sys.stdin:\n"
        "    match line.split()[0]:\n"
        "        case 'ugi': print('ugiok', flush=True)\n"
        "        case 'isready': print('readyok', flush=True)\n"
        "        case 'position' | 'uginewgame': pass\n"
        "        case 'go': print('bestmove', next(moves), flush=True)\n"
        "        case _: sys.exit(1)\n"
    )
    engine = EngineSpec("plain", (sys.executable, "-S", str(plain)))
    finished = await play(tmp_path, seat("honest"), JobSeat(engine, "60"), plies=6, illegal=3)
    assert finished.reason == "length", finished.detail
    positions = [line for line in sent_lines(tmp_path, 2) if line.startswith("position")]
    assert positions[0] == positions[1] != positions[2] == positions[3]


async def test_a_late_engine_is_stopped_and_asked_again(tmp_path):
    finished = await play(tmp_path, seat("honest"), seat("late-at-first", "movetime=0.2"), timeouts=1)
    assert finished.reason == "length", finished.detail
    assert [ply.fault for ply in finished.record][:3] == ["", "time", ""]
    heard = sent_lines(tmp_path, 2)
    stop = heard.index("stop")
    words = [line.split()[0] for line in heard[stop : stop + 6]]
    assert words == ["stop", "error", "position", "legal", "isready", "go"]
    assert heard.count("ugi") == 1


async def test_an_engine_that_does_not_stop_is_replaced_and_the_game_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr("protocol.hub.client._DRAIN_SECONDS", 0.1)
    hangs = seat("hangs-in-search", "0.1")
    finished = await play(tmp_path, seat("honest"), hangs, plies=6, timeouts=1, then="random")
    assert (finished.termination, finished.reason) == ("adjudicated", "length")
    assert [ply.fault for ply in finished.record] == [
        *("", "time", "time", "random", ""),
        *("", "time", "random", ""),
        *("", "time", "random", ""),
    ]
    assert sent_lines(tmp_path, 2).count("ugi") == 4  # the last one need not play on
    assert finished.seats[1].forfeit is None


async def test_an_engine_that_cannot_be_started_again_loses(tmp_path, monkeypatch):
    monkeypatch.setattr("protocol.hub.client._DRAIN_SECONDS", 0.1)
    once = tmp_path / "once.py"
    once.write_text(
        "import pathlib, sys, time\n"
        f"mark = pathlib.Path({str(tmp_path / 'mark')!r})\n"
        "mark.exists() and sys.exit('only once')\n"
        "mark.touch()\n"
        "for line in sys.stdin:\n"
        "    word = line.split()[0]\n"
        "    word == 'go' and time.sleep(3600)\n"
        "    print({'ugi': 'ugiok', 'isready': 'readyok'}.get(word, ''), flush=True)\n"
    )
    engine = EngineSpec("once", (sys.executable, "-S", str(once)))
    finished = await play(tmp_path, JobSeat(engine, "0.1"), seat("honest"), timeouts=5)
    assert (finished.termination, finished.seats[0].rank) == ("crash", 2)
    assert "only once" in finished.detail
    assert [ply.fault for ply in finished.record] == ["time"]


async def test_the_same_seed_draws_the_same_game_with_real_engines(tmp_path):
    lines = []
    for number in (1, 2):
        folder = tmp_path / str(number)
        finished = await play(folder, seat("plays-illegal"), seat("honest"), illegal=0, then="random")
        lines.append([ply.text for ply in finished.record])
    assert lines[0] == lines[1]
    assert lines[0].count("?random") == 4


async def test_four_players_go_on_together(tmp_path):
    seats = [seat("honest"), seat("plays-illegal"), seat("honest"), seat("honest")]
    finished = await play(tmp_path, *seats, plies=8, game_id="quoridor4", illegal=1, then="random")
    assert finished.reason == "length"
    assert [ply.fault for ply in finished.record if ply.seat == 1] == [
        *("illegal", "illegal", "random", ""),
        *("illegal", "random", ""),
    ]
