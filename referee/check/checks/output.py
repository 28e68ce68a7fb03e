"""What an engine prints (5xx)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from protocol.plurals import counted
from protocol.wire.codec import parse_info, parse_reply, score_text
from protocol.wire.messages import Go, InfoLine, Unknown
from referee.check.catalogue import check
from referee.check.check_context import CheckContext
from referee.check.conversation import OutputLine
from referee.check.failures import Failure
from referee.check.game_dialogue import EngineAnswer
from referee.check.positions import PositionBook, ReachedPosition, refusal
from referee.check.report import Severity

__all__: list[str] = []

MUST, SHOULD, INFO = Severity.MUST, Severity.SHOULD, Severity.INFO
_MIB = 1024 * 1024
_NUMBERS = ("depth", "seldepth", "time", "nodes", "nps", "multipv", "currmovenumber", "hashfull", "tbhits")


async def _searched(bench: CheckContext, name: str) -> list[tuple[ReachedPosition, EngineAnswer]]:
    """A few searches of a tenth of a second; with them come the lines that were printed."""
    async with bench.playing() as player:
        found = []
        for spot in await bench.spots(name, 3):
            await player.show(spot)
            found.append((spot, await player.think(Go(movetime=100))))
        return found


def _infos(answer: EngineAnswer) -> Iterator[tuple[OutputLine, list[str]]]:
    """The ``info`` lines of a search, each with its words up to ``string``."""
    for line in answer.before:
        if isinstance(parse_reply(line.text), InfoLine):
            yield line, line.text.partition(" string ")[0].split()[1:]


@check(
    501,
    "does not flood",
    MUST,
    "print an `info` line when something changed, a few a second: 8 MiB in one turn lose the game",
    needs=(201,),
)
async def no_flood(bench: CheckContext) -> str | None:
    """A turn of a second."""
    return f"{counted(await _printed(bench, 1000), 'byte')} in a second"


@check(
    502,
    "prints in moderation",
    SHOULD,
    "hold back `info` lines of low depths: reading them costs everybody time",
    needs=(501,),
)
async def moderation(bench: CheckContext) -> str | None:
    """At most 1 MiB in a turn of a tenth of a second."""
    printed = await _printed(bench, 100)
    if printed > _MIB:
        raise Failure(f"printed {printed / _MIB:.1f} MiB in a tenth of a second")
    return counted(printed, "byte")


async def _printed(bench: CheckContext, movetime: int) -> int:
    """How many bytes a turn at the start brings, with so many milliseconds for it."""
    async with bench.playing() as player:
        await player.show(bench.book.start)
        await player.think(Go(movetime=movetime))
        return player.talk.turn_bytes


@check(
    503,
    "no line longer than 65536 bytes",
    MUST,
    "cut long `pv` or `string` parts: a longer line is thrown away",
    needs=(201,),
)
async def short_lines(bench: CheckContext) -> str | None:
    """In the handshake and in a search."""
    async with bench.playing() as player:
        await player.show(bench.book.start)
        await player.think(Go(movetime=100))
        if player.talk.dropped:
            raise Failure(f"printed {counted(player.talk.dropped, 'line')} longer than 65536 bytes")
        return None


@check(
    504,
    "prints text",
    SHOULD,
    "print UTF-8 without control characters; anything else goes to standard error",
    needs=(201,),
)
async def prints_text(bench: CheckContext) -> str | None:
    """UTF-8, and no control characters but a tab."""
    async with bench.playing() as player:
        lines = list(player.greeting.lines)
        await player.show(bench.book.start)
        answer = await player.think(player.clocks(1000))
        for line in (*lines, *answer.before, answer.line):
            try:
                text = line.raw.removesuffix(b"\r").decode()
            except UnicodeDecodeError:
                raise Failure(f"printed bytes that are no UTF-8: {line.raw[:60]!r}") from None
            if re.search(r"[\x00-\x08\x0a-\x1f\x7f]", text):
                raise Failure(f"printed control characters: {text[:60]!r}")
        return None


@check(
    505,
    "numbers in info are whole",
    SHOULD,
    "print depth, time (milliseconds), nodes and nps as whole numbers, without units or fractions",
    needs=(202,),
)
async def whole_numbers(bench: CheckContext) -> str | None:
    """After every word that takes one there is a whole number."""
    count = 0
    for _, answer in await _searched(bench, "numbers"):
        for line, words in _infos(answer):
            count += 1
            head = words[: words.index("pv")] if "pv" in words else words
            for word, value in pairwise([*head, ""]):
                if word in _NUMBERS and not re.fullmatch(r"\d{1,15}", value):
                    raise Failure(f"printed {value!r} after {word}: {line.text[:100]!r}")
    return counted(count, "line")


@check(
    506,
    "scores can be read",
    SHOULD,
    "print `score cp N`, `score mate N` or `score wdl W D L` with whole numbers, seen from the own side",
    needs=(202,),
)
async def scores(bench: CheckContext) -> str | None:
    """Every ``score`` has one of the three forms."""
    for _, answer in await _searched(bench, "scores"):
        for line, words in _infos(answer):
            if "score" in words and not score_text(words):
                raise Failure(f"printed a score that cannot be read: {line.text[:100]!r}")
    return None


@check(
    507,
    "pv is a line of legal moves",
    SHOULD,
    "print only moves that can be played one after the other; cut the line where the table is overwritten",
    needs=(202,),
)
async def principal_variation(bench: CheckContext) -> str | None:
    """The last ``pv`` of each search is played."""
    for spot, answer in await _searched(bench, "pv"):
        lines = [line for line, words in _infos(answer) if "pv" in words]
        if lines:
            _play_out(bench.book, spot, lines[-1])
    return None


def _play_out(book: PositionBook, spot: ReachedPosition, line: OutputLine) -> None:
    here: ReachedPosition | None = spot
    for number, text in enumerate(parse_info(line.text.partition(" ")[2]).pv, 1):
        if here is None:
            raise Failure(f"its pv goes on after the end of the game: {line.text[:100]!r}")
        why_not = refusal(here.position, text)
        if why_not:
            raise Failure(f"move {number} of its pv, {text[:40]!r} at {spot}: {why_not}")
        here = book.play(here, text)


@check(
    508,
    "pv begins with the move",
    INFO,
    "usually the last `pv` before the move begins with it: viewers show it",
    needs=(507,),
)
async def pv_begins(bench: CheckContext) -> str | None:
    """The last ``pv`` of each search and the move."""
    for spot, answer in await _searched(bench, "pv"):
        lines = [line for line, words in _infos(answer) if "pv" in words]
        pv = parse_info(lines[-1].text.partition(" ")[2]).pv if lines else ()
        if pv and pv[0] != answer.move:
            raise Failure(f"played {answer.move} at {spot}, but its last pv begins with {pv[0]}")
    return None


@check(
    509,
    "time in info is the time that passed",
    INFO,
    "print milliseconds since `go` after `time`",
    needs=(505,),
    alone=True,
)
async def honest_time(bench: CheckContext) -> str | None:
    """The last ``time`` of each search, against our own clock."""
    for spot, answer in await _searched(bench, "honest"):
        times = [parse_info(line.text.partition(" ")[2]).time for line, _ in _infos(answer)]
        told = [time for time in times if time is not None]
        if told and told[-1] > answer.milliseconds + 20:
            raise Failure(f"says {told[-1]} ms where {answer.milliseconds:.0f} ms had passed, at {spot}")
    return None


@check(
    510,
    "prints only what the protocol has",
    SHOULD,
    "print remarks as `info string …`, or to standard error",
    needs=(202,),
)
async def known_words(bench: CheckContext) -> str | None:
    """In the handshake, between moves and in a search, every line begins with a known word."""
    async with bench.playing() as player:
        lines = list(player.greeting.lines)
        dialect = bench.subject.spec.dialect
        for spot in await bench.spots("words", 2):
            player.talk.new_turn()
            await player.show(spot)
            lines += player.unasked
            lines += (await player.think(player.clocks(1000))).before
        strays = [line.text for line in lines if isinstance(parse_reply(line.text, dialect), Unknown)]
        strays = [text for text in strays if text.strip()]
        if strays:
            raise Failure(
                f"printed {counted(len(strays), 'line')} of its own, the first is {strays[0][:80]!r}"
            )
        return None


@check(
    511,
    "little on standard error",
    SHOULD,
    "write to standard error only what has to be known: tournaments keep all of it",
    needs=(202,),
)
async def quiet_stderr(bench: CheckContext) -> str | None:
    """At most 64 KiB in a few moves."""
    async with bench.playing() as player:
        for spot in await bench.spots("stderr", 5):
            await player.move(spot)
        await player.talk.listen(0.05)
        if player.talk.stderr_bytes > 65_536:
            raise Failure(f"wrote {counted(player.talk.stderr_bytes, 'byte')} to standard error in six moves")
        return counted(player.talk.stderr_bytes, "byte")
