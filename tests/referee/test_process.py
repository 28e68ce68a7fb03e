"""Tests of `python -m referee` as a process: orders in, events out, and no engine left at its end."""

import ctypes
import gc
import json
import os
import struct
import subprocess
import sys
import weakref
from contextlib import contextmanager
from pathlib import Path

import pytest
import trio

from protocol.hub.dialogue import ALONE, CROWDED, SHARED, Patience
from protocol.process.lifetime import VARIABLE
from referee.__main__ import SNAPSHOT_SECONDS, RunningJob, Server, _every
from referee.match.heartbeat import Heartbeat
from referee.match.job import JobStarted, RunningGame, decode_order
from referee.match.pool import EnginePool
from tests.compiled import COMPILED
from tests.forked_referee import Popen
from tests.missing_tools import needs
from tests.processes import assert_gone, engines, wait_for

HOSTILE = Path(__file__).parents[1] / "engines" / "hostile_engine.py"


LENGTH = {"adjudication": {"plies": 10}}


def order(number="1", modes=("honest", "honest"), engine=None, **settings):
    """An order; ``engine`` has more settings of all engines."""
    seats = [
        {
            "engine": {
                "name": mode,
                "command": [sys.executable, "-S", str(HOSTILE), mode],
                "timeouts": {"handshake": 60, "ready": 60},
            }
            | (engine or {}),
            "time_control": "60+0",
        }
        for mode in modes
    ]
    return {"do": "game", "id": number, "game": "quoridor", "seats": seats} | LENGTH | settings


@contextmanager
def referee(*arguments, limited=(), start=Popen):
    """A referee; with ``start=subprocess.Popen`` it is not forked, and so has no memory of the tests'."""
    command = [*limited, sys.executable, "-P", "-m", "referee", *arguments]
    with start(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def tell(process, *orders):
    for message in orders:
        process.stdin.write((message if isinstance(message, str) else json.dumps(message)) + "\n")
    process.stdin.flush()


def events(process, kind, count=1):
    wanted = []
    while len(wanted) < count:
        event = json.loads(process.stdout.readline())
        if event["event"] == kind:
            wanted.append(event)
    return wanted


def test_games_are_played_at_the_same_time_and_quit_lets_them_end():
    with referee() as process:
        tell(process, order("1"), order("2"), {"do": "quit"})
        finished = events(process, "finished", 2)
        assert sorted(event["id"] for event in finished) == ["1", "2"]
        assert {event["reason"] for event in finished} == {"length"}
        assert all(len(event["record"]) == 10 for event in finished)
        assert process.wait(20) == 0


def test_a_referee_gives_signs_of_life_without_a_game_too_and_while_its_engines_end(monkeypatch):
    monkeypatch.setattr("protocol.hub.ending._QUIT_SECONDS", 1.5)
    unwilling = order(modes=("honest", "ignores-quit"))
    with referee() as process:
        assert events(process, "snapshot")[0]["games"] == []
        tell(process, unwilling, {"do": "quit"})
        events(process, "finished")
        assert events(process, "snapshot")[0]["games"] == []
        assert process.wait(20) == 0


@pytest.fixture(scope="module")
def patient():
    """Start one referee for all orders that it must refuse."""
    with referee() as process:
        yield process
        tell(process, {"do": "quit"})
        assert process.wait(20) == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nonsense", "not an order"),
        ({"do": "dance"}, "not an order"),
        (order(extra=1), "extra"),
        (order(game="crazyhouse"), "crazyhouse"),
        (order(position="x"), "horizontal"),
        (order(moves=["e5"]), "e5"),
        (order(modes=("honest",)), "2 seats"),
        (order(adjudication={"repetition": 1}), "repetition: this must be from 2 to 1000, not 1"),
        (order(adjudication={"at_limit": "win"}), "at_limit"),
        (order(game="chess", adjudication={"at_limit": "count"}), "chess has no count"),
        (order(engine={"margin": 2**63}), "margin: this must be from 0 to 2592000000 milliseconds"),
        (order(engine={"margin": 10**400}), "not an order"),
        (order(engine={"env": {"A=B": "1"}}), "a name with ="),
        (order(engine={"env": {"A": "a\0b"}}), "a null character"),
        (order(engine={"timeouts": {"ready": 1e300}}), "ready: this must be from 0.001 to"),
        (order(engine={"limits": {"memory": 2**63}}), "memory: this must be from 1 to"),
        (order(number=""), "the id must be one printable word"),
        (order(number="x" * 101), "at most 100 characters"),
        (order(log="a\0b"), "the name of a folder"),
        ("[" * 10_000, "not an order"),
        ('{"do":' * 10_000, "nested too deeply"),
        ('{"x":"\\ud800",' + '"a":{' * 10_000, "JSON"),
        ('{"do":"\\udcff"}', "not an order"),
        (" " * 17_000_000, "longer than 16 MiB"),
    ],
)
def test_an_order_that_cannot_be_carried_out_is_refused_and_the_referee_lives(patient, text, words):
    tell(patient, text, order())
    (refused,) = events(patient, "refused")
    assert words in refused["text"]
    (finished,) = events(patient, "finished")
    assert finished["reason"] == "length"


def test_a_bad_time_control_is_refused(patient):
    bad = order()
    bad["seats"][0]["time_control"] = "10 minutes"
    tell(patient, bad)
    assert "10 minutes" in events(patient, "refused")[0]["text"]


def test_a_line_that_is_no_utf_8_is_refused_and_the_referee_lives(patient):
    patient.stdin.flush()
    patient.stdin.buffer.write(b'{"do":"\xff"}\n')
    tell(patient, order())
    assert "UTF-8" in events(patient, "refused")[0]["text"]
    assert events(patient, "finished")[0]["reason"] == "length"


def test_a_path_that_is_no_utf_8_is_written_with_escapes(patient, tmp_path):
    folder = tmp_path / "bad\udcff"
    folder.mkdir()
    tell(patient, order(engine={"cwd": str(folder), "env": {"X": "\udcfe"}}, log=str(folder / "logs")))
    assert events(patient, "finished")[0]["reason"] == "length"
    assert len(list((folder / "logs").iterdir())) == 2
    tell(patient, order(engine={"command": [f"{folder}/missing"]}))
    assert f"no file {folder}/missing" in events(patient, "finished")[0]["detail"]


def test_a_transcript_of_long_names_has_a_short_name(patient, tmp_path):
    tell(patient, order("../" + "x" * 90, engine={"name": "é" * 200}, log=str(tmp_path)))
    assert events(patient, "finished")[0]["reason"] == "length"
    names = sorted(file.name for file in tmp_path.iterdir())
    assert [name[:5] for name in names] == [".._xx", ".._xx"]
    assert names[0].endswith("x-1-" + "é" * 50 + ".log")


def test_games_are_loaded_at_the_start_and_one_that_cannot_be_is_refused_at_its_order():
    script = "main(['--game=hops', '--game=none']); print(*sys.modules)"
    code = f"import sys; from referee.__main__ import main; {script}"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    assert "referee.games.hops.position" in done.stdout.split()
    with referee("--game=none") as process:
        tell(process, order(game="none"))
        assert "no game has the id 'none'" in events(process, "refused")[0]["text"]


@pytest.mark.parametrize("how", ["end of input", "SIGTERM", "SIGKILL"])
def test_no_engine_outlives_its_referee(how):
    with referee() as process:
        tell(process, order(modes=("ignores-quit", "hangs-in-search")))
        events(process, "started")
        started = engines(process.pid)
        assert len(started) == 2
        if how == "end of input":
            process.stdin.close()
        elif how == "SIGTERM":
            process.terminate()
        else:
            process.kill()
        process.wait(20)
        assert_gone(started)


@needs("linux")
def test_a_pinned_referee_does_not_interrupt_its_engines():
    before = os.sched_getaffinity(0)
    cpu = min(before)
    os.sched_setaffinity(0, {cpu})
    with referee() as process:
        os.sched_setaffinity(0, before)
        tell(process, order(modes=("honest", "hangs-in-search")))
        events(process, "started")
        started = engines(process.pid)
        assert len(started) == 2
        assert all(os.sched_getaffinity(engine) == {cpu} for engine in started)
        assert all(os.sched_getscheduler(engine) == os.SCHED_OTHER for engine in started)
        assert os.sched_getscheduler(process.pid) == os.SCHED_BATCH


def slice_of(pid):
    """For how many nanoseconds a process runs before others; 0 if the kernel does not say (before 6.12)."""
    attributes = ctypes.create_string_buffer(48)
    number = {"x86_64": 315, "aarch64": 275}.get(os.uname().machine)
    if number is None:
        return 0
    assert ctypes.CDLL(None).syscall(number, pid, attributes, 48, 0) == 0
    return struct.unpack("=IIQiIQQQ", attributes.raw)[5]


@needs("linux")
def test_a_referee_that_shares_processors_gets_one_soon_and_its_engines_as_usual():
    usual, alone = slice_of(0), len(os.sched_getaffinity(0)) == 1
    with referee() as process:
        tell(process, order(modes=("honest", "hangs-in-search")))
        events(process, "started")
        assert slice_of(process.pid) == (usual if alone or not usual else 100_000)
        assert [slice_of(engine) for engine in engines(process.pid)] == [usual, usual]


def snapshot(process):
    """Return the games of the next snapshot."""
    return events(process, "snapshot")[0]["games"]


def test_running_games_are_shown_a_few_times_a_second_and_the_clock_of_the_seat_to_move_runs():
    with referee() as process:
        tell(process, order(modes=("honest", "hangs-in-search")))
        wait_for(lambda: snapshot(process)[0]["ply"] == 1, "the first engine does not move")
        (state,) = snapshot(process)
        assert (state["id"], state["turn"]) == ("1", 1)
        for _ in range(4):
            (later,) = snapshot(process)
        (waits, thinks), (still, left) = state["clocks_ms"], later["clocks_ms"]
        assert still == waits
        assert 0 < left < thinks - 100


def test_a_seat_whose_time_control_is_no_clock_has_no_time_in_a_snapshot():
    wish = order(modes=("hangs-in-search", "honest"))
    wish["seats"][0]["time_control"] = "nodes=1"
    with referee() as process:
        tell(process, wish)
        events(process, "started")
        (state,) = snapshot(process)
        assert state["clocks_ms"] == [None, 60_000]


class Endless:
    """A game that starts and never ends."""

    def __init__(self, job, pool, started, **_):
        self.job = job
        self._started = started

    async def play(self):
        self._started()
        await trio.sleep_forever()

    def running(self):
        return RunningGame(self.job.id, 3, 1, (1000, 1000))


async def test_what_nobody_reads_for_ten_minutes_leaves_room_for_what_matters(
    nursery, autojump_clock, monkeypatch
):
    monkeypatch.setattr("referee.__main__.RefereedGame", Endless)
    outbox, unread = trio.open_memory_channel(1000)
    patience = Patience()
    server = Server(nursery, None, outbox, patience)
    await server.take(decode_order(json.dumps(order("1")).encode()))
    assert patience.pause is ALONE
    nursery.start_soon(_every, SNAPSHOT_SECONDS, server.send_snapshot)
    await trio.sleep(600)  # there are more snapshots than the channel holds
    await server.take(decode_order(json.dumps(order("2")).encode()))
    assert patience.pause is SHARED
    await trio.sleep(1)
    events = [unread.receive_nowait() for _ in range(unread.statistics().current_buffer_used)]
    assert [event for event in events if isinstance(event, JobStarted)] == [JobStarted("1"), JobStarted("2")]
    for number in "345":
        await server.take(decode_order(json.dumps(order(number)).encode()))
    assert patience.pause is CROWDED
    nursery.cancel_scope.cancel()


@needs("prlimit")
def test_a_referee_opens_more_files_than_usual_but_its_engines_do_not(tmp_path):
    limits = tmp_path / "limits"
    engine = f"{sys.executable} -S {HOSTILE} honest"
    script = f'read -r line; ulimit -Sn >> {limits}; {{ echo "$line"; cat; }} | {engine}'
    orders = [order(str(number), engine={"command": ["sh", "-c", script]}) for number in range(6)]
    with referee(limited=("prlimit", "--nofile=40:"), start=subprocess.Popen) as process:
        tell(process, *orders, {"do": "quit"})
        assert [event["reason"] for event in events(process, "finished", 6)] == ["length"] * 6
    assert limits.read_text().split() == ["40"] * 12


async def test_a_game_leaves_nothing_that_only_the_collector_of_garbage_finds():
    outbox, _unread = trio.open_memory_channel(1000)
    async with trio.open_nursery() as engines:
        pool = EnginePool(engines, 0, lambda *_: None)
        running = RunningJob(decode_order(json.dumps(order()).encode()), pool, outbox, Heartbeat())
        assert (await running.play()).reason == "length"
    games = [weakref.ref(running)]
    if not COMPILED:  # objects of compiled classes have no weak references
        games.append(weakref.ref(running.game))
    gc.disable()
    try:
        del running
        assert all(game() is None for game in games)
    finally:
        gc.enable()


def with_a_person(number="1", **settings):
    """An order in which seat 1 is a person's."""
    return order(number, **settings) | {"people": [0], "adjudication": {"plies": 3}}


def answer(ply, move, number="1"):
    return {"do": "answer", "id": number, "ply": ply, "move": move}


def test_a_person_moves_by_orders_and_hears_of_every_ply(patient):
    tell(patient, with_a_person())
    (first,) = events(patient, "turn")
    assert (first["game"]["ply"], first["game"]["turn"], first["game"].get("plies", [])) == (0, 0, [])
    # A move for another ply, and a second one for the same, have no effect.
    tell(patient, answer(7, "f1"), answer(0, "e2"), answer(0, "d1"))
    after_person, other = events(patient, "turn", 2)
    assert [ply[:2] for ply in after_person["game"]["plies"]] == [[0, "e2"]]
    assert (other["game"]["turn"], other["game"]["first"], other["game"]["plies"][0][0]) == (0, 1, 1)
    tell(patient, answer(2, "e3"))
    (finished,) = events(patient, "finished")
    assert [ply[1] for ply in finished["record"]][::2] == ["e2", "e3"]
    assert finished["seats"][0]["reported_name"] == "honest"


def test_an_abandoned_game_is_void_and_its_engines_are_killed():
    with referee() as process:
        tell(process, with_a_person())
        events(process, "turn")
        started = engines(process.pid)
        assert len(started) == 1
        tell(process, {"do": "abandon", "id": "1"}, {"do": "abandon", "id": "nothing"})
        (finished,) = events(process, "finished")
        assert (finished["termination"], finished["void"]) == ("void", "abandoned")
        assert_gone(started)


def test_an_engine_is_killed_whose_game_is_abandoned_during_the_handshake(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, "none")  # in a process namespace the engine has another id
    asked = tmp_path / "asked"
    silent = ["sh", "-c", 'read line; echo $$ > "$0.new"; mv "$0.new" "$0"; exec sleep 600', str(asked)]
    with referee() as process:
        tell(process, with_a_person(engine={"name": "silent", "command": silent}))
        wait_for(asked.exists, "the handshake does not start")
        tell(process, {"do": "abandon", "id": "1"})
        assert events(process, "finished")[0]["void"] == "abandoned"
        assert_gone([int(asked.read_text())])


def test_a_person_can_lose_on_time_and_resign(patient):
    late = with_a_person()
    late["seats"][0]["time_control"] = "0.001+0.001"
    tell(patient, late)
    assert events(patient, "finished")[0]["seats"][0]["forfeit"] == "time"
    tell(patient, with_a_person("2"))
    events(patient, "turn")
    tell(patient, answer(0, "resign", "2"))
    assert events(patient, "finished")[0]["seats"][0]["forfeit"] == "resign"


def test_a_person_on_a_seat_that_the_game_has_not_is_refused(patient):
    tell(patient, order() | {"people": [2]})
    assert events(patient, "refused")[0]["text"] == "a person has a seat from 0 to 1"
