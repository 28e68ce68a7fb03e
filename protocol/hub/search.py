"""A search request to an engine, its result, and the lines that send the position."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from protocol.spec import PositionForm
from protocol.wire import messages as m
from protocol.wire.lines import MAX_LINE
from protocol.wire.session import Session

__all__ = ["PositionWriter", "SearchRequest", "SearchResult", "split_legal"]


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """The position that an engine must search. Its capabilities and its configuration decide what is sent.

    Attributes:
        start: the position string of the game's first position; None for the game's own start.
        moves: all moves since ``start``, with removals such as ``!3``. During a game this only grows.
        recent: returns the position string after the last irreversible move, or None before there is one, and
            the moves since, with all removals.
        fen: returns the current position string.
        legal: returns the texts of all legal moves in the current position.
    """

    start: str | None
    moves: Sequence[str]
    recent: Callable[[], tuple[str | None, Sequence[str]]]
    fen: Callable[[], str]
    legal: Callable[[], Sequence[str]]


@dataclass(frozen=True, slots=True)
class SearchResult:
    """An engine's answer.

    Attributes:
        move: the text of the move, ``resign``, or a word that says that the engine has no move.
        started: when ``go`` was completely written, in nanoseconds of the client's clock.
        ended: when the whole line of ``bestmove`` was read, in nanoseconds of the client's clock.
        info: the text of the last ``info`` with a score; "" if there was none.
    """

    move: str
    started: int
    ended: int
    info: str


def split_legal(moves: Sequence[str]) -> Iterator[m.Legal]:
    """Yield the messages that list these moves: one, or more if the list is longer than a line may be."""
    chunk: list[str] = []
    size, more = 0, False
    for text in moves:
        if size + len(text) + 1 > MAX_LINE - 16:
            yield m.Legal(tuple(chunk), more=more)
            chunk, size, more = [], 0, True
        chunk.append(text)
        size += len(text) + 1
    yield m.Legal(tuple(chunk), more=more)


class PositionWriter:
    """Writes positions for one engine, and remembers which moves of this game it has sent.

    Args:
        session: the conversation with the engine.
        form: what an engine gets that announces neither ``fen`` nor ``delta``.
    """

    __slots__ = ("_form", "_line", "_sent", "_session")

    def __init__(self, session: Session, form: PositionForm) -> None:
        self._session = session
        self._form = form
        self._sent = -1
        self._line = ""

    def send_position(self, turn: SearchRequest) -> bytes:
        """Return the bytes that send the position.

        An engine with ``fen`` gets a string. An engine with ``delta`` gets the moves, and after that only
        the new ones. Any other engine gets what its configuration says. A list of moves that is too long for
        a line is sent as a string, too.
        """
        session = self._session
        capabilities = session.capabilities
        if "fen" in capabilities:
            return session.send(m.SetPosition(turn.fen()))
        if self._form != "moves" and "delta" not in capabilities:
            return self._send_form(turn)
        first = self._sent < 0
        new_moves = " ".join(turn.moves[max(self._sent, 0) :])
        self._sent = len(turn.moves)
        if not first and "delta" in capabilities:
            return session.send(m.Moves(new_moves)) if new_moves else b""
        if new_moves:
            self._line = f"{self._line} {new_moves}" if self._line else new_moves
        if len(self._line) + len(turn.start or "") + 40 > MAX_LINE:
            return session.send(m.SetPosition(turn.fen()))
        return session.send(m.SetPosition(turn.start, self._line))

    def _send_form(self, turn: SearchRequest) -> bytes:
        if self._form == "short":
            base, moves = turn.recent()
            start, line = base if base is not None else turn.start, " ".join(moves)
            if len(line) + len(start or "") + 40 <= MAX_LINE:
                return self._session.send(m.SetPosition(start, line))
        return self._session.send(m.SetPosition(turn.fen()))

    def send_legal(self, turn: SearchRequest) -> bytes:
        """Return the bytes that list the legal moves: ``legal …``, then ``legal+ …`` for a long list."""
        if "legal" not in self._session.capabilities:
            return b""
        return b"".join(self._session.send(legal) for legal in split_legal(turn.legal()))
