"""An answer that comes soon is read without trio, and other tasks do not wait long for it."""

from collections import Counter

import pytest

from protocol.hub.client import EngineClient
from protocol.hub.dialogue import ALONE, SHARED, Patience
from protocol.hub.search import SearchRequest
from protocol.spec import EngineSpec
from protocol.testing import ScriptedEngine
from protocol.wire import messages as m

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
