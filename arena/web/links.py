"""Where the links of pages lead."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Final
from urllib.parse import urlencode

from markupsafe import Markup

RECORDS: Final = {"pgn": "PGN", "jsonl": "JSON lines"}
"""The endings of files of records, and what the files are called."""

_SIGNS: Final = "0123456789bcdfghjkmnpqrstvwxyz"  # without vowels there are no words
LONGEST_NAME: Final = 40
"""The most characters of a tournament's name in an address, or in the name of a file or folder."""

_TOURNAMENT: Final = re.compile(r"(?:.*-)?([0-9a-z]{6}(?:-[1-9][0-9]{0,3})?)")


@lru_cache(maxsize=4096)
def tournament_id(name: str, created: float) -> str:
    """Return the id of a tournament in addresses, such as ``spring-league-k3f9x2``; it never changes.

    It depends only on the name and on the start of the tournament, in seconds since the epoch, which
    every copy of the database has.
    """
    value = int.from_bytes(blake2b(f"{name}\0{float(created)!r}".encode(), digest_size=16).digest())
    mark = ""
    for _ in range(6):
        value, sign = divmod(value, len(_SIGNS))
        mark += _SIGNS[sign]
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9]+", "-", plain)[:LONGEST_NAME].strip("-")
    return f"{words}-{mark}" if words else mark


def tournament_mark(id_: str) -> str:
    """Return the part of a tournament's id that no other tournament has; "" if the text is no id."""
    match = _TOURNAMENT.fullmatch(id_)
    return match[1] if match else ""


def slug(game: str) -> str:
    """Return a game id as a part of file names and anchors."""
    return re.sub(r"[^\w-]", "_", game, flags=re.ASCII)


def game_anchor(game: str) -> str:
    """Return the anchor of a game id on the page of its tournament."""
    return f"game-{slug(game)}"


@dataclass(frozen=True, slots=True)
class Links:
    """Links between the pages of a server, or of a report, which is such pages in files.

    Names of engines and game ids are parameters: a plug-in or a user chose them, so they may hold anything.
    """

    id: str = ""  # of the tournament that the page is about; "" for none
    origin: str = ""  # the scheme and host of the server, for links that other programs follow; or ""
    made: Markup | str = ""  # when the report was made, in words; "" on a server
    alone: bool = False  # whether it is the only tournament of a report

    def home(self) -> str:
        """The page of all tournaments; "" if there is none."""
        return "" if self.alone else "/"

    def tournament(self) -> str:
        """The page of the tournament."""
        return f"/tournaments/{self.id}/" if self.id else "/"

    def game(self, number: int, ply: int | None = None) -> str:
        """The page of a game, at a ply if one is given."""
        return f"{self.tournament()}games/{number}.html" + ("" if ply is None else f"#ply={ply}")

    def events(self) -> str:
        """The stream of events of the tournament."""
        return f"/api/tournaments/{self.id}/events"

    def running(self, number: int) -> str:
        """The page of a running game by its place in the schedule, from 0."""
        return f"{self.tournament()}running/{number + 1}"

    def pair(self, game: str, names: tuple[str, str]) -> str:
        """The page of two engines in a game id."""
        return self._address("pair", game=game, engine=names[0], opponent=names[1])

    def engine(self, name: str) -> str:
        """The page of an engine in the tournament, or in all of them."""
        return self._address("engine", name=name) if self.id else self.everywhere(name)

    def everywhere(self, name: str, beside: str = "") -> str:
        """The page of an engine in all tournaments, of the database that has the tournament ``beside``."""
        values = {"name": name} | ({"beside": beside} if beside else {})
        return f"/engine?{urlencode(values)}"

    def play(self, game: str, **wanted: str) -> str:
        """The page on which people play, with the game and its ``start`` or ``engine`` in the form."""
        return f"/play/?{urlencode({'game': game, **wanted})}"

    def words(self) -> str:
        """The page that explains the words of tables."""
        return f"{self.tournament()}words"

    def card(self, page: str = "picture.png", **values: str) -> str:
        """The link card of a page; by default of the tournament, or of all."""
        return self.full(self._address(page, **values))

    def feed(self, engine: str = "") -> str:
        """The feed of the newest results, of all or of an engine."""
        return self._address("engine.atom", name=engine) if engine else self._address("results.atom")

    def embed(self, number: int | None = None) -> str:
        """The page for frames of other sites: of a game, or of the running games."""
        return f"{self.tournament()}embed" if number is None else f"{self.tournament()}games/{number}/embed"

    def full(self, address: str) -> str:
        """An address of this server for other programs; "" without an origin."""
        return f"{self.origin}{address}" if self.origin else ""

    def records(self, kind: str, **parameters: str) -> str:
        """The records of the games of a list, as a file of one of the `RECORDS`."""
        return self._address(f"games.{kind}", **parameters)

    def record(self, number: int, kind: str) -> str:
        """The record of a game, as a file of one of the `RECORDS`, or its film (``gif``)."""
        return f"{self.tournament()}games/{number}.{kind}"

    def list(self, **parameters: str | int | tuple[str, ...]) -> str:
        """The list of the games with these parameters."""
        return self._address("games", **parameters)

    def _address(self, page: str, **values: str | int | tuple[str, ...]) -> str:
        query = urlencode(values, doseq=True)
        return f"{self.tournament()}{page}" + (f"?{query}" if query else "")
