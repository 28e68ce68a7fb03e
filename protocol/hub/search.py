"""A search request to an engine, its result, and the lines that send the position."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from protocol.spec import PositionForm
from protocol.wire import messages as m
from protocol.wire.session import MAX_LINE, Session

Recent = tuple[str, int, Sequence[str]]
"""A position string, the number of moves before this position, and the removals among these moves."""


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """The position that an engine must search. Its capabilities and its configuration decide what is sent."""

    start: str | None  # the string of the first position; None for the game's own start
    moves: Sequence[str]  # all since `start`, with removals such as !3; during a game this only grows
    recent: Callable[[], Recent | None]  # returns the position after the last irreversible move
    fen: Callable[[], str]  # returns the current position string
    legal: Callable[[], Sequence[str]]  # returns the texts of all legal moves


class SearchResult(NamedTuple):
    """An engine's answer. A named tuple, because every ply creates one."""

    move: str  # also resign, or a word that says that the engine has no move
    started: int  # when `go` was completely written, in nanoseconds of the client's clock
    ended: int  # when the whole line of `bestmove` was read, or was ready to be read
    info: str  # the text of the last `info` with a score; "" if there was none
    ponder: str = ""  # the opponent's move that it expects; "" if it said none


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


class SearchWriter:
    """Writes the lines of searches for one engine and one game.

    ``form`` says how to send positions to an engine that announces neither ``fen`` nor ``delta``.
    """

    def __init__(self, session: Session, form: PositionForm) -> None:
        self._session = session
        self._form = form
        self._delta = False
        if "fen" in session.capabilities:
            self._form = "fen"
        elif "delta" in session.capabilities:
            self._form, self._delta = "moves", True
        self._short_path = self._form != "fen" and not self._delta and "legal" not in session.capabilities
        self._written = -1  # how many moves an engine with ``delta`` knows; -1 before its first position

    def search(self, turn: SearchRequest, go: m.Go) -> bytes:
        """Return the bytes that send the position, the legal moves if the engine wants them, and ``go``."""
        if self._short_path:
            start, moves = self.whole(turn)
            return self._session.send_search(start, moves, go)
        return self.position(turn) + self._session.send(go)

    def position(self, turn: SearchRequest) -> bytes:
        """Return the bytes that send the position, and the legal moves if the engine wants them.

        An engine with ``fen`` gets a string. An engine with ``delta`` gets the moves, and after that only
        the new ones. Any other engine gets what its configuration says. A list of moves that is too long for
        a line is sent as a string, too.
        """
        session = self._session
        if self._delta and self._written >= 0:
            new_moves = " ".join(turn.moves[self._written :])
            self._written = len(turn.moves)
            data = session.send(m.Moves(new_moves)) if new_moves else b""
        else:
            data = session.send(m.SetPosition(*self.whole(turn)))
        if "legal" in session.capabilities:
            data += b"".join(session.send(legal) for legal in split_legal(turn.legal()))
        return data

    def whole(self, turn: SearchRequest) -> tuple[str | None, str]:
        """Return the position string to start from (None for the game's own start), and the moves since."""
        if self._form == "fen":
            return turn.fen(), ""
        recent = turn.recent() if self._form == "short" else None
        start, first, removals = recent or (turn.start, 0, ())
        line = " ".join((*removals, *turn.moves[first:]))
        self._written = len(turn.moves)
        if len(line) + len(start or "") + 40 > MAX_LINE:
            return turn.fen(), ""
        return start, line
