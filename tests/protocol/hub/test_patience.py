"""An answer that comes soon is read without trio, and other tasks do not wait long for it."""

import time
from collections import Counter

import pytest
import trio
import trio.testing

from protocol.hub.client import EngineClient
from protocol.hub.dialogue import ALONE, CROWDED, SHARED, Patience
from protocol.hub.search import SearchRequest
from protocol.spec import EngineSpec
from protocol.wire import messages as m
from tests.protocol.fakes import ScriptedEngine

START = """
> uci
< uciok
> isready
< readyok
> ucinewgame
> isready
< readyok
"""
TURN = """
> position startpos
> go nodes 100
< info depth 1 score cp 4
< info depth 2 score cp 5
< info depth 3 nodes 100
< bestmove e2 ponder e8
"""


class PromptEngine(ScriptedEngine):
    """Each of its lines comes soon; counts what reads them."""

    def __init__(self, script):
        super().__init__(script)
        self.calls = Counter()

    def read_soon(self, seconds):
        if not self._script[0].startswith("< "):
            return None  # it has not been asked
        self.calls["soon"] += 1
        return self._script.popleft()[2:].encode() + b"\n"

    async def read(self):
        self.calls["trio"] += 1
        return await super().read()


async def searching(pause, turns, line_ns):
    """Return the calls for each turn if the clock shows ``line_ns`` more at each look."""
    engine = PromptEngine(START + TURN * turns)
    ticks = iter(range(0, 10**12, line_ns))
    client = EngineClient(
        EngineSpec("x", ("x",), dialect="uci", sync="game"),
        engine,
        now=lambda: next(ticks),
        patience=Patience(pause),
    )
    await client.handshake(None)
    await client.new_game(())
    request = SearchRequest(None, (), lambda: None, lambda: "", lambda: ())
    calls = []
    for _ in range(turns):
        engine.calls.clear()
        result = await client.think(request, m.Go(nodes=100), 10**10)
        assert (result.move, result.info) == ("e2", "depth 2 score cp 5")
        calls.append(dict(engine.calls))
    engine.assert_done()
    return calls


@pytest.mark.parametrize("pause", [SHARED, ALONE])
async def test_the_lines_before_an_answer_are_read_without_trio(pause, autojump_clock):
    assert await searching(pause, 2, 1000) == [{"soon": 4}, {"soon": 4}]


async def test_a_dialogue_lets_other_games_run_when_its_answer_takes_longer(autojump_clock):
    first, *others = await searching(SHARED, SHARED.misses + 2, 60_000)
    assert first == {"soon": 2, "trio": 2}
    assert others == [{"trio": 4}] * SHARED.misses + [first]


async def test_a_game_that_is_alone_waits_for_the_next_answer_again(autojump_clock):
    assert await searching(ALONE, 2, 2_000_000) == [{"soon": 2, "trio": 2}] * 2


class LateEngine(PromptEngine):
    """Its answer is read when the deadline has passed."""

    async def read(self):
        with trio.CancelScope(shield=True):
            await trio.sleep(60)
            return await super().read()


class HeldUpEngine(PromptEngine):
    """Its answer came in time, but other games are read first, until its deadline has passed."""

    async def read(self):
        data = await super().read()
        self.clock.jump(60)
        return data


async def think_with(patience, kind, clock):
    """Think for a second at most, and go on in the scope of its alarm."""
    engine = PromptEngine(START + "> position startpos\n> go nodes 100\n< bestmove e2\n")
    spec = EngineSpec("x", ("x",), dialect="uci", sync="game")
    client = EngineClient(spec, engine, now=lambda: 7 + round(trio.current_time() * 1e9), patience=patience)
    await client.handshake(None)
    await client.new_game(())
    engine.__class__, engine.clock = kind, clock
    request = SearchRequest(None, (), lambda: None, lambda: "", lambda: ())
    with trio.fail_after(300), trio.CancelScope() as alarm:
        result = await client.think_until(alarm, request, m.Go(nodes=100), 10**9)
        assert result.move == "e2"
    await trio.lowlevel.checkpoint()
    return result.ended, alarm.cancel_called


@pytest.mark.parametrize("kind", [PromptEngine, HeldUpEngine])
async def test_a_clock_stops_when_the_answer_was_there_and_not_when_it_was_read(
    kind, nursery, autojump_clock
):
    patience = Patience(CROWDED, polled_at=50)  # long ago: so the dialogue also waits for its turn
    nursery.start_soon(patience.give_turns)
    assert await think_with(patience, kind, autojump_clock) == (50, False)
    nursery.cancel_scope.cancel()


async def test_an_answer_after_the_deadline_is_late_and_does_not_wait_for_a_turn(autojump_clock):
    patience = Patience(CROWDED, polled_at=60)  # in time, but long ago, and nobody gives turns
    assert await think_with(patience, LateEngine, autojump_clock) == (60 * 10**9 + 7, True)


class Polls(trio.abc.Instrument):
    """Counts how often trio asks for output."""

    count = 0

    def after_io_wait(self, timeout):
        self.count += 1


async def test_games_get_their_turns_in_their_order_and_trio_asks_for_output_between_them(nursery):
    patience, polls, turns = Patience(CROWDED, polled_at=1), Polls(), []

    async def work(number):
        await patience.take_turn()
        turns.append((number, polls.count))

    for number in range(20):
        nursery.start_soon(work, number)
        await trio.testing.wait_all_tasks_blocked()
    trio.lowlevel.add_instrument(polls)
    nursery.start_soon(patience.give_turns)
    await trio.testing.wait_all_tasks_blocked()
    assert [number for number, _ in turns] == list(range(20))
    assert len({count for _, count in turns}) == 20
    nursery.cancel_scope.cancel()


def test_no_game_waits_if_trio_has_just_asked_for_output():
    assert Patience(CROWDED, polled_at=time.monotonic_ns() - 10**9).must_wait
    assert not Patience(CROWDED, polled_at=time.monotonic_ns() + 10**9).must_wait
    assert not Patience(CROWDED).must_wait  # nobody notes when trio asks
