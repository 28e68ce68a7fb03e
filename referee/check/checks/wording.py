"""Options, and lines that are not written as ours usually are (1xx)."""

from __future__ import annotations

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

_QUIET = 0.15  # seconds in which nothing may come
_LARGE = 256  # megabytes, or threads of a like size: more is not asked of the user's machine
_COSTLY = ("hash", "memory", "thread")


def _values(option: AdvertisedOption) -> Iterator[str | None]:
    """Default, bounds and choices; for a button nothing but pressing it."""
    match option.kind:
        case "button":
            yield None
        case "check":
            yield from ("true", "false")
        case "combo":
            yield from option.choices
        case "spin":
            for bound in (option.minimum, option.maximum):
                if bound is not None:
                    costly = any(word in option.name.lower() for word in _COSTLY) and bound > _LARGE
                    yield str(max(_LARGE, option.minimum or 0) if costly else bound)
    if option.default:
        yield option.default


@check(
    113,
    "takes every option at its bounds",
    SHOULD,
    "accept the minimum, the maximum, the default and every `var` that the engine advertises",
    needs=(201,),
)
async def options_settable(bench: CheckContext) -> str | None:
    """After each value ``readyok`` comes, and after all of them a legal move."""
    async with bench.greeted() as player:
        options = [option for name, option in player.greeting.options.items() if not name.startswith("ugi_")]
        if not options:
            raise Skip("it advertises no option")
        await player.ready()
        for option in options:
            for value in _values(option):
                await player.talk.say(SetOption(option.name, value))
                try:
                    await player.ready()
                except Failure as failure:
                    raise Failure(
                        f"after `{format_command(SetOption(option.name, value))}`: {failure}"
                    ) from None
        await player.new_game()
        await player.move(bench.book.start)
        return counted(len(options), "option")


@check(
    114,
    "plays every game that it offers",
    SHOULD,
    "list in UGI_Game only games that the engine plays, by their ids in `arena games`",
)
async def games_settable(bench: CheckContext) -> str | None:
    """After each choice of ``UGI_Game``, in a process of its own, ``readyok`` comes."""
    greeting = bench.subject.greeting
    option = None if greeting is None else greeting.options.get("ugi_game")
    if option is None:
        raise Skip("it has no option UGI_Game")
    for game in option.choices:
        async with bench.greeted() as player:
            await player.talk.say(SetOption(option.name, game))
            try:
                await player.ready()
            except Failure as failure:
                raise Failure(f"after `setoption name {option.name} value {game}`: {failure}") from None
    return ", ".join(option.choices)


async def _sent_oddly(bench: CheckContext, *lines: str) -> None:
    """Lines that mean nothing: they are not answered, and a regular search at the start works."""
    async with bench.playing() as player:
        player.talk.new_turn()
        await player.talk.send(*lines)
        said = await player.talk.listen(_QUIET)
        if said:
            raise Failure(f"answered with {said[0].text[:80]!r}")
        await player.move(player.book.start)


@check(
    115,
    "takes CR LF",
    SHOULD,
    "drop a carriage return at the end of a line: users on Windows type it",
    level=1,
    needs=(104, 201),
)
async def carriage_returns(bench: CheckContext) -> None:
    """``isready`` and ``go`` that end in CR LF."""
    await _asked_oddly(bench, lambda line: f"{line}\r")


async def _asked_oddly(bench: CheckContext, odd: Callable[[str], str]) -> None:
    """``isready`` and ``go``, each written as ``odd`` writes it, are answered."""
    async with bench.playing() as player:
        await player.show(bench.book.start)
        player.talk.new_turn()
        await player.talk.send(odd(format_command(IsReady())))
        await player.talk.until(ReadyOk, "readyok", bench.subject.patience.answer)
        await player.talk.send(odd(format_command(player.clocks(1000))))
        await player.talk.until(BestMove, "bestmove", 1 + bench.subject.patience.answer)


@check(
    116,
    "takes spaces before, between and after words",
    SHOULD,
    "split lines at white space instead of comparing them whole",
    level=1,
    needs=(104, 201),
)
async def spaces(bench: CheckContext) -> None:
    """Padded lines are understood."""
    await _asked_oddly(bench, lambda line: f"  {line.replace(' ', '   ')} ")


@check(
    117,
    "ignores lines with an unknown first word",
    MUST,
    "skip a line whose first word is unknown, without a word: newer hubs may send it",
    level=1,
    needs=(104, 201),
)
async def unknown_words(bench: CheckContext) -> None:
    """Unknown commands change nothing and are not answered."""
    await _sent_oddly(bench, "tomorrow", "future 1 2 3", "go-faster now", "Position of the stars")


@check(
    118,
    "ignores unknown words at the end of a line",
    MUST,
    "read the words that are known and skip the rest of the line: newer hubs may add some",
    level=1,
    needs=(104, 201),
)
async def unknown_trailers(bench: CheckContext) -> None:
    """``go`` and ``isready`` with words that nobody knows."""
    await _asked_oddly(bench, lambda line: f"{line} tomorrow 7")


@check(
    119,
    "ignores empty lines",
    SHOULD,
    "skip a line without any word",
    level=1,
    needs=(104, 201),
)
async def empty_lines(bench: CheckContext) -> None:
    """Empty and blank lines change nothing."""
    await _sent_oddly(bench, "", "   ", "")


@check(
    120,
    "survives a line of 65536 bytes",
    MUST,
    "read lines of any length up to 65536 bytes: no fixed buffer",
    level=1,
    needs=(104, 117, 201),
)
async def long_line(bench: CheckContext) -> None:
    """The longest line that the protocol allows, with an unknown first word."""
    await _sent_oddly(bench, "tomorrow " + "x" * 65_526)
