"""The boards of running games, drawn from the plies that a run reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from arena.errors import ArenaError
from arena.live.messages import LiveGame
from arena.web.boards import draw
from referee import MoveError, game
from referee.errors import RefereeError
from referee.follower import Follower

__all__ = ["LiveBoard", "LiveBoards"]


@dataclass(frozen=True, slots=True)
class LiveBoard:
    """A drawing of the current position of a game.

    Attributes:
        svg: the drawing; "" if the rules are not installed here, or refuse a ply.
        items: the content of its last element, which has all parts that move.
        steady: whether the rest of the drawing has been the same in all drawings of the game.
        caption: facts that it does not show; may be empty.
    """

    svg: str
    items: str
    steady: bool
    caption: str


_NO_BOARD: Final = LiveBoard("", "", steady=False, caption="")


@dataclass(slots=True)
class _Followed:
    follower: Follower
    texts: list[str]
    ground: str = ""
    board: LiveBoard | None = None


class LiveBoards:
    """Follows running games, so that a new ply needs only one move of the rules and one drawing."""

    def __init__(self) -> None:
        self._followed: dict[str, _Followed] = {}

    def forget(self, key: str) -> None:
        """Forget a game that runs no more."""
        self._followed.pop(key, None)

    def draw(self, live: LiveGame) -> LiveBoard:
        """Draw the current position of a game."""
        texts = [*live.opening, *(ply.text for ply in live.plies)]
        try:
            known = self._follow(live, texts)
        except (ArenaError, RefereeError, MoveError):
            self._followed.pop(live.key, None)
            return _NO_BOARD
        if known.board is None:
            known.board = _drawn(live.game, known)
        return known.board

    def _follow(self, live: LiveGame, texts: list[str]) -> _Followed:
        known = self._followed.get(live.key)
        if known is None or texts[: len(known.texts)] != known.texts:
            rules = game(live.game)
            start = rules.start() if live.position is None else rules.parse_position(live.position)
            known = self._followed[live.key] = _Followed(Follower(start, rules.info.players), [])
        for text in texts[len(known.texts) :]:
            known.follower.follow(text)
            known.texts.append(text)
            known.board = None
        return known


def _drawn(game_id: str, known: _Followed) -> LiveBoard:
    drawing = draw(game_id, known.follower.position, known.texts[-1] if known.texts else None)
    items = "".join(drawing.items)
    box = " ".join(map(str, drawing.box))
    ground = f'<svg class="board {drawing.look}" viewBox="{box}" aria-hidden="true">{drawing.ground}'
    steady = not known.ground or known.ground == ground
    known.ground = ground if steady else "changes"
    return LiveBoard(f"{ground}<g>{items}</g></svg>", items, steady, drawing.caption)
