"""A copy of a database is compared with its source, and a difference is named."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from arena.door.register import DoorRegister
from arena.errors import StoreError
from arena.store import Store
from arena.store.copying import CopySummary, copy_database
from tests.sample_games import spring

Show = Callable[[str, int], None]

RENAMING = """
    CREATE TRIGGER renaming AFTER INSERT ON door_participant
    BEGIN UPDATE door_participant SET name = 'Eve'; END
"""


def quietly(_: str, __: int) -> None:
    """Show nothing."""


def tampering(path: Path, statement: str) -> Show:
    """Change the copy as soon as its games are copied."""

    def show(what: str, _: int) -> None:
        if what == "copied":
            with closing(sqlite3.connect(path)) as connection, connection:
                connection.execute(statement)

    return show


@pytest.fixture
def source(tmp_path: Path) -> Iterator[Store]:
    with closing(Store.open(tmp_path / "arena.db", create=True)) as store:
        store.begin_tournament("spring", {"seed": "1"}, "outline", created=5.5)
        store.add_games(spring()[:4])
        store.rating_lists.set("quoridor", {"beta": "2"})
        DoorRegister(store, "spring").invite({"Ann": "token"})
        yield store


@pytest.fixture
def target(tmp_path: Path) -> Iterator[Store]:
    with closing(Store.open(tmp_path / "copy.db", create=True)) as store:
        yield store


def test_a_copy_is_whole_and_goes_on_later(source: Store, target: Store) -> None:
    assert copy_database(source, target, quietly) == CopySummary(4, 0)
    assert target.contents() == source.contents()
    source.add_games(spring()[4:])
    source.rating_lists.set("quoridor", {"beta": "3"})
    shown: list[tuple[str, int]] = []
    assert copy_database(source, target, lambda what, games: shown.append((what, games))) == CopySummary(2, 4)
    assert shown == [("copied", 2)]
    assert copy_database(source, target, quietly) == CopySummary(0, 6)
    assert target.rating_lists.settings("quoridor") == {"beta": "3"}
    assert list(target.finder.records()) == list(source.finder.records())


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("UPDATE tournament SET created = 6.5", "tournaments or settings of rating lists"),
        ("UPDATE rating_list SET settings = '{}'", "tournaments or settings of rating lists"),
        (RENAMING, "participants or submissions of a door"),
    ],
)
def test_a_difference_is_named(source: Store, target: Store, statement: str, what: str) -> None:
    path = target.address
    assert isinstance(path, Path)
    with pytest.raises(StoreError) as caught:
        copy_database(source, target, tampering(path, statement))
    assert str(caught.value) == (
        f"{path}: the copy differs from {source.address}: {what}; remove the copy and make it again"
    )


def test_a_game_that_is_another_one_is_named(source: Store, target: Store) -> None:
    target.begin_tournament("spring", {"seed": "1"}, "outline", created=5.5)
    other = spring()[1]
    target.add_games([spring()[0], replace(other, started=1.0), *spring()[2:4]])
    with pytest.raises(StoreError, match=r"the copy differs from .*: game 2; remove the copy"):
        copy_database(source, target, quietly)


@pytest.mark.parametrize(
    "begin",
    [
        lambda store: store.begin_tournament("autumn", {}),
        lambda store: store.begin_tournament("spring", {"seed": "1"}, created=6.5),
        lambda store: store.rating_lists.set("hops", {"beta": "2"}),
    ],
)
def test_only_a_copy_of_the_first_games_is_continued(
    source: Store, target: Store, begin: Callable[[Store], object]
) -> None:
    begin(target)
    before = target.contents()
    with pytest.raises(StoreError, match="has other tournaments or games than"):
        copy_database(source, target, quietly)
    assert target.contents() == before


def test_a_database_is_not_copied_to_itself(source: Store) -> None:
    with pytest.raises(StoreError, match="is the database to copy; name another one"):
        copy_database(source, source, quietly)
