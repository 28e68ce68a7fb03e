"""Imports all modules of the packages, and uses some of them once. `tests.arena.forked` forks this process.

The first tournament file and the first table of a process take longer than later ones.
"""

import gc
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from tempfile import TemporaryDirectory

from click.testing import CliRunner

import arena
import protocol
import referee

PROGRAMS = (".__main__", ".migrations.env")
"""Endings of modules that must not be imported, because their import runs a program."""

TOURNAMENT = """
game = "quoridor"
time_control = "1+0"
adjudication = { plies = 12 }
engines = [{ name = "a", command = ["sh"] }, { name = "b", command = ["sh"] }]
"""

gc.disable()  # nothing that is imported becomes garbage, and to look for it takes a tenth of the time
for package in (protocol, referee, arena):
    for module in walk_packages(package.__path__, f"{package.__name__}."):
        if not module.name.endswith(PROGRAMS):
            import_module(module.name)
import_module("alembic.command")  # which `arena.store` imports late, to change a schema

with TemporaryDirectory() as name:
    from arena.cli import main
    from arena.config import load
    from arena.store import Store
    from arena.web.templating import prepare
    from tests.sample_games import spring

    folder = Path(name)
    (folder / "t.toml").write_text(TOURNAMENT)
    load(folder / "t.toml")
    store = Store.open(folder / "arena.db", create=True)
    store.begin_tournament("spring", {"time_control": "10+0.1"})
    store.add_games(spring())
    store.close()
    prepare()  # a report of a few games spends most of its time on the templates
    assert CliRunner().invoke(main, ["standings", "--db", str(folder / "arena.db")]).exit_code == 0

gc.enable()
gc.collect()
gc.freeze()  # otherwise the collector of a forked process copies all memory that they share
