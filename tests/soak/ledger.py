"""The games of a round: which must be there, which were there, and what the database has."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

from arena.cli.progress import describe
from arena.config import load
from arena.formats.contest import ScheduleState
from arena.store import Store
from tests.soak.play import Arena

__all__ = ["Ledger", "games"]

# A copy from a server numbers the engines anew. If the name of the tournament was lost, its games are played
# again.
_COLUMNS = """
    SELECT key, termination, detail, plies,
        group_concat(engine.name || ':' || points || ':' || coalesce(forfeit, ''))
    FROM game
    JOIN player ON player.game_id = game.id
    JOIN engine ON engine.id = player.engine_id
    JOIN tournament ON tournament.id = game.tournament_id
    WHERE termination != 'void' AND tournament.name = 'soak'
    GROUP BY game.id ORDER BY game.id, seat
"""


def games(database: Path) -> list[tuple[object, ...]]:
    """Return the games that count, as they are stored; none if there is no database yet."""
    if not database.exists():
        return []
    try:
        with closing(sqlite3.connect(database, timeout=30)) as connection:
            return connection.execute(_COLUMNS).fetchall()
    except sqlite3.OperationalError as error:
        if "no such table" in str(error):  # arena was killed before it had made the tables
            return []
        raise


class Ledger:
    """Notes the stored games of a tournament, so that none can get lost or change.

    Args:
        folder: the folder of the tournament.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._noted: dict[object, tuple[object, ...]] = {}
        self.damaged = False

    @property
    def database(self) -> Path:
        """The path of the database."""
        return self._folder / "arena.db"

    def note(self) -> list[str]:
        """Note the games that are stored now; return a sentence for each that is lost, changed or doubled."""
        rows = games(self.database)
        now: dict[object, tuple[object, ...]] = {row[0]: row for row in rows}
        faults = [
            f"game {key} is {'changed' if key in now else 'lost'}: {row}, now {now.get(key)}"
            for key, row in self._noted.items()
            if now.get(key) != row
        ]
        if len(now) != len(rows):
            faults.append(f"{len(rows) - len(now)} games are there twice")
        self._noted = now
        return faults

    def forget(self) -> None:
        """Forget the noted games: the database was damaged, and not every game could be saved."""
        self._noted = {}
        self.damaged = True

    def missing(self) -> int:
        """Return how many games of the schedule are not stored."""
        return sum((self._expected() - Counter(row[0] for row in games(self.database))).values())

    def _expected(self) -> Counter[object]:
        return Counter(
            pairing.key for pairing in load(self._folder / "soak.toml").schedule().pending(ScheduleState())
        )

    def check(self, arena: Arena, *, whole: bool) -> list[str]:
        """Return what is wrong with the stored games at the end of the tournament.

        Args:
            arena: calls commands.
            whole: whether all games must have been played.
        """
        faults = self.note()
        expected, found = self._expected(), Counter(row[0] for row in games(self.database))
        if found - expected or (whole and expected - found):
            faults.append(f"missing {expected - found}, too many {found - expected}")
        if not self.damaged:
            faults += self._unstored(arena.printed)
        checked = arena.call("db", "check", "arena.db", allowed=(0, 1))
        if checked.returncode:
            faults.append(f"arena db check: {checked.stdout}")
        return faults + self._wrong_table(arena)

    def _unstored(self, printed: Counter[str]) -> list[str]:
        """Return the games that were printed as played and are not stored."""
        store = Store.open(self.database, create=False)
        try:
            stored = Counter(describe(result).split("\n")[0] for result in store.results(tournament="soak"))
        finally:
            store.close()
        unmatched = stored - printed
        faults = []
        for line in (printed - stored).elements():
            if (game := _unshortened(line, unmatched)) is None:
                faults.append(f"printed and not stored: {line}")
            else:
                unmatched[game] -= 1
        return faults

    def _wrong_table(self, arena: Arena) -> list[str]:
        """Return how the table of `arena standings` differs from the sums over the games."""
        with closing(sqlite3.connect(self.database)) as database:
            points = dict(
                database.execute(
                    "SELECT engine.name, sum(points) FROM player JOIN engine ON engine.id = engine_id"
                    " JOIN game ON game.id = game_id JOIN tournament ON tournament.id = tournament_id"
                    " WHERE termination != 'void' AND tournament.name = 'soak' GROUP BY engine.name"
                )
            )
        output = json.loads(arena.call("standings", "soak", "--json").stdout)
        table = {row["engine"]: row["points"] for row in _rows(output)}
        return [] if table == points else [f"the table has {table}, but its games add up to {points}"]


def _unshortened(line: str, stored: Counter[str]) -> str | None:
    """Return a stored game that the log may have printed in this way, with a shortened detail."""
    start = line.removesuffix(" ...)")
    if start == line:
        return None
    return next((game for game in stored if stored[game] and " ".join(game.split()).startswith(start)), None)


def _rows(output: object) -> list[dict[str, object]]:
    """Return the rows of the table from anywhere in the output."""
    if isinstance(output, list):
        return [row for item in output for row in _rows(item)]
    if isinstance(output, dict):
        return [output] if "points" in output and "engine" in output else _rows(list(output.values()))
    return []
