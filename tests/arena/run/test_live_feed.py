"""Tests that a run tells its listeners what the database does not have yet, and that no listener harms it."""

import signal
import socket
from contextlib import contextmanager, suppress

import trio
import trio.testing

from arena.events import GameBegan, GameEnded, LiveGame, Notice, RunState, decode
from arena.model import Pairing
from arena.run import feed
from arena.run.feed import open_feed, sockets
from referee import game as find_game
from tests.arena.run.test_run_process import assert_complete, running, write
from tests.processes import wait_for

PAIRING = Pairing(0, "quoridor:a|b:0", "quoridor", ("a", "b"))


@contextmanager
def listener():
    """Listen to the only run. Yields a file with its messages."""
    wait_for(sockets, "no run listens")
    with socket.socket(socket.AF_UNIX) as channel:
        channel.settimeout(60)
        channel.connect(str(sockets()[0]))
        with channel.makefile("rb") as lines:
            yield lines


def follow(lines, condition):
    """Return the state as soon as it meets a condition, and the changes until then."""
    state = decode(lines.readline())
    changes = []
    while not condition(state):
        changes.append(decode(lines.readline()))
        state.apply(changes[-1])
    return state, changes


def test_listeners_see_the_plies_of_a_running_game_and_a_killed_run_leaves_nothing(tmp_path):
    file = write(tmp_path, ("a", "honest"), ("b", "hangs-in-search"), games_per_pairing=1)
    with running(file) as process:
        for _ in range(2):  # the second one comes after the plies were told
            with listener() as lines:
                state, _ = follow(lines, lambda state: any(game.plies for game in state.games.values()))
                (game,) = state.games.values()
                assert (game.pairing.seats, [ply.seat for ply in game.plies], game.turn) == (
                    ("a", "b"),
                    [0],
                    1,
                )
                assert find_game("quoridor").start().parse_move(game.plies[0].text)
                assert len(game.clocks_ms) == 2
                assert (state.tournament, state.database) == ("t", str(tmp_path / "arena.db"))
                assert (state.total, state.stored, state.played) == (1, 0, 0)
        with listener() as lines:
            process.send_signal(signal.SIGKILL)
            process.wait()
            with suppress(ConnectionResetError):
                lines.read()  # to the end, which comes with the run's
        assert sockets() == []
        assert not list(feed._PLACE.glob(f"{feed._NAMES}*"))


async def test_a_game_that_has_started_does_not_come_next(tmp_path):
    async def watch(watched):
        pass

    other = Pairing(1, "quoridor:b|a:0", "quoridor", ("b", "a"))
    async with open_feed("t", tmp_path / "arena.db", watch) as live:
        live.observe(GameBegan(LiveGame(PAIRING)))
        live.tell_next([PAIRING, other])  # from a forecast before the game started
        assert [game.key for game in live.state.next] == [other.key]
        live.observe(GameBegan(LiveGame(other)))
        assert live.state.next == ()


def test_a_listener_learns_which_games_come_next(tmp_path):
    file = write(tmp_path, ("a", "honest"), ("b", "hangs-in-search"), ("c", "honest"), games_per_pairing=4)
    with running(file), listener() as lines:
        state, _ = follow(lines, lambda state: state.games and len(state.next) == 6)
        (running_game,) = state.games.values()
        first = running_game.pairing.number + 1
        assert [game.number for game in state.next] == list(range(first, first + 6))
        assert all(len(game.seats) == 2 for game in state.next)


def test_a_listener_follows_a_run_to_its_end(tmp_path):
    file = write(tmp_path, ("a", "honest"), ("b", "honest"), games_per_pairing=2)
    with running(file) as process:
        with listener() as lines:
            state, changes = follow(lines, lambda state: state.played == 2)
            assert lines.read() == b""
        assert process.wait(60) == 0
    assert_complete(file)
    assert state.games == {}
    ended = [change.result for change in changes if isinstance(change, GameEnded)]
    assert [(result.reason, result.termination) for result in ended] == [("length", "adjudicated")] * 2
    assert sockets() == []


async def test_a_listener_that_does_not_read_is_dropped_and_the_others_miss_nothing(tmp_path):
    watched = []

    async def watch(on):
        watched.append(on)

    async with open_feed("t", tmp_path / "arena.db", watch) as live:
        deaf = await trio.open_unix_socket(sockets()[0])
        async with await trio.open_unix_socket(sockets()[0]) as stream:
            await trio.testing.wait_all_tasks_blocked()
            notices = 0
            received = bytearray()
            while watched == [True] and notices < 5000 and len(live._listeners) == 2:
                live.observe(Notice("a", f"{notices} {'x' * 1000}"))
                notices += 1
                while received.count(b"\n") < notices + 1:
                    received += await stream.receive_some(1 << 20)
        assert notices < 5000
        lines = bytes(received).splitlines()
        assert isinstance(decode(lines[0]), RunState)
        assert [decode(line).text.split()[0] for line in lines[1:]] == [str(n) for n in range(notices)]
        await trio.testing.wait_all_tasks_blocked()
        await deaf.aclose()
    assert watched == [True, False]


async def test_a_run_that_cannot_be_listened_to_plays_on_and_says_why(tmp_path, monkeypatch):
    monkeypatch.setattr(feed, "_PLACE", tmp_path / "missing")

    async def watch(on):
        raise AssertionError

    async with open_feed("t", tmp_path / "arena.db", watch) as live:
        live.observe(GameBegan(LiveGame(PAIRING)))
        assert "No such file or directory" in live.problem
        assert live.state.games.keys() == {PAIRING.key}
