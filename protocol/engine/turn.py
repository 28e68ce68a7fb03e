"""What an engine written with `protocol.engine` is asked: a position, its limits, and how to report back."""

from __future__ import annotations

import time
from itertools import pairwise

from protocol.engine.time_plan import plan

TYPE_CHECKING = False  # typing's own would have to be imported, which costs as much as all of this library
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any, Protocol, Self, TypeVar

    class Replayable(Protocol):
        """What `Turn.replay` needs of a position; those of the referee's games have it."""

        @property
        def turn(self) -> int: ...
        def parse_move(self, text: str) -> Any: ...  # noqa: ANN401 - each game plays moves of its own type
        def play(self, move: Any) -> Self: ...  # noqa: ANN401 - as above
        def skip_turn(self) -> Self: ...

    P = TypeVar("P", bound=Replayable)
    P_co = TypeVar("P_co", bound=Replayable, covariant=True)

    class Rules(Protocol[P_co]):
        """What `Turn.replay` needs of a game."""

        def start(self) -> P_co: ...
        def parse_position(self, text: str) -> P_co: ...


__all__ = ["Limits", "Turn"]

_SINGLE = ("movestogo", "movetime", "depth", "nodes")


def _removed_seat(word: str) -> int | None:
    """The seat, 0-based, whose removal stands in the place of a move; None for a move.

    `protocol.wire.codec` has the same for the hub, but this library imports nothing of the hub.
    """
    return int(word[1:]) - 1 if word[:1] == "!" and word[1:].isdecimal() else None


class Limits:
    """The words of one ``go``; those that are unknown, or no numbers, are skipped.

    Attributes:
        clocks: milliseconds left, one a seat in seat order; () without clocks.
        increments: milliseconds that each seat gets back after a move, as many.
        moves_to_go: moves until the mover's clock is filled again, or None.
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
        self.moves_to_go, self.movetime, self.depth, self.nodes = (numbers.get(word) for word in _SINGLE)


class Turn:
    """One ``go``: what `Engine.choose` gets. Tests of engines make their own: ``Turn("hops", legal=["a1"])``.

    Attributes:
        game: the game's id; "" when the hub did not tell.
        start: the position string from which ``moves`` are played; None is the game's own start position.
            With the capability ``fen`` it is the position now, and ``moves`` is empty.
        moves: everything played since; ``!3`` says that the referee removed seat 3 (1-based; not a turn).
        seat: whose turn it is, 0-based, which is us; None when the hub did not tell.
        clocks, increments, moves_to_go, movetime, depth, nodes: the limits, as in `Limits`.
    """

    def __init__(
        self,
        game: str,
        start: str | None = None,
        moves: Sequence[str] = (),
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
        self.moves = tuple(moves)
        self.clocks, self.increments = limits.clocks, limits.increments
        self.moves_to_go, self.movetime = limits.moves_to_go, limits.movetime
        self.depth, self.nodes = limits.depth, limits.nodes
        if seat is None and start is None:
            seat = len(self.moves) % max(2, len(self.clocks))
        self.seat = seat
        self._legal = tuple(legal)
        self._send = send
        self._stopped = False
        self._finished = False
        self._plan = self._make_plan()

    # --- the position

    @property
    def legal(self) -> tuple[str, ...]:
        """All legal moves (capability ``legal``).

        Raises:
            RuntimeError: no list came, because the engine did not ask for it or the hub does not give any.
        """
        if not self._legal:
            raise RuntimeError("the hub sent no legal moves: they come only where both sides use `legal`")
        return self._legal

    @property
    def removed(self) -> frozenset[int]:
        """The seats, 0-based, that the referee has removed: by ``!K``, or because their clock shows 0."""
        seats = {seat for seat in map(_removed_seat, self.moves) if seat is not None}
        if len(self.clocks) > 2:
            seats.update(seat for seat, left in enumerate(self.clocks) if left == 0)
        return frozenset(seats)

    def replay(self, rules: Rules[P]) -> P:
        """The position now, by ``rules``: for example those of ``referee.game(turn.game)``.

        Raises:
            ValueError: a move or a position that those rules do not accept.
        """
        position = rules.start() if self.start is None else rules.parse_position(self.start)
        removed: set[int] = set()
        for word in self.moves:
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
        """Milliseconds on our own clock; None without clocks. Unsure of our seat, it is the smallest."""
        if self.seat is not None and self.seat < len(self.clocks):
            return self.clocks[self.seat]
        return min((left for left in self.clocks if left), default=None)

    @property
    def increment(self) -> int:
        """Milliseconds that we get back after this move."""
        if self.seat is not None and self.seat < len(self.increments):
            return self.increments[self.seat]
        return min(self.increments, default=0)

    def elapsed_ms(self) -> int:
        """Milliseconds since ``go`` was read."""
        return int((time.monotonic() - self._began) * 1000)

    def budget_ms(self) -> int | None:
        """Milliseconds that this move should take; None when no time is set (depth, nodes, no limit)."""
        return self._plan[0]

    def limit_ms(self) -> int | None:
        """Milliseconds that this move may take at most; None when no time is set."""
        return self._plan[1]

    def stopped(self) -> bool:
        """Whether the hub wants the move now: answer with the best found so far."""
        return self._stopped

    def out_of_time(self) -> bool:
        """Whether to break off: told to stop, or past `limit_ms`. Cheap, but not for every node."""
        limit = self._plan[1]
        return self._stopped or (limit is not None and (time.monotonic() - self._began) * 1000 >= limit)

    def depths(self, deepest: int = 100) -> Iterator[int]:
        """1, 2, 3 and so on, while it is worth beginning to search one ply deeper: for iterative deepening.

        Gives 1 at once, whatever the clock says. Ends at the depth that the hub asked for, or at ``deepest``;
        when told to stop; and when 0.6 of the budget has passed, as each step takes several times as long
        as the one before. A step that takes too long must be broken off by `out_of_time`.
        """
        last = deepest if self.depth is None else min(self.depth, deepest)
        budget = self._plan[0]
        for depth in range(1, max(1, last) + 1):
            if depth > 1 and (self._stopped or (budget is not None and self.elapsed_ms() >= 0.6 * budget)):
                return
            yield depth

    def _make_plan(self) -> tuple[int | None, int | None]:
        if self.movetime is not None:
            all_of_it = max(1, self.movetime - 5)
            return all_of_it, all_of_it
        left = self.time
        return (None, None) if left is None else plan(left, self.increment, self.moves_to_go)

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
        """Print an ``info`` line, with the time passed and the nodes a second; it never decides anything.

        Args:
            depth: plies searched.
            score_cp: hundredths of the game's unit, from our own point of view.
            score_mate: plies to a forced win, negative for a loss; instead of ``score_cp``.
            nodes: positions searched.
            pv: the moves expected from here.
            string: anything for people; stands last.
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
        """The hub wants the move now."""
        self._stopped = True

    def finish(self) -> None:
        """The answer is out: an ``info`` that comes late is not printed."""
        self._finished = True
