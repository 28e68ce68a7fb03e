"""Another machine for a test: a network namespace."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["other_machine", "set_link"]


@contextmanager
def other_machine(number: int) -> Iterator[str]:
    """Give the name of a namespace and of the link to it: there is 10.NUMBER.0.2, and here is 10.NUMBER.0.1.

    Tests that may run at the same time need different numbers.
    """
    name = f"leapfrog{number}"
    inside = ("ip", "netns", "exec", name, "ip")
    commands = [
        ("ip", "netns", "add", name),
        ("ip", "link", "add", name, "type", "veth", "peer", "name", "inside", "netns", name),
        ("ip", "addr", "add", f"10.{number}.0.1/24", "dev", name),
        ("ip", "link", "set", name, "up"),
        (*inside, "addr", "add", f"10.{number}.0.2/24", "dev", "inside"),
        (*inside, "link", "set", "inside", "up"),
        (*inside, "link", "set", "lo", "up"),
    ]
    try:
        for command in commands:
            subprocess.run(command, check=True)
        yield name
    finally:
        subprocess.run(("ip", "netns", "delete", name), check=False)
        subprocess.run(("ip", "link", "delete", name), capture_output=True, check=False)


def set_link(name: str, state: str) -> None:
    """Set the link to the other machine ``up`` or ``down``."""
    subprocess.run(("ip", "link", "set", name, state), check=True)
