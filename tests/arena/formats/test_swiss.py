"""Swiss tournaments: the pairings of the rounds, and the table."""

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.formats.contest import Entrants, ScheduleState
from arena.formats.format import Played
from arena.formats.matching import Matching
from arena.formats.swiss import (
    Swiss,
    SwissRound,
    _exchange,
    replay_rounds,
)
from arena.formats.swiss_pairing import SwissPlayer, pair_round
from arena.formats.ties import SwissEncounters, SwissRow, swiss_table
from arena.model import GameResult, Pairing, Stage
from tests.arena.formats.playing import (
    by_strength,
    check_that_it_goes_on,
    ended,
    keys,
    names,
    next_game,
    play,
    tournament,
    with_keys,
)
from tests.seeds import examples, seeds

steady = examples(10)


@st.composite
def swiss(draw, most=14):
    """A tournament and a judge of its games."""
    count = draw(st.integers(2, most))
    rounds = draw(st.integers(1, min(7, count - (count + 1) % 2)))
    spec = tournament(names(count), "swiss", draw(st.integers(1, 3)), rounds=rounds)
    strengths = {name: draw(st.integers(-3, 3)) for name in names(count)}
    return spec, by_strength(strengths)


def drawn(spec, results: list[GameResult]) -> tuple[list[SwissPlayer], list[SwissRound]]:
    entrants = Entrants("quoridor", tuple(entry.spec.name for entry in spec.engines))
    return replay_rounds(
        entrants,
        spec.format_keys.rounds,
        spec.format_keys.games_per_pairing,
        {result.key: result for result in results},
    )


def can_be_paired(free: frozenset[int], met: set[frozenset[int]]) -> bool:
    """Whether all engines can be paired without a repeated meeting, found by trying."""
    if not free:
        return True
    one = min(free)
    return any(
        frozenset((one, other)) not in met and can_be_paired(free - {one, other}, met)
        for other in free - {one}
    )


@steady
@given(swiss())
def test_everybody_plays_once_a_round_and_has_one_bye_at_most(made) -> None:
    spec, judge = made
    _, results = play(spec, judge, at_once=4)
    players, rounds = drawn(spec, results)
    assert len(rounds) == spec.format_keys.rounds
    assert max(player.byes for player in players) <= 1
    for round_ in rounds:
        places = [place for match in round_.matches for place in (match.first, match.second)]
        places += [] if round_.bye is None else [round_.bye]
        assert sorted(places) == list(range(len(players)))


@steady
@given(swiss(8))
def test_nobody_meets_anybody_twice_while_everybody_can_be_paired_without(made) -> None:
    spec, judge = made
    _, results = play(spec, judge)
    count = len(spec.engines)
    met: set[frozenset[int]] = set()
    byes: set[int] = set()
    for round_ in drawn(spec, results)[1]:
        pairs = [frozenset((match.first, match.second)) for match in round_.matches]
        field = frozenset(range(count))
        chances = [field - {bye} for bye in field - byes] if count % 2 else [field]
        if any(can_be_paired(chance, met) for chance in chances):
            assert not met & set(pairs)
        met |= set(pairs)
        byes |= {round_.bye} - {None}


def pairings(free: tuple[int, ...]) -> Iterator[list[tuple[int, int]]]:
    """All ways to pair all engines."""
    if not free:
        yield []
    for other in free[1:]:
        for pairs in pairings(tuple(place for place in free[1:] if place != other)):
            yield [(free[0], other), *pairs]


@steady
@given(st.integers(4, 7), st.integers(1, 2), st.integers(0, 999))
def test_in_a_field_too_small_for_its_rounds_as_few_as_can_be_meet_again(count, each, seed) -> None:
    rng = Random(seed)
    spec = tournament(names(count), "swiss", each, rounds=count - (count + 1) % 2)
    judge = by_strength({name: rng.gauss(0, 1) for name in names(count)})
    met: set[frozenset[int]] = set()
    byes: set[int | None] = set()
    for round_ in drawn(spec, play(spec, judge)[1])[1]:
        pairs = [frozenset((match.first, match.second)) for match in round_.matches]
        least = min(
            sum(frozenset(pair) in met for pair in ways)
            for bye in ([None] if count % 2 == 0 else [place for place in range(count) if place not in byes])
            for ways in pairings(tuple(place for place in range(count) if place != bye))
        )
        assert sum(pair in met for pair in pairs) == least
        met |= set(pairs)
        byes |= {round_.bye}


@steady
@given(st.integers(1, 4), st.integers(0, 999))
def test_no_more_leave_the_top_score_group_than_must(rounds, seed) -> None:
    rng = Random(seed)
    swiss_ = Swiss(Entrants("quoridor", tuple(names(8))), 2)
    judge = by_strength({name: rng.gauss(0, 1) for name in names(8)})
    results: dict[str, GameResult] = {}
    for _ in range(rounds):
        scores = [player.score for player in swiss_.players]
        met = [set(player.met) for player in swiss_.players]
        round_ = swiss_.next_round()
        top = {place for place in range(8) if scores[place] == max(scores)}
        fresh = [
            ways for ways in pairings(tuple(range(8))) if all(other not in met[one] for one, other in ways)
        ]
        inside = max(sum({*pair} <= top for pair in ways) for ways in fresh)
        assert sum({match.first, match.second} <= top for match in round_.matches) == inside
        for games in round_.games:
            for key, seating in games:
                game = Pairing(0, key, "quoridor", tuple(names(8)[place] for place in seating.seats))
                results[key] = ended(game, judge(game))
        swiss_.score(round_, results)


@steady
@given(swiss())
def test_every_meeting_is_whole_with_seats_exchanged_and_openings_shared(made) -> None:
    spec, judge = made
    handed, _ = play(spec, judge)
    each = spec.format_keys.games_per_pairing
    for first in range(0, len(handed), each):
        meeting = handed[first : first + each]
        seats = [game.seats for game in meeting]
        assert seats == [seats[0] if game % 2 == 0 else seats[0][::-1] for game in range(each)]
    assert len(handed) == spec.schedule().total
    assert len(keys(handed)) == len(handed)


@steady
@given(st.integers(6, 24), st.integers(1, 5), st.integers(0, 99))
def test_seats_are_balanced_within_two_games_even_with_single_games(count, rounds, seed) -> None:
    spec = tournament(names(count), "swiss", 1, rounds=rounds)
    rng = Random(seed)
    handed, _ = play(spec, by_strength({name: rng.gauss(0, 1) for name in names(count)}))
    first = Counter(game.seats[0] for game in handed)
    second = Counter(game.seats[1] for game in handed)
    assert all(abs(first[name] - second[name]) <= 2 for name in names(count))


@steady
@given(swiss(), st.integers(1, 5), st.integers(0, 99), st.integers(0, 60))
def test_a_run_that_goes_on_from_anywhere_plays_the_same_games(made, at_once, seed, until) -> None:
    check_that_it_goes_on(*made, at_once=at_once, seed=seed, until=until)


@steady
@given(swiss())
def test_more_rounds_keep_the_games_there_were(made) -> None:
    spec, judge = made
    count = len(spec.engines)
    more = with_keys(spec, rounds=min(spec.format_keys.rounds + 1, count - (count + 1) % 2))
    _, stored = play(spec, judge)
    rest, results = play(more, judge, stored)
    assert keys(stored) <= keys(results)
    assert len(rest) == more.schedule().total - spec.schedule().total


def test_the_first_round_pairs_the_upper_half_with_the_lower_in_order() -> None:
    spec = tournament(names(8), "swiss", rounds=3)
    handed, _ = play(spec, by_strength({}), until=8)
    assert [set(game.seats) for game in handed[::2]] == [
        {"e0", "e4"},
        {"e1", "e5"},
        {"e2", "e6"},
        {"e3", "e7"},
    ]


def favourites(pairing: Pairing) -> list[int]:
    """The engine that comes first in the file always wins."""
    return [1, 2] if int(pairing.seats[0][1:]) < int(pairing.seats[1][1:]) else [2, 1]


@pytest.mark.parametrize(
    ("seats", "demand"),
    [
        ([], 0),
        ([-1, 1], -1),
        ([1], -2),
        ([1, -1, 1], -2),
        ([-1, 1, 1, -1, 1], -2),
        ([1, 1], -3),
        ([1, 1, 1, -1], -3),
        ([-1, 1, 1], -3),
        ([-1, -1, 1, 1], -3),
        ([1, 1, 1, 1, -1, -1], -3),
    ],
)
def test_a_seat_is_due_absolutely_strongly_or_mildly(seats, demand) -> None:
    assert SwissPlayer(0, seats=seats).seat_preference == demand
    assert SwissPlayer(0, seats=[-seat for seat in seats]).seat_preference == -demand


@pytest.mark.parametrize(
    ("one", "other", "board", "first"),
    [
        ([1], [1, -1], 0, "other"),  # the stronger preference for the first seat
        ([1, -1], [1], 0, "one"),
        (
            [-1, 1, 1],
            [1, 1],
            0,
            "one",
        ),  # equal preferences, but the other had one game more on the first seat
        ([1, 1], [-1, 1, 1], 0, "other"),
        ([-1, 1, 1, -1], [1, -1, 1, -1], 0, "other"),  # the opposite of the last round with different seats
        ([1, -1, 1, -1], [-1, 1, 1, -1], 0, "one"),
        ([-1, 1, 1, -1], [-1, 1, -1, 1, 1, -1], 0, "one"),  # the preference of the higher engine
        ([1, -1], [1, -1], 1, "one"),
        ([-1, 1], [-1, 1], 0, "other"),
        ([], [], 0, "one"),  # the number of the board
        ([], [], 1, "other"),
        ([], [], 2, "one"),
    ],
)
def test_who_sits_first_is_decided_by_due_turns_rank_and_board(one, other, board, first) -> None:
    exchanged = _exchange(SwissPlayer(0, seats=one), SwissPlayer(1, seats=other), board)
    assert ("other" if exchanged else "one") == first


def test_the_bye_goes_to_the_lowest_who_had_none_and_counts_as_a_win() -> None:
    spec = tournament(names(5), "swiss", rounds=3)
    _, results = play(spec, favourites)
    players, rounds = drawn(spec, results)
    assert [round_.bye for round_ in rounds] == [4, 3, 2]
    assert players[4].score >= 2


def test_a_round_waits_for_the_one_before() -> None:
    spec = tournament(names(4), "swiss", 1, rounds=2)
    state = ScheduleState()
    pending = spec.schedule().pending(state)
    for _ in range(2):
        game = next_game(pending)
        assert game is not None
        state.running[game.key] = game
    assert [next(pending), next(pending)] == [None, None]


def test_two_hundred_engines_are_drawn_in_no_time() -> None:
    spec = tournament(names(200), "swiss", 1, rounds=9)
    begin = time.process_time()
    handed, _ = play(spec, by_strength({name: number / 40 for number, name in enumerate(names(200))}))
    assert len(handed) == 900
    assert time.process_time() - begin < 8


def test_a_round_is_complete_when_all_its_games_are_there_and_byes_count_as_a_win() -> None:
    swiss_ = Swiss(Entrants("quoridor", tuple(names(3))), 3)
    round_ = swiss_.next_round()
    assert (round_.bye, [(match.first, match.second) for match in round_.matches]) == (2, [(0, 1)])
    assert [key for key, _ in round_.games[0]] == [
        "quoridor:e0|e1:0",
        "quoridor:e1|e0:0",
        "quoridor:e0|e1:1",
    ]
    results = {}
    for number, (key, seating) in enumerate(round_.games[0]):
        game = Pairing(number, key, "quoridor", tuple(names(3)[place] for place in seating.seats))
        results[key] = ended(game, [1, 2])
    less = {key: result for key, result in results.items() if result.number != 1}
    assert Swiss(Entrants("quoridor", tuple(names(3))), 3).score(round_, less) is False
    assert Swiss(Entrants("quoridor", tuple(names(3))), 3).score(round_, {}) is False
    assert swiss_.score(round_, results) is True
    assert [player.score for player in swiss_.players] == [2.0, 1.0, 3.0]
    assert [player.byes for player in swiss_.players] == [0, 0, 1]
    assert [player.seats for player in swiss_.players] == [[1], [-1], []]
    assert [player.met for player in swiss_.players] == [{1: [2.0]}, {0: [1.0]}, {}]


@pytest.mark.parametrize(
    ("each", "openings"), [(1, [[1], [4]]), (3, [[2, 2, 3], [8, 8, 9]]), (4, [[2, 2, 3, 3], [8, 8, 9, 9]])]
)
def test_each_meeting_has_openings_of_its_own_and_an_odd_one_makes_a_seat_due(each, openings) -> None:
    swiss_ = Swiss(Entrants("quoridor", tuple(names(4))), each)
    round_ = swiss_.next_round()
    assert [[seating.opening for _, seating in games] for games in round_.games] == openings
    results = {}
    for key, seating in (game for games in round_.games for game in games):
        seats = tuple(names(4)[place] for place in seating.seats)
        results[key] = ended(Pairing(0, key, "quoridor", seats), [1, 2])
    assert swiss_.score(round_, results)
    assert [len(player.seats) for player in swiss_.players] == [each % 2] * 4


def test_games_are_numbered_through_all_rounds() -> None:
    handed, _ = play(tournament(names(4), "swiss", 2, rounds=3), favourites)
    assert [game.number for game in handed] == list(range(12))


@pytest.mark.parametrize("due", [[-1, -1], [1, 1]])
@pytest.mark.parametrize(
    ("each", "pairs"),
    [(1, {(0, 3), (1, 2)}), (2, {(0, 2), (1, 3)}), (3, {(0, 3), (1, 2)}), (4, {(0, 2), (1, 3)})],
)
def test_due_seats_matter_only_where_two_engines_play_an_odd_number_of_games(
    each: int, pairs: set[tuple[int, int]], due: list[int]
) -> None:
    swiss_ = Swiss(Entrants("quoridor", tuple(names(4))), each)
    swiss_.players[1].seats = swiss_.players[3].seats = due
    matches = swiss_.next_round().matches
    assert {(min(match.first, match.second), max(match.first, match.second)) for match in matches} == pairs


def paired(
    scores: str, met: str = "", seats: Mapping[int, list[int]] | None = None
) -> tuple[int | None, list[tuple[int, int]]]:
    """Who has a bye and who meets whom, after ``scores`` of a digit each and meetings such as ``01 23``."""
    table_ = [SwissPlayer(place, score=float(score)) for place, score in enumerate(scores)]
    for one, other in ((int(two[0]), int(two[1])) for two in met.split()):
        table_[one].met.setdefault(other, []).append(0.5)
        table_[other].met.setdefault(one, []).append(0.5)
    for place, sat in (seats or {}).items():
        table_[place].seats = sat
    found = pair_round(table_, seats=seats is not None)
    return None if found.bye is None else found.bye.place, [
        (one.place, other.place) for one, other in found.pair()
    ]


def test_who_is_paired_first_leaves_opponents_in_their_score_group_to_the_others() -> None:
    assert paired("111100") == (None, [(0, 2), (1, 3), (4, 5)])
    assert paired("111100", met="13") == (None, [(0, 3), (1, 2), (4, 5)])


def test_who_is_alone_with_its_score_takes_an_opponent_that_leaves_the_next_group_its_pairs() -> None:
    assert paired("211100", met="23") == (None, [(0, 2), (1, 3), (4, 5)])


def test_where_nobody_below_can_be_met_the_next_above_is_taken() -> None:
    assert paired("111111", met="03 04 05")[1][0] == (0, 2)
    assert paired("111111", met="02 03 04 05")[1][0] == (0, 1)


def test_who_wants_another_seat_or_none_is_met_before_who_wants_the_same() -> None:
    for sat in [1], [1, -1]:
        assert paired("1111", seats=dict.fromkeys(range(3), sat))[1] == [(0, 3), (1, 2)]


def test_rather_than_with_the_same_seat_due_engines_meet_in_another_score_group() -> None:
    due = {place: [1, 1] for place in range(3)}
    assert paired("1110", seats=due) == (None, [(0, 3), (1, 2)])


def test_who_must_meet_again_meets_whom_it_met_least() -> None:
    everybody = "01 02 03 12 13 23"
    assert paired("1111", met=everybody) == (None, [(0, 2), (1, 3)])
    assert paired("1111", met=f"{everybody} 02") == (None, [(0, 3), (1, 2)])


def test_where_some_must_meet_again_it_is_as_few_as_can_be() -> None:
    assert paired("1111", met="01 02 03 13 23") == (None, [(0, 3), (1, 2)])
    six = "01 02 03 04 05 12 13 14 15 23 24 25 34 35 45"
    assert paired("111111", met=six) == (None, [(0, 3), (1, 4), (2, 5)])
    eight = f"{six} 06 07 16 17 26 36 46 47 56 57"  # all but 2, 3 and 6 with 7
    assert paired("11111111", met=eight) == (None, [(0, 4), (1, 5), (2, 7), (3, 6)])


def test_when_two_must_meet_again_in_any_case_the_lowest_has_the_bye() -> None:
    assert paired("111", met="01 02 12") == (2, [(0, 1)])
    assert paired("111", met="01 02 12", seats={0: [1, 1], 1: [1, 1]}) == (2, [(0, 1)])


def test_the_bye_goes_to_the_next_where_the_others_could_not_be_paired_without_it() -> None:
    met = {0: {1}, 1: {0, 2}, 2: {1, 3, 4}, 3: {2, 4}, 4: {2, 3}}
    table_ = [SwissPlayer(place, met={other: [0.0] for other in others}) for place, others in met.items()]
    found = pair_round(table_, seats=False)
    assert found.forbidden == 0
    assert found.bye is not None
    rest = {(one.place, other.place) for one, other in found.pair()}
    assert all(other not in met[one] for one, other in rest)


def test_two_to_whom_the_same_seat_is_absolutely_due_meet_only_if_it_cannot_be_helped() -> None:
    first, second, third, fourth = (
        SwissPlayer(place, seats=seats) for place, seats in enumerate(([1, 1], [1, 1], [-1, -1], [-1, -1]))
    )
    for table_, expected in (
        ([first, second, third, fourth], [(0, 2), (1, 3)]),
        ([first, third, second, fourth], [(0, 3), (2, 1)]),
        ([first, second], [(0, 1)]),
    ):
        found = pair_round(table_, seats=True)
        assert found.forbidden == 0
        assert [(one.place, other.place) for one, other in found.pair()] == expected


# -- the table -----------------------------------------------------------------------------------------------


def test_the_table_has_the_tie_breaks_and_byes_in_the_order_that_its_note_says() -> None:
    spec = tournament(names(5), "swiss", rounds=3)
    _, results = play(spec, by_strength({f"e{place}": -10.0 * place for place in range(5)}, 0.0))
    played = Played(8, lambda: results[:8])
    view = spec.plan.view("quoridor", played)
    assert view.table is not None
    assert view.table.name == "swiss"
    assert view.table.headers == ("#", "engine", "points", "Buchholz", "Sonneborn-Berger", "direct", "byes")
    assert view.table.rows == (
        ("1", "e0", "4", "4", "8", "", ""),
        ("2", "e1", "2", "6", "4", "", ""),
        ("3", "e2", "2", "6", "4", "", ""),
        ("4", "e3", "2", "4", "4", "", "1"),
        ("5", "e4", "2", "4", "4", "", "1"),
    )
    assert view.note == "Order: points, Buchholz, Sonneborn-Berger, direct encounter, order of the file."
    assert view.table.note.startswith(
        "Order: points, Buchholz (the opponents' points), Sonneborn-Berger (points"
    )
    assert view.table.note.endswith("(if all tied engines have met), order of the file.")
    assert view.places == [(place + 1, f"e{place}") for place in range(5)]
    assert (view.title, view.remark) == ("Swiss: 2 of 3 rounds paired", "")
    data = view.data["swiss"]
    assert (data["rounds"], [row["byes"] for row in data["table"]]) == (3, [0, 0, 0, 1, 1])
    assert [(row["place"], row["engine"]) for row in data["table"]] == view.places
    assert data["drawn"][0] == {"pairs": [["e0", "e2"], ["e3", "e1"]], "bye": "e4"}
    assert not spec.plan.is_over("quoridor", played)
    assert spec.plan.is_over("quoridor", Played(len(results), lambda: results))


def test_each_round_is_told_when_it_starts_and_not_when_it_has_been_played() -> None:
    spec = tournament(names(4), "swiss", 1, rounds=3)
    _, results = play(spec, favourites, until=3)
    state = ScheduleState.of(results)
    told = [item for item, _ in zip(spec.schedule().pending(state), range(2), strict=False)]
    assert told[0] == Stage("quoridor", "round 2 of 3")
    assert isinstance(told[1], Pairing)


def test_buchholz_sonneborn_berger_and_byes_by_hand() -> None:
    #  a 1-0 b, b 1-0 c, and a has a bye in round 3 (the others do not play)
    players = [
        SwissPlayer(0, 2.0, {1: [1.0]}, byes=1),
        SwissPlayer(1, 1.0, {0: [0.0], 2: [1.0]}),
        SwissPlayer(2, 0.0, {1: [0.0]}),
    ]
    rows = swiss_table(players, 1)
    assert [row.place for row in rows] == [0, 1, 2]
    assert [row.buchholz for row in rows] == [1 + 2, 2 + 0, 1]
    assert [row.sonneborn_berger for row in rows] == [1 * 1 + 2 * 1, 0, 0]
    assert [row.byes for row in rows] == [1, 0, 0]
    assert [row.direct for row in rows] == [None, None, None]  # nobody is level with anybody


def test_who_is_level_is_parted_by_the_direct_encounter_and_then_by_the_file() -> None:
    # 1 beat 0; both have met one other engine with one point, so the other tie-breaks are equal
    players = [
        SwissPlayer(0, 1.0, {1: [0.0], 3: [1.0]}),
        SwissPlayer(1, 1.0, {0: [1.0], 2: [0.0]}),
        SwissPlayer(2, 1.0, {1: [1.0], 4: [0.0]}),
        SwissPlayer(3, 1.0, {0: [0.0], 5: [1.0]}),
        SwissPlayer(4, 5.0, {2: [1.0]}),
        SwissPlayer(5, 7.0, {3: [0.0]}),
    ]
    ordered = [(row.place, row.direct) for row in swiss_table(players, 1)]
    assert ordered.index((1, 1.0)) + 1 == ordered.index((0, 0.0))
    circle = [
        SwissPlayer(0, 1.0, {1: [0.0], 2: [1.0]}),
        SwissPlayer(1, 1.0, {0: [1.0], 2: [0.0]}),
        SwissPlayer(2, 1.0, {0: [0.0], 1: [1.0]}),
    ]
    assert [(row.place, row.direct) for row in swiss_table(circle, 1)] == [(0, 1.0), (1, 1.0), (2, 1.0)]
    strangers = [
        SwissPlayer(0, 1.0, {2: [1.0]}),
        SwissPlayer(1, 1.0, {3: [1.0]}),
        SwissPlayer(2),
        SwissPlayer(3),
    ]
    assert [(row.place, row.direct) for row in swiss_table(strangers, 1)][:2] == [(0, None), (1, None)]


def test_who_is_level_in_the_direct_encounter_too_is_parted_by_the_games_among_those() -> None:
    # 0 and 1 have 2 of 3 points in the group of four, 2 and 3 have 1; 1 beat 0, 3 beat 2
    scores = {(0, 1): 0.0, (0, 2): 1.0, (0, 3): 1.0, (1, 2): 0.0, (1, 3): 1.0, (2, 3): 0.0}
    players = [SwissPlayer(place) for place in range(4)]
    for (one, other), points in scores.items():
        players[one].met[other] = [points]
        players[other].met[one] = [1 - points]
    rows = [SwissRow(place, 9.0, 9.0, 9.0, None, 0) for place in range(4)]
    ordered = SwissEncounters(dict(enumerate(players)), 1).order(rows)
    assert [(row.place, row.direct) for row in ordered] == [(1, 2.0), (0, 2.0), (3, 1.0), (2, 1.0)]


def test_only_points_that_were_scored_count_for_a_lead_and_only_games_not_played_against_it() -> None:
    def order(*met: dict[int, list[float]]) -> list[int]:
        level = [SwissPlayer(place, 1.0, scored) for place, scored in enumerate(met)]
        rows = [SwissRow(player.place, 1.0, 1.0, 1.0, None, 0) for player in level]
        return [row.place for row in SwissEncounters(dict(enumerate(level)), 1).order(rows)]

    # 2 beat 0, and may have lost to 1, who drew with 0
    assert order({1: [0.5], 2: [0.0]}, {0: [0.5]}, {0: [1.0]}) == [0, 1, 2]
    # 2 beat 0 and 1; both have met 3 as well, without a point for anybody
    assert order({2: [0.0], 3: [0.0]}, {2: [0.0], 3: [0.0]}, {0: [1.0], 1: [1.0]}, {0: [0.0], 1: [0.0]}) == [
        2,
        0,
        1,
        3,
    ]


# -- matchings -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", seeds(20))
def test_a_perfect_matching_is_found_if_there_is_one_also_after_some_are_settled(seed: int) -> None:
    rng = Random(seed)
    for _ in range(20):
        count = rng.choice([2, 4, 6, 8, 10])
        share = rng.random()
        edges = {frozenset(pair) for pair in combinations(range(count), 2) if rng.random() < share}
        others = {frozenset(pair) for pair in combinations(range(count), 2)} - edges
        neighbours = [
            [other for other in range(count) if frozenset((one, other)) in edges] for one in range(count)
        ]
        matching = Matching(neighbours)
        free = frozenset(range(count))
        assert (matching.single == 0) == can_be_paired(free, others)
        if not can_be_paired(free, others):
            continue
        while free:
            one = min(free)
            for other in rng.sample(sorted(set(neighbours[one]) & free), len(set(neighbours[one]) & free)):
                rest = free - {one, other}
                assert matching.fix(one, other) == can_be_paired(rest, others)
                if can_be_paired(rest, others):
                    free = rest
                    break


def test_odd_cycles_within_odd_cycles_leave_nobody_over_who_can_be_paired() -> None:
    edges = "0-1 0-3 0-11 1-3 1-8 3-5 4-5 4-10 4-11 5-6 6-10 7-10 8-11"
    neighbours: list[list[int]] = [[] for _ in range(12)]
    for edge in edges.split():
        one, other = map(int, edge.split("-"))
        neighbours[one].append(other)
        neighbours[other].append(one)
    assert Matching(neighbours).single == 2  # 2 and 9, whom nobody can meet


def test_two_that_are_released_may_be_paired_with_others() -> None:
    matching = Matching([[5, 1], [0, 2], [1, 3], [2, 4], [3, 5], [4, 0]])
    assert matching.fix(0, 1)
    assert not matching.fix(3, 4)
    matching.release(0, 1)
    assert matching.fix(3, 4)
