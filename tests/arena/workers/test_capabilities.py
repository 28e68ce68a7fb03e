"""Why a worker cannot play a tournament, one sentence for each reason."""

from __future__ import annotations

import msgspec
import pytest

from arena.workers.capabilities import (
    Capabilities,
    Needs,
    announce,
    refusal,
    rules_hash,
    source_hash,
)
from arena.workers.engine_files import EngineFiles
from referee import game_ids

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
    can = msgspec.structs.replace(FOUND, **REASONS[reason])
    assert refusal(NEEDS, can).startswith(reason)


def test_this_machine_can_play_its_own_tournament(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.workers.capabilities._NAPS", 2)
    missing = EngineFiles("a", "", {}, {"/no/such/file": "-0"}, ())
    rules = {game_id: rules_hash(game_id) for game_id in ("quoridor", "hops")}
    needs = Needs(source_hash(), rules, (), {"a": 1000}, 1, (missing,))
    can = announce(needs, 1)
    assert refusal(needs, can) == ""
    assert can.missing == ("a",)
    assert rules_hash("no-such-game") == ""


def test_games_with_other_sources_have_other_hashes() -> None:
    folders = {rules_hash(game_id) for game_id in game_ids() if game_id in ("quoridor", "hops", "rodeurs")}
    assert len(folders) == 3
