"""The keys of ``[executor]`` in a tournament file: where the games are played."""

import re
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Annotated, Final, Literal

from pydantic import AfterValidator

from arena.config.key_types import FilePath, Text
from arena.errors import ConfigError
from protocol.keys import Between, DocumentedValue, Key, KeyTable

Executor = Literal["local", "dask"]

_ADDRESS: Final = re.compile(r"(tcp|tls)://(\[[0-9a-fA-F:.]+\]|[\w.-]+):([0-9]{1,5})", re.ASCII)
_SCALE: Final = re.compile(r"nodes per second of (.+)")
_DASK: Final = ("kind", ("dask",))


def check_address(text: str) -> str:
    """Return the address of a Dask scheduler if it can be used safely.

    Raises:
        ValueError: it is no such address; or it is not on this machine, and not encrypted. Whoever reaches
            the port of a scheduler without TLS can run programs on all its machines.
    """
    found = _ADDRESS.fullmatch(text)
    if found is None or not 0 < int(found[3]) < 1 << 16:
        raise ValueError(f"this must be an address such as tls://hub:8786, not {text[:80]!a}")
    if found[1] == "tcp" and not is_loopback(text):
        raise ValueError(
            f"{text}: whoever reaches this port could run programs on all your machines; use tls://, with the"
            " certificates of `arena worker certificates`"
        )
    return text


def is_loopback(address: str) -> bool:
    """Return whether the address of a scheduler is one of this machine alone."""
    from ipaddress import ip_address  # most tournaments have no scheduler

    host = address.partition("://")[2].rpartition(":")[0].strip("[]")
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _scale(text: str) -> str:
    if _SCALE.fullmatch(text) is None:
        raise ValueError('this must be "nodes per second of ENGINE", with the name of an engine')
    return text


def speed_engine(scale: str) -> str:
    """Return the name of the engine in a value of the key `ExecutorKeys.scale`."""
    found = _SCALE.fullmatch(scale)
    assert found is not None
    return found[1]


def check_installed() -> None:
    """Check that the packages of the extra ``dask`` are installed.

    Raises:
        ConfigError: one of them is not.
    """
    for package in ("distributed", "cryptography"):
        if find_spec(package) is None:
            raise ConfigError(
                f"games on many machines need the package {package}: pip install 'leapfrog-arena[dask]'"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutorKeys(KeyTable):
    """``[executor]``."""

    kind: Annotated[
        Executor,
        Key(
            '`"local"`: the games are played on this machine. `"dask"`: they are played by the workers of a'
            " Dask scheduler, see [Many machines](../howto/many-machines.md). `arena run --executor`"
            " overrides it."
        ),
    ] = "local"
    scheduler: Annotated[
        Annotated[Text, AfterValidator(check_address), DocumentedValue("address")] | None,
        Key(
            "The address of the scheduler, such as `tls://hub:8786`. Only a scheduler on this machine may"
            " have an address with `tcp://`. `arena run --scheduler` overrides it.",
            default="needed",
            only=_DASK,
        ),
    ] = None
    certificates: Annotated[
        FilePath | None,
        Key(
            "The folder with the certificates of this machine, from `arena worker certificates`, for an"
            " address with `tls://`.",
            default="`certificates`",
            only=_DASK,
        ),
    ] = None
    cores: Annotated[
        int,
        Between(1, 1024),
        Key("How many cores each game has for itself on a worker.", only=_DASK),
    ] = 1
    scale: Annotated[
        Annotated[Text, AfterValidator(_scale), DocumentedValue('`"nodes per second of ENGINE"`')] | None,
        Key(
            "Arena measures how fast this engine searches on each worker. If a worker is slower than this"
            " machine, its time controls are longer by the same factor; if it is faster, they are shorter.",
            default="none",
            only=_DASK,
        ),
    ] = None
