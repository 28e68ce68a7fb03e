"""The tools that some tests need and `make demo` does not: programs, and rights on the machine.

    python3 tests/tools.py    prints the Debian packages of required tools that are not installed

`.ci/run` runs this module before it installs anything, so it uses only the standard library.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = ["PATH", "TOOLS", "WORLD", "Tool", "find", "missing"]

_POSTGRESQL = sorted(map(str, Path("/usr/lib/postgresql").glob("*/bin")), reverse=True)

PATH = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/games", "/usr/sbin", *_POSTGRESQL])
"""The folders of programs, with those in which Debian installs chess engines and servers."""

WORLD = "/usr/bin:/usr/local/bin"
"""The folders of programs that every user may start."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that may be missing.

    Attributes:
        tested: the features that are not tested without it.
        packages: the Debian packages that contain it; "" if no package does.
        programs: the names of its program; one of them is enough.
        required: whether tests that need it fail without it if ``CI=true``.
        trouble: returns why an installed tool does not work here; "" if it works.
    """

    tested: str
    packages: str = ""
    programs: tuple[str, ...] = ()
    required: bool = False
    trouble: Callable[[], str] = str


def find(name: str) -> str | None:
    """Return the path of a tool's program; None if it is not installed."""
    found = (shutil.which(program, path=PATH) for program in TOOLS[name].programs)
    return next(filter(None, found), None)


@cache
def missing(name: str) -> str:
    """Return why a tool cannot be used here; "" if it can."""
    tool = TOOLS[name]
    if tool.programs and find(name) is None:
        return "not installed"
    return tool.trouble()


def _not_linux() -> str:
    return "" if sys.platform == "linux" else "this is not Linux"


def _not_root() -> str:
    return "" if os.geteuid() == 0 else "this user is not root"


def _no_mounts() -> str:
    if _not_linux() or _not_root():
        return _not_linux() or _not_root()
    with tempfile.TemporaryDirectory() as folder:
        mounted = subprocess.run(["mount", "-t", "tmpfs", "none", folder], capture_output=True, check=False)
        if mounted.returncode:
            return "this machine mounts nothing, as a container does"
        subprocess.run(["umount", folder], capture_output=True, check=True)
    return ""


def _no_sandbox() -> str:
    from protocol.process import bubblewrap

    return bubblewrap.trouble()


def _old_sandbox() -> str:
    from protocol.process.bubblewrap import _no_more_namespaces

    return _no_sandbox() or ("" if _no_more_namespaces() else "bubblewrap is older than 0.8")


def _no_keyrings() -> str:
    from protocol.process.bubblewrap import _KEYCTL

    return "" if platform.machine() in _KEYCTL else "keyctl has another number on this machine"


def _no_namespaces() -> str:
    from protocol.process.lifetime import namespace_trouble

    return namespace_trouble()


def _no_postgresql() -> str:
    if importlib.util.find_spec("psycopg") is None:
        return "psycopg is not installed"
    done = subprocess.run(
        [find("postgresql") or "", "--version"], capture_output=True, text=True, check=False
    )
    version = done.stdout.split()[-1].partition(".")[0] if done.stdout.split() else ""
    return "" if version.isdecimal() and int(version) >= 15 else "it is older than 15"


def _no_choom() -> str:
    from protocol.process.sandbox import _oom_score

    return "" if _oom_score() else "it may not be used here"


def _no_other_user() -> str:
    if os.geteuid() != 0:
        return ""
    if shutil.which("setpriv") is None:
        return "setpriv (util-linux) is not installed"
    return "" if shutil.which("python3", path=WORLD) else f"there is no python3 in {WORLD}"


def _no_headers() -> str:
    header = Path(sysconfig.get_path("include"), "Python.h")
    return "" if header.exists() else f"there is no {header}"


def _no_gnu_sed() -> str:
    done = subprocess.run(["sed", "--version"], capture_output=True, check=False)
    return "" if b"GNU" in done.stdout else "this is not GNU sed"


def _no_networks() -> str:
    if _not_linux() or _not_root():
        return _not_linux() or _not_root()
    made = subprocess.run(["ip", "netns", "add", "leapfrog-tools"], capture_output=True, check=False)
    if made.returncode:
        return "this machine makes no network namespaces, as a container does"
    subprocess.run(["ip", "netns", "delete", "leapfrog-tools"], capture_output=True, check=True)
    return ""


def _no_daemon() -> str:
    done = subprocess.run(["docker", "info"], capture_output=True, check=False)
    return "no daemon answers" if done.returncode else ""


_SANDBOX = "the sandbox"
_BROWSER = "reports in a browser"
_UCI = "chess engines that speak UCI"

TOOLS: dict[str, Tool] = {
    "bwrap": Tool(_SANDBOX, "bubblewrap", ("bwrap",), required=True, trouble=_no_sandbox),
    "bwrap 0.8": Tool("namespaces inside the sandbox", "bubblewrap", ("bwrap",), trouble=_old_sandbox),
    "keyrings": Tool("keys of sessions", trouble=_no_keyrings),
    "namespaces": Tool("process namespaces of engines", "util-linux", ("unshare",), trouble=_no_namespaces),
    "setpriv": Tool("the death of engines with their referee", "util-linux", ("setpriv",), required=True),
    "prlimit": Tool("limits of engines", "util-linux", ("prlimit",), required=True),
    "choom": Tool(
        "which process the kernel kills when memory runs out", "util-linux", ("choom",), trouble=_no_choom
    ),
    "cc": Tool(
        "engines in C, `arena new-engine --lang c`, compiled wheels, a machine whose clock is set or that has"
        " no processes",
        "gcc libc6-dev",
        ("cc",),
        required=True,
    ),
    "Python.h": Tool("compiled wheels", "python3-dev", trouble=_no_headers),
    "chromium": Tool(_BROWSER, "chromium", ("chromium", "chromium-browser"), required=True),
    "chromedriver": Tool(_BROWSER, "chromium-driver", ("chromedriver",), required=True),
    "postgresql": Tool(
        "databases on a PostgreSQL server", "postgresql", ("initdb",), required=True, trouble=_no_postgresql
    ),
    "caddy": Tool("a door behind a proxy with TLS", "caddy", ("caddy",)),
    "nginx": Tool("a door behind a proxy with TLS", "nginx", ("nginx",)),
    "phalanx": Tool("engines that speak xboard", "phalanx", ("phalanx",)),
    "sjeng": Tool("engines that speak xboard", "sjeng", ("sjeng",)),
    "fairymax": Tool("engines that speak xboard without setboard", "fairymax", ("fairymax",)),
    "stockfish": Tool(_UCI, "stockfish", ("stockfish",), required=True),
    "fairy-stockfish": Tool(_UCI, "fairy-stockfish", ("fairy-stockfish",)),
    "gnuchess": Tool(_UCI, "gnuchess", ("gnuchess",)),
    "gnugo": Tool("a bridge to a bot that speaks GTP", "gnugo", ("gnugo",)),
    "c++": Tool("engines in C++, `arena new-engine --lang cpp`", "g++", ("c++",)),
    "rustc": Tool("engines in Rust", "rustc", ("rustc",)),
    "cargo": Tool("`arena new-engine --lang rust`", "cargo", ("cargo",)),
    "node": Tool("engines in JavaScript, `arena new-engine --lang js`", "nodejs", ("node",)),
    "java": Tool("`arena new-engine --lang java`, limits of Java", "default-jre-headless", ("java",)),
    "javac": Tool("engines in Java, `arena new-engine --lang java`", "default-jdk-headless", ("javac",)),
    "kotlinc": Tool("`arena new-engine --lang kotlin`", "kotlin", ("kotlinc",)),
    "go": Tool("engines in Go, `arena new-engine --lang go`", "golang-go", ("go",)),
    "lua": Tool("`arena new-engine --lang lua`", "lua5.4", ("lua",)),
    "ocamlopt": Tool("`arena new-engine --lang ocaml`", "ocaml-nox", ("ocamlopt",)),
    "perl": Tool("engines in Perl", "perl-base", ("perl",)),
    "tclsh": Tool("engines in Tcl", "tcl", ("tclsh",)),
    "awk": Tool("engines in awk", "mawk", ("awk",)),
    "sed": Tool("engines in sed", "sed", ("sed",), trouble=_no_gnu_sed),
    "bash": Tool("engines for the shell", "bash", ("bash",)),
    "zstd": Tool("examples that compress games", "zstd", ("zstd",)),
    "zsh": Tool("completion in zsh", "zsh", ("zsh",)),
    "fish": Tool("completion in fish", "fish", ("fish",)),
    "python3": Tool("engines that are started as python3", "python3", ("python3",)),
    "linux": Tool("information about processes that only Linux has", trouble=_not_linux),
    "root": Tool("actions that only root may do", trouble=_not_root),
    "mount": Tool("full disks", programs=("mount",), trouble=_no_mounts),
    "networks": Tool("other machines that are cut off", "iproute2", ("ip",), trouble=_no_networks),
    "sshd": Tool("workers that are started by SSH", "openssh-server openssh-client", ("sshd",)),
    "make": Tool("engines that are built in a container", "make", ("make",)),
    "docker": Tool(
        "the image in Docker",
        "docker.io",
        ("docker",),
        trouble=_no_daemon,
    ),
    "another user": Tool("fork bombs", trouble=_no_other_user),
}
"""The tools by their names in `needs`."""


def packages() -> list[str]:
    """Return the Debian packages of required programs that are not installed."""
    absent = [tool.packages for name, tool in TOOLS.items() if tool.required and find(name) is None]
    return list(dict.fromkeys(" ".join(absent).split()))


if __name__ == "__main__":
    print(*packages())
