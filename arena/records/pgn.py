"""Write games of chess in PGN for other programs, in the form of fastchess.

A comment after a move is ``{+0.31/12 0.512s, tl=9.488s, n=9512, sd=20, nps=18578, hashfull=4, pv="e4 e5"}``:
the engine's score in pawns from its own point of view and its depth, the time that it used, the time left,
and what else it reported; ``{book}`` in the opening. The last comment also says how the game ended, as far as
the rules do not.

Sources: http://www.saremba.de/chessgml/standards/pgn/pgn-complete.htm; the PGN files of fastchess 1.8.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from typing import TYPE_CHECKING, BinaryIO, Final

from arena.model import GameRecord, PlayerRecord
from arena.pgn import GAMES, START, needs_chess
from arena.records.entries import DAY
from arena.replay import clocks
from protocol.wire.messages import Thought
from referee.match.adjudication import (
    NO_PROGRESS,
    REPETITION,
)
from referee.outcome import Termination
from referee.ply import Ply

if TYPE_CHECKING:
    import chess

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
    Termination.GONE: "abandoned",
    Termination.DISABLED: "abandoned",
    Termination.VOID: "unterminated",
}
KEY: Final = "pgn "
"""How the keys of imported games begin."""

_CLAIMED: Final = frozenset({REPETITION, NO_PROGRESS})
"""Adjudications that other programs take as draws by the rules."""


ONLY: Final = "only games of chess can be written as PGN"


def can_write(games: Iterable[str]) -> bool:
    """Return whether some of these game ids can be written, and the library for them is installed."""
    return find_spec("chess") is not None and any(game in GAMES for game in games)


def write_pgn(games: Iterable[GameRecord], out: BinaryIO) -> tuple[int, int]:
    """Write all games of chess, and return how many there were, and how many other games."""
    needs_chess()
    written = others = 0
    for record in games:
        if record.result.game in GAMES:
            out.write(write(record).encode())
            written += 1
        else:
            others += 1
    return written, others


def write(record: GameRecord) -> str:
    """Return a game in PGN, with an empty line after it."""
    result = _RESULTS.get((record.result.players[0].points, record.result.players[1].points), "*")
    tags = "".join(f'[{name} "{_escaped(value)}"]\n' for name, value in _tags(record, result))
    return f"{tags}\n{_wrapped([*_movetext(record), result])}\n\n"


def _tags(record: GameRecord, result: str) -> Iterator[tuple[str, str]]:
    white, black = record.result.players
    start = datetime.fromtimestamp(record.started, UTC)
    duration = timedelta(microseconds=record.duration // 1000)
    yield "Event", record.result.tournament
    yield "Site", "?"
    yield "Date", f"{start:%Y.%m.%d}" if record.started else "????.??.??"
    key = record.result.key
    yield "Round", " ".join(key.split()[2:]) or "?" if key.startswith(KEY) else str(record.result.number + 1)
    yield "White", white.name
    yield "Black", black.name
    yield "Result", result
    chess960 = GAMES[record.result.game]
    if record.opening.position is not None or chess960:
        yield "SetUp", "1"
        yield "FEN", record.opening.position or START[record.result.game]
    if chess960:
        yield "Variant", "Chess960"
    if not key.startswith(KEY):
        yield "ArenaKey", key
    if record.duration:
        yield "GameDuration", _hours(duration)
    if record.started % DAY:  # otherwise only the day is known
        yield "GameStartTime", f"{start:%Y-%m-%dT%H:%M:%S} +0000"
        yield "GameEndTime", f"{start + duration:%Y-%m-%dT%H:%M:%S} +0000"
    yield "PlyCount", str(len(record.opening.moves) + record.result.plies)
    claimed = record.result.termination is Termination.ADJUDICATED and record.result.reason in _CLAIMED
    yield "Termination", "normal" if claimed else _TERMINATIONS[record.result.termination]
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


def _movetext(record: GameRecord) -> Iterator[str]:
    """Yield the numbers, moves and comments."""
    board = _board(record)
    end = f"{record.result.termination}: {record.result.detail or record.result.reason}"
    comments, faults = [["book"] for _ in record.opening.moves], list[str]()
    for ply, left in clocks(record):
        if ply.fault:
            faults.append(f"forgiven: {ply.text[1:]}")
        else:
            comments.append([_comment(ply, left), *faults])
            faults = []
    if comments:
        comments[-1].insert(1, end)
        comments[-1] += faults
    else:
        yield f"{{{_plain(', '.join((end, *faults)))}}}"
    numbered = False
    moves = (*record.opening.moves, *(ply.text for ply in record.record if not ply.fault))
    for text, parts in zip(moves, comments, strict=True):
        if board.turn or not numbered:
            yield f"{board.fullmove_number}{'.' if board.turn else '...'}"
        numbered = True
        move = board.parse_uci(text)
        yield board.san_and_push(move)
        if comment := ", ".join(filter(None, parts)):
            yield f"{{{_plain(comment)}}}"


def _board(record: GameRecord) -> chess.Board:
    import chess

    name = record.result.game
    return chess.Board(record.opening.position or START[name], chess960=GAMES[name])


def _comment(ply: Ply, left: int | None) -> str:
    """What is known of a ply: 0 ns are no known time."""
    score = _pawns(ply)
    words = [f"{score}/{ply.depth or 0}"] if score else []
    if ply.time:
        words.append(f"{ply.time / 1e9:.3f}s")
    clock = "" if left is None else f"tl={left / 1e9:.3f}s"
    return ", ".join(filter(None, (" ".join(words), clock, *_thought(ply.thought or _NO_THOUGHT))))


_NO_THOUGHT: Final = Thought()


def _thought(thought: Thought) -> Iterator[str]:
    counts = {"n": thought.nodes, "sd": thought.seldepth, "nps": thought.nps, "hashfull": thought.hashfull}
    yield from (f"{name}={count}" for name, count in counts.items() if count is not None)
    if thought.pv:
        yield f'pv="{_NO_PV.sub("", thought.pv)}"'


_NO_PV: Final = re.compile('[",{}]')
"""What would end a principal variation in a comment. It is in no move of chess."""


def _pawns(ply: Ply) -> str:
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


def _plain(comment: str) -> str:
    """A comment without the brace that would end it, and on one line."""
    return " ".join(comment.replace("}", ")").split())


def _escaped(value: str) -> str:
    """The text of a tag, which has no character that would break its line or reach a terminal raw."""
    shown = "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in value)
    return shown.replace("\\", "\\\\").replace('"', '\\"')


def _wrapped(words: Iterable[str]) -> str:
    lines = [""]
    for word in words:
        longer = f"{lines[-1]} {word}".strip()
        if len(longer) <= _WIDTH:
            lines[-1] = longer
        else:
            lines.append(word)
    return "\n".join(lines).strip("\n")
