"""The keys of ``[[engines]]`` and ``[defaults]``: those of `EngineSettings`, and these."""

from dataclasses import dataclass, field
from typing import Annotated

from arena.config.key_types import (
    Command,
    Control,
    EngineName,
    ExistingFolder,
    ExistingPaths,
    GameIds,
    Options,
    ShellCommands,
    Text,
    Variables,
)
from protocol.keys import Key
from protocol.spec import EngineSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineKeys(EngineSettings):
    """The keys of ``[defaults]``. ``[[engines]]`` has them, too, and those of `EngineTable`."""

    cwd: Annotated[
        ExistingFolder | None,
        Key(
            "The folder in which the engine is started, unless it has a sandbox. `{cwd}` in `command` stands"
            " for it.",
            default="the file's folder",
            elsewhere=("dir",),
        ),
    ] = None
    env: Annotated[Variables, Key("Environment variables, added to those of `arena`.")] = field(
        default_factory=dict
    )
    options: Annotated[
        Options,
        Key(
            "Values of options, by name. An option that the engine does not advertise, or a value that it"
            " does not take, is an error before the first game. See [Options](#options)."
        ),
    ] = field(default_factory=dict)
    time_control: Annotated[
        Control | None,
        Key(
            "The engine's own time control. In `[defaults]` it is the time control of the tournament, as at"
            " the top of the file. Set it in only one of these two places.",
            default="the file's",
            elsewhere=("tc",),
        ),
    ] = None
    readable: Annotated[
        ExistingPaths, Key('Files and folders that an engine in the sandbox `"bwrap"` may also read.')
    ] = ()
    games: Annotated[
        GameIds | None, Key("Which of the tournament's games the engine enters.", default="all of them")
    ] = None
    version: Annotated[
        Text, Key("The engine's version, stored with its games.", default="the version that it reports")
    ] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineTable(EngineKeys):
    """``[[engines]]``: one engine."""

    name: Annotated[
        EngineName,
        Key(
            "The engine's name in tables, of at most 200 characters. Two engines must not have the same name,"
            " and a name has no `|`."
        ),
    ]
    command: Annotated[
        Command,
        Key(
            "Program and arguments: a text, which is split as a shell would split it (no shell runs), or a"
            " list of texts. A program with a `/` is a path. Any other program is looked up on `PATH`."
            " `{python}` is the interpreter that runs `arena`.",
            elsewhere=("cmd",),
        ),
    ]
    build: Annotated[
        ShellCommands,
        Key(
            "Shell commands that make the program from its sources. They run in `cwd`, which must be set."
            " See [Building engines](#building-engines).",
            default="nothing is built",
        ),
    ] = ()
