"""The keys of the door in a tournament file, and the names in the door's folder."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator

from arena.address import web_origin
from arena.config.key_types import Text, Texts
from arena.config.toml_file import TomlFile
from arena.engine_templates import LANGUAGES
from arena.errors import ConfigError
from protocol.keys import Between, DocumentedValue, Key, KeyTable
from protocol.spec import ResourceLimits
from protocol.words import did_you_mean

DOOR: Final = "door"
"""The name of the door's folder, next to the tournament file."""

DOOR_ENGINES: Final = "engines.json"
"""The name of a file in this folder: a JSON list of tables with the keys of ``[[engines]]``."""

REMOTE: Final = "remote:"
"""Before the name of a participant: the command of a bot that stays on the machine of its author."""

DOOR_SOCKET: Final = "remote.socket"
"""The name of the Unix socket in this folder by which referees reach remote bots."""

DOOR_LOST: Final = 10
"""The usual value of `log_lost` with a door: more than the lost games on the page of a participant."""

_PLAYING: Final = ResourceLimits(memory=1 << 30, processes=64)


def _deadline(text: str) -> str:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        raise ValueError('must be a date, or a date and a time, e.g. "2026-12-18 23:59"') from None
    try:
        return f"{date.fromisoformat(text)} 23:59:59"
    except ValueError:  # it has a time
        return text


def _languages(names: tuple[str, ...]) -> tuple[str, ...]:
    if not names:
        raise ValueError("must name a language; without this key, any language is allowed")
    for name in names:
        if name not in LANGUAGES:
            hint = did_you_mean(name, LANGUAGES) or f"; the languages are {', '.join(LANGUAGES)}"
            raise ValueError(f"has {name!r}, which is no language{hint}")
    return names


Url = Annotated[Text, AfterValidator(web_origin), DocumentedValue("text")]
Deadline = Annotated[Text, AfterValidator(_deadline), DocumentedValue("date and time as text")]
Languages = Annotated[Texts, AfterValidator(_languages)]


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildKeys(KeyTable):
    """``[door.building]``."""

    seconds: Annotated[
        int, Between(1, 3600, "seconds"), Key("How long a build may take; it is killed afterwards.")
    ] = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteKeys(KeyTable):
    """``[door.remote]``."""

    lag: Annotated[
        int,
        Between(0, 10_000, "milliseconds"),
        Key("The most lag of its connection that a bot gets back in each move. It is measured in each move."),
    ] = 500
    grace: Annotated[
        int,
        Between(1, 3600, "seconds"),
        Key(
            "How long the connection of a bot may be gone in one game, all breaks together. Its clock stops"
            " meanwhile. After this time it loses the game as `gone`."
        ),
    ] = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class DoorKeys(KeyTable):
    """``[door]``."""

    url: Annotated[
        Url,
        Key(
            "The address under which participants reach the server, with which links start. A proxy in front"
            " of the server must forward the header `Host` unchanged."
        ),
    ] = "http://127.0.0.1:8321"
    bots: Annotated[
        Literal["uploaded", "remote", "both"],
        Key(
            'What participants bring. `"uploaded"`: files for bots that play here. `"remote"`: bots that'
            ' play from their own machines, with a separate rating list. `"both"`: both, in one table and in'
            " the usual rating list."
        ),
    ] = "uploaded"
    most_a_day: Annotated[
        int,
        Between(1, 1000),
        Key(
            "How many submissions a participant may hand in within 24 hours, and how often a participant may"
            " ask for games."
        ),
    ] = 20
    deadline: Annotated[
        Deadline | None,
        Key(
            'Until when submissions are taken, e.g. `"2026-12-18 23:59"`, in the time of the machine;'
            " without a time it is the end of the day. The tournament continues after it.",
        ),
    ] = None
    languages: Annotated[
        Languages | None,
        Key(
            "The languages that are allowed, as in `arena new-engine --lang`. An"
            " [`engine.toml`](#enginetoml) must then name one of them.",
            default="any language",
        ),
    ] = None
    upload: Annotated[
        int,
        Between(1000, 1 << 30, "bytes"),
        Key("The largest upload. Its unpacked files may be ten times as large together."),
    ] = 5 << 20
    remote: Annotated[
        RemoteKeys,
        Key("The connections of bots on other machines, see [Remote bots](#remote-bots)."),
    ] = field(default_factory=RemoteKeys)
    building: Annotated[BuildKeys, Key("What a build may use, see [Building](#building).")] = field(
        default_factory=BuildKeys
    )
    playing: Annotated[
        ResourceLimits,
        Key(
            "What an engine from the door may use, as [limits](#limits) of an engine.",
            default="`memory = 1073741824`, `processes = 64`",
        ),
    ] = field(default_factory=lambda: _PLAYING)

    @property
    def passed(self) -> str:
        """A sentence if the deadline has passed, else ""."""
        moment = None if self.deadline is None else datetime.fromisoformat(self.deadline)
        if moment is None or datetime.now(moment.tzinfo) <= moment:
            return ""
        return f"the deadline has passed: {self.deadline}"


def with_door_engines(file: TomlFile) -> TomlFile:
    """Return a tournament file with the engines of its door after its own ones.

    An engine of the file keeps its name: one of the door with the same name is left out.
    """
    path = file.folder / DOOR / DOOR_ENGINES
    tables = file.data.get("engines", [])
    if "door" not in file.data or not path.exists() or not isinstance(tables, list):
        return file
    try:
        engines: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: {error}; `arena door run` writes it again") from error
    taken = {engine.get("name") for engine in tables if isinstance(engine, Mapping)}
    added = [engine for engine in engines if engine["name"] not in taken]
    return replace(file, data={**file.data, "engines": [*tables, *added]})
