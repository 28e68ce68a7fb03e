"""Imports all modules of the packages. `tests.arena.forked` forks processes from one that has done this."""

from importlib import import_module
from pkgutil import walk_packages

import arena
import protocol
import referee

PROGRAMS = (".__main__", ".migrations.env")
"""Endings of modules that must not be imported, because their import runs a program."""

for package in (protocol, referee, arena):
    for module in walk_packages(package.__path__, f"{package.__name__}."):
        if not module.name.endswith(PROGRAMS):
            import_module(module.name)
