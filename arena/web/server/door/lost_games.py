"""The games that a participant's engine lost, and the dialogues with the engine. All functions block."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from arena.config import TournamentSpec
from arena.errors import ArenaError
from arena.model import GameRecord, GameResult
from arena.store import Store
from arena.web.views.engine import EngineView
from arena.web.views.results import game_line
from referee.match.transcripts import newest_transcript, transcript_file

__all__ = ["LostGame", "lost_games", "own_seat", "own_transcript"]


@dataclass(frozen=True, slots=True)
class LostGame:
    """A game that a participant's engine lost.

    Attributes:
        number: the number of the game in the database.
        game: the game id.
        version: the version of the engine that played.
        opponents: the names of the others.
        verdict: the winner and the reason.
        detail: the referee's sentence about an engine's fault; may be empty.
        plies: the number of plies after the opening, with removals.
        position: the position string at the end.
        transcript: whether the dialogue with the engine is kept.
    """

    number: int
    game: str
    version: str
    opponents: str
    verdict: str
    detail: str
    plies: int
    position: str
    transcript: bool


def lost_games(spec: TournamentSpec, store: Store, view: EngineView) -> list[LostGame]:
    """Return the last games that an engine lost, the newest first."""
    return [_lost_game(spec, store.game(number), view.name) for number in view.lost]


def _lost_game(spec: TournamentSpec, record: GameRecord, name: str) -> LostGame:
    result = record.result
    seat = _seat_of(name, result)
    others = [player.name for index, player in enumerate(result.players) if index != seat]
    return LostGame(
        result.id or 0,
        result.game,
        result.players[seat].version,
        ", ".join(others),
        game_line(result, has_page=True).verdict,
        result.detail,
        len(record.record),
        record.final_position,
        _transcript(spec, result, seat) is not None,
    )


def own_transcript(spec: TournamentSpec, store: Store, number: int, name: str) -> Path | None:
    """Return the file with what one engine and the referee said in a game.

    Returns:
        None if there is none, or the engine did not play in this game of the tournament.
    """
    seat = own_seat(spec, store, number, name)
    return None if seat is None else _transcript(spec, store.game(number).result, seat)


def own_seat(spec: TournamentSpec, store: Store, number: int, name: str) -> int | None:
    """Return the first seat, from 0, that an engine had in a stored game.

    Returns:
        None if there is no such game in the tournament, or the engine did not play in it.
    """
    try:
        result = store.game(number).result
    except ArenaError:
        return None
    if result.tournament != spec.name or name not in (player.name for player in result.players):
        return None
    return _seat_of(name, result)


def _transcript(spec: TournamentSpec, result: GameResult, seat: int) -> Path | None:
    if spec.log is None:
        return None
    name = result.players[seat].name
    return newest_transcript(transcript_file(spec.log, str(result.number + 1), seat, name))


def _seat_of(name: str, result: GameResult) -> int:
    """Return the first seat, from 0, that an engine has in a game."""
    return next(seat for seat, player in enumerate(result.players) if player.name == name)
