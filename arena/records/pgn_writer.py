"""Write games of chess in PGN, for other programs: tags, moves, and comments as fastchess writes them.

A comment after a move is ``{+0.31/12 0.512s, tl=9.488s}``: the engine's score in pawns from its own point of
view and its depth, if it reported them, the time that it used, and the time left on its clock. Moves of the
opening have the comment ``{book}``. The comment after the last move also says how the game ended.

Sources: http://www.saremba.de/chessgml/standards/pgn/pgn-complete.htm; the PGN files of fastchess 1.8.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, BinaryIO, Final

from arena.model import GameRecord, PlayerRecord
from arena.pgn import GAMES, START, needs_chess
from arena.replay import clocks
from referee.match.adjudication import NO_PROGRESS, REPETITION
from referee.outcome import Termination
from referee.ply import Ply

if TYPE_CHECKING:
    import chess

__all__ = ["write", "write_pgn"]

_WIDTH: Final = 80
"""The most characters of a line of moves, as the standard wants it. A comment is not broken."""

_RESULTS: Final = {(1.0, 0.0): "1-0", (0.0, 1.0): "0-1", (0.5, 0.5): "1/2-1/2"}

_TERMINATIONS: Final = {
    Termination.NORMAL: "normal",
    Termination.ADJUDICATED: "adjudication",
    Termination.RESIGN: "normal",
    Termination.TIME: "time forfeit",
    Termination.ILLEGAL: "illegal move",
    Termination.CRASH: "abandoned",
    Termination.STALL: "abandoned",
    Termination.FLOOD: "abandoned",
    Termination.DISABLED: "abandoned",
    Termination.VOID: "unterminated",
}
_CLAIMED: Final = frozenset({REPETITION, NO_PROGRESS})
"""Adjudications that other programs take as draws by the rules."""


def write_pgn(games: Iterable[GameRecord], out: BinaryIO) -> tuple[int, int]:
    """Write all games of chess, and return how many there were, and how many other games.

    Raises:
        ArenaError: the package chess is not installed.
        OSError: the file cannot be written.
    """
    needs_chess()
    written = others = 0
    for game in games:
        if game.result.game in GAMES:
            out.write(write(game).encode())
            written += 1
        else:
            others += 1
    return written, others


def write(game: GameRecord) -> str:
    """Return a game in PGN, with an empty line after it."""
    result = _RESULTS.get((game.result.players[0].points, game.result.players[1].points), "*")
    tags = "".join(f'[{name} "{_escaped(value)}"]\n' for name, value in _tags(game, result))
    return f"{tags}\n{_wrapped([*_movetext(game), result])}\n\n"


def _tags(game: GameRecord, result: str) -> Iterator[tuple[str, str]]:
    white, black = game.result.players
    start = datetime.fromtimestamp(game.started, UTC)
    duration = timedelta(microseconds=game.duration // 1000)
    yield "Event", game.result.tournament
    yield "Site", "?"
    yield "Date", f"{start:%Y.%m.%d}"
    yield "Round", str(game.result.number + 1)
    yield "White", white.name
    yield "Black", black.name
    yield "Result", result
    chess960 = GAMES[game.result.game]
    if game.opening.position is not None or chess960:
        yield "SetUp", "1"
        yield "FEN", game.opening.position or START[game.result.game]
    if chess960:
        yield "Variant", "Chess960"
    yield "GameDuration", _hours(duration)
    yield "GameStartTime", f"{start:%Y-%m-%dT%H:%M:%S} +0000"
    yield "GameEndTime", f"{start + duration:%Y-%m-%dT%H:%M:%S} +0000"
    yield "PlyCount", str(len(game.opening.moves) + game.result.plies)
    claimed = game.result.termination is Termination.ADJUDICATED and game.result.reason in _CLAIMED
    yield "Termination", "normal" if claimed else _TERMINATIONS[game.result.termination]
    if white.time_control == black.time_control:
        yield "TimeControl", _time_control(white)
    else:
        yield "WhiteTimeControl", _time_control(white)
        yield "BlackTimeControl", _time_control(black)


def _hours(duration: timedelta) -> str:
    minutes, seconds = divmod(int(duration.total_seconds()), 60)
    return f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02}"


def _time_control(player: PlayerRecord) -> str:
    """The time control as PGN has it; ``-`` for a control without a clock."""
    kind, equals, seconds = player.time_control.partition("=")
    if kind == "movetime":
        return f"{seconds}/move"
    return "-" if equals or kind == "none" else player.time_control


def _movetext(game: GameRecord) -> Iterator[str]:
    """Yield the numbers, moves and comments."""
    board = _board(game)
    end = f"{game.result.termination}: {game.result.detail or game.result.reason}"
    comments = ["book"] * len(game.opening.moves) + [
        _comment(ply, left) for ply, left in zip(game.record, _clocks(game), strict=True)
    ]
    if comments:
        comments[-1] += f", {end}"
    else:
        yield f"{{{_plain(end)}}}"
    numbered = False
    moves = (*game.opening.moves, *(ply.text for ply in game.record))
    for text, comment in zip(moves, comments, strict=True):
        if board.turn or not numbered:
            yield f"{board.fullmove_number}{'.' if board.turn else '...'}"
        numbered = True
        move = board.parse_uci(text)
        yield board.san_and_push(move)
        yield f"{{{_plain(comment)}}}"


def _board(game: GameRecord) -> chess.Board:
    import chess

    name = game.result.game
    return chess.Board(game.opening.position or START[name], chess960=GAMES[name])


def _comment(ply: Ply, left: int | None) -> str:
    score = _score(ply)
    clock = "" if left is None else f", tl={left / 1e9:.3f}s"
    return f"{score and f'{score}/{ply.depth or 0} '}{ply.time / 1e9:.3f}s{clock}"


def _score(ply: Ply) -> str:
    """The score in pawns, or the plies to the mate; "" if the engine reported neither."""
    kind, _, number = ply.score.partition(" ")
    word = number.split(" ")[0]
    if not word.lstrip("+-").isdigit():
        return ""
    value = int(word)
    match kind:
        case "cp":
            return f"{value / 100:+.2f}" if value else "0.00"
        case "mate":  # in plies
            return f"+M{2 * value - 1}" if value > 0 else f"-M{-2 * value}"
    return ""


def _clocks(game: GameRecord) -> list[int | None]:
    """Return the nanoseconds left after each ply; None for every ply if they cannot be computed."""
    try:
        return [left for _, left in clocks(game)]
    except (ValueError, IndexError):
        return [None] * len(game.record)


def _plain(comment: str) -> str:
    """A comment without the brace that would end it, and on one line."""
    return " ".join(comment.replace("}", ")").split())


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')


def _wrapped(words: Iterable[str]) -> str:
    lines = [""]
    for word in words:
        longer = f"{lines[-1]} {word}".strip()
        if len(longer) <= _WIDTH:
            lines[-1] = longer
        else:
            lines.append(word)
    return "\n".join(lines).strip("\n")
