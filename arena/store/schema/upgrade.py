"""Run the missing revisions of a schema. Alembic takes long to import, so this module imports it late."""

from __future__ import annotations

import re
from collections.abc import Callable

from sqlalchemy import Connection

from arena.address import Address
from arena.errors import DamagedDatabase, StoreError
from arena.store.schema.migrations import DIRECTORY, HEAD

__all__ = ["check_revision", "run_revisions"]


def check_revision(address: Address, revision: str, damaged: Callable[[str], DamagedDatabase]) -> None:
    """Check that there is a revision of this number.

    Args:
        address: the database, for messages.
        revision: the number of its schema.
        damaged: returns the error for a damaged database, from what is wrong with it.

    Raises:
        StoreError: there is none; a newer arena may have it.
    """
    from alembic.script import ScriptDirectory

    if revision in {script.revision for script in ScriptDirectory(DIRECTORY).walk_revisions()}:
        return
    if not re.fullmatch("[0-9]{4}", revision) or revision < HEAD:
        raise damaged(f"it has a schema {revision[:20]!a}, which does not exist")
    raise StoreError(
        f"{address}: was written by a newer leapfrog-arena (schema {revision}, this one knows {HEAD});"
        " install the newer one, or choose another database"
    )


def run_revisions(connection: Connection) -> None:
    """Run all revisions that are missing, in the transaction of the connection."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(DIRECTORY).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, HEAD)
