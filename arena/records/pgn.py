"""Write games of chess in PGN for other programs, and read games of other programs.

A comment after a move is ``{+0.31/12 0.512s, tl=9.488s}``: the engine's score in pawns from its own point of
view and its depth, the time that it used, and the time left; ``{book}`` in the opening. The last comment also
says how the game ended, as far as the rules do not.

Sources: http://www.saremba.de/chessgml/standards/pgn/pgn-complete.htm; the PGN files of fastchess 1.8,
cutechess-cli and c-chess-cli.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, BinaryIO, Final

from arena.errors import ArenaError
from arena.model import GameRecord, GameResult, Opening, PlayerRecord, TournamentRecord
from arena.pgn import GAMES, START, PgnError, PgnGame, Splitter, needs_chess, parse
from arena.records.entries import NO_LINE, ReadEntry, RefusedEntry, check
from arena.replay import clocks, replay
from arena.scoring import points
from protocol.spec import MAX_NAME
from referee import Position, game
from referee.errors import RefereeError, TimeControlError
from referee.game import CountsProgress
from referee.match.adjudication import BALANCE, NO_PROGRESS, REPETITION, SCORE, RepetitionTracker
from referee.match.time_control import TimeControl
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
    Termination.DISABLED: "abandoned",
    Termination.VOID: "unterminated",
}
_CLAIMED: Final = frozenset({REPETITION, NO_PROGRESS})
"""Adjudications that other programs take as draws by the rules."""


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
    yield "Date", f"{start:%Y.%m.%d}"
    yield "Round", str(record.result.number + 1)
    yield "White", white.name
    yield "Black", black.name
    yield "Result", result
    chess960 = GAMES[record.result.game]
    if record.opening.position is not None or chess960:
        yield "SetUp", "1"
        yield "FEN", record.opening.position or START[record.result.game]
    if chess960:
        yield "Variant", "Chess960"
    yield "GameDuration", _hours(duration)
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
    comments = ["book"] * len(record.opening.moves) + [_comment(ply, left) for ply, left in clocks(record)]
    if comments:
        comments[-1] += f", {end}"
    else:
        yield f"{{{_plain(end)}}}"
    numbered = False
    moves = (*record.opening.moves, *(ply.text for ply in record.record))
    for text, comment in zip(moves, comments, strict=True):
        if board.turn or not numbered:
            yield f"{board.fullmove_number}{'.' if board.turn else '...'}"
        numbered = True
        move = board.parse_uci(text)
        yield board.san_and_push(move)
        yield f"{{{_plain(comment)}}}"


def _board(record: GameRecord) -> chess.Board:
    import chess

    name = record.result.game
    return chess.Board(record.opening.position or START[name], chess960=GAMES[name])


def _comment(ply: Ply, left: int | None) -> str:
    score = _pawns(ply)
    clock = "" if left is None else f", tl={left / 1e9:.3f}s"
    return f"{score and f'{score}/{ply.depth or 0} '}{ply.time / 1e9:.3f}s{clock}"


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


_RANKS: Final = {"1-0": (1, 2), "0-1": (2, 1), "1/2-1/2": (1, 1)}

_COMMENT: Final = re.compile(
    r"(?:(?P<score>[+-]?[0-9]{1,7}\.[0-9]{1,3}|[+-]?M[0-9]{1,5})?/(?P<depth>[0-9]{1,5}) )?"
    r"(?P<time>[0-9]{1,8}(?:\.[0-9]{1,9})?)s?(?:,(?P<rest>.*))?"
)
"""A comment after a move: score and depth, the time in seconds, and more parts."""

_FAULTS: Final = (
    (re.compile(r"time forfeit|on time|timeout"), Termination.TIME),
    (re.compile(r"illegal|rules infraction"), Termination.ILLEGAL),
    (re.compile(r"stall"), Termination.STALL),
    (re.compile(r"abandoned|disconnect|terminates|crash"), Termination.CRASH),
)
"""Words that tell why a player lost, in the order in which they are looked for."""

_INSTANT: Final = re.compile(
    r"([0-9]{4})[-.]([0-9]{2})[-.]([0-9]{2})(?:[T ]([0-9]{2}):([0-9]{2}):([0-9]{2}))?.*?([+-][0-9]{4})?"
)
_DURATION: Final = re.compile(r"([0-9]{1,4}):([0-9]{2}):([0-9]{2})")


def read(lines: Iterable[tuple[int, str | None]], tournament: str) -> Iterator[ReadEntry | RefusedEntry]:
    """Return an entry for the tournament, then one for each game; a line is None if it cannot be decoded."""
    needs_chess()
    return _entries(lines, tournament)


def _entries(lines: Iterable[tuple[int, str | None]], tournament: str) -> Iterator[ReadEntry | RefusedEntry]:
    seen: Counter[str] = Counter()
    begun = False
    for place, (line, text) in enumerate(_games(lines)):
        if text is None:
            yield RefusedEntry(line, "game", NO_LINE)
            continue
        digest = sha256(text.encode()).hexdigest()[:16]
        seen[digest] += 1
        try:
            record = _record(parse(text), tournament, place, f"pgn {digest}:{seen[digest]}")
            check(record)
        except (ValueError, ArenaError, RefereeError) as error:
            yield RefusedEntry(line, "game", str(error))
            continue
        if not begun:
            begun = True
            yield ReadEntry(line, TournamentRecord(tournament, record.started, {}))
        yield ReadEntry(line, record)


def _games(lines: Iterable[tuple[int, str | None]]) -> Iterator[tuple[int, str | None]]:
    """Yield the number of the first line and the text of each game; None if a line is damaged."""
    splitter = Splitter()
    texts: list[str | None] = []
    begin = 1
    for number, line in lines:
        if splitter.begins(line or ""):
            if texts:
                yield begin, _joined(texts)
                texts.clear()
            begin = number
        texts.append(line)
    if texts:
        yield begin, _joined(texts)


def _joined(lines: list[str | None]) -> str | None:
    return None if None in lines else "".join(line for line in lines if line is not None).strip()


def _record(pgn: PgnGame, tournament: str, place: int, key: str) -> GameRecord:
    book = next((at for at, comment in enumerate(pgn.comments) if comment != "book"), len(pgn.comments))
    opening = Opening(pgn.position, pgn.moves[:book])
    positions = _positions(pgn)
    plies, rest = [], pgn.remark
    for number in range(book, len(pgn.moves)):
        ply, rest = _ply(positions[number].turn, pgn.moves[number], pgn.comments[number])
        plies.append(ply)
    end = _end(pgn, positions, rest)
    used = [sum(ply.time for ply in plies if ply.seat == seat) for seat in (0, 1)]
    result = GameResult(
        None,
        tournament,
        place,
        key,
        pgn.game,
        end.termination,
        end.reason,
        rest if end.termination is not Termination.NORMAL else "",
        len(plies),
        tuple(
            PlayerRecord(
                _name(pgn, color),
                "",
                None if end.ranks is None else end.ranks[seat],
                0.0 if end.ranks is None else points(end.ranks, end.forfeits)[seat],
                end.forfeits[seat],
                _read_time_control(pgn, color),
                0,
                used[seat],
            )
            for seat, color in enumerate(("White", "Black"))
        ),
    )
    if result.players[0].name == result.players[1].name:
        raise PgnError(f"both players have the name {result.players[0].name!a}")
    duration = _duration(pgn) or sum(used)
    return GameRecord(result, opening, tuple(plies), str(positions[-1]), _started(pgn), duration)


def _positions(pgn: PgnGame) -> list[Position]:
    """The position before each move, and the last one."""
    rules = game(pgn.game)
    start = rules.start() if pgn.position is None else rules.parse_position(pgn.position)
    return [start, *replay(rules, start, pgn.moves)]


def _ply(seat: int, move: str, comment: str) -> tuple[Ply, str]:
    """A ply, and the rest of its comment."""
    found = _COMMENT.fullmatch(comment)
    if found is None:
        return Ply(seat, move, 0), comment
    whole, _, part = found["time"].partition(".")
    time = int(whole) * 10**9 + int(part.ljust(9, "0"))
    depth = int(found["depth"]) if found["depth"] else None
    return Ply(seat, move, time, _read_score(found["score"] or ""), depth or None), _last_part(
        found["rest"] or ""
    )


def _last_part(rest: str) -> str:
    """The parts of a comment that are no values, such as ``tl=9.488s`` or ``n=1024``."""
    return ", ".join(part for part in rest.strip().split(", ") if not re.match(r"[a-z]+=", part))


def _read_score(text: str) -> str:
    """A score as engines report it, in centipawns or moves to the mate."""
    if "M" in text:
        plies = int(text.partition("M")[2])
        return f"mate -{plies // 2}" if text.startswith("-") else f"mate {(plies + 1) // 2}"
    return f"cp {round(float(text) * 100)}" if text else ""


# --- how the game ended


@dataclass(frozen=True, slots=True)
class _End:
    """How a game ended, as in `GameResult` and `PlayerRecord`."""

    termination: Termination
    reason: str
    ranks: tuple[int, ...] | None
    forfeits: tuple[Termination | None, Termination | None] = (None, None)


def _end(pgn: PgnGame, positions: list[Position], comment: str) -> _End:
    ranks = _RANKS.get(pgn.tags.get("Result", ""))
    outcome = positions[-1].outcome()
    if outcome is not None:
        return _End(Termination.NORMAL, outcome.reason, ranks or outcome.ranks)
    if ranks is None:
        return _End(Termination.VOID, Termination.VOID.value, None)
    words = f"{pgn.tags.get('Termination', '')} {comment}".lower()
    if ranks == (1, 1):
        return _End(Termination.ADJUDICATED, _draw(positions), ranks)
    fault = next((fault for pattern, fault in _FAULTS if pattern.search(words)), None)
    if fault is None and "adjudicat" in words:
        return _End(Termination.ADJUDICATED, SCORE, ranks)
    fault = fault or Termination.RESIGN
    return _End(fault, fault.value, ranks, (fault, None) if ranks == (2, 1) else (None, fault))


def _draw(positions: list[Position]) -> str:
    """The reason of a draw that the rules do not give by themselves."""
    tracker = RepetitionTracker(3)
    if [tracker.update(position.key()) for position in positions][-1]:
        return REPETITION
    last, limit = positions[-1], game("chess").info.no_progress
    if limit and isinstance(last, CountsProgress) and last.plies_without_progress >= limit:
        return NO_PROGRESS
    return BALANCE


# --- tags


def _name(pgn: PgnGame, color: str) -> str:
    name = "".join(char for char in pgn.tags.get(color, "") if char.isprintable()).strip()[:MAX_NAME]
    if name in ("", "?"):
        raise PgnError(f"the tag {color} does not name an engine")
    return name


def _read_time_control(pgn: PgnGame, color: str) -> str:
    text = pgn.tags.get(f"{color}TimeControl") or pgn.tags.get("TimeControl") or "-"
    move_time, word, _ = text.partition("/move")
    try:
        return str(TimeControl.parse(f"movetime={move_time}" if word else text))
    except TimeControlError:
        return "none"


def _started(pgn: PgnGame) -> float:
    """Seconds since the epoch; 0 if no tag says when."""
    tags = pgn.tags
    for text in (tags.get("GameStartTime", ""), f"{tags.get('Date', '')} {tags.get('Time', '')}".strip()):
        found = _INSTANT.fullmatch(text)
        if found is not None:
            numbers = [int(number or 0) for number in found.groups()[:6]]
            zone = found[7] or "+0000"
            offset = (int(zone[1:3]) * 60 + int(zone[3:5])) * (-60 if zone[0] == "-" else 60)
            try:
                return _instant(*numbers).timestamp() - offset
            except ValueError:
                continue
    return 0.0


def _instant(year: int, month: int, day: int, hour: int, minute: int, second: int) -> datetime:
    return datetime(year, month, day, hour, minute, second, tzinfo=UTC)


def _duration(pgn: PgnGame) -> int:
    found = _DURATION.fullmatch(pgn.tags.get("GameDuration", ""))
    if found is None:
        return 0
    hours, minutes, seconds = map(int, found.groups())
    return ((hours * 60 + minutes) * 60 + seconds) * 10**9
