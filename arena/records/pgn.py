"""Write games in PGN: tags, moves, and comments in the form of fastchess, for every game.

A comment after a move is ``{+0.31/12 0.512s, tl=9.488s, n=9512, sd=20, nps=18578, hashfull=4, pv="e4 e5"}``:
the engine's score in pawns from its own point of view and its depth, the time that it used, the time left,
and what else it reported; ``{book}`` in the opening. The last comment also says how the game ended, as far as
the rules do not.

Sources: http://www.saremba.de/chessgml/standards/pgn/pgn-complete.htm; the PGN files of fastchess 1.8.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Final

from arena.extras import has_extra
from arena.model import GameRecord, PlayerRecord
from arena.notation import CHESS, START, chess_moves
from arena.pgn import escaped, move_word
from arena.records.entries import DAY, Entry
from arena.replay import clocks
from protocol.wire.messages import Thought
from referee import game
from referee.errors import RefereeError
from referee.match.adjudication import NO_PROGRESS, REPETITION
from referee.outcome import Termination
from referee.ply import Ply

HEADER: Final = ""
"""A file of PGN has no first line of its own."""

_WIDTH: Final = 80
"""The most characters of a line of moves, as the standard wants it. A comment is not broken."""

_RESULTS: Final[dict[tuple[float, ...], str]] = {(1.0, 0.0): "1-0", (0.0, 1.0): "0-1", (0.5, 0.5): "1/2-1/2"}

_TERMINATIONS: Final = {
    Termination.NORMAL: "normal",
    Termination.ADJUDICATED: "adjudication",
    Termination.RESIGN: "normal",
    Termination.TIME: "time forfeit",
    Termination.ILLEGAL: "illegal move",
    Termination.VOID: "unterminated",
}
"""The words of PGN for terminations; any other is ``abandoned``."""

KEY: Final = "pgn "
"""How the keys of imported games start."""

_VARIANTS: Final = {"chess960": "Chess960"}
"""What other programs call a game, if not by its id."""

_CLAIMED: Final = frozenset({REPETITION, NO_PROGRESS})
"""Adjudications that other programs take as draws by the rules."""


def seat_name(seat: int) -> str:
    """Return the tag with the name of a seat, counted from 0; other tags of the seat start with it."""
    return ("White", "Black")[seat] if seat < 2 else f"Player{seat + 1}"


def can_write(games: Iterable[str]) -> bool:
    """Return whether games with these ids can be written: chess needs its package."""
    return CHESS.keys().isdisjoint(games) or has_extra("chess")


def write(entry: Entry) -> str:
    """Return a game in PGN, with an empty line after it; "" for other entries, which PGN does not have."""
    if not isinstance(entry, GameRecord):
        return ""
    scores = tuple(player.points for player in entry.result.players)
    result = _RESULTS.get(scores, "*")
    tags = "".join(f'[{name} "{_printable(value)}"]\n' for name, value in _tags(entry, result))
    return f"{tags}\n{_wrapped([*_movetext(entry), result])}\n\n"


def _tags(record: GameRecord, result: str) -> Iterator[tuple[str, str]]:
    players, position = record.result.players, record.opening.position
    start = datetime.fromtimestamp(record.started, UTC)
    duration = timedelta(microseconds=record.duration // 1000)
    yield "Event", record.result.tournament
    yield "Site", "?"
    yield "Date", f"{start:%Y.%m.%d}" if record.started else "????.??.??"
    key = record.result.key
    yield "Round", " ".join(key.split()[2:]) or "?" if key.startswith(KEY) else str(record.result.number + 1)
    for seat, player in enumerate(players):
        yield seat_name(seat), player.name
    yield "Result", result
    if len(players) > 2:
        yield from _places(players)
    if record.result.game == "chess960":
        position = position or START["chess960"]
    if position is not None:
        yield "SetUp", "1"
        yield "FEN", position
    if record.result.game != "chess":
        yield "Variant", _VARIANTS.get(record.result.game, record.result.game)
    if not key.startswith(KEY):
        yield "ArenaKey", key
    if record.duration:
        yield "GameDuration", _hours(duration)
    if record.started % DAY:  # otherwise only the day is known
        yield "GameStartTime", f"{start:%Y-%m-%dT%H:%M:%S} +0000"
        yield "GameEndTime", f"{start + duration:%Y-%m-%dT%H:%M:%S} +0000"
    yield "PlyCount", str(len(record.opening.moves) + record.result.plies)
    claimed = record.result.termination is Termination.ADJUDICATED and record.result.reason in _CLAIMED
    yield "Termination", "normal" if claimed else _TERMINATIONS.get(record.result.termination, "abandoned")
    controls = [_time_control(player) for player in players]
    if len(set(controls)) == 1:
        yield "TimeControl", controls[0]
    else:
        yield from ((f"{seat_name(seat)}TimeControl", control) for seat, control in enumerate(controls))


def _places(players: tuple[PlayerRecord, ...]) -> Iterator[tuple[str, str]]:
    """Yield the places and forfeits of more than two players, for which the tag Result has no word."""
    ranks = [player.rank for player in players if player.rank is not None]
    if ranks:
        yield "Ranks", " ".join(map(str, ranks))
    if any(player.forfeit for player in players):
        yield "Forfeits", " ".join(player.forfeit or "-" for player in players)


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
    comments, faults = [["book"] for _ in record.opening.moves], list[str]()
    moves = [*record.opening.moves]
    for ply, left in clocks(record):
        if ply.fault:
            faults.append(_no_command(f"forgiven: {ply.text[1:]}"))
            continue
        moves.append("" if ply.is_removal else ply.text)
        comment = f"[%removed {ply.seat + 1}]" if ply.is_removal else _comment(ply, left)
        comments.append([comment, *faults])
        faults = []
    if comments:
        comments[-1].insert(1, _end(record))
        comments[-1] += faults
    else:
        yield f"{{{_plain(', '.join((_end(record), *faults)))}}}"
    first, before, players, words = _words(record, moves)
    played = 0
    for text, parts in zip(words, comments, strict=True):
        if text:
            rounds, inside = divmod(before + played, players)
            if not inside or not played:
                yield f"{first + rounds}.{'..' if inside else ''}"
            yield text
            played += 1
        if comment := ", ".join(filter(None, parts)):
            yield f"{{{_plain(comment)}}}"


def _end(record: GameRecord) -> str:
    """How the game ended: the termination, the reason of an adjudication, and the detail."""
    result = record.result
    words = [result.reason] if result.termination is Termination.ADJUDICATED or not result.detail else []
    return _no_command(f"{result.termination}: {', '.join((*words, result.detail)).removesuffix(', ')}")


def _words(record: GameRecord, moves: list[str]) -> tuple[int, int, int, list[str]]:
    """Return the number of the first move, how many moves of its round are missing, the players, the words.

    A removal has the word "".
    """
    name, position = record.result.game, record.opening.position
    if name in CHESS:
        board, words = chess_moves(name, position, moves)
        return board.fullmove_number, int(not board.turn), 2, words
    before = 0
    if position is not None:
        with suppress(RefereeError):  # its rules are not installed: rounds are counted from the first move
            before = game(name).parse_position(position).turn
    return 1, before, len(record.result.players), [text and move_word(text) for text in moves]


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
    if thought.usage:
        yield f'usage="{thought.usage}"'


_NO_PV: Final = re.compile('["{}]')
"""What would end a principal variation in a comment."""


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


def _no_command(text: str) -> str:
    """A sentence of an engine or the referee, which cannot be taken for a command."""
    return text.replace("[%", "[ %")


def _printable(value: str) -> str:
    """The text of a tag, which has no character that would break its line or reach a terminal raw."""
    shown = "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in value)
    return escaped(shown)


def _wrapped(words: Iterable[str]) -> str:
    lines = [""]
    for word in words:
        longer = f"{lines[-1]} {word}".strip()
        if len(longer) <= _WIDTH:
            lines[-1] = longer
        else:
            lines.append(word)
    return "\n".join(lines).strip("\n")
