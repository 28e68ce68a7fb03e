"""Tests of whole games with real processes, most of which misbehave: the verdict, and no process left."""

import signal
import time
from pathlib import Path
from typing import ClassVar

import pytest
import trio

import protocol.hub.client
import protocol.hub.dialogue
from protocol.disguise import Disguise
from protocol.errors import EngineStalled, EngineTimedOut
from protocol.hub.client import EngineClient
from protocol.hub.search import SearchResult
from protocol.process.engine_process import EngineProcess
from protocol.process.lifetime import VARIABLE
from protocol.spec import EngineSpec
from protocol.wire.messages import Go
from referee.match.adjudication import ResignRule
from referee.match.disguised import DisguisedPlayer
from referee.match.heartbeat import LIMIT_NS, PERIOD_NS, Heartbeat
from referee.match.job import JobSeat
from referee.match.play import RefereedGame
from referee.outcome import Termination
from referee.registry import game as find_game
from tests.referee.match.real_games import job, open_pool, play, play_in, quick_end, seat

__all__ = ["quick_end"]  # a fixture


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize(
    ("mode", "termination", "detail"),
    [
        ("exits-at-start", "crash", "exit code 3 after 'ugi'; its standard error says: no such opening book"),
        ("never-says-ok", "stall", "did not answer 'ugi' within 0.3 s"),
        ("never-ready", "stall", "did not answer 'isready'"),
        ("hangs-in-search", "time", "before its time was up"),
        ("floods", "flood", "more than 8 MiB in one turn"),
        ("floods-without-newline", "flood", "more than 8 MiB in one turn"),
        ("plays-illegal", "illegal", "played 'e5'"),
        ("says-nothing-of-use", "illegal", "said that it has no move"),
        ("dies-in-the-middle", "crash", "signal SIGSEGV"),
        ("answers-and-exits", "crash", "exit code 0"),
        ("answers-without-newline", "crash", "printed 'bestmove "),
        ("closes-its-input", "crash", "closed its input"),
        ("resigns", "resign", "resigned"),
        ("sleeps-past-its-clock", "time", "before its time was up"),
    ],
)
async def test_misbehaviour_costs_the_offender_the_game(mode, termination, detail, monkeypatch):
    monkeypatch.setenv(VARIABLE, "none")  # in a process namespace its input stays open
    control = "0.2+0" if "sleeps" in mode or "hangs" in mode else "60+0"
    finished = await play(seat("honest", "60+0"), seat(mode, control))
    assert finished.termination == termination
    assert detail in finished.detail
    assert [(result.rank, result.forfeit) for result in finished.seats] == [
        (1, None),
        (2, Termination(termination)),
    ]


@pytest.mark.parametrize(
    "mode",
    ["prints-garbage", "answers-twice", "floods-stderr", "ignores-quit", "leaves-a-grandchild", "honest"],
)
async def test_harmless_faults_cost_nothing(mode):
    finished = await play(seat(mode), seat("honest"))
    assert (finished.termination, finished.reason) == ("adjudicated", "length")
    assert len(finished.record) == 12


@pytest.mark.parametrize("mode", ["ignores-quit", "has-ten-thousand-threads"])
async def test_an_engine_that_ignores_quit_is_killed(mode):
    async with open_pool() as pool:
        finished = await play_in(pool, seat(mode), seat("honest"))
        assert finished.termination == "adjudicated", finished.detail
        pids = [client._transport.pid for client in pool._alive]
        assert all(map(alive, pids))
    assert not any(map(alive, pids))


async def test_a_grandchild_goes_with_its_engine(monkeypatch):
    monkeypatch.setenv(VARIABLE, "none")  # in a process namespace it has another id
    async with open_pool() as pool:
        await play_in(pool, seat("leaves-a-grandchild"), seat("honest"))
        tails = " ".join(client._transport.stderr_tail for client in pool._alive).split()
        grandchild = int(tails[tails.index("grandchild") + 1])
        assert alive(grandchild)
    for _ in range(500):  # it was killed before, but the system may report it late
        if not alive(grandchild):
            break
        await trio.sleep(0.01)
    assert not alive(grandchild)


async def test_engines_are_kept_between_games_and_broken_ones_replaced():
    async with open_pool() as pool:
        pids = []
        for mode in ("honest", "honest", "dies-in-the-middle", "dies-in-the-middle"):
            await play_in(pool, seat("honest"), seat(mode))
            pids.append(sorted(client._transport.pid for client in pool._alive))
        assert pids[0] == pids[1] == pids[2] == pids[3]
        assert len(pids[0]) == 2


async def test_an_engine_that_does_not_take_its_options_when_it_starts_loses_the_game():
    finished = await play(seat("honest"), seat("honest", options={"x": "1"}))
    assert finished.termination == "crash"
    assert finished.detail == "seat 2 does not take its options: it has no option 'x': it offers none"


async def test_an_engine_is_tried_with_its_options_and_not_kept():
    async with open_pool() as pool:
        problem = "does not take its options: it has no option 'x': it offers none"
        assert await pool.try_out(seat("honest", options={"x": "1"}).engine, "quoridor") == problem
        assert await pool.try_out(seat("honest").engine, "quoridor") == ""
        assert await pool.try_out(seat("exits-at-start").engine, "quoridor") == ""
        assert not pool._alive


@pytest.mark.parametrize(
    ("mode", "drain", "kept"),
    [
        ("plays-illegal", 0.3, True),
        ("says-nothing-of-use", 0.3, True),
        ("resigns", 0.3, True),
        ("floods-stderr", 0.3, True),
        ("sleeps-past-its-clock", 60.0, True),
        ("sleeps-past-its-clock", 0.1, False),
        ("floods", 0.3, False),
        ("closes-its-input", 0.3, False),
        ("never-ready", 0.3, False),
    ],
)
async def test_an_engine_that_only_plays_badly_or_late_keeps_its_process(mode, drain, kept, monkeypatch):
    monkeypatch.setattr(protocol.hub.client, "_DRAIN_SECONDS", drain)
    monkeypatch.setenv(VARIABLE, "none")  # in a process namespace its input stays open, for a minute here
    async with open_pool() as pool:
        await play_in(pool, seat("honest"), seat(mode, "0.2+0" if "clock" in mode else "60+0"))
        assert (mode in {client.spec.name for client in pool._alive}) == kept


async def test_an_engine_that_is_killed_between_two_games_is_replaced_and_loses_nothing():
    async with open_pool() as pool:
        for _ in range(2):
            finished = await play_in(pool, seat("honest"), seat("answers-twice"))
            assert finished.reason == "length"
            for client in pool._alive:
                client._transport.signal_group(signal.SIGKILL)
                await client._transport.wait_exit()


async def test_an_engine_that_does_not_read_stalls(monkeypatch):
    monkeypatch.setattr(protocol.hub.dialogue, "WRITE_SECONDS", 0.1)
    deaf = EngineSpec("deaf", ("sleep", "60"))
    async with trio.open_nursery() as nursery:
        client = EngineClient(deaf, await EngineProcess.start(deaf))
        with pytest.raises(EngineStalled, match=r"did not read its input for 0\.1 s"):
            await client._dialogue.write(bytes(1 << 20))  # more than a pipe holds
        client.kill_soon(nursery)


async def test_no_more_idle_engines_are_kept_than_allowed():
    async with open_pool(keep=0) as pool:
        await play_in(pool, seat("honest"), seat("answers-twice"))
        assert not pool._alive


async def test_games_that_end_together_leave_their_engines_to_the_next_ones():
    async with open_pool(keep=1) as pool:
        async with trio.open_nursery() as nursery:
            for _ in range(2):
                nursery.start_soon(RefereedGame(job(seat("honest"), seat("honest")), pool, lambda: None).play)
        first = set(pool._alive)
        assert len(first) == 4
        await play_in(pool, seat("honest"), seat("answers-twice"))
        assert len(pool._alive) == 4  # never more than there have been
        assert len(first & set(pool._alive)) == 3


async def test_engines_that_were_idle_count_among_those_in_games():
    async with open_pool(keep=2) as pool:
        await play_in(pool, seat("honest"), seat("honest"))
        first, started = set(pool._alive), trio.Event()
        async with trio.open_nursery() as nursery:
            new = RefereedGame(job(seat("answers-twice"), seat("answers-twice")), pool, started.set)
            nursery.start_soon(new.play)
            await started.wait()
            await play_in(pool, seat("honest"), seat("honest"))
        assert len(pool._alive) == 4
        assert first < set(pool._alive)


async def test_no_clock_runs_while_an_engine_is_being_started(monkeypatch):
    started, before = trio.Event(), []
    start = EngineProcess.start

    async def start_slowly(spec):
        if spec.name == "answers-twice":
            with trio.move_on_after(1):  # the other game has everything that it needs
                await started.wait()
            before.append(started.is_set())
        return await start(spec)

    monkeypatch.setattr(EngineProcess, "start", start_slowly)
    async with open_pool() as pool, trio.open_nursery() as nursery:
        slow = RefereedGame(job(seat("answers-twice"), seat("answers-twice")), pool, lambda: None)
        nursery.start_soon(slow.play)
        nursery.start_soon(RefereedGame(job(seat("honest"), seat("honest")), pool, started.set).play)
    assert before == [False, False]
    assert started.is_set()


async def test_an_engine_that_cannot_be_started_is_its_own_fault(tmp_path):
    plain = tmp_path / "plain.txt"
    plain.write_text("#!/bin/sh")
    for command, words in (
        (("/no/such/engine",), "there is no file"),
        ((str(plain),), "is not executable"),
        (("no-such-program-at-all",), "no program no-such-program-at-all is on the PATH"),
    ):
        broken = JobSeat(EngineSpec("broken", command), "1+0")
        finished = await play(broken, seat("honest"))
        assert (finished.termination, finished.seats[0].rank) == ("crash", 2)
        assert words in finished.detail


async def test_two_that_cannot_be_started_both_lose():
    broken = JobSeat(EngineSpec("broken", ("/no/such/engine",)), "1+0")
    finished = await play(broken, broken)
    assert [(result.rank, result.forfeit) for result in finished.seats] == [(1, "crash"), (1, "crash")]


async def test_four_players_go_on_without_a_removed_seat():
    seats = (seat("honest"), seat("plays-illegal"), seat("honest"), seat("exits-at-start"))
    finished = await play(*seats, game="quoridor4", plies=20)
    assert finished.reason == "length"
    assert [result.rank for result in finished.seats] == [1, 3, 1, 4]
    assert [result.forfeit for result in finished.seats] == [None, "illegal", None, "crash"]
    texts = [ply.text for ply in finished.record]
    assert texts[0] == "!4"
    assert texts[2] == "!2"
    assert {ply.seat for ply in finished.record[3:]} == {0, 2}


async def test_a_level_0_engine_has_no_seat_among_four():
    seats = (seat("honest"), seat("announces-nothing"), seat("honest"), seat("honest"))
    finished = await play(*seats, game="quoridor4")
    assert [result.forfeit for result in finished.seats] == [None, "crash", None, None]
    assert "can play only games for two players" in finished.detail


async def test_the_last_seat_left_wins():
    seats = (seat("plays-illegal"), seat("resigns"), seat("honest"), seat("exits-at-start"))
    finished = await play(*seats, game="quoridor4")
    assert [result.rank for result in finished.seats] == [3, 2, 1, 4]
    assert finished.termination == "resign"


async def test_hub_faults_are_void_and_nobody_loses(monkeypatch):
    import protocol.process.starter as process

    def no_more(*_, **__):
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(process.subprocess.Popen, "__init__", no_more)
    monkeypatch.setattr(process.subprocess.Popen, "__del__", lambda self: None)
    finished = await play(seat("honest"), seat("honest"))
    assert (finished.termination, finished.seats[0].rank) == ("void", None)
    assert "Too many open files" in finished.detail


async def test_transcripts_are_written_for_every_seat(tmp_path):
    await play(seat("honest"), seat("plays-illegal"), log=str(tmp_path / "logs"))
    names = sorted(file.name for file in (tmp_path / "logs").iterdir())
    assert names == ["7-1-honest.log", "7-2-plays-illegal.log"]
    lines = [line[11:] for line in (tmp_path / "logs" / names[1]).read_text().splitlines()]
    assert lines[0].startswith("# quoridor, seat 2, plays-illegal against honest: ")
    assert lines[1:3] == ["> ugi", "< id name hostile"]
    assert lines[-3] == "< bestmove e5"
    assert lines[-2].startswith("# illegal: played 'e5': ")
    assert lines[-1] == "# the game is over: p1win, illegal"
    honest = (tmp_path / "logs" / names[0]).read_text().splitlines()
    assert honest[-1].endswith(" # the game is over: p1win, illegal")


async def test_a_transcript_has_standard_error_and_a_failed_start(tmp_path):
    await play(seat("honest"), seat("exits-at-start"), log=str(tmp_path))
    lines = (tmp_path / "7-2-exits-at-start.log").read_text().splitlines()
    assert all(float(line[:10]) >= 0 for line in lines)
    texts = [line[11:] for line in lines]
    assert "! no such opening book: book.bin" in texts
    assert any(line.startswith("# crash: ended with exit code 3") for line in texts)


async def test_a_kept_engines_transcript_says_where_its_handshake_is(tmp_path):
    async with open_pool() as pool:
        for folder in ("first", "second"):
            await play_in(pool, seat("honest"), seat("answers-twice"), log=str(tmp_path / folder))
    lines = (tmp_path / "second" / "7-1-honest.log").read_text().splitlines()
    assert lines[1].endswith("# started for an earlier game: see its log for the handshake")
    assert lines[2].endswith("> uginewgame")


async def test_every_line_can_be_watched_as_it_comes():
    lines = []
    async with open_pool() as pool:
        match = RefereedGame(
            job(seat("honest"), seat("dies-in-the-middle")),
            pool,
            lambda: None,
            trace=lambda *line: lines.append(line),
        )
        await match.play()
    assert {line[0] for line in lines} == {0, 1}
    assert [line[1] for line in lines if line[0] == 0] == sorted(line[1] for line in lines if line[0] == 0)
    assert [line[2:] for line in lines if line[0] == 1][1] == (">", "ugi")
    assert "SIGSEGV" in [line[3] for line in lines if line[2] == "#" and line[0] == 1][-1]


def open_files():
    return len(list(Path("/proc/self/fd").iterdir()))


async def test_no_descriptor_is_left_open():
    before = open_files()
    for _ in range(3):
        await play(seat("honest"), seat("dies-in-the-middle"))
    assert open_files() <= before + 2


async def test_a_game_is_adjudicated_when_both_engines_say_that_it_is_lost():
    rule = ResignRule(500, moves=3)
    finished = await play(seat("sure-to-lose"), seat("sure-to-win"), resign=rule)
    assert (finished.termination, finished.reason) == ("adjudicated", "score")
    assert [result.rank for result in finished.seats] == [2, 1]
    assert len(finished.record) == 6
    expected = "player 1 reported -900, -900, -900; player 2 reported +900, +900, +900"
    assert finished.detail == expected


async def test_an_engine_that_says_alone_that_it_wins_gets_nothing_for_it():
    finished = await play(seat("sure-to-win"), seat("honest"), resign=ResignRule(500, moves=3))
    assert (finished.termination, finished.reason) == ("adjudicated", "length")


# --- a referee that is stopped


class Stopped:
    """Plays both seats. Its clock advances by three seconds when the referee is stopped.

    Args:
        stops: by turn, when the referee is stopped: ``before`` the search or ``in`` it.
        late: the turn whose search does not end in time.
    """

    identity: ClassVar = {}

    def __init__(self, stops, late):
        self.stops, self.late_turn, self.turn = stops, late, 0
        self.skipped = 0

    def now(self):
        return time.monotonic_ns() + self.skipped

    def stop(self, where):
        if self.stops.get(self.turn) == where:
            self.skipped += 3 * LIMIT_NS + PERIOD_NS

    async def new_game(self, items, transcript=None):
        pass

    async def think_until(self, alarm, turn, go, budget):
        self.turn += 1
        self.stop("before")
        started = self.now()
        self.stop("in")
        if self.turn == self.late_turn:
            alarm.cancel()
            await trio.sleep_forever()
        return SearchResult(turn.legal()[0], started, self.now(), "")

    def late(self):
        return EngineTimedOut("did not answer before its time was up")

    async def drain(self):
        return True

    async def game_over(self, over):
        pass


async def test_a_search_that_does_not_end_in_time_is_charged_its_time_and_its_margin():
    both = Stopped({}, 5)
    seated = JobSeat(EngineSpec("e", ("true",), margin=30), "60+0")
    match = RefereedGame(job(seated, seated), None, lambda: None, people={0: both, 1: both})
    finished = await match.play()
    assert [result.forfeit for result in finished.seats] == ["time", None]
    assert finished.seats[0].time_used == 60_030_000_000
    assert finished.seats[1].time_used == sum(ply.time for ply in finished.record if ply.seat == 1) > 0


class Mute:
    """A player that fails to get ready after some seconds."""

    identity: ClassVar = {}

    def __init__(self, seconds):
        self.seconds = seconds

    async def new_game(self, items, transcript=None):
        await trio.sleep(self.seconds)
        raise EngineStalled(f"was mute for {self.seconds} s")


async def test_seats_that_fail_before_the_first_move_are_named_in_seat_order(autojump_clock):
    seated = JobSeat(EngineSpec("e", ("true",)), "60+0")
    people = {seat: Mute(4 - seat) for seat in range(4)}
    match = RefereedGame(job(*[seated] * 4, game="quoridor4"), None, lambda: None, people=people)
    finished = await match.play()
    expected = "; ".join(f"seat {seat} was mute for {5 - seat} s" for seat in (1, 2, 3, 4))
    assert finished.detail == expected
    assert [ply.text for ply in finished.record] == ["!1", "!2", "!3", "!4"]


@pytest.mark.parametrize(
    ("stops", "late", "termination"),
    [
        ({}, 5, "time"),
        ({5: "in"}, 5, "void"),
        ({3: "in"}, 0, "void"),
        ({3: "before"}, 0, "adjudicated"),
        ({3: "before"}, 5, "time"),
        ({1: "before"}, 2, "time"),
        ({3: "before", 5: "in"}, 5, "void"),
    ],
)
async def test_a_stop_makes_void_only_the_game_whose_search_it_fell_into(stops, late, termination):
    both = Stopped(stops, late)
    seated = JobSeat(EngineSpec("e", ("true",)), "60+0")
    heartbeat = Heartbeat(both.now, lambda: 0)
    match = RefereedGame(
        job(seated, seated, plies=8), None, lambda: None, people={0: both, 1: both}, heartbeat=heartbeat
    )
    finished = await match.play()
    assert finished.termination == termination
    assert ("the referee was stopped for" in finished.detail) == (termination == "void")


async def test_a_disguised_engine_reads_and_writes_other_names_and_the_record_stays_plain():
    disguise = Disguise(7)
    lines = []
    async with open_pool() as pool:
        disguised = seat("honest", disguise=7)
        game = RefereedGame(
            job(disguised, seat("honest"), game="hops", plies=6),
            pool,
            lambda: None,
            trace=lambda at, _time, _way, text: lines.append((at, text)),
        )
        finished = await game.play()
    assert finished.termination == "adjudicated", finished.detail
    listed = [text.split()[1:] for at, text in lines if at == 0 and text.startswith("legal ")]
    played = [ply.text for ply in finished.record if ply.seat == 0]
    assert [disguise.show(min(moves, key=lambda move: (len(move), move))) for moves in listed] == played


async def test_an_illegal_answer_under_a_disguise_is_recorded_in_plain_names():
    finished = await play(seat("plays-illegal", disguise=7), seat("honest"))
    assert finished.termination == "illegal"
    assert f"played '{Disguise(7).show('e5')}'" in finished.detail


class Thinker(Stopped):
    """Answers with a move and the reply that it expects, and notes what it is asked to ponder on."""

    def __init__(self, move, reply):
        super().__init__({}, 0)
        self.move, self.reply, self.pondered = move, reply, []

    async def think_until(self, alarm, turn, go, budget):
        result = await super().think_until(alarm, turn, go, budget)
        return result._replace(move=self.move, ponder=self.reply)

    async def ponder(self, alarm, turn, go):
        self.pondered.append(([*turn.moves], turn.fen(), turn.legal()[:2], go))


async def pondered(reply, *, game="quoridor", ponder=True, disguise=None, **settings):
    """Return what the first engine of a game, which moves to e2, is asked to ponder on."""
    hidden = Disguise(disguise) if disguise else None
    engine = Thinker(*(text if hidden is None else hidden.hide(text) for text in ("e2", reply)))
    first = JobSeat(EngineSpec("a", ("true",), ponder=ponder), "movetime=2")
    others = JobSeat(EngineSpec("b", ("true",), ponder=ponder), "60+1")
    seats = [first, *[others] * (find_game(game).info.players - 1)]
    people = {seat: Stopped({}, 0) for seat in range(len(seats))}
    people[0] = engine if hidden is None else DisguisedPlayer(engine, hidden)
    settings = {"plies": 2} | settings
    finished = await RefereedGame(
        job(*seats, game=game, **settings), None, lambda: None, people=people
    ).play()
    assert not any(end.forfeit for end in finished.seats), finished.detail
    return engine.pondered


async def test_an_engine_ponders_on_the_position_that_it_expects_with_its_own_limits():
    fen, legal = "/ / e2 e8 / 10 10 / 1", ["e1", "d2"]
    assert await pondered("e8") == [(["e2", "e8"], fen, legal, Go(movetime=2000))]
    hide = Disguise(7).hide
    hidden = ([hide("e2"), hide("e8")], hide(fen), [hide(move) for move in legal], Go(movetime=2000))
    assert await pondered("e8", disguise=7) == [hidden]


@pytest.mark.parametrize(
    ("reply", "settings"),
    [
        ("", {}),
        ("e8", {"ponder": False}),
        ("e8", {"plies": 1}),  # its move has ended the game
        ("e3", {}),  # not legal
        ("d1", {"position": "/ / e1 d2 / 10 10 / 1"}),  # the reply would end the game
        ("b5", {"game": "quoridor4"}),  # another opponent moves before it
    ],
)
async def test_an_engine_does_not_ponder_where_no_move_of_its_own_would_follow(reply, settings):
    assert await pondered(reply, **settings) == []


def test_an_engine_with_another_dialect_cannot_have_a_disguise():
    with pytest.raises(ValueError, match="only an engine with the dialect ugi can have a disguise"):
        EngineSpec("a", ("a",), dialect="uci", disguise=7)
