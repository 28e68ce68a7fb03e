"""Running games as events, answers and pages have them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from threading import Lock
from typing import Any, Final

from arena.errors import ArenaError
from arena.events import LiveGame
from arena.model import Pairing
from arena.web.boards import draw
from arena.web.figures import score_text
from arena.web.links import ServerLinks
from arena.web.pages.game import Neighbours, game_page, running_view
from arena.web.server.databases import ServedTournament
from referee import MoveError, game
from referee.errors import RefereeError
from referee.follower import Follower
from referee.match.adjudication import centipawns
from referee.ply import Ply


def game_data(game: LiveGame, boards: LiveBoards, tournament: str) -> dict[str, Any]:
    """Return a running game as plain values: the values of `moved_data`, the others, and the whole board."""
    pairing = game.pairing
    return {
        **moved_data(game, boards, 0),
        **pairing_data(pairing),
        "url": ServerLinks(tournament).running(pairing.number),
        "time_controls": list(game.time_controls),
        "position": pairing.opening.position,
        "opening": list(pairing.opening.moves),
        "worker": game.worker,
        "board": boards.draw(game).svg,
    }


def moved_data(game: LiveGame, boards: LiveBoards, first: int) -> dict[str, Any]:
    """Return the changes of a running game after its first ``first`` plies, with its board.

    The plies are arrays of seat, text, nanoseconds, score and depth. ``scores`` has the last score of each
    seat as pages write it. ``chance`` is the chance of the first of two seats in percent, from the last score
    of any seat; None if there is none.
    """
    board = boards.draw(game)
    return {
        "key": game.pairing.key,
        "first": first,
        "plies": list(game.plies[first:]),
        "ply": len(game.pairing.opening.moves) + len(game.plies),
        "turn": game.turn,
        "clocks_ms": list(game.clocks_ms),
        "seen": game.seen,
        **_scores(game),
        **({"items": board.items} if board.steady else {"board": board.svg}),
        "caption": board.caption,
    }


def pairing_data(pairing: Pairing) -> dict[str, Any]:
    """Return a game that may not have begun as plain values."""
    return {"number": pairing.number + 1, "game": pairing.game, "seats": list(pairing.seats)}


def _scores(game: LiveGame) -> dict[str, Any]:
    last = {ply.seat: ply.score for ply in game.plies if ply.score}
    seats = range(len(game.pairing.seats))
    return {
        "scores": [score_text(last.get(seat, "")) for seat in seats],
        "chance": _chance(game.plies, len(seats)),
    }


def _chance(plies: Sequence[Ply], seats: int) -> int | None:
    """Return the chance of the first of two seats in percent, by the curve of lichess.org/page/accuracy."""
    ply = next((ply for ply in reversed(plies) if ply.score), None)
    units = None if ply is None or seats != 2 else centipawns(f"score {ply.score}")
    if ply is None or units is None:
        return None
    units = max(-2000, min(-units if ply.seat else units, 2000))
    return round(100 / (1 + exp(-0.00368208 * units)))


@dataclass(frozen=True, slots=True)
class LiveBoard:
    """A drawing of the current position of a game.

    ``svg`` is "" if the rules are not installed here, or refuse a ply. ``items`` is the content of its last
    element, which has all parts that move; ``steady`` says whether the rest has been the same in all drawings
    of the game. ``caption`` has facts that it does not show.
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
        key = live.pairing.key
        texts = [*live.pairing.opening.moves, *(ply.text for ply in live.plies)]
        try:
            known = self._follow(live, texts)
        except (ArenaError, RefereeError, MoveError):
            self._followed.pop(key, None)
            return _NO_BOARD
        if known.board is None:
            known.board = _drawn(live.pairing.game, known)
        return known.board

    def _follow(self, live: LiveGame, texts: list[str]) -> _Followed:
        pairing = live.pairing
        known = self._followed.get(pairing.key)
        if known is None or texts[: len(known.texts)] != known.texts:
            rules, position = game(pairing.game), pairing.opening.position
            start = rules.start() if position is None else rules.parse_position(position)
            known = self._followed[pairing.key] = _Followed(Follower(start, rules.info.players), [])
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


_KEPT: Final = 64
"""The number of pages that are kept."""


class RunningGamePages:
    """The newest pages. A page draws every position of its game, so all readers share one page."""

    def __init__(self) -> None:
        self._pages: dict[tuple[str, str], tuple[LiveGame, str]] = {}
        self._lock = Lock()

    def get(self, tournament: ServedTournament, live: LiveGame) -> str:
        """Return the page of a running game. Blocks."""
        with self._lock:
            known, text = self._pages.pop((tournament.id, live.pairing.key), (None, ""))
            if known is None or (known.pairing, known.plies) != (live.pairing, live.plies):
                links = ServerLinks(tournament.id)
                neighbours = Neighbours("main", "../")
                known = live
                text = game_page(running_view(tournament.name, live), links, neighbours, links.events())
            self._pages[tournament.id, live.pairing.key] = known, text
            while len(self._pages) > _KEPT:
                del self._pages[next(iter(self._pages))]
            return text
