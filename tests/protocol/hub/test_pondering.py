"""An engine that thinks while its opponent does: what it hears, and what its clock counts."""

import pytest
import trio

from protocol.errors import EngineStalled
from protocol.spec import EngineSpec
from protocol.wire import messages as m
from tests.protocol.hub.test_client import ASKED, GO, GO_TEXT, LEVEL_0, SECOND, level_1, new_game, turn

OPTION = LEVEL_0.replace(
    "< ugiok", "< option name Ponder type check default false\n< ugiok\n> setoption name Ponder value true"
)
PONDER = f"> position startpos moves e2 e8\n> {GO_TEXT.replace('go', 'go ponder')}"


async def pondering(script, start=f"{OPTION}\n{ASKED}\n< bestmove e2 ponder e8\n{PONDER}"):
    client, engine = await new_game(f"{start}\n{script}", ponder=True)
    first = await client.think(turn(), GO, SECOND)
    assert first.ponder == "e8"
    with trio.CancelScope() as alarm:
        await client.ponder(alarm, turn(["e2", "e8"]), GO)
    return client, engine


async def test_the_expected_move_continues_the_search_and_only_then_its_clock_runs(autojump_clock):
    client, engine = await pondering("> ponderhit\n~ 0.5\n< info depth 9 score cp 3\n< bestmove e3 ponder e7")
    await trio.sleep(20)
    result = await client.think(turn(["e2", "e8"]), GO, SECOND)
    assert (result.move, result.ponder, result.info) == ("e3", "e7", "depth 9 score cp 3")
    assert result.ended - result.started == SECOND // 2
    engine.assert_done()


async def test_another_move_stops_the_search_and_its_answer_is_not_played(autojump_clock):
    client, engine = await pondering(f"""
        > stop
        ~ 1.5
        < info depth 9 score cp 99
        < bestmove a1
        > isready
        < readyok
        > position startpos moves e2 d9
        > {GO_TEXT}
        ~ 0.25
        < bestmove e3
    """)
    result = await client.think(turn(["e2", "d9"]), GO, SECOND)
    assert (result.move, result.info, result.ended - result.started) == ("e3", "", SECOND // 4)
    engine.assert_done()


async def test_the_end_of_a_game_ends_the_search(autojump_clock):
    client, engine = await pondering("""
        > stop
        < bestmove a1
        > uginewgame
        > isready
        < readyok
    """)
    await client.game_over(m.GameOver("p2win", (), "goal"))
    await client.new_game(())
    engine.assert_done()


async def test_an_engine_that_does_not_stop_stalls(autojump_clock):
    client, _ = await pondering("> stop\n~ 60")
    with pytest.raises(EngineStalled, match="did not answer 'stop' within 2 s"):
        await client.think(turn(["e2", "d9"]), GO, SECOND)


async def test_an_engine_with_delta_gets_its_whole_position_after_it_has_pondered(autojump_clock):
    start = f"{level_1('delta ponder')}\n> position startpos\n> isready\n< readyok\n> {GO_TEXT}"
    client, engine = await pondering(
        f"""
        > stop
        < bestmove a1
        > position startpos moves e2 d9
        > isready
        < readyok
        > {GO_TEXT}
        < bestmove e3
    """,
        start=f"{start}\n< bestmove e2 ponder e8\n{PONDER}",
    )
    assert (await client.think(turn(["e2", "d9"]), GO, SECOND)).move == "e3"
    engine.assert_done()


async def test_an_engine_that_announces_no_pondering_is_never_asked(autojump_clock):
    client, engine = await pondering("", start=f"{LEVEL_0}\n{ASKED}\n< bestmove e2 ponder e8")
    engine.assert_done()
    assert client.alive


def test_an_engine_with_the_dialect_xboard_cannot_ponder():
    with pytest.raises(ValueError, match="xboard cannot ponder"):
        EngineSpec("a", ("a",), dialect="xboard", ponder=True)
