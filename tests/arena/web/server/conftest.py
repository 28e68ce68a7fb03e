"""A client of the application in this process, for a database with games of two and of four players."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from arena.store import Store
from arena.web.server import sharing
from tests.arena.web.sites import client_of


@pytest.fixture(scope="module")
def client(sample_database: Path) -> Iterator[TestClient]:
    store = Store.open(sample_database, create=False)
    with client_of(store) as made:
        yield made
    store.close()


@pytest.fixture
def no_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the drawing of cards and films, which tests of pages need not wait for."""

    async def drawn(_: object) -> bytes:
        return b"GIF89a"

    monkeypatch.setattr(sharing, "_drawn", drawn)
    monkeypatch.setattr(sharing, "draw_card", lambda _: b"PNG")
