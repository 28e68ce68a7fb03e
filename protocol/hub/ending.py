"""How an engine ends: the steps that end it, how it exited, and its last lines, for error messages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from signal import SIGKILL, SIGTERM
from textwrap import shorten

import trio
import trio.lowlevel

from protocol.hub.transport import Transport
from protocol.wire.session import MAX_LINE
from protocol.words import printable, shortened

_TERMINATE_SECONDS = 1.0  # how long an engine may take to end after SIGTERM, before it is killed
_REAPED_SECONDS = (
    10.0  # how long to wait for the exit of a killed process before `Transport.dispose`, which blocks
)
_EXIT_SECONDS = 0.5  # how long to wait for the exit status of an engine that closed its output
_ROUNDS = 3  # rounds of trio's loop to wait, so that `Transport.drain_stderr` reads the last lines


async def end(transport: Transport, quit_line: bytes, seconds: float) -> None:
    """End an engine with ``quit``, after ``seconds`` with SIGTERM, then with SIGKILL, even if cancelled."""
    with trio.CancelScope(shield=True):
        try:
            transport.write_now(quit_line)
        except BrokenPipeError:
            pass
        transport.close_stdin()
        if not await ended_within(transport, seconds):
            transport.signal_group(SIGTERM)
            await ended_within(transport, _TERMINATE_SECONDS)
        await kill(transport)


async def kill(transport: Transport) -> None:
    """Kill the process group, wait for the exit, which can take a while, and free the resources."""
    with trio.CancelScope(shield=True):
        transport.signal_group(SIGKILL)
        await ended_within(transport, _REAPED_SECONDS)
        transport.dispose()


async def ended_within(transport: Transport, seconds: float) -> bool:
    """Return whether the process ends in time. Discard its output, so that no full pipe blocks it."""

    async def discard_output() -> None:
        while await transport.read():
            pass

    with trio.move_on_after(seconds):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(discard_output)
            await transport.wait_exit()
            nursery.cancel_scope.cancel()
        return True
    return False


async def exit_status(transport: Transport) -> str:
    """Return the exit status, in words, after the rest of standard error; "" if the engine still runs."""
    with trio.move_on_after(_EXIT_SECONDS):
        await transport.wait_exit()
    for _ in range(_ROUNDS):
        await trio.lowlevel.checkpoint()
    return transport.exit_text


# --- its last lines --------------------------------------------------------------------------------------

ASKED = {
    "ugiok": "ugi",
    "uciok": "uci",
    "uaiok": "uai",
    "readyok": "isready",
    "bestmove": "go",
    "feature": "protover 2",
    "pong": "ping",
    "move": "go",
}
"""The line, or its first word, that asks for each answer."""

XBOARD_ANSWERS = {"xboardok": "feature", "readyok": "pong", "bestmove": "move"}
"""The answer of CECP that replaces each answer of UGI."""

_WITH_WORDS = ("bestmove", "feature", "pong", "move")  # the answers that are not alone on their lines
_REPLIES = ("ugiok", "readyok", "bestmove", "info", "id", "option", "protocol", "response")

_UNFINISHED_LENGTH = 60  # the most characters of a quoted line
_SENT_LINES, _SENT_LENGTH = 3, 40
"""The number of sent lines that an error message quotes, and the most characters of each."""

_QUOTED_LINES = 3
_SIMILAR, _SHORTEST = 0.6, 3
"""The least similarity of two words, as `difflib` measures it, and the fewest letters of a compared word."""


def left_behind(unfinished: str, stderr: str = "", *, dropped: bool = False) -> str:
    """Quote an unfinished last line and the cause in standard error, and say that a long line was dropped."""
    hint = f"; it printed a line longer than {MAX_LINE:,} bytes, which does not count" if dropped else ""
    hint += f"; it printed {_quoted(unfinished)} without a newline" if unfinished else ""
    cause = crash_text(stderr)
    return hint + (f"; its standard error says: {cause}" if cause else "")


def last_sent(data: bytes) -> str:
    """Quote the last lines that were sent, shortened: an engine that ended was probably working on them."""
    lines = data.decode(errors="replace").splitlines()[-_SENT_LINES:]
    return ", ".join(f"'{shorten(line, _SENT_LENGTH, placeholder=' ...')}'" for line in lines)


def said_instead(expected: str, lines: Sequence[str]) -> str:
    """Quote what an engine said instead of an answer that begins with ``expected``; "" without lines."""
    lines = [line for line in lines if line.strip()]
    for line in reversed(lines):
        word, *rest = line.split(None, 1)
        if word == expected == "move" and len(line.split()) > 2:
            return f"; it said {_quoted(line)}, but the word move must have one move after it"
        if word == expected and (expected in _WITH_WORDS or not rest):
            return f"; it said {_quoted(line)} before '{ASKED[expected]}', which is too early"
        if word == expected:
            return f"; it said {_quoted(line)}, but {expected} must be alone on its line"
        if not word.startswith(expected) and re.search(rf"(?<![a-z]){expected}\b", line):
            return f"; it said {_quoted(line)}, but the line must begin with {expected}"
        if nearest(word, _REPLIES) == expected or nearest(word, (expected,)):
            return f"; it said {_quoted(line)} instead of {expected}"
    if not lines:
        return ""
    similar = nearest(lines[-1].split()[0], _REPLIES)
    hint = f" (the nearest word of the protocol is {similar})" if similar else ""
    if expected == "ugiok" and not similar:
        hint = f"; if it speaks UCI, {set_dialect('uci')}"
    return f"; it did not say {expected}, but {_excerpt(lines)}{hint}"


def set_dialect(dialect: str) -> str:
    """Return how users set the dialect of an engine."""
    return f'set dialect = "{dialect}" in a file, --dialect {dialect} in a command'


def said_before_its_end(lines: Sequence[str]) -> str:
    """Quote lines that are no answers: some languages print their errors to standard output."""
    lines = [line for line in lines if line.strip()]
    return f"; it had said {_excerpt(lines)}" if lines else ""


def nearest(word: str, known: Sequence[str]) -> str:
    """Return the known word that is most similar to ``word``; "" if none is similar enough."""
    letters = re.sub(r"[^a-z]", "", word[:_UNFINISHED_LENGTH].casefold())
    if len(letters) < _SHORTEST:
        return ""
    ratios = {other: SequenceMatcher(None, letters, other).ratio() for other in known}
    best = max(ratios, key=ratios.__getitem__)
    return best if ratios[best] >= _SIMILAR else ""


def _quoted(line: str) -> str:
    return repr(line.strip()[:_UNFINISHED_LENGTH])


def _excerpt(lines: Sequence[str]) -> str:
    if len(lines) <= _QUOTED_LINES:
        return ", ".join(map(_quoted, lines))
    return repr(printable(crash_text("\n".join(lines))))


_LINES, _LENGTH = 5, 400  # the most lines of an excerpt, and about the most characters
_HEAD, _TAIL, _WIDTH = 20, 100, 500
"""How many lines at the beginning and at the end are looked at, and how many characters of each."""

_FRAME = re.compile(
    r"""\s+ (?: (?:at|from|in)\s | \#\d+\s | \d+:\s | /\S+:\d+ | \(\w+\ " | invoked\ from | thrown\ in\ )
    | \s+\S.*\ called\ at\x20
    | \#\d+\ | Raised\ | Called\ | Re-raised\ | \s*File\ " | \s*\.\.\.\ \d+\ more""",
    re.VERBOSE,
)
"""Matches a line of a stack trace."""

_MESSAGE = re.compile(
    r"error|exception|panic|fatal|fail|abort|assert|uncaught|unhandled|caused by|terminate called|what\(\):"
    r"|overflow|corrupt|double free|cannot|can't|could not|no such|not found|denied|invalid|illegal|out of "
    r"|\bat \S+ line \d+",
    re.IGNORECASE,
)
"""Matches a line that says what went wrong."""

_NOISE = re.compile(
    r"""[\s~^=-]*$ | (?:stack\ )?(?:traceback|backtrace|trace)\b .* : | CallStack\b | goroutine\ \d
    | \s+while\ executing
    | \s*\[C\]:\ in\ \? | \#\d+\ \{main\} | Node\.js\ v\d | note:\  | exit\ status\ \d""",
    re.IGNORECASE | re.VERBOSE,
)
"""Matches a line that helps nobody, such as the heading of a stack trace."""

_MEMORY_DUMP = "\nShadow bytes around"  # where a report of AddressSanitizer goes on with bytes of the memory


def crash_text(stderr: str) -> str:
    """Return the most important lines, with ``|`` between neighbours and ``…`` where lines are left out.

    These are the last messages, then the lines around the last message, the last line and the first line.
    """
    lines = stderr.partition(_MEMORY_DUMP)[0].splitlines()
    if len(lines) > _HEAD + _TAIL:
        lines = lines[:_HEAD] + lines[-_TAIL:]  # all 64 KiB would take longer than the loop may wait
    lines = [shortened(line, _WIDTH) for line in lines if not _NOISE.match(line[:_WIDTH])]
    chosen: list[int] = []
    length = 0
    for index in dict.fromkeys(_by_importance(lines)):
        size = min(len(lines[index].strip()), _LENGTH // 2)
        if len(chosen) < _LINES and (not chosen or length + size <= _LENGTH):
            chosen.append(index)
            length += size
    chosen.sort()
    excerpt = ""
    for before, index in zip([None, *chosen], chosen, strict=False):
        gap = "" if before is None else " | " if index == before + 1 else " … "
        excerpt += gap + shortened(lines[index].strip(), _LENGTH // 2)
    return printable(excerpt)


def _by_importance(lines: list[str]) -> list[int]:
    """Return indices of lines, the most important one first; some of them twice."""
    if not lines:
        return []
    frames = [_FRAME.match(line) is not None for line in lines]
    messages = [index for index in range(len(lines)) if _is_message(lines, frames, index)]
    last = len(lines) - 1
    cause = messages[-1] if messages else last
    if cause == last:
        return [*messages[:-3:-1], *range(last, max(last - 4, -1), -1), 0]
    return [*messages[:-3:-1], cause + 1, last, 0, *range(cause - 1, max(cause - 3, -1), -1)]


def _is_message(lines: list[str], frames: list[bool], index: int) -> bool:
    if frames[index]:
        return False
    line = lines[index]
    before_trace = index + 1 < len(lines) and frames[index + 1] and not (index and frames[index - 1])
    return bool(_MESSAGE.search(line)) or (before_trace and not line[0].isspace())
