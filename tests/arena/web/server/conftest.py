"""A client of the application in this process, for a database with games of two and of four players."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from arena.store import Store
from arena.web.server.app import LOOPBACK, application
from arena.web.server.databases import Databases
from arena.web.server.live import Broadcast


@pytest.fixture(scope="module")
def client(sample_database: Path) -> Iterator[TestClient]:
    store = Store.open(sample_database, create=False)
    databases = Databases([store], patience=60)
    app = application(databases, Broadcast(databases), LOOPBACK)
    with TestClient(app, base_url="http://localhost", backend="trio") as made:
        yield made
    store.close()
