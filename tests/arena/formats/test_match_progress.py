"""What is said about a match: Elo with its bounds, and how far they can be trusted."""

import math
import re
from dataclasses import replace

import pytest

from arena.formats.contest import ScheduleState
from arena.formats.match_progress import MatchProgress, elo_text
from arena.ratings.match_elo import estimate
from arena.ratings.sprt import Sprt
from referee.outcome import Termination
from tests.arena.formats.playing import ended, names, next_game, stalled, tournament

SCORES = {0: ("0", "0"), 0.5: ("0", "1/2"), 1: ("0", "1"), 1.5: ("1", "1/2"), 2: ("1", "1")}
ROUGH = "only 2 pairs, so this is a rough estimate"
RANKS = {"0": (2, 1), "1/2": (1, 1), "1": (1, 2)}


def progress(points: list[float], sprt: Sprt | None = None, max_games: int = 1000) -> MatchProgress:
    """The progress of a match in which the first engine has scored this many points in each pair."""
    spec = tournament(names(2), "match", sprt=sprt, max_games=max_games)
    (made,) = spec.plan.progress()
    results = {}
    pending = tournament(names(2), "match", max_games=1000).schedule().pending(ScheduleState(results))
    for scored in points:
        for score in SCORES[scored]:
            pairing = next_game(pending)
            ranks = RANKS[score]
            results[pairing.key] = ended(pairing, ranks if pairing.seats[0] == "e0" else ranks[::-1])
            made.count(results)
    return made


def ended_as_planned(points: list[float]) -> MatchProgress:
    return progress(points, max_games=2 * len(points))


def elo_line(points: list[float], sprt: Sprt | None = None) -> str:
    return dict(progress(points, sprt).rows())["Elo"]


@pytest.mark.parametrize(
    ("points", "line", "los"),
    [
        ([], "0 pairs so far, too few for an estimate", None),
        ([2], "1 pair so far, too few for an estimate", None),
        ([1.5, 1.5], f"+190.8 (95 %: -99.9 to +235.5); {ROUGH}", "86.3 %"),
        ([1, 1], f"+0.0 +- 149.8 (95 %: -149.8 to +149.8); {ROUGH}", "50.0 %"),
        ([2, 2], f"above -62.0 (97.5 %); {ROUGH}", "93.4 %"),
        ([0, 0], f"below +62.0 (97.5 %); {ROUGH}", "6.6 %"),
        ([2] * 40, "above +439.4 (97.5 %)", "above 99.9 %"),
        ([0] * 40, "below -439.4 (97.5 %)", "below 0.1 %"),
        ([1.5, 1] * 5, "+88.7 (95 %: +0.4 to +140.7)", "97.5 %"),
        ([1.5, 1] * 150, "+88.7 +- 10.6 (95 %: +77.6 to +98.8)", "above 99.9 %"),
        ([1] * 300, "+0.0 +- 2.1 (95 %: -2.1 to +2.1)", "50.0 %"),
    ],
)
def test_few_pairs_are_called_few_and_no_number_is_certain(points, line, los) -> None:
    rows = dict(ended_as_planned(points).rows())
    assert (rows["Elo"], rows.get("LOS")) == (line, los)


def test_while_a_match_goes_on_its_interval_is_the_one_that_holds_at_every_look() -> None:
    points = [0.5, 1, 2, 1, 1.5] * 20
    goes_on, ended_now = progress(points), ended_as_planned(points)
    watched, usual = goes_on.data()["estimate"], ended_now.data()["estimate"]
    assert (watched["watched"], usual["watched"]) == (True, False)
    assert watched["elo"] == usual["elo"]
    assert watched["high"] - watched["low"] == pytest.approx(1.55 * (usual["high"] - usual["low"]), rel=0.02)
    assert dict(goes_on.rows())["Elo"].endswith("); wide enough to hold at every look")
    assert dict(ended_now.rows())["Elo"].endswith(")")
    assert "LOS" not in dict(goes_on.rows())  # it would be believed when it is highest
    assert dict(progress([2, 2]).rows())["Elo"] == "2 pairs so far, too few for an estimate"


def test_a_test_that_max_games_ends_undecided_has_the_usual_interval() -> None:
    sprt = Sprt(0, 5)
    assert progress([1, 1.5] * 5, sprt).data()["estimate"]["watched"]
    assert not progress([1, 1.5] * 5, sprt, max_games=20).data()["estimate"]["watched"]


@pytest.mark.parametrize("kinds", [(0.5, 1), (1, 1.5), (2, 0), (1, 2)])
@pytest.mark.parametrize("pairs", [2, 3, 5])
def test_the_words_about_a_match_never_claim_certainty(kinds, pairs) -> None:
    for one in range(pairs + 1):
        points = [kinds[0]] * one + [kinds[1]] * (pairs - one)
        for made in (ended_as_planned(points), progress(points)):
            rows = dict(made.rows())
            line = " ".join((rows["Elo"], rows.get("nElo", ""), rows.get("LOS", "")))
            assert not re.search(r"nan|inf|\+- 0\.0 | 0\.0 %|100(\.0)? %", line)


def test_a_narrow_interval_has_enough_decimals_to_be_one() -> None:
    line = elo_text(estimate((0, 0, 10**7, 0, 0)), 10**7, "pair")
    assert line == "+0.00000 +- 0.00006 (95 %: -0.00006 to +0.00006)"
    assert elo_text(replace(estimate((0, 0, 100, 0, 0)), elo=-0.01), 100, "pair").startswith("+0.0 ")


@pytest.mark.parametrize(
    ("sprt", "pairs", "rows"),
    [
        (
            Sprt(0, 5),
            [1.5, 1] * 90,
            {
                "Score": "180-90-90 (won, drawn, lost), 225 of 360 points (62 %), draws 25 %",
                "Elo": "+88.7 +- 21.6 (95 %: +66.2 to +109.4); wide enough to hold at every look",
                "nElo": "+245.7 +- 57.3 (95 %: +184.9 to +299.6)",
                "Pairs": "0, 0, 90, 90, 0 with 0, 1/2, 1, 3/2, 2 points",
                "SPRT": "LLR 2.57 in [-2.94, 2.94] after 180 pairs: not decided, 87 % of the way to Elo 5"
                " (elo0 0, elo1 5, alpha 0.05, beta 0.05)",
            },
        ),
        (
            Sprt(0, 5, model="normalized"),
            [1.5, 1] * 5,
            {
                "SPRT": "LLR 0.10 in [-2.94, 2.94] after 10 pairs: not decided, 3 % of the way to normalized"
                " Elo 5 (elo0 0, elo1 5, alpha 0.05, beta 0.05, model normalized)",
            },
        ),
    ],
)
def test_a_block_has_the_results_the_strength_and_how_far_the_test_is(sprt, pairs, rows) -> None:
    assert rows.items() <= dict(progress(pairs, sprt).rows()).items()


def test_the_elo_of_a_stopped_match_is_corrected_and_the_elo_of_an_open_match_is_not() -> None:
    sprt = Sprt(0, 100)
    points = [2, 1, 1.5, 1, 2, 1, 1.5, 2, 1, 2, 1.5, 2]
    assert "corrected" not in elo_line(points[:6], sprt)
    decided = progress(points * 3, sprt)
    rows = dict(decided.rows())
    assert ": Elo 100 accepted (" in rows["SPRT"]
    assert rows["Elo"].endswith("; corrected, because the test stopped the match")


def test_pairs_after_the_decision_do_not_change_the_elo_of_the_test() -> None:
    sprt = Sprt(0, 100)
    points = [2, 1, 1.5, 1, 2, 1, 1.5, 2, 1, 2, 1.5, 2] * 2
    decided = next(
        length for length in range(2, 25) if progress(points[:length], sprt).data()["sprt"]["accepted"]
    )
    at_once, later = progress(points[:decided], sprt), progress(points[:decided] + [0.0] * 5, sprt)
    assert at_once.data()["estimate"] == later.data()["estimate"]
    assert sum(later.data()["counts"]) == decided + 5


def test_the_data_of_a_match_have_null_for_a_bound_that_does_not_exist() -> None:
    data = ended_as_planned([2, 2]).data()
    assert data["unit"] == "pair"
    assert data["counts"] == [0, 0, 0, 0, 2]
    estimate = data["estimate"]
    assert (estimate["elo"], estimate["high"], estimate["corrected"]) == (None, None, False)
    assert estimate["low"] == pytest.approx(-62.0, abs=0.1)
    assert ended_as_planned([2]).data()["estimate"] is None


def test_a_match_shows_all_of_its_games_and_how_many_there_can_be() -> None:
    made = progress([2, 1, 0.5], Sprt(0, 5), max_games=42)
    assert made.title() == "e0 against e1, 6 of at most 42 games"
    assert dict(made.rows())["Score"] == "3-1-2 (won, drawn, lost), 3.5 of 6 points (58 %), draws 17 %"
    results = {"engines": ["e0", "e1"], "wins": 3, "draws": 1, "losses": 2, "points": 3.5, "unplayed": 0}
    assert (results | {"games": 6, "max_games": 42}).items() <= made.data().items()
    assert made.data()["sprt"]["bounds"] == list(Sprt(0, 5).bounds)
    assert progress([2], max_games=42).title() == "e0 against e1, 2 of 42 games"
    assert progress([2], max_games=2).title() == "e0 against e1, 2 of 2 games"
    assert progress([2, 2], max_games=2).title() == "e0 against e1, 4 games"
    assert dict(progress([]).rows())["Score"] == "no game has ended yet"


def test_forfeits_and_games_that_were_not_played_are_named() -> None:
    spec = tournament(names(2), "match", max_games=4)
    pending = spec.schedule().pending(ScheduleState(results := {}))
    for word in (Termination.TIME, Termination.DISABLED, Termination.DISABLED):
        pairing = next_game(pending)
        game = ended(pairing, (1, 2))
        players = [
            replace(seat, rank=2, points=0.0, forfeit=word) if seat.name == "e1" else replace(seat, rank=1)
            for seat in game.players
        ]
        results[pairing.key] = replace(game, termination=word, players=tuple(players))
    results["of another game id"] = replace(game, game="hops")
    (made,) = spec.plan.progress()
    made.count(results)
    assert (made.data()["forfeits"], made.data()["games"]) == ([0, 1], 3)
    assert dict(made.rows())["Score"].endswith(
        ", 2 not played, because an engine was disabled, forfeits: 1 by e1"
    )


@pytest.mark.parametrize(
    ("late", "crashed", "unplayed", "said"),
    [
        (18, 0, 0, "18 of 20 games ended by a fault: 18 by e0 (time)"),
        (1, 1, 1, "3 of 20 games ended by a fault: 1 by e0 (time), 1 by e1 (crash), 1 not played"),
        (1, 1, 0, None),
    ],
)
def test_a_block_first_says_that_more_than_one_game_in_ten_ended_by_a_fault(
    late, crashed, unplayed, said
) -> None:
    spec = tournament(names(2), "match", max_games=20)
    pending = spec.schedule().pending(ScheduleState(results := {}))
    faults = [("e0", Termination.TIME)] * late + [("e1", Termination.CRASH)] * crashed
    faults += [("e1", Termination.DISABLED)] * unplayed
    for number in range(20):
        pairing = next_game(pending)
        loser, word = faults[number] if number < len(faults) else ("e0", None)
        game = ended(pairing, [1 + (name == loser) for name in pairing.seats])
        seats = [replace(seat, forfeit=word if seat.name == loser else None) for seat in game.players]
        results[pairing.key] = replace(game, players=tuple(seats))
    (made,) = spec.plan.progress()
    made.count(results)
    rows = made.rows()
    if said is None:
        assert rows[0][0] == "Score"
    else:
        assert rows[0] == ("Faults", f"{said}; so Elo says little about how well the engines play")


def test_games_that_nobody_won_are_losses_without_points_and_say_nothing_about_strength() -> None:
    spec = tournament(names(2), "match", max_games=6)
    pending = spec.schedule().pending(ScheduleState(results := {}))
    for number in range(6):
        pairing = next_game(pending)
        game = ended(pairing, (1, 2))
        results[pairing.key] = stalled(game) if number < 4 else game
    (made,) = spec.plan.progress()
    made.count(results)
    rows = dict(made.rows())
    assert rows["Score"] == (
        "1-0-5 (won, drawn, lost), 1 of 6 points (17 %), draws 0 %,"
        " 4 won by nobody, because both engines failed, forfeits: 4 by e0 and 4 by e1"
    )
    assert rows["Faults"].startswith("4 of 6 games ended by a fault: 4 by e0 (stall), 4 by e1 (stall);")
    assert rows["Elo"] == "1 pair so far, too few for an estimate"
    assert rows["Pairs"].startswith("0, 0, 1, 0, 0 with")
    assert made.data()["won_by_nobody"] == 4


def test_normalized_elo_agrees_with_fastchess() -> None:
    counts = (10, 115, 240, 120, 15)
    points = [place / 2 for place, number in enumerate(counts) for _ in range(number)]
    found = progress(points).data()["normalized"]
    score = sum(number * place for place, number in enumerate(counts)) / 2000
    variance = sum(number * (place / 4 - score) ** 2 for place, number in enumerate(counts)) / 500
    scale, error = 800 / math.log(10), 1.96 * math.sqrt(variance / 500)
    assert found["elo"] == pytest.approx((score - 0.5) / math.sqrt(2 * variance) * scale)
    for key, bound in (("low", score - error), ("high", score + error)):
        assert found[key] == pytest.approx((bound - 0.5) / math.sqrt(2 * variance) * scale, abs=0.3)
