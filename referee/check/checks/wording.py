"""Checks of options, and of lines in an unusual form (1xx)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from protocol.plurals import counted
from protocol.wire.codec import format_command
from protocol.wire.messages import BestMove, IsReady, ReadyOk, SetOption
from protocol.wire.options import AdvertisedOption
from referee.check.catalogue import check
from referee.check.check_context import CheckContext
from referee.check.failures import Failure, Skip
from referee.check.report import Severity

__all__: list[str] = []

MUST, SHOULD = Severity.MUST, Severity.SHOULD

_CPUS = os.cpu_count() or 1
_QUIET = 0.15  # seconds in which no line may come
_LARGE = {"hash": 256, "memory": 256, "thread": _CPUS, "cpu": _CPUS}
"""By a part of an option's name, the largest value that the check sets on the user's machine: megabytes, or
as many threads as there are processors."""


def _values(option: AdvertisedOption) -> Iterator[str | None]:
    """Yield the bounds, the choices and the default of an option; None for a button, to press it."""
    match option.kind:
        case "button":
            yield None
        case "check":
            yield from ("true", "false")
        case "combo":
            yield from option.choices
        case "spin":
            if option.minimum is not None:
                yield str(option.minimum)
            if option.maximum is not None:
                limits = [most for word, most in _LARGE.items() if word in option.name.lower()]
                most = min([option.maximum, *limits])
                yield str(most if option.minimum is None else max(most, option.minimum))
    if option.default:
        yield option.default


@check(
    113,
    "accepts every option at its bounds",
    SHOULD,
    "accept the minimum, the maximum, the default and every `var` that the engine advertises",
    needs=(201,),
)
async def options_settable(context: CheckContext) -> str | None:
    """Set each value, and wait for ``readyok``. At the end, ask for a move."""
    async with context.greeted() as dialogue:
        options = [
            option for name, option in dialogue.greeting.options.items() if not name.startswith("ugi_")
        ]
        if not options:
            raise Skip("it advertises no option")
        await dialogue.ready()
        for option in options:
            for value in _values(option):
                await dialogue.conversation.say(SetOption(option.name, value))
                try:
                    await dialogue.ready()
                except Failure as failure:
                    line = format_command(SetOption(option.name, value))
                    raise Failure(f"{failure}, after `{line}`") from None
        await dialogue.new_game()
        await dialogue.move(context.book.start)
        return counted(len(options), "option")


@check(
    114,
    "plays every game that it offers",
    SHOULD,
    "list in UGI_Game only games that the engine plays, by their ids in `arena games`",
)
async def games_settable(context: CheckContext) -> str | None:
    """Set each choice of ``UGI_Game`` in a process of its own, and wait for ``readyok``."""
    greeting = context.subject.greeting
    option = None if greeting is None else greeting.options.get("ugi_game")
    if option is None:
        raise Skip("it has no option UGI_Game")
    for game in option.choices:
        async with context.greeted() as dialogue:
            await dialogue.conversation.say(SetOption(option.name, game))
            try:
                await dialogue.ready()
            except Failure as failure:
                raise Failure(f"{failure}, after `setoption name {option.name} value {game}`") from None
    return ", ".join(option.choices)


async def _check_ignored(context: CheckContext, *lines: str) -> None:
    """Send lines that the engine must ignore without an answer, and then ask for a move."""
    async with context.playing() as dialogue:
        dialogue.conversation.new_turn()
        await dialogue.conversation.send(*lines)
        output = await dialogue.conversation.listen(_QUIET)
        if output:
            raise Failure(f"answered with {output[0].text[:80]!r}")
        await dialogue.move(dialogue.book.start)


@check(
    115,
    "accepts CR LF",
    SHOULD,
    "drop a carriage return at the end of a line: users on Windows type it",
    level=1,
    needs=(104, 201),
    explained_by=(118,),
)
async def carriage_returns(context: CheckContext) -> None:
    """Send ``isready`` and ``go`` that end in CR LF."""
    await _check_understood(context, lambda line: f"{line}\r")


async def _check_understood(context: CheckContext, odd: Callable[[str], str]) -> None:
    """Send ``isready`` and ``go`` in a form that ``odd`` makes, and wait for the answers."""
    async with context.playing() as dialogue:
        await dialogue.send_position(context.book.start)
        dialogue.conversation.new_turn()
        await dialogue.conversation.send(odd(format_command(IsReady())))
        await dialogue.conversation.until(ReadyOk, "readyok", context.subject.patience.answer)
        await dialogue.conversation.send(odd(format_command(dialogue.clocks(1000))))
        await dialogue.conversation.until(BestMove, "bestmove", 1 + context.subject.patience.answer)


@check(
    116,
    "accepts spaces before, between and after words",
    SHOULD,
    "split lines at white space instead of comparing them whole",
    level=1,
    needs=(104, 201),
    explained_by=(118,),
)
async def spaces(context: CheckContext) -> None:
    """Send lines with extra spaces."""
    await _check_understood(context, lambda line: f"  {line.replace(' ', '   ')} ")


@check(
    117,
    "ignores lines with an unknown first word",
    MUST,
    "ignore a line with an unknown first word, and print nothing: newer hubs may send it",
    level=1,
    needs=(104, 201),
)
async def unknown_words(context: CheckContext) -> None:
    """Send lines with unknown commands."""
    await _check_ignored(context, "tomorrow", "future 1 2 3", "go-faster now", "Position of the stars")


@check(
    118,
    "ignores unknown words at the end of a line",
    MUST,
    "read the words that you know and ignore the rest of the line: newer hubs may add some",
    level=1,
    needs=(104, 201),
)
async def unknown_trailers(context: CheckContext) -> None:
    """Send ``isready`` and ``go`` with unknown words at the end."""
    await _check_understood(context, lambda line: f"{line} tomorrow 7")


@check(
    119,
    "ignores empty lines",
    SHOULD,
    "ignore a line without any word",
    level=1,
    needs=(104, 201),
    explained_by=(117,),
)
async def empty_lines(context: CheckContext) -> None:
    """Send empty lines and lines of spaces."""
    await _check_ignored(context, "", "   ", "")


@check(
    120,
    "survives a line of 65536 bytes",
    MUST,
    "read lines of any length up to 65536 bytes: do not use a fixed buffer",
    level=1,
    needs=(104, 117, 201),
)
async def long_line(context: CheckContext) -> None:
    """Send the longest line that the protocol allows, with an unknown first word."""
    await _check_ignored(context, "tomorrow " + "x" * 65_526)
