"""Write the text format: tags as in PGN, then a line for each ply."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import Final

from arena.model import GameRecord, PlayerRecord, RatingListRecord, TournamentRecord
from arena.records.entries import VERSION, Entry
from arena.records.text_values import instant, number, quoted, seconds
from arena.replay import clocks

__all__ = ["HEADER", "NO_OPTIONS", "PLAIN_MOVE", "PLAIN_SCORE", "write"]

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
`arena.records.text_values.STRING`.
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
