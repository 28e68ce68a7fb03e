"""Finds the lines of an engine's standard error that say why it failed.

A crash report has the cause at its end in Python, at its beginning in most other languages, and in the middle
of a stack trace if one error caused another. A line counts as a message if it has a word such as "error", or
if a stack trace begins after it.
"""

from __future__ import annotations

import re

from protocol.printable import printable, shortened

__all__ = ["crash_text"]

_LINES, _LENGTH = 5, 400
"""The most lines of an excerpt, and about the most characters."""

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

_MEMORY_DUMP = "\nShadow bytes around"
"""Where a report of AddressSanitizer goes on with bytes of the memory."""


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
