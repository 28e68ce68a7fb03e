"""Checks of the start and the handshake (1xx)."""

from __future__ import annotations

import re

from protocol.hub.client import misspelt_capabilities
from protocol.plurals import counted
from protocol.wire.codec import format_command, parse_reply
from protocol.wire.messages import Announce, Hello, HelloOk, IsReady, ReadyOk
from protocol.wire.options import parse_option
from protocol.wire.session import CAPABILITIES
from referee.check.catalogue import check
from referee.check.check_context import CheckContext
from referee.check.failures import Failure, NoAnswer
from referee.check.game_dialogue import GameDialogue
from referee.check.remedies import explaining, speaks_another_dialect
from referee.check.report import Severity

__all__: list[str] = []

MUST, SHOULD = Severity.MUST, Severity.SHOULD
_SLOW = "; if the engine only needs longer to start, check it with --patient"
_QUIET = 0.2  # seconds in which an engine must print no line of the protocol before it gets one
_START_SECONDS = 0.5  # time after which a program that cannot run has ended


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
        raise Failure(f"{failure}{'' if failure.misspelt else _SLOW}") from None


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
        raise Failure(f"{failure}{'' if failure.misspelt else _SLOW}") from None


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
                raise Failure(f"answered only {number} of five `isready` that came in one write") from None
        extra = [line.text for line in await dialogue.conversation.listen(_QUIET) if line.text == "readyok"]
        if extra:
            raise Failure(f"answered five `isready` with {5 + len(extra)} `readyok`")
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
