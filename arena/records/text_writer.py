"""Write the text format: tags as in PGN, then a line for each ply; reading gives exactly the same values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import chain
from typing import Final

import msgspec

from arena.model import GameRecord, PlayerRecord, RatingListRecord, TournamentRecord
from arena.records.entries import VERSION, Entry
from arena.replay import clocks

_HEX: Final = "[0-9A-Fa-f]"
STRING: Final = rf'"(?:[^"\\\x00-\x1f]++|\\["\\/bfnrt]|\\u{_HEX}{_HEX}{_HEX}{_HEX})*+"'
"""A regular expression for a string, as in JSON (RFC 8259, section 7).

The group repeats possessively (``*+``), because backtracking needs memory for every repetition. In Python
before 3.11.5, if one part of such a group matches and a repeat after it then fails, the match wrongly
includes that part (CPython issue 106052). So the group has four single digits and not ``[0-9A-Fa-f]{4}``.
"""

SECONDS: Final = r"[0-9]{1,12}(?:\.[0-9]{1,9})?"
"""A regular expression for a time."""

_BILLION: Final = 10**9
_PLACES: Final = 9
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LAST: Final = 253_402_300_800  # the beginning of the year 10000, in seconds
_SECONDS: Final = re.compile(SECONDS)
_NUMBER: Final = re.compile(r"-?[0-9]{1,400}(?:\.[0-9]{1,400})?(?:e[+-]?[0-9]{1,3})?")
_INSTANT: Final = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(\.[0-9]{1,20})?Z")

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(str).decode


def quoted(text: str) -> str:
    """Return a string in quotation marks."""
    return _encode(text).decode()


def unquoted(strings: Sequence[str]) -> tuple[str, ...]:
    """Return the values of strings that match `STRING`."""
    try:
        return tuple(_decode(text) if "\\" in text else text[1:-1] for text in strings)
    except msgspec.DecodeError:
        raise ValueError("an escape \\u is only half of a character; add the other half") from None


def seconds(ns: int) -> str:
    """Write nanoseconds as seconds, with as many decimal places as needed."""
    digits = f"{ns:010d}"
    return f"{digits[:-_PLACES]}.{digits[-_PLACES:]}".rstrip("0").rstrip(".")


def parse_seconds(text: str) -> int:
    """Read a time, and return nanoseconds."""
    if _SECONDS.fullmatch(text) is None:
        raise ValueError(
            f"{text!a} is not a time in seconds, such as 0.25 (with at most nine decimal places)"
        )
    return nanoseconds(text)


def nanoseconds(text: str) -> int:
    """Read a time that matches `SECONDS`, and return nanoseconds."""
    whole, _, rest = text.partition(".")
    return int(whole) * _BILLION + (int(rest.ljust(_PLACES, "0")) if rest else 0)


def number(value: float) -> str:
    """Write a number with the fewest digits that identify it."""
    return repr(value).removesuffix(".0")


def parse_number(text: str) -> float:
    """Read a number."""
    if _NUMBER.fullmatch(text) is None:
        raise ValueError(f"{text!a} is not a number")
    return float(text)


def instant(since_epoch: float) -> str:
    """Write seconds since the epoch as date and time (UTC), or as a number before 1970 and after 9999."""
    digits = repr(since_epoch)
    if not 0 <= since_epoch < _LAST or "e" in digits:
        return number(since_epoch)
    whole, _, rest = digits.partition(".")
    moment = _EPOCH + timedelta(seconds=int(whole))
    return f"{moment:%Y-%m-%dT%H:%M:%S}{'' if rest == '0' else '.' + rest}Z"


def parse_instant(text: str) -> float:
    """Read a date and time, and return seconds since the epoch."""
    match = _INSTANT.fullmatch(text)
    if match is None:
        if _NUMBER.fullmatch(text) is None:
            raise ValueError(f"{text!a} is not a date and time, such as 2023-11-14T22:13:20Z")
        return float(text)
    try:
        moment = datetime.fromisoformat(match[1]).replace(tzinfo=UTC)
    except ValueError:
        raise ValueError(f"{text!a} is not a valid date and time") from None
    return float(f"{(moment - _EPOCH) // timedelta(seconds=1)}{match[2] or ''}")


HEADER: Final = f"%leapfrog-arena records {VERSION}\n\n"
"""The first line of a file, and an empty line."""

NO_OPTIONS: Final = "none"
"""The only string of the tag ``Options`` of an engine without options."""

PLAIN_MOVE: Final = r"[!#-z|~]+"
"""A regular expression for a move that needs no quotation marks: ASCII without space, ``"`` and braces."""

_WORD: Final = "[A-Za-z0-9+.-]"
PLAIN_SCORE: Final = rf"{_WORD}+(?: {_WORD}{_WORD}*+)*+"
"""A regular expression for a score without quotation marks: words with one space between them.

The group matches the first character of a word separately, for the reason given at
`arena.records.text_writer.STRING`.
"""

_plain_move = re.compile(PLAIN_MOVE).fullmatch
_plain_score = re.compile(PLAIN_SCORE).fullmatch


def write(entry: Entry) -> str:
    """Return the text of an entry, with an empty line after it."""
    if isinstance(entry, GameRecord):
        lines = [*_game_tags(entry), "", *_plies(entry)] if entry.record else [*_game_tags(entry)]
    elif isinstance(entry, TournamentRecord):
        lines = [*_tournament_tags(entry)]
    else:
        lines = [*_rating_list_tags(entry)]
    return "\n".join((*lines, "end\n\n"))


def _tag(name: str, *values: str) -> str:
    return f"[{name} {' '.join(map(quoted, values))}]"


def _tournament_tags(tournament: TournamentRecord) -> Iterator[str]:
    yield _tag("Tournament", tournament.name)
    yield _tag("Begun", instant(tournament.created))
    for key, value in tournament.settings.items():
        yield _tag("Setting", key, value)
    if tournament.outline:
        yield _tag("Outline", tournament.outline)


def _rating_list_tags(ratings: RatingListRecord) -> Iterator[str]:
    yield _tag("RatingList", ratings.game)
    for key, value in ratings.settings.items():
        yield _tag("Setting", key, value)


def _game_tags(game: GameRecord) -> Iterator[str]:
    result = game.result
    yield _tag("Game", result.game)
    yield _tag("Event", result.tournament)
    if result.id is not None:
        yield _tag("Id", str(result.id))
    yield _tag("Number", str(result.number + 1))
    yield _tag("Key", result.key)
    yield _tag("Started", instant(game.started))
    yield _tag("Duration", seconds(game.duration))
    if game.worker:
        yield _tag("Worker", game.worker)
    if game.scale != 1:
        yield _tag("Scale", number(game.scale))
    for seat, player in enumerate(result.players, 1):
        yield from _player_tags(seat, player)
    if game.opening.position is not None:
        yield _tag("Start", game.opening.position)
    if game.opening.moves:
        yield _tag("Opening", *game.opening.moves)
    yield _tag("Termination", result.termination.value)
    yield _tag("Reason", result.reason)
    if result.detail:
        yield _tag("Detail", result.detail)
    if game.final_position:
        yield _tag("Final", game.final_position)


def _player_tags(seat: int, player: PlayerRecord) -> Iterator[str]:
    yield _tag(f"Player{seat}", player.name)
    if player.version:
        yield _tag(f"Version{seat}", player.version)
    if player.program:
        yield _tag(f"Program{seat}", player.program)
    if player.options is not None:
        yield _tag(f"Options{seat}", *(chain(*player.options.items()) if player.options else (NO_OPTIONS,)))
    yield _tag(f"TimeControl{seat}", player.time_control)
    yield _tag(f"Margin{seat}", str(player.margin))
    yield _tag(f"TimeUsed{seat}", seconds(player.time_used))
    if player.rank is not None:
        yield _tag(f"Rank{seat}", str(player.rank))
    yield _tag(f"Points{seat}", number(player.points))
    if player.forfeit is not None:
        yield _tag(f"Forfeit{seat}", player.forfeit.value)


def _plies(game: GameRecord) -> Iterator[str]:
    for ply, left in zip(game.record, _clocks(game), strict=True):
        clock = "" if left is None else f", clock {seconds(left)}"
        depth = "" if ply.depth is None else f", depth {ply.depth}"
        comment = f"time {seconds(ply.time)}{clock}{_score(ply.score)}{depth}"
        yield f"{ply.seat + 1}: {_move(ply.text)} {{{comment}}}"


@lru_cache(maxsize=4096)  # a game has few different moves, and scores occur again
def _move(text: str) -> str:
    return text if _plain_move(text) else quoted(text)


@lru_cache(maxsize=4096)
def _score(text: str) -> str:
    return f", score {text if _plain_score(text) else quoted(text)}" if text else ""


def _clocks(game: GameRecord) -> list[int | None]:
    """Return the nanoseconds left after each ply; None for every ply if the clocks cannot be computed."""
    try:
        return [left for _, left in clocks(game)]
    except (ValueError, IndexError):
        return [None] * len(game.record)
