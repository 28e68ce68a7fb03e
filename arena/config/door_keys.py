"""The keys of ``[door]``: who may hand in engines while the tournament runs, and what these may use."""

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import urlsplit

from pydantic import AfterValidator

from arena.config.key_types import FilePath, Text, Texts
from protocol.keys import Between, DocumentedValue, Key, KeyTable, did_you_mean
from protocol.spec import ResourceLimits

__all__ = ["LANGUAGE_IDS", "BuildKeys", "DoorKeys"]

LANGUAGE_IDS: Final = ("python", "c", "cpp", "rust", "go", "js", "java", "kotlin", "lua", "ocaml")
"""The languages in which `arena new-engine` writes engines."""

_GIB: Final = 1 << 30
_MIB: Final = 1 << 20
_SIZE: Final = Between(1000, 1 << 40, "bytes")
_PLAYING: Final = ResourceLimits(memory=_GIB, processes=64)


def _deadline(text: str) -> str:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        raise ValueError('must be a date and a time, e.g. "2026-12-18 23:59"') from None
    return text


def _languages(names: tuple[str, ...]) -> tuple[str, ...]:
    for name in names:
        if name not in LANGUAGE_IDS:
            hint = did_you_mean(name, LANGUAGE_IDS) or f"; the languages are {', '.join(LANGUAGE_IDS)}"
            raise ValueError(f"has {name!r}, which is no language{hint}")
    return names


def _url(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/") or parts.query:
        raise ValueError('must be an address without a path, e.g. "https://arena.example.org"')
    return text.rstrip("/")


Url = Annotated[Text, AfterValidator(_url), DocumentedValue("text")]
Deadline = Annotated[Text, AfterValidator(_deadline), DocumentedValue("date and time as text")]
Languages = Annotated[Texts, AfterValidator(_languages)]


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildKeys(KeyTable):
    """``[door.building]``."""

    seconds: Annotated[
        int, Between(1, 3600, "seconds"), Key("How long a build may take; it is killed afterwards.")
    ] = 120
    memory: Annotated[int, _SIZE, Key("Private writable memory of each process of a build.")] = 2 * _GIB
    processes: Annotated[int, Between(1, 10_000), Key("Processes and threads of a build together.")] = 200
    disk: Annotated[
        int, _SIZE, Key("What a build may write, its result included. It is written in memory.")
    ] = 512 * _MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class DoorKeys(KeyTable):
    """``[door]``."""

    url: Annotated[
        Url,
        Key(
            "The address under which participants reach the server. Links begin with this address, and the"
            " server answers requests for its host. A proxy in front of the server must forward the"
            " header `Host` unchanged."
        ),
    ] = "http://127.0.0.1:8321"
    folder: Annotated[FilePath | None, Key("Where submissions are stored.", default='`"door"`')] = None
    most_a_day: Annotated[
        int,
        Between(1, 1000),
        Key(
            "How many submissions a participant may hand in within 24 hours. A participant may also try"
            " failed checks and turns of games again, this many times within 24 hours."
        ),
    ] = 20
    deadline: Annotated[
        Deadline | None,
        Key(
            'Until when submissions are taken, e.g. `"2026-12-18 23:59"`, in the time of the machine. The'
            " tournament goes on after this time.",
            default="none",
        ),
    ] = None
    languages: Annotated[
        Languages,
        Key("The languages that are allowed, as in `arena new-engine --lang`.", default="all of them"),
    ] = LANGUAGE_IDS
    upload: Annotated[
        int,
        Between(1000, 1 << 30, "bytes"),
        Key("The largest upload. Its unpacked files may be ten times as large together."),
    ] = 5 * _MIB
    disk: Annotated[int, _SIZE, Key("What the submissions of all participants may take together.")] = 2 * _GIB
    games: Annotated[
        int,
        Between(1, 20),
        Key("How many games a submission must play to the end against the first engine of the file."),
    ] = 3
    building: Annotated[
        BuildKeys, Key("What a build may use, see [Building](#building).", default="see there")
    ] = field(default_factory=BuildKeys)
    playing: Annotated[
        ResourceLimits,
        Key(
            "What an engine from the door may use, as [limits](#limits) of an engine.",
            default="`memory = 1073741824`, `processes = 64`",
        ),
    ] = field(default_factory=lambda: _PLAYING)

    def place(self, file: Path) -> Path:
        """The door's folder.

        Args:
            file: the path of the tournament file.
        """
        return self.folder or file.parent / "door"
