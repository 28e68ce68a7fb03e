"""The engines that came in through the door: the tournament plays them as if they stood in its file.

The worker of the door writes them to a file of its own, whole or not at all, so the organiser's file is never
changed by a program.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from arena.config.toml_file import TomlFile
from arena.errors import ConfigError

__all__ = ["DOOR_ENGINES", "door_engines_file", "with_door_engines"]

DOOR_ENGINES: Final = "engines.json"
"""The name of the file in the door's folder: a JSON list of tables with the keys of ``[[engines]]``."""


def door_engines_file(file: TomlFile) -> Path | None:
    """Return the path of the file with the door's engines; None if the tournament has no door."""
    door = file.data.get("door")
    if not isinstance(door, Mapping):
        return None
    folder = door.get("folder", "door")
    return file.folder / Path(folder).expanduser() / DOOR_ENGINES if isinstance(folder, str) else None


def with_door_engines(file: TomlFile) -> TomlFile:
    """Return a tournament file with the engines of its door after its own ones.

    An engine of the file keeps its name: one of the door with the same name is left out.

    Raises:
        ConfigError: the door's file cannot be read.
    """
    path = door_engines_file(file)
    own = file.data.get("engines", [])
    if path is None or not path.exists() or not isinstance(own, list):
        return file
    try:
        engines: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: {error}; `arena door run` writes it again") from error
    taken = {engine.get("name") for engine in own if isinstance(engine, Mapping)}
    added = [engine for engine in engines if engine["name"] not in taken]
    return replace(file, data={**file.data, "engines": [*own, *added]})
