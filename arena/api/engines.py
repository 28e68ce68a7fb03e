"""Engines as callers name them: by a command, or by the keys of an engine in a tournament file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from arena.config.engine_keys import EngineTable
from arena.config.engines import engine_spec
from arena.config.validation import read_engine
from arena.errors import ArenaError, ConfigError
from protocol.keys import WrongKey
from protocol.process import sandbox
from protocol.spec import EngineSpec

__all__ = ["Engine", "find_engine"]

Engine: TypeAlias = str | Sequence[str] | Mapping[str, object]
"""An engine: a command as a text, a command as a list of words, or the keys of ``[[engines]]``."""


def find_engine(engine: Engine, name: str) -> tuple[EngineSpec, EngineTable]:
    """Check an engine, and find its program.

    Args:
        engine: the engine. Relative paths start in the current folder.
        name: its name if it has none.

    Returns:
        How to start it, and all its keys.

    Raises:
        ArenaError: a key or its value is wrong, or the program cannot be started.
    """
    keys: dict[str, object] = {"name": name}
    if isinstance(engine, Mapping):
        keys.update(engine)
    else:
        keys["command"] = engine if isinstance(engine, str) else list(engine)
    try:
        table = read_engine(keys, Path.cwd())
        spec = engine_spec(table, Path.cwd())
    except WrongKey as wrong:
        raise ConfigError(f"engine {keys['name']}: {'.'.join(wrong.names)}: {wrong}") from None
    except ValueError as error:
        raise ArenaError(str(error)) from None
    sandbox.check(spec)
    return spec, table
