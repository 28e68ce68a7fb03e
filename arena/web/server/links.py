"""Where the links of served pages lead."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ServerLinks"]


@dataclass(frozen=True, slots=True)
class ServerLinks:
    """Links between the pages of a server.

    Attributes:
        id: the id of the tournament that the page is about; "" for none.
    """

    id: str = ""

    def home(self) -> str:
        """The page of all tournaments."""
        return "/"

    def tournament(self, name: str) -> str:
        """The page of the tournament."""
        return f"/tournaments/{self.id}/" if self.id else "/"

    def game(self, number: int, ply: int | None = None) -> str:
        """The page of a game, at a ply if one is given."""
        return f"/tournaments/{self.id}/games/{number}.html" + ("" if ply is None else f"#ply={ply}")

    def engine(self, name: str) -> str:
        """Engines have no served page."""
        return ""

    def words(self) -> str:
        """The page that explains the words of tables."""
        return f"/tournaments/{self.id}/words" if self.id else "/words"

    def asset(self, name: str) -> str:
        """A style sheet, a script or a picture."""
        return f"/{name}"
