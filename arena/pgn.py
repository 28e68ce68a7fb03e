"""Files of chess games in PGN: where games begin, and what a game contains. The package chess reads a game.

A game begins with its tags, as ``[Event "a match"]``. Source:
http://www.saremba.de/chessgml/standards/pgn/pgn-complete.htm.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from importlib.util import find_spec
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from arena.errors import ArenaError

if TYPE_CHECKING:
    import chess.pgn


GAMES: Final = MappingProxyType({"chess": False, "chess960": True})
"""The ids of the games that PGN can hold, and whether castling is that of Chess960."""

_ROWS: Final = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w"
START: Final = MappingProxyType({"chess": f"{_ROWS} KQkq - 0 1", "chess960": f"{_ROWS} HAha - 0 1"})
"""The start positions of the games."""

_TAG: Final = re.compile(r'\[[A-Za-z0-9][A-Za-z0-9_+#=:-]*\s+"')

_UNESCAPED: Final = re.compile(r'\\(["\\])')
"""An escaped quote or backslash in the value of a tag. The package chess leaves it escaped."""


class PgnError(ValueError):
    """A game that cannot be read. The message says why."""


@dataclass(frozen=True, slots=True)
class PgnGame:
    """A game of chess as a PGN file has it."""

    game: str
    tags: dict[str, str]
    position: str | None  # its first one as the rules print it; None for the usual start
    moves: tuple[str, ...]  # in UCI form
    comments: tuple[str, ...]  # after each move, or ""
    remark: str  # the comment before the first move, or ""


def is_tag(line: str) -> bool:
    """Whether a line is a tag."""
    return _TAG.match(line) is not None


class Splitter:
    """Finds the lines with which games begin: the first tag after a line that is no tag."""

    __slots__ = ("_in_tags",)

    def __init__(self) -> None:
        self._in_tags = False

    def begins(self, line: str) -> bool:
        """Whether a game begins with the next line of the file, which is ``line``."""
        if line.startswith("[") and is_tag(line):
            begins, self._in_tags = not self._in_tags, True
            return begins
        if self._in_tags and not line.isspace() and line:
            self._in_tags = False
        return False


def needs_chess() -> None:
    """Raise an ArenaError unless the package chess is installed."""
    if find_spec("chess") is None:
        raise ArenaError("PGN needs more packages: pip install 'leapfrog-arena[chess]'")


def parse(text: str) -> PgnGame:
    """Read the text of a game without its variations; a PgnError says what is wrong."""
    import chess.pgn

    found = chess.pgn.read_game(io.StringIO(text.replace("\x00", "")), Visitor=_builder())
    if found is None:
        raise PgnError("this is no game in PGN")
    if found.errors:
        raise PgnError(str(found.errors[0]))
    variant = found.headers.get("Variant", "Standard")
    board = found.board()
    if type(board) is not chess.Board:
        raise PgnError(f"the variant {variant!a} is not chess")
    chess960 = board.chess960
    name = "chess960" if chess960 else "chess"
    fen = board.shredder_fen(en_passant="fen") if chess960 else board.fen(en_passant="fen")
    moves, comments = [], []
    for node in found.mainline():
        moves.append(node.uci())
        comments.append(" ".join(node.comment.split()))
    return PgnGame(
        name,
        {tag: _UNESCAPED.sub(r"\1", value) for tag, value in found.headers.items()},
        None if fen == START[name] else fen,
        tuple(moves),
        tuple(comments),
        " ".join(found.comment.split()),
    )


def _builder() -> type[chess.pgn.GameBuilder[chess.pgn.Game]]:
    """The reader of a game, which keeps errors for the caller instead of writing them to a log."""
    import chess.pgn

    class Builder(chess.pgn.GameBuilder[chess.pgn.Game]):
        def handle_error(self, error: Exception) -> None:
            self.game.errors.append(error)

    return Builder
