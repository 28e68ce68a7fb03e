"""Two small tournaments whose games are known, for all tests."""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle

from arena.model import GameRecord, GameResult, Opening, PlayerRecord
from arena.replay import replay
from referee import Termination, game
from referee.match.time_control import NS_PER_MS
from referee.ply import Ply

__all__ = ["AUTUMN", "SPRING", "autumn", "spring"]

SPRING = "spring-06bt2r"  # the ids of the tournaments
AUTUMN = "autumn-kg3vvy"

RUN = "e2 e8 e3 e7 e4 e6 e5 e4 e6 e3 e7 e2 e8 e1"  # the second player jumps and wins
FOUR = "e2 !2 d9 h5 e3 d8 i5 e4 d9 h5 e5 d8 i5 e6 d9 h5 e7 d8 i5 e8 d9 h5 e9"


def _player(name: str, rank: int, points: float, forfeit: Termination | None = None) -> PlayerRecord:
    return PlayerRecord(name, "1.0", rank, points, forfeit, "10+0.1", 100, 0)


def _plies(moves: list[str], seats: list[int]) -> tuple[Ply, ...]:
    order = cycle(seats)
    plies = []
    for number, text in enumerate(moves):
        seat = int(text[1]) - 1 if text.startswith("!") else next(order)
        time = 0 if text.startswith("!") else (number + 1) * 12 * NS_PER_MS
        scored = seat == 0 and time
        plies.append(Ply(seat, text, time, f"cp {10 * number}" if scored else "", 5 if scored else None))
    return tuple(plies)


def _record(
    number: int,
    players: tuple[PlayerRecord, ...],
    line: str,
    termination: Termination = Termination.NORMAL,
    reason: str = "goal",
    detail: str = "",
    tournament: str = "spring",
) -> GameRecord:
    id_ = "quoridor" if len(players) == 2 else "quoridor4"
    key = f"{id_}:{'|'.join(player.name for player in players)}:0"
    seats = [0, 1] if len(players) == 2 else [0, 2, 3]
    moves = line.split()
    plies = _plies(moves, seats)
    rules = game(id_)
    final = [rules.start(), *replay(rules, rules.start(), moves)][-1]
    used = [sum(ply.time for ply in plies if ply.seat == seat) for seat in range(len(players))]
    players = tuple(replace(player, time_used=time) for player, time in zip(players, used, strict=True))
    played = sum(not move.startswith("!") for move in moves)
    result = GameResult(None, tournament, number, key, id_, termination, reason, detail, played, players)
    duration = sum(ply.time for ply in plies)
    return GameRecord(result, Opening(), plies, str(final), 1_700_000_000.0 + 60 * number, duration)


def spring() -> list[GameRecord]:
    """Return six games of three engines: four decided by the rules, one by a crash, one drawn."""
    normal, crash, drawn = Termination.NORMAL, Termination.CRASH, Termination.ADJUDICATED
    why = "seat 2 ended with exit code 1 after 'go p1time 10152 p2time 10076 p1inc ...'"
    return [
        _record(0, (_player("alpha", 2, 0.0), _player("beta", 1, 1.0)), RUN, normal),
        _record(1, (_player("beta", 2, 0.0), _player("alpha", 1, 1.0)), RUN, normal),
        _record(
            2, (_player("alpha", 1, 1.0), _player("gamma", 2, 0.0, crash)), "e2 e8 e3", crash, "crash", why
        ),
        _record(3, (_player("gamma", 2, 0.0), _player("alpha", 1, 1.0)), RUN, normal),
        _record(4, (_player("beta", 1, 0.5), _player("gamma", 1, 0.5)), "e2 e8 e3 e7", drawn, "repetition"),
        _record(5, (_player("gamma", 2, 0.0), _player("beta", 1, 1.0)), RUN, normal),
    ]


def autumn() -> list[GameRecord]:
    """Return one game of four players, in which the second seat was removed for an illegal move."""
    players = (
        _player("alpha", 1, 1.0),
        _player("beta", 4, 0.0, Termination.ILLEGAL),
        _player("gamma", 2, 0.5),
        _player("delta", 2, 0.5),
    )
    return [_record(0, players, FOUR, detail="seat 2 played 'z9': z is no column", tournament="autumn")]
