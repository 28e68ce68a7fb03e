"""Games that become void late are played again, and every format comes to its end."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arena.config import TournamentSpec
from arena.formats.contest import ScheduleState
from arena.formats.format import Played, built_in_formats
from arena.formats.stages import StageKeys
from arena.formats.swiss import replay_rounds
from arena.formats.tune import Parameter, TuneTable
from arena.model import GameResult
from tests.arena.formats.playing import by_strength, keys, names, play, tournament

PARAMETER = Parameter(start=1, min=0, max=9, c_end=1, r_end=0.1)
FORMATS = {
    "round-robin": {},
    "gauntlet": {"seeds": ("e1",)},
    "swiss": {"rounds": 4},
    "knockout": {},
    "match": {"max_games": 12},
    "loser": {"max_games": 12, "first": "loser"},
    "ladder": {"max_games": 60},
    "place": {"max_games": 40, "strengths": dict.fromkeys(names(8)[1:], 100.0)},
    "tune": {"tune": TuneTable(steps=6, parallel=2, parameters={"A": PARAMETER})},
    "stages": {"stages": (StageKeys(format="round-robin", pools=2), StageKeys(format="knockout", engines=4))},
}
BEFORE, AFTER = by_strength({"e1": -9, "e0": 1}), by_strength({"e1": 9, "e0": 1})


def spec_of(form: str) -> TournamentSpec:
    two = form in ("match", "loser", "tune")
    return tournament(names(2 if two else 8), "match" if form == "loser" else form, 4, **FORMATS[form])


def is_over(spec: TournamentSpec, results: list[GameResult]) -> bool:
    return spec.plan.is_over("quoridor", Played(len(results), lambda: results))


def reopened(form: str, *, keep: int) -> tuple[TournamentSpec, list[GameResult], list[GameResult]]:
    """Play a tournament to its end, take back all games of e1 but the first ones, and play on."""
    spec = spec_of(form)
    _, results = play(spec, BEFORE)
    assert is_over(spec, results)
    own = [result for result in results if "e1" in (player.name for player in result.players)]
    void = keys(own[keep:])
    plan = spec.plan.without(void, {result.key: result for result in results})
    stored = [result for result in results if result.key not in void]
    after = spec.after(plan.encode(), ScheduleState.of(stored))
    assert not is_over(after, stored)
    _, again = play(after, AFTER, stored)
    assert keys(stored) <= keys(again)
    return after, results, again


def test_every_format_is_tried() -> None:
    assert {form.name for form in built_in_formats()} == FORMATS.keys() - {"loser"}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("keep", [0, 1, 3])
def test_a_tournament_ends_again_after_games_became_void(form: str, keep: int) -> None:
    after, _, again = reopened(form, keep=keep)
    assert is_over(after, again)
    if form not in ("knockout", "loser", "stages"):
        assert len(again) == after.plan.most


def test_a_match_whose_losers_start_goes_on_from_a_void_game_in_its_middle() -> None:
    spec = spec_of("loser")
    _, results = play(spec, BEFORE)
    stored = [*results[:3], *results[5:]]
    _, again = play(spec, AFTER, stored)
    assert keys(stored) <= keys(again)
    assert is_over(spec, again)
    for length in range(len(stored), len(again)):
        assert not is_over(spec, again[:length])


def test_a_swiss_keeps_the_pairs_of_its_rounds() -> None:
    after, before, again = reopened("swiss", keep=1)
    entrants, rounds = after.plan.entrants("quoridor"), 4
    assert entrants is not None
    _, old = replay_rounds(replace(entrants, past=()), rounds, 4, {one.key: one for one in before})
    players, new = replay_rounds(entrants, rounds, 4, {one.key: one for one in again})
    assert [[{m.first, m.second} for m in one.matches] for one in new] == [
        [{m.first, m.second} for m in one.matches] for one in old
    ]
    assert keys(again) == keys(before)
    assert next(player.score for player in players if entrants.names[player.place] == "e1") >= 13


def test_a_knockout_gives_the_engine_its_way_through_the_bracket() -> None:
    after, before, again = reopened("knockout", keep=0)
    assert after.plan.view("quoridor", Played(0, lambda: before)).places[-1][1] != "e0"
    assert after.plan.view("quoridor", Played(0, lambda: again)).places[0] == (1, "e1")


def test_a_swiss_whose_engines_have_changed_before_keeps_its_rounds_too() -> None:
    spec = tournament(names(6), "swiss", rounds=4)
    _, begun = play(spec, BEFORE, until=9)
    fewer = tournament([*names(5), "late"], "swiss", rounds=4)
    fewer = fewer.after(spec.plan.encode(), ScheduleState.of(begun))
    _, results = play(fewer, BEFORE, begun)
    void = keys([one for one in results if "e1" in (player.name for player in one.players)][2:])
    plan = fewer.plan.without(void, {result.key: result for result in results})
    assert [round_.matches[0].first for round_ in plan.past["quoridor"].rounds[:2]] == [
        round_.matches[0].first for round_ in fewer.plan.past["quoridor"].rounds[:2]
    ]
    assert len(plan.past["quoridor"].rounds) == 4
    after = fewer.after(plan.encode(), ScheduleState.of(results))
    _, again = play(after, AFTER, [result for result in results if result.key not in void])
    assert keys(again) == keys(results)
    assert is_over(after, again)
