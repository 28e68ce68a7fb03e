"""Where the links of served pages lead."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from arena.web.links import PICTURE, game_picture

__all__ = ["ServerLinks"]


@dataclass(frozen=True, slots=True)
class ServerLinks:
    """Links between the pages of a server.

    Names of engines and game ids are parameters: a plug-in or a user chose them, so they may hold anything.

    Attributes:
        id: the id of the tournament that the page is about; "" for none.
        origin: the beginning of the server's addresses, for links that other programs follow; may be "".
    """

    id: str = ""
    origin: str = ""

    @property
    def served(self) -> bool:
        """A server sends the pages."""
        return True

    def home(self) -> str:
        """The page of all tournaments."""
        return "/"

    def tournament(self, name: str) -> str:
        """The page of the tournament."""
        return f"/tournaments/{self.id}/" if self.id else "/"

    def game(self, number: int, ply: int | None = None) -> str:
        """The page of a game, at a ply if one is given."""
        return f"/tournaments/{self.id}/games/{number}.html" + ("" if ply is None else f"#ply={ply}")

    def events(self) -> str:
        """The stream of events of the tournament."""
        return f"/api/tournaments/{self.id}/events"

    def running(self, number: int) -> str:
        """The page of a running game with a number in the schedule, from 0."""
        return f"/tournaments/{self.id}/running/{number + 1}"

    def games(self, game: str) -> str:
        """The list of the games of a game id."""
        return self.list(game=game)

    def pair(self, game: str, places: tuple[int, int], names: tuple[str, str]) -> str:
        """The list of the games of two engines in a game id."""
        return self.list(game=game, between=names)

    def engine(self, name: str) -> str:
        """The page of an engine."""
        return self._address("engine", name=name)

    def play(self, game: str, position: str) -> str:
        """The page on which people play, with the game and the position in its form."""
        return f"/play/?{urlencode({'game': game, 'start': position})}"

    def words(self) -> str:
        """The page that explains the words of tables."""
        return f"/tournaments/{self.id}/words" if self.id else "/words"

    def picture(self, number: int | None = None) -> str:
        """The picture of a game's last position, or of the newest game's; "" without an origin."""
        place = PICTURE if number is None else game_picture(number)
        return f"{self.origin}/tournaments/{self.id}/{place}" if self.origin else ""

    def full_address(self, number: int | None = None) -> str:
        """The page of a game or of the tournament; "" without an origin."""
        place = self.tournament("") if number is None else self.game(number)
        return f"{self.origin}{place}" if self.origin else ""

    def asset(self, name: str) -> str:
        """A style sheet, a script or a picture."""
        return f"/{name}"

    def list(self, **parameters: str | int | tuple[str, ...]) -> str:
        """The list of the games with these parameters."""
        return self._address("games", **parameters)

    def _address(self, page: str, **values: str | int | tuple[str, ...]) -> str:
        return f"/tournaments/{self.id}/{page}?{urlencode(values, doseq=True)}"
