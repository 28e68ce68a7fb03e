"""The extras of the package, which bring other packages for some abilities."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final, Literal

from arena.errors import ArenaError

Extra = Literal["chess", "dask", "door", "openspiel", "pettingzoo", "pictures", "postgres"]

_PACKAGES: Final[dict[Extra, tuple[str, ...]]] = {
    "chess": ("chess",),
    "dask": ("distributed", "cryptography"),
    "door": ("itsdangerous", "python_multipart", "trio_websocket"),
    "openspiel": ("pyspiel",),
    "pettingzoo": ("pettingzoo",),
    "pictures": ("PIL", "resvg_py"),
    "postgres": ("psycopg",),
}
"""What is imported from the packages of each extra."""


def has_extra(extra: Extra) -> bool:
    """Return whether an extra is installed."""
    return all(find_spec(package) is not None for package in _PACKAGES[extra])


def need_extra(extra: Extra, what: str) -> None:
    """Raise an ArenaError, which names the ability in ``what``, unless an extra is installed."""
    if not has_extra(extra):
        raise ArenaError(f"{what} need more packages: pip install 'leapfrog-arena[{extra}]'")
