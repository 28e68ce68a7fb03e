"""An ordinary user for tests of rights and limits, which do not apply to root."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["stranger", "unprivileged", "without_root_warning"]


def stranger() -> int:
    """Return the number of a user who runs no other process.

    The kernel limits the number of processes for each user, so tests in different processes
    use different users.
    """
    return 64_000 + os.getpid() % 1000


@contextmanager
def unprivileged() -> Iterator[None]:
    """Run the block as an ordinary user, even if the tests run as root.

    This user may be unable to read the checkout, so import the modules that you need before the block.
    """
    user = os.geteuid()
    if user == 0:
        os.seteuid(stranger())
    try:
        yield
    finally:
        os.seteuid(user)


def without_root_warning(text: str) -> str:
    """Return an error output without the warning that root gets."""
    return re.sub("^warning: arena runs as root .*\n", "", text, flags=re.MULTILINE)
