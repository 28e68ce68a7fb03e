"""Where the links of pages lead. A report links files of its folder; a server links addresses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

__all__ = ["FolderLinks", "Links"]


class Links(Protocol):
    """The addresses of pages, as the page with the links needs them."""

    def home(self) -> str:
        """The page of all tournaments; "" if there is none."""
        ...

    def tournament(self, name: str) -> str:
        """The page of a tournament."""
        ...

    def game(self, number: int, ply: int | None = None) -> str:
        """The page of a game, at a ply if one is given."""
        ...

    def engine(self, name: str) -> str:
        """The page of an engine; "" if it has none."""
        ...

    def words(self) -> str:
        """The page that explains the words of tables."""
        ...

    def asset(self, name: str) -> str:
        """A style sheet, a script or a picture."""
        ...


@dataclass(frozen=True, slots=True)
class FolderLinks:
    """Links between the files of one tournament's report.

    Attributes:
        root: the way from the page to the folder of the tournament: "" or ``../``.
        home_page: the file of the page of all tournaments, from the tournament's folder; "" if there is none.
        engines: the number of each engine with a page, by its name.
    """

    root: str = ""
    home_page: str = ""
    engines: Mapping[str, int] = field(default_factory=dict)

    def home(self) -> str:
        """The page of all tournaments; "" if the report has one tournament."""
        return f"{self.root}{self.home_page}" if self.home_page else ""

    def tournament(self, name: str) -> str:
        """The page of the tournament."""
        return f"{self.root}index.html"

    def game(self, number: int, ply: int | None = None) -> str:
        """The page of a game, at a ply if one is given."""
        return f"{self.root}games/{number}.html" + ("" if ply is None else f"#ply={ply}")

    def engine(self, name: str) -> str:
        """The page of an engine; "" if it has none."""
        number = self.engines.get(name)
        return "" if number is None else f"{self.root}engines/{number}.html"

    def words(self) -> str:
        """The page that explains the words of tables."""
        return f"{self.root}words.html"

    def asset(self, name: str) -> str:
        """A style sheet, a script or a picture."""
        return f"{self.root}{name}"
