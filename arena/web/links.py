"""Where the links of pages lead. A report links files of its folder; a server links addresses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

__all__ = ["PICTURE", "FolderLinks", "Links", "game_file", "game_picture", "list_page", "pair_page", "slug"]

PICTURE: Final = "picture.png"
"""The file of the picture of a tournament's newest game."""


class Links(Protocol):
    """The addresses of pages, as the page with the links needs them."""

    @property
    def served(self) -> bool:
        """Whether a server sends the pages, with a content security policy in the head of its answers."""
        ...

    def home(self) -> str:
        """The page of all tournaments; "" if there is none."""
        ...

    def tournament(self, name: str) -> str:
        """The page of a tournament."""
        ...

    def game(self, number: int, ply: int | None = None) -> str:
        """The page of a game, at a ply if one is given."""
        ...

    def games(self, game: str) -> str:
        """The list of the games of a game id."""
        ...

    def pair(self, game: str, places: tuple[int, int], names: tuple[str, str]) -> str:
        """The list of the games of two engines in a game id.

        Args:
            game: the game id.
            places: their places in the crosstable, from 1.
            names: their names.
        """
        ...

    def engine(self, name: str) -> str:
        """The page of an engine; "" if it has none."""
        ...

    def play(self, game: str, position: str) -> str:
        """The page on which people play from a position; "" if there is none."""
        ...

    def words(self) -> str:
        """The page that explains the words of tables."""
        ...

    def picture(self, number: int | None = None) -> str:
        """Return the full address of the picture of a game's last position, or of the newest game's.

        Returns:
            "" if there is none.
        """

    def full_address(self, number: int | None = None) -> str:
        """Return the full address of a game's page, or of the page of the tournament.

        Returns:
            "" if it is not known.
        """

    def asset(self, name: str) -> str:
        """A style sheet, a script or a picture."""
        ...


def slug(game: str) -> str:
    """Return a game id as a part of file names and anchors."""
    return re.sub(r"[^\w-]", "_", game, flags=re.ASCII)


def game_file(number: int) -> str:
    """Return the file name of a game's page."""
    return f"games/{number}.html"


def game_picture(number: int) -> str:
    """Return the file name of the picture of a game's last position."""
    return f"games/{number}.png"


def list_page(game: str, number: int) -> str:
    """Return the file name of a page of the list of games; pages are numbered from 1."""
    return f"{slug(game)}-{number}.html"


def pair_page(game: str, places: tuple[int, int], number: int) -> str:
    """Return the file name of a page of the games of two engines.

    Args:
        game: the game id.
        places: the places of the engines in the crosstable, from 1, in any order.
        number: the number of the page, from 1.
    """
    return f"{slug(game)}-{min(places)}v{max(places)}-{number}.html"


@dataclass(frozen=True, slots=True)
class FolderLinks:
    """Links between the files of one tournament's report.

    Attributes:
        root: the way from the page to the folder of the tournament: "" or ``../``.
        home_page: the file of the page of all tournaments, from the tournament's folder; "" if there is none.
        engines: the number of each engine with a page, by its name.
        origin: the full address of the folder of the tournament, without a slash at the end; "" if it is not
            known. With it, pages have previews.
    """

    root: str = ""
    home_page: str = ""
    engines: Mapping[str, int] = field(default_factory=dict)
    origin: str = ""

    @property
    def served(self) -> bool:
        """A report is read from files."""
        return False

    def home(self) -> str:
        """The page of all tournaments; "" if the report has one tournament."""
        return f"{self.root}{self.home_page}" if self.home_page else ""

    def tournament(self, name: str) -> str:
        """The page of the tournament."""
        return f"{self.root}index.html"

    def game(self, number: int, ply: int | None = None) -> str:
        """The page of a game, at a ply if one is given."""
        return f"{self.root}{game_file(number)}" + ("" if ply is None else f"#ply={ply}")

    def games(self, game: str) -> str:
        """The first page of the list of the games of a game id."""
        return f"{self.root}{list_page(game, 1)}"

    def pair(self, game: str, places: tuple[int, int], names: tuple[str, str]) -> str:
        """The first page of the list of the games of two engines in a game id."""
        return f"{self.root}{pair_page(game, places, 1)}"

    def engine(self, name: str) -> str:
        """The page of an engine; "" if it has none."""
        number = self.engines.get(name)
        return "" if number is None else f"{self.root}engines/{number}.html"

    def play(self, game: str, position: str) -> str:
        """People do not play in a report."""
        return ""

    def words(self) -> str:
        """The page that explains the words of tables."""
        return f"{self.root}words.html"

    def picture(self, number: int | None = None) -> str:
        """The picture of a game's last position, or of the newest game's; "" without an origin."""
        return self._full(PICTURE if number is None else game_picture(number))

    def full_address(self, number: int | None = None) -> str:
        """The page of a game or of the tournament; "" without an origin."""
        return self._full("index.html" if number is None else game_file(number))

    def _full(self, file: str) -> str:
        return f"{self.origin}/{file}" if self.origin else ""

    def asset(self, name: str) -> str:
        """A style sheet, a script or a picture."""
        return f"{self.root}{name}"
