"""A line that breaks loses nothing and repeats nothing, and an end is not flooded."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.errors import RemoteProtocolError
from protocol.remote.line import BACK, DATA, LARGEST_PAYLOAD, MOST_KEPT_BYTES, PONG, Frame, Line


def carry(sender: Line, receiver: Line, count: int = 10_000) -> None:
    """Let the receiver take the oldest frames of the sender."""
    for _ in range(min(count, len(sender.outbox))):
        receiver.take(sender.outbox.popleft())


def reconnect(hub: Line, home: Line) -> None:
    """Lose what is under way; the machine at home says nothing until it hears that the line is back."""
    hub.begin_again(BACK)
    carry(hub, home, 1)
    home.begin_again(PONG)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 60))
def test_everything_arrives_once_and_in_order_however_often_the_line_breaks(seed: int, steps: int) -> None:
    dice = random.Random(seed)
    hub, home = Line(), Line()
    sent = {hub: b"", home: b""}
    for step in range(steps):
        for line in (hub, home):
            if dice.random() < 0.5:
                line.say(DATA, b"%d " % step)
                sent[line] += b"%d " % step
        carry(hub, home, dice.randrange(4))
        carry(home, hub, dice.randrange(4))
        if dice.random() < 0.2:
            reconnect(hub, home)
    reconnect(hub, home)
    carry(hub, home)
    carry(home, hub)
    assert {hub: home.read(), home: hub.read()} == sent
    hub.send(Frame(PONG))
    carry(hub, home)
    assert home.all_came


def test_an_end_is_full_until_the_other_end_has_what_it_sent() -> None:
    hub, home = Line(), Line()
    home.say(DATA, bytes(MOST_KEPT_BYTES + 1))
    assert home.full
    carry(home, hub)
    hub.send(Frame(PONG))
    carry(hub, home)
    assert not home.full


@pytest.mark.parametrize(
    ("frames", "problem"),
    [
        ([b""], "no frame"),
        ([b"data one 0\n"], "no frame"),
        ([b"data 1 0\n" + b"x" * (LARGEST_PAYLOAD + 1)], "no frame"),
        ([b"data 2 0\n"], "too high"),
        ([b"data 1 7\n"], "too high"),
        ([b"pong 1 0\n"], "too high"),
        ([b"data 1 0\n", b"data 2 0\n", b"data 4 0\n"], "too high"),
        ([b"data 1 0\n"] * 200, "repeats itself"),
        ([b"pong 0 0\n"] * 200, "repeats itself"),
    ],
)
def test_an_end_that_floods_or_breaks_the_rules_is_found_out(frames: list[bytes], problem: str) -> None:
    hub = Line()

    def take_all() -> None:
        for frame in frames:
            hub.take(frame)

    with pytest.raises(RemoteProtocolError, match=problem):
        take_all()
