"""Checks of the start and the handshake (1xx)."""

from __future__ import annotations

import re

from protocol.hub.capability_words import misspelt_capabilities
from protocol.plurals import counted
from protocol.wire.codec import format_command, parse_reply
from protocol.wire.messages import Announce, Hello, HelloOk, IsReady, Quit, ReadyOk
from protocol.wire.options import parse_option
from protocol.wire.session import CAPABILITIES
from referee.check.catalogue import check
from referee.check.check_context import CheckContext
from referee.check.conversation import Conversation
from referee.check.failures import Failure, NoAnswer, Skip
from referee.check.game_dialogue import GameDialogue
from referee.check.remedies import explaining, speaks_another_dialect
from referee.check.report import Severity

__all__: list[str] = []

MUST, SHOULD = Severity.MUST, Severity.SHOULD

FLUSH = (
    "flush after every line: Python print(…, flush=True); C setvbuf(stdout, NULL, _IOLBF, 0); C++ std::endl; "
    "Java, Kotlin System.out.flush(); C# Console.Out.Flush(); JavaScript process.stdout.write; Rust "
    "io::stdout().flush(); Go bufio.Writer.Flush(); Ruby $stdout.sync = true; Lua io.stdout:setvbuf('line'); "
    "PHP fflush(STDOUT); Perl $| = 1; OCaml print_endline; Haskell hSetBuffering stdout LineBuffering; awk "
    "fflush(); more in docs/reference/check.md"
)
_NEWLINE = "end every line with a newline (\\n), and flush it"
_SLOW = "; if the engine only needs longer to start, check it with --patient"
_READS_ALL = (
    "answer each line as soon as it comes: Perl while (my $line = <STDIN>), not for or a list; Python for"
    " line in sys.stdin, not read() or readlines(); if your engine does so, flush after every line"
)
_QUIET = 0.2  # seconds in which an engine must print no line of the protocol before it gets one
_START_SECONDS = 0.5  # time after which a program that cannot run has ended
_FILL = 1300  # number of answers to isready that overflow the buffers of common libraries (8 KiB)
_SPILL_SECONDS = 0.3  # time for the lines of a full buffer to arrive


@check(
    101,
    "starts and waits",
    MUST,
    "run the command by hand: it must wait for input; read the message on standard error",
    needs=(),
)
@explaining(speaks_another_dialect)
async def starts(context: CheckContext) -> str | None:
    """Start the engine. It must wait for input, and print no line of the protocol before it gets one."""
    async with context.start() as conversation:
        banner = [line.text for line in await conversation.listen(_QUIET)]
        try:
            await conversation.send(format_command(Hello(), context.subject.spec.dialect))
            first = await conversation.line(min(_START_SECONDS, context.subject.patience.answer))
        except Failure as failure:
            raise Failure(f"did not wait for input: {failure}") from None
        early = [text for text in banner if re.match(r"(ugiok|uciok|readyok|bestmove)\b", text)]
        if first is not None and re.match(r"(readyok|bestmove)\b", first.text):
            early.append(first.text)
        if early:
            raise Failure(f"printed {early[0][:60]!r} before the hub asked for it")
        return f"prints a banner of {counted(len(banner), 'line')}" if banner else None


@check(102, "flushes every line", MUST, FLUSH, needs=(101,))
async def flushes(context: CheckContext) -> str | None:
    """If a line does not come, find out whether it is in a buffer that the engine did not flush."""
    async with context.start() as conversation:
        dialogue = GameDialogue(conversation, context.subject.spec.dialect, context.subject.patience)
        missing = await _missing(context, dialogue)
        if missing is not None:
            context.subject.missing, context.subject.missing_evidence = missing, context.evidence()
            await _find_held_back(conversation, missing)
        return None


async def _missing(context: CheckContext, dialogue: GameDialogue) -> NoAnswer | None:
    """Return the failure of the first missing answer; None if all come.

    Raises:
        Skip: the engine fails for another reason.
    """
    try:
        return await context.missing_answer(dialogue)
    except Failure as failure:
        raise Skip(f"the problem is not a missing flush: {failure}") from None


async def _find_held_back(conversation: Conversation, missing: NoAnswer) -> None:
    """Find out why an answer did not come.

    Raises:
        Failure: the line has no end, or it comes when the buffer overflows or the engine ends.
        Skip: the engine did not print it.
    """
    word = missing.word
    if conversation.unfinished.lstrip().startswith(word):
        raise Failure(
            f"has a MISSING NEWLINE: it printed {conversation.unfinished[:60]!r} without an end of line",
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
    if conversation.unfinished.count(word) > 1:
        raise Failure(
            f"has a MISSING NEWLINE and a MISSING FLUSH: it printed {conversation.unfinished[:60]!r}",
            _NEWLINE,
        )
    raise Skip(f"`{word}` did not come, and it was not in a buffer of the engine")


async def _spilt(conversation: Conversation, word: str) -> tuple[list[str], bool]:
    """Return the lines that come when the engine prints more or ends; none if the missing line stays missing.

    The second value is whether all of them came only after the end of the input.

    A line can be late without a buffer: the engine may be slow, ``quit`` may have ended a search, or it may
    have lost an ``isready``. A line from a buffer comes only with many others, and before the answers to the
    lines that this function sends.
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
    found = next((number for number, text in enumerate(texts) if text.startswith(word)), len(texts))
    return (texts, running) if any("readyok" in text for text in texts[found + 1 :]) else ([], False)


@check(
    103,
    "answers the greeting",
    MUST,
    "answer the line `ugi` with id lines and then a line that is exactly `ugiok`, and flush after each; take"
    " off the end of a line before you compare it (Perl `chomp`)",
    needs=(101, 102),
    plain=True,
)
@explaining(speaks_another_dialect)
async def greets(context: CheckContext) -> str | None:
    """Greet the engine. It must print ``ugiok`` in time, alone on its line."""
    try:
        context.expect_no_miss("ugiok", "uciok")
        async with context.start() as conversation:
            dialogue = GameDialogue(conversation, context.subject.spec.dialect, context.subject.patience)
            await dialogue.greet()
            return f"after {dialogue.greeting.milliseconds} ms"
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
async def becomes_ready(context: CheckContext) -> str | None:
    """Wait for the first ``readyok``, and for the one after ``uginewgame``."""
    try:
        context.expect_no_miss("readyok")
        async with context.greeted() as dialogue:
            await dialogue.new_game()
            return None
    except NoAnswer as failure:
        raise Failure(f"{failure}{_SLOW}") from None


@check(
    105,
    "flushes without our help",
    SHOULD,
    f"arena sets PYTHONUNBUFFERED=1 for every engine, other hubs do not: {FLUSH}",
    needs=(201,),
)
async def flushes_unaided(context: CheckContext) -> str | None:
    """Do the same as check 102, but without the variable that hides this mistake in Python engines."""
    async with context.start(PYTHONUNBUFFERED="") as conversation:
        dialogue = GameDialogue(conversation, context.subject.spec.dialect, context.subject.patience)
        missing = await _missing(context, dialogue)
        if missing is not None:
            await _find_held_back(conversation, missing)
        return None


@check(106, "says who it is", SHOULD, "print one `id name …` before `ugiok`, and at most one `id author …`")
async def identifies(context: CheckContext) -> str | None:
    """Look for one ``id name`` before ``ugiok``, and for at most one ``id author`` and ``id version``."""
    async with context.greeted() as dialogue:
        heads = [line.text.split()[:2] for line in dialogue.greeting.lines]
        for key in ("name", "author", "version"):
            count = heads.count(["id", key])
            if count > 1 or (key == "name" and not count):
                raise Failure(f"printed {counted(count, 'line')} `id {key} …`")
        if not dialogue.greeting.identity.get("name"):
            raise Failure("printed `id name` without a name")
        return dialogue.greeting.identity["name"]


@check(
    107,
    "option lines can be read",
    MUST,
    "write `option name N type check|spin|combo|button|string …` as in UCI, with a default within the bounds",
)
async def options_readable(context: CheckContext) -> str | None:
    """Parse every ``option`` line. It needs a name, a type, and a default within the bounds."""
    async with context.greeted() as dialogue:
        for line in dialogue.greeting.lines:
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
        return counted(len(dialogue.greeting.options), "option")


@check(
    108,
    "no option twice",
    SHOULD,
    "advertise every option once; names that differ only in case are the same name",
)
async def options_once(context: CheckContext) -> str | None:
    """Look for two options with the same name, compared without case."""
    async with context.greeted() as dialogue:
        seen: set[str] = set()
        for line in dialogue.greeting.lines:
            match = re.match(r"\s*option\s+name\s+(.+?)\s+type\s", line.text)
            name = match[1].lower() if match else ""
            if name and name in seen:
                raise Failure(f"advertised the option {name!r} twice")
            seen.add(name)
        return None


@check(
    109,
    "announces itself properly",
    MUST,
    "print `protocol 1 <capabilities>` once, before `ugiok`, and never again",
)
async def announces(context: CheckContext) -> str | None:
    """Look for at most one ``protocol`` line, with a version and no misspelt capability, before ``ugiok``."""
    async with context.greeted() as dialogue:
        dialect = context.subject.spec.dialect
        lines = [line.text for line in dialogue.greeting.lines if line.text.split()[:1] == ["protocol"]]
        late = [
            line.text
            for line in await dialogue.conversation.listen(_QUIET)
            if line.text.startswith("protocol")
        ]
        if late:
            raise Failure(f"printed {late[0][:60]!r} after its ok, which is too late: the engine has level 0")
        if not lines:
            return "announces nothing: level 0"
        if len(lines) > 1:
            raise Failure(f"printed {len(lines)} `protocol` lines")
        announced = parse_reply(lines[0], dialect)
        if not isinstance(announced, Announce) or announced.version < 1:
            raise Failure(f"printed {lines[0][:60]!r}, which has no version number")
        misspelt = misspelt_capabilities(announced.capabilities)
        if misspelt:
            word, capability = next(iter(misspelt.items()))
            raise Failure(
                f"announced `{word}`, which is no capability, so it gets nothing for it",
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
        milliseconds = dialogue.greeting.milliseconds
        if milliseconds - 1000 * dialogue.conversation.withheld() > 1000:
            raise Failure(f"took {milliseconds} ms from `ugi` to its ok")
        return f"{milliseconds} ms"


@check(
    111,
    "one readyok for each isready",
    MUST,
    "answer each `isready` once, also when several lines arrive in one read",
)
async def answers_each(context: CheckContext) -> str | None:
    """Send five ``isready`` at once, and count the answers."""
    async with context.greeted() as dialogue:
        await dialogue.ready()
        await dialogue.conversation.send(*[format_command(IsReady())] * 5)
        for number in range(5):
            try:
                await dialogue.conversation.until(ReadyOk, "readyok", context.subject.patience.answer)
            except NoAnswer:
                raise Failure(f"answered {number} of five `isready` in one write") from None
        extra = [line.text for line in await dialogue.conversation.listen(_QUIET) if line.text == "readyok"]
        if extra:
            raise Failure(f"answered five `isready` {5 + len(extra)} times")
        return None


@check(
    112,
    "greets only once",
    SHOULD,
    "say `ugiok` only in answer to `ugi`",
    needs=(201,),
)
async def no_second_ok(context: CheckContext) -> str | None:
    """Look for a second ``ugiok`` in the first game."""
    async with context.playing() as dialogue:
        dialect = context.subject.spec.dialect
        await dialogue.send_position(context.book.start)
        answer = await dialogue.think(dialogue.clocks(1000))
        after = await dialogue.conversation.listen(_QUIET)
        if any(isinstance(parse_reply(line.text, dialect), HelloOk) for line in (*answer.before, *after)):
            raise Failure("printed its ok again during a game")
        return None
