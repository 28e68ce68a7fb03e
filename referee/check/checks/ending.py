"""Checks of the end of the engine's process (4xx)."""

from __future__ import annotations

import os
from signal import SIGTERM

import trio

from protocol.plurals import counted
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
_QUIT_SECONDS = 1.0  # time after `quit` before the hub sends a signal
_END_SECONDS = 2.0  # time to end in all other cases
_SPIN_SHARE = 0.05  # share of a processor that shows a busy loop; an engine that waits uses none


async def _begin_search(dialogue: GameDialogue) -> None:
    """Start a search, and let it run for a moment."""
    await dialogue.begin_search()
    await trio.sleep(0.1)


@check(
    411,
    "quit ends it",
    MUST,
    "end the program at `quit`, within a second, with all its threads",
)
async def quits(context: CheckContext) -> str | None:
    """Send ``quit`` while no search is running."""
    async with context.playing() as dialogue:
        await dialogue.conversation.say(Quit())
        if not await dialogue.conversation.exits_within(_QUIT_SECONDS):
            raise Failure(f"was still running {_QUIT_SECONDS:g} s after `quit`")
        return None


@check(412, "quit ends it with exit code 0", SHOULD, "return 0 from the program at `quit`", needs=(411,))
async def quits_well(context: CheckContext) -> str | None:
    """Send ``quit``, and look at the exit code."""
    async with context.playing() as dialogue:
        await dialogue.conversation.say(Quit())
        await dialogue.conversation.exits_within(_QUIT_SECONDS)
        exit_text = dialogue.conversation.process.exit_text
        if exit_text != "exit code 0":
            raise Failure(f"ended with {exit_text or 'no exit code'} after `quit`")
        return None


@check(
    413,
    "quit during a search",
    SHOULD,
    "read input while searching, or end the process from the thread that reads",
    needs=(201, 411),
)
async def quits_searching(context: CheckContext) -> str | None:
    """Send ``quit`` during a search. The engine must end within two seconds."""
    async with context.playing() as dialogue:
        await _begin_search(dialogue)
        await dialogue.conversation.say(Quit())
        if not await dialogue.conversation.exits_within(_END_SECONDS):
            raise Failure(f"was still running {_END_SECONDS:g} s after `quit` during a search")
        return None


@check(
    414,
    "ends at the end of its input",
    SHOULD,
    "leave the loop at the end of the input (getline false, fgets NULL, readline empty)",
)
async def ends_with_input(context: CheckContext) -> str | None:
    """Close the engine's input while no search is running."""
    async with context.playing() as dialogue:
        await _input_ends(dialogue.conversation, "SPINNING")
        return None


@check(
    415,
    "ends at the end of its input during a search",
    SHOULD,
    "treat the end of input as `quit`, also while searching: the hub may have been killed",
    needs=(201, 414),
    explained_by=(413,),
)
async def ends_with_input_searching(context: CheckContext) -> str | None:
    """Close the engine's input during a search."""
    async with context.playing() as dialogue:
        await _begin_search(dialogue)
        await _input_ends(dialogue.conversation, "busy")
        return None


async def _input_ends(conversation: Conversation, busy: str) -> None:
    """Close the engine's input, and wait for its end.

    Args:
        conversation: the conversation with the engine.
        busy: a word for the message if the engine goes on and uses the processor.

    Raises:
        Failure: the engine does not end.
    """
    before = _processor_time(conversation)
    conversation.process.close_stdin()
    if await conversation.exits_within(_END_SECONDS):
        return
    share = (_processor_time(conversation) - before) / _END_SECONDS
    using = f", {busy} at {share:.0%} of a processor" if share > _SPIN_SHARE else ""
    printing = ", and printing without end" if conversation.turn_bytes > 1_000_000 else ""
    raise Failure(f"was still running {_END_SECONDS:g} s after the end of its input{using}{printing}")


def _processor_time(conversation: Conversation) -> float:
    """Return the seconds of processor time that the engine has used; 0 if the system cannot say."""
    try:
        return usage(conversation.process.pid).cpu
    except Skip:
        return 0.0


@check(
    416,
    "SIGTERM ends it",
    SHOULD,
    "do not catch SIGTERM, or end the program in the handler",
)
async def terminates(context: CheckContext) -> str | None:
    """Send SIGTERM to the process group of the engine."""
    if context.subject.spec.sandbox == "bwrap":
        raise Skip("the sandbox ends at SIGTERM, and the engine with it")
    async with context.playing() as dialogue:
        dialogue.conversation.process.signal_group(SIGTERM)
        if not await dialogue.conversation.exits_within(_END_SECONDS):
            raise Failure(f"was still running {_END_SECONDS:g} s after SIGTERM")
        return None


@check(
    417,
    "leaves no processes behind",
    SHOULD,
    "end all processes that the engine started, and wait for them, before the engine ends",
    needs=(411,),
)
async def leaves_none(context: CheckContext) -> str | None:
    """After ``quit``, look for processes in the engine's session."""
    if context.subject.spec.sandbox == "bwrap":
        raise Skip("the sandbox ends all processes that the engine leaves")
    async with context.playing() as dialogue:
        members(os.getsid(0))  # skips the check if this is not Linux
        await dialogue.conversation.say(Quit())
        await dialogue.conversation.exits_within(_QUIT_SECONDS)
        await trio.sleep(0.05)
        left = members(dialogue.conversation.process.pid)
        if left:
            raise Failure(
                f"left {counted(len(left), 'process', 'processes')} running: {', '.join(map(str, left))}"
            )
        return None
