"""How an engine ends (4xx)."""

from __future__ import annotations

import os
from signal import SIGTERM

import trio

from protocol.wire.messages import Quit
from referee.check.catalogue import check
from referee.check.check_context import CheckContext
from referee.check.conversation import Conversation
from referee.check.failures import Failure, Skip
from referee.check.game_dialogue import GameDialogue
from referee.check.process_usage import members, usage
from referee.check.report import Severity

__all__: list[str] = []

MUST, SHOULD = Severity.MUST, Severity.SHOULD
_QUIT = 1.0  # seconds after `quit` before the hub sends a signal
_PATIENT = 2.0  # seconds for everything else
_SPINS = 0.05  # share of a processor; who waits needs none, and a busy machine gives less than all


async def _begin_search(player: GameDialogue) -> None:
    """Begin one, and let it get under way."""
    await player.begin_search()
    await trio.sleep(0.1)


@check(
    411,
    "quit ends it",
    MUST,
    "leave the program at `quit`, within a second, with all its threads",
)
async def quits(bench: CheckContext) -> str | None:
    """While nothing is searched."""
    async with bench.playing() as player:
        await player.talk.say(Quit())
        if not await player.talk.exits_within(_QUIT):
            raise Failure(f"still ran {_QUIT:g} s after `quit`")
        return None


@check(412, "quit ends it with exit code 0", SHOULD, "return 0 from the program at `quit`", needs=(411,))
async def quits_well(bench: CheckContext) -> str | None:
    """No crash on the way out."""
    async with bench.playing() as player:
        await player.talk.say(Quit())
        await player.talk.exits_within(_QUIT)
        how = player.talk.process.exit_text
        if how != "exit code 0":
            raise Failure(f"ended with {how or 'nothing'} after `quit`")
        return None


@check(
    413,
    "quit during a search",
    SHOULD,
    "look for input while searching, or end the process from the thread that reads",
    needs=(201, 411),
)
async def quits_searching(bench: CheckContext) -> str | None:
    """Within two seconds."""
    async with bench.playing() as player:
        await _begin_search(player)
        await player.talk.say(Quit())
        if not await player.talk.exits_within(_PATIENT):
            raise Failure(f"still ran {_PATIENT:g} s after `quit` during a search")
        return None


@check(
    414,
    "ends at the end of its input",
    SHOULD,
    "leave the loop when reading a line gives nothing more (getline false, fgets NULL, readline empty)",
)
async def ends_with_input(bench: CheckContext) -> str | None:
    """While nothing is searched; an engine that does not end must at least not spin."""
    async with bench.playing() as player:
        await _input_ends(player.talk, "SPINNING")
        return None


@check(
    415,
    "ends at the end of its input during a search",
    SHOULD,
    "treat the end of input as `quit`, also while searching: the hub may have been killed",
    needs=(201, 414),
)
async def ends_with_input_searching(bench: CheckContext) -> str | None:
    """As 414, in a search."""
    async with bench.playing() as player:
        await _begin_search(player)
        await _input_ends(player.talk, "busy")
        return None


async def _input_ends(talk: Conversation, busy: str) -> None:
    """Close its input; ``busy`` is what an engine does that goes on and uses the processor."""
    before = _processor_time(talk)
    talk.process.close_stdin()
    if await talk.exits_within(_PATIENT):
        return
    share = (_processor_time(talk) - before) / _PATIENT
    doing = f", {busy} at {share:.0%} of a processor" if share > _SPINS else ""
    printing = ", printing on and on" if talk.turn_bytes > 1_000_000 else ""
    raise Failure(f"still ran {_PATIENT:g} s after the end of its input{doing}{printing}")


def _processor_time(talk: Conversation) -> float:
    """Seconds that the engine has used; 0 where the system does not tell."""
    try:
        return usage(talk.process.pid).cpu
    except Skip:
        return 0.0


@check(
    416,
    "SIGTERM ends it",
    SHOULD,
    "do not catch SIGTERM, or end the program in the handler",
)
async def terminates(bench: CheckContext) -> str | None:
    """Sent to the process and all that it started."""
    async with bench.playing() as player:
        player.talk.process.signal_group(SIGTERM)
        if not await player.talk.exits_within(_PATIENT):
            raise Failure(f"still ran {_PATIENT:g} s after SIGTERM")
        return None


@check(
    417,
    "leaves no processes behind",
    SHOULD,
    "end and wait for what the engine started before it ends itself",
    needs=(411,),
)
async def leaves_none(bench: CheckContext) -> str | None:
    """Nothing of its session lives after ``quit``."""
    async with bench.playing() as player:
        members(os.getsid(0))  # skips where the system does not tell
        await player.talk.say(Quit())
        await player.talk.exits_within(_QUIT)
        await trio.sleep(0.05)
        left = members(player.talk.process.pid)
        if left:
            raise Failure(f"left {len(left)} running: process {', '.join(map(str, left))}")
        return None
