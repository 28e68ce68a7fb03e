"""Between the values of `arena.model` and the rows of `arena.store.tables`.

Reading has a hundred thousand games to build in a second or two, so it takes plain rows column by column, in
the order of the `RESULT_COLUMNS` and their like, and shares the strings that recur.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final

from arena.model import GameRecord, Opening, PlayerRecord, Result
from arena.store.tables import GAME, PLAYER, RECORD
from referee.outcome import Termination
from referee.ply import Ply

__all__ = [
    "PLAYER_COLUMNS",
    "RECORD_COLUMNS",
    "RESULT_COLUMNS",
    "game_row",
    "load_players",
    "load_record",
    "load_results",
    "player_rows",
    "record_row",
]

RESULT_COLUMNS: Final = (
    GAME.c.id,
    GAME.c.tournament_id,
    GAME.c.number,
    GAME.c.key,
    GAME.c.game,
    GAME.c.termination,
    GAME.c.reason,
    GAME.c.detail,
    GAME.c.plies,
)
"""What `load_results` takes of a game."""

_SCHEDULE_ORDER: Final = itemgetter(1, 2, 3, 0)  # tournaments as they were begun, number, key, id

PLAYER_COLUMNS: Final = (
    PLAYER.c.game_id,
    PLAYER.c.engine_id,
    PLAYER.c.rank,
    PLAYER.c.points,
    PLAYER.c.forfeit,
    PLAYER.c.time_control,
    PLAYER.c.margin,
    PLAYER.c.time_used,
)
"""What `load_players` takes of a seat."""

RECORD_COLUMNS: Final = (
    GAME.c.started,
    GAME.c.duration,
    RECORD.c.opening_position,
    RECORD.c.opening_moves,
    RECORD.c.moves,
    RECORD.c.seats,
    RECORD.c.times,
    RECORD.c.scores,
    RECORD.c.depths,
    RECORD.c.final_position,
)
"""What `load_record` takes besides the result."""

_TERMINATIONS: Final = {word.value: word for word in Termination}
_FORFEITS: Final[Mapping[str | None, Termination | None]] = _TERMINATIONS | {None: None}


def game_row(record: GameRecord, number: int, tournament: int) -> dict[str, object]:
    """The row of ``game`` with the id ``number``, in the tournament with the id ``tournament``."""
    result = record.result
    return {
        "id": number,
        "tournament_id": tournament,
        "number": result.number,
        "key": result.key,
        "game": result.game,
        "termination": result.termination.value,
        "reason": result.reason,
        "detail": result.detail,
        "plies": result.plies,
        "started": record.started,
        "duration": record.duration,
    }


def player_rows(
    record: GameRecord, number: int, engines: Mapping[tuple[str, str, str], int]
) -> list[dict[str, object]]:
    """The rows of ``player``; ``engines`` has the engines' ids by name, version and program."""
    return [
        {
            "game_id": number,
            "seat": seat,
            "engine_id": engines[player.name, player.version, player.program],
            "rank": player.rank,
            "points": player.points,
            "forfeit": None if player.forfeit is None else player.forfeit.value,
            "time_control": player.time_control,
            "margin": player.margin,
            "time_used": player.time_used,
        }
        for seat, player in enumerate(record.result.players)
    ]


def record_row(record: GameRecord, number: int) -> dict[str, object]:
    """The row of ``record``."""
    plies = record.record
    return {
        "game_id": number,
        "opening_position": record.opening.position,
        "opening_moves": list(record.opening.moves),
        "moves": [ply.text for ply in plies],
        "seats": [ply.seat for ply in plies],
        "times": [ply.time for ply in plies],
        "scores": [ply.score for ply in plies],
        "depths": [ply.depth for ply in plies],
        "final_position": record.final_position,
    }


def load_players(
    rows: Iterable[Sequence[Any]], engines: Mapping[int, tuple[str, str, str]]
) -> dict[int, tuple[PlayerRecord, ...]]:
    """The seats of many games by the games' ids; the rows come in seat order.

    Raises:
        KeyError: a row holds an engine's id or a word that there isn't.
    """
    seats: defaultdict[int, list[PlayerRecord]] = defaultdict(list)
    controls: dict[str, str] = {}
    share = controls.setdefault
    for game, engine, rank, points, forfeit, control, margin, used in rows:
        name, version, program = engines[engine]
        seats[game].append(
            PlayerRecord(
                name,
                version,
                rank,
                points,
                _FORFEITS[forfeit],
                share(control, control),
                margin,
                used,
                program,
            )
        )
    return {game: tuple(players) for game, players in seats.items()}


def load_results(
    rows: Iterable[Sequence[Any]],
    players: Mapping[int, tuple[PlayerRecord, ...]],
    tournaments: Mapping[int, str],
) -> list[Result]:
    """One result a row, in schedule order; ``tournaments`` has the tournaments' names by id.

    Raises:
        KeyError: a row holds a word that there isn't, or a game has no players.
    """
    words: dict[str, str] = {}
    share = words.setdefault
    return [
        Result(
            number,
            tournaments[tournament],
            place,
            key,
            share(game, game),
            _TERMINATIONS[termination],
            share(reason, reason),
            detail,
            plies,
            players[number],
        )
        for number, tournament, place, key, game, termination, reason, detail, plies in sorted(
            rows, key=_SCHEDULE_ORDER
        )
    ]


def load_record(result: Result, row: Sequence[Any]) -> GameRecord:
    """A whole game.

    Raises:
        ValueError: the plies' arrays are not of one length.
    """
    started, duration, position, opening_moves, moves, seats, times, scores, depths, final = row
    plies = tuple(
        Ply(seat, text, time, score, depth)
        for seat, text, time, score, depth in zip(seats, moves, times, scores, depths, strict=True)
    )
    return GameRecord(result, Opening(position, tuple(opening_moves)), plies, final, started, duration)
