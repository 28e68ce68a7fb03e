"""Checks of lines that stay in the engine's buffer (102 and 105)."""

from __future__ import annotations

from protocol.wire.codec import format_command
from protocol.wire.messages import IsReady, Quit
from referee.check.catalogue import check
from referee.check.check_context import CheckContext
from referee.check.conversation import Conversation
from referee.check.failures import Failure, NoAnswer, Skip
from referee.check.game_dialogue import GameDialogue
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
_READS_ALL = (
    "answer each line as soon as it comes: Perl while (my $line = <STDIN>), not for or a list; Python for"
    " line in sys.stdin, not read() or readlines(); if your engine does so, flush after every line"
)
_FILL = 1300  # number of answers to isready that overflow the buffers of common libraries (8 KiB)
_SPILL_SECONDS = 0.3  # time for the lines of a full buffer to arrive


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
    found = next((number for number, text in enumerate(texts) if text.startswith(word)), len(texts))
    return (texts, running) if any("readyok" in text for text in texts[found + 1 :]) else ([], False)


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
