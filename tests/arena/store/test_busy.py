"""More tasks of a program use its database at once than it has connections."""

import pytest

from arena.errors import StoreUnavailable
from arena.store import Store
from arena.store.database import POOL


@pytest.mark.parametrize("transaction", ["reading", "writing"])
def test_who_gets_no_connection_in_time_is_told_to_try_again(address, monkeypatch, transaction):
    monkeypatch.setitem(POOL, "pool_timeout", 0.05)
    store = Store.open(address, create=True)
    begin = getattr(store.database, transaction)
    most = 4 if transaction == "reading" else 1

    def take(count):
        """Take connections one after the other, and hold all of them."""
        if count:
            with begin() as session:
                session.connection()
                take(count - 1)

    take(most)
    with pytest.raises(StoreUnavailable, match="too many tasks of this program use the database at once"):
        take(most + 1)
    take(most)
    store.close()
