"""A turn as the hub puts it before an engine, and what comes back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from protocol.wire import messages as m
from protocol.wire.lines import MAX_LINE
from protocol.wire.session import Session

__all__ = ["PositionWriter", "SearchRequest", "SearchResult", "split_legal"]


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What an engine is to think about; how much of it is sent depends on its capabilities.

    Attributes:
        start: the position string of the game's first position; None for the game's own start.
        moves: everything played since, removals (``!3``) included; only ever grows.
        fen: gives the position string now.
        legal: gives the texts of all legal moves now.
    """

    start: str | None
    moves: Sequence[str]
    fen: Callable[[], str]
    legal: Callable[[], Sequence[str]]


@dataclass(frozen=True, slots=True)
class SearchResult:
    """An engine's answer.

    Attributes:
        move: its text; None where the engine said that it has none; ``resign``.
        started: when the write of ``go`` had completed, nanoseconds of the client's clock.
        ended: when the bytes with the newline of ``bestmove`` had been read.
        info: the last ``info`` with a score, as text; "" for none.
    """

    move: str | None
    started: int
    ended: int
    info: str


def split_legal(moves: Sequence[str]) -> Iterator[m.Legal]:
    """The messages that list these moves: as many as the length of a line makes necessary, at least one."""
    part: list[str] = []
    size, more = 0, False
    for text in moves:
        if size + len(text) + 1 > MAX_LINE - 16:
            yield m.Legal(tuple(part), more=more)
            part, size, more = [], 0, True
        part.append(text)
        size += len(text) + 1
    yield m.Legal(tuple(part), more=more)


class PositionWriter:
    """Puts turns into words for one engine, and remembers what that engine has been told in this game.

    Args:
        session: the conversation with it.
    """

    __slots__ = ("_line", "_sent", "_session")

    def __init__(self, session: Session) -> None:
        self._session = session
        self._sent = -1
        self._line = ""

    def send_position(self, turn: SearchRequest) -> bytes:
        """The bytes to send for the position, in the shortest form that the engine takes."""
        session = self._session
        capabilities = session.capabilities
        if "fen" in capabilities:
            return session.send(m.SetPosition(turn.fen()))
        first = self._sent < 0
        fresh = " ".join(turn.moves[max(self._sent, 0) :])
        self._sent = len(turn.moves)
        if not first and "delta" in capabilities:
            return session.send(m.Moves(fresh)) if fresh else b""
        if fresh:
            self._line = f"{self._line} {fresh}" if self._line else fresh
        if len(self._line) + len(turn.start or "") + 40 > MAX_LINE:
            return session.send(m.SetPosition(turn.fen()))
        return session.send(m.SetPosition(turn.start, self._line))

    def send_legal(self, turn: SearchRequest) -> bytes:
        """The bytes for the legal moves: ``legal …``, then ``legal+ …`` for what a line cannot hold."""
        if "legal" not in self._session.capabilities:
            return b""
        return b"".join(self._session.send(legal) for legal in split_legal(turn.legal()))
