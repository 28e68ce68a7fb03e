"""Copy a whole database to another place: from a file to a server, back, or between two of a kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice, zip_longest

from arena.address import full_name
from arena.errors import StoreError
from arena.store.store import Store
from arena.store.values import GAMES_AT_ONCE, DatabaseContents


@dataclass(frozen=True, slots=True)
class CopySummary:
    """How many games were copied, and how many an earlier copy had copied."""

    copied: int
    existing: int


def copy_database(source: Store, target: Store, show: Callable[[str, int], None]) -> CopySummary:
    """Copy tournaments, settings of rating lists, games and doors, and compare the copy with the source.

    Games keep their numbers, and a copy continues one that was interrupted. Doors change, so they are copied
    anew.
    """
    if full_name(source.address) == full_name(target.address):
        raise StoreError(f"{target.address}: is the database to copy; name another one")
    contents, there = source.archive.contents(), target.archive.contents()
    _check_beginning(source, target, contents, there)
    for tournament in contents.tournaments:
        target.begin_tournament(tournament.name, tournament.settings, tournament.outline, tournament.created)
    known = {record.game: record.settings for record in there.rating_lists}
    for record in contents.rating_lists:
        if known.get(record.game) != record.settings:
            target.rating_lists.set(record.game, record.settings)
    copied = 0
    games = source.archive.games(contents.last, after=there.last, verify=True)
    while batch := list(islice(games, GAMES_AT_ONCE)):
        target.add_games(batch, numbered=True)
        copied += len(batch)
        show("copied", copied)
    existing = _compare(source, target, contents, show) - copied
    _copy_doors(source, target)
    return CopySummary(copied, existing)


def _copy_doors(source: Store, target: Store) -> None:
    """Copy the participants, the submissions and what has happened to them."""
    rows = list(source.doors.rows())
    target.doors.replace(rows)
    if list(target.doors.rows()) != rows:
        raise _different(source, target, "participants or submissions of a door")


def _check_beginning(
    source: Store, target: Store, contents: DatabaseContents, there: DatabaseContents
) -> None:
    """Check that the target has nothing but a beginning of the source."""
    ours = [(one.name, one.created) for one in contents.tournaments]
    theirs = [(one.name, one.created) for one in there.tournaments]
    lists = {record.game for record in there.rating_lists} - {record.game for record in contents.rating_lists}
    same = theirs == ours[: len(theirs)] and not lists and there.last <= contents.last
    if same and there.last:
        last = there.last - 1
        mine, others = (list(store.archive.games(there.last, after=last)) for store in (source, target))
        same = mine == others
    if not same:
        raise StoreError(
            f"{target.address}: has other tournaments or games than {source.address}; copy into an empty"
            " database, or continue an earlier copy of the same one"
        )


def _compare(
    source: Store, target: Store, contents: DatabaseContents, show: Callable[[str, int], None]
) -> int:
    """Compare the copy with the source, and return the number of games."""
    there = target.archive.contents()
    if there != contents:
        raise _different(source, target, "tournaments or settings of rating lists")
    count = 0
    games = (store.archive.games(contents.last, verify=True) for store in (source, target))
    for ours, theirs in zip_longest(*games):
        if ours != theirs:
            found = ours or theirs
            raise _different(source, target, f"game {None if found is None else found.result.id}")
        count += 1
        if count % GAMES_AT_ONCE == 0:
            show("compared", count)
    return count


def _different(source: Store, target: Store, what: str) -> StoreError:
    return StoreError(
        f"{target.address}: the copy differs from {source.address}: {what}; remove the copy and make it again"
    )
