"""The keys of ``[[engines]]`` and ``[defaults]``.

In `protocol.spec`, `Timeouts` and `ResourceLimits` have the fields of `TimeoutKeys` and `LimitKeys`, and
`EngineSpec` has most of the other fields. The defaults of the keys come from the classes of `protocol.spec`.
"""

from dataclasses import dataclass, field
from typing import Annotated, Final

from arena.config.key import Key, KeyTable
from arena.config.key_types import (
    MILLISECONDS,
    SECONDS,
    Command,
    Control,
    EngineName,
    ExistingFolder,
    ExistingPaths,
    GameIds,
    Options,
    OrUnlimited,
    ShellCommands,
    Text,
    Variables,
)
from protocol.spec import (
    MAX_BYTES,
    MAX_CPU_SECONDS,
    MAX_PROCESSES,
    EngineSpec,
    PositionForm,
    ResourceLimits,
    Sandbox,
    Sync,
    Timeouts,
)
from protocol.wire.codec import Dialect

__all__ = ["EngineKeys", "EngineTable", "LimitKeys", "TimeoutKeys"]

_ENGINE: Final = EngineSpec("engine", ("program",))
_TIMEOUTS: Final = Timeouts()
_LIMITS: Final = ResourceLimits()

_BYTES: Final = OrUnlimited(1, MAX_BYTES, "bytes")
_CORE: Final = OrUnlimited(0, MAX_BYTES, "bytes")
_PROCESSES: Final = OrUnlimited(1, MAX_PROCESSES)
_CPU: Final = OrUnlimited(1, MAX_CPU_SECONDS, "seconds")


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeoutKeys(KeyTable):
    """``timeouts`` of an engine: the fields of `Timeouts`."""

    handshake: Annotated[float, SECONDS, Key("Until `ugiok`.")] = _TIMEOUTS.handshake
    first_ready: Annotated[float, SECONDS, Key("Until the first `readyok`.")] = _TIMEOUTS.first_ready
    new_game: Annotated[float, SECONDS, Key("Until the `readyok` of a new game.")] = _TIMEOUTS.new_game
    ready: Annotated[float, SECONDS, Key("Until any other `readyok`.")] = _TIMEOUTS.ready
    write: Annotated[float, SECONDS, Key("Until the engine has read the lines sent to it.")] = _TIMEOUTS.write
    drain: Annotated[float, SECONDS, Key("Until `bestmove`, after a loss on time.")] = _TIMEOUTS.drain
    quit: Annotated[
        float, SECONDS, Key("From `quit` until the process has ended. After this time it gets SIGTERM.")
    ] = _TIMEOUTS.quit
    terminate: Annotated[
        float, SECONDS, Key("From SIGTERM until the process has ended. After this time it is killed.")
    ] = _TIMEOUTS.terminate


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitKeys(KeyTable):
    """``limits`` of an engine: the fields of `ResourceLimits`."""

    memory: Annotated[
        int | None,
        _BYTES,
        Key(
            "Private writable memory of a process. A process at the limit gets no more. Most programs then"
            " end, which is a `crash`."
        ),
    ] = _LIMITS.memory
    address_space: Annotated[
        int | None,
        _BYTES,
        Key(
            "Address space of a process, including reserved addresses. Java, Go and Node reserve gigabytes"
            " and do not start with a small limit. Use `memory`, unless an engine hides memory in shared"
            " mappings. A process at the limit gets no more."
        ),
    ] = _LIMITS.address_space
    processes: Annotated[
        int | None,
        _PROCESSES,
        Key("Processes and threads of the engine together. An engine at the limit cannot start more."),
    ] = _LIMITS.processes
    file_size: Annotated[
        int | None,
        _BYTES,
        Key(
            "The largest file that the process may write. A process at the limit gets SIGXFSZ, or an error"
            " if it ignores that signal."
        ),
    ] = _LIMITS.file_size
    cpu: Annotated[
        int | None,
        _CPU,
        Key(
            "Processor time of a process, over all of its games. A process at the limit is killed, so choose"
            " far more than a tournament takes."
        ),
    ] = _LIMITS.cpu
    core: Annotated[int | None, _CORE, Key("The size of a core dump. A larger one is cut off.")] = (
        _LIMITS.core
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineKeys(KeyTable):
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
    force_options: Annotated[
        bool, Key("`true`: `options` are sent as they are written, whatever the engine advertises.")
    ] = _ENGINE.force_options
    dialect: Annotated[Dialect, Key("The protocol that the engine speaks.", elsewhere=("proto",))] = (
        _ENGINE.dialect
    )
    position: Annotated[
        PositionForm,
        Key(
            'What the hub sends for a position: `"moves"`: the start and all moves. `"short"`: the position'
            ' after the last irreversible move, and the moves since. `"fen"`: the position alone. See'
            " [Positions](#positions)."
        ),
    ] = _ENGINE.position
    sync: Annotated[
        Sync,
        Key(
            '`"move"`: the hub sends `isready` before every move, while no clock runs. `"game"`: only once a'
            " game, which is faster."
        ),
    ] = _ENGINE.sync
    margin: Annotated[
        int,
        MILLISECONDS,
        Key("How far the engine may exceed its clock without losing.", elsewhere=("timemargin",)),
    ] = _ENGINE.margin
    time_control: Annotated[
        Control | None,
        Key(
            "The engine's own time control. In `[defaults]` it is the time control of the tournament, as at"
            " the top of the file. Set it in only one of these two places.",
            default="the file's",
            elsewhere=("tc",),
        ),
    ] = None
    timeouts: Annotated[
        TimeoutKeys,
        Key("How long `arena` waits for the engine, see [Timeouts](#timeouts)."),
    ] = field(default_factory=TimeoutKeys)
    limits: Annotated[
        LimitKeys, Key("What the engine may use, see [Limits](#limits).", default="no core dumps")
    ] = field(default_factory=LimitKeys)
    sandbox: Annotated[Sandbox, Key("What the engine can reach, see [Sandbox](#sandbox).")] = _ENGINE.sandbox
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
