"""Checks of ``stop``, of ``isready`` during a search, and of ``gameover`` and ``error`` (4xx)."""

from __future__ import annotations

import re
from signal import SIGTERM

import trio

from protocol.wire.messages import BestMove, Command, ErrorReport, GameOver, IsReady, Quit, ReadyOk, Stop
from protocol.words import counted
from referee.check.catalogue import MUST, SHOULD, in_game
from referee.check.conversation import HOUR, Conversation, Failure, NoAnswer, Skip
from referee.check.processor import members, processor_time

_STOP_SECONDS = 1.0  # time for the answer to `stop`
_PING_SECONDS = 0.5  # time for the answer to `isready`; long enough for a busy machine


async def _start_search(
    engine: Conversation, milliseconds: int = HOUR, *after: Command, lasts: float = 0
) -> None:
    """Let the engine search the start position, send ``after`` in the same write, and wait for a while."""
    await engine.send_position(engine.book.start)
    await engine.drop_output()
    await engine.say(engine.long(milliseconds), *after)
    await trio.sleep(lasts)


async def _one_move(engine: Conversation, seconds: float, occasion: str) -> None:
    """Wait for exactly one ``bestmove``. A Failure: none comes in time, or more lines come after it."""
    try:
        await engine.until(BestMove, "bestmove", seconds)
    except NoAnswer:
        raise Failure(f"did not move within {seconds:g} s {occasion}") from None
    await engine.expect_silence(f"printed more lines after its move {occasion}:")


@in_game(
    401,
    "stop ends a search",
    MUST,
    "read input while searching, and answer `stop` with the best move so far",
    capability="stop",
    needs=(212,),
)
async def stops(engine: Conversation) -> str | None:
    """Send ``stop`` 200 ms after ``go``, with an hour on the clock."""
    await _start_search(engine)
    early = [line for line in await engine.listen(0.2) if isinstance(line.reply, BestMove)]
    if early:
        return "it had moved already"
    await engine.say(Stop())
    await _one_move(engine, _STOP_SECONDS, "after `stop`")
    return None


@in_game(
    402,
    "stop directly after go",
    MUST,
    "remember a `stop` that arrives before the search has started, and have a move ready",
    capability="stop",
    needs=(401,),
)
async def stops_immediately(engine: Conversation) -> None:
    """Send ``stop`` in the same write as ``go``."""
    await _start_search(engine, HOUR, Stop())
    await _one_move(engine, _STOP_SECONDS, "after `go` and `stop` in one write")


@in_game(
    403,
    "stop while idle",
    MUST,
    "ignore `stop` while no search runs: the hub may send it before it reads your move",
    capability="stop",
    needs=(201,),
    explained_by=(117,),
)
async def stop_idle(engine: Conversation) -> None:
    """Send ``stop`` without a search. The engine must not answer it, and the next search must work."""
    await engine.drop_output()
    await engine.send("stop", "stop")
    await engine.expect_silence("answered `stop` without a search:")
    await engine.move(engine.book.start)


@in_game(
    404,
    "isready during a search",
    MUST,
    "answer `isready` immediately while searching, from the thread that reads, and continue the search",
    capability="ping",
    needs=(201,),
)
async def pings(engine: Conversation) -> str | None:
    """Send ``isready`` during a search. The engine must answer immediately, and must still send one move."""
    await _start_search(engine, 20_000, lasts=0.1)
    await engine.say(IsReady())
    try:
        _, lines = await engine.until(ReadyOk, "readyok", _PING_SECONDS)
    except NoAnswer:
        raise Failure(f"did not answer `isready` within {_PING_SECONDS:g} s during a search") from None
    if any(isinstance(line.reply, BestMove) for line in lines):
        return "it had moved already"
    await engine.until(BestMove, "bestmove", 20 + engine.patience)
    return None


@in_game(
    405,
    "lines stay whole",
    MUST,
    "write every line in one piece; use a lock if two threads write",
    capability="ping",
    needs=(404,),
)
async def whole_lines(engine: Conversation) -> None:
    """Send ``isready`` fifty times during a search. Each answer must be a line of its own."""
    await _start_search(engine, 5000)
    ready, moves = 0, 0
    for _ in range(50):
        await engine.say(IsReady())
        await trio.sleep(0.004)
    while ready < 50 or not moves:
        line = await engine.line(5 + engine.patience)
        if line is None:
            missing = "did not move after" if ready == 50 else f"answered {ready} of"
            raise Failure(f"{missing} 50 `isready` during a search")
        ready += isinstance(line.reply, ReadyOk)
        moves += isinstance(line.reply, BestMove)
        torn = re.search(r"\S(readyok|bestmove)|readyok.", line.text)
        if torn:
            raise Failure(f"printed a broken line: {line.text[:80]!r}")


@in_game(
    406,
    "gameover is not answered",
    SHOULD,
    "read `gameover` or ignore it, and print nothing",
    capability="result",
    needs=(206,),
    explained_by=(117,),
)
async def game_over(engine: Conversation) -> None:
    """Send ``gameover``, then start another game."""
    players = engine.book.game.info.players
    ranks = tuple(range(1, players + 1)) if players > 2 else ()
    await _notify(engine, GameOver("p1win", ranks, "resign"))


@in_game(
    407,
    "error is not answered",
    SHOULD,
    "write the text of `error` to standard error and continue",
    capability="errors",
    needs=(206,),
    explained_by=(117,),
)
async def errors(engine: Conversation) -> None:
    """Send ``error`` although the engine did nothing wrong."""
    await _notify(engine, ErrorReport("illegal", "this is a test: nothing was wrong"))


async def _notify(engine: Conversation, message: GameOver | ErrorReport) -> None:
    """Send a message that needs no answer, then start a new game."""
    await engine.drop_output()
    await engine.say(message)
    await engine.expect_silence("answered with")
    await engine.new_game()


_QUIT_SECONDS = 1.0  # time after `quit` before the hub sends a signal
_END_SECONDS = 2.0  # time to end in all other cases
_SPIN_SHARE = 0.05  # share of a processor that shows a busy loop; an engine that waits uses none


@in_game(
    411,
    "quit ends it",
    MUST,
    "end the program at `quit`, within a second, with all its threads",
)
async def quits(engine: Conversation) -> None:
    """Send ``quit`` while no search is running."""
    await engine.say(Quit())
    await engine.expect_exit(_QUIT_SECONDS, "`quit`")


@in_game(412, "quit ends it with exit code 0", SHOULD, "return 0 from the program at `quit`", needs=(411,))
async def quits_well(engine: Conversation) -> None:
    """Send ``quit``, and look at the exit code."""
    await engine.say(Quit())
    await engine.exits_within(_QUIT_SECONDS)
    exit_text = engine.process.exit_text
    if exit_text != "exit code 0":
        raise Failure(f"ended with {exit_text or 'no exit code'} after `quit`")


@in_game(
    413,
    "quit during a search",
    SHOULD,
    "read input while searching, or end the process from the thread that reads",
    needs=(201, 411),
)
async def quits_searching(engine: Conversation) -> None:
    """Send ``quit`` during a search. The engine must end within two seconds."""
    await _start_search(engine, lasts=0.1)
    await engine.say(Quit())
    await engine.expect_exit(_END_SECONDS, "`quit` during a search")


@in_game(
    414,
    "ends at the end of its input",
    SHOULD,
    "leave the loop at the end of the input (getline false, fgets NULL, readline empty)",
)
async def ends_with_input(engine: Conversation) -> None:
    """Close the engine's input while no search is running."""
    await _input_ends(engine, "SPINNING")


@in_game(
    415,
    "ends at the end of its input during a search",
    SHOULD,
    "treat the end of input as `quit`, also while searching: the hub may have been killed",
    needs=(201, 414),
    explained_by=(413,),
)
async def ends_with_input_searching(engine: Conversation) -> None:
    """Close the engine's input during a search."""
    await _start_search(engine, lasts=0.1)
    await _input_ends(engine, "busy")


async def _input_ends(conversation: Conversation, busy: str) -> None:
    """Close the engine's input, and wait for its end; ``busy`` says that it uses the processor."""
    before = processor_time(conversation.process.pid)
    conversation.process.close_stdin()
    if await conversation.exits_within(_END_SECONDS):
        return
    share = (processor_time(conversation.process.pid) - before) / _END_SECONDS
    using = f", {busy} at {share:.0%} of a processor" if share > _SPIN_SHARE else ""
    printing = ", and printing without end" if conversation.turn_bytes > 1_000_000 else ""
    raise Failure(f"was still running {_END_SECONDS:g} s after the end of its input{using}{printing}")


@in_game(
    416,
    "SIGTERM ends it",
    SHOULD,
    "do not catch SIGTERM, or end the program in the handler",
)
async def terminates(engine: Conversation) -> None:
    """Send SIGTERM to the process group of the engine."""
    if engine.spec.sandbox == "bwrap":
        raise Skip("the sandbox ends at SIGTERM, and the engine with it")
    engine.process.signal_group(SIGTERM)
    await engine.expect_exit(_END_SECONDS, "SIGTERM")


@in_game(
    417,
    "leaves no processes behind",
    SHOULD,
    "end all processes that the engine started, and wait for them, before the engine ends",
    needs=(411,),
    proc=True,
)
async def leaves_none(engine: Conversation) -> None:
    """After ``quit``, look for processes in the engine's session."""
    if engine.spec.sandbox == "bwrap":
        raise Skip("the sandbox ends all processes that the engine leaves")
    await engine.say(Quit())
    await engine.exits_within(_QUIT_SECONDS)
    await trio.sleep(0.05)
    left = members(engine.process.pid)
    if left:
        raise Failure(
            f"left {counted(len(left), 'process', 'processes')} running: {', '.join(map(str, left))}"
        )
