"""Read games in PGN, which `arena export` or other programs have written.

Sources: http://www.saremba.de/chessgml/standards/pgn/pgn-complete.htm; the PGN files of fastchess 1.8,
cutechess-cli, c-chess-cli, TCEC, OpenBench, Arena GUI and Lichess.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from itertools import takewhile
from typing import Final

from arena.errors import ArenaError
from arena.model import GameRecord, GameResult, Opening, PlayerRecord, TournamentRecord
from arena.notation import CHESS
from arena.pgn import PgnError, PgnGame, has_games, parse, result, split
from arena.records.entries import DAY, ReadEntry, RefusedEntry, check
from arena.records.lawful import LawfulGame
from arena.records.pgn import KEY, seat_name
from arena.scoring import points
from protocol.spec import MAX_NAME
from protocol.wire.codec import is_removal, parse_removal, pv_text
from protocol.wire.messages import USAGE, Thought, thought
from protocol.words import counted
from referee import game
from referee.errors import RefereeError, TimeControlError
from referee.game import CountsProgress
from referee.match.adjudication import (
    BALANCE,
    COUNT,
    LENGTH,
    NO_PROGRESS,
    REPETITION,
    SCORE,
    RepetitionTracker,
)
from referee.match.time_control import TimeControl
from referee.outcome import Outcome, Termination
from referee.ply import Ply, count_moves

_DECLARED: Final = frozenset({"insufficient-material", "seventyfive-moves"})
"""The draws of the laws after which other programs may play on."""

_RANKS: Final[dict[str, tuple[int, ...]]] = {"1-0": (1, 2), "0-1": (2, 1), "1/2-1/2": (1, 1)}
_MATES: Final = {-1: "White mates Black", 0: "it is stalemate", 1: "Black mates White"}
"""How chess ends, by the difference of the ranks."""

_ENDS: Final = {-1: "White wins", 0: "it is a draw", 1: "Black wins"}
"""How other games end."""
_CLEAR: Final = "1-0, 0-1, 1/2-1/2 or *"

_PAWNS: Final = r"[+-]?(?:[0-9]{1,7}\.[0-9]{1,3}|[M#][+-]?[0-9]{1,5})"
_SCORE: Final = r"[+-]?(?:[0-9]{1,7}(?:\.[0-9]{1,3})?|[M#][+-]?[0-9]{1,5})"
_TIME: Final = r"(?:[0-9]{1,5}:){0,2}[0-9]{1,8}(?:\.[0-9]{1,9})?"
_REPORT: Final = re.compile(
    rf"(?:\((?P<pv>[^()]*)\)\s*)?"
    rf"(?:(?P<score>{_PAWNS})?/(?P<depth>[0-9]{{1,5}})(?:/(?P<sd>[0-9]{{1,5}}))?(?:\s+(?P<time>{_TIME})s?)?"
    rf"|(?P<score2>{_PAWNS})\s+(?P<depth2>[0-9]{{1,5}})/(?P<sd2>[0-9]{{1,5}})\s+(?P<ms>[0-9]{{1,11}})"
    rf"(?:\s+(?P<nodes>[0-9]{{1,15}}))?"
    rf"|(?P<score3>[+-](?:[0-9]{{1,7}}\.[0-9]{{1,3}}|M[0-9]{{1,5}})|0\.00)"
    rf"|(?P<time3>{_TIME})s)(?:[\s,]+(?P<rest>.*))?"
)
"""A comment after a move: score, depth and seconds, and more, in the form of cutechess-cli, fastchess and
Arena GUI; or score, depths, milliseconds and nodes in OpenBench's form; or a score or seconds alone."""

_BOOK: Final = re.compile(r"book(?:$|, )")
"""The comment after a move of the opening, or how it starts."""

_FORGIVEN: Final = re.compile(r"(?:^|, )forgiven: .*")
"""The forgiven faults of the player of a move, at the end of its comment."""

_COMMAND: Final = re.compile(r"\[%(\w+)\s*([^\]]*)\]")
"""A value that the standard for clocks, or Lichess, puts into a comment."""

_FIELD: Final = re.compile(r'(?:(?<=[\s,])|^)([A-Za-z]\w*)=("[^"]*"|[^,]*),?')
"""A value in a comment of TCEC and others, such as ``mt=1024``."""

_COUNTS: Final = {"n": "nodes", "nps": "nps", "s": "nps", "sd": "seldepth", "hashfull": "hashfull"}
"""What fastchess and TCEC call the fields of `Thought`."""

_MOVE_NUMBER: Final = re.compile(r"\b[0-9]+\.+\s*")

_EVAL: Final = re.compile(rf"({_SCORE})(?:[,/]([0-9]{{1,5}}))?")

_FAULTS: Final = (
    (re.compile(r"time forfeit|on time|timeout"), Termination.TIME),
    (re.compile(r"illegal|rules infraction"), Termination.ILLEGAL),
    (re.compile(r"stall"), Termination.STALL),
    (re.compile(r"abandoned|disconnect|terminates|crash"), Termination.CRASH),
)
"""Words that tell why a player lost, in the order in which they are looked for."""

_LOSSES: Final = frozenset(Termination) - {Termination.NORMAL, Termination.ADJUDICATED, Termination.VOID}
_JUDGED: Final = frozenset({REPETITION, NO_PROGRESS, LENGTH, BALANCE, SCORE, COUNT})
"""The reasons of an adjudication."""
_WRITTEN_END: Final = re.compile(rf"({'|'.join(Termination)}): (.*)")
"""How `write` ends the last comment."""

_INSTANT: Final = re.compile(
    r"([0-9]{4})[-.]([0-9]{2})[-.]([0-9]{2})(?:[T ]([0-9]{2}:[0-9]{2}:[0-9]{2}))?.*?([+-][0-9]{4})?"
)


def read(blocks: Iterable[bytes], tournament: str) -> Iterator[ReadEntry | RefusedEntry]:
    """Yield an entry for the tournament, then one for each game of a file."""
    started = False
    before = 0  # lines before the text
    seen: Counter[str] = Counter()  # games that nothing but their place in the file distinguishes
    for place, (_, text) in enumerate(split(blocks)):
        line = 1
        try:
            pgn = parse(text)
            line = pgn.line
            entry = _entry(before, pgn, tournament, place, seen)
        except (ValueError, ArenaError, RefereeError) as error:
            at = error.line if isinstance(error, PgnError) else line
            yield RefusedEntry(before + at, "game" if has_games(text) else "text", str(error))
        else:
            if not started:
                started = True
                yield ReadEntry(entry.line, TournamentRecord(tournament, _started(pgn), {}))
            yield entry
        before += text.count("\n") or text.count("\r")


def _entry(before: int, pgn: PgnGame, tournament: str, place: int, seen: Counter[str]) -> ReadEntry:
    """Return a game, which starts ``before`` lines after the start of the file."""
    seats = range(game(pgn.game).info.players)
    names = tuple(_name(pgn, seat_name(seat)) for seat in seats)
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise PgnError(f"{'both' if len(names) == 2 else 'two'} players have the name {twice[0]!a}", pgn.line)
    controls = [_read_time_control(pgn, seat_name(seat)) for seat in seats]
    book = len(list(takewhile(_BOOK.match, pgn.comments)))
    opening = Opening(pgn.position, pgn.moves[:book])
    lawful = LawfulGame(pgn.game, len(seats), opening)
    plies, rest = _plies(pgn, lawful, book, controls)
    word = _result(pgn)
    end = _end(pgn, lawful, word, rest)
    used = [sum(ply.time for ply in plies if ply.seat == seat) for seat in seats]
    started = _started(pgn)
    key, note = _key(pgn, names, word), end.note
    if " " not in key.removeprefix(KEY) and started % DAY == 0:  # no round, and no time
        seen[key] += 1
        if seen[key] > 1:
            key += f":{seen[key]}"
            note = note or "looks like another one of this file: without a tag Round or a time, both count"
    record = GameRecord(
        GameResult(
            None,
            tournament,
            place,
            key,
            pgn.game,
            end.termination,
            end.reason,
            end.detail,
            count_moves(plies),
            tuple(
                PlayerRecord(
                    names[seat],
                    "",
                    None if end.ranks is None else end.ranks[seat],
                    0.0 if end.ranks is None else points(end.ranks, end.forfeits)[seat],
                    end.forfeits[seat],
                    str(controls[seat]),
                    0,
                    used[seat],
                )
                for seat in seats
            ),
        ),
        opening,
        plies,
        str(lawful.follower.position),
        started,
        _duration(pgn) or sum(used),
    )
    lawful.check_end(record.result)
    check(record)
    first, space, number = key.removeprefix(KEY).partition(" ")
    spare = f"{first}@{started:.0f}{space}{number}"
    arena_key = pgn.tags.get("arenakey", "")
    return ReadEntry(
        before + pgn.line, record, (KEY + spare, arena_key) if arena_key else (KEY + spare,), note
    )


def _key(pgn: PgnGame, names: tuple[str, ...], word: str) -> str:
    """Return the identity of a game but for its time: the players, the round, the moves and the result.

    The round is at the end of the key, so that `write` can write it again.
    """
    number = " ".join(pgn.tags.get("round", "").split()).strip("?-")
    word = pgn.tags.get("ranks", word) if len(names) > 2 else word
    content = repr((names, number, word, pgn.game, pgn.position, pgn.moves))
    return f"{KEY}{sha256(content.encode()).hexdigest()[:16]} {number[:40]}".strip()


def _plies(
    pgn: PgnGame, lawful: LawfulGame, book: int, controls: list[TimeControl]
) -> tuple[tuple[Ply, ...], str]:
    """Play the plies after the opening up to the end by the rules.

    Return them, and what the last comment says beside values.
    """
    plies: list[Ply] = []
    comments = [_FORGIVEN.sub("", comment) for comment in pgn.comments]
    rest = _BOOK.sub("", comments[-1]) if comments else _FORGIVEN.sub("", pgn.remark)
    played = [0] * len(controls)
    left = [control.base_ns for control in controls]  # on the clocks, as far as it is known
    for number in range(book, len(pgn.moves)):
        if lawful.follower.outcome is not None:
            break
        text, seat = pgn.moves[number], lawful.follower.position.turn
        values, rest = _values(comments[number], seat)
        removed = parse_removal(text) if len(controls) > 2 else None
        if removed is not None:
            plies.append(Ply(removed, text, 0))
            lawful.follow(plies[-1])
            continue
        control, before = controls[seat], left[seat]
        played[seat] += 1
        after_move = control.increment_ns
        if control.moves and played[seat] % control.moves == 0:
            after_move += control.base_ns or 0
        time = values.time
        if values.clock is not None and time is None and before is not None:
            time = before + after_move - values.clock
        left[seat] = values.clock
        if values.clock is None and before is not None and time is not None:
            left[seat] = before - time + after_move
        known = 0 if time is None or time < 0 else max(time, 1)
        plies.append(Ply(seat, text, known, values.score, values.depth, values.thought()))
        lawful.follow(plies[-1])
    return tuple(plies), rest


@dataclass(slots=True)
class _Values:
    """What a comment says about its move; times in nanoseconds."""

    time: int | None = None
    clock: int | None = None  # what is left after the move
    score: str = ""
    depth: int | None = None
    counts: dict[str, int] = field(default_factory=dict)  # by the names of `Thought`
    pv: str = ""
    usage: str = ""

    def thought(self) -> Thought | None:
        """Return what else the engine reported; None for nothing."""
        pv = pv_text(_MOVE_NUMBER.sub("", self.pv).split())
        return thought(**self.counts, pv=pv, usage=self.usage)


def _values(comment: str, seat: int) -> tuple[_Values, str]:
    """Read a comment, and return the rest of it."""
    values = _Values()
    if not comment:
        return values, ""
    if "[%" in comment:
        for name, text in _COMMAND.findall(comment):
            _read_command(values, name, text.strip(), seat)
        comment = _COMMAND.sub("", comment).strip()
    match = _REPORT.fullmatch(comment)
    if match is not None:
        time = match["time"] or match["time3"]
        if time:
            values.time = _nanoseconds(time)
        elif match["ms"]:
            values.time = int(match["ms"]) * 10**6
        values.score = _read_score(match["score"] or match["score2"] or match["score3"] or "") or values.score
        values.depth = int(match["depth"] or match["depth2"] or 0) or values.depth
        counts = {"nodes": match["nodes"], "seldepth": match["sd"] or match["sd2"]}
        values.counts |= {name: int(count) for name, count in counts.items() if count}
        values.pv = match["pv"] or ""
        comment = match["rest"] or ""
    if "=" in comment:
        for name, text in _FIELD.findall(comment):
            _read_field(values, name, text.strip(), seat)
        comment = _FIELD.sub("", comment)
    return values, comment.strip(" ,")


def _read_command(values: _Values, name: str, text: str, seat: int) -> None:
    if name in ("clk", "emt") and re.fullmatch(_TIME, text):
        if name == "clk":
            values.clock = _nanoseconds(text)
        else:
            values.time = _nanoseconds(text)
    elif name == "eval" and (match := _EVAL.fullmatch(text)):
        values.score = _read_score(match[1], of_white=True, seat=seat)
        values.depth = int(match[2] or 0) or None


def _read_field(values: _Values, name: str, text: str, seat: int) -> None:
    """Read a value if the comment did not start with it."""
    if name == "mt" and values.time is None and re.fullmatch(_TIME, text):
        values.time = _nanoseconds(text) if ":" in text or "." in text else int(text) * 10**6
    elif name == "d" and values.depth is None and re.fullmatch("[0-9]{1,5}", text):
        values.depth = int(text) or None
    elif name in _COUNTS and re.fullmatch("[0-9]{1,15}", text):
        values.counts[_COUNTS[name]] = int(text)
    elif name == "h" and re.fullmatch(r"[0-9]{1,3}(?:\.[0-9])?", text):  # in per cent
        values.counts["hashfull"] = round(float(text) * 10)
    elif name == "pv":
        values.pv = text.strip('"')
    elif name == "usage" and USAGE.fullmatch(text.strip('"')):
        values.usage = text.strip('"')
    elif name in ("wv", "ev") and not values.score and re.fullmatch(_SCORE, text):
        values.score = _read_score(text, of_white=name == "wv", seat=seat)


def _nanoseconds(text: str) -> int:
    """Read seconds, or minutes or hours before them with colons between."""
    *larger, last = text.split(":")
    whole, _, part = last.partition(".")
    minutes = 0
    for number in larger:
        minutes = minutes * 60 + int(number)
    return (minutes * 60 + int(whole)) * 10**9 + int(part.ljust(9, "0"))


def _read_score(text: str, *, of_white: bool = False, seat: int = 0) -> str:
    """A score as engines report it, in centipawns or moves to the mate; ``#3`` counts moves, ``M3`` plies."""
    if not text:
        return ""
    number = re.sub("[M#+]", "", text)
    if of_white and seat == 1:
        number = number[1:] if number.startswith("-") else f"-{number}"
    if "#" in text:
        return f"mate {int(number)}"
    if "M" in text:
        plies = abs(int(number))
        return f"mate -{plies // 2}" if number.startswith("-") else f"mate {(plies + 1) // 2}"
    return f"cp {round(float(number) * 100)}"


# --- how the game ended


@dataclass(frozen=True, slots=True)
class _End:
    """How a game ended, as in `GameResult` and `PlayerRecord`."""

    termination: Termination
    reason: str
    ranks: tuple[int, ...] | None
    forfeits: tuple[Termination | None, ...]
    detail: str = ""
    note: str = ""  # what the user must know


def _end(pgn: PgnGame, lawful: LawfulGame, word: str, comment: str) -> _End:
    players = lawful.rules.info.players
    nobody: tuple[Termination | None, ...] = (None,) * players
    ranks = _RANKS.get(word) if players == 2 else _ranks(pgn, players)
    forfeits = nobody if players == 2 else _forfeits(pgn, players)
    termination, reason, detail = _written_end(comment)
    outcome = lawful.follower.outcome
    if outcome is not None:
        left_out = len(pgn.moves) - len(lawful.positions) + 1
        if left_out or (outcome.reason in _DECLARED and ranks not in (None, outcome.ranks)):
            played = counted(len(lawful.positions) - 1, "ply", "plies")
            detail = (
                f"is drawn by the laws after {played} ({outcome.reason}):"
                f" {counted(left_out, 'move')} after that and the result {word} are left out"
            )
            return _End(Termination.NORMAL, outcome.reason, outcome.ranks, nobody, detail, detail)
        if players == 2 and ranks not in (None, outcome.ranks):
            raise PgnError(_contradiction(pgn, word, outcome), pgn.end)
        detail = detail if termination and detail != outcome.reason else ""
        return _End(Termination.NORMAL, outcome.reason, ranks or outcome.ranks, forfeits, detail)
    if not word:
        raise PgnError("it ends without a result, and no tag Result says how: it may be cut", pgn.line)
    words = f"{pgn.tags.get('termination', '')} {comment}".lower()
    faults = (fault for pattern, fault in _FAULTS if pattern.search(words))
    fault = termination if termination in _LOSSES else next(faults, None)
    if ranks is None:
        note = f"is void, because {f'its result is {word}' if players == 2 else 'it has no tag Ranks'}"
        end = _End(Termination.VOID, Termination.VOID, None, nobody, note=note)
    elif set(ranks) == {1}:
        end = _End(Termination.ADJUDICATED, reason or _draw(lawful), ranks, forfeits)
    elif fault is None and (termination is Termination.ADJUDICATED or "adjudicat" in words):
        end = _End(Termination.ADJUDICATED, reason or SCORE, ranks, forfeits)
    else:
        fault = fault or Termination.RESIGN
        if players == 2:
            forfeits = (fault, None) if ranks == (2, 1) else (None, fault)
        end = _End(fault, fault.value, ranks, forfeits)
    return end if detail == end.reason else replace(end, detail=detail)


def _written_end(comment: str) -> tuple[Termination | None, str, str]:
    """The termination, the reason of an adjudication and the detail that `write` has put into a comment."""
    match = _WRITTEN_END.fullmatch(comment)
    if not match:
        return None, "", comment
    termination, text = Termination(match[1]), match[2]
    reason, _, detail = text.partition(", ")
    if termination is Termination.ADJUDICATED and reason in _JUDGED:
        return termination, reason, detail or reason
    return termination, "", text


def _contradiction(pgn: PgnGame, word: str, outcome: Outcome) -> str:
    how = f"by {pgn.last}" if pgn.last else "in the tag FEN"
    first, second = outcome.ranks
    end = (_MATES if pgn.game in CHESS else _ENDS)[first - second]
    return f"its result is {word}, but {end} {how}"


def _ranks(pgn: PgnGame, players: int) -> tuple[int, ...] | None:
    """The ranks of more than two players, whose result PGN has no word for."""
    words = pgn.tags.get("ranks", "").split()
    ranks = tuple(int(rank) for rank in words if re.fullmatch("[1-9][0-9]?", rank))
    if words and len(ranks) != players:
        raise PgnError(f"the tag Ranks does not have the places of {players} players", pgn.line)
    if not ranks and any(map(is_removal, pgn.moves)):
        raise PgnError("a player was removed, and no tag Ranks says who took which place", pgn.line)
    return ranks or None


def _forfeits(pgn: PgnGame, players: int) -> tuple[Termination | None, ...]:
    words = pgn.tags.get("forfeits", "").split() or ["-"] * players
    try:
        forfeits = tuple(None if word == "-" else Termination(word) for word in words)
    except ValueError as error:
        raise PgnError(f"the tag Forfeits: {error}", pgn.line) from None
    if len(forfeits) != players:
        raise PgnError(f"the tag Forfeits does not have {players} words", pgn.line)
    return forfeits


def _result(pgn: PgnGame) -> str:
    """The result after the moves, or the result in the tag if the moves have none; both must agree."""
    text = pgn.tags.get("result", "")
    tag, end = result(text), pgn.result
    if tag is None:
        raise PgnError(f"the tag Result, {text[:40]!a}, is none of {_CLEAR}", pgn.line)
    if tag and end in _RANKS and tag != end:
        raise PgnError(f"the tag Result says {tag}, but the moves end with {end}", pgn.line)
    return tag or end


def _draw(lawful: LawfulGame) -> str:
    """The reason of a draw that the rules do not give by themselves."""
    tracker = RepetitionTracker(3)
    if [tracker.update(position.key()) for position in lawful.positions][-1]:
        return REPETITION
    last, limit = lawful.follower.position, lawful.rules.info.no_progress
    if limit and isinstance(last, CountsProgress) and last.plies_without_progress >= limit:
        return NO_PROGRESS
    return BALANCE


# --- tags


def _name(pgn: PgnGame, seat: str) -> str:
    name = "".join(char for char in pgn.tags.get(seat.lower(), "") if char.isprintable()).strip()[:MAX_NAME]
    if name in ("", "?"):
        raise PgnError(f"it has no tag {seat} that names an engine", pgn.line)
    return name


def _read_time_control(pgn: PgnGame, seat: str) -> TimeControl:
    text = pgn.tags.get(f"{seat.lower()}timecontrol") or pgn.tags.get("timecontrol") or "-"
    move_time, word, _ = text.partition("/move")
    try:
        return TimeControl.parse(f"movetime={move_time}" if word else text)
    except TimeControlError:
        return TimeControl()


def _started(pgn: PgnGame) -> float:
    """Seconds since the epoch; 0 if no tag says when."""
    tags = pgn.tags
    for text in (
        tags.get("gamestarttime", ""),
        f"{tags.get('utcdate', '')} {tags.get('utctime', '')}".strip(),
        f"{tags.get('date', '')} {tags.get('time', '')}".strip(),
        tags.get("date", ""),
    ):
        match = _INSTANT.fullmatch(text)
        if match is not None:
            year, month, day, clock, zone = match.groups()
            with suppress(ValueError):
                return datetime.fromisoformat(
                    f"{year}-{month}-{day}T{clock or '00:00:00'}{zone or '+0000'}"
                ).timestamp()
    return 0.0


def _duration(pgn: PgnGame) -> int:
    text = pgn.tags.get("gameduration", "")
    return _nanoseconds(text) if re.fullmatch(_TIME, text) else 0
