"""The boards of running games, drawn from the plies that a run tells."""

from __future__ import annotations

from dataclasses import dataclass

from arena.errors import ArenaError
from arena.live.messages import LiveGame
from arena.web.boards import draw
from arena.web.views.thumbnails import as_picture
from referee import MoveError, game
from referee.errors import RefereeError
from referee.follower import Follower

__all__ = ["LiveBoard", "LiveBoards"]


@dataclass(frozen=True, slots=True)
class LiveBoard:
    """A drawing of the current position of a game.

    Attributes:
        svg: the drawing; "" if the rules are not installed here, or refuse a ply.
        caption: facts that it does not show; may be empty.
    """

    svg: str
    caption: str


@dataclass(slots=True)
class _Followed:
    follower: Follower
    texts: list[str]


class LiveBoards:
    """Follows running games, so that a ply costs one move of the rules and one drawing."""

    def __init__(self) -> None:
        self._followed: dict[str, _Followed] = {}

    def forget(self, key: str) -> None:
        """Forget a game that runs no more."""
        self._followed.pop(key, None)

    def draw(self, live: LiveGame) -> LiveBoard:
        """Draw the current position of a game."""
        texts = [*live.opening, *(ply.text for ply in live.plies)]
        try:
            known = self._followed.get(live.key)
            if known is None or texts[: len(known.texts)] != known.texts:
                rules = game(live.game)
                start = rules.start() if live.position is None else rules.parse_position(live.position)
                known = self._followed[live.key] = _Followed(Follower(start, rules.info.players), [])
            for text in texts[len(known.texts) :]:
                known.follower.follow(text)
                known.texts.append(text)
            drawing = draw(live.game, known.follower.position, texts[-1] if texts else None)
        except (ArenaError, RefereeError, MoveError):
            self._followed.pop(live.key, None)
            return LiveBoard("", "")
        shown = as_picture(drawing)
        svg = f'<svg class="board {shown.look}" viewBox="{shown.box}" aria-hidden="true">{shown.markup}</svg>'
        return LiveBoard(svg, drawing.caption)
