"""Save what can be read of a damaged database in a new one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Final

from arena.errors import ArenaError, StoreError
from arena.model import GameRecord
from arena.ratings.settings import ListSettings
from arena.records.verify import Unlawful, verify
from arena.store import Store
from arena.store.damage.door_rows import door_rows
from arena.store.damage.repair import open_repaired
from arena.store.damage.salvage import Salvage
from referee import game_ids

__all__ = ["Rescue", "rescue"]

_BATCH: Final = 200
"""The most games in one transaction."""


@dataclass(frozen=True, slots=True)
class Rescue:
    """The result of a rescue.

    Attributes:
        saved: the number of games that are saved whole.
        lost: why a game that is there cannot be saved, by its number.
        without_moves: why only the result of a game is saved, by its number.
        repaired: what was repaired in a game that is saved, by its number.
        problems: what else is lost or has changed, one sentence each.
    """

    saved: int
    lost: dict[int, str]
    without_moves: dict[int, str]
    repaired: dict[int, str]
    problems: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Whether every game was saved whole, and nothing else is damaged."""
        return not self.lost and not self.without_moves and not self.problems


def rescue(path: Path, target: Path) -> Rescue:
    """Save the games, tournaments, rating lists and doors that can be read. The damaged file is not changed.

    A game whose result has changed is not saved, and one whose moves have changed is saved without them. A
    file of an older arena has no checksums; then a game that the rules refuse is not saved.

    Args:
        path: the damaged database.
        target: the new database.

    Raises:
        StoreError: nothing can be read, there is a file at ``target``, or the machine has a fault.
    """
    if target.exists():
        raise StoreError(f"{target}: there is a file of this name already; choose another one")
    with open_repaired(path) as salvage:
        games = salvage.games()
        first = next(games, None)
        if first is None and not salvage.tournaments:
            raise StoreError(f"{path}: nothing can be saved: no game and no tournament of arena can be read")
        with closing(Store.open(target, create=True)) as store:
            saver = _Saver(store, salvage)
            saver.save(chain([] if first is None else [first], games))
            store.doors.replace(door_rows(salvage))
    lost = salvage.lost | saver.refused
    saved = saver.saved - len(salvage.without_moves)
    return Rescue(
        saved, lost, salvage.without_moves, salvage.repaired, tuple(dict.fromkeys(salvage.problems))
    )


class _Saver:
    """Writes games into a new database.

    Attributes:
        saved: the number of saved games.
        refused: why a game that can be read is not saved, by its number.
    """

    def __init__(self, store: Store, salvage: Salvage) -> None:
        self._store = store
        self._salvage = salvage
        self.saved = 0
        self.refused: dict[int, str] = {}
        for record in salvage.tournaments.values():
            store.begin_tournament(record.name, record.settings, record.outline, record.created)
        for rating_list in salvage.rating_lists:
            try:
                ListSettings.of(rating_list.settings)
            except ArenaError as error:
                salvage.problems.append(f"the rating list {rating_list.game!a} has wrong settings: {error}")
            else:
                store.rating_lists.set(rating_list.game, rating_list.settings)

    def save(self, games: Iterator[GameRecord]) -> None:
        """Store all games, many at a time."""
        while batch := list(islice(games, _BATCH)):
            self._add([game for game in batch if self._is_lawful(game)])

    def _is_lawful(self, game: GameRecord) -> bool:
        if self._salvage.verified or game.result.id in self._salvage.without_moves:
            return True
        if game.result.game not in game_ids():
            return True  # its plug-in is not installed
        try:
            verify(game)
        except Unlawful as error:
            self._refuse(game, str(error))
            return False
        return True

    def _add(self, games: list[GameRecord]) -> None:
        """Store games; if one of them is refused, store the others one by one."""
        new = [replace(game, result=replace(game.result, id=None)) for game in games]
        try:
            self._store.add_games(new)
            self.saved += len(new)
        except StoreError as error:
            if len(games) == 1:
                self._refuse(games[0], str(error).removeprefix(f"{self._store.address}: "))
                return
            for game in games:
                self._add([game])

    def _refuse(self, game: GameRecord, reason: str) -> None:
        assert game.result.id is not None
        self.refused[game.result.id] = reason
