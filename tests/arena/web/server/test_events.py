"""Tests that a client of an event stream misses nothing, or gets the whole state."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import trio.testing

from arena.web.server import answers as module
from arena.web.server.answers import EventLog


def parsed(event: bytes) -> dict[str, str]:
    return dict(line.split(": ", 1) for line in event.decode().splitlines() if line and line[0] != ":")


class Client:
    """Reads one stream."""

    def __init__(self, log: EventLog, last: str = "") -> None:
        self.states = 0
        self._stream: AsyncIterator[bytes] = log.stream(last, self._state)

    def _state(self) -> dict[str, Any]:
        self.states += 1
        return {"n": self.states}

    async def next(self) -> dict[str, str]:
        return parsed(await anext(self._stream))


async def test_a_new_client_gets_the_state_and_then_every_event() -> None:
    log = EventLog()
    log.add("before", {})
    client = Client(log)
    assert await client.next() == {"retry": "2000"}
    assert (await client.next())["event"] == "state"
    log.add("one", {"a": "line\nbreak"})
    log.add("two", {})
    first, second = await client.next(), await client.next()
    assert (first["event"], first["data"], second["event"]) == ("one", '{"a":"line\\nbreak"}', "two")


async def test_a_client_that_comes_back_gets_what_it_missed_and_no_state() -> None:
    log = EventLog()
    client = Client(log)
    await client.next()
    last = (await client.next())["id"]
    log.add("missed", {})
    log.add("missed too", {})
    again = Client(log, last)
    await again.next()
    assert [(await again.next())["event"] for _ in range(2)] == ["missed", "missed too"]
    assert again.states == 0


UNKNOWN = [
    "",
    "x",
    "0",
    "-",
    "{mark}-x",
    f"{{mark}}-{9**30}",
    "deadbeef-1",
    "{mark}-2",
    "{mark}-3",
    "{mark}--1",
]


@pytest.mark.parametrize("last", UNKNOWN)  # the log has one event, so 2 is beyond the last
async def test_a_client_with_an_unknown_number_gets_the_state(last: str) -> None:
    log = EventLog()
    log.add("old", {})
    client = Client(log, last.format(mark=log.mark))
    await client.next()
    assert (await client.next())["event"] == "state"


async def test_the_numbers_of_a_server_that_ran_before_are_unknown() -> None:
    client = Client(EventLog())
    await client.next()
    again = Client(EventLog(), (await client.next())["id"])
    await again.next()
    assert (await again.next())["event"] == "state"


async def test_a_client_that_missed_too_much_gets_the_state() -> None:
    log = EventLog()
    client = Client(log)
    await client.next()
    last = (await client.next())["id"]
    for number in range(module._EVENTS_KEPT + 1):
        log.add("news", {"n": number})
    again = Client(log, last)
    await again.next()
    assert (await again.next())["event"] == "state"


async def test_an_event_that_was_left_out_makes_earlier_numbers_unknown() -> None:
    log = EventLog()
    client = Client(log)
    await client.next()
    last = (await client.next())["id"]
    log.skip()
    log.add("news", {})
    again = Client(log, last)
    await again.next()
    assert (await again.next())["event"] == "state"


async def test_an_event_that_is_left_out_while_the_client_takes_the_state_brings_the_state_again() -> None:
    log = EventLog()
    client = Client(log)
    await client.next()
    await client.next()
    log.renew()
    assert (await client.next())["event"] == "state"
    assert client.states == 2


async def test_a_stream_says_now_and_then_that_it_lives_and_ends_when_the_server_does(
    autojump_clock: trio.testing.MockClock,
) -> None:
    log = EventLog()
    client = Client(log)
    await client.next()
    await client.next()
    assert log.listeners == 1
    begun = trio.current_time()
    assert await client.next() == {"event": "alive", "data": "null"}
    assert trio.current_time() - begun == module._KEEP_ALIVE_SECONDS
    log.end()
    with pytest.raises(StopAsyncIteration):
        await client.next()
    assert log.listeners == 0
