"""The configuration of an engine: command, options, timeouts, limits and sandbox.

The settings that a tournament file takes as they are, are declared here as its keys.
"""

from dataclasses import dataclass, field
from typing import Annotated, Final, Literal

from protocol.disguise import MAX_SEED
from protocol.keys import Between, Key, KeyTable, OrUnlimited
from protocol.wire.codec import Dialect
from protocol.words import for_system

MARGIN: Final = 100
"""The default margin: how many milliseconds a move may exceed the clock without a loss on time."""

MAX_SECONDS: Final = 30 * 24 * 3600
"""The longest timeout and margin: 30 days. In nanoseconds it fits into 64 bits."""

MAX_NAME: Final = 200
"""The most characters of an engine's name."""

SECONDS: Final = Between(0.001, MAX_SECONDS, "seconds")
MILLISECONDS: Final = Between(0, MAX_SECONDS * 1000, "milliseconds")

_BYTES: Final = OrUnlimited(1, 2**63 - 1, "bytes")
_PROCESSES: Final = OrUnlimited(1, 2**22)  # the most on Linux

Sync = Literal["move", "game"]
PositionForm = Literal["moves", "short", "fen"]
Sandbox = Literal["none", "folder", "bwrap"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeouts(KeyTable):
    """How long each state may last, in seconds (docs/reference/protocol.md, States and time-outs).

    A timeout counts for the whole state, not for each line.

    Raises:
        ValueError: a timeout is not within its bounds.
    """

    handshake: Annotated[float, SECONDS, Key("Until `ugiok`.")] = 10.0
    ready: Annotated[
        float,
        SECONDS,
        Key("Until `readyok`: in a new game, and before a move. The first one may take three times as long."),
    ] = 20.0

    @property
    def first_ready(self) -> float:
        """Seconds until the first ``readyok``: an engine may load its data meanwhile."""
        return 3 * self.ready

    def __post_init__(self) -> None:
        self.check_bounds()


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceLimits(KeyTable):
    """The resource limits of an engine; None for no limit.

    ``memory`` holds for each process that the engine starts.

    Raises:
        ValueError: a limit is not within its bounds.
    """

    memory: Annotated[
        int | None,
        _BYTES,
        Key(
            "Private writable memory of a process. A process at the limit gets no more. Most programs then"
            " end, which is a `crash`."
        ),
    ] = None
    processes: Annotated[
        int | None,
        _PROCESSES,
        Key("Processes and threads of the engine together. An engine at the limit cannot start more."),
    ] = None

    def __post_init__(self) -> None:
        self.check_bounds()


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSettings(KeyTable):
    """The settings of an engine that are the same in a tournament file and in a referee."""

    force_options: Annotated[
        bool, Key("`true`: `options` are sent as they are written, regardless of what the engine advertises.")
    ] = False
    dialect: Annotated[Dialect, Key("The protocol that the engine speaks.", elsewhere=("proto",))] = "ugi"
    position: Annotated[
        PositionForm,
        Key("What the hub sends for a position, see [Positions](#positions)."),
    ] = "short"
    sync: Annotated[
        Sync,
        Key(
            '`"move"`: the hub sends `isready` before every move, while no clock runs. `"game"`: only once a'
            " game, which is faster."
        ),
    ] = "move"
    ponder: Annotated[
        bool,
        Key(
            "`true`: the engine thinks on while its opponent thinks, see [Pondering](#pondering).",
            elsewhere=("ponder",),
        ),
    ] = False
    margin: Annotated[
        int,
        MILLISECONDS,
        Key("How far the engine may exceed its clock without losing.", elsewhere=("timemargin",)),
    ] = MARGIN
    timeouts: Annotated[
        Timeouts,
        Key("How long `arena` waits for the engine, see [Timeouts](#timeouts)."),
    ] = field(default_factory=Timeouts)
    limits: Annotated[
        ResourceLimits, Key("What the engine may use, see [Limits](#limits).", default="none")
    ] = field(default_factory=ResourceLimits)
    sandbox: Annotated[Sandbox, Key("What the engine can reach, see [Sandbox](#sandbox).")] = "none"
    disguise: Annotated[
        int | None,
        Between(0, MAX_SEED),
        Key(
            "A seed: this engine reads and writes other names for squares, pieces, walls and numbers, see"
            " [Disguise](#disguise).",
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class Remote:
    """Where to reach an engine that stays on its author's machine, and what its line may cost."""

    socket: str  # the Unix socket of the server that holds the lines
    name: str  # whose engine it is
    lag: int  # the most milliseconds of lag that each move gets back
    grace: int  # how many seconds the line may be gone in one game


@dataclass(frozen=True, slots=True)
class EngineSpec(EngineSettings):
    """The configuration of one engine.

    Attributes:
        name: its name in tables and messages; unique in a tournament.
        command: program and arguments, run without a shell.
        cwd: its working directory; None for the referee's own.
        env: environment variables to add.
        options: values to set by ``setoption`` before the first ``isready``. Each must be an option that the
            engine advertises, with a value that it takes.
        readable: folders and files that an engine under bubblewrap sees in addition to its program's folder.
        remote: how to reach it if it is not started here; then the command only names it.
        shown_as: the path by which bubblewrap shows it ``cwd``, so that its output does not tell where that
            is; "" for the same path.

    Raises:
        ValueError: the name is empty, longer than `MAX_NAME` or has control characters; the command is empty;
            the margin is not within its bounds; a variable of the environment has an impossible name; or
            there is a null character somewhere.
    """

    name: str
    command: tuple[str, ...]
    cwd: str | None = None
    env: dict[str, str] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)
    readable: tuple[str, ...] = ()
    remote: Remote | None = None
    shown_as: str = ""

    def shown(self, path: str) -> str:
        """Return a path, or a word of the command, as the engine sees it."""
        hides = self.shown_as and self.sandbox == "bwrap"
        return path.replace(self.cwd, self.shown_as) if hides and self.cwd else path

    def __post_init__(self) -> None:
        if not self.name or not self.name.isprintable():
            raise ValueError("an engine's name must be printable and not empty")
        if len(self.name) > MAX_NAME:
            raise ValueError(f"an engine's name must have at most {MAX_NAME} characters")
        if not self.command or not self.command[0]:
            raise ValueError(f"engine {self.name}: the command is empty")
        if any(not name or "=" in name for name in self.env):
            raise ValueError(f"engine {self.name}: an environment variable has no name, or a name with =")
        for text in (*self.command, self.cwd or "", *self.env, *self.env.values(), *self.readable):
            if not for_system(text):
                raise ValueError(
                    f"engine {self.name}: a null character, or half a character, cannot be in {text[:80]!a}"
                )
        for text in (word for option in self.options.items() for word in option):
            if not text.isprintable():
                raise ValueError(f"engine {self.name}: the option {text[:80]!a} is not one printable line")
        self.check_bounds(f"engine {self.name}: ")
        if self.ponder and self.dialect == "xboard":
            raise ValueError(f"engine {self.name}: an engine with the dialect xboard cannot ponder")
        if self.disguise is not None and self.dialect != "ugi":
            raise ValueError(f"engine {self.name}: only an engine with the dialect ugi can have a disguise")
