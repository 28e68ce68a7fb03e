"""Checks of the start and the handshake (1xx)."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Final

from protocol.hub.ending import set_dialect
from protocol.process.machine import usable_cores
from protocol.spec import EngineSpec
from protocol.wire.codec import format_command
from protocol.wire.messages import Announce, BestMove, Hello, HelloOk, IsReady, Quit, ReadyOk, SetOption
from protocol.wire.options import AdvertisedOption, parse_option
from protocol.wire.session import CAPABILITIES
from protocol.words import counted, nearest
from referee.check.catalogue import MUST, SHOULD, EngineBody, check, greeted, in_game
from referee.check.conversation import (
    CheckContext,
    Conversation,
    EngineEnded,
    EngineUnderTest,
    Failure,
    NoAnswer,
    Skip,
)
from referee.match.pool import spoken_dialect

_SLOW = "; if the engine only needs longer to start, check it with --timeout 60"
_QUIET = 0.2  # seconds in which an engine must print no line of the protocol before it gets one
_START_SECONDS = 0.5  # time after which a program that cannot run has ended


_GREETING: Final = 1.0  # the most seconds to wait for the answer to a greeting in another dialect


@asynccontextmanager
async def _tries_dialects(subject: EngineUnderTest) -> AsyncIterator[None]:
    """After a failure, greet the engine in the other dialects; Failure if it answers in one of them."""
    try:
        yield
    except Failure:
        other = await spoken_dialect(subject.spec, min(subject.patience, _GREETING))
        if other is None:
            raise
        raise Failure(
            f"does not answer `{subject.spec.dialect}`, but it answers `{other}` with `{other}ok`: it speaks"
            f" {other.upper()}",
            set_dialect(other),
        ) from None


@check(
    101,
    "starts and waits",
    MUST,
    "read lines of standard input in a loop, and print nothing before the first one; if the program ended,"
    " the message on its standard error says why",
    needs=(),
    plain=True,
)
async def starts(context: CheckContext) -> str | None:
    """Start the engine. It must wait for input, and print no line of the protocol before it gets one."""
    async with _tries_dialects(context.subject), context.start(context.subject.spec) as engine:
        banner = [line.text for line in await engine.listen(_QUIET)]
        try:
            await engine.say(Hello())
            first = await engine.line(min(_START_SECONDS, engine.patience))
        except Failure as failure:
            raise EngineEnded(f"did not wait for input: {failure}") from None
        early = [text for text in banner if re.match(r"(ugiok|uciok|readyok|bestmove)\b", text)]
        if first is not None and re.match(r"(readyok|bestmove)\b", first.text):
            early.append(first.text)
        if early:
            raise Failure(f"printed {early[0][:60]!r} before the hub asked for it")
        return f"prints a banner of {counted(len(banner), 'line')}" if banner else None


@check(
    103,
    "answers the greeting",
    MUST,
    "answer the line `ugi` with id lines and then a line that is exactly `ugiok`, and flush after each; take"
    " off the end of a line before you compare it (Perl `chomp`)",
    needs=(101, 102),
    plain=True,
)
async def greets(context: CheckContext) -> str | None:
    """Greet the engine. It must print ``ugiok`` in time, alone on its line."""
    async with _tries_dialects(context.subject), context.start(context.subject.spec) as engine:
        try:
            await engine.greet()
        except NoAnswer as failure:
            raise Failure(f"{failure}{_SLOW}") from None
        return f"after {engine.greeting_ms} ms"


@check(
    104,
    "becomes ready",
    MUST,
    "answer `isready` with `readyok` when everything before it is done, also before the first game",
    needs=(103,),
    plain=True,
)
async def becomes_ready(context: CheckContext) -> None:
    """Wait for the first ``readyok``, and for the one after ``uginewgame``."""
    try:
        async with context.playing():
            pass
    except NoAnswer as failure:
        raise Failure(f"{failure}{_SLOW}") from None


@greeted(106, "says who it is", SHOULD, "print one `id name …` before `ugiok`, and at most one `id author …`")
async def identifies(engine: Conversation) -> str | None:
    """Look for one ``id name`` before ``ugiok``, and for at most one ``id author`` and ``id version``."""
    heads = [line.text.split()[:2] for line in engine.greeting]
    for key in ("name", "author", "version"):
        count = heads.count(["id", key])
        if count > 1 or (key == "name" and not count):
            raise Failure(f"printed {counted(count, 'line')} `id {key} …`")
    if not engine.session.identity.get("name"):
        raise Failure("printed `id name` without a name")
    return engine.session.identity["name"]


@greeted(
    107,
    "option lines can be read",
    MUST,
    "write `option name N type check|spin|combo|button|string …` as in UCI, with a default within the bounds",
)
async def options_readable(engine: Conversation) -> str | None:
    """Parse every ``option`` line. It needs a name, a type, and a default within the bounds."""
    for line in engine.greeting:
        words = line.text.split(None, 1)
        if words[:1] != ["option"]:
            continue
        try:
            option = parse_option(words[1] if len(words) > 1 else "")
            if option.kind in {"check", "spin", "combo"}:
                if option.default is None:
                    raise ValueError("there is no default")
                option.check(option.default)
        except ValueError as error:
            raise Failure(f"printed {line.text[:100]!r}: {error}") from None
    return counted(len(engine.session.options), "option")


@greeted(
    108,
    "no option twice",
    SHOULD,
    "advertise every option once; names that differ only in case are the same name",
)
async def options_once(engine: Conversation) -> None:
    """Look for two options with the same name, compared without case."""
    seen: set[str] = set()
    for line in engine.greeting:
        match = re.match(r"\s*option\s+name\s+(.+?)\s+type\s", line.text)
        name = match[1].lower() if match else ""
        if name and name in seen:
            raise Failure(f"advertised the option {name!r} twice")
        seen.add(name)


def _meant(word: str) -> str:
    """Return the capability that a word starts with, as ``legal_moves`` does, or resembles; "" for none."""
    first = re.split(r"[^a-z]", word)[0]
    return first if first in CAPABILITIES else nearest(word, CAPABILITIES)


@greeted(
    109,
    "announces itself properly",
    MUST,
    "print `protocol 1 <capabilities>` once, before `ugiok`, and never again",
)
async def announces(engine: Conversation) -> str | None:
    """Look for at most one ``protocol`` line, with a version and no misspelt capability, before ``ugiok``."""
    lines = [line for line in engine.greeting if line.text.split()[:1] == ["protocol"]]
    late = [line.text for line in await engine.listen(_QUIET) if line.text.startswith("protocol")]
    if late:
        raise Failure(f"printed {late[0][:60]!r} after its ok, which is too late: the engine has level 0")
    if not lines:
        return "announces nothing: level 0"
    if len(lines) > 1:
        raise Failure(f"printed {len(lines)} `protocol` lines")
    announced = lines[0].reply
    if not isinstance(announced, Announce) or announced.version < 1:
        raise Failure(f"printed {lines[0].text[:60]!r}, which has no version number")
    for word in announced.capabilities:
        if word not in CAPABILITIES and (capability := _meant(word.casefold())):
            raise Failure(
                f"announced `{word}`, which is no capability and has no effect",
                f"write `{capability}` instead of `{word}`",
            )
    unknown = set(announced.capabilities) - set(CAPABILITIES)
    return f"unknown capabilities are not used: {', '.join(sorted(unknown))}" if unknown else None


@greeted(
    110,
    "greets within a second",
    SHOULD,
    "load tables and neural networks after `ugiok`, before the first `readyok`, which may take a minute",
    alone=True,
)
async def greets_quickly(engine: Conversation) -> str | None:
    """Measure the time from ``ugi`` to ``ugiok``."""
    milliseconds = engine.greeting_ms
    if milliseconds - 1000 * engine.withheld() > 1000:
        raise Failure(f"took {milliseconds} ms from `ugi` to its ok")
    return f"{milliseconds} ms"


@greeted(
    111,
    "one readyok for each isready",
    MUST,
    "answer each `isready` once, also when several lines arrive in one read",
)
async def answers_each(engine: Conversation) -> None:
    """Send five ``isready`` together, and count the answers."""
    await engine.ready()
    await engine.send(*[format_command(IsReady())] * 5)
    for number in range(5):
        try:
            await engine.until(ReadyOk, "readyok", engine.patience)
        except NoAnswer:
            raise Failure(f"answered only {number} of five `isready` that came in one write") from None
    extra = [line.text for line in await engine.listen(_QUIET) if line.text == "readyok"]
    if extra:
        raise Failure(f"answered five `isready` with {5 + len(extra)} `readyok`")


@in_game(
    112,
    "greets only once",
    SHOULD,
    "say `ugiok` only in answer to `ugi`",
    needs=(201,),
)
async def no_second_ok(engine: Conversation) -> None:
    """Look for a second ``ugiok`` in the first game."""
    answer = await engine.search(engine.book.start)
    after = await engine.listen(_QUIET)
    if any(isinstance(line.reply, HelloOk) for line in (*answer.before, *after)):
        raise Failure("printed its ok again during a game")


FLUSH = (
    "flush after every line: Python print(…, flush=True); C setvbuf(stdout, NULL, _IOLBF, 0); C++ std::endl; "
    "Java, Kotlin System.out.flush(); C# Console.Out.Flush(); JavaScript process.stdout.write; Rust "
    "io::stdout().flush(); Go bufio.Writer.Flush(); Ruby $stdout.sync = true; Lua io.stdout:setvbuf('line'); "
    "PHP fflush(STDOUT); Perl $| = 1; OCaml print_endline; Haskell hSetBuffering stdout LineBuffering; awk "
    "fflush(); `arena docs check` says more"
)
_NEWLINE = "end every line with a newline (\\n), and flush it"
_READS_ALL = (
    "answer each line as soon as it comes: Perl while (my $line = <STDIN>), not for or a list; Python for"
    " line in sys.stdin, not read() or readlines(); if your engine does so, flush after every line"
)
_FILL = 1300  # number of answers to isready that overflow the buffers of common libraries (8 KiB)
_SPILL_SECONDS = 0.3  # time for the lines of a full buffer to arrive


@check(102, "flushes every line", MUST, FLUSH, needs=(101,))
async def flushes(context: CheckContext) -> None:
    """If a line does not come, find out whether it is in a buffer that the engine did not flush."""
    await _check_flushes(context, context.subject.spec)


async def _check_flushes(context: CheckContext, spec: EngineSpec) -> None:
    """Play up to the first move, and find out why an answer does not come. Skip: it fails otherwise."""
    async with context.start(spec) as engine:
        try:
            await engine.shake_hands()
            await engine.new_game()
            await engine.search(engine.book.start)
        except NoAnswer as missing:
            await _find_held_back(engine, missing)
        except Failure as failure:
            raise Skip(f"the problem is not a missing flush: {failure}") from None


async def _find_held_back(conversation: Conversation, missing: NoAnswer) -> None:
    """Raise Failure if the answer has no line end or is in a buffer, and Skip if it was not printed."""
    word, unfinished = missing.word, conversation.session.unfinished
    if unfinished.lstrip().startswith(word):
        raise Failure(
            f"has a MISSING NEWLINE: it printed {unfinished[:60]!r} without an end of line",
            _NEWLINE,
        )
    spilt, at_end = ([], False) if conversation.process.unread else await _spilt(conversation, word)
    joined = next((text for text in spilt if text.startswith(word) and "readyok" in text[len(word) :]), "")
    if joined:
        raise Failure(
            f"has a MISSING NEWLINE: another answer follows on the same line: {joined[:60]!r}", _NEWLINE
        )
    if at_end:
        raise Failure(
            f"printed `{word}` only after the end of its input, and not at `quit`: it seems to read all of"
            " its input before it answers",
            _READS_ALL,
        )
    if spilt:
        raise Failure(
            f"has a MISSING FLUSH: it printed `{word}`, but the line stayed in the engine's own buffer "
            "and came only when the buffer overflowed or the process ended"
        )
    unfinished = conversation.session.unfinished
    if unfinished.count(word) > 1:
        raise Failure(f"has a MISSING NEWLINE and a MISSING FLUSH: it printed {unfinished[:60]!r}", _NEWLINE)
    raise Skip(f"`{word}` did not come, and the engine itself did not hold it back in a buffer")


async def _spilt(conversation: Conversation, word: str) -> tuple[list[str], bool]:
    """Return the lines that come when the engine prints more or ends; none if the missing line stays missing.

    The second value is whether all of them came only after the end of the input.

    A line can be late without a buffer: the engine may be slow, ``quit`` may have ended a search, or the
    engine may have lost an ``isready``. A line from a buffer comes only with many others, and before the
    answers to the lines that this function sends.
    """
    ready = format_command(IsReady())
    try:
        await conversation.send(ready)
        lines = await conversation.listen(_SPILL_SECONDS)
        first = [line for line in lines if line.text.startswith(word)]
        if word == "readyok" and len(first) == 1:
            return [], False
        if first:  # a buffer comes in one piece; a slow engine writes its answer and the next one separately
            together = [line.text for line in lines if line.at == first[0].at]
            return (together if "readyok" in "".join(together).removeprefix(word) else []), False
        await conversation.send(*[ready] * _FILL)
        lines += await conversation.listen(_SPILL_SECONDS)
        await conversation.send(format_command(Quit()))
        lines += await conversation.listen(_SPILL_SECONDS)
    except Failure:
        lines = []  # the engine ended, which also empties its buffer
    running = not lines and not conversation.process.exit_text
    conversation.process.close_stdin()
    lines += await conversation.listen(_SPILL_SECONDS)
    texts = [line.text for line in lines]
    place = next((number for number, text in enumerate(texts) if text.startswith(word)), len(texts))
    return (texts, running) if any("readyok" in text for text in texts[place + 1 :]) else ([], False)


@check(
    105,
    "flushes without our help",
    SHOULD,
    f"arena sets PYTHONUNBUFFERED=1 for every engine, other hubs do not: {FLUSH}",
    needs=(201,),
)
async def flushes_unaided(context: CheckContext) -> None:
    """Do the same as check 102, but without the variable that hides this mistake in Python engines."""
    spec = context.subject.spec
    await _check_flushes(context, replace(spec, env={**spec.env, "PYTHONUNBUFFERED": ""}))


_LARGE = {"hash": 256, "memory": 256} | dict.fromkeys(("thread", "cpu"), len(usable_cores()))
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
                limits = [limit for word, limit in _LARGE.items() if word in option.name.lower()]
                largest = min([option.maximum, *limits])
                yield str(largest if option.minimum is None else max(largest, option.minimum))
    if option.default:
        yield option.default


@greeted(
    113,
    "accepts every option at its bounds",
    SHOULD,
    "accept the minimum, the maximum, the default and every `var` that the engine advertises",
    needs=(201,),
)
async def options_settable(engine: Conversation) -> str | None:
    """Set each value, and wait for ``readyok``. At the end, ask for a move."""
    options = [option for name, option in engine.session.options.items() if not name.startswith("ugi_")]
    if not options:
        raise Skip("it advertises no option")
    await engine.ready()
    for option in options:
        for value in _values(option):
            await _set_option(engine, option, value)
    await engine.new_game()
    await engine.move(engine.book.start)
    return counted(len(options), "option")


@check(
    114,
    "plays every game that it offers",
    SHOULD,
    "list in UGI_Game only games that the engine plays, by their ids in `arena games`",
)
async def games_settable(context: CheckContext) -> str | None:
    """Set each choice of ``UGI_Game`` in a process of its own, and wait for ``readyok``."""
    session = context.subject.session
    option = None if session is None else session.options.get("ugi_game")
    if option is None:
        raise Skip("it has no option UGI_Game")
    for game in option.choices:
        async with context.greeted() as engine:
            await _set_option(engine, option, game)
    return ", ".join(option.choices)


async def _set_option(engine: Conversation, option: AdvertisedOption, value: str | None) -> None:
    """Set an option and wait for ``readyok``. The Failure quotes the line."""
    message = SetOption(option.name, value)
    await engine.say(message)
    try:
        await engine.ready()
    except Failure as failure:
        raise Failure(f"{failure}, after `{format_command(message)}`") from None


def _ignores(*lines: str) -> EngineBody:
    """Return the body of a check: the engine must ignore lines without an answer, and then move."""

    async def body(engine: Conversation) -> None:
        await engine.drop_output()
        await engine.send(*lines)
        await engine.expect_silence("answered with")
        await engine.move(engine.book.start)

    return body


def _understands(odd: Callable[[str], str]) -> EngineBody:
    """Return the body of a check: the engine must answer ``isready`` and ``go`` in an odd form."""

    async def body(engine: Conversation) -> None:
        await engine.send_position(engine.book.start)
        await engine.drop_output()
        await engine.say(IsReady(), odd=odd)
        await engine.until(ReadyOk, "readyok", engine.patience)
        await engine.say(engine.clocks(1000), odd=odd)
        await engine.until(BestMove, "bestmove", 1 + engine.patience)

    return body


carriage_returns = in_game(
    115,
    "accepts CR LF",
    SHOULD,
    "drop a carriage return at the end of a line: users on Windows type it",
    announces=True,
    needs=(201,),
    explained_by=(118,),
)(_understands(lambda line: f"{line}\r"))

spaces = in_game(
    116,
    "accepts spaces before, between and after words",
    SHOULD,
    "split lines at white space instead of comparing them whole",
    announces=True,
    needs=(201,),
    explained_by=(118,),
)(_understands(lambda line: f"  {line.replace(' ', '   ')} "))

unknown_words = in_game(
    117,
    "ignores lines with an unknown first word",
    MUST,
    "ignore a line with an unknown first word, and print nothing: newer hubs may send it",
    announces=True,
    needs=(201,),
)(_ignores("tomorrow", "future 1 2 3", "go-faster now", "Position of the stars"))

unknown_trailers = in_game(
    118,
    "ignores unknown words at the end of a line",
    MUST,
    "read the words that you know and ignore the rest of the line: newer hubs may add some",
    announces=True,
    needs=(201,),
)(_understands(lambda line: f"{line} tomorrow 7"))

empty_lines = in_game(
    119,
    "ignores empty lines",
    SHOULD,
    "ignore a line without any word",
    announces=True,
    needs=(201,),
    explained_by=(117,),
)(_ignores("", "   ", ""))

long_line = in_game(
    120,
    "survives a line of 65536 bytes",
    MUST,
    "read lines of any length up to 65536 bytes: do not use a fixed buffer",
    announces=True,
    needs=(117, 201),
)(_ignores("tomorrow " + "x" * 65_526))
