"""Checks of the engine's output (5xx)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from protocol.hub.dialogue import OutputLine
from protocol.wire.codec import parse_info, score_text
from protocol.wire.messages import InfoLine, Unknown
from protocol.words import counted
from referee.check.catalogue import INFO, MUST, SHOULD, in_game
from referee.check.conversation import Conversation, EngineAnswer, Failure
from referee.check.positions import PositionBook, ReachedPosition, why_illegal

_MIB = 1024 * 1024
_NUMBERS = ("depth", "seldepth", "time", "nodes", "nps", "multipv", "currmovenumber", "hashfull", "tbhits")


async def _searched(engine: Conversation, name: str) -> list[tuple[ReachedPosition, EngineAnswer]]:
    """Do a few searches of a tenth of a second, and return the positions with the answers."""
    spots = await engine.spots(name, 3)
    return [(spot, await engine.search(spot, engine.movetime(100))) for spot in spots]


def _infos(answer: EngineAnswer) -> Iterator[tuple[OutputLine, list[str]]]:
    """Yield the ``info`` lines of a search, each with its words up to ``string``."""
    for line in answer.before:
        if isinstance(line.reply, InfoLine):
            yield line, line.text.partition(" string ")[0].split()[1:]


@in_game(
    501,
    "does not flood",
    MUST,
    "print `info` when something changes, a few lines a second: more than 8 MiB in one turn loses the game",
    needs=(201,),
)
async def no_flood(engine: Conversation) -> str | None:
    """Let the engine search for a second."""
    await engine.search(engine.book.start, engine.movetime(1000))
    return f"{counted(engine.turn_bytes, 'byte')} in a second"


@in_game(
    502,
    "prints in moderation",
    SHOULD,
    "do not print `info` lines of low depths: reading them costs time",
    needs=(501,),
)
async def moderation(engine: Conversation) -> str | None:
    """Let the engine search for a tenth of a second. It may print at most 1 MiB."""
    await engine.search(engine.book.start, engine.movetime(100))
    printed = engine.turn_bytes
    if printed > _MIB:
        raise Failure(f"printed {printed / _MIB:.1f} MiB in a tenth of a second")
    return counted(printed, "byte")


@in_game(
    503,
    "no line longer than 65536 bytes",
    MUST,
    "shorten long `pv` or `string` parts: the hub drops a longer line",
    needs=(201,),
)
async def short_lines(engine: Conversation) -> None:
    """Look at the lines of the handshake and of a search."""
    await engine.search(engine.book.start, engine.movetime(100))
    if engine.session.dropped:
        raise Failure(f"printed {counted(engine.session.dropped, 'line')} longer than 65536 bytes")


@in_game(
    504,
    "prints text",
    SHOULD,
    "print UTF-8 without control characters; anything else goes to standard error",
    needs=(201,),
)
async def prints_text(engine: Conversation) -> None:
    """Look for bytes that are not UTF-8, and for control characters other than a tab."""
    lines = list(engine.greeting)
    answer = await engine.search(engine.book.start)
    for line in (*lines, *answer.before, answer.line):
        try:
            text = line.raw.removesuffix(b"\r").decode()
        except UnicodeDecodeError:
            raise Failure(f"printed bytes that are not UTF-8: {line.raw[:60]!r}") from None
        if re.search(r"[\x00-\x08\x0a-\x1f\x7f]", text):
            raise Failure(f"printed control characters: {text[:60]!r}")


@in_game(
    505,
    "numbers in info are whole",
    SHOULD,
    "print depth, time (milliseconds), nodes and nps as whole numbers, without units or fractions",
    needs=(202,),
)
async def whole_numbers(engine: Conversation) -> str | None:
    """Look at the number after each keyword of ``info``."""
    count = 0
    for _, answer in await _searched(engine, "numbers"):
        for line, words in _infos(answer):
            count += 1
            head = words[: words.index("pv")] if "pv" in words else words
            for word, value in pairwise([*head, ""]):
                if word in _NUMBERS and not re.fullmatch(r"\d{1,15}", value):
                    raise Failure(f"printed {value!r} after {word}: {line.text[:100]!r}")
    return counted(count, "line")


@in_game(
    506,
    "scores can be read",
    SHOULD,
    "print `score cp N`, `score mate N` or `score wdl W D L` with whole numbers, from the engine's own side",
    needs=(202,),
)
async def scores(engine: Conversation) -> None:
    """Check that every ``score`` has one of the three forms."""
    for _, answer in await _searched(engine, "scores"):
        for line, words in _infos(answer):
            if "score" in words and not score_text(words):
                raise Failure(f"printed a score that cannot be read: {line.text[:100]!r}")


async def _last_pvs(engine: Conversation) -> list[tuple[ReachedPosition, EngineAnswer, OutputLine]]:
    """Return each of a few searches with its last line that has a ``pv``."""
    return [
        (spot, answer, lines[-1])
        for spot, answer in await _searched(engine, "pv")
        if (lines := [line for line, words in _infos(answer) if "pv" in words])
    ]


@in_game(
    507,
    "pv is a line of legal moves",
    SHOULD,
    "print only moves that can be played one after the other; end the `pv` before the first illegal move",
    needs=(202,),
)
async def principal_variation(engine: Conversation) -> None:
    """Play the moves of the last ``pv`` of each search."""
    for spot, _, line in await _last_pvs(engine):
        _play_out(engine.book, spot, line)


def _play_out(book: PositionBook, spot: ReachedPosition, line: OutputLine) -> None:
    current: ReachedPosition | None = spot
    for number, text in enumerate(parse_info(line.text).pv, 1):
        if current is None:
            raise Failure(f"continued its pv after the end of the game: {line.text[:100]!r}")
        reason = why_illegal(current.position, text)
        if reason:
            raise Failure(f"printed {text[:40]!r} as move {number} of its pv at {spot}: {reason}")
        current = book.play(current, text)


@in_game(
    508,
    "pv starts with the move",
    INFO,
    "start the last `pv` with the move of `bestmove`: viewers show it",
    needs=(507,),
)
async def pv_begins(engine: Conversation) -> None:
    """Compare the last ``pv`` of each search with the move."""
    for spot, answer, line in await _last_pvs(engine):
        pv = parse_info(line.text).pv
        if pv and pv[0] != answer.move:
            raise Failure(f"played {answer.move} at {spot}, but its last pv starts with {pv[0]}")


@in_game(
    509,
    "time in info is the time that passed",
    INFO,
    "print milliseconds since `go` after `time`",
    needs=(505,),
    alone=True,
)
async def honest_time(engine: Conversation) -> None:
    """Compare the last ``time`` of each search with the real time."""
    for spot, answer in await _searched(engine, "honest"):
        times = [parse_info(line.text).time for line, _ in _infos(answer)]
        reported = [time for time in times if time is not None]
        if reported and reported[-1] > answer.milliseconds + 20:
            raise Failure(
                f"reported {reported[-1]} ms, but {answer.milliseconds:.0f} ms had passed, at {spot}"
            )


@in_game(
    510,
    "prints only lines of the protocol",
    SHOULD,
    "print remarks as `info string …`, or to standard error",
    needs=(202,),
    explained_by=(117, 213),
)
async def known_words(engine: Conversation) -> None:
    """Check that every line starts with a known word: in the handshake, between moves and in a search."""
    lines = list(engine.greeting)
    for spot in await engine.spots("words", 2):
        await engine.drop_output()
        await engine.send_position(spot)
        lines += engine.unasked
        lines += (await engine.think(engine.clocks(1000))).before
    strays = [line.text for line in lines if isinstance(line.reply, Unknown)]
    strays = [text for text in strays if text.strip()]
    if strays:
        raise Failure(
            f"printed {counted(len(strays), 'line')} that are not in the protocol;"
            f" the first is {strays[0][:80]!r}"
        )


@in_game(
    511,
    "little on standard error",
    SHOULD,
    "write only important lines to standard error: arena keeps only the last 64 KiB",
    needs=(202,),
)
async def quiet_stderr(engine: Conversation) -> str | None:
    """Ask for a few moves. The engine may write at most 64 KiB to standard error."""
    for spot in await engine.spots("stderr", 5):
        await engine.move(spot)
    await engine.listen(0.05)
    if engine.stderr_bytes > 65_536:
        raise Failure(f"wrote {counted(engine.stderr_bytes, 'byte')} to standard error in six moves")
    return counted(engine.stderr_bytes, "byte")
