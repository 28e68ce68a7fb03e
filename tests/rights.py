"""Another user than root, for tests of rights and of limits: neither bind root."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["stranger", "unprivileged"]


def stranger() -> int:
    """The number of a user who runs nothing else, not even tests in another process.

    The kernel counts the processes of a user, so tests that run at once must not share one.
    """
    return 64_000 + os.getpid() % 1000


@contextmanager
def unprivileged() -> Iterator[None]:
    """Be a user whom rights bind, even if the tests run as root.

    This user may be unable to read the checkout. So import what you call before you enter the context.
    """
    user = os.geteuid()
    if user == 0:
        os.seteuid(stranger())
    try:
        yield
    finally:
        os.seteuid(user)
