"""A line that breaks loses nothing, repeats nothing, and takes a bounded memory."""

from __future__ import annotations

import random
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.errors import RemoteProtocolError
from protocol.remote.line import DATA, MOST, PONG, WINDOW, Frame, Line, unpacked


def carry(sender: Line, receiver: Line, count: int) -> None:
    """Let the receiver take the oldest frames of the sender."""
    for _ in range(min(count, len(sender.outbox))):
        receiver.take(sender.outbox.popleft())


def used(line: Line) -> list[bytes]:
    found = []
    while frame := line.use():
        found.append(frame.payload)
    return found


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 60))
def test_everything_arrives_once_and_in_order_however_often_the_line_breaks(seed: int, steps: int) -> None:
    dice = random.Random(seed)
    hub, home = Line(), Line(echoes=True)
    said: dict[Line, list[bytes]] = {hub: [], home: []}
    heard: dict[Line, list[bytes]] = {hub: [], home: []}
    for step in range(steps):
        for line in (hub, home):
            if dice.random() < 0.5 and line.room > 10:
                line.put(DATA, b"%d" % step)
                said[line].append(b"%d" % step)
        carry(hub, home, dice.randrange(4))
        carry(home, hub, dice.randrange(4))
        if dice.random() < 0.3:
            heard[home] += used(home)
        if dice.random() < 0.3:
            heard[hub] += used(hub)
        if dice.random() < 0.2:  # what is under way is lost
            hub.again()
            home.again()
    hub.again()
    home.again()
    for _ in range(4):
        carry(hub, home, 10_000)
        carry(home, hub, 10_000)
    heard[home] += used(home)
    heard[hub] += used(hub)
    assert heard == {home: said[hub], hub: said[home]}


def test_no_more_than_the_window_is_under_way_until_the_other_end_uses_it() -> None:
    hub, home = Line(), Line()
    while home.room > 0:
        home.put(DATA, b"x" * home.room)
    carry(home, hub, 10_000)
    carry(hub, home, 10_000)
    assert home.room <= 0
    assert sum(map(len, used(hub))) > WINDOW - 2 * MOST
    carry(hub, home, 10_000)
    assert home.room == MOST


@pytest.mark.parametrize("size", [1, MOST])
def test_an_end_of_a_line_takes_less_than_two_megabytes_whatever_comes(size: int) -> None:
    hub = Line()

    def flood() -> None:
        while True:
            hub.put(DATA, bytes(size))
            hub.take(Frame(DATA, hub._received + 1, 0, bytes(size)).packed())

    tracemalloc.start()
    try:
        with pytest.raises(RemoteProtocolError, match="under way"):
            flood()
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert WINDOW < taken < 2_000_000


@pytest.mark.parametrize(
    ("frames", "problem"),
    [
        ([b""], "no frame"),
        ([b"data one 0\n"], "no frame"),
        ([b"data 1 0\n" + b"x" * (MOST + 1)], "no frame"),
        ([b"data 2 0\n"], "too high"),
        ([b"data 1 7\n"], "too high"),
        ([b"data 1 0\n", b"data 2 0\n", b"data 4 0\n"], "too high"),
        ([b"data 0 0\n"], "again"),
        ([b"data 1 0\n", b"data 1 0\n"], "again"),
        ([b"pong 0 0\n"], "again"),
        ([b"got 0 0\n"], "again"),
        ([b"back 0 0\n"], "no place"),
        ([b"ping 0 0\n"], "no place"),  # each answer would take memory until the other end reads it
        ([Frame(DATA, number, 0, b"x" * MOST).packed() for number in range(1, 20)], "under way"),
    ],
)
def test_an_end_that_floods_or_breaks_the_rules_is_found_out(frames: list[bytes], problem: str) -> None:
    hub = Line()

    def take_all() -> None:
        for frame in frames:
            hub.take(frame)

    with pytest.raises(RemoteProtocolError, match=problem):
        take_all()


def test_each_numbered_frame_is_answered_at_once_by_the_bots_machine() -> None:
    home = Line(echoes=True)
    home.take(Frame(DATA, 1, 0, b"go").packed())
    assert unpacked(home.outbox.popleft()) == Frame(PONG, 1)
    home.again()
    home.outbox.clear()
    home.take(Frame(DATA, 1, 0, b"go").packed())  # sent again after a break
    assert not home.outbox
