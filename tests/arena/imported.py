"""Imports all modules of the packages, for processes that are forked from the one that has done so."""

from importlib import import_module
from pkgutil import walk_packages

import arena
import protocol
import referee

PROGRAMS = (".__main__", ".migrations.env")
"""Modules that do something when they are imported."""

for package in (protocol, referee, arena):
    for module in walk_packages(package.__path__, f"{package.__name__}."):
        if not module.name.endswith(PROGRAMS):
            import_module(module.name)
