"""Fixtures that make results and records from a few values."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena.model import GameRecord, GameResult, Opening, PlayerRecord
from arena.run import cores, feed
from arena.scoring import points
from referee import Termination
from referee.ply import Ply


def _result(
    *placed: tuple[str, int | None],
    number: int = 0,
    key: str | None = None,
    termination: Termination = Termination.NORMAL,
    forfeits: dict[str, Termination] | None = None,
    tournament: str = "cup",
    game: str | None = None,
    version: str = "1",
) -> GameResult:
    """Make a result from (engine, rank) pairs in seat order. The points follow from the ranks."""
    forfeit = tuple((forfeits or {}).get(name) for name, _ in placed)
    ranks = tuple(rank for _, rank in placed if rank is not None)
    scores = points(ranks, forfeit) if len(ranks) == len(placed) else (0.0,) * len(placed)
    players = tuple(
        PlayerRecord(name, version, rank, score, reason, "10+0.1", 100, 1_000_000)
        for (name, rank), score, reason in zip(placed, scores, forfeit, strict=True)
    )
    id_ = game or ("quoridor" if len(placed) == 2 else "quoridor4")
    key = f"{id_}:{number}" if key is None else key
    return GameResult(None, tournament, number, key, id_, termination, "goal", "", 2, players)


def _record(*placed: tuple[str, int | None], **result: object) -> GameRecord:
    """Make a record of two plies with a result as `_result` makes it."""
    plies = (Ply(0, "e2", 1_000_000, "cp 3", 5), Ply(1, "e8", 2_000_000))
    return GameRecord(
        _result(*(placed or (("a", 1), ("b", 2))), **result),  # type: ignore[arg-type]
        Opening(None, ("d1",)),
        plies,
        "/ / e2 e8 / 10 10 / 1",
        1_700_000_000.5,
        3_000_000,
    )


@pytest.fixture(scope="session", autouse=True)
def own_runs() -> Iterator[None]:
    """Let runs and servers meet none of another process of tests; `tests.arena.forked` does the same."""
    with pytest.MonkeyPatch.context() as patch:
        place = Path(tempfile.gettempdir())
        patch.setattr(feed, "_PLACE", place)
        patch.setattr(cores, "_LEASE", f"\0{place.name}")
        yield


@pytest.fixture(scope="session")
def result() -> Callable[..., GameResult]:
    """Makes a result: ``result(("alpha", 1), ("beta", 2))`` has engines and ranks in seat order."""
    return _result


@pytest.fixture(scope="session")
def record() -> Callable[..., GameRecord]:
    """Makes a record with two plies: ``record(number=3)``. It takes the arguments of `result`."""
    return _record
