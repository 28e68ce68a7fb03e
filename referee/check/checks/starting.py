"""Starting and the handshake (1xx)."""

from __future__ import annotations

import re

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
from referee.check.report import Severity

__all__: list[str] = []

MUST, SHOULD = Severity.MUST, Severity.SHOULD

FLUSH = (
    "flush after every line: Python print(…, flush=True); C setvbuf(stdout, NULL, _IOLBF, 0) or "
    "fflush(stdout); C++ std::endl; Java System.out.flush(); JavaScript process.stdout.write; Rust "
    "io::stdout().flush(); Go bufio.Writer.Flush(); Perl $| = 1; awk fflush()"
)
_QUIET = 0.2  # seconds in which an engine that was told nothing must say nothing
_BEGUN = 3.0  # seconds in which a program that cannot run has given up
_FILL = 1300  # answers to isready that overflow the buffers of common libraries (8 KiB)
_SPILL = 0.5  # seconds for what was held back to come out


@check(
    101,
    "starts and waits",
    MUST,
    "run the command by hand: it must wait for input; read the message on standard error",
    needs=(),
)
async def starts(bench: CheckContext) -> str | None:
    """The process lives until it is spoken to, and does not talk the protocol before."""
    async with bench.start() as talk:
        banner = [line.text for line in await talk.listen(_QUIET)]
        try:
            await talk.send(format_command(Hello(), bench.subject.spec.dialect))
            first = await talk.line(min(_BEGUN, bench.subject.patience.answer))
        except Failure as failure:
            raise Failure(f"did not wait for input: {failure}") from None
        early = [text for text in banner if re.match(r"(ugiok|uciok|readyok|bestmove)\b", text)]
        if first is not None and re.match(r"(readyok|bestmove)\b", first.text):
            early.append(first.text)
        if early:
            raise Failure(f"said {early[0][:60]!r} before it was asked")
        return f"prints a banner of {counted(len(banner), 'line')}" if banner else None


@check(102, "flushes every line", MUST, FLUSH, needs=(101,))
async def flushes(bench: CheckContext) -> str | None:
    """What does not come, was it printed and held back?"""
    async with bench.start() as talk:
        player = GameDialogue(talk, bench.subject.spec.dialect, bench.subject.patience)
        await _find_held_back(bench, player)
        return None


async def _find_held_back(bench: CheckContext, player: GameDialogue) -> None:
    """Raise a `Failure` if a word is missing and comes out when the engine's buffer overflows or it ends."""
    try:
        word = await bench.silence(player)
    except Failure as other:
        raise Skip(f"nothing to do with flushing: {other}") from None
    if not word:
        return
    if await _spills(player.talk, word):
        raise Failure(
            f"has a MISSING FLUSH: it printed `{word}`, but the line stayed in a buffer of its own "
            "and came out only when that overflowed or the process ended"
        )
    raise Skip(f"it did not say `{word}`, and did not hold it back either")


async def _spills(talk: Conversation, word: str) -> bool:
    """Whether a line that was missed had been printed, and comes out when more is printed or at the end.

    Not every late line was held back: a search may end with ``quit``, an ``isready`` may have been lost. What
    waited in a buffer comes out in its place, before the answers to what is asked now.
    """
    ready = format_command(IsReady())
    try:
        await talk.send(ready)
        heard = await _words(talk)
        if word == "readyok" and heard.count(word) == 1:
            return False
        await talk.send(*[ready] * _FILL)
        heard += await _words(talk)
        await talk.send(format_command(Quit()))
    except Failure:
        heard = []  # it ended: what it held back comes out then, too
    talk.process.close_stdin()
    heard += await _words(talk)
    return word in heard and "readyok" in heard[heard.index(word) + 1 :]


async def _words(talk: Conversation) -> list[str]:
    """The first words of the lines that come now."""
    return [line.text.split()[0] for line in await talk.listen(_SPILL) if line.text.strip()]


@check(
    103,
    "answers the greeting",
    MUST,
    "answer the line `ugi` with id lines and then a line that is exactly `ugiok`, and flush after each",
    needs=(101, 102),
)
async def greets(bench: CheckContext) -> str | None:
    """``ugiok`` comes in time, alone on its line."""
    async with bench.start() as talk:
        player = GameDialogue(talk, bench.subject.spec.dialect, bench.subject.patience)
        try:
            await player.greet()
        except NoAnswer as silence:
            near = [line.text for line in player.greeting.lines if silence.word in line.text.lower()]
            if near:
                raise Failure(
                    f"said {near[0][:60]!r} instead of a line that is exactly {silence.word}"
                ) from None
            if not player.greeting.lines and talk.process.unread == 0:
                raise Failure(f"{silence}; it read its input, so a missing flush is likely") from None
            raise
        return f"after {player.greeting.milliseconds} ms"


@check(
    104,
    "becomes ready",
    MUST,
    "answer `isready` with `readyok` once all that came before it is done, and before any game, too",
    needs=(103,),
)
async def becomes_ready(bench: CheckContext) -> str | None:
    """The first ``readyok``, and the one after ``uginewgame``."""
    async with bench.greeted() as player:
        await player.new_game()
        return None


@check(
    105,
    "flushes without our help",
    SHOULD,
    f"we set PYTHONUNBUFFERED=1 for every engine, others do not: {FLUSH}",
)
async def flushes_unaided(bench: CheckContext) -> str | None:
    """As 102, but without the variable that hides the mistake in Python engines."""
    async with bench.start(PYTHONUNBUFFERED="") as talk:
        player = GameDialogue(talk, bench.subject.spec.dialect, bench.subject.patience)
        await _find_held_back(bench, player)
        return None


@check(106, "says who it is", SHOULD, "print one `id name …` before `ugiok`, and at most one `id author …`")
async def identifies(bench: CheckContext) -> str | None:
    """``id name`` once before the ok, ``id author`` and ``id version`` at most once."""
    async with bench.greeted() as player:
        heads = [line.text.split()[:2] for line in player.greeting.lines]
        for key in ("name", "author", "version"):
            count = heads.count(["id", key])
            if count > 1 or (key == "name" and not count):
                raise Failure(f"printed {counted(count, 'line')} `id {key} …`")
        if not player.greeting.identity.get("name"):
            raise Failure("printed `id name` without a name")
        return player.greeting.identity["name"]


@check(
    107,
    "option lines can be read",
    MUST,
    "write `option name N type check|spin|combo|button|string …` as in UCI, with a default within the bounds",
)
async def options_readable(bench: CheckContext) -> str | None:
    """Every ``option`` line has a name and a type, and a default that its own bounds allow."""
    async with bench.greeted() as player:
        for line in player.greeting.lines:
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
                raise Failure(f"{line.text[:100]!r}: {error}") from None
        return counted(len(player.greeting.options), "option")


@check(108, "no option twice", SHOULD, "advertise every option once; names are compared without case")
async def options_once(bench: CheckContext) -> str | None:
    """No two options whose names differ at most in case."""
    async with bench.greeted() as player:
        seen: set[str] = set()
        for line in player.greeting.lines:
            found = re.match(r"\s*option\s+name\s+(.+?)\s+type\s", line.text)
            name = found[1].lower() if found else ""
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
async def announces(bench: CheckContext) -> str | None:
    """At most one ``protocol`` line, with a version, and before the ok."""
    async with bench.greeted() as player:
        dialect = bench.subject.spec.dialect
        lines = [line.text for line in player.greeting.lines if line.text.split()[:1] == ["protocol"]]
        late = [line.text for line in await player.talk.listen(_QUIET) if line.text.startswith("protocol")]
        if late:
            raise Failure(f"said {late[0][:60]!r} after its ok: too late, it is treated as level 0")
        if not lines:
            return "announces nothing: level 0"
        if len(lines) > 1:
            raise Failure(f"announced itself {len(lines)} times")
        announced = parse_reply(lines[0], dialect)
        if not isinstance(announced, Announce) or announced.version < 1:
            raise Failure(f"{lines[0][:60]!r} has no version number")
        unknown = set(announced.capabilities) - {*CAPABILITIES, "ponder"}
        return f"unknown capabilities are not used: {', '.join(sorted(unknown))}" if unknown else None


@check(
    110,
    "greets within a second",
    SHOULD,
    "load tables and nets after `ugiok`, before the first `readyok`: that one may take a minute",
    alone=True,
)
async def greets_quickly(bench: CheckContext) -> str | None:
    """Nothing heavy happens before the ok."""
    async with bench.greeted() as player:
        if player.greeting.milliseconds > 1000:
            raise Failure(f"took {player.greeting.milliseconds} ms from `ugi` to its ok")
        return f"{player.greeting.milliseconds} ms"


@check(
    111,
    "one readyok for each isready",
    MUST,
    "answer each `isready` once, also when several lines arrive in one read",
)
async def answers_each(bench: CheckContext) -> str | None:
    """Five at once are answered by five."""
    async with bench.greeted() as player:
        await player.ready()
        await player.talk.send(*[format_command(IsReady())] * 5)
        for number in range(5):
            try:
                await player.talk.until(ReadyOk, "readyok", bench.subject.patience.answer)
            except NoAnswer:
                raise Failure(
                    f"five `isready` in one write were answered {counted(number, 'time')}"
                ) from None
        extra = [line.text for line in await player.talk.listen(_QUIET) if line.text == "readyok"]
        if extra:
            raise Failure(f"five `isready` were answered {5 + len(extra)} times")
        return None


@check(
    112,
    "greets once, and only then",
    SHOULD,
    "say `ugiok` only in answer to `ugi`",
    needs=(201,),
)
async def no_second_ok(bench: CheckContext) -> str | None:
    """No second ok comes in the first game."""
    async with bench.playing() as player:
        dialect = bench.subject.spec.dialect
        await player.show(bench.book.start)
        answer = await player.think(player.clocks(1000))
        after = await player.talk.listen(_QUIET)
        if any(isinstance(parse_reply(line.text, dialect), HelloOk) for line in (*answer.before, *after)):
            raise Failure("said its ok again during a game")
        return None
