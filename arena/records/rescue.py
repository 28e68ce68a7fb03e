"""Save what can be read of a damaged database in a new one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain, groupby, islice
from pathlib import Path
from typing import Final

from arena.errors import ArenaError, StoreError
from arena.model import GameRecord
from arena.ratings.settings_text import ListSettings
from arena.records.verify import Unlawful, verify
from arena.store import Store
from arena.store.repair import open_repaired
from arena.store.salvage import Salvage
from referee import game_ids

__all__ = ["Rescue", "rescue"]

_BATCH: Final = 200
"""The most games in one transaction."""


@dataclass(frozen=True, slots=True)
class Rescue:
    """The result of a rescue.

    Attributes:
        saved: the number of games that are saved whole.
        without_moves: the number of games of which only the result is saved.
        lost: the number of games that are there and cannot be saved.
        problems: the number of other things that are lost or have changed.
    """

    saved: int
    without_moves: int
    lost: int
    problems: int

    @property
    def complete(self) -> bool:
        """Whether everything was saved."""
        return not self.lost and not self.without_moves and not self.problems


def rescue(path: Path, target: Path, report: Callable[[str], None]) -> Rescue:
    """Save the games, tournaments and rating lists that can be read. The damaged file is not changed.

    A game whose result has changed is not saved, and one whose moves have changed is saved without them. A
    file of an older arena has no checksums; then a game that the rules refuse is not saved.

    Args:
        path: the damaged database.
        target: the new database.
        report: called with a sentence for each thing that is lost.

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
    lost = salvage.lost | saver.refused
    for problem in dict.fromkeys(salvage.problems):
        report(problem)
    for games_lost, reason in _grouped(lost):
        report(f"{games_lost} not saved: {reason}")
    for games_lost, reason in _grouped(salvage.without_moves):
        report(f"{games_lost} saved without moves: {reason}")
    for repaired, reason in _grouped(salvage.repaired):
        report(f"{repaired} repaired: {reason}")
    without_moves = len(salvage.without_moves)
    return Rescue(saver.saved - without_moves, without_moves, len(lost), len(set(salvage.problems)))


def _grouped(reasons: dict[int, str]) -> Iterator[tuple[str, str]]:
    """Yield the numbers of neighbouring games with the same reason as one text, and the reason."""
    # The difference is the same for neighbours.
    places = enumerate(sorted(reasons.items()))
    for (_, reason), group in groupby(places, key=lambda place: (place[1][0] - place[0], place[1][1])):
        numbers = [number for _, (number, _) in group]
        yield f"games {numbers[0]} to {numbers[-1]}:" if len(numbers) > 1 else f"game {numbers[0]}:", reason


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
                self._refuse(games[0], str(error).removeprefix(f"{self._store.path}: "))
                return
            for game in games:
                self._add([game])

    def _refuse(self, game: GameRecord, reason: str) -> None:
        assert game.result.id is not None
        self.refused[game.result.id] = reason
