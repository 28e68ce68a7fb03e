"""A database with random games of every id, by engines with hostile names."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, islice
from pathlib import Path
from random import Random

from starlette.testclient import TestClient

from arena.model import GameRecord, GameResult, Opening, PlayerRecord
from arena.scoring import points
from arena.store import Store
from arena.web.server.app import LOOPBACK, application
from arena.web.server.club import Club
from arena.web.server.databases import Databases
from arena.web.server.live import Broadcast
from protocol.wire.messages import Thought
from referee import Termination, game
from referee.match.time_control import NS_PER_MS
from referee.ply import Ply, count_moves

IDS = (
    "quoridor",
    "quoridor4",
    "movers-hoppers",
    "movers-hoppers-expert",
    "rampants",
    "eclaircissement",
    "quatre-en-ligne",
    "rodeurs",
    "rodeurs-diagonal",
    "hops",
)
ALIKE = ("movers-hoppers-expert", "rampants", "rodeurs-diagonal")
"""Games whose boards are drawn by the code of another game."""

FEW = 200
"""The number of legal moves from which a random one is chosen. Some games have thousands."""
EVIL = "<script>alert('x')</script>&\""
BEGUN = 1_700_000_000.0
NAMES = (EVIL, "alpha", "beta", "gamma with a rather long name")


def played(id_: str, names: tuple[str, ...], number: int, plies: int = 40, opening: int = 0) -> GameRecord:
    """Return a game of random moves. If it has not ended after ``plies``, a random player wins."""
    rng = Random(f"{id_} {number}")
    rules = game(id_)
    position = rules.start()
    early: list[str] = []
    record: list[Ply] = []
    for ply in range(opening + plies):
        if position.outcome() is not None:
            break
        seat = position.turn
        move = rng.choice(sorted(islice(position.legal_moves(), FEW), key=str))
        position = position.play(move)
        if ply < opening:
            early.append(str(move))
            continue
        score = f"cp {rng.randrange(-300, 300)}" if rng.random() < 0.8 else "mate 3"
        if ply == opening + 1 and number % 2:  # some games have faults that were forgiven
            record.append(Ply(seat, f"?illegal played {EVIL!r}: e3 is no move", 3 * NS_PER_MS))
            record.append(Ply(seat, f"?time {EVIL}", 0))
            record.append(Ply(seat, "?random", 0))
        thought = Thought(12_345, 67_890, 9, 1, f"{move} {EVIL}")
        record.append(Ply(seat, str(move), rng.randrange(5, 200) * NS_PER_MS, score, 4, thought))
    outcome = position.outcome()
    winner = rng.randrange(len(names))
    ranks = outcome.ranks if outcome else tuple(1 + (seat != winner) for seat in range(len(names)))
    why = Termination.NORMAL if outcome else Termination.ILLEGAL
    players = tuple(
        PlayerRecord(
            name,
            "1.0 <u>beta</u>",
            rank,
            score,
            None if outcome or rank == 1 else why,
            "10+0.1",
            100,
            sum(one.time for one in record if one.seat == seat),
        )
        for seat, (name, rank, score) in enumerate(
            zip(names, ranks, points(ranks, (None,) * len(names)), strict=True)
        )
    )
    detail = "" if outcome else "seat 1 played '<img src=x onerror=alert(1)>\x1b[2J', which is no move"
    reason = outcome.reason if outcome else why.value
    result = GameResult(
        None, "cup", number, f"{id_}:{number}", id_, why, reason, detail, count_moves(record), players
    )
    duration = sum(one.time for one in record)
    return GameRecord(
        result, Opening(None, tuple(early)), tuple(record), str(position), 1_700_000_000.0 + number, duration
    )


def fill(
    path: Path,
    *,
    rounds: int = 1,
    plies: int = 40,
    pairings: int | None = None,
    ids: Iterable[str] = IDS,
    entrants: tuple[str, ...] = NAMES,
) -> None:
    """Store a round-robin for each game id, or only its first ``pairings`` pairings."""
    records = []
    for id_ in ids:
        seats = game(id_).info.players
        for turn in range(rounds):
            for pairing in list(combinations(entrants, seats))[:pairings]:
                names = pairing if turn % 2 == 0 else pairing[::-1]
                number = len(records)
                records.append(played(id_, names, number, plies, opening=2 * (number % 2)))
    store = Store.open(path, create=True)
    store.begin_tournament("cup", {"time_control": "10+0.1"}, created=BEGUN)
    store.add_games(records)
    store.close()


def client_of(store: Store, club: Club | None = None) -> TestClient:
    """Return a client of a server of this process, whose pages wait for their tables."""
    databases = Databases([store], patience=60)
    app = application(databases, Broadcast(databases), LOOPBACK, club)
    return TestClient(app, base_url="http://localhost", backend="trio")


def page_of(client: TestClient) -> str:
    """Return the address of the page of the newest tournament."""
    return str(client.get("/api/tournaments").json()[0]["url"])
