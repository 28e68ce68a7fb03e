"""One turn of an engine: the position, the time limits, and methods to print ``info`` lines."""

from __future__ import annotations

import time
from itertools import pairwise

TYPE_CHECKING = False  # importing typing takes as long as importing this whole library
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any, Protocol, Self, TypeVar

    class _Replayable(Protocol):
        """The methods of a position that `Turn.replay` calls. Positions of the referee's games have them."""

        @property
        def turn(self) -> int: ...
        def parse_move(self, text: str) -> Any: ...  # noqa: ANN401 - each game has its own type of moves
        def play(self, move: Any) -> Self: ...  # noqa: ANN401 - as above
        def skip_turn(self) -> Self: ...

    P = TypeVar("P", bound=_Replayable)
    P_co = TypeVar("P_co", bound=_Replayable, covariant=True)

    class _Rules(Protocol[P_co]):
        """The methods of a game that `Turn.replay` calls."""

        def start(self) -> P_co: ...
        def parse_position(self, text: str) -> P_co: ...


_SINGLE_LIMITS = ("movestogo", "movetime", "depth", "nodes")


def _removed_seat(word: str) -> int | None:
    """Return the removed seat, 0-based, if the word is a removal such as ``!3``; None if it is a move.

    `protocol.wire.codec` has the same function for the hub, but this library imports no module of the hub.
    """
    return int(word[1:]) - 1 if word[:1] == "!" and word[1:].isdecimal() else None


class Limits:
    """The limits of one ``go`` line. Unknown words and values that are not numbers are ignored.

    Attributes:
        clocks: milliseconds left for each seat, in seat order; () without clocks.
        increments: milliseconds added to each seat's clock after its move, in seat order; () without clocks.
        moves_to_go: moves until the clock of the seat to move is refilled, or None.
        movetime: milliseconds for this move, or None.
        depth: plies to search, or None.
        nodes: nodes to search, or None.
    """

    def __init__(self, text: str) -> None:
        words = text.split()
        numbers = {
            word: max(0, int(value))
            for word, value in pairwise(words)
            if value.isascii() and value.removeprefix("-").isdecimal() and len(value) < 16
        }
        seats = [seat for seat in range(1, 10) if f"p{seat}time" in numbers]
        self.clocks = tuple(numbers[f"p{seat}time"] for seat in seats)
        self.increments = tuple(numbers.get(f"p{seat}inc", 0) for seat in seats)
        self.moves_to_go, self.movetime, self.depth, self.nodes = (
            numbers.get(word) for word in _SINGLE_LIMITS
        )


OVERHEAD = 20
"""Time reserved for sending the move: from the end of the search until the hub has read it."""

HORIZON = 50
"""The number of moves that share the remaining time, if the hub sends no ``movestogo``."""


def plan(
    time: int, increment: int = 0, moves_to_go: int | None = None, *, overhead: int = OVERHEAD
) -> tuple[int, int]:
    """Return the time that the next move should take, and its limit; each is at least 1.

    The time for a move is an equal part of the remaining time plus half of the increment. In a long game the
    clock then settles at about 25 increments, which are a reserve for delays of the machine. The limit is
    three times that time, but at most half of the remaining time, because the increment comes only after the
    move. The last move before the clock is refilled may take all of the remaining time.
    """
    available = max(1, time - overhead)
    moves = HORIZON if moves_to_go is None else max(1, min(moves_to_go, HORIZON))
    limit = available if moves == 1 else available // 2
    share = available // moves + increment // 2
    return max(1, min(share, limit)), max(1, min(3 * share, limit))


class Turn:
    """One search: the argument of `Engine.choose`.

    A test of an engine can make its own, for example ``Turn("hops", legal=["a1"])``.

    Attributes:
        game: the game's id; "" if the hub did not send it.
        start: the position string from which ``moves`` are played; None for the game's own start position.
            With the capability ``fen`` it is the current position, and there are no ``moves``.
        seat: the engine's own seat, 0-based, which is the seat to move. If the hub did not send it, it is
            counted from ``moves``; None if ``start`` is a position string.
        clocks, increments, moves_to_go, movetime, depth, nodes: the limits, as in `Limits`.
    """

    def __init__(
        self,
        game: str,
        start: str | None = None,
        moves: Sequence[str] | None = (),
        limits: Limits | str = "",
        *,
        seat: int | None = None,
        legal: Sequence[str] = (),
        send: Callable[[str], None] = print,
    ) -> None:
        self._began = time.monotonic()
        if isinstance(limits, str):
            limits = Limits(limits)
        self.game = game
        self.start = start
        self._moves = None if moves is None else tuple(moves)
        self.clocks, self.increments = limits.clocks, limits.increments
        self.moves_to_go, self.movetime = limits.moves_to_go, limits.movetime
        self.depth, self.nodes = limits.depth, limits.nodes
        if seat is None and start is None:
            seat = len(moves or ()) % max(2, len(self.clocks))
        self.seat = seat
        self._legal = tuple(legal)
        self._send = send
        self._stopped = False
        self._finished = False
        self._plan = self._make_plan()

    # --- the position

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves played since ``start``.

        ``!3`` means that the referee removed seat 3 (1-based); it is not a turn.

        Raises:
            RuntimeError: the hub sends positions instead of moves, because the engine announces ``fen``.
        """
        if self._moves is None:
            raise RuntimeError(
                "the hub sends no moves, because the engine's capabilities contain `fen`: turn.start is the"
                ' position now; for the moves, set capabilities = ("legal",) in the class of the engine'
            )
        return self._moves

    @property
    def legal(self) -> tuple[str, ...]:
        """All legal moves (capability ``legal``).

        Raises:
            RuntimeError: the hub sent no list, because one of the two sides does not use ``legal``.
        """
        if not self._legal:
            raise RuntimeError(
                "the hub sent no legal moves; it sends them if engine and hub both use `legal`"
            )
        return self._legal

    @property
    def removed(self) -> frozenset[int]:
        """The seats, 0-based, that the referee has removed: marked by ``!K``, or with 0 on their clock."""
        seats = {seat for seat in map(_removed_seat, self._moves or ()) if seat is not None}
        if len(self.clocks) > 2:
            seats.update(seat for seat, left in enumerate(self.clocks) if left == 0)
        return frozenset(seats)

    def replay(self, rules: _Rules[P]) -> P:
        """Return the current position, by playing the moves from ``start``.

        Args:
            rules: the rules of the game, for example ``referee.game(turn.game)``.

        Raises:
            ValueError: the rules do not accept a move or the position string.
        """
        position = rules.start() if self.start is None else rules.parse_position(self.start)
        removed: set[int] = set()
        for word in self._moves or ():
            seat = _removed_seat(word)
            if seat is None:
                position = position.play(position.parse_move(word))
            else:
                removed.add(seat)
            for _ in removed:
                if position.turn in removed:
                    position = position.skip_turn()
        return position

    # --- time

    @property
    def time(self) -> int | None:
        """Milliseconds on the engine's own clock; None without clocks.

        If the engine's seat is unknown, this is the smallest clock that is not 0.
        """
        if self.seat is not None and self.seat < len(self.clocks):
            return self.clocks[self.seat]
        return min((left for left in self.clocks if left), default=None)

    @property
    def increment(self) -> int:
        """Milliseconds added to the engine's clock after this move."""
        if self.seat is not None and self.seat < len(self.increments):
            return self.increments[self.seat]
        return min(self.increments, default=0)

    def elapsed_ms(self) -> int:
        """Return the milliseconds since ``go`` was read."""
        return int((time.monotonic() - self._began) * 1000)

    def budget_ms(self) -> int | None:
        """Return the milliseconds that this move should take; None if ``go`` sets no time."""
        return self._plan[0]

    def limit_ms(self) -> int | None:
        """Return the most milliseconds that this move may take; None if ``go`` sets no time."""
        return self._plan[1]

    def stopped(self) -> bool:
        """Return whether the hub wants the move now. If so, answer with the best move found so far."""
        return self._stopped

    def out_of_time(self) -> bool:
        """Return whether to end the search: the hub sent ``stop``, or `limit_ms` has passed.

        Do not call this at every node of a search: it is too slow for that.
        """
        limit = self._plan[1]
        return self._stopped or (limit is not None and (time.monotonic() - self._began) * 1000 >= limit)

    def depths(self, deepest: int = 100) -> Iterator[int]:
        """Yield the depths 1, 2, 3 and so on, for iterative deepening.

        It always yields depth 1. It ends after ``deepest`` or the depth that the hub asked for, when the hub
        sends ``stop``, and when 0.6 of the budget has passed. After that the next depth would not finish,
        because each depth takes several times as long as the one before. This does not interrupt a search;
        call `out_of_time` for that.
        """
        last = deepest if self.depth is None else min(self.depth, deepest)
        budget = self._plan[0]
        for depth in range(1, max(1, last) + 1):
            if depth > 1 and (self._stopped or (budget is not None and self.elapsed_ms() >= 0.6 * budget)):
                return
            yield depth

    def _make_plan(self) -> tuple[int | None, int | None]:
        if self.movetime is not None:
            budget = max(1, self.movetime - 5)
            return budget, budget
        remaining = self.time
        return (None, None) if remaining is None else plan(remaining, self.increment, self.moves_to_go)

    # --- reporting

    def info(
        self,
        *,
        depth: int | None = None,
        score_cp: int | None = None,
        score_mate: int | None = None,
        nodes: int | None = None,
        pv: Iterable[str] = (),
        string: str = "",
    ) -> None:
        """Print an ``info`` line, with the time used and the nodes per second. It has no effect on the game.

        Args:
            depth: plies searched.
            score_cp: hundredths of the game's unit, from the engine's own point of view.
            score_mate: plies to a forced win, negative for a loss; instead of ``score_cp``.
            nodes: positions searched.
            pv: the principal variation: the moves expected from here.
            string: any text for people; printed last.
        """
        if self._finished:
            return
        elapsed = self.elapsed_ms()
        words = ["info"]
        if depth is not None:
            words.append(f"depth {depth}")
        if score_mate is not None:
            words.append(f"score mate {score_mate}")
        elif score_cp is not None:
            words.append(f"score cp {score_cp}")
        if nodes is not None:
            words.append(f"nodes {nodes} nps {nodes * 1000 // max(1, elapsed)}")
        words.append(f"time {elapsed}")
        line = " ".join(map(str, pv))
        if line:
            words.append(f"pv {line}")
        if string:
            words.append("string " + " ".join(string.split()))
        self._send(" ".join(words))

    # --- for the library, and for tests of engines

    def stop(self) -> None:
        """Ask for the move now, as ``stop`` from the hub does."""
        self._stopped = True

    def finish(self) -> None:
        """Mark the search as answered: `info` prints nothing from now on."""
        self._finished = True
