"""The words before a command, to run it in bubblewrap, which hides files, processes and the network.

An ordinary user needs a user namespace for that. Root does not: bubblewrap sets up the folders with root's
rights, which lets it show a folder below ``/root``, and then `setpriv` makes the engine an unprivileged user,
`nobody`. A second bubblewrap inside the first keeps this user from making user namespaces.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import Final

from protocol.errors import EngineStartError
from protocol.process import machine

OWN_FOLDER: Final = "/home/engine"
"""The home folder and working directory of an engine under bubblewrap: empty and in memory."""

FOLDER_SIZE: Final = 64 << 20
"""The most bytes that an engine under bubblewrap may store in one of its folders in memory."""

SYSTEM_FOLDERS: Final = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix",
    "/gnu",
)
"""The folders that every engine sees."""

_NOBODY: Final = 65534  # the user and the group of engines that root starts, on every Linux
_NAMESPACES: Final = ("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts")
_NO_USERNS: Final = ("--unshare-user", "--disable-userns")


def words(paths: Mapping[str, str], status: int | None = None, size: int = FOLDER_SIZE) -> list[str]:
    """Return the words before a command that may read only the system's files and ``paths``.

    ``paths``: for each path the one by which the command sees it. ``status``: the descriptor for status
    reports, in JSON. ``size``: the most bytes in `OWN_FOLDER`. If bubblewrap is missing, or a path would show
    the home folder, this is an EngineStartError.
    """
    bwrap = machine.which("bwrap")
    if bwrap is None:
        raise EngineStartError('sandbox = "bwrap" needs the program bwrap; install the package bubblewrap')
    report = [] if status is None else ["--json-status-fd", str(status)]
    stranger = user()
    binds: list[str] = []
    for path, shown in paths.items():
        if stranger is not None:
            binds += _open_parents(shown)
        binds += ["--ro-bind", _not_home(path), shown]
    return [bwrap, *report, *_base(stranger, size), *binds, *_end(stranger)]


_KEYCTL: Final = {"x86_64": 250, "aarch64": 219, "riscv64": 219}  # the number of the system call
_JOIN_SESSION_KEYRING, _SETPERM = 1, 5


@cache
def hide_keys() -> None:
    """Keep what this thread starts from the keys of this session, on Linux.

    bubblewrap passes on the session's keyring. The new one can neither be read nor written, so nobody leaves
    a key there for others.
    """
    number = _KEYCTL.get(os.uname().machine) if sys.platform == "linux" else None
    if number is None:
        return
    # The standard library has no keyctl.
    keyctl = partial(ctypes.CDLL(None, use_errno=True).syscall, number)
    keyring = keyctl(_JOIN_SESSION_KEYRING, None)
    if keyring >= 0:
        keyctl(_SETPERM, keyring, 0)
    elif (code := ctypes.get_errno()) not in (errno.ENOSYS, errno.EPERM):  # else nobody has keys here
        raise OSError(code, os.strerror(code))


def trouble() -> str:
    """Return bubblewrap's own error if it does not work on this machine; "" if it works."""
    return _trouble(user())


def user() -> int | None:
    """Return the user as whom engines run if this process runs as root; None for the user of this process.

    It is None for root, too, if the machine does not let root become another user: then this process is in a
    user namespace with one user, and root has no special rights outside.
    """
    if os.geteuid() != 0:
        return None
    return None if _trouble(_NOBODY) and not _trouble(None) else _NOBODY


def counts_own_processes() -> bool:
    """Return whether the kernel counts only an engine's own processes against its limit.

    It counts the processes of a user in a user namespace, and each engine has such a namespace. The exception
    is root on a machine where users may not make one: then the engines of all runs by root count together.
    """
    return user() is None or bool(_inner())


def may_read(paths: Mapping[str, str], file: str, right: str) -> bool:
    """Return whether the user of the engine may read a file (``right`` is ``r``) or run it (``x``)."""
    test = machine.tool("test")
    return not machine.fresh_complaint(*words(paths), test, f"-{right}", file)  # rights can change


def _trouble(stranger: int | None) -> str:
    bwrap, true = map(machine.tool, ("bwrap", "true"))
    return machine.complaint(bwrap, *_base(stranger), *_end(stranger), true)


def _base(stranger: int | None, size: int = FOLDER_SIZE) -> list[str]:
    """Return options for new namespaces, few capabilities, and only the system's folders and empty ones."""
    words = ["--die-with-parent", "--hostname", "engine", "--cap-drop", "ALL"]
    open_to_all: list[str] = []
    if stranger is None:
        words += ["--unshare-all"]
    else:
        words += [*_NAMESPACES, "--unshare-cgroup-try", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        open_to_all = ["--perms", "1777"]
    for path in SYSTEM_FOLDERS:
        words += ["--ro-bind-try", path, path]
    for path in filter(os.path.lexists, machine.secrets()):
        folder = Path(path).is_dir()
        words += ["--tmpfs", path, "--remount-ro", path] if folder else ["--ro-bind", os.devnull, path]
    words += ["--dev", "/dev", "--proc", "/proc"]
    for path in ("/dev/shm", "/tmp", OWN_FOLDER):  # noqa: S108 - inside the sandbox, not ours
        most = size if path == OWN_FOLDER else FOLDER_SIZE
        words += [*open_to_all, "--size", str(most), "--tmpfs", path]
    return words


def _end(stranger: int | None) -> list[str]:
    """Return the options that follow all mounts, and the programs that give up the last rights.

    The folders around the mounts become read-only. ``/proc`` does too, because an engine that runs as root
    could change settings of the whole machine there.
    """
    dev, proc, root = (["--remount-ro", path] for path in ("/dev", "/proc", "/"))
    enter = ["--chdir", OWN_FOLDER]
    if stranger is None:
        return [*dev, *proc, *root, *_no_more_namespaces(), *enter, "--"]
    inner = _inner()
    return [*dev, *([] if inner else proc), *root, *enter, "--", *_become_stranger(), *inner]


def _become_stranger() -> list[str]:
    """Return the words that make root `nobody`. The rights that bubblewrap has left to root end with that."""
    become = [f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups", "--inh-caps=-all"]
    return [machine.tool("setpriv"), *become, "--"]


def _inner() -> list[str]:
    """Return the words that keep `nobody` from making user namespaces, if this user may make them at all."""
    bwrap = machine.tool("bwrap")
    words = [bwrap, "--dev-bind", "/", "/", *_NO_USERNS, "--remount-ro", "/proc", "--"]
    return [] if machine.complaint(*_become_stranger(), *words, "true") else words


def _no_more_namespaces() -> tuple[str, ...]:
    """Return the options, since bubblewrap 0.8, that keep an engine from making user namespaces.

    In one it would be root, and could mount file systems in memory without a size limit.
    """
    bwrap = machine.tool("bwrap")
    return () if machine.complaint(bwrap, *_NO_USERNS, "--ro-bind", "/", "/", "--", "true") else _NO_USERNS


def _open_parents(path: str) -> list[str]:
    """Return options that open the folders around a path to every user; bubblewrap alone does not."""
    parents = [parent for parent in reversed(Path(path).parents) if parent.name]
    made = (parent for parent in parents if not any(map(parent.is_relative_to, SYSTEM_FOLDERS)))
    return [word for parent in made for word in ("--perms", "0755", "--dir", str(parent))]


def _not_home(path: str) -> str:
    """Return ``path``; raise EngineStartError if it is the home folder or contains it."""
    home = Path.home()
    if Path(path) in (home, *home.parents):
        raise EngineStartError(
            f"the sandbox must hide the home folder, but {path} would show it;"
            " give the engine a folder of its own"
        )
    return path
