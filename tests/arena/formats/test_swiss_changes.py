"""Swiss tournaments whose engines come and go: what was played stays, and the others are paired on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

from arena.config import TournamentSpec
from arena.formats.contest import PastMatch, ScheduleState
from arena.formats.format import Played
from arena.formats.plan import Plan
from arena.formats.swiss import SwissRound, replay_rounds
from arena.formats.swiss_pairing import SwissPlayer
from arena.formats.ties import swiss_table
from arena.model import GameResult, Pairing
from tests.arena.formats.playing import by_strength, names, play, tournament
from tests.seeds import seeds

DRAWS = by_strength({}, draws=100)


def first_wins(pairing: Pairing) -> list[int]:
    """Judge that the engine whose name comes first wins."""
    return [1 + (name != min(pairing.seats)) for name in pairing.seats]


def swiss(engines: Sequence[str], rounds: int, each: int = 1) -> TournamentSpec:
    return tournament(engines, "swiss", each, rounds=rounds)


def changed(
    old: TournamentSpec, results: Sequence[GameResult], engines: Sequence[str], rounds: int | None = None
) -> TournamentSpec:
    """The stored tournament as a file with other engines continues it."""
    keys = old.format_keys
    new = swiss(engines, rounds or keys.rounds, keys.games_per_pairing)
    return new.after(old.plan.encode(), ScheduleState.of(results))


def drawn(
    spec: TournamentSpec, results: Sequence[GameResult], rounds: int | None = None
) -> tuple[tuple[str, ...], list[SwissPlayer], list[SwissRound]]:
    entrants = spec.plan.entrants("quoridor")
    keys = spec.format_keys
    by_key = {result.key: result for result in results}
    rounds = rounds or max(keys.rounds, len(entrants.past))
    return entrants.names, *replay_rounds(entrants, rounds, keys.games_per_pairing, by_key)


def points(spec: TournamentSpec, results: Sequence[GameResult]) -> dict[str, float]:
    all_names, players, _ = drawn(spec, results)
    return {all_names[player.place]: player.score for player in players}


def met(results: Sequence[GameResult]) -> list[set[str]]:
    return [{player.name for player in result.players} for result in results]


def is_over(spec: TournamentSpec, results: Sequence[GameResult]) -> bool | None:
    return spec.plan.is_over("quoridor", Played(len(results), lambda: results))


def test_an_engine_that_leaves_keeps_its_rounds_and_the_others_are_paired_on() -> None:
    begun = swiss("abcdef", 2)
    _, results = play(begun, first_wins)
    spec = changed(begun, results, "abdef", 4)
    assert not is_over(spec, results)
    handed, after = play(spec, first_wins, results)
    assert len(handed) == 4  # two rounds of five engines
    assert not any("c" in game.seats for game in handed)
    assert spec.plan.total == len(after) == 10
    assert is_over(spec, after)
    _, _, rounds = drawn(spec, after)
    assert len(rounds) == 4
    assert len(set(map(frozenset, met(after)))) == 10  # nobody meets twice
    assert points(spec, after)["c"] == points(begun, results)["c"] == 2
    view = spec.plan.view("quoridor", Played(10, lambda: after))
    assert view.title == "Swiss: 4 of 4 rounds paired"
    assert view.remark == "Not paired any more: c"
    assert {name for _, name in view.places} == set("abcdef")


def test_a_late_engine_starts_in_the_next_round_without_points_for_missed_rounds() -> None:
    begun = swiss("abcd", 3, 2)
    _, results = play(begun, first_wins, until=5)  # the second round has started
    spec = changed(begun, results, "xabcd")
    assert points(spec, results)["x"] == 0
    handed, after = play(spec, first_wins, results)
    assert [("x" in game.seats) for game in handed][:3] == [False] * 3  # the rest of the second round
    _, players, rounds = drawn(spec, after)
    assert len(rounds) == 3
    assert (rounds[2].bye, players[4].missed) == (4, 2)  # the last engine in the table has the bye
    assert points(spec, after)["x"] == 2
    assert is_over(spec, after)


def test_a_round_that_was_played_keeps_its_bye_when_engines_come() -> None:
    begun = swiss("abc", 1)
    _, results = play(begun, DRAWS)
    spec = changed(begun, results, "abcde", 3)
    assert points(spec, results) == {"a": 0.5, "b": 0.5, "c": 1, "d": 0, "e": 0}
    _, after = play(spec, DRAWS, results)
    view = spec.plan.view("quoridor", Played(len(after), lambda: after))
    assert view.places == [*enumerate("cabde", 1)]
    assert view.data["swiss"]["drawn"][0] == {"pairs": [["a", "b"]], "bye": "c"}


def test_before_the_first_game_the_engines_may_be_any() -> None:
    assert changed(swiss("abcdef", 3), [], "fxa") == swiss("fxa", 3)


def test_an_engine_that_comes_back_keeps_its_place_points_and_seats() -> None:
    begun = swiss("abcdef", 5)
    _, first = play(begun, DRAWS, until=3)
    without = changed(begun, first, "abcde")
    _, second = play(without, DRAWS, first, until=2)
    again = changed(without, second, "abcdef")
    _, last = play(again, DRAWS, second)
    all_names, players, rounds = drawn(again, last)
    assert all_names == tuple("abcdef")
    assert (players[5].missed, players[5].missed_since, len(players[5].met)) == (1, 0, 4)
    assert len(rounds) == 5
    assert points(again, last)["f"] == 2


def test_a_renamed_engine_is_a_late_one_and_the_old_name_keeps_its_games() -> None:
    begun = swiss("abcd", 3)
    _, results = play(begun, first_wins, until=2)
    spec = changed(begun, results, ["a", "b", "new", "d"])
    _, after = play(spec, first_wins, results)
    found = points(spec, after)
    assert found["c"] == points(begun, results)["c"]
    assert sum("new" in pair for pair in met(after)) == 2


@pytest.mark.parametrize(
    ("left", "expected"),
    [("a", {"a": 2, "b": 2}), ("b", {"a": 4, "b": 0}), ("ab", {"a": 2, "b": 0}), ("x", {"a": 2, "b": 0})],
)
def test_games_that_a_leaving_engine_leaves_unplayed_are_won_by_its_opponent(
    left: str, expected: dict[str, float]
) -> None:
    begun = swiss("axbyz", 3, 4)
    _, results = play(begun, first_wins, until=2)
    assert met(results) == [{"a", "b"}] * 2
    spec = changed(begun, results, [name for name in "axbyz" if name not in left])
    found = points(spec, results)
    assert {name: found[name] for name in "ab"} == expected


def test_an_engine_whose_opponent_leaves_before_their_game_has_a_bye() -> None:
    begun = swiss("abcdef", 4, 2)  # a - d, b - e, c - f
    _, results = play(begun, first_wins, until=2)
    spec = changed(begun, results, "abcde")
    (round_,) = spec.past["quoridor"].rounds
    assert round_.matches[2] == PastMatch(2, 5, 0, 2)
    _, after = play(spec, first_wins, results)
    _, players, rounds = drawn(spec, after)
    assert (players[2].byes, players[5].byes, players[5].missed) == (1, 0, 4)
    assert rounds[1].bye != 2  # it has had one
    assert spec.plan.total == len(after) == 4 + 3 * 4
    assert is_over(spec, after)


def test_fewer_rounds_for_fewer_engines_take_back_no_started_round() -> None:
    begun = swiss("abcdef", 5)
    _, results = play(begun, first_wins, until=10)  # the fourth round has started
    spec = changed(begun, results, "abcd", 3)
    _, after = play(spec, first_wins, results)
    assert len(drawn(spec, after, 5)[2]) == 4
    assert spec.plan.total == len(after)
    assert is_over(spec, after)
    assert spec.plan.view("quoridor", Played(0, lambda: after)).title == "Swiss: 4 of 4 rounds paired"


def test_rounds_that_are_missed_count_in_the_tie_breaks_of_both_sides() -> None:
    begun = swiss("abcd", 3)  # a - c, b - d
    _, results = play(begun, first_wins, until=2)
    spec = changed(begun, results, "abd", 3)
    _, after = play(spec, first_wins, results)
    all_names, players, _ = drawn(spec, after)
    rows = {all_names[row.place]: row for row in swiss_table(players, 1)}
    # a beats c, b and d or has a bye; c lost and missed two rounds, which count as draws for its opponent.
    found = {name: row.points for name, row in rows.items()}
    opponents = [other for pair in met(after) if "a" in pair for other in pair - {"a"}]
    own = found["a"] * rows["a"].byes
    assert rows["a"].buchholz == own + 2 / 2 + sum(found[name] for name in opponents)
    assert rows["c"].buchholz == found["a"] + 2 * found["c"]


@pytest.mark.parametrize("seed", seeds(40))
def test_when_engines_come_and_go_all_games_count_and_each_round_is_whole(seed: int) -> None:
    rng = Random(seed)
    each = rng.randint(1, 3)
    engines = names(rng.randint(4, 9))
    spec = swiss(engines, 3, each)
    judge = by_strength({name: rng.randint(-2, 2) for name in names(20)})
    results: list[GameResult] = []
    for change in range(4):
        _, results = play(
            spec, judge, results, at_once=rng.randint(1, 4), seed=seed, until=rng.randint(0, 12)
        )
        absent = [name for name in names(20) if name not in engines]
        engines = [name for name in engines if rng.random() > 0.25] or engines
        engines += rng.sample(absent, rng.randint(max(0, 4 - len(engines)), 4))
        spec = changed(spec, results, engines, min(spec.format_keys.rounds + change % 2, len(engines) - 1))
        assert Plan.stored(spec.plan.encode()) == spec.plan
    more, results = play(spec, judge, results, at_once=3)
    assert all(set(game.seats) <= set(engines) for game in more)
    assert is_over(spec, results)
    assert spec.plan.total == len(results)
    all_names, players, rounds = drawn(spec, results)
    past = spec.past.get("quoridor")
    assert len(rounds) == max(spec.format_keys.rounds, 0 if past is None else len(past.rounds))
    by_key = {result.key: result for result in results}
    matches = [pair for round_ in rounds for pair in zip(round_.matches, round_.games, strict=True)]
    paired = [key for match, games in matches if match.played != 0 for key, _ in games if key in by_key]
    assert Counter(paired) == Counter(list(by_key))  # each game counts in one round
    scored = Counter(dict.fromkeys(all_names, 0.0))
    for result in results:
        for player in result.players:
            scored[player.name] += player.points
    for round_ in rounds:
        seated = [place for match in round_.matches for place in (match.first, match.second)]
        seated += [] if round_.bye is None else [round_.bye]
        assert len(set(seated)) == len(seated)
        if round_.bye is not None:
            scored[all_names[round_.bye]] += each
        for match in round_.matches:
            if match.winner is not None:
                scored[all_names[match.winner]] += each - match.played
    assert {all_names[player.place]: player.score for player in players} == dict(scored)
    assert replace(spec, past={}).after(spec.plan.encode(), ScheduleState.of(results)) == spec
