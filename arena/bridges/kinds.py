"""The kinds of bridges, and the program that is one of them: an engine that asks a bot for moves."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from types import TracebackType
from typing import Final

from arena.bridges.bot import BotFailed
from arena.bridges.bridge import Bridge
from arena.bridges.lines import Gtp, Lines
from arena.bridges.python_class import PythonClass
from arena.bridges.servers import Http, Tcp
from protocol.engine import run

BRIDGES: Final[dict[str, type[Bridge]]] = {
    bridge.kind: bridge for bridge in (Gtp, Lines, PythonClass, Http, Tcp)
}


def _tell(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print why the bot failed, in one line: the hub quotes standard error, which the bot uses, too."""
    if isinstance(error, BotFailed):
        sys.stderr.write(f"bridge: {error}\n")
    else:
        sys.__excepthook__(kind, error, trace)


_IN_ANOTHER_PYTHON: Final = """
import sys
sys.path.pop(0)
import runpy
from importlib.machinery import PathFinder
paths, names = sys.argv.pop(1).split(":"), ("arena", "protocol", "referee", "chess")
class OfArena:
    def find_spec(name, path=None, target=None):
        return PathFinder.find_spec(name, path or paths) if name.split(".")[0] in names else None
if sys.version_info < (3, 11):
    sys.exit("bridge: --python is Python %d.%d; a class needs 3.11 or later" % sys.version_info[:2])
sys.meta_path.append(OfArena)
runpy.run_module("arena.bridges.kinds", run_name="__bridge__", alter_sys=True)
"""
"""Runs a bridge in an interpreter without arena; only packages of arena come from arena's folders."""


def _start(kind: str, words: Sequence[str], *, in_another: bool) -> None:
    """Play for a bot; one with an interpreter of its own goes on in that."""
    given = BRIDGES[kind].read(words)
    python = getattr(given, "python", "")
    if python and not in_another:
        os.execv(python, [python, "-c", _IN_ANOTHER_PYTHON, ":".join(sys.path), kind, *words])  # noqa: S606 - as a shell's exec
    engine = BRIDGES[kind](given)
    run(engine)
    engine.close()


if __name__ in ("__main__", "__bridge__"):
    sys.excepthook = _tell
    _start(sys.argv[1], sys.argv[2:], in_another=__name__ == "__bridge__")
