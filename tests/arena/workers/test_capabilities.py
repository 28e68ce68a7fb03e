"""Why a worker cannot play a tournament: one sentence for each reason."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

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

NEEDS = Needs("1.0", "src", {"quoridor": "abc"}, ("a",), {"a": 100, "b": 50}, 2, ())
FOUND = Capabilities("1.0", "src", {"quoridor": "abc"}, "", 8, 0.3, 1000.0, 1 << 40, {}, ())

REASONS = {
    "has leapfrog-arena 0.9, but the hub has 1.0": {"version": "0.9"},
    "has other sources of leapfrog-arena 1.0 than the hub": {"source": "x"},
    "has other rules of the game quoridor": {"rules": {"quoridor": "x"}},
    "has no rules of the game quoridor": {"rules": {"quoridor": ""}},
    "has a clock that is 40 s ahead": {"now": 1041.0},
    "has a clock that is 100 s behind": {"now": 900.0},
    "has only 3 MiB of disk left": {"free": 3 << 20},
    "offers 1 core, but a game needs 2": {"cores": 1},
    "has no sandbox for a: bwrap is not installed": {"bwrap": "bwrap is not installed"},
    "wakes up 51 ms late, more than the margin of b (50 ms)": {"late_ms": 51.0},
}


def test_a_worker_with_everything_is_not_refused() -> None:
    assert refusal(NEEDS, FOUND, 1000, 1001) == ""


@pytest.mark.parametrize("reason", REASONS)
def test_each_reason_is_a_sentence(reason: str) -> None:
    found = msgspec.structs.replace(FOUND, **REASONS[reason])
    assert refusal(NEEDS, found, 1000, 1001).startswith(reason)


def test_this_machine_can_play_its_own_tournament(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.workers.capabilities._NAPS", 2)
    missing = EngineFiles("a", "", "", {}, {"/no/such/file": "-0"}, ())
    rules = {game_id: rules_hash(game_id) for game_id in ("quoridor", "hops")}
    needs = Needs(version("leapfrog-arena"), source_hash(), rules, (), {"a": 1000}, 1, (missing,))
    found = announce(needs, tmp_path, 1, tmp_path)
    assert refusal(needs, found, found.now, found.now) == ""
    assert found.missing == ("a",)
    assert rules_hash("no-such-game") == ""


def test_games_with_other_sources_have_other_hashes() -> None:
    folders = {rules_hash(game_id) for game_id in game_ids() if game_id in ("quoridor", "hops", "rodeurs")}
    assert len(folders) == 3
