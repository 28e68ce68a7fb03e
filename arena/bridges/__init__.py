"""Bridges: ``bridge:gtp OPTIONS -- BOT`` is an engine that plays for a bot with an interface of its own."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from arena import samples
from protocol.process.program import PYTHON, check_script, find_program
from protocol.words import did_you_mean

if TYPE_CHECKING:
    from protocol.spec import EngineSpec

PREFIX: Final = "bridge:"  # before the kind, at the start of a command
KINDS: Final = ("gtp", "lines", "class", "http", "tcp")

_START: Final = (PYTHON, "-P", "-m", "arena.bridges.kinds")


def expanded(command: tuple[str, ...]) -> tuple[str, ...]:
    """Replace the name of a bridge or a sample engine at the start of a command by what starts it.

    ValueError: nothing has this name, or an option of the bridge is wrong.
    """
    if not command or not command[0].startswith(PREFIX):
        return samples.expanded(command)
    kind, *words = command[0].removeprefix(PREFIX), *command[1:]
    if " " in kind:
        raise ValueError(f"the whole command is in quotes; take them away: {command[0][:200]}")
    if kind not in KINDS:
        advice = did_you_mean(kind, KINDS) or f"; use {', '.join(KINDS)}"
        raise ValueError(f"there is no bridge {kind!a}{advice}")
    if kind == "class":  # the module becomes a word of its own, which the sandbox and the workers look for
        if not words or words[0].startswith("-"):
            raise ValueError("bridge:class: write the file and the class before the options: bot.py:Bot")
        words = [*re.split(r"(?<=[\w}]):(?=\w+(?:\(.*\))?$)", words[0]), *words[1:]]
    bot_of(command := (*_START, kind, *words))
    return command


def bot_of(command: Sequence[str]) -> list[str]:
    """Return the command of the bot in an expanded command, or its file; [] without. ValueError as above."""
    if tuple(command[1:4]) != _START[1:]:
        return []
    from arena.bridges.kinds import BRIDGES  # argparse and the rules take time to import

    given = BRIDGES[command[4]].read(command[5:])
    if given.bot or "make" not in given:
        return list(given.bot)
    file = [given.where] if given.where.endswith(".py") else []
    return [given.python or PYTHON, *file] if given.python or file else []


def startable(bot: Sequence[str], cwd: str | None, path: str | None = None) -> tuple[str, ...]:
    """Return the words that start a bot, or raise EngineStartError if a file is missing or cannot be run."""
    words = tuple(sys.executable if word == PYTHON else word for word in bot)
    check_script(words, cwd)
    return (find_program(words, cwd, path), *words[1:])


def check(spec: EngineSpec) -> None:
    """Check that this machine can start an engine, and the bot behind a bridge, or raise EngineStartError."""
    from protocol.process import sandbox  # as above

    sandbox.check(spec)
    if bot := bot_of(spec.command):
        startable(bot, spec.cwd, spec.env.get("PATH"))
