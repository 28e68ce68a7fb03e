"""More tasks of a program use its database at once than it has connections."""

import pytest

from arena.errors import StoreUnavailable
from arena.store import Store
from arena.store.database import ENGINE_OPTIONS


@pytest.mark.parametrize("transaction", ["reading", "writing"])
def test_a_task_that_gets_no_connection_in_time_fails(address, monkeypatch, transaction):
    monkeypatch.setitem(ENGINE_OPTIONS, "pool_timeout", 0.05)
    store = Store.open(address, create=True)
    start = getattr(store.database, transaction)
    connections = 4 if transaction == "reading" else 1

    def take(count):
        """Take connections one after the other, and hold all of them."""
        if count:
            with start() as session:
                session.connection()
                take(count - 1)

    take(connections)
    with pytest.raises(StoreUnavailable, match="too many tasks of this program use the database"):
        take(connections + 1)
    take(connections)
    store.close()
