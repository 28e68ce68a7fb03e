"""The schema: which tables and columns a database must have, and the revisions that change an older one.

Each module in `versions` is a revision. Alembic, which runs them, takes long to import, so that is done late.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sqlalchemy import Connection

from arena.address import Address
from arena.errors import StoreError
from arena.store import door_tables
from arena.store.rows import metadata

DIRECTORY: Final = Path(__file__).parent
"""The folder of the revisions; alembic calls it the script location."""

HEAD: Final = "0001"
"""The newest revision: the schema of `arena.store.rows`."""

EMPTY: Final = ""
"""Stands for the revision of a database without tables."""

OWN_TABLES: Final = frozenset(metadata.tables) - {table.name for table in door_tables.TABLES}
"""The tables with games. A database that has most of them is ours, even if nothing else says so."""

STAMP: Final = (
    (
        "CREATE TABLE alembic_version ("
        "version_num VARCHAR(32) NOT NULL, CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
    ),
    f"INSERT INTO alembic_version VALUES ('{HEAD}')",
)
"""The statements that store the number of the schema in a new database as alembic does."""


def missing_part_of(found: dict[str, set[str]]) -> str:
    """Return the first table or column that is missing in ``found``, the columns by table; "" for none."""
    for name, table in metadata.tables.items():
        if name not in found:
            return f"table {name}"
        for column in table.columns:
            if column.name not in found[name]:
                return f"column {name}.{column.name}"
    return ""


def run_revisions(address: Address, revision: str, connection: Connection) -> None:
    """Run all revisions after one, in the transaction of the connection. StoreError: there is no such one."""
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    known = {script.revision for script in ScriptDirectory(DIRECTORY).walk_revisions()}
    if revision not in {EMPTY, *known}:
        raise StoreError(
            f"{address}: was written by another version of leapfrog-arena (schema {revision[:20]!a}, this one"
            f" knows {HEAD!a}); use that version, or choose another database"
        )
    config = Config()
    config.set_main_option("script_location", str(DIRECTORY).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, HEAD)
