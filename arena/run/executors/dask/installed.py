"""Whether the packages for many machines are installed."""

from __future__ import annotations

from importlib.util import find_spec

from arena.errors import ConfigError

__all__ = ["check_installed"]


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
