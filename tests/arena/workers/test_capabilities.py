"""Why a worker cannot play a tournament, one sentence for each reason; and how fast it is."""

from __future__ import annotations

import msgspec
import pytest

from arena.workers.capabilities import (
    Capabilities,
    Needs,
    SpeedTest,
    announce,
    refusal,
    rules_hash,
    scale_of,
    scaled,
    source_hash,
)
from arena.workers.engine_files import EngineFiles
from referee import game_ids
from referee.match.job import SeatResult
from referee.outcome import Termination
from referee.ply import Ply
from tests.arena.workers.jobs import finished, job

NEEDS = Needs("src", {"quoridor": "abc"}, ("a",), {"a": 100, "b": 50}, 2, ())
FOUND = Capabilities("src", {"quoridor": "abc"}, "", 8, 0.3, {}, ())

REASONS = {
    "has another leapfrog-arena than the hub": {"source": "x"},
    "has not the hub's rules of the game quoridor": {"rules": {"quoridor": ""}},
    "offers 1 core, but a game needs 2": {"cores": 1},
    "has no sandbox for a: bwrap is not installed": {"bwrap": "bwrap is not installed"},
    "wakes up 51 ms late, more than the margin of b (50 ms)": {"late_ms": 51.0},
}


def test_a_worker_with_everything_is_not_refused() -> None:
    assert refusal(NEEDS, FOUND) == ""


@pytest.mark.parametrize("reason", REASONS)
def test_each_reason_is_a_sentence(reason: str) -> None:
    found = msgspec.structs.replace(FOUND, **REASONS[reason])
    assert refusal(NEEDS, found).startswith(reason)


def test_this_machine_can_play_its_own_tournament(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.workers.capabilities._NAPS", 2)
    missing = EngineFiles("a", "", "", {}, {"/no/such/file": "-0"}, ())
    rules = {game_id: rules_hash(game_id) for game_id in ("quoridor", "hops")}
    needs = Needs(source_hash(), rules, (), {"a": 1000}, 1, (missing,))
    found = announce(needs, 1)
    assert refusal(needs, found) == ""
    assert found.missing == ("a",)
    assert rules_hash("no-such-game") == ""


def test_games_with_other_sources_have_other_hashes() -> None:
    folders = {rules_hash(game_id) for game_id in game_ids() if game_id in ("quoridor", "hops", "rodeurs")}
    assert len(folders) == 3


# --- the speed of a machine

SPEED = SpeedTest(job(1), 1000, here=100_000.0)


def played(plies: int, ms: int, forfeit: Termination | None = None):
    record = tuple(Ply(n % 2, "x", ms * 1_000_000, "", None) for n in range(plies))
    seats = tuple(SeatResult("", "", 1, forfeit, 0, 0) for _ in range(2))
    return msgspec.structs.replace(finished(1), record=record, seats=seats)


def test_a_machine_of_half_the_speed_gets_twice_the_time() -> None:
    assert scale_of(SPEED, played(8, 20)) == 2.0
    assert scale_of(SPEED, played(8, 5)) == 0.5
    seats = scaled(job(1), 2.0).seats
    assert [seat.time_control for seat in seats] == ["20+0.2", "20+0.2"]
    assert scaled(job(1), 1.0) == job(1)


@pytest.mark.parametrize(
    "game", [played(7, 10), played(8, 10, Termination.CRASH), played(8, 1000), played(8, 0)]
)
def test_a_machine_that_cannot_be_compared_has_no_scale(game) -> None:
    assert scale_of(SPEED, game) is None
