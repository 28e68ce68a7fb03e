"""Stages: pools and play-offs in one tournament, fed by the tables before, and what decides ties."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from math import inf
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.config import TournamentSpec
from arena.formats.contest import ScheduleState
from arena.formats.format import FormatView, Played
from arena.formats.knockout import EXTRA_PAIRS, first_round
from arena.formats.stages import STAGES, StageKeys
from arena.formats.ties import TableRow, ranked, settle
from arena.model import GameRecord, GameResult, Pairing, Stage
from arena.openings.book import OpeningSpec
from arena.run.upcoming import drawn
from arena.store import Store
from referee import Termination
from tests.arena.formats.playing import Judge, by_strength, ended, keys, names, play, tournament
from tests.seeds import examples


def staged(engines: Sequence[str], *stages: StageKeys, **more: Any) -> TournamentSpec:
    return tournament(engines, "stages", stages=stages, **more)


def pools(count: int = 1, **more: Any) -> StageKeys:
    return StageKeys(name="pools", format="round-robin", pools=count, **more)


def play_offs(engines: int | None = None, **more: Any) -> StageKeys:
    return StageKeys(name="play-offs", format="knockout", engines=engines, **more)


def favourites(pairing: Pairing) -> list[int]:
    """The engine with the lower number wins."""
    return [1, 2] if int(pairing.seats[0][1:]) < int(pairing.seats[1][1:]) else [2, 1]


def level(pairing: Pairing) -> list[int]:
    return [1, 1]


def except_for(judge: Judge, **winners: str) -> Judge:
    """The games of two engines are always won by one of them: ``e1e2="e2"``."""

    def judge_game(pairing: Pairing) -> Sequence[int]:
        winner = winners.get("".join(sorted(pairing.seats)))
        return judge(pairing) if winner is None else [1 + (name != winner) for name in pairing.seats]

    return judge_game


def view(spec: TournamentSpec, results: Sequence[GameResult]) -> FormatView:
    return spec.plan.view("quoridor", Played(len(results), lambda: results))


def tables(spec: TournamentSpec, results: Sequence[GameResult]) -> list[list[tuple[str, ...]]]:
    return [[*part.table.rows] for part in view(spec, results).parts if part.table is not None]


def order(rows: Sequence[Sequence[str]]) -> list[str]:
    return [row[1] for row in rows]


def decided(rows: Sequence[Sequence[str]]) -> list[tuple[str, str]]:
    return [(row[1], row[4]) for row in rows]


def is_over(spec: TournamentSpec, results: Sequence[GameResult]) -> bool | None:
    return spec.plan.is_over("quoridor", Played(len(results), lambda: results))


def with_times(result: GameResult, seconds: dict[str, float]) -> GameResult:
    players = (replace(player, time_used=round(seconds[player.name] * 1e9)) for player in result.players)
    return replace(result, players=tuple(players))


# --- from stage to stage


def test_pools_are_dealt_out_forth_and_back_and_the_best_thirds_go_on() -> None:
    spec = staged(names(12), pools(3), play_offs(8, third_place=True))
    handed, results = play(spec, favourites, at_once=3)
    first, second, third, thirds = tables(spec, results)
    assert [order(rows) for rows in (first, second, third)] == [
        ["e0", "e5", "e6", "e11"],
        ["e1", "e4", "e7", "e10"],
        ["e2", "e3", "e8", "e9"],
    ]
    assert [row[5] for row in first] == ["play-offs", "play-offs", "play-offs", ""]
    assert [(row[1], row[5]) for row in thirds] == [("e6", "play-offs"), ("e7", "play-offs"), ("e8", "")]
    assert len([game for game in handed if ":1." in game.key]) == 3 * 6 * 2
    assert is_over(spec, results)
    assert [name for _, name in view(spec, results).places][:4] == ["e0", "e1", "e2", "e3"]
    assert [place for place, _ in view(spec, results).places] == [1, 2, 3, 4, 5, 5, 5, 5, 9, 10, 11, 12]


def test_thirds_of_larger_and_smaller_pools_are_compared_by_points_a_game() -> None:
    spec = staged(names(7), pools(2), play_offs(5))
    _, results = play(spec, favourites)
    *_, thirds = tables(spec, results)
    # The third of four engines has 2 points in 6 games, and the third of three has none in 4.
    assert [(row[1], row[2], row[3], row[5]) for row in thirds] == [
        ("e5", "6", "2", "play-offs"),
        ("e4", "4", "0", ""),
    ]


def test_points_against_an_engine_that_never_answered_count_for_nobody_when_pools_are_compared() -> None:
    spec = staged(names(8), pools(2, ties=("time",)), play_offs(3))
    _, results = play(
        spec, lambda game: (favourites if {"e0", "e1", "e7"}.intersection(game.seats) else level)(game)
    )
    absent = [
        replace(
            result,
            players=tuple(
                replace(player, forfeit=Termination.CRASH if number < 3 else Termination.DISABLED)
                if player.name == "e7"
                else player
                for player in result.players
            ),
        )
        for number, result in enumerate(one for one in results if "e7" in {seat.name for seat in one.players})
    ]
    met = {result.key: result for result in absent}
    *_, seconds = tables(spec, [met.get(result.key, result) for result in results if ":1." in result.key])
    # e3 has 3 points in 6 games, 2 of them against e7: fewer than e2 has against engines that play.
    assert [(row[1], row[2], row[3], row[5]) for row in seconds] == [
        ("e2", "6", "2", "play-offs"),
        ("e3", "4", "1", ""),
    ]


@pytest.mark.parametrize(
    ("engines", "count", "enter"), [(4, 2, 4), (8, 2, 4), (12, 3, 8), (16, 4, 8), (12, 6, 12)]
)
@pytest.mark.parametrize("seed", range(3))
def test_engines_of_one_pool_do_not_meet_in_the_first_round(
    engines: int, count: int, enter: int, seed: int
) -> None:
    rng = Random(seed)
    spec = staged(names(engines), pools(count), play_offs(enter))
    _, results = play(spec, by_strength({name: rng.gauss(0, 3) for name in names(engines)}))
    shown = view(spec, results)
    pool_of = {
        row[1]: title for part in shown.parts[:count] for row in part.table.rows for title in [part.title]
    }
    first = [match["engines"] for part in shown.parts if part.bracket for match in part.bracket[0]]
    pairs = [pair for pair in first if None not in pair]
    assert len(pairs) == len(first_round(enter))
    assert [pair for pair in pairs if pool_of[pair[0]] == pool_of[pair[1]]] == []


def test_a_swiss_leads_to_a_final_of_its_first_eight() -> None:
    swiss = StageKeys(format="swiss", rounds=4, games_per_pairing=1)
    spec = staged(names(11), swiss, play_offs(8, best_of=3))
    _, results = play(spec, favourites, at_once=2)
    shown = view(spec, results)
    table, bracket = shown.parts
    assert bracket.title == "play-offs: knock-out"
    assert table.table.note.endswith("direct encounter (if all tied engines have met), seed.")
    assert {name for match in bracket.bracket[0] for name in match["engines"]} == set(
        order(table.table.rows)[:8]
    )
    assert is_over(spec, results)
    assert shown.places[0] == (1, "e0")
    assert [name for _, name in shown.places[8:]] == order(table.table.rows)[8:]


def test_points_a_game_that_differ_by_little_are_no_tie() -> None:
    rows = {"a": TableRow("a", 50_003, 25_001.0), "b": TableRow("b", 50_005, 25_002.0)}
    table = ranked(rows, (), lambda tie, tied: None, by_score=True)
    assert [(row.engine, row.by) for row in table] == [("b", ""), ("a", "")]


def test_engines_that_lost_in_one_round_have_the_place_after_all_that_are_better() -> None:
    spec = staged(names(16), play_offs(), StageKeys(format="round-robin", engines=6))
    _, results = play(spec, favourites)
    places = view(spec, results).places
    assert [name for _, name in places[:6]] == names(6)
    assert [place for place, _ in places] == [*range(1, 7), 7, 7, *[9] * 8]


def test_two_engines_that_meet_again_in_a_later_stage_play_new_games_on_new_openings() -> None:
    spec = staged(names(4), pools(), play_offs(2), StageKeys(format="gauntlet", engines=2))
    handed, _ = play(spec, favourites)
    again = [game for game in handed if set(game.seats) == {"e0", "e1"}]
    assert [game.key.rpartition(":")[2] for game in again] == ["1.0", "1.0", "2.0", "2.0", "3.0", "3.0"]
    assert len(keys(handed)) == len({game.number for game in handed}) == len(handed) == 16
    assert [game.number for game in handed] == sorted(game.number for game in handed)


def test_four_players_have_pools_and_a_final_table() -> None:
    spec = tournament(
        names(8),
        "stages",
        games=("quoridor4",),
        stages=(pools(2), StageKeys(format="round-robin", engines=4)),
    )
    _, results = play(
        spec, lambda pairing: [1 + sum(other < one for other in pairing.seats) for one in pairing.seats]
    )
    assert spec.plan.is_over("quoridor4", Played(len(results), lambda: results))
    places = spec.plan.view("quoridor4", Played(len(results), lambda: results)).places
    assert [name for _, name in places] == ["e0", "e1", "e2", "e3", "e4", "e5", "e6", "e7"]


@examples(15)
@given(st.data())
def test_a_run_that_is_cut_off_anywhere_plays_the_same_games_to_the_same_end(data: st.DataObject) -> None:
    count = data.draw(st.integers(6, 12))
    first = data.draw(
        st.sampled_from([pools(2, ties=("direct", "game")), pools(), StageKeys(format="swiss", rounds=3)])
    )
    spec = staged(names(count), first, play_offs(4, third_place=True, ties=("game", "lot")))
    rng = Random(data.draw(st.integers(0, 99)))
    judge = by_strength({name: rng.gauss(0, 0.5) for name in names(count)}, draws=0.8)
    handed, whole = play(spec, judge)
    cut = data.draw(st.integers(0, len(whole)))
    _, part = play(spec, judge, until=cut, at_once=2)
    rest, results = play(spec, judge, part, at_once=3)
    assert keys(results) == keys(whole)
    assert {(game.number, game.key) for game in rest} <= {(game.number, game.key) for game in handed}
    assert view(spec, results).data == view(spec, whole).data
    assert len(results) <= spec.plan.most
    for length in range(0, len(whole), 7):
        assert not is_over(spec, whole[:length])


@pytest.mark.parametrize(
    "first",
    [
        pools(2, games_per_pairing=1),
        StageKeys(format="swiss", rounds=4, games_per_pairing=1),
        play_offs(games_per_pairing=1, ties=()),
    ],
    ids=["pools", "swiss", "knockout"],
)
def test_games_that_became_void_are_played_again_and_the_stages_follow(first: StageKeys) -> None:
    spec = staged(names(8), first, pools(2, engines=4, games_per_pairing=1), play_offs(2))
    _, results = play(spec, by_strength({"e1": -9.0}))
    stored = [one for one in results if "e1" not in {player.name for player in one.players}]
    assert not is_over(spec, stored)
    for until in (1, 5, None):
        _, stored = play(spec, by_strength({"e1": 9.0}), stored, until=until)
    assert is_over(spec, stored)
    shown = view(spec, stored)
    assert shown.places[0] == (1, "e1")
    _, missing = play(spec, level, stored)
    assert len(missing) == len(stored)
    if first.format == "swiss":
        met = {frozenset(player.name for player in one.players) for one in stored if ":1." in one.key}
        drawn_pairs = shown.data["stages"][0]["pools"][0]["swiss"]["drawn"]
        assert len(drawn_pairs) == 4
        assert all(frozenset(pair) in met for round_ in drawn_pairs for pair in round_["pairs"])


def test_each_stage_is_announced_before_its_games() -> None:
    spec = staged(names(4), pools(2), play_offs(4))
    state, said = ScheduleState(), []
    for item in spec.schedule().pending(state):
        if isinstance(item, Stage):
            said.append(item.text)
        elif item is not None:
            state.results[item.key] = ended(item, favourites(item))
    assert said == ["pools", "play-offs", "play-offs, round 1 of 2", "play-offs, round 2 of 2"]


def test_a_game_knows_its_stage_by_its_key() -> None:
    spec = staged(names(4), pools(2, ties=("game",)), replace(play_offs(4), name=None))
    handed, _ = play(spec, level)
    found = Counter(STAGES.stage_of(spec.format_keys, game.key) for game in handed)
    assert found == {"pools": 4, "pools, deciding game": 2, "stage 2": 3 * (2 + 2 * EXTRA_PAIRS)}
    assert STAGES.stage_of(spec.format_keys, "quoridor:a|b:0") == ""


# --- ties


@pytest.mark.parametrize(
    ("ties", "first", "last"),
    [
        (None, ("e2", "direct encounter 2"), ("e3", "direct encounter 0")),
        (("direct",), ("e2", "direct encounter 2"), ("e3", "direct encounter 0")),
        (("sonneborn-berger", "direct"), ("e3", "Sonneborn-Berger 8"), ("e2", "Sonneborn-Berger 4")),
        ((), ("e2", "seed"), ("e3", "seed")),
    ],
)
def test_the_tie_breaks_decide_in_their_order(
    ties: tuple[str, ...] | None, first: tuple[str, str], last: tuple[str, str]
) -> None:
    # e2 has beaten e3, but e3 has beaten the winner.
    spec = staged(names(4), pools(ties=ties))
    (table,) = tables(spec, play(spec, except_for(favourites, e0e3="e3"))[1])
    assert [row[3] for row in table] == ["4", "4", "2", "2"]
    assert decided(table)[2:] == [first, last]


def test_three_engines_that_beat_each_other_in_a_circle_are_parted_by_the_next_tie_break() -> None:
    judge = except_for(favourites, e0e2="e2")
    spec = staged(names(4), pools(ties=("direct",)))
    (table,) = tables(spec, play(spec, judge)[1])
    assert decided(table) == [("e0", "seed"), ("e1", "seed"), ("e2", "seed"), ("e3", "")]


def test_the_engine_that_used_less_time_is_first() -> None:
    spec = staged(names(3), pools(ties=("time",)))
    _, results = play(spec, level)
    used = {"e0": 3.0, "e1": 1.0, "e2": 2.0}
    (table,) = tables(spec, [with_times(result, used) for result in results])
    assert decided(table) == [
        ("e1", "time used 1.000 s a game"),
        ("e2", "time used 2.000 s a game"),
        ("e0", "time used 3.000 s a game"),
    ]


def test_the_time_of_games_that_were_not_played_does_not_count() -> None:
    spec = staged(names(2), pools(games_per_pairing=4, ties=("time",)))
    _, results = play(spec, level)
    slow, quick = {"e0": 1.0, "e1": 2.0}, {"e0": 9.0, "e1": 0.0}
    unplayed = [
        replace(
            one,
            players=tuple(
                replace(player, forfeit=Termination.DISABLED if seat == place else None)
                for seat, player in enumerate(one.players)
            ),
        )
        for place, one in enumerate(results[:2])
    ]
    shown = [with_times(one, quick) for one in unplayed] + [with_times(one, slow) for one in results[2:]]
    (table,) = tables(spec, shown)
    assert decided(table) == [("e0", "time used 1.000 s a game"), ("e1", "time used 2.000 s a game")]


def test_deciding_games_are_played_only_for_ties() -> None:
    def judge(pairing: Pairing) -> list[int]:
        return favourites(pairing) if "+" in pairing.key else level(pairing)

    spec = staged(names(4), pools(2, ties=("game",)), play_offs(2))
    handed, results = play(spec, judge)
    deciding = [game for game in handed if "+" in game.key]
    assert [set(game.seats) for game in deciding] == [{"e0", "e3"}, {"e1", "e2"}]
    first, second, *_ = tables(spec, results)
    assert decided(first) == [("e0", "deciding game 1"), ("e3", "deciding game 0")]
    assert decided(second) == [("e1", "deciding game 1"), ("e2", "deciding game 0")]
    _, half = play(spec, judge, until=5)
    assert ("e1", "deciding game to come") in decided(tables(spec, half)[1])
    assert spec.plan.total is None
    assert spec.plan.most == 2 * (2 + 1) + (2 + 2 * EXTRA_PAIRS)


def test_a_deciding_game_decides_while_another_tie_of_its_pool_is_open() -> None:
    spec = staged(names(4), pools(ties=("game",)))
    judge = except_for(level, e0e2="e0", e0e3="e0", e1e2="e1", e1e3="e1")
    _, results = play(spec, judge)
    last = next(one for one in results if "+" in one.key and one.players[0].name == "e0")
    (table,) = tables(spec, [one for one in results if one is not last])
    assert decided(table)[:2] == [("e0", "deciding game to come"), ("e1", "deciding game to come")]
    assert decided(table)[2:] == [("e2", "seed"), ("e3", "seed")]


def test_deciding_games_and_later_stages_have_openings_that_were_not_played_before() -> None:
    spec = staged(
        names(4), pools(ties=("game",)), play_offs(4), openings=OpeningSpec(kind="random", plies=3, seed=1)
    )
    handed, _ = play(spec, level)
    openings = {
        stage: {game.opening for game in handed if f":{stage}" in game.key} for stage in ("1.", "1+", "2.")
    }
    assert [len(found) for found in openings.values()] == [6, 6, 7]  # extra pairs share openings
    assert len(set.union(*openings.values())) == 6 + 6 + 7


def test_a_lot_depends_on_the_seed_of_the_file_and_on_the_stage() -> None:
    found = set()
    for seed in range(20):
        spec = staged(names(3), pools(ties=("lot",)))
        spec = replace(spec, format_keys=replace(spec.format_keys, seed=seed))
        _, results = play(spec, level)
        (table,) = tables(spec, results)
        assert {by for _, by in decided(table)} == {"lot"}
        assert table == tables(spec, results)[0]
        found.add(tuple(order(table)))
    assert len(found) > 3
    lots = pools(ties=("lot",))
    spec = staged(names(6), lots, replace(lots, engines=6))
    first, second = tables(spec, play(spec, level)[1])
    assert order(first) != order(second)


def test_engines_of_two_pools_are_parted_by_time_but_not_by_sonneborn_berger() -> None:
    spec = staged(names(4), pools(2, ties=("sonneborn-berger", "time")), play_offs(3))
    _, results = play(spec, favourites)
    used = {"e0": 1.0, "e1": 1.0, "e2": 1.0, "e3": 2.0}
    *_, seconds = tables(spec, [with_times(result, used) for result in results])
    assert decided(seconds) == [("e2", "time used 1.000 s a game"), ("e3", "time used 2.000 s a game")]


def test_the_direct_encounter_counts_again_among_fewer_engines() -> None:
    points = {("a", "b"): 1.0, ("b", "a"): 0.0}

    def values(tie: str, tied: list[str]) -> dict[str, float]:
        if len(tied) == 3:
            return {"a": 1.0, "b": 1.0, "c": 2.0}
        first, second = tied
        return {first: points[first, second], second: points[second, first]}

    assert [name for name, _ in settle(["b", "a", "c"], ["direct"], values)] == ["c", "a", "b"]


def test_an_engine_that_has_played_no_game_comes_last_by_time() -> None:
    values = {"a": -inf, "b": -1.5}
    assert settle(["a", "b"], ["time"], lambda tie, tied: values) == [
        ("b", "time used 1.500 s a game"),
        ("a", "no game played"),
    ]


# --- matches of a knock-out


def match_of(
    spec: TournamentSpec, judge: Judge, change: Any = lambda result: result
) -> tuple[dict[str, Any], int]:
    _, results = play(spec, judge)
    (part, *_) = view(spec, [change(result) for result in results]).parts
    return part.bracket[-1][0], len(results)


def test_a_best_of_ends_as_soon_as_it_is_decided() -> None:
    for best_of, games in ((1, 1), (3, 2), (4, 3), (5, 3)):
        match, played = match_of(staged(names(2), play_offs(best_of=best_of)), favourites)
        assert (match["winner"], match["by"], match["games"], played) == ("e0", "points", games, games)


@pytest.mark.parametrize(("best_of", "most"), [(2, 2), (4, 4)])
def test_a_best_of_in_which_the_last_games_can_level_it_is_not_decided_before_them(
    best_of: int, most: int
) -> None:
    def judge(pairing: Pairing) -> list[int]:
        return [1 + (name != ("e0" if pairing.number < best_of / 2 else "e1")) for name in pairing.seats]

    spec = staged(names(2), play_offs(best_of=best_of))
    _, results = play(spec, judge)
    for length in range(most + 1):
        assert not is_over(spec, results[:length])
    match, played = match_of(spec, judge)
    assert (match["winner"], match["by"], played) == ("e1", "extra games", most + 2)


@pytest.mark.parametrize("at_once", [1, 2, 8])
def test_a_best_of_plays_only_needed_games_also_when_many_run_at_the_same_time(at_once: int) -> None:
    spec = staged(names(8), play_offs(best_of=5))
    handed, _ = play(spec, favourites, at_once=at_once)
    assert len(handed) == 7 * 3


def test_a_best_of_that_is_level_to_its_end_has_extra_games_like_any_match() -> None:
    match, played = match_of(staged(names(2), play_offs(best_of=3)), level)
    assert (match["winner"], match["by"], played) == ("e0", "seed", 3 + 2 * EXTRA_PAIRS)


def test_a_tied_match_is_won_by_the_quicker_engine_and_the_bracket_gives_the_reason() -> None:
    used = {"e0": 2.0, "e1": 1.0}
    spec = staged(names(2), play_offs(ties=("time",)))
    match, played = match_of(spec, level, lambda result: with_times(result, used))
    assert (match["winner"], match["by"], played) == ("e1", "time used 1.000 s a game", 2)
    spec = staged(names(2), play_offs(ties=("game", "time")))
    match, played = match_of(spec, level, lambda result: with_times(result, used))
    assert (match["winner"], played) == ("e1", 2 + 2 * EXTRA_PAIRS)
    _, results = play(spec, level)
    shown = view(spec, [with_times(result, used) for result in results])
    assert shown.parts[0].remark == "e1 won by time used 1.000 s a game"


def test_the_losers_of_the_semi_finals_play_for_the_third_place() -> None:
    spec = staged(names(4), play_offs(third_place=True))
    handed, results = play(spec, favourites, at_once=4)
    assert Counter(frozenset(game.seats) for game in handed)[frozenset({"e2", "e3"})] == 2
    shown = view(spec, results)
    assert shown.places == [(1, "e0"), (2, "e1"), (3, "e2"), (4, "e3")]
    assert [part.title for part in shown.parts[0].parts] == ["Third place"]
    before = [result for result in results if {player.name for player in result.players} != {"e2", "e3"}]
    assert not is_over(spec, before)
    assert len({game.number for game in handed}) == len(handed)


# --- the draw


def test_a_random_draw_follows_from_the_seed() -> None:
    spec = staged(names(9), pools(3), draw="random")
    one = drawn(None, spec, ScheduleState())
    assert one.past == drawn(None, spec, ScheduleState()).past
    order_of = one.past["quoridor"].names
    assert sorted(order_of) == names(9)
    assert order_of != tuple(names(9))
    assert drawn(None, replace(spec, seed=2), ScheduleState()).past["quoridor"].names != order_of


def test_an_engine_without_a_rating_comes_after_all_that_have_one(
    tmp_path: Path, record: Callable[..., GameRecord]
) -> None:
    spec = staged(["new", *names(3)], pools(), draw="rating")
    games = [("e2", "e1"), ("e2", "e0"), ("e1", "e0")] * 5
    with closing(Store.open(tmp_path / "arena.db", create=True)) as store:
        store.begin_tournament("cup", {})
        store.add_games(
            [record((one, 1), (other, 2), number=number) for number, (one, other) in enumerate(games)]
        )
        assert drawn(store, spec, ScheduleState()).past["quoridor"].names == ("e2", "e1", "e0", "new")


def test_the_draw_stays_when_the_file_names_its_engines_in_another_order() -> None:
    spec = drawn(None, staged(names(6), pools(2), play_offs(2)), ScheduleState())
    _, results = play(spec, favourites, until=4)
    state = ScheduleState.of(results)
    other = staged(names(6)[::-1], pools(2), play_offs(2)).after(spec.plan.encode(), state)
    other = drawn(None, other, state)
    _, rest = play(other, favourites, results)
    assert keys(rest) == keys(play(spec, favourites)[1])
