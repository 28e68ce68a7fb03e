"""Checks of the start and the handshake (1xx)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from difflib import get_close_matches
from typing import Final

import trio

from protocol.hub.ending import set_dialect
from protocol.process.machine import usable_cores
from protocol.spec import EngineSpec
from protocol.wire.codec import LINE_DIALECTS, Dialect, format_command
from protocol.wire.messages import Announce, BestMove, Hello, HelloOk, IsReady, Quit, ReadyOk, SetOption
from protocol.wire.options import AdvertisedOption, parse_option
from protocol.wire.session import CAPABILITIES
from protocol.words import counted
from referee.check.catalogue import MUST, SHOULD, CheckContext, check
from referee.check.conversation import Conversation, EngineEnded, Failure, NoAnswer, Skip

_SLOW = "; if the engine only needs longer to start, check it with --timeout 60"
_QUIET = 0.2  # seconds in which an engine must print no line of the protocol before it gets one
_START_SECONDS = 0.5  # time after which a program that cannot run has ended


_GREETING: Final = 1.0  # the most seconds to wait for the answer to a greeting in another dialect


async def speaks_another_dialect(context: CheckContext) -> Failure | None:
    """After a missing ``ugiok``, and after an early end, greet the engine in the other dialects."""
    dialect = context.subject.spec.dialect
    answered: list[Dialect] = []
    async with trio.open_nursery() as nursery:
        for other in LINE_DIALECTS:
            if other != dialect:
                nursery.start_soon(_greet, context, other, answered)
    for other in answered:
        return Failure(
            f"does not answer `{dialect}`, but it answers `{other}` with `{other}ok`: it speaks"
            f" {other.upper()}",
            set_dialect(other),
        )
    return None


async def _greet(context: CheckContext, dialect: Dialect, answered: list[Dialect]) -> None:
    """Greet a new process of the engine in a dialect, and add the dialect to ``answered`` if it answers."""
    with suppress(Failure):
        async with context.start(replace(context.subject.spec, dialect=dialect)) as dialogue:
            with trio.move_on_after(min(context.subject.patience, _GREETING)):
                await dialogue.greet()
                answered.append(dialect)


@check(
    101,
    "starts and waits",
    MUST,
    "read lines of standard input in a loop, and print nothing before the first one; if the program ended,"
    " the message on its standard error says why",
    needs=(),
    plain=True,
    explain=speaks_another_dialect,
)
async def starts(context: CheckContext) -> str | None:
    """Start the engine. It must wait for input, and print no line of the protocol before it gets one."""
    async with context.start(context.subject.spec) as dialogue:
        banner = [line.text for line in await dialogue.listen(_QUIET)]
        try:
            await dialogue.say(Hello())
            first = await dialogue.line(min(_START_SECONDS, context.subject.patience))
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
    explain=speaks_another_dialect,
)
async def greets(context: CheckContext) -> str | None:
    """Greet the engine. It must print ``ugiok`` in time, alone on its line."""
    try:
        async with context.start(context.subject.spec) as dialogue:
            await dialogue.greet()
            return f"after {dialogue.greeting_ms} ms"
    except NoAnswer as failure:
        raise Failure(f"{failure}{_SLOW}") from None


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
        async with context.greeted() as dialogue:
            await dialogue.new_game()
    except NoAnswer as failure:
        raise Failure(f"{failure}{_SLOW}") from None


@check(106, "says who it is", SHOULD, "print one `id name …` before `ugiok`, and at most one `id author …`")
async def identifies(context: CheckContext) -> str | None:
    """Look for one ``id name`` before ``ugiok``, and for at most one ``id author`` and ``id version``."""
    async with context.greeted() as dialogue:
        heads = [line.text.split()[:2] for line in dialogue.greeting]
        for key in ("name", "author", "version"):
            count = heads.count(["id", key])
            if count > 1 or (key == "name" and not count):
                raise Failure(f"printed {counted(count, 'line')} `id {key} …`")
        if not dialogue.session.identity.get("name"):
            raise Failure("printed `id name` without a name")
        return dialogue.session.identity["name"]


@check(
    107,
    "option lines can be read",
    MUST,
    "write `option name N type check|spin|combo|button|string …` as in UCI, with a default within the bounds",
)
async def options_readable(context: CheckContext) -> str | None:
    """Parse every ``option`` line. It needs a name, a type, and a default within the bounds."""
    async with context.greeted() as dialogue:
        for line in dialogue.greeting:
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
        return counted(len(dialogue.session.options), "option")


@check(
    108,
    "no option twice",
    SHOULD,
    "advertise every option once; names that differ only in case are the same name",
)
async def options_once(context: CheckContext) -> None:
    """Look for two options with the same name, compared without case."""
    async with context.greeted() as dialogue:
        seen: set[str] = set()
        for line in dialogue.greeting:
            match = re.match(r"\s*option\s+name\s+(.+?)\s+type\s", line.text)
            name = match[1].lower() if match else ""
            if name and name in seen:
                raise Failure(f"advertised the option {name!r} twice")
            seen.add(name)


_SIMILAR_WORD = 0.75  # the least similarity of a misspelt word, as `difflib` measures it


def _meant(word: str) -> str:
    """Return the capability that a word begins with, as ``legal_moves`` does, or resembles; "" for none."""
    first = re.split(r"[^a-z]", word)[0]
    if first in CAPABILITIES:
        return first
    return next(iter(get_close_matches(word, CAPABILITIES, 1, _SIMILAR_WORD)), "")


@check(
    109,
    "announces itself properly",
    MUST,
    "print `protocol 1 <capabilities>` once, before `ugiok`, and never again",
)
async def announces(context: CheckContext) -> str | None:
    """Look for at most one ``protocol`` line, with a version and no misspelt capability, before ``ugiok``."""
    async with context.greeted() as dialogue:
        lines = [line for line in dialogue.greeting if line.text.split()[:1] == ["protocol"]]
        late = [line.text for line in await dialogue.listen(_QUIET) if line.text.startswith("protocol")]
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
        unknown = set(announced.capabilities) - {*CAPABILITIES, "ponder"}
        return f"unknown capabilities are not used: {', '.join(sorted(unknown))}" if unknown else None


@check(
    110,
    "greets within a second",
    SHOULD,
    "load tables and neural networks after `ugiok`, before the first `readyok`, which may take a minute",
    alone=True,
)
async def greets_quickly(context: CheckContext) -> str | None:
    """Measure the time from ``ugi`` to ``ugiok``."""
    async with context.greeted() as dialogue:
        milliseconds = dialogue.greeting_ms
        if milliseconds - 1000 * dialogue.withheld() > 1000:
            raise Failure(f"took {milliseconds} ms from `ugi` to its ok")
        return f"{milliseconds} ms"


@check(
    111,
    "one readyok for each isready",
    MUST,
    "answer each `isready` once, also when several lines arrive in one read",
)
async def answers_each(context: CheckContext) -> None:
    """Send five ``isready`` together, and count the answers."""
    async with context.greeted() as dialogue:
        await dialogue.ready()
        await dialogue.send(*[format_command(IsReady())] * 5)
        for number in range(5):
            try:
                await dialogue.until(ReadyOk, "readyok", context.subject.patience)
            except NoAnswer:
                raise Failure(f"answered only {number} of five `isready` that came in one write") from None
        extra = [line.text for line in await dialogue.listen(_QUIET) if line.text == "readyok"]
        if extra:
            raise Failure(f"answered five `isready` with {5 + len(extra)} `readyok`")


@check(
    112,
    "greets only once",
    SHOULD,
    "say `ugiok` only in answer to `ugi`",
    needs=(201,),
)
async def no_second_ok(context: CheckContext) -> None:
    """Look for a second ``ugiok`` in the first game."""
    async with context.playing() as dialogue:
        answer = await dialogue.search(context.book.start)
        after = await dialogue.listen(_QUIET)
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
    async with context.start(spec) as dialogue:
        try:
            await context.shake_hands(dialogue)
            await dialogue.new_game()
            await dialogue.search(context.book.start)
        except NoAnswer as missing:
            await _find_held_back(dialogue, missing)
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
    raise Skip(f"`{word}` did not come, and it was not in a buffer of the engine")


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
        options = [option for name, option in dialogue.session.options.items() if not name.startswith("ugi_")]
        if not options:
            raise Skip("it advertises no option")
        await dialogue.ready()
        for option in options:
            for value in _values(option):
                await dialogue.say(SetOption(option.name, value))
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
    session = context.subject.session
    option = None if session is None else session.options.get("ugi_game")
    if option is None:
        raise Skip("it has no option UGI_Game")
    for game in option.choices:
        async with context.greeted() as dialogue:
            await dialogue.say(SetOption(option.name, game))
            try:
                await dialogue.ready()
            except Failure as failure:
                raise Failure(f"{failure}, after `setoption name {option.name} value {game}`") from None
    return ", ".join(option.choices)


async def _check_ignored(context: CheckContext, *lines: str) -> None:
    """Send lines that the engine must ignore without an answer, and then ask for a move."""
    async with context.playing() as dialogue:
        await dialogue.drop_output()
        await dialogue.send(*lines)
        await dialogue.expect_silence("answered with")
        await dialogue.move(dialogue.book.start)


@check(
    115,
    "accepts CR LF",
    SHOULD,
    "drop a carriage return at the end of a line: users on Windows type it",
    announces=True,
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
        await dialogue.drop_output()
        await dialogue.say(IsReady(), odd=odd)
        await dialogue.until(ReadyOk, "readyok", context.subject.patience)
        await dialogue.say(dialogue.clocks(1000), odd=odd)
        await dialogue.until(BestMove, "bestmove", 1 + context.subject.patience)


@check(
    116,
    "accepts spaces before, between and after words",
    SHOULD,
    "split lines at white space instead of comparing them whole",
    announces=True,
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
    announces=True,
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
    announces=True,
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
    announces=True,
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
    announces=True,
    needs=(104, 117, 201),
)
async def long_line(context: CheckContext) -> None:
    """Send the longest line that the protocol allows, with an unknown first word."""
    await _check_ignored(context, "tomorrow " + "x" * 65_526)
