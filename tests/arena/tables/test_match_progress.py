"""What is said about a match: Elo with its bounds, and how far they can be trusted."""

import re

import pytest

from arena.formats.contest import Entrants, ScheduleState
from arena.formats.match import MatchProgress
from arena.formats.match import elo_line as elo_text
from arena.ratings.match_elo import estimate
from arena.ratings.sprt import Sprt
from tests.arena.formats.playing import ended, names, next_game, tournament

SCORES = {0: ("0", "0"), 0.5: ("0", "1/2"), 1: ("0", "1"), 1.5: ("1", "1/2"), 2: ("1", "1")}
ROUGH = "only 2 pairs, so this is a rough estimate"
RANKS = {"0": (2, 1), "1/2": (1, 1), "1": (1, 2)}


def progress(points: list[float], sprt: Sprt | None = None, max_games: int = 1000) -> MatchProgress:
    """The progress of a match in which the first engine has scored this many points in each pair."""
    spec = tournament(names(2), "match", sprt=sprt, max_games=max_games)
    made = MatchProgress(spec.format_keys, Entrants("quoridor", ("e0", "e1")))
    results = {}
    pending = tournament(names(2), "match", max_games=1000).schedule().pending(ScheduleState(results))
    for scored in points:
        for score in SCORES[scored]:
            pairing = next_game(pending)
            ranks = RANKS[score]
            results[pairing.key] = ended(pairing, ranks if pairing.seats[0] == "e0" else ranks[::-1])
    made.count(results)
    return made


def elo_line(points: list[float], sprt: Sprt | None = None) -> str:
    return progress(points, sprt).lines()[1]


@pytest.mark.parametrize(
    ("points", "line"),
    [
        ([], "Elo: 0 pairs so far, too few for an estimate"),
        ([2], "Elo: 1 pair so far, too few for an estimate"),
        (
            [1.5, 1.5],
            f"Elo +190.8, between -99.9 and +235.5 (95 %), LOS 86.3 %; {ROUGH}",
        ),
        (
            [1, 1],
            f"Elo +0.0, between -149.8 and +149.8 (95 %), LOS 50.0 %; {ROUGH}",
        ),
        ([2, 2], f"Elo above -62.0 (97.5 %), LOS 93.4 %; {ROUGH}"),
        ([0, 0], f"Elo below +62.0 (97.5 %), LOS 6.6 %; {ROUGH}"),
        ([2] * 40, "Elo above +439.4 (97.5 %), LOS above 99.9 %"),
        ([0] * 40, "Elo below -439.4 (97.5 %), LOS below 0.1 %"),
        ([1] * 300, "Elo +0.0, between -2.1 and +2.1 (95 %), LOS 50.0 %"),
    ],
)
def test_few_pairs_are_called_few_and_no_number_is_certain(points, line) -> None:
    assert elo_line(points) == line


@pytest.mark.parametrize("kinds", [(0.5, 1), (1, 1.5), (2, 0), (1, 2)])
@pytest.mark.parametrize("pairs", [2, 3, 5])
def test_the_words_about_a_match_never_claim_certainty(kinds, pairs) -> None:
    for one in range(pairs + 1):
        line = elo_line([kinds[0]] * one + [kinds[1]] * (pairs - one))
        assert not re.search(r"nan|inf|± ?0\.0| 0\.0 %|100(\.0)? %", line)


def test_a_narrow_interval_has_enough_decimals_to_be_one() -> None:
    line = elo_text(estimate((0, 0, 10**7, 0, 0)), 10**7, "pair")
    assert line == "Elo +0.00000, between -0.00006 and +0.00006 (95 %), LOS 50.0 %"


def test_the_elo_of_a_stopped_match_is_said_to_be_corrected_and_that_of_an_open_one_is_not() -> None:
    sprt = Sprt(0, 100)
    points = [2, 1, 1.5, 1, 2, 1, 1.5, 2, 1, 2, 1.5, 2]
    assert "corrected" not in elo_line(points[:6], sprt)
    decided = progress(points * 3, sprt)
    assert ": Elo 100 accepted" in decided.lines()[3]
    assert decided.lines()[1].endswith("; corrected, because the test stopped the match")


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
    data = progress([2, 2]).data()
    assert data["unit"] == "pair"
    assert data["counts"] == [0, 0, 0, 0, 2]
    estimate = data["estimate"]
    assert (estimate["elo"], estimate["high"], estimate["corrected"]) == (None, None, False)
    assert estimate["low"] == pytest.approx(-62.0, abs=0.1)
    assert progress([2]).data()["estimate"] is None


def test_a_test_with_another_model_names_its_scale() -> None:
    sprt = Sprt(0, 100, model="normalized")
    made = progress([2, 1, 1.5, 1, 2, 1] * 8, sprt)
    line = made.lines()[3]
    assert line.startswith("SPRT (elo0 0, elo1 100, alpha 0.05, beta 0.05, model normalized): LLR ")
    assert line.endswith(": normalized Elo 100 accepted")
    assert made.data()["sprt"]["model"] == "normalized"
