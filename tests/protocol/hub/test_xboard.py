"""Dialogues with engines that speak CECP, the protocol of xboard."""

from __future__ import annotations

from typing import Any

import pytest
import trio
from trio.testing import MockClock

from protocol.errors import EngineStalled, EngineStartError
from protocol.hub.client import EngineClient
from protocol.hub.search import SearchRequest
from protocol.spec import EngineSpec, Timeouts
from protocol.wire.codec import Dialect
from protocol.wire.messages import Go
from protocol.wire.states import State
from tests.protocol.fakes import ScriptedEngine

SECOND = 1_000_000_000
CLOCKS = Go((61_500, 59_000), (1500, 0))
CLOCK = Go((60_000, 60_000), (0, 0))

GREETING = """
> xboard
> protover 2
< Phalanx, by somebody
< feature myname="Some Engine 2" ping=1 setboard=1 usermove=1 san=1
< feature memory=1 option="Style -combo solid /// *wild" option="Book -check 1" option="Depth -spin 3 1 9"
< feature option="Clear -button" done=1
"""
READY = """
> accepted myname
> accepted ping
> accepted setboard
> accepted usermove
> rejected san
> accepted memory
> accepted option
> accepted option
> accepted option
> accepted option
"""
GAME = """
> ping 1
< pong 1
> new
> force
> easy
> post
> ping 2
< pong 2
> ping 3
< pong 3
"""

ASKED = "> level 0 1:00 0\n> time 6000\n> otim 6000\n> go\n"


def make(script: str, **settings: Any) -> tuple[EngineClient, ScriptedEngine]:
    engine = ScriptedEngine(script)
    spec = EngineSpec("x", ("x",), dialect="xboard", **settings)
    return EngineClient(spec, engine, now=lambda: round(trio.current_time() * SECOND)), engine


def turn(moves: list[str], start: str | None = None) -> SearchRequest:
    """Every move is irreversible; nevertheless these engines get the moves, because CECP sends each once."""
    return SearchRequest(start, moves, lambda: ("the last position", len(moves), ()), lambda: "", list)


async def new_game(script: str, **settings: Any) -> tuple[EngineClient, ScriptedEngine]:
    client, engine = make(script, **settings)
    await client.handshake("chess")
    await client.new_game(())
    return client, engine


async def test_a_game_is_sent_move_by_move(autojump_clock: MockClock) -> None:
    client, engine = await new_game(
        GREETING
        + READY
        + GAME
        + """
        > level 0 1:01 1
        > time 6150
        > otim 5900
        > go
        <   3     25    10     1200  e2e4 e7e5
        <   4.   -31    12     3400  1. e2e4 c7c5 2.Nf3
        < move e2e4
        > force
        > ping 4
        < pong 4
        > usermove e7e5
        > time 6150
        > otim 5900
        > go
        < Illegal move: e7e5
        < 1. ... O-O
        < My move is : O-O
        """
    )
    assert client.identity == {"name": "Some Engine 2"}
    first = await client.think(turn([]), CLOCKS, SECOND)
    assert (first.move, first.info) == ("e2e4", "depth 4 score cp -31 time 120 nodes 3400 pv e2e4 c7c5 Nf3")
    assert (await client.think(turn(["e2e4", "e7e5"]), CLOCKS, SECOND)).move == "O-O"
    assert client.session.strays == 3
    engine.assert_done()


async def test_a_bound_with_more_digits_than_python_reads_is_none(autojump_clock: MockClock) -> None:
    client, engine = make(
        f"""
        > xboard
        > protover 2
        < feature option="Big -spin 0 0 {"9" * 5000}" option="Small -spin 0 -1 9" done=1
        """
    )
    await client.handshake("chess")
    assert [(option.kind, option.maximum) for option in client.session.options.values()] == [
        ("string", None),
        ("spin", 9),
    ]
    engine.assert_done()


async def test_a_refused_move_is_taken_off_the_board_by_setting_the_game_up_again(
    autojump_clock: MockClock,
) -> None:
    new = """
        > force
        > ping {}
        < pong {}
        > new
        > force
        > easy
        > post
"""
    client, engine = await new_game(
        GREETING + READY + GAME + ASKED + "< move e2e5" + new.format(4, 4) + ASKED
        + "< move e2e6" + new.format(5, 5) + "> usermove a2a3\n> usermove a7a6\n" + ASKED + "< move a3a4"
    )  # fmt: skip
    assert (await client.think(turn([]), CLOCK, SECOND)).move == "e2e5"
    await client.report_error("illegal", "e2e5 is not legal; forgiven, 1 of 1")
    assert (await client.think(turn([]), CLOCK, SECOND)).move == "e2e6"
    await client.report_error("illegal", "e2e6 is not legal; the referee has played a2a3")
    assert (await client.think(turn(["a2a3", "a7a6"]), CLOCK, SECOND)).move == "a3a4"
    engine.assert_done()


async def test_a_position_is_set_up_and_a_new_game_starts_at_the_usual_position(
    autojump_clock: MockClock,
) -> None:
    fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"
    client, engine = await new_game(
        GREETING
        + READY
        + GAME
        + f"""
        > force
        > setboard {fen}
        > usermove e8d8
        > level 0 60:00 0
        > sd 5
        > time 360000
        > otim 360000
        > go
        < resign
        > new
        > force
        > easy
        > post
        > ping 4
        < pong 4
        > ping 5
        < pong 5
        > usermove e2e4
        > st 2
        > go
        < 0-1 {{White resigns}}
        < 1-0 {{Black resigns}}
        """
    )
    assert (await client.think(turn(["e8d8"], fen), Go(depth=5), SECOND)).move == "resign"
    await client.new_game(())
    assert (await client.think(turn(["e2e4"]), Go(movetime=2000), SECOND)).move == "resign"
    engine.assert_done()


@pytest.mark.parametrize(
    ("lines", "move"),
    [
        ("< move e4", "e4"),
        ("< move exd6 e.p.", "exd6"),
        ("< move 1. e2e4", "e2e4"),
        ("< move 1.e4", "e4"),
        ("< move 12. ... Nf6 {a comment}", "Nf6"),
        ("< My move is : 1 . e4", "e4"),
        ("< move 1. blunder", "blunder"),
        ("< move\tNbd2 \t! {a good square}", "Nbd2"),
        ("< move 0-0 +", "0-0"),
        ("< My move is :e8=Q#", "e8=Q#"),
        ("< move e8(Q) (check)", "e8(Q)"),
        ("< move", ""),
        ("< move ordering is bad\n< moves e4\n< move h7h8q", "h7h8q"),
        ("< offer draw\n< tellics say hello\n< move e4", "e4"),
        ("< move e4\n< offer draw\n< 1-0 {White mates}\n< resign", "e4"),
        ("< 1-0 {White mates}\n~ 0.5\n< move Qh7#", "Qh7#"),
        ("< 1/2-1/2 {Draw by repetition}\n< move e4", "e4"),
        ("< 1-0 {White mates}", "1-0 {White mates}"),
        ("< 1-0", "1-0"),
        ("< result 1/2-1/2 {repetition}\n~ 2\n< move e4", "result 1/2-1/2 {repetition}"),
        ("< move 1-0", "1-0"),
        ("< Black resigns", "Black resigns"),
        ("< resign", "resign"),
        ("< resigns", "resign"),
        ("< White resigns.", "resign"),
        ("< I resign", "resign"),
        ("< tellics resign", "resign"),
        ("< move resigns", "resign"),
        ("< 0-1", "resign"),
        ("< 0-1 {Black mates}", "resign"),
        ("< RESULT 0-1 {White resigns}", "resign"),
        ("< 1-0 {White mates}\n< 0-1 {White resigns}", "resign"),
        ("< resignation is near\n< 1-0-0\n< 0-10 nodes\n< move e4", "e4"),
    ],
)
async def test_moves_and_claims_are_immediate_answers(
    autojump_clock: MockClock, lines: str, move: str
) -> None:
    client, _ = await new_game(GREETING + READY + GAME + ASKED + lines)
    start = trio.current_time()
    assert (await client.think(turn([]), CLOCK, 60 * SECOND)).move == move
    assert trio.current_time() - start <= 1
    assert client.session.state is State.IDLE


AGAIN = """
< move e4
> force
> ping 4
{claim}
< pong 4
> usermove e7e5
> time 6000
> otim 6000
> go
> ping 5
"""


@pytest.mark.parametrize(
    ("claim", "lines", "move", "seconds"),
    [
        ("< 1-0 {White mates}", "~ 9\n< move d2d4\n< pong 5", "d2d4", 9),
        ("< 1/2-1/2", "< pong 5", "1/2-1/2", 1),
        ("< 1/2-1/2", "< pong 5\n< move d2d4", "d2d4", 0),
    ],
)
async def test_after_a_false_claim_an_engine_that_does_not_search_does_not_use_the_whole_clock(
    autojump_clock: MockClock, claim: str, lines: str, move: str, seconds: float
) -> None:
    client, _ = await new_game(GREETING + READY + GAME + ASKED + AGAIN.format(claim=claim) + lines)
    assert (await client.think(turn([]), CLOCK, SECOND)).move == "e4"
    start = trio.current_time()
    assert (await client.think(turn(["e2e4", "e7e5"]), CLOCK, 60 * SECOND)).move == move
    assert trio.current_time() - start == pytest.approx(seconds)


@pytest.mark.parametrize("claim", ["< resign", "< 0-1 {White resigns}\n< 1-0 {White mates}"])
async def test_an_engine_that_resigns_after_its_move_is_not_asked_again(
    autojump_clock: MockClock, claim: str
) -> None:
    again = AGAIN.format(claim=claim).partition("> time")[0]
    client, engine = await new_game(GREETING + READY + GAME + ASKED + again)
    assert (await client.think(turn([]), CLOCK, SECOND)).move == "e4"
    assert (await client.think(turn(["e2e4", "e7e5"]), CLOCK, SECOND)).move == "resign"
    engine.assert_done()


async def test_a_claim_of_the_last_game_is_none_in_the_next_one(autojump_clock: MockClock) -> None:
    again = GAME.replace("> ping 1\n< pong 1", "< move e4").replace("> ping 2", "> ping 4\n< resign")
    again = again.replace("pong 2", "pong 4").replace("> new", "> force\n> new").replace("g 3", "g 5")
    script = f"{GREETING}{READY}{GAME}{ASKED}{again}{ASKED}< move d4"
    client, _ = await new_game(script)
    assert (await client.think(turn([]), CLOCK, SECOND)).move == "e4"
    await client.new_game(())
    assert (await client.think(turn([]), CLOCK, SECOND)).move == "d4"


async def test_options_are_set_in_the_words_of_the_protocol(autojump_clock: MockClock) -> None:
    client, engine = make(
        GREETING
        + READY
        + """
        > option Style=wild
        > option Book=0
        > option Depth=9
        > option Clear
        > memory 64
        """,
        options={"style": "WILD", "Book": "false", "Depth": "9", "Clear": "", "memory": "64"},
    )
    await client.handshake("chess")
    engine.assert_done()
    for options in ({"Depth": "10"}, {"Hash": "1"}, {"Style": "mad"}):
        client, _ = make(GREETING, options=options)
        with pytest.raises(EngineStartError, match=r"does not take its options"):
            await client.handshake("chess")


async def test_an_engine_without_ping_and_setboard_is_ready_immediately_and_plays_from_the_start(
    autojump_clock: MockClock,
) -> None:
    client, _ = await new_game(
        """
        > xboard
        > protover 2
        < feature reuse=0 time=0 done=1
        > accepted reuse
        > accepted time
        > new
        > force
        > easy
        > post
        > e2e4
        > level 0 1:00 0
        > go
        < move e7e5
        > force
        """
    )
    assert not client.session.reusable
    assert (await client.think(turn(["e2e4"]), CLOCK, SECOND)).move == "e7e5"
    with pytest.raises(EngineStartError, match="does not have the feature setboard, so it cannot be told"):
        await client.think(turn([], "4k3/8/8/8/8/8/8/4K2R w - - 0 1"), Go(depth=1), SECOND)


@pytest.mark.parametrize(("usermove", "word"), [(0, ""), (1, "usermove ")])
async def test_an_engine_without_setboard_gets_the_pieces_of_a_position(
    autojump_clock: MockClock, usermove: int, word: str
) -> None:
    client, engine = await new_game(
        f"""
        > xboard
        > protover 2
        < feature setboard=0 usermove={usermove} time=0 done=1
        > accepted setboard
        > accepted usermove
        > accepted time
        > new
        > force
        > easy
        > post
        > new
        > force
        > easy
        > post
        > {word}a2a3
        > edit
        > #
        > Ke1
        > Rh1
        > c
        > Ke8
        > Pd5
        > .
        > {word}d5d4
        > {word}e1g1
        > level 0 1:00 0
        > go
        < move d4d3
        """
    )
    fen = "4k3/8/8/3p4/8/8/8/4K2R b K - 3 9"
    assert (await client.think(turn(["d5d4", "e1g1"], fen), CLOCK, SECOND)).move == "d4d3"
    engine.assert_done()


@pytest.mark.parametrize(
    ("score", "reported"),
    [("100003", "mate 3"), ("-100012", "mate -12"), ("-999997", "cp -999997"), ("100000", "cp 100000")],
)
async def test_a_mate_is_reported_as_a_mate(autojump_clock: MockClock, score: str, reported: str) -> None:
    client, _ = await new_game(f"{GREETING}{READY}{GAME}{ASKED}< 9 {score} 1 20 Qh5\n< move d1h5")
    answer = await client.think(turn([]), CLOCK, SECOND)
    assert answer.info == f"depth 9 score {reported} time 10 nodes 20 pv Qh5"


OLD = """
> xboard
> protover 2
< Old Engine 1.0
> ping 1
< Error (unknown command): ping 1
> new
> force
> easy
> post
> e2e4
> level 0 1:00 0
> time 6000
> otim 6000
> go
< My move is : e7e5
"""
SLEEPY = """
> xboard
> protover 2
> ping 1
< Chess
< pong 1
< feature done=0
< feature ping=1 usermove=1
> ping 2
< pong 2
< pong 2
< feature done=1
> accepted ping
> accepted usermove
> ping 3
< pong 3
> new
> force
> easy
> post
> ping 4
< pong 3
< pong 4
> ping 5
< pong 5
> usermove e2e4
> level 0 1:00 0
> time 6000
> otim 6000
> go
< My move is : e7e5
"""


@pytest.mark.parametrize(("script", "seconds"), [(OLD, 4), (SLEEPY, 4)], ids=["no features", "overlooks"])
async def test_an_engine_that_does_not_end_its_features_is_urged_and_plays_with_those_that_it_said(
    autojump_clock: MockClock, script: str, seconds: int
) -> None:
    start = trio.current_time()
    client, engine = await new_game(script)
    assert trio.current_time() - start == pytest.approx(seconds)
    assert (await client.think(turn(["e2e4"]), CLOCK, SECOND)).move == "e7e5"
    engine.assert_done()


@pytest.mark.parametrize(
    ("dialect", "script", "message"),
    [
        ("xboard", "> xboard\n> protover 2\n> ping 1\n> ping 2\n> ping 3", "'protover 2' within 7 s"),
        ("uai", "> uai", "'uai' within 7 s"),
    ],
)
async def test_a_mute_engine_is_reported_with_the_line_that_it_did_not_answer(
    autojump_clock: MockClock, dialect: Dialect, script: str, message: str
) -> None:
    engine = ScriptedEngine(script)
    client = EngineClient(EngineSpec("x", ("x",), dialect=dialect, timeouts=Timeouts(handshake=7)), engine)
    with pytest.raises(EngineStalled, match=message):
        await client.handshake("chess")
    engine.assert_done()


@pytest.mark.parametrize(
    ("go", "problem"),
    [
        (Go(movetime=200), "cannot be told 200 ms for a move"),
        (Go(movetime=1500), "1500 ms"),
        (Go(nodes=9), "cannot be told a number of nodes"),
    ],
)
async def test_limits_that_the_protocol_does_not_have_are_named(
    autojump_clock: MockClock, go: Go, problem: str
) -> None:
    client, _ = await new_game(GREETING + READY + GAME)
    with pytest.raises(EngineStartError, match=problem):
        await client.think(turn([]), go, SECOND)


async def test_an_error_names_ping_if_the_engine_does_not_answer_it(autojump_clock: MockClock) -> None:
    client, _ = await new_game(GREETING + READY + GAME.removesuffix("< pong 3\n"))
    with pytest.raises(EngineStalled, match=r"did not answer 'ping' within 20 s$"):
        await client.think(turn([]), CLOCK, SECOND)
